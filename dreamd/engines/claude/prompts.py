"""The prompts: package data in named sections, the same to the byte for every call, known by their fingerprint."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from itertools import pairwise

from dreamd.context.prompt import Section, SystemPrompt

_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
_LONG_ENOUGH = 20  # letters and digits of a line that can be known again
_LETTERS = re.compile(r"[\W_]+")


@cache
def prompt(name: str) -> SystemPrompt:
    """The prompt of a pass: "extract" or "reconcile". Nothing of it depends on the call; what does stands in the message."""
    text = files(__package__).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    starts = [*(found.start() for found in _HEADING.finditer(text)), len(text)]
    parts = [text[start:end].strip() for start, end in pairwise(starts)]
    return SystemPrompt(tuple(Section(part.partition("\n")[0].removeprefix("# "), part) for part in parts))


def repeats_prompt(text: str) -> bool:
    """Whether a sentence is one of our own instructions or examples, given back as if somebody had said it."""
    bare = letters(text)
    return len(bare) >= _LONG_ENOUGH and any(bare in known for known in _letters())


@cache
def _letters() -> tuple[str, ...]:
    return tuple(letters(prompt(name).static_text) for name in ("extract", "reconcile"))


def letters(text: str) -> str:
    """Letters and digits alone, small: what remains when quotation marks, spaces and stops are written otherwise."""
    return _LETTERS.sub("", text.casefold())
