"""Finished transcripts kept: a verified copy of each before its agent deletes it; the agent's own file stays."""

from __future__ import annotations

from pathlib import Path

from dreamd.dream.progress import Progress, Step
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError
from dreamd.log import logger
from dreamd.state.records import SessionRecord


def archive(shop: Workshop, watch: Progress) -> None:
    """A verified copy of every session that is finished and unused for `archive_after`; the agent's own file stays."""
    after = shop.config.transcripts.archive_after
    if after is None:
        return
    ready = shop.sessions.archivable(shop.clock.now() - after)
    for done, session in enumerate(ready):
        watch(Step("archive", done, len(ready)))
        try:
            stored = shop.archive.store(session.agent, session.id, _files(session), Path(session.root))
        except (DreamdError, OSError) as fault:
            logger().warning("session.unarchived", session=session.id, fault=type(fault).__name__)
            continue
        shop.sessions.archived(session.row, path=stored.path, digest=stored.digest, now=shop.clock.now())
        logger().debug("session.archived", session=session.id, bytes=stored.bytes, compressed=stored.compressed)


def _files(session: SessionRecord) -> list[Path]:
    """The main transcript, then the directory that bears its name: sub-agents and tool results."""
    main = Path(session.path)
    return [main, main.with_suffix("")]
