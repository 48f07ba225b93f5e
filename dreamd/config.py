"""Where dreamd's configuration comes from: the file, the environment, the places; every problem is found at once."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

import platformdirs
from pydantic import BaseModel, ValidationError

from dreamd.drives import mounted
from dreamd.errors import ConfigError
from dreamd.settings import Config, Section

#: Keys that are accepted and some of whose values have no feature behind them yet: key → the values that work today.
_WORKING: Mapping[str, tuple[object, ...]] = {
    "gather.executor": ("threads",),
}

_ARCHIVED = "archived_sessions"  # where Codex moves what a person archives
_ENVIRONMENT_KEY = re.compile(r"DREAMD_([A-Z]+)__([A-Z0-9_]+)")


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie on this machine for this user; nothing of it needs to exist."""

    config_file: Path
    state_dir: Path
    default_state_dir: Path  # the dream lock lies here whatever `[state] dir` says
    memory_root: Path
    claude_dir: Path  # CLAUDE_CONFIG_DIR or ~/.claude

    @property
    def database(self) -> Path:
        """The state database."""
        return self.state_dir / "state.db"

    @property
    def search(self) -> Path:
        """The throw-away search index."""
        return self.state_dir / "search.db"

    @property
    def log(self) -> Path:
        """The structured log, JSON lines."""
        return self.state_dir / "dreamd.log"

    @property
    def history(self) -> Path:
        """The bare git repository with one commit a dream."""
        return self.state_dir / "history.git"

    @property
    def archive(self) -> Path:
        """Compressed copies of finished sessions."""
        return self.state_dir / "archive"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A valid configuration with the places it names."""

    config: Config
    places: Places
    file_exists: bool


def expand(path: str) -> Path:
    """`~` expanded, made absolute, links left as they are; a Windows path by its name under WSL."""
    return Path(os.path.abspath(os.path.expanduser(mounted(path))))  # noqa: PTH100, PTH111 - resolve() would follow links


def config_file(chosen: Path | None, environ: Mapping[str, str]) -> Path:
    """`--config`, else DREAMD_CONFIG, else the user's configuration directory."""
    if chosen is not None:
        return expand(str(chosen))
    if named := environ.get("DREAMD_CONFIG"):
        return expand(named)
    return platformdirs.user_config_path("dreamd") / "config.toml"


def load(chosen: Path | None = None, environ: Mapping[str, str] | None = None) -> Loaded:
    """Reads and validates everything. Raises ConfigError (exit 3) that holds all problems at once.

    A missing default file means defaults; a missing file that was asked for is a problem.
    """
    environ = os.environ if environ is None else environ
    file = config_file(chosen, environ)
    exists = file.is_file()
    problems: list[str] = []
    raw: dict[str, Any] = {}
    if exists:
        raw, fault = _read(file)
        problems += [f"{file}: {fault}"] if fault else []
    elif chosen is not None or environ.get("DREAMD_CONFIG"):
        problems.append(f"{file}: there is no such file; `dreamd init --config FILE` writes one")
    problems += _merge_environment(raw, environ)
    problems += _not_yet(file, raw, environ)
    config = Config()
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        problems += [
            _explain(file, problem, environ) for problem in error.errors(include_url=False, include_context=False)
        ]
    else:
        problems += _contradictions(file, config)
    if problems:
        raise ConfigError(
            f"the configuration has {len(problems)} problem{'s' if len(problems) > 1 else ''}",
            hint="`dreamd config example` prints every key with its default and meaning",
            problems=tuple(problems),
        )
    return Loaded(config, places(config, file, environ), exists)


def places(config: Config, file: Path, environ: Mapping[str, str]) -> Places:
    """The places that a configuration and the environment name."""
    default_state = platformdirs.user_state_path("dreamd")
    return Places(
        config_file=file,
        state_dir=expand(config.state.dir) if config.state.dir else default_state,
        default_state_dir=default_state,
        memory_root=expand(config.memory.root),
        claude_dir=expand(environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"),
    )


def default_sources(environ: Mapping[str, str] | None = None) -> list[tuple[str, Path]]:
    """Where transcripts are read unless `[[sources]]` says otherwise: every agent's own place, whether it exists yet or not."""
    environ = os.environ if environ is None else environ
    codex = expand(environ.get("CODEX_HOME") or "~/.codex")
    return [
        ("claude-code", expand(environ.get("CLAUDE_CONFIG_DIR") or "~/.claude") / "projects"),
        ("codex", codex / "sessions"),
        ("codex", codex / _ARCHIVED),
        ("gemini", expand("~/.gemini/tmp")),
        ("opencode", _opencode(environ)),
    ]


def _opencode(environ: Mapping[str, str]) -> Path:
    """Where OpenCode's databases lie, on every system the same."""
    usual = expand(environ.get("XDG_DATA_HOME") or "~/.local/share") / "opencode"
    chosen = environ.get("OPENCODE_DB") or ":memory:"
    return usual if chosen == ":memory:" else expand(str(usual / chosen)).parent


def may_be_missing(agent: str, root: Path) -> bool:
    """Whether a place that does not exist is no problem: Codex makes it when its first session is archived."""
    return agent == "codex" and root.name == _ARCHIVED


def found_sources(environ: Mapping[str, str] | None = None) -> list[tuple[str, Path]]:
    """The default places that exist on this machine; with Codex's sessions the place where it puts those it archives."""
    places = default_sources(environ)
    used = {agent for agent, root in places if root.is_dir()}
    return [(agent, root) for agent, root in places if root.is_dir() or (agent in used and may_be_missing(agent, root))]


def keys(model: type[BaseModel] = Config, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every key with its field, in order: ("gates.min_interval", FieldInfo); arrays of tables by their element."""
    for name, field in model.model_fields.items():
        section = _section_of(field.annotation)
        if section is not None:
            yield from keys(section, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", field


def example() -> str:
    """The text of config.example.toml: every key with its default and what it means."""
    lines = [
        "# dreamd's configuration: every key with its default. Copy what you want to change to",
        "# ~/.config/dreamd/config.toml (macOS: ~/Library/Application Support/dreamd/config.toml).",
        "# Durations: 90s, 15m, 24h, 7d. Any single value can also be set as DREAMD_SECTION__KEY in the environment.",
    ]
    for name, field in Config.model_fields.items():
        section = _section_of(field.annotation)
        if section is None:
            continue
        many = get_origin(field.annotation) is list
        mark = "# " if many else ""
        summary = (section.__doc__ or "").strip()
        lines += ["", f"# {summary}"]
        if many:
            lines.append(
                "# Left out by default: every agent found on this machine."
                if name == "sources"
                else "# None by default."
            )
        lines.append(f"{mark}[[{name}]]" if many else f"[{name}]")
        for key, item in section.model_fields.items():
            lines += [f"# {item.description}", f"{mark}{key} = {toml_value(item.default)}"]
    return "\n".join(lines) + "\n"


def start_file(found: list[tuple[str, Path]]) -> str:
    """The configuration that `dreamd init` writes: the roots it found, because a service does not inherit the environment."""
    lines = [
        "# dreamd's configuration. Every other key has its default; config.example.toml shows them all.",
        "",
        "[engine]",
        'name = "offline"',
    ]
    for agent, root in found:
        lines += ["", "[[sources]]", f"agent = {toml_value(agent)}", f"root = {toml_value(str(root))}"]
    return "\n".join(lines) + "\n"


def write_start_file(chosen: Path | None, text: str, environ: Mapping[str, str] | None = None) -> tuple[Path, bool]:
    """Writes a first configuration where it belongs; (path, whether it was written). An existing file stays as it is.

    Raises ConfigError where the directory cannot be written.
    """
    path = config_file(chosen, os.environ if environ is None else environ)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return path, False
    except OSError as fault:
        raise ConfigError(
            f"cannot write {path}: {fault.strerror}", hint="choose another place with --config FILE"
        ) from fault
    return path, True


def environment() -> Mapping[str, str]:
    """The environment, for those who must look at it; everybody else gets values."""
    return os.environ


def session_directory(environ: Mapping[str, str] | None = None) -> str:
    """Where the agent's session that started this process works: CLAUDE_PROJECT_DIR, else the directory it was started in."""
    environ = os.environ if environ is None else environ
    return environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()  # noqa: PTH109 - a name, which may lead over links


def systemd_variables(environ: Mapping[str, str] | None = None) -> tuple[str, str, str]:
    """NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID as systemd set them; empty where it did not."""
    environ = os.environ if environ is None else environ
    return environ.get("NOTIFY_SOCKET", ""), environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")


def colours_wanted(environ: Mapping[str, str] | None = None) -> bool:
    """Whether a terminal may be given colours: not with NO_COLOR, not on a dumb one."""
    environ = os.environ if environ is None else environ
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def toml_value(value: object) -> str:
    """A scalar or a list of strings as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _read(file: Path) -> tuple[dict[str, Any], str]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig")), ""
    except tomllib.TOMLDecodeError as fault:
        return {}, f"not valid TOML: {fault}"
    except UnicodeDecodeError:
        return {}, "not UTF-8 text"
    except OSError as fault:
        return {}, f"cannot be read: {fault.strerror}"


def _section_of(annotation: Any) -> type[Section] | None:
    candidate = get_args(annotation)[0] if get_origin(annotation) is list else annotation
    return candidate if isinstance(candidate, type) and issubclass(candidate, Section) else None


def _merge_environment(raw: dict[str, Any], environ: Mapping[str, str]) -> list[str]:
    """Lays DREAMD_SECTION__KEY over the file's values, in place; says what it could not take."""
    problems = []
    fields = dict(keys())
    for variable, text in sorted(environ.items()):
        match = _ENVIRONMENT_KEY.fullmatch(variable)
        if match is None:
            continue
        section, key = match[1].lower(), match[2].lower()
        field = fields.get(f"{section}.{key}")
        if field is None or section in ("sources", "projects", "prices"):
            problems.append(f"{variable}: unknown key {section}.{key}{_nearest(f'{section}.{key}', list(fields))}")
            continue
        value, fault = _scalar(text, field.default)
        table = raw.setdefault(section, {})
        if fault:
            problems.append(f"{variable}: {section}.{key}: {fault}")
        elif isinstance(table, dict):
            table[key] = value
    return problems


def _scalar(text: str, default: object) -> tuple[object, str]:
    """A variable's text as the type the key has; (value, problem)."""
    if isinstance(default, bool):
        known = {"true": True, "1": True, "false": False, "0": False}
        return known.get(text.lower()), "" if text.lower() in known else "not a boolean; write true or false"
    if isinstance(default, int | float):
        try:
            return (float(text) if isinstance(default, float) else int(text)), ""
        except ValueError:
            return None, "not a number"
    if isinstance(default, list):
        return None, "a list cannot be set through the environment; use the file"
    return text, ""


def _explain(file: Path, problem: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    location = [str(part) for part in problem["loc"]]
    key = ".".join(part for part in location if not part.isdigit())
    kind = str(problem["type"])
    if kind == "extra_forbidden":
        known = [name for name, _ in keys()]
        sections = list(Config.model_fields)
        return f"{file}: unknown key {key}{_nearest(key, known if '.' in key else [*sections, *known])}"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{_origin(file, key, environ)}: {key}: {message[:1].lower()}{message[1:]}"


def _nearest(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if not close:
        by_name = {name.rsplit(".", 1)[-1]: name for name in known}
        close = [
            by_name[hit] for hit in difflib.get_close_matches(key.rsplit(".", 1)[-1], list(by_name), n=1, cutoff=0.6)
        ]
    return f"; did you mean {close[0]}?" if close else ""


def _origin(file: Path, key: str, environ: Mapping[str, str]) -> str:
    variable = "DREAMD_" + key.upper().replace(".", "__")
    return variable if variable in environ else str(file)


def _not_yet(file: Path, raw: Mapping[str, Any], environ: Mapping[str, str]) -> list[str]:
    """Valid values whose feature is not there yet, one clear problem each; told with all the others."""
    fields = dict(keys())
    found = []
    for key, working in _WORKING.items():
        section, name = key.split(".")
        tables = raw.get(section, {})
        for table in tables if isinstance(tables, list) else [tables]:
            value = table.get(name, working[0]) if isinstance(table, dict) else working[0]
            if value not in working and value in _choices(fields[key]):
                means = ", ".join(toml_value(one) for one in working)
                found.append(
                    f"{_origin(file, key, environ)}: {key}: {toml_value(value)} is not there yet; today: {means}"
                )
    return found


def _choices(field: Any) -> tuple[object, ...]:
    """The values a key may have at all, where they can be listed."""
    return (True, False) if isinstance(field.default, bool) else get_args(field.annotation)


def _contradictions(file: Path, config: Config) -> list[str]:
    """What single keys cannot show: values that do not fit each other."""
    budget, engine = config.budget, config.engine
    found = []
    if not budget.warn_at <= budget.compact_at <= budget.stop_at:
        found.append(f"{file}: budget: warn_at ≤ compact_at ≤ stop_at must hold")
    if engine.batch and engine.provider != "anthropic":
        found.append(f'{file}: engine.batch: the provider "{engine.provider}" takes no batches; only "anthropic" does')
    return found
