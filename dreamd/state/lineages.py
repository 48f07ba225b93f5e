"""Which sessions are one conversation: forks of a compacted session begin at the compaction, not at its first line."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from dreamd.state.chunks import chunks
from dreamd.state.dialect import insert
from dreamd.state.schema import boundaries, sessions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from dreamd.state.sighting import Sighting


def join(connection: Connection, learnt: Sequence[tuple[Sighting, int]]) -> None:
    """Gives forks of compacted sessions the lineage of what they were forked from, whichever of the two was seen first."""
    read = [(one, row) for one, row in learnt if one.reading is not None]
    if not read:
        return
    query = select(sessions.c.id, sessions.c.lineage).where(sessions.c.id.in_({row for _, row in read}))
    stood: dict[int, str] = dict(connection.execute(query).all())
    passed: defaultdict[str, dict[str, str]] = defaultdict(dict)  # agent → boundary → the lineage it was passed in
    begun: defaultdict[str, set[str]] = defaultdict(set)
    for one, row in read:
        begun[one.file.agent].add(stood[row])
        for uuid in one.reading.boundaries if one.reading else ():
            if uuid != stood[row]:
                passed[one.file.agent].setdefault(uuid, stood[row])
    for agent, lineages in begun.items():
        _note(connection, agent, passed[agent])
        _rename(connection, agent, _elders(connection, agent, lineages | set(passed[agent])))


def _note(connection: Connection, agent: str, passed: dict[str, str]) -> None:
    for piece in chunks(passed):
        connection.execute(
            insert(connection, boundaries).on_conflict_do_nothing(),
            [{"agent": agent, "uuid": uuid, "lineage": passed[uuid]} for uuid in piece],
        )


def _elders(connection: Connection, agent: str, names: Iterable[str]) -> dict[str, str]:
    """Of these lineages those that begin at a known compaction, each with the lineage that came to be compacted there.

    A fork of a fork is followed to the first of them.
    """
    found: dict[str, str] = {}
    wanted = set(names)
    while wanted:
        before = set(found)
        for piece in chunks(sorted(wanted)):
            query = select(boundaries.c.uuid, boundaries.c.lineage).where(
                boundaries.c.agent == agent, boundaries.c.uuid.in_(piece)
            )
            found.update(connection.execute(query).all())
        wanted = {found[name] for name in found.keys() - before} - found.keys()
    return {name: _first(found, name) for name in found}


def _first(elders: dict[str, str], name: str) -> str:
    seen = {name}
    while name in elders and elders[name] not in seen:
        name = elders[name]
        seen.add(name)
    return name


def _rename(connection: Connection, agent: str, elders: dict[str, str]) -> None:
    """Sessions that bear a fork's lineage get the elder's; there is no index for it, so all of an elder's at once."""
    younger: defaultdict[str, list[str]] = defaultdict(list)
    for name, elder in elders.items():
        if name != elder:
            younger[elder].append(name)
    if not younger:
        return
    names = [name for group in younger.values() for name in group]
    for piece in chunks(names):
        query = select(sessions.c.id, sessions.c.lineage).where(
            sessions.c.agent == agent, sessions.c.lineage.in_(piece)
        )
        for row, lineage in connection.execute(query).all():
            connection.execute(update(sessions).where(sessions.c.id == row).values(lineage=elders[lineage]))
