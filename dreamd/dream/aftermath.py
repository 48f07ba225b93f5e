"""After a dream: the search index follows, finished transcripts are copied into the archive; neither can fail the dream."""

from __future__ import annotations

from dreamd.dream.archiving import archive
from dreamd.dream.indexing import index_memory, index_sessions
from dreamd.dream.progress import Progress
from dreamd.dream.workshop import Workshop

CONTRADICTIONS = "contradictions"  # the mark's name


def aftermath(shop: Workshop, watch: Progress) -> None:
    """Index and archive; what fails is logged and tried again after the next dream."""
    shop.withheld.keep()
    index_everything(shop, watch)
    archive(shop, watch)


def index_everything(shop: Workshop, watch: Progress) -> None:
    """The index brought up to date, with nothing copied."""
    count_contradictions(shop)
    index_memory(shop)
    index_sessions(shop, watch)


def count_contradictions(shop: Workshop) -> None:
    """How many lines of a person stand against newer evidence: noted for `status`, which never opens history."""
    count = sum(1 for entry in shop.history.head().entries if entry.beneath and entry.retired_at is None)
    shop.marks.set(CONTRADICTIONS, str(count) if count else None)
