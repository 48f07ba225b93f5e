"""Fills the bench: looks at files, kernel, service manager and database, and changes nothing but one probe file."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import re
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from dreamd.app import App, opened
from dreamd.archive.store import Stored
from dreamd.briefing.import_line import import_line
from dreamd.clock import Clock
from dreamd.config import Loaded, environment, expand, found_sources
from dreamd.doctor.bench import Bench, Key, Past, Right, Root
from dreamd.dream.deadlines import expiring
from dreamd.dream.erasing import REPLACED
from dreamd.dream.lock import lock_path
from dreamd.dream.outlook import facts
from dreamd.errors import DreamdError
from dreamd.integrations.claude_code.connection import connection
from dreamd.memory.document import count_lines
from dreamd.memory.history import History
from dreamd.memory.tree import INDEX, Tree
from dreamd.processes import started
from dreamd.search.file import IndexFile
from dreamd.service import installing
from dreamd.service.limits import directories, limits
from dreamd.service.spec import ServiceSpec, spec_of
from dreamd.settings import Config
from dreamd.sources import Source, sources
from dreamd.standing.beacon import living
from dreamd.state.condition import DatabaseCondition, database_condition
from dreamd.state.marks import Mark
from dreamd.state.run_record import Outcome
from dreamd.transcripts import foreign
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.retention import retention

_SAMPLE = 3  # archived copies
_BACKUP_OLD = dt.timedelta(days=30)
#: By what a provider's credentials are known: variables, and files in the home directory.
_CLOUD = {
    "bedrock": (
        re.compile(
            r"^\s*(?:export\s+)?AWS_(?:ACCESS_KEY_ID|PROFILE|BEARER_TOKEN_BEDROCK|WEB_IDENTITY_TOKEN_FILE)=\S",
            re.MULTILINE,
        ),
        (".aws/credentials", ".aws/config"),
    ),
    "vertex": (
        re.compile(r"^\s*(?:export\s+)?GOOGLE_APPLICATION_CREDENTIALS=\S", re.MULTILINE),
        (".config/gcloud/application_default_credentials.json",),
    ),
}
_KEY = re.compile(r"^\s*(?:export\s+)?ANTHROPIC_API_KEY=\S", re.MULTILINE)


def observe(loaded: Loaded, clock: Clock) -> Bench:
    """Everything a check wants to know. Raises nothing for what is wrong: that is what is looked for."""
    places, config = loaded.places, loaded.config
    spec = spec_of(loaded)
    service = installing.look(spec)
    info = living(places.state_dir)
    pid = info.owner.pid if info else None
    database = database_condition(places)
    history_fault, head = _history(places.history)
    imports = places.claude_dir / "CLAUDE.md"
    return Bench(
        now=clock.now(),
        python=sys.version_info[:2],
        sqlite=sqlite3.sqlite_version_info,
        config_file=places.config_file,
        config_exists=loaded.file_exists,
        rights=tuple(_rights(loaded, spec)),
        missing=() if places.state_dir.is_dir() else (places.state_dir,),
        memory_root=places.memory_root,
        memory_fault=_memory_fault(places.memory_root),
        over=_over(places.memory_root, config),
        roots=tuple(_root(one) for one in sources(loaded) if not one.to_come),
        unread=_unread(loaded),
        unsupported=foreign.counted(expand("~"), environment()),
        max_watches=limits().watches,
        min_interval=config.gates.min_interval,
        min_sessions=config.gates.min_sessions,
        scheduled=config.schedule.enabled,
        engine=config.engine.name,
        key=_key(config, spec, service.pid),
        service=service,
        living=pid,
        unreached=tuple(_unreached(pid or service.pid, spec)),
        free=tuple((one, shutil.disk_usage(_there(one)).free) for one in (places.state_dir, places.memory_root)),
        database=database,
        index=IndexFile(places.search).condition(),
        history_fault=history_fault,
        history_head=head,
        past=_past(loaded, clock) if database is DatabaseCondition.GOOD else None,
        backups=tuple(_backups(places.state_dir, clock.now() - _BACKUP_OLD)),
        left_lock=_left(lock_path(places.default_state_dir, places.memory_root)),
        import_line=import_line(places.memory_root),
        import_file=imports if places.claude_dir.is_dir() else None,
        connection=connection(loaded),
    )


def _backups(folder: Path, before: dt.datetime) -> Iterator[Path]:
    """Exports of what imports replaced, older than this."""
    for path in sorted(folder.glob(REPLACED)):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < before.timestamp():
                yield path


def _rights(loaded: Loaded, spec: ServiceSpec) -> Iterator[Right]:
    """What others may look into of what is ours alone; the archive and history by their directories."""
    places = loaded.places
    directories = [places.state_dir, places.history, places.archive]
    files = [places.database, places.search, places.log, places.config_file, spec.key_file]
    for paths, wanted in ((directories, 0o700), (files, 0o600)):
        for path in paths:
            with contextlib.suppress(OSError):
                mode = stat.S_IMODE(path.stat().st_mode)
                if mode & 0o077:
                    yield Right(path, mode, wanted)


def _memory_fault(root: Path) -> str:
    """Whether a sibling can be made and removed there, by doing it; in the nearest directory above a missing root."""
    place = _there(root)
    probe = place / f".dreamd-probe-{os.getpid()}"
    try:
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        probe.unlink()
    except OSError as fault:
        return fault.strerror or type(fault).__name__
    return ""


def _over(root: Path, config: Config) -> tuple[str, ...]:
    caps = config.memory
    try:
        tree = Tree.read(root, config.guards.protect)
    except (DreamdError, OSError):
        return ()
    over = []
    for path, file in tree.files.items():
        most = caps.max_lines if path == INDEX else caps.topic_max_lines
        if count_lines(file.text) > most or (path == INDEX and len(file.data) > caps.max_bytes):
            over.append(path)
    return tuple(over)


def _root(source: Source) -> Root:
    exists = source.root.is_dir()
    adapter = ADAPTERS.get(source.agent)
    return Root(
        agent=source.agent,
        path=source.root,
        exists=exists,
        readable=exists and os.access(source.root, os.R_OK | os.X_OK),
        directories=_directories(source.root, nested=adapter is None or adapter.nested) if exists else 0,
        retention=retention(source.agent, source.root),
    )


def _directories(root: Path, *, nested: bool) -> int:
    """How many are watched."""
    return directories(str(root)) if nested else 1


def _unread(loaded: Loaded) -> tuple[str, ...]:
    named = {one.agent for one in sources(loaded)}
    return tuple(dict.fromkeys(agent for agent, _ in found_sources() if agent not in named))


def _key(config: Config, spec: ServiceSpec, pid: int | None) -> Key:
    """Where the service would find a key: the file that is named, its own environment now, its environment file."""
    engine = config.engine
    if engine.name == "offline" or engine.provider == "claude-code":
        return Key(needed=False)
    if engine.api_key_file:
        path = expand(engine.api_key_file)
        there = os.access(path, os.R_OK) and path.stat().st_size > 0
        return Key(
            needed=True, where=str(path) if there else "", open_to_others=there and bool(path.stat().st_mode & 0o077)
        )
    if engine.provider != "anthropic":
        return _cloud_key(engine.provider, spec, pid)
    if pid is not None and _has_key(_environment(pid)):
        return Key(needed=True, where=f"the environment of the service (pid {pid})")
    if _has_key(_bytes(spec.key_file)):
        shut = not spec.key_file.stat().st_mode & 0o077
        return Key(needed=True, where=str(spec.key_file), open_to_others=not shut)
    return Key(needed=not engine.base_url)


def _cloud_key(provider: str, spec: ServiceSpec, pid: int | None) -> Key:
    """Where the service would find a cloud's credentials: its environment, its environment file, the provider's own files."""
    pattern, files = _CLOUD[provider]
    if pid is not None and pattern.search(_environment(pid).decode("utf-8", "replace")):
        return Key(needed=True, where=f"the environment of the service (pid {pid})")
    if pattern.search(_bytes(spec.key_file).decode("utf-8", "replace")):
        shut = not spec.key_file.stat().st_mode & 0o077
        return Key(needed=True, where=str(spec.key_file), open_to_others=not shut)
    found = next((path for one in files if (path := spec.home / one).is_file()), None)
    return Key(needed=True, where=str(found or ""), told_by_machine=True)


def _environment(pid: int) -> bytes:
    return _bytes(Path(f"/proc/{pid}/environ")).replace(b"\0", b"\n")


def _unreached(pid: int | None, spec: ServiceSpec) -> Iterator[Path]:
    """Places that exist and that a confined service cannot write: systemd's view was made when it started."""
    if pid is None:
        return
    for path in spec.writable:
        seen = Path(f"/proc/{pid}/root{path}")
        with contextlib.suppress(OSError):
            if path.is_dir() and seen.is_dir() and os.access(path, os.W_OK) and not os.access(seen, os.W_OK):
                yield path


def _history(path: Path) -> tuple[str, str]:
    """(fault, head): the head's files are read too, so that a missing object shows."""
    try:
        return "", History(path).head().commit
    except (DreamdError, OSError, ValueError) as fault:
        return f"history.git cannot be read ({fault})", ""


def _past(loaded: Loaded, clock: Clock) -> Past | None:
    try:
        with opened(loaded, clock=clock) as app:
            known, newest = facts(app.shop), app.shop.runs.newest(outcomes=(Outcome.COMMITTED,))
            sampled, damaged = _sample(app)
            return Past(
                last_success_at=known.last_success_at,
                last_attempt_at=known.last_attempt_at,
                failures=known.consecutive_failures,
                last_error=app.shop.marks.text(Mark.LAST_ERROR),
                pending=known.pending,
                expiring=expiring(app.shop),
                head=_expected_head(app, newest.commit if newest else None),
                sampled=sampled,
                damaged=damaged,
                rebuilt_at=app.shop.marks.time(Mark.REBUILT_AT),
            )
    except DreamdError:
        return None


def _expected_head(app: App, commit: str | None) -> str:
    """Where history should end: anywhere behind the last dream's commit, for hand edits are commits of their own."""
    if commit is None:
        return ""
    known = any(entry.commit == commit for entry in app.shop.history.log())
    return app.shop.history.head_id() if known else commit


def _sample(app: App) -> tuple[int, tuple[str, ...]]:
    """The oldest, the newest and one between of the archived copies, read through."""
    kept = [one for one in app.sessions() if one.archive_path and one.archive_digest]
    chosen = {kept[at].row: kept[at] for at in (0, len(kept) // 2, -1)} if kept else {}
    damaged = []
    for one in list(chosen.values())[:_SAMPLE]:
        try:
            app.shop.archive.members(Stored(one.archive_path or "", one.archive_digest or "", bytes=0, compressed=0))
        except (DreamdError, OSError):
            damaged.append(one.id)
    return len(chosen), tuple(damaged)


def _left(path: Path) -> int | None:
    """The pid that a dead dream left in the lock file."""
    first = _bytes(path).split(b"\n", 1)[0].strip()
    if not first.isdigit() or len(first) > 9:  # noqa: PLR2004 - longer is no pid
        return None
    return None if started(int(first)) else int(first)


def _there(path: Path) -> Path:
    """The path, or the nearest directory above it that exists."""
    return next((one for one in (path, *path.parents) if one.is_dir()), Path("/"))


def _has_key(content: bytes) -> bool:
    return _KEY.search(content.decode("utf-8", "replace")) is not None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
