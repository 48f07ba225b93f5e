"""What somebody asked for in one sentence, and how a text falls into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 160  # characters
_ENOUGH, _ENOUGH_DENSE = 12, 5  # characters of a sentence that says something by itself; fewer without spaces
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_PROMPTS = 5  # that are looked at
_MARKER = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•·–]\s+|\(?\d{1,3}[.)]\s+|>\s?|\[[ xX]\]\s+)+")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_END = re.compile(r"(?<=[。！？])|(?<=[.!?])(?=\s)")
_READ_AT_MOST = 4_000  # characters of a text


def asked(prompts: Iterable[str]) -> str:
    """The first sentence of the first prompts that says something ("Hi." does not), else the first; "" where there are no words."""
    first = ""
    for _, text in zip(range(_PROMPTS), prompts, strict=False):
        for sentence in sentences(text):
            if len(sentence) >= _ENOUGH or (_DENSE.search(sentence) and len(sentence) >= _ENOUGH_DENSE):
                return cut(sentence)
            first = first or sentence
    return cut(first)


def sentences(text: str) -> list[str]:
    """The sentences of a text's beginning that hold words, without code, list marks and emphasis."""
    plain = _FENCE.sub(" ", text[:_READ_AT_MOST])
    found = []
    for line in plain.split("\n"):
        bare = _EMPHASIS.sub(r"\2", _MARKER.sub("", line))
        found += [" ".join(piece.split()) for piece in _END.split(bare)]
    return [one for one in found if any(map(str.isalnum, one))]


def cut(sentence: str) -> str:
    """A sentence of at most 160 characters, cut at a word."""
    if len(sentence) <= LONGEST:
        return sentence
    words = sentence[: LONGEST - 1].rpartition(" ")[0]
    return (words if len(words) > LONGEST // 2 else sentence[: LONGEST - 1]).rstrip(" ,;:") + "…"
