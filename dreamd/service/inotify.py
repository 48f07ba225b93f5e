"""watchdog's inotify for Linux, made to tell what it keeps to itself: refused watches, lost events, its own faults."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable

from watchdog.observers.api import BaseObserver
from watchdog.observers.inotify import InotifyEmitter, InotifyWatchGroup
from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchCallback,
    WatchDescriptor,
)

_JOIN = 1.0  # seconds


class Instance(InotifyFD):
    """One inotify instance. Raises OSError (EMFILE) where there may be no more."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__()
        self._tell = lost
        self.refused: set[tuple[str, bool]] = set()  # (root, recursive) of trees with a directory over the watch limit
        self.broken = False

    def add_callback(self, path: bytes, mask: Mask, callback: WatchCallback, id_: CallbackId) -> WatchDescriptor:
        """As watchdog's; remembers refusals, which it drops for all directories but the root, so that trees are watched in part."""
        try:
            found = super().add_callback(path, Mask(mask | InotifyConstants.IN_MASK_ADD), callback, id_)
        except OSError as error:
            if error.errno == errno.ENOSPC and isinstance(callback, InotifyWatchGroup):
                self.refused.add((os.fsdecode(callback.path), callback.is_recursive))
            raise
        if found < 0:  # EACCES, which watchdog takes for a watch
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return found

    def _add_callback(self, path: bytes, mask: Mask, callback: WatchCallback, id_: CallbackId) -> WatchDescriptor:
        # watchdog watches each new nested directory twice and warns about it with a text that lists every watch: megabytes of
        # warnings, or a dead thread where warnings are errors. To set the same callback again is what it wants, and harmless.
        watch = self._get_or_create_watch(path, mask)
        watch.callbacks[id_] = callback
        return watch.wd

    def handle_event(self, event: InotifyEvent) -> None:
        """As watchdog's; an overflow is told once the watches are whole again, and a fault does not end the thread in silence."""
        try:
            super().handle_event(event)
        except Exception:  # noqa: BLE001 - whatever it is, the watches are not to be trusted any more: they are made again
            self.broken = True
            self._tell()
        if event.is_queue_overflow:
            self._tell()


class LinuxObserver(BaseObserver):
    """An observer with an inotify instance of its own. Raises OSError (EMFILE) where there may be no more."""

    def __init__(self, lost: Callable[[], None]) -> None:
        self.instance = Instance(lost)
        super().__init__(InotifyEmitter, inotify_fd=self.instance)
        self.instance.start()

    def is_sound(self) -> bool:
        """False once a thread has ended or a fault was met."""
        return self.is_alive() and self.instance.is_alive() and not self.instance.broken

    def on_thread_stop(self) -> None:
        """Gives back the instance with the watches."""
        super().on_thread_stop()
        self.instance.stop()
        with contextlib.suppress(RuntimeError):
            self.instance.join(_JOIN)
