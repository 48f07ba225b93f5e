"""What was learned: a cause and its fix, both named and told as done, in one sentence or in two that follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.judge import reject
from dreamd.engines.offline.rewrite import finish

_LONGEST = 240
_CAUSE = rx(
    r"\b(?:(?:was|were|is|are|been) (?:\w+ )?(?:caused by|due to|because of|down to|the result of|a result of|triggered by)|(?:came|comes|stem(?:s|med)|resulted) from|(?:flaky|failing|failed|broke|hung|crashed|slow|red) (?:because|due to|since)|"
    r"(?:root |real |actual |underlying )?cause(?: of [^.;]{3,60})? (?:was|is|turned out to be)|culprit(?: behind [^.;]{3,60})?(?: (?:was|is|turned out)|(?=:))|^it was [^,;]{2,40}(?=[,;:])|(?:the )?reason (?:for|why|that) [^.;]{3,60} (?:was|is|were)|due to|because of|"
    r"was why|were why|caused the|broke the|turn(?:s|ed) out(?: to be| that)?|it was [^.;]{3,50} that (?:made|broke|caused)|(?:failed|hung|crashed|broke|stalled|was slow|were slow|was flaky) because|(?:flake|failure|bug|crash|hang|leak|timeout)\W{1,3}it was)\b"
)
_FIX = rx(
    r"\b(?:(?:fix(?:ed|es)|solv(?:ed|es)|resolv(?:ed|es)|cur(?:ed|es)|mend(?:ed|s)|remed(?:ied|ies))\b|the (?:fix|solution|remedy|cure|trick) (?:is|was)|(?:is|are|was|went|goes|gone) (?:gone|away|green|fine|stable)(?: now| since| again)?|"
    r"does the trick|did the trick|helped|helps|so i (?:set|pinned|added|raised|moved|disabled|enabled|switched)|(?:tests?|it|they|build) (?:pass(?:es)?|works?|runs?)(?: now| again| since)?|works (?:now|again|fine))"
)
_NAMED = rx(
    r"`[^`]+`|\b\w+[=_]\w*|--?[a-z]\w+|(?-i:[a-z]+[A-Z]\w+)|\b\w+\.\w{2,4}\b|\b\d[\w.]*\b|(?-i:\b[A-Z]{2,}\b)|\b(?:setting|adding|removing|pinning|raising|closing|deleting|disabling|enabling|shortening|restarting|upgrading|clearing|streaming|switching) \w+|\bset \w+"
)
_TROUBLE = rx(
    r"\b(?:fail\w*|flak\w*|bugs?|errors?|crash\w*|hung|hangs?|hanging|time-?outs?|slow\w*|leak\w*|broke\w*|breaks?|stuck|red|race|deadlock|corrupt\w*|stale|spike|stall\w*|outage|wrong|missing|memory|lost|duplicat\w*|dupes|dns|again|culprit)\b"
)
_NOT_DONE = rx(
    r"\?|\b(?:maybe|perhaps|might|could be|probably|possibly|seems?|likely|i (?:think|guess|suspect|bet)|not sure|will fix|would fix|should fix|could fix|let me|i'?ll|i will|going to|trying|to fix|fixing it|fix(?:ed|es)? (?:this|that) (?:later|next))\b"
)
_HEAD = rx(
    r"^(?:(?:ok(?:ay)?|so|ah+|oh|found it|got it|good news|solved|done|yes|and|aha|finally|update|well|right|phew)[\s,.:;!–—-]+)+"
)


def learned(sentences: Sequence[str], *, named: bool = True) -> Iterator[tuple[int, str]]:
    """What was learned, each with the place of the sentence that begins it; a pair where the fix follows its cause.

    Args:
        sentences: of one turn, in their order.
        named: whether cause or fix must name something; a person's own words need not.
    """
    skip = -1
    for i, sentence in enumerate(sentences):
        if i <= skip:
            continue
        pair = f"{sentence.rstrip('. ')}. {sentences[i + 1]}" if i + 1 < len(sentences) else ""
        for n, text in enumerate((sentence, pair)):
            line = _line(text, named=named) if text else ""
            if line:
                skip = i + n
                yield i, line
                break


def _line(text: str, *, named: bool) -> str:
    bare = _HEAD.sub("", text.strip())
    if (
        len(bare) > _LONGEST
        or _NOT_DONE.search(bare)
        or not (_TROUBLE.search(bare) and (not named or _NAMED.search(bare)))
    ):
        return ""
    cause, fix = _CAUSE.search(bare), _FIX.search(bare)
    if not cause or not fix or (fix.start() < cause.end() and fix.end() > cause.start()):
        return ""
    line = finish(bare)
    return "" if reject(line) or "[REDACTED" in line else line
