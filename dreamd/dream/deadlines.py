"""When agents delete their own transcripts: a file's last change and its agent's term."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from dreamd.dream.books import Books
from dreamd.state.records import SessionRecord
from dreamd.transcripts.retention import retention

#: A session that its agent deletes within this time is copied although it has not been quiet for `archive_after`.
LAST_CALL = dt.timedelta(days=2)
#: What a person is told about: so soon, undreamt and without a copy.
WARNING = dt.timedelta(days=3)
NEVER = dt.datetime.max.replace(tzinfo=dt.UTC)


def deadlines(shop: Books, sessions: Iterable[SessionRecord]) -> Mapping[int, dt.datetime]:
    """By session row: the day its agent deletes it; `NEVER` where the agent keeps everything or the file is gone already."""
    wanted = tuple(sessions)
    touched = shop.copies.touched({one.row for one in wanted})

    @cache
    def term(agent: str, root: str) -> dt.timedelta | None:
        return retention(agent, Path(root))

    found = {}
    for one in wanted:
        days, changed = term(one.agent, one.root), touched.get(one.row)
        found[one.row] = NEVER if days is None or changed is None else _after(changed, days)
    return found


def expiring(shop: Books) -> int:
    """How many sessions with unread turns and no copy their agent deletes within `WARNING`."""
    count = 0
    for agent, root in shop.copies.sources():
        term = retention(agent, Path(root))
        if term is not None:
            count += shop.copies.expiring(agent, root, shop.clock.now() + WARNING - term)
    return count


def _after(moment: dt.datetime, term: dt.timedelta) -> dt.datetime:
    try:
        return moment + term
    except OverflowError:
        return NEVER
