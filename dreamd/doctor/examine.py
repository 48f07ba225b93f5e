"""The doctor's visit: observe, judge, and mend what can be mended without asking."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from dreamd.clock import Clock
from dreamd.config import Loaded
from dreamd.doctor.bench import Bench
from dreamd.doctor.check import Check
from dreamd.doctor.checks import GROUND
from dreamd.doctor.observe import observe
from dreamd.doctor.work import WORK
from dreamd.errors import LockHeld
from dreamd.rebuild import rebuild
from dreamd.replacement import recover as recover_import
from dreamd.standing.beacon import living
from dreamd.state.condition import REBUILT


@dataclass(frozen=True, slots=True)
class Visit:
    """What was found, after what was mended."""

    checks: tuple[Check, ...]
    mended: tuple[str, ...] = ()


def examine(loaded: Loaded, clock: Clock, *, fix: bool = False) -> Visit:
    """Looks at everything; with `fix` mends first. Raises LockHeld where a rebuild would pull the ground from a service or dream."""
    recover_import(loaded.places, clock)
    bench = observe(loaded, clock)
    mended = _mend(bench, loaded, clock) if fix else ()
    if mended:
        bench = observe(loaded, clock)
    return Visit(judge(bench), mended)


def judge(bench: Bench) -> tuple[Check, ...]:
    """Every check in its order."""
    return tuple(check(bench) for check in (*GROUND, *WORK))


def _mend(bench: Bench, loaded: Loaded, clock: Clock) -> tuple[str, ...]:
    done = []
    for right in bench.rights:
        with contextlib.suppress(OSError):  # what cannot be mended is still found by the second look
            right.path.chmod(right.wanted)
            done.append(f"took others' rights from {right.path}")
    if bench.database in REBUILT:
        if living(loaded.places.state_dir) is not None:
            raise LockHeld(
                "the service runs on this database", hint="stop it (systemctl --user stop dreamd), then try again"
            )
        made = rebuild(loaded, clock)
        if made.aside is not None:
            done.append(f"set the damaged database aside: {made.aside}")
        done.append(
            f"rebuilt the database: {made.sessions} sessions, {made.runs} dreams from history, "
            f"{made.consolidated} sessions known to be dreamt of"
        )
        done.append("not rebuilt, for it stood there alone: what had been found and not used yet; it is read again")
    return tuple(done)
