"""The packs of a git repository: the past in few files, written whole before what they replace goes."""

from __future__ import annotations

import importlib.util
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.memory.journal import sync_folder

if TYPE_CHECKING:
    from dulwich.objects import ObjectID
    from dulwich.pack import Pack, UnpackedObject
    from dulwich.repo import Repo

_DELTA_WINDOW = 1  # versions of a file that each one is compared with; more made packs no smaller, only slow
_MOST_PACKED = 2_000  # objects that one pack takes: they are held in memory meanwhile
_MOST_PACKS = 10  # beside each other: some 500 dreams


def reached(repo: Repo, heads: Iterable[ObjectID]) -> dict[ObjectID, bytes]:
    """Every object that some commits lead to, with its file's name. Raises KeyError where a commit or a tree is missing."""
    from dulwich.objects import Commit, Tree  # noqa: PLC0415

    found: dict[ObjectID, bytes] = {}
    waiting = list(heads)
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found[one] = b""
        thing = repo.object_store[one]
        if isinstance(thing, Commit):
            waiting += [thing.tree, *thing.parents]
        elif isinstance(thing, Tree):
            for name, mode, inner in thing.iteritems():
                if stat.S_ISDIR(mode):
                    waiting.append(inner)
                else:
                    found[inner] = name
    return found


def write_pack(repo: Repo, names: Mapping[ObjectID, bytes]) -> None:
    """A pack of those that are in none yet, durable when this returns, its files only for their owner."""
    from dulwich.pack import pack_objects_to_data  # noqa: PLC0415

    store = repo.object_store
    folder = Path(repo.path) / "objects" / "pack"
    folder.mkdir(exist_ok=True)
    objects = [(store[one], name) for one, name in names.items() if not store.contains_packed(one)][:_MOST_PACKED]
    # Versions of one file differ by a line. Without its compiled part the library takes minutes to find that out.
    compiled = importlib.util.find_spec("dulwich._pack") is not None
    count, data = pack_objects_to_data(objects, deltify=compiled, delta_window_size=_DELTA_WINDOW)
    store.add_pack_data(count, data)
    _made_durable(folder)


def merge_packs(repo: Repo) -> None:
    """One pack out of more than `_MOST_PACKS`; each goes once the new one is whole on disk and holds all that it did.

    Objects are copied as they are packed, one after the other, so that a long history takes no more memory than a short one.
    Raises ValueError where the new one does not hold everything; the old ones stay then.
    """
    from dulwich.pack import Pack  # noqa: PLC0415 - heavy, few owners

    folder = Path(repo.path) / "objects" / "pack"
    files = sorted(folder.glob("*.pack"))
    if len(files) <= _MOST_PACKS:
        return
    packs = [Pack(str(file.with_suffix("")), object_format=repo.object_format) for file in files]
    try:
        names = {one for pack in packs for one in pack}
        made = repo.object_store.add_pack_data(len(names), _copied(packs))
        if made is None or names - set(made):
            raise ValueError("a pack of all packs does not hold all of them")
        kept = Path(made.data.filename)
    finally:
        for pack in packs:
            pack.close()
    _made_durable(folder)
    for file in files:
        if file.name != kept.name:
            file.with_suffix(".idx").unlink()  # first: without it the pack is nobody's, and taken away by `recover`
            file.unlink()
    sync_folder(folder)


def _copied(packs: Iterable[Pack]) -> Iterator[UnpackedObject]:
    """Every object of some packs once, as it is told there: as a difference, where it is one, that names its base."""
    seen: set[ObjectID] = set()
    for pack in packs:
        new = [one for one in pack if one not in seen]
        seen.update(new)
        yield from pack.iter_unpacked_subset(new, convert_ofs_delta=True)


def _made_durable(folder: Path) -> None:
    """Also for their owner alone: the library makes packs readable for all."""
    for file in folder.iterdir():
        file.chmod(0o400)
    sync_folder(folder)
