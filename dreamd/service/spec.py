"""What a service definition must say about this installation and its configuration, whatever starts it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dreamd.config import Loaded, expand, keys, load
from dreamd.sources import sources

_CACHES = (".cache", "Caches")  # where `pipx run` and `uvx` put what they throw away again


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """All that differs between two installations. Paths are absolute; a service expands no `~` and inherits no shell."""

    program: tuple[str, ...]  # this very dreamd
    config: Path | None  # None: the default file
    environment: tuple[tuple[str, str], ...]  # places that the person's shell moved; never a secret
    writable: tuple[Path, ...]
    makes: tuple[Path, ...]  # those of them that are made where they are missing
    transcripts: tuple[Path, ...]
    confined: bool  # everything but `writable` may be read-only for it
    home: Path
    state_dir: Path

    @property
    def command(self) -> tuple[str, ...]:
        """Program and arguments."""
        chosen = ("--config", str(self.config)) if self.config else ()
        return (*self.program, "run", *chosen)

    @property
    def key_file(self) -> Path:
        """Where systemd reads the service's environment from; 0600."""
        return self.home / ".config" / "dreamd" / "env"


def spec_of(loaded: Loaded, *, program: tuple[str, ...] | None = None) -> ServiceSpec:
    """The service of this installation on this configuration."""
    places, config, home = loaded.places, loaded.config, expand("~")
    state = (places.state_dir, places.default_state_dir)
    # A memory that was there once and is gone has vanished (an unmounted home): an empty one in its place would be a lie.
    fresh = () if places.history.exists() else (places.memory_root,)
    agent_command = config.engine.name == "claude" and config.engine.provider == "claude-code"
    return ServiceSpec(
        program=program or this_program(),
        config=None if places.config_file == _default_config(home) else places.config_file,
        environment=tuple(_moved(loaded, home)),
        # Real paths: systemd mounts over what is there, and a link that is put elsewhere later would lead out of it.
        writable=_real(*state, places.memory_root),
        makes=_real(*state, *fresh),
        transcripts=tuple(dict.fromkeys(one.root for one in sources(loaded))),
        # Deleting originals needs them writable and asks who has them open, which a user namespace hides;
        # the `claude` command writes all over its home.
        confined=config.transcripts.originals == "keep" and not agent_command,
        home=home,
        state_dir=places.state_dir,
    )


def this_program() -> tuple[str, ...]:
    """How this very dreamd is started: the script that runs now by its absolute path, else its interpreter."""
    name = sys.argv[0]
    if Path(name).name == "dreamd" and (found := shutil.which(name)):
        return (os.path.abspath(found),)  # noqa: PTH100 - a link as ~/.local/bin/dreamd outlives an upgrade; its target does not
    beside = Path(sys.executable).with_name("dreamd")
    return (str(beside),) if os.access(beside, os.X_OK) else (sys.executable, "-m", "dreamd")


def fleeting(program: tuple[str, ...], home: Path) -> bool:
    """Whether the program lies where things are thrown away: `uvx`, `pipx run`, a temporary directory."""
    path = Path(os.path.realpath(program[0]))
    caches = [home / one for one in _CACHES] + [home / "Library" / one for one in _CACHES]
    return any(path.is_relative_to(os.path.realpath(one)) for one in (*caches, Path(tempfile.gettempdir())))


def unseen_keys(loaded: Loaded) -> tuple[str, ...]:
    """Keys whose value comes from the shell's environment, which the service does not see."""
    file = loaded.places.config_file
    plain = load(file if loaded.file_exists else None, {}).config
    mine = loaded.config
    found = []
    for key, _ in keys():
        section, name = key.split(".", 1)
        here, there = getattr(mine, section), getattr(plain, section)
        if not isinstance(here, list) and getattr(here, name) != getattr(there, name):
            found.append(key)
    return tuple(found)


def _real(*paths: Path) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(Path(os.path.realpath(one)) for one in paths))


def _moved(loaded: Loaded, home: Path) -> list[tuple[str, str]]:
    """The places of this shell that are not where a service would look for them."""
    places, moved = loaded.places, []
    if places.claude_dir != home / ".claude":
        moved.append(("CLAUDE_CONFIG_DIR", str(places.claude_dir)))
    default = home / ".local" / "state" / "dreamd"
    if platform.system() != "Darwin" and places.default_state_dir != default:
        moved.append(("XDG_STATE_HOME", str(places.default_state_dir.parent)))
    return moved


def _default_config(home: Path) -> Path:
    if platform.system() == "Darwin":
        return home / "Library" / "Application Support" / "dreamd" / "config.toml"
    return home / ".config" / "dreamd" / "config.toml"
