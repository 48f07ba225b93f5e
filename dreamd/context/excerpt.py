"""A long text made short: its beginning and its end, with a mark that says how much is gone."""

from __future__ import annotations

from collections.abc import Callable

_HEAD = 2 / 3  # of what stays; an error usually stands last, so the end keeps a third
_SNAP = 200  # characters within which a cut looks for the end of a line


def excerpt(text: str, longest: int) -> str:
    """At most `longest` characters: head and tail around "[… N characters left out …]". A text that fits stays as it is."""
    if len(text) <= longest:
        return text
    room = longest - len(_mark(len(text)))
    if room <= 0:
        return text[: max(0, longest)]
    head = _snapped(text, int(room * _HEAD))
    tail = text[len(text) - (room - head) :] if room > head else ""
    line = tail.find("\n", 0, _SNAP)
    if 0 <= line < len(tail) // 2:
        tail = tail[line + 1 :]
    return text[:head].rstrip("\n") + _mark(len(text) - head - len(tail)) + tail


def excerpt_to(text: str, tokens: int, estimate: Callable[[str], int]) -> str:
    """As `excerpt`, at most so many tokens by `estimate`."""
    whole = estimate(text)
    length = len(text)
    short = text
    while whole > tokens and length > 0:
        length = min(length - 1, int(length * tokens / whole))
        short = excerpt(text, length)
        whole = estimate(short)
    return short if whole <= tokens else ""


def _mark(characters: int) -> str:
    return f"\n[… {characters:,} characters left out …]\n"


def _snapped(text: str, head: int) -> int:
    line = text.rfind("\n", max(0, head - _SNAP), head)
    return line if line > head // 2 else head
