"""What a person chose of the options that the agent laid out: in a list, a table or under headings, with what they added."""

from __future__ import annotations

import re

from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.rewrite import finish
from dreamd.engines.offline.similar import sense

_LONGEST = 200
_LONGEST_OPTION = 140
_LONGEST_ASKED = 110
_LONGEST_ADDED = 60
_WORDS_ADDED = 5  # a number with more behind it is an item of the person's own list
_PICK = rx(
    r"^(?:(?:yes|yeah|ok(?:ay)?|sure|hm+|i think|i'?d|i|we|let'?s|lets|go|implement|do|take|choose|pick|with|use|prefer|say|please|the|选|用|方案)[\s,]+)*(?:options? |number |#|方案)?\(?(?P<label>[1-9]|[a-d])(?P<stop>[).,:]+|(?= is\b)|$| )(?: (?:is|sounds|looks|would be) (?:fine|good|great|ok(?:ay)?|best|perfect|right|better))?(?P<rest>.*)$"
)
_SURE = rx(
    r"\boptions?\b|方案|^(?:i think |let'?s (?:go with |do )?|go with |yes,? )?\(?[a-d1-9][).,:]|^\(?[a-d1-9]\)?$|^[a-d1-9] (?:is|sounds)\b"
)
_OPTION = re.compile(
    r"^(?:\|\s*|#{1,6}\s*|[-*]\s+|>\s*)*\**\s*(?:option |approach |方案)?\(?(?P<label>[1-9]|[a-d])(?:[).:]|\s[-–—])\**:?\s*(?P<text>\S.*)$",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\*\*|\s*\((?:recommended|default|推荐)\)|\s*[✅⭐👍✓]", re.IGNORECASE)
_LEAD = rx(
    r"^(?:next|first|second|third|last|final|one more|another|quick|my)? ?(?:\w+ )?question\s*(?:\d+)?\s*[:.–—-]+\s*|^so[, ]|^#+\s*"
)
_OF_THE_TASK = rx(
    r"\b(?:next|proceed|first|start with|continue|prefer to (?:start|do|handle)|want me to|like me to|would you like|do you want|shall i|should i|which (?:one|of these|ones)?(?: would| do| should| are|$)|sound|look right|ready|go ahead)\b|下一步|继续"
)
_TASK_OPTION = rx(
    r"^(?:run|fix|skip|continue|start|stop|cancel|proceed|go ahead|do (?:it|both|all)|open|commit|push|merge|investigate|look|check|update the (?:doc|plan)|write|keep going|none|both|all|other|yes|no)\b"
)
_HOW = rx(r"^(?:how|when|where) should (?P<what>(?:the |our )?[\w`' -]{3,60}?) be (?P<done>\w.*)$")
_WANTED = rx(
    r"^(?:which|what) (?P<what>.{3,60}?) (?:do|would|should) (?:you|we|i) (?:prefer|want|like|favou?r|choose|pick)$"
)
_NOW = rx(r"\bthis (?:session|task|branch|pr|time)\b")
_REASON = re.compile(r"\s+[-–—]\s+(?=it |this |that |because )|\s+because\s")


def picked(proposal: str, answer: str) -> str | None:
    """The option of the label that an answer names, put to its question, with what the person added.

    None where there is no such option, no question, or the choice is about the next step of the task.
    """
    answer = " ".join(answer.split())
    match = _PICK.match(answer)
    if match is None or len(answer) > _LONGEST or not _SURE.search(answer):
        return None
    lines = [line.strip() for line in proposal.split("\n") if line.strip()]
    options = {m["label"].lower(): m["text"] for m in map(_OPTION.match, lines) if m}
    chosen = options.get(match["label"].lower())
    if chosen is None or len(options) < 2:  # noqa: PLR2004 - one option is no choice
        return None
    text, asked = _option(chosen), _question(lines)
    rest = re.split(r"[.(!?]", _REASON.split(match["rest"].strip(" ,.;:-"))[0])[0].strip(" ,;:-–")
    listed = match["label"].isdigit() and match["stop"] in (".", ")") and len(rest.split()) > _WORDS_ADDED
    if (
        asked is None
        or listed
        or len(rest) > _LONGEST_ADDED
        or "?" in text
        or _TASK_OPTION.match(text)
        or _NOW.search(text)
    ):
        return None
    added = f"; {rest}" if len(rest.split()) > 1 else ""
    return finish(_put(asked, text) + added)


def _put(asked: str, text: str) -> str:
    """The option as an answer to its question."""
    handled = _HOW.match(asked)
    if handled:
        return f"{handled['what']} should be {handled['done']}: {text}"
    if len(asked.split()) == 1:
        return text
    wanted = _WANTED.match(asked)
    return f"{wanted['what']}: {text}" if wanted else f"{asked}: {text}" if asked else text


def _option(line: str) -> str:
    """An option's words: its name and, in short, what it says of itself."""
    cells = [_NOTE.sub("", cell).strip(" .:*") for cell in line.strip("| ").split("|")]
    text = ": ".join(cell for cell in cells[:2] if cell)
    text = re.split(r"(?<=[a-z)`])\. ", text)[0]
    text = text if len(text) <= _LONGEST_OPTION else text[:_LONGEST_OPTION].rsplit(" ", 1)[0]
    return text if text.count("`") % 2 == 0 else text.replace("`", "")


def _question(lines: list[str]) -> str | None:
    """The question that the options answer, without its sign; "" where the options say enough, None where it is about the task."""
    asked = [_NOTE.sub("", line) for line in lines if line.rstrip("*: ").endswith("?") and not _OPTION.match(line)]
    if not asked:
        return ""
    texts = [_LEAD.sub("", re.split(r"(?<=[.!])\s+", line)[-1].strip(" *")).rstrip("?*: ") for line in asked]
    able = [text for text in texts if not _OF_THE_TASK.search(text) and len(text) <= _LONGEST_ASKED]
    return max(able, key=lambda text: len(sense(text).words), default=None)
