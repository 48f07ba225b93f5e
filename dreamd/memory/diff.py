"""What a dream changed, as a unified diff with the reason of each change."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

from dreamd.memory.document import entry_key, parse
from dreamd.memory.history import Snapshot
from dreamd.memory.plan import Plan

_WORDS = 60  # characters of an entry that a comment shows
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class DiffStat:
    """Changed files, and lines added and removed in them."""

    files: int
    added: int
    removed: int

    def text(self) -> str:
        """As in "3 files, +12 −2"; "" for no change."""
        if not self.files:
            return ""
        return f"{self.files} file{'' if self.files == 1 else 's'}, +{self.added} −{self.removed}"


def diff(before: Snapshot, after: Snapshot) -> str:
    """A unified diff of the memory files; `git apply` and `patch` read it.

    Above each file stands a comment line for every change in it, in the order of its lines:
    `# line 12: supersede (newer_value), 1 finding: <first words>`; removed ones by their old line. The reasons are
    those of the later snapshot's plan.
    """
    reasons = _reasons(after.plan)
    parts: list[str] = []
    for path in _changed(before, after):
        old, new = _lines(before, path), _lines(after, path)
        parts.extend(_comments(old, new, reasons))
        source = f"a/{path}" if path in before.files else "/dev/null"
        target = f"b/{path}" if path in after.files else "/dev/null"
        whole = unified_diff(old, new, source, target)
        parts.extend(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in whole)
    return "".join(parts)


def diff_stat(before: Snapshot, after: Snapshot) -> DiffStat:
    """How much a dream changed, in lines."""
    added = removed = 0
    changed = _changed(before, after)
    for path in changed:
        matcher = SequenceMatcher(None, _lines(before, path), _lines(after, path), autojunk=False)
        for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
            if tag != "equal":
                removed += old_to - old_from
                added += new_to - new_from
    return DiffStat(len(changed), added, removed)


def _changed(before: Snapshot, after: Snapshot) -> list[str]:
    return [path for path in sorted({*before.files, *after.files}) if before.files.get(path) != after.files.get(path)]


def _lines(snapshot: Snapshot, path: str) -> list[str]:
    return _LINE.findall(snapshot.files.get(path, b"").decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class _Why:
    change: str  # its id
    text: str


def _reasons(plan: Plan | None) -> dict[str, list[_Why]]:
    """What is to be said of an entry, by its key."""
    reasons: dict[str, list[_Why]] = defaultdict(list)
    for change in plan.changes if plan else ():
        count = len(change.findings)
        cited = f", {count} finding{'s' if count > 1 else ''}" if count else ""
        for text in {change.old, change.new} - {None}:
            reasons[entry_key(text or "")].append(_Why(change.id, f"{change.kind} ({change.reason}){cited}"))
    for carry in plan.carries if plan else ():
        reasons[carry.key].append(_Why("", f"carried from {carry.file} to {carry.to_file} ({carry.reason})"))
    return reasons


def _comments(old: list[str], new: list[str], reasons: dict[str, list[_Why]]) -> Iterator[str]:
    """Why each entry that comes or goes does so; of a rewording the new words are told."""
    before, after = (parse("".join(lines)).entries for lines in (old, new))
    coming = Counter(block.key for block in after) - Counter(block.key for block in before)
    going = Counter(block.key for block in before) - Counter(block.key for block in after)
    told = set()
    for blocks, fresh, where in ((after, coming, "line"), (before, going, "old line")):
        for block in blocks:
            why = reasons.get(block.key, [])[:1]
            if not fresh[block.key] or not why or (why[0].change and why[0].change in told):
                continue
            told.add(why[0].change)
            yield f"# {where} {block.line}: {why[0].text}: {' '.join(block.text.split())[:_WORDS]}\n"
