"""Paths of transcripts: by which names a directory goes, which name can be stored, which file is really gone."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from dreamd.state.sighting import FileKey


def both_names(paths: Iterable[Path]) -> tuple[str, ...]:
    """Directories as they were named and as they really are: agents write down the one or the other."""
    names = (name for path in paths for name in (str(path.absolute()), str(path.resolve())))
    return tuple(dict.fromkeys(unicodedata.normalize("NFC", name) for name in names))


def storable(path: str) -> bool:
    """False for a name that is no text; it would have to be stored as one."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def vanished(missing: Iterable[FileKey], roots: tuple[str, ...], seen: set[str]) -> Iterator[FileKey]:
    """Those below a scanned root that are really gone, not just out of sight behind an unreadable directory."""
    for path, session in missing:
        if not path.startswith(roots):
            continue
        if path in seen:
            yield path, session  # the file is there, the session is not in it any more
            continue
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            yield path, session
        except OSError:
            continue
