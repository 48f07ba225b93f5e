"""What the product holds that must be documented: its commands, and what its source names."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

import dreamd
from docs.pages import ROOT
from dreamd.access import Lack
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
        elif isinstance(node, ast.Name):
            found |= _named().get(node, set())
    return found


def _constants(node: ast.expr) -> set[str]:
    if isinstance(node, ast.IfExp):
        return _constants(node.body) | _constants(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


@cache
def _named() -> Mapping[ast.Name, set[str]]:
    """What a local name may hold: the texts that its own function gives it."""
    found: dict[ast.Name, set[str]] = {}
    for _, tree in modules():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                inside = list(ast.walk(function))
                given: dict[str, set[str]] = {}
                for node in inside:
                    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.IfExp):
                        for target in node.targets:
                            if isinstance(target, ast.Name):
                                given.setdefault(target.id, set()).update(_constants(node.value))
                found |= {one: given[one.id] for one in inside if isinstance(one, ast.Name) and given.get(one.id)}
    return found


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((one.value for one in call.keywords if one.arg == name), None)


@cache
def events() -> dict[str, str]:
    """Every event that is logged, with its level."""
    found = {}
    for call in calls():
        if _is_logger(call.func):
            for event in words_in(*call.args[:1]):
                found[event] = name_of(call)
            assert words_in(*call.args[:1]), f"an event that is no constant: {ast.unparse(call)}"
    for function in (node for _, tree in modules() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        chosen = {  # `level = logger().info if … else logger().warning`
            target.id: f"{node.value.body.attr}, {node.value.orelse.attr}"
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp)
            if isinstance(node.value.body, ast.Attribute) and isinstance(node.value.orelse, ast.Attribute)
            if _is_logger(node.value.body) and _is_logger(node.value.orelse)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in chosen:
                found |= dict.fromkeys(words_in(*node.args[:1]), chosen[node.func.id])
    return found


def _is_logger(node: ast.expr) -> bool:
    """Whether it is `logger().something`."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) and name_of(node.value) == "logger"


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
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Dict | ast.Tuple)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
        for verb in re.findall(r"`dreamd ([a-z]+)", part.value)
    }


def run_reasons() -> set[str]:
    """Every reason a run may have by name: where it ends or is made, in `_why_nothing`, or a fault's code that leaves it incomplete."""
    found: set[str] = set()
    for call in calls("dream", "state", "rebuild.py"):
        if name_of(call) in ("end", "conclude", "_ended"):
            found |= words_in(*call.args[1:2])
        elif name_of(call) == "_finish":
            found |= words_in(*call.args[-1:])
        elif name_of(call) in ("commit", "RunRecord") or keyword(call, "outcome") is not None:
            found |= words_in(keyword(call, "reason"))
    codes = {one.__name__: one.code for one in errors()}
    for _, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and "Outcome.INCOMPLETE, fault.code" in ast.unparse(node):
                named = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                found |= {codes[one.id] for one in named if isinstance(one, ast.Name)}
            if isinstance(node, ast.FunctionDef) and node.name == "_why_nothing":
                found |= words_in(*(one.value for one in ast.walk(node) if isinstance(one, ast.Return)))
    return found


def problem_codes() -> set[str]:
    """Every problem that `status` can show: those of the database, and what the command adds."""
    found = {code for call in calls() if name_of(call) == "Problem" for code in words_in(*call.args[:1])}
    found |= {lack.value for lack in Lack}
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict) and path == PRODUCT / "cli" / "status.py":
                pairs = {
                    key.value: value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant)
                }
                found |= words_in(pairs["code"]) if {"code", "message", "hint"} <= set(pairs) else set()
    return found


def doctor_checks() -> set[tuple[str, str, str]]:
    """Every (check, level, reason) that `dreamd doctor` can tell."""
    found = set()
    for call in calls("doctor/checks.py", "doctor/work.py"):
        if name_of(call) in ("fine", "warning", "error"):
            level = "ok" if name_of(call) == "fine" else name_of(call)
            reasons = re.findall(r"Why\.(\w+)", ast.unparse(call)) or ["FINE"]
            found |= {(name, level, one.lower()) for name in words_in(*call.args[:1]) for one in reasons}
    return found


@cache
def _all_loaded() -> None:
    for one in pkgutil.walk_packages(dreamd.__path__, "dreamd."):
        if not one.name.endswith("__main__") and ".migrations" not in one.name:
            importlib.import_module(one.name)


def errors(base: type[DreamdError] = DreamdError) -> Iterator[type[DreamdError]]:
    """Every error of the product, whatever module makes it."""
    _all_loaded()
    yield base
    for child in base.__subclasses__():
        if child.__module__.startswith("dreamd."):
            yield from errors(child)
