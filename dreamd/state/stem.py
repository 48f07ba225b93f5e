"""What a project, subject or person is called as a file: a name as a file name's stem."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile(r"[^\w.\-]+|\.{2,}")
_STEM_BYTES = 80


def slug(name: str) -> str:
    """A name as a file name's stem: letters and digits of any script, "-", "_" and ".", at most 80 bytes; never empty.

    A memory file of this stem is always one that may be made (memory/tree.py, `managed_path`).
    """
    text = _UNSAFE.sub("-", unicodedata.normalize("NFC", name)).strip("-._").removesuffix(".md")
    while len(text.encode()) > _STEM_BYTES:
        text = text[:-1]
    return text.strip("-._") or "project"
