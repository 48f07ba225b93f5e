"""Names, paths and code inside a sentence: what is no word of any language and whose dots end nothing."""

from __future__ import annotations

import re

_CODE = re.compile(
    r"`[^`]*`"
    r"|(?:\S*[/_\\@=<>{}\d]\S*|\S*[^\W\d_]{2}\.[^\W\d_]\S*)(?<![.,;:!?)\"'。！？；，、])"  # addresses, paths, versions, dotted names
    r"|(?<!\S)-{1,2}[a-zA-Z][\w-]*"  # options
    r"|\b[A-Z]{2,}s?\b|\b[A-Z]?[a-z]+[A-Z]\w*"  # acronyms, camelCase
)
#: What is written without spaces between words: a name ends where it begins.
_WIDE = "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uff60"
_DOTS = re.compile(r"[.!?]")
_NARROW = re.compile(rf"[^{_WIDE}]")


def without_code(text: str) -> str:
    """The sentence with a space in the place of every sign of its names, paths and code."""
    return _CODE.sub(lambda match: _NARROW.sub(" ", match[0]), text)


def without_dots(text: str) -> str:
    """The sentence with a letter in the place of the dots inside of its names, paths and code; as long as before."""
    return _CODE.sub(lambda match: _DOTS.sub("x", match[0]), text)


def inside_code(text: str, position: int) -> bool:
    """Whether a position lies between back-ticks."""
    return text.count("`", 0, position) % 2 == 1
