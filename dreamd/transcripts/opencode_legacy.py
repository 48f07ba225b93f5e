"""OpenCode's sessions from before its database: a small JSON file for each session, message and part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dreamd.transcripts import fingerprint
from dreamd.transcripts.event import FileStamp
from dreamd.transcripts.opencode_store import DENIED, Body, StoredMessage, StoredSession, body_of, milliseconds

#: What lies beside a session's messages and is named after it.
_ASIDE = ("session_diff", "todo")


def session_files(root: Path) -> Iterator[Path]:
    """Every session's own file below `root`: `storage/session/<project>/<session>.json`."""
    yield from sorted(root.glob("storage/session/*/*.json"))


def stamp_of(path: Path) -> FileStamp:
    """Changes with every message and every part that is added, which the session's own file does not. Raises OSError."""
    own = fingerprint.stamp(path.stat())
    storage = _storage(path)
    messages = storage / "message" / path.stem
    names = _names(messages)
    places = [messages, storage / "part" / names[-1].removesuffix(".json")] if names else []
    return FileStamp(own.size + len(names), max([own.mtime_ns, *map(_changed, places)]), own.inode)


def belongings(path: Path) -> tuple[Path, ...]:
    """The files of a session's messages and parts, and what else is named after it."""
    storage = _storage(path)
    messages = storage / "message" / path.stem
    parts = [storage / "part" / name.removesuffix(".json") for name in _names(messages)]
    return (messages, *parts, *(storage / folder / path.name for folder in _ASIDE))


def session_at(changed: str) -> str | None:
    """The session's own file, where one of its files changed: its own, a message's or a part's; None for any other file."""
    path = Path(changed)
    match path.parts[-4:]:
        case (*_, "session", _, _) if path.suffix == ".json":
            return changed
        case (*_, "message", session, _):
            return _own_file(path.parent.parent.parent, session)
        case (*_, "part", message, _):
            storage = path.parent.parent.parent
            owner = next(storage.glob(f"message/*/{message}.json"), None)
            return _own_file(storage, owner.parent.name) if owner else None
        case _:
            return None


def session_of(path: Path) -> StoredSession | None:
    """A session out of `storage/session/<project>/<session>.json` and the files of its messages; None where it cannot be read."""
    head, size = _file(path)
    if head is None:
        return None
    storage = path.parent.parent.parent
    session_id = head.id or path.stem
    messages, bad = [], 0
    for file in sorted((storage / "message" / session_id).glob("*.json")):
        body, length = _file(file)
        size += length
        if body is None:
            bad += 1
            continue
        parts = []
        for part_file in sorted((storage / "part" / (body.id or file.stem)).glob("*.json")):
            part, length = _file(part_file)
            size += length
            bad += part is None
            if part is not None:
                parts.append(part)
        created = milliseconds(body.time.created if body.time else None)
        messages.append(StoredMessage(body.id or file.stem, created, body, tuple(parts)))
    messages.sort(key=lambda one: (one.created, one.id))
    revert = body_of(bytes(memoryview(head.revert)).decode("utf-8", "replace"))
    return StoredSession(
        id=session_id,
        parent=head.parent_id,
        directory=head.directory,
        title=head.title,
        version=head.version,
        updated=milliseconds(head.time.updated if head.time else None),
        reverted=revert.message_id if revert else None,
        scripted=DENIED.encode() in bytes(memoryview(head.permission)),
        messages=tuple(messages),
        bytes=size,
        bad=bad,
    )


def _storage(path: Path) -> Path:
    return path.parent.parent.parent


def _own_file(storage: Path, session: str) -> str | None:
    found = next(storage.glob(f"session/*/{session}.json"), None)
    return str(found) if found else None


def _names(directory: Path) -> list[str]:
    """A directory's JSON files in the order of their names, which is that of their making."""
    try:
        return sorted(name for name in os.listdir(directory) if name.endswith(".json"))  # noqa: PTH208 - names are all that is needed
    except OSError:
        return []


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _file(path: Path) -> tuple[Body | None, int]:
    try:
        data = path.read_bytes()
    except OSError:
        return None, 0
    return body_of(data.decode("utf-8", "replace")), len(data)
