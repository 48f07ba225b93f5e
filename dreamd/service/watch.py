"""Watches the agents' transcript directories, whatever becomes of them; its word is a hint, the scan decides."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, assert_never

from dreamd.service.events import ARRIVALS, CHANGES, ArrivalEvents, TranscriptEvents
from dreamd.service.limits import directories, limits
from dreamd.service.mounts import is_silent
from dreamd.service.notices import Notice, Notices
from dreamd.transcripts.agents import ADAPTERS

_PATIENCE: Final = 10  # rounds of `supervise` until a limit is tried again though nothing seems to have changed


class WatchMode(StrEnum):
    """How changes of a root come to be known."""

    EVENTS = "events"  # at once, and by the regular scan
    POLLING = "polling"  # by the regular scan only


class WatchProblem(StrEnum):
    """Why a root is not watched."""

    MISSING = "missing"  # there is no such directory (yet, or any more); its nearest parent is watched for it
    WATCH_LIMIT = "watch_limit"  # it has more directories than fs.inotify.max_user_watches leaves
    INSTANCE_LIMIT = "instance_limit"  # fs.inotify.max_user_instances (or the open files) are used up
    NO_EVENTS = "no_events"  # on a network or shared file system, or the system's notices cannot be had
    UNREADABLE = "unreadable"  # its rights forbid it


#: What to do about it, where something can be done; the directories are looked at by the clock meanwhile.
REMEDIES: Final = {
    WatchProblem.WATCH_LIMIT: "raise fs.inotify.max_user_watches (`dreamd doctor` has the line); polling until then",
    WatchProblem.INSTANCE_LIMIT: "raise fs.inotify.max_user_instances; polling until then",
    WatchProblem.UNREADABLE: "make the directory readable for you",
}


@dataclass(frozen=True, slots=True)
class Watched:
    """How one root is watched: EVENTS exactly where there is no problem."""

    agent: str
    root: str
    mode: WatchMode
    problem: WatchProblem | None


@dataclass(frozen=True, slots=True)
class _Place:
    """A directory as it is now: made again, mounted over or reached by another link it is another."""

    real: str
    device: int
    inode: int


@dataclass(slots=True)
class _Post:
    """One root and what is done for it."""

    agent: str
    root: Path
    problem: WatchProblem | None = WatchProblem.NO_EVENTS
    place: _Place | None = None  # what is watched or was tried: the root, or while it is missing the nearest parent
    notice: Notice | None = None
    needed: int = 0  # directories when last tried
    limit: int | None = None  # watches allowed when last tried
    rounds: int = 0  # since last tried


class Watcher:
    """Watches roots, each (agent, directory); a root may be missing, a link, deleted and made again.

    `hint(path)`: this transcript may have changed; the path is below the root as it was given. `lost()`: only a full scan tells
    (a new directory, events dropped, transcripts gone, a root that came). Both are called from other threads, often, and must only
    put into a queue. Opening and reading never calls either, nor does a change below `own` or below a project's `memory/`.

    A root that is a link is watched where it leads. Links to directories *below* a root are not: what discovery finds through them
    is seen by the regular scan. So is everything in roots whose mode is POLLING; they hold no watch at all, for a tree watched in
    part would use up what other programs need.

    `start`, `follow`, `supervise`, `state` and `stop` are for one thread.
    """

    def __init__(
        self,
        roots: Sequence[tuple[str, Path]],
        hint: Callable[[str], None],
        lost: Callable[[], None],
        *,
        own: Iterable[Path] = (),
    ) -> None:
        self._posts = [_Post(agent, root.absolute()) for agent, root in roots]
        self._hint = hint
        self._lost = lost
        self._own = tuple(os.path.realpath(path) for path in own)
        self._notices: Notices | None = None
        self._stopped = False

    def start(self) -> None:
        """Watches what can be watched; never raises. Asks for one full scan, for what happened before."""
        self._attend_all()
        self._lost()

    def follow(self, roots: Sequence[tuple[str, Path]]) -> None:
        """Watches these roots from now on, or rather from the next `supervise` on; those watched already are watched on."""
        posts = {(post.agent, post.root): post for post in self._posts}
        wanted = [(agent, root.absolute()) for agent, root in roots]
        for left in posts.keys() - set(wanted):
            self._let_go(posts[left])
        self._posts = [posts.get(one) or _Post(*one) for one in wanted]

    def supervise(self) -> None:
        """Makes the watches fit what is there now; never raises. Cheap where nothing changed: two system calls a root.

        For the regular tick, and after `lost`: then a root that appeared is watched at once.
        """
        if self._attend_all():
            self._lost()

    def state(self) -> tuple[Watched, ...]:
        """How each root is watched, in the order they were given."""
        return tuple(
            Watched(post.agent, str(post.root), WatchMode.POLLING if post.problem else WatchMode.EVENTS, post.problem)
            for post in self._posts
        )

    def stop(self) -> None:
        """Ends all threads, within 2 s; further calls do nothing."""
        self._stopped = True
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def _attend_all(self) -> bool:
        """True where events may have been missed."""
        if self._stopped:
            return False
        self._open()
        missed = [self._attend(post) for post in self._posts]
        return any(missed)

    def _open(self) -> None:
        if self._notices is not None and not self._notices.is_sound():
            self._notices.close()
            self._notices = None
            for post in self._posts:
                post.place = post.notice = None
        if self._notices is None:
            try:
                self._notices = Notices(self._lost)
            except (OSError, RuntimeError):
                return  # each root says so

    def _attend(self, post: _Post) -> bool:
        try:
            place = _place(post.root)
        except OSError:
            self._let_go(post)
            post.place, post.problem = None, WatchProblem.UNREADABLE
            return False
        if place is None:
            self._await(post)
            return False
        known = post.place == place
        if known and (self._is_watched(post) or not self._is_worth_trying(post)):
            post.rounds += 1
            return False
        self._let_go(post)
        before, post.place, post.rounds = post.problem, place, 0
        post.problem = self._watch(post, place)
        return not known or post.problem is None or post.problem is not before

    def _is_watched(self, post: _Post) -> bool:
        return (
            post.notice is not None
            and self._notices is not None
            and self._notices.is_live(post.notice)
            and not self._notices.is_short(post.notice)
        )

    def _is_worth_trying(self, post: _Post) -> bool:
        match post.problem:
            case None | WatchProblem.MISSING | WatchProblem.UNREADABLE | WatchProblem.INSTANCE_LIMIT:
                return True
            case WatchProblem.NO_EVENTS:
                return post.rounds >= _PATIENCE
            case WatchProblem.WATCH_LIMIT:
                if post.rounds >= _PATIENCE or limits().watches != post.limit:
                    return True
                return post.place is not None and directories(post.place.real) < post.needed
            case _:
                assert_never(post.problem)

    def _watch(self, post: _Post, place: _Place) -> WatchProblem | None:
        if is_silent(place.real):
            return WatchProblem.NO_EVENTS
        if not os.access(place.real, os.R_OK | os.X_OK):
            return WatchProblem.UNREADABLE
        if self._notices is None:
            return WatchProblem.INSTANCE_LIMIT
        post.limit = limits().watches
        nested = ADAPTERS[post.agent].nested
        post.needed = (directories(place.real) if nested else 1) if post.limit is not None else 0
        if post.limit is not None and post.needed > post.limit:
            return WatchProblem.WATCH_LIMIT
        return self._hear(self._notices, post, place)

    def _hear(self, notices: Notices, post: _Post, place: _Place) -> WatchProblem | None:
        adapter = ADAPTERS[post.agent]
        handler = TranscriptEvents(place.real, str(post.root), self._own, adapter.transcript_at, self._hint, self._lost)
        try:
            post.notice = notices.watch(place.real, handler, CHANGES, recursive=adapter.nested)
        except OSError as error:
            return _PROBLEMS.get(error.errno or 0, WatchProblem.NO_EVENTS)
        except Exception:  # noqa: BLE001 - macOS raises SystemError; whatever it is, scans go on
            return WatchProblem.NO_EVENTS
        return None

    def _await(self, post: _Post) -> None:
        """Watches the nearest directory above a missing root, that one only."""
        awaited = os.path.realpath(post.root)
        parent = _nearest(awaited)
        if post.problem is WatchProblem.MISSING and post.place == parent and self._is_watched(post):
            return
        self._let_go(post)
        post.problem, post.place = WatchProblem.MISSING, parent
        if parent is None or self._notices is None:
            return
        try:
            handler = ArrivalEvents(awaited, self._lost)
            post.notice = self._notices.watch(parent.real, handler, ARRIVALS, recursive=False)
        except Exception:  # noqa: BLE001 - then the next round notices the root
            return

    def _let_go(self, post: _Post) -> None:
        notice, post.notice = post.notice, None
        if notice is None or self._notices is None:
            return
        try:
            self._notices.unwatch(notice)
        except Exception:  # noqa: BLE001 - watchdog's books are in disorder: all of it is made anew, root by root
            self._notices.close()
            self._notices = None
            self._open()


_PROBLEMS: Final = {
    errno.ENOSPC: WatchProblem.WATCH_LIMIT,
    errno.EMFILE: WatchProblem.INSTANCE_LIMIT,
    errno.ENFILE: WatchProblem.INSTANCE_LIMIT,
    errno.EACCES: WatchProblem.UNREADABLE,
    errno.EPERM: WatchProblem.UNREADABLE,
    errno.ENOENT: WatchProblem.MISSING,
    errno.ENOTDIR: WatchProblem.MISSING,
}


def _place(path: Path | str) -> _Place | None:
    """The directory that a path leads to; None where there is none. Raises OSError where one may not look."""
    real = os.path.realpath(path)
    try:
        found = os.stat(real)  # noqa: PTH116 - a real path is a string here
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise
    return _Place(real, found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _nearest(path: str) -> _Place | None:
    """The nearest directory above; None where one may not look."""
    try:
        while (parent := os.path.dirname(path)) != path:  # noqa: PTH120 - as above
            if (place := _place(parent)) is not None:
                return place
            path = parent
    except OSError:
        return None
    return None
