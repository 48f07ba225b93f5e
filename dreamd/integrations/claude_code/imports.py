"""The import line in the person's CLAUDE.md: put at the end, taken away again."""

from __future__ import annotations

from collections.abc import Callable

from dreamd.integrations.claude_code.json_text import Edit


def with_line(text: str, line: str, works: Callable[[str], bool]) -> tuple[Edit, ...]:
    """The edit that puts the line at the end; at the beginning where the end lies in code, which imports nothing."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lead = newline if text and not text.endswith("\n") else ""
    edit = Edit(len(text), "", f"{lead}{line}{newline}")
    if works(edit.apply(text)):
        return (edit,)
    return (Edit(1 if text.startswith("\ufeff") else 0, "", f"{line}{newline}"),)


def without_line(text: str, line: str) -> tuple[Edit, ...]:
    """The edits that take away each line that is the import and nothing else."""
    edits: list[Edit] = []
    at = 0
    for one in text.splitlines(keepends=True):
        if one.strip() == line:
            edits.append(Edit(at, one, ""))
        else:
            at += len(one)
    return tuple(edits)
