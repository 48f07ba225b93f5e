"""The system prompt: static sections first, the same to the byte for every call, then what belongs to this one."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from dreamd.context.tokens import estimate

Ttl = Literal["5m", "1h"]

#: What is not the same tomorrow, elsewhere or in the next run. Placeholders such as `projects/<project>.md` are no paths.
_CHANGING = {
    "date": re.compile(
        r"\b(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}\b|\b(?:19|20)\d\d年|"
        r"\b\d{1,2}\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? (?:19|20)\d\d\b|"
        r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2},? (?:19|20)\d\d\b"
    ),
    "time": re.compile(r"\b[012]?\d:[0-5]\d(?::[0-5]\d)?\b"),
    "path": re.compile(
        r"(?<![\w<>.~])(?:~|/(?:home|Users|root|var|tmp|opt|srv|mnt|private|etc|usr))/[\w.-]+(?:/[\w.-]+)*|\b[A-Z]:\\\w+"
    ),
    "id": re.compile(
        r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|"
        r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b",
        re.IGNORECASE,
    ),
    "digits": re.compile(r"(?<![\d,.])\d{5,}(?![\d,])"),
}


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of a system prompt."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """Sections before and behind the boundary. All before it is equal to the byte for every call of a pass and model."""

    static: tuple[Section, ...]  # who the model is, its task, safety
    dynamic: tuple[Section, ...] = ()  # memory, the recent past, the task at hand

    def blocks(self, ttl: Ttl = "5m") -> list[dict[str, object]]:
        """The Messages API's `system`: a text block a section, `cache_control` on the last static one. Empty sections are left out."""
        control = {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": ttl}
        static = [_block(section) for section in _filled(self.static)]
        if static:
            static[-1] = static[-1] | {"cache_control": control}
        return [*static, *(_block(section) for section in _filled(self.dynamic))]

    @property
    def static_text(self) -> str:
        """Everything before the boundary as one text, for servers without blocks and for estimates."""
        return "\n\n".join(section.text for section in _filled(self.static))

    @property
    def text(self) -> str:
        """The whole prompt as one text."""
        return "\n\n".join(section.text for section in _filled((*self.static, *self.dynamic)))

    @property
    def static_digest(self) -> str:
        """Fingerprint of everything before the boundary, as it is sent: 16 hex digits."""
        sent = json.dumps([section.text for section in _filled(self.static)], ensure_ascii=False)
        return hashlib.sha256(sent.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def static_tokens(self) -> int:
        """About how many tokens stand before the boundary: below the model's minimum (1,024 to 4,096) nothing is cached."""
        return estimate(self.static_text)

    def tokens(self, estimated: Callable[[str], int] = estimate) -> int:
        """About how many tokens the whole prompt takes."""
        return estimated(self.text)


@dataclass(frozen=True, slots=True)
class Unstable:
    """Something before the boundary that will not be the same tomorrow or elsewhere."""

    section: str
    kind: str  # date | time | path | id | digits | name
    text: str


def unstable(prompt: SystemPrompt, names: Iterable[str] = ()) -> tuple[Unstable, ...]:
    """Dates, times, paths, ids, long digit runs and the given names (home, project, user) before the boundary."""
    patterns = dict(_CHANGING)
    words = sorted({re.escape(name) for name in names if name}, key=len, reverse=True)
    if words:
        patterns["name"] = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
    return tuple(
        Unstable(section.name, kind, found.group())
        for section in _filled(prompt.static)
        for kind, pattern in patterns.items()
        for found in pattern.finditer(section.text)
    )


def assert_stable(first: SystemPrompt, *others: SystemPrompt, names: Iterable[str] = ()) -> None:
    """Raises AssertionError that names every unstable place, or the first section in which the prompts differ.

    `others` are the same prompt built on another day, for another project, by another process.
    """
    found = [f"{one.section}: {one.kind} {one.text!r}" for one in unstable(first, names)]
    for other in others:
        pairs = zip_longest(_filled(first.static), _filled(other.static))
        differing = next((a or b for a, b in pairs if a is None or b is None or a.text != b.text), None)
        if differing is not None:
            found.append(f"{differing.name}: not the same in every prompt")
    if found:
        raise AssertionError("before the boundary nothing may change: " + "; ".join(dict.fromkeys(found)))


def _filled(sections: tuple[Section, ...]) -> list[Section]:
    return [section for section in sections if section.text.strip()]


def _block(section: Section) -> dict[str, object]:
    return {"type": "text", "text": section.text}
