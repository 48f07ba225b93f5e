"""The system's notices of changes: one channel, opened once, with any number of watched directories."""

from __future__ import annotations

import errno
import logging
import sys
import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventEmitter, ObservedWatch

if sys.platform == "linux":
    from dreamd.service.inotify import LinuxObserver

_END_WITHIN = 2.0  # seconds


@dataclass(frozen=True, slots=True, eq=False)
class Notice:
    """A directory that is watched for somebody; two for the same directory are two."""

    watch: ObservedWatch
    handler: FileSystemEventHandler


class Notices:
    """Opened where it is made. Raises OSError (EMFILE: no more inotify instances) and RuntimeError (no more threads).

    `lost` is called from its threads when events were lost. For one thread's use otherwise.
    """

    def __init__(self, lost: Callable[[], None]) -> None:
        _silence()
        self._observer: BaseObserver
        self._refused: set[tuple[str, bool]]
        if sys.platform == "linux":
            linux = LinuxObserver(lost)
            self._observer, self._refused, self._sound = linux, linux.instance.refused, linux.is_sound
        else:
            self._observer, self._refused = Observer(), set()
            self._sound = self._observer.is_alive
        self._held: defaultdict[ObservedWatch, list[Notice]] = defaultdict(list)  # equal watches share one thread
        try:
            self._observer.start()
        except RuntimeError:
            self._observer.stop()
            raise

    def is_sound(self) -> bool:
        """False once nothing more will come of it."""
        return self._sound()

    def watch(
        self, path: str, handler: FileSystemEventHandler, kinds: Sequence[type[FileSystemEvent]], *, recursive: bool
    ) -> Notice:
        """Watches a directory (a real path: links are not followed), the tree below it too if `recursive`.

        Raises OSError: ENOSPC where the watch limit does not suffice for the *whole* tree; nothing is watched then.
        """
        watch = self._observer.schedule(handler, path, recursive=recursive, event_filter=list(kinds))
        notice = Notice(watch, handler)
        self._held[watch].append(notice)
        if self.is_short(notice):
            self.unwatch(notice)
            raise OSError(errno.ENOSPC, "inotify watch limit reached")
        return notice

    def unwatch(self, notice: Notice) -> None:
        """Ends it; what another one needs is kept, unless it is dead."""
        sharers = self._held.get(notice.watch, [])
        if notice not in sharers:
            return
        emitter = self._emitter(notice.watch)
        if len(sharers) > 1 and emitter is not None and _is_running(emitter):
            sharers.remove(notice)
            self._observer.remove_handler_for_watch(notice.handler, notice.watch)
            return
        del self._held[notice.watch]
        self._observer.unschedule(notice.watch)
        self._refused.discard(_key(notice.watch))

    def is_live(self, notice: Notice) -> bool:
        """False once it was ended or its directory was deleted (watchdog's observer goes on as if nothing were)."""
        emitter = self._emitter(notice.watch)
        return notice in self._held.get(notice.watch, ()) and emitter is not None and _is_running(emitter)

    def is_short(self, notice: Notice) -> bool:
        """True once a directory of its tree could not be watched for the watch limit."""
        return _key(notice.watch) in self._refused

    def close(self) -> None:
        """Ends everything; returns after 2 s at most, since a thread may hang in a file system that does not answer."""
        ending = threading.Thread(target=self._end, name="notices-end", daemon=True)
        ending.start()
        ending.join(_END_WITHIN)

    def _end(self) -> None:
        self._observer.stop()
        self._observer.join()

    def _emitter(self, watch: ObservedWatch) -> EventEmitter | None:
        return next((one for one in self._observer.emitters if one.watch == watch), None)


def _is_running(emitter: EventEmitter) -> bool:
    return emitter.should_keep_running() and emitter.is_alive()


def _key(watch: ObservedWatch) -> tuple[str, bool]:
    return watch.path, watch.is_recursive


def _silence() -> None:
    """Watchdog logs every event at debug level and its own stopping as an error; what matters is told by states instead."""
    logging.getLogger("watchdog").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
