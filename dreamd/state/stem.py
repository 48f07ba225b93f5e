"""What a project, subject or person is called as a file: a name as a file name's stem."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile(r"[^\w.\-]+")
_STEM_BYTES = 80


def slug(name: str) -> str:
    """A name as a file name's stem: letters and digits of any script, "-", "_" and ".", at most 80 bytes; never empty."""
    text = _UNSAFE.sub("-", unicodedata.normalize("NFC", name)).strip("-.")
    while len(text.encode()) > _STEM_BYTES:
        text = text[:-1]
    return text.rstrip("-.") or "project"
