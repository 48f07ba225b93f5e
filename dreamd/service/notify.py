"""What the service tells those who started it: systemd by its socket, a person by the command they chose."""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import subprocess
from collections.abc import Callable

_WAIT = 30  # seconds that a notification may take


class Systemd:
    """sd_notify(3) and the watchdog's rhythm; silent where systemd did not start us."""

    def __init__(self, address: str, watchdog_usec: str, watchdog_pid: str) -> None:
        """The values of NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID; empty where they are not set."""
        self._address = "\0" + address[1:] if address.startswith("@") else address
        meant = not watchdog_pid or watchdog_pid == str(os.getpid())
        #: Seconds between two signs of life that keep the watchdog content; 0 where it does not watch.
        self.rhythm = int(watchdog_usec) / 2_000_000 if watchdog_usec.isdigit() and meant else 0.0

    def tell(self, *lines: str) -> None:
        """One datagram: "READY=1", "STATUS=…", "WATCHDOG=1", "RELOADING=1", "STOPPING=1"."""
        if not self._address:
            return
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender,
        ):
            sender.sendto("\n".join(lines).encode(), self._address)


def tell_person(command: str, reason: str, failed: Callable[[str], None]) -> None:
    """Runs `[notify] command` with the reason as its last argument and in DREAMD_REASON; never raises."""
    try:
        words = [*shlex.split(command), reason]
        done = subprocess.run(  # noqa: S603 - the person's own command, from their own configuration
            words,
            env=os.environ | {"DREAMD_REASON": reason},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_WAIT,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as fault:
        failed(type(fault).__name__)
    else:
        if done.returncode:
            failed(f"exit {done.returncode}")
