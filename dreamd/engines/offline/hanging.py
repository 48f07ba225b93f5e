"""Lines that need words which they do not hold: what they speak of was named before them."""

from __future__ import annotations

from dreamd.engines.offline.cues import rx

_HANGING = rx(
    r"^(?:the (?:two|three|number|second|first|other|same|rest|former|latter|revised|new one|old one|above)\b|it|this|that|these|those|they|them|he|she|there|here|one|so|which)\b(?! (?:repo|project))|\b(?:use|do|keep|make|call|put|move|set|prefer|drop|remove|rename|avoid|need|want|like|wants|likes|prefers|mention|with|about|for|of|to|in|on|at|from|by) (?:it|them|this|these|those)\b(?! (?:repo|project|way))"
)
#: An aside alone, a possessive or a verb that lacks the thing it speaks of: "call ours max_concurrency", "rename to publish.yml".
_LACKING = rx(
    r"^(?:do not|don'?t|never|stop) [a-z]+(?: any ?more| again)\.$|^\(|\b(?:call|rename|name|make|keep|set) (?:ours|theirs|mine|yours)\b|\b(?:should|let'?s|to|will|please|^) ?rename to\b"
)
_OPEN_END = rx(
    r"\b(?:our own|my own|their own|(?:the|these|those) (?:other|others|ones|rest|same|latter|former)|such|ours|theirs|mine|to (?:resolve|fix|solve)|of|with|for|to|and|or|than|as|when|if|by)\.$"
)
_NAMED_BEFORE = rx(
    r"[,;:] |^(?:when|if|whenever|before|after|every|each|all|the|our) |\b(?:before|after|without|when|until|because|since|so|to)\b.*$"
)


def hangs(text: str) -> bool:
    """Whether a line needs words that it does not hold: it begins with a pronoun, or its object is one."""
    if _OPEN_END.search(text) or _LACKING.search(text):
        return True
    match = _HANGING.search(text)
    return match is not None and (match.start() == 0 or not _NAMED_BEFORE.search(text[: match.start()]))
