"""An archived session put back where its agent finds it: its files, or its rows in the agent's database."""

from __future__ import annotations

from pathlib import Path

from dreamd.archive.store import Stored
from dreamd.dream.kept import folders_now
from dreamd.dream.workshop import Workshop
from dreamd.state.records import SessionRecord
from dreamd.transcripts.adapter import ManySessions


def restore(shop: Workshop, session: SessionRecord, stored: Stored, *, overwrite: bool) -> tuple[Path, ...]:
    """The places that were written, the main transcript's first; see `Archive.restore` and `ManySessions.carry_in`.

    Rows go back into the database they came from. Raises TranscriptError.
    """
    adapter = shop.adapters.get(session.agent)
    if isinstance(adapter, ManySessions):
        with shop.archive.unpacked(stored, "", beside=True) as main:
            if adapter.is_shared(main):
                adapter.carry_in(main, session.id, Path(session.path), overwrite=overwrite)
                return (Path(session.path),)
    folders = folders_now(shop, session)
    return shop.archive.restore(stored, Path(session.root), overwrite=overwrite, folders=folders)
