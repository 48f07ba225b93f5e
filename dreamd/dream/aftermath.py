"""After a dream: the index follows, finished transcripts are copied, history is packed; none of it can fail the dream."""

from __future__ import annotations

from dreamd.dream.archiving import archive
from dreamd.dream.indexing import index_memory, index_sessions
from dreamd.dream.progress import Progress
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError
from dreamd.log import logger
from dreamd.state.marks import Mark


def aftermath(shop: Workshop, watch: Progress) -> None:
    """Index, archive, pack; what fails is logged and tried again after the next dream."""
    shop.withheld.keep()
    index_everything(shop, watch)
    archive(shop, watch)
    pack_history(shop)


def index_everything(shop: Workshop, watch: Progress) -> None:
    """The index brought up to date, with nothing copied."""
    count_contradictions(shop)
    index_memory(shop)
    index_sessions(shop, watch)


def pack_history(shop: Workshop) -> None:
    """The past in few files; the plans that runs of any outcome still show stay readable. Only under the dream lock."""
    try:
        held = {run.commit for run in shop.runs.list() if run.commit}
        packed, pruned = shop.history.tidy(held, shop.clock.now())
    except (DreamdError, OSError) as fault:
        logger().warning("history.unpacked", fault=type(fault).__name__)
        return
    if packed or pruned:
        logger().info("history.packed", objects=packed, pruned=pruned)


def count_contradictions(shop: Workshop) -> None:
    """How many lines of a person stand against newer evidence: noted for `status`, which never opens history."""
    count = sum(1 for entry in shop.history.head().entries if entry.beneath and entry.retired_at is None)
    shop.marks.set(Mark.CONTRADICTIONS, str(count) if count else None)
