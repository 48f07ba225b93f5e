"""Which entries rest on words that must not leave this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dreamd.dream.workshop import Workshop
from dreamd.memory.plan import EntryRecord


def private_records(shop: Workshop, records: Sequence[EntryRecord]) -> Callable[[EntryRecord], bool]:
    """Tells of an entry whether a session of a project with `engine = "offline"` is behind it.

    Unknown means yes: where such a project exists, an entry whose evidence is not known any more (a lost database) is not sent.
    """
    if shop.engine is shop.local or not any(rule.engine == "offline" for rule in shop.config.projects):
        return lambda _: False
    cited = {finding for record in records for finding in record.findings}
    sessions = {one.id: one.session for one in shop.findings.get(cited)}
    known = {one.row: one for one in shop.sessions.by_rows(set(sessions.values()))}
    open_to_all = {finding for finding, row in sessions.items() if row in known and not shop.private(known[row])}
    return lambda record: not set(record.findings) <= open_to_all
