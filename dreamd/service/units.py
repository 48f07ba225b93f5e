"""What systemd is told: the unit of a person's own service, and the template for a server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from dreamd.service.spec import ServiceSpec
from dreamd.service.template import template

UNIT = "dreamd.service"
#: Written by `dreamd kick --if-due` installations of old; install takes it away.
OLD_TIMER = "dreamd.timer"
#: The first words of every unit that dreamd wrote: another file of that name is somebody's own.
MARK = "# Written by `dreamd service install`"
#: Exit statuses of systemd itself where the machine forbids what a unit asks for: user and mount namespaces, capabilities.
FORBIDDEN = frozenset({217, 218, 226})

_TEMPORARY = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - what PrivateTmp replaces
_NAMESPACED = "PrivateUsers="  # the paragraph of the template that begins the options which need a user namespace
_PLAIN = (
    "# Not confined to the places it writes to: {reason}",
    "originals are deleted or the `claude` command is used, and both reach further.",
    "this machine forbids user namespaces.",
)


def user_unit(spec: ServiceSpec, *, namespaces: bool = True) -> str:
    """The text of ~/.config/systemd/user/dreamd.service.

    `namespaces` False leaves out all that needs a user namespace: some machines forbid them.
    """
    head, *paragraphs = template(f"systemd/{UNIT}").split("\n\n")
    del head  # it tells how to use the template as it stands
    if not (namespaces and spec.confined):
        reason = _PLAIN[2] if spec.confined else _PLAIN[1]
        plain = _PLAIN[0].format(reason=reason)
        paragraphs = [plain if _needs_namespaces(one) else one for one in paragraphs]
    mark = f"{MARK}, which writes it anew.\n# Your own changes belong into a drop-in: systemctl --user edit {UNIT}"
    values = {
        "ExecStart": [_command(spec.command)],
        "ReadWritePaths": _paths(spec.writable),
        "ReadOnlyPaths": _paths(spec.transcripts),
    }
    if _in_temporary(spec):  # its own /tmp would hide them
        values["PrivateTmp"] = []
        values["ReadWritePaths"] += _paths(_TEMPORARY)
    text = _with("\n\n".join([mark, *paragraphs]), values)
    environment = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in spec.environment)
    return text.replace("\nUMask=", f"\n{environment}UMask=", 1)


def system_unit(program: Sequence[str]) -> str:
    """The hardened unit for a system user `dreamd`; a template: its places are fixed and told in its comments."""
    command = _command((*program, "run", "--config", "/etc/dreamd/config.toml"))
    return _with(template("systemd/dreamd-system.service"), {"ExecStart": [command]})


def _in_temporary(spec: ServiceSpec) -> bool:
    needed = [
        *spec.writable,
        *spec.transcripts,
        spec.home,
        Path(spec.program[0]),
        *([spec.config] if spec.config else []),
    ]
    return any(one.is_relative_to(temporary) for one in needed for temporary in _TEMPORARY)


def _needs_namespaces(paragraph: str) -> bool:
    return any(line.startswith(_NAMESPACED) for line in paragraph.split("\n"))


def _with(text: str, values: dict[str, list[str]]) -> str:
    """A unit with other values for some keys, each once in the template; a key without values leaves."""
    lines = []
    for line in text.split("\n"):
        key = line.partition("=")[0]
        lines += [f"{key}={value}" for value in values[key]] if key in values else [line]
    return "\n".join(lines)


def _paths(paths: Iterable[Path]) -> list[str]:
    """Each on a line of its own; `-`: one that is missing keeps nothing from starting."""
    return [_quoted(f"-{path}") for path in paths]


def _command(words: Sequence[str]) -> str:
    program, *arguments = words
    return " ".join([_quoted(program), *(_quoted(word).replace("$", "$$") for word in arguments)])


def _specifier(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(word: str) -> str:
    """A word as systemd.syntax(7) reads it back: specifiers doubled, quotes only where they are needed."""
    word = _specifier(word)
    if word and not set(word) & set(" \t\n\"'\\;"):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'
