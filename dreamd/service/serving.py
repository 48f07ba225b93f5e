"""How the service begins and ends: its database made or mended, one instance at a time, then the daemon."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dreamd.app import App
from dreamd.clock import SystemClock
from dreamd.config import Loaded
from dreamd.rebuild import rebuild
from dreamd.replacement import recover as recover_import
from dreamd.service.daemon import Daemon
from dreamd.service.notify import Systemd
from dreamd.standing.beacon import instance_lock
from dreamd.state.condition import REBUILT, database_condition
from dreamd.state.database import Database


def prepare(loaded: Loaded) -> None:
    """Makes or migrates the database, then begins anew without what only that needed (10 MB for months).

    A damaged one is left to `serve`, which may rebuild it under the lock.
    """
    recover_import(loaded.places, SystemClock())
    if database_condition(loaded.places, thorough=False) in REBUILT:
        return
    Database.open(loaded.places.database).close()
    if "alembic" in sys.modules:
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - ourselves, as we were called


def serve(loaded: Loaded, config: Path | None, systemd: Systemd) -> int:
    """The service under its instance lock. Raises LockHeld where another one runs."""
    with instance_lock(loaded.places.state_dir):
        if database_condition(loaded.places) in REBUILT:
            rebuild(loaded, SystemClock())
        app = App(loaded)
        daemon = Daemon(app, config, systemd)
        try:
            return daemon.run()
        finally:
            daemon.app.close()
