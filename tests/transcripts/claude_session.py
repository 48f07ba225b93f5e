"""Reading whole transcripts in tests."""

from pathlib import Path

from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import PERSON_ORIGINS, Cursor, Event, FileStamp, Reading, Role, SessionFile


def session_file(path: Path) -> SessionFile:
    """The file as discovery would give it."""
    status = path.stat()
    return SessionFile(
        "claude-code", path.stem, str(path), "main", FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
    )


def scan(path: Path, cursor: Cursor | None = None, *, settled: bool = True) -> Reading:
    """One counting pass."""
    return ClaudeCode().scan(session_file(path), cursor or Cursor(), settled=settled)


def read(path: Path) -> list[Event]:
    """All events."""
    return list(ClaudeCode().read(path))


def human(events: list[Event]) -> list[Event]:
    """A person's turns."""
    return [event for event in events if event.role is Role.HUMAN and event.origin in PERSON_ORIGINS]


def words(path: Path) -> list[str]:
    """What the person said, checked against the count."""
    events = human(read(path))
    assert {turn.id for turn in scan(path).turns} == {event.id for event in events}
    return [event.text for event in events]
