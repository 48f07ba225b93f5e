"""The pages of the documentation as values: sections, tables, code words, links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from dreamd import config as configuration
from dreamd.settings import Config

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "benchmarks" / "README.md")

CODE = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return [body for found, body in _FENCE.findall(text) if found == language]


def without_blocks(text: str) -> str:
    return _FENCE.sub("", text)


def section(name: str, heading: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    _, *parts = re.split(rf"^#{{1,6}} {re.escape(heading)}$", text_of(name), flags=re.MULTILINE)
    assert len(parts) == 1, f"{name} has {len(parts)} headings {heading!r}"
    return HEADING.split(parts[0])[0]


def rows(name: str, heading: str) -> list[list[str]]:
    """The cells of the section's table, without its head."""
    lines = [line for line in section(name, heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def codes(name: str, heading: str) -> set[str]:
    """The code words in the table's first column."""
    return {code for row in rows(name, heading) for code in CODE.findall(row[0])}


def slug(heading: str) -> str:
    """A heading's anchor, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def config_tables() -> str:
    """The tables of docs/configuration.md, made of the settings."""
    parts = []
    for name, field in Config.model_fields.items():
        table = get_args(field.annotation)
        model = table[0] if table else field.annotation
        head = f"[[{name}]]" if table else f"[{name}]"
        lines = [f"### {head}", "", str(model.__doc__), "", "| key | default | meaning |", "|---|---|---|"]
        for key, item in model.model_fields.items():
            meaning = str(item.description).replace("|", "\\|")
            lines.append(f"| `{name}.{key}` | `{configuration.toml_value(item.default)}` | {meaning} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
