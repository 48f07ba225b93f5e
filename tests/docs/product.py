"""What the product holds that must be documented: its commands, and what its source names."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

from docs.pages import ROOT
from dreamd.cli.main import build
from dreamd.errors import DreamdError

PRODUCT = ROOT / "dreamd"


@dataclass(frozen=True)
class Command:
    """One command: its words, the object behind it, its options (all spellings) and the examples of its help."""

    words: str
    made: Any

    @property
    def options(self) -> list[str]:
        return [name for one in self.made.params if one.param_type_name == "option" for name in one.opts]

    @property
    def children(self) -> dict[str, Any]:
        return dict(getattr(self.made, "commands", {}))


@cache
def commands() -> tuple[Command, ...]:
    return tuple(_walk("dreamd", typer.main.get_command(build(None))))


def _walk(words: str, made: Any) -> Iterator[Command]:
    yield Command(words, made)
    for name, child in getattr(made, "commands", {}).items():
        yield from _walk(f"{words} {name}", child)


def parse(line: str) -> None:
    """Parses a command line as the shell and dreamd would; raises where it would be refused."""
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words.pop(0)
    assert words.pop(0).endswith("dreamd"), line
    for stop in ("|", "&&", ">", ";"):
        words = words[: words.index(stop)] if stop in words else words
    known, here = {one.words: one for one in commands()}, "dreamd"
    while words and f"{here} {words[0]}" in known:
        here = f"{here} {words.pop(0)}"
    command = known[here]
    if here == "dreamd":
        assert words, line
        assert set(words) <= {*command.options, "--help", "-h"}, f"no such command: {line}"
        return
    command.made.make_context(here, words)


def examples_in(epilog: str) -> list[str]:
    """The command lines of a help text's "Examples: … · …"."""
    found = []
    for part in re.split(r" · |, then ", epilog.removeprefix("Examples: ")):
        line = re.sub(r" \([^)]*\)$", "", part).rstrip("…")
        if re.match(r"(?:[A-Z_]+=\S+ )*dreamd ", line):
            found.append(line)
    return found


@cache
def modules() -> tuple[tuple[Path, ast.Module], ...]:
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(PRODUCT.rglob("*.py")))


def calls(*places: str) -> Iterator[ast.Call]:
    """Every call in the product, or in some of its modules and packages."""
    for path, tree in modules():
        if not places or any(path.is_relative_to(PRODUCT / place) for place in places):
            yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def words_in(*nodes: ast.expr | None) -> set[str]:
    """The constant texts that an expression may come to; parts of f-strings are none."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.IfExp):
            found |= words_in(node.body, node.orelse)
    return found


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((one.value for one in call.keywords if one.arg == name), None)


@cache
def events() -> dict[str, str]:
    """Every event that is logged, with its level."""
    found = {}
    for call in calls():
        target = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(target, ast.Call) and name_of(target) == "logger":
            for event in words_in(*call.args[:1]):
                found[event] = name_of(call)
            assert words_in(*call.args[:1]), f"an event that is no constant: {ast.unparse(call)}"
    return found


def verbs_named() -> set[str]:
    """The commands that messages, hints and help texts name; docstrings of the inside are none of them."""
    return {
        verb
        for call in calls()
        for node in [*call.args, *(one.value for one in call.keywords)]
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
        for verb in re.findall(r"`dreamd ([a-z]+)", part.value)
    } | {
        verb
        for _, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.Dict | ast.Tuple)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
        for verb in re.findall(r"`dreamd ([a-z]+)", part.value)
    }


def run_reasons() -> set[str]:
    """Every reason that the source gives a run by name: where a run ends, and in `_why_nothing`."""
    found: set[str] = set()
    for call in calls("dream", "state"):
        if name_of(call) in ("end", "conclude"):
            found |= words_in(*call.args[1:2])
        elif name_of(call) == "_finish":
            found |= words_in(*call.args[-1:])
        elif name_of(call) == "commit" or keyword(call, "outcome") is not None:
            found |= words_in(keyword(call, "reason"))
    for _, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "_why_nothing":
                found |= words_in(*(one.value for one in ast.walk(node) if isinstance(one, ast.Return)))
    return found


def errors(base: type[DreamdError] = DreamdError) -> Iterator[type[DreamdError]]:
    yield base
    for child in base.__subclasses__():
        if child.__module__.startswith("dreamd."):
            yield from errors(child)
