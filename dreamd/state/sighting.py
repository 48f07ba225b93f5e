"""One reading of one transcript file, as a scan hands it to the state."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.transcripts.event import Cursor, Reading, SessionFile
from dreamd.transcripts.project import ProjectRef

#: A file as discovery names it: its path and the native id of its session (one database file may hold many sessions).
FileKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One reading of one file, or (`reading` None) the mere sight of a file that must not be read."""

    file: SessionFile
    root: str
    before: Cursor  # where the reading began; the zero cursor for a file not known yet
    reading: Reading | None
    settled: bool = False
    cwd: str | None = None  # learnt without a reading
    project: ProjectRef | None = None

    @property
    def key(self) -> FileKey:
        """Path and native id."""
        return self.file.path, self.file.session_id

    @property
    def session(self) -> tuple[str, str]:
        """Agent and native id."""
        return self.file.agent, self.file.session_id
