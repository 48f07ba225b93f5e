"""Whose making the rest of a topic file is: headings, front matter and comments around the entries."""

from __future__ import annotations

from dreamd.memory.document import BlockKind, Document
from dreamd.memory.front import front_values, value_digest
from dreamd.memory.plan import Made


def is_own_making(doc: Document, path: str, made: Made) -> bool:
    """Whether everything but the entries of a file that dreamd made is dreamd's: it may go when the entries do."""
    titles = {title for file, title in made.headings if file == path}
    values = front_values(doc.front).items()
    return all(
        block.kind in {BlockKind.ENTRY, BlockKind.FRONT, BlockKind.BLANK}
        or (block.kind is BlockKind.HEADING and block.text in titles)
        for block in doc.blocks
    ) and all(key == "modified" or (path, key, value_digest(value)) in made.values for key, value in values)
