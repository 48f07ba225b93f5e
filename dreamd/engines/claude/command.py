"""The person's own `claude` command as the transport: a subscription instead of a key; all content on standard input."""

from __future__ import annotations

import atexit
import contextlib
import json
import re
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from dreamd.context.conversation import Reply, Schema, Stop
from dreamd.context.message import Message, Role
from dreamd.context.prompt import SystemPrompt
from dreamd.engines.claude.faults import TooLong, TryAgain
from dreamd.engines.faults import EngineUnusable, UnusableAnswer
from dreamd.state.model_record import ModelRecord
from dreamd.transcripts.speaker import OWN_MARKER
from dreamd.usage import Usage

_LOGGED_OUT = re.compile(
    r"log ?in|logged (?:in|out)|api key|oauth|authenticat|unauthorized|\b401\b|\b403\b", re.IGNORECASE
)
_LIMITED = re.compile(r"limit reached|usage limit|rate.?limit|overloaded|\b429\b|\b529\b|\b5\d\d\b", re.IGNORECASE)
_TOO_LONG = re.compile(r"prompt is too long|context (?:window|length)", re.IGNORECASE)

_ANSWERED = "[Your answer to the above was:]"

_LIVING: set[subprocess.Popen[bytes]] = set()


class Command:
    """The `claude` command in print mode: no tools, no settings, no session kept, an empty directory. For several threads."""

    def __init__(self, program: Path | None, *, timeout: float = 120.0) -> None:
        """`program` None: the command was not found. `timeout` in seconds for a whole call."""
        self._program = program
        self._timeout = timeout
        self._lock = threading.Lock()

    def check(self) -> None:
        """See Transport."""
        if self._program is None:
            raise EngineUnusable(
                "the `claude` command was not found",
                hint="install Claude Code and log in, or choose another engine.provider",
            )

    def close(self) -> None:
        """See Transport; each call was a process of its own."""

    def about(self, model: str) -> ModelRecord | None:  # noqa: ARG002 - see Transport
        """See Transport: the command does not tell."""
        return ModelRecord()

    def count(
        self,
        model: str,  # noqa: ARG002 - see Transport
        system: SystemPrompt,  # noqa: ARG002 - likewise
        messages: Sequence[Message],  # noqa: ARG002 - likewise
        schema: Schema | None,  # noqa: ARG002 - likewise
    ) -> int | None:
        """See Transport: the command does not count."""
        return None

    def send(
        self,
        model: str,
        system: SystemPrompt,
        messages: Sequence[Message],
        *,
        max_tokens: int,  # noqa: ARG002 - the command has no such limit
        schema: Schema | None,
    ) -> Reply:
        """See Transport. The marker makes every reader of transcripts know the session for dreamd's own, should one be kept."""
        self.check()
        arguments = [
            *(str(self._program), "-p", "--model", model, "--system-prompt", system.static_text),
            *("--tools", "", "--strict-mcp-config", "--setting-sources", "", "--disable-slash-commands"),
            *("--no-session-persistence", "--output-format", "json"),
        ]
        if schema is not None:
            arguments += ["--json-schema", json.dumps(schema)]
        behind = [section.text for section in system.dynamic if section.text]
        text = "\n\n".join([OWN_MARKER, *behind, *map(_flat, messages)])
        with tempfile.TemporaryDirectory(prefix="dreamd-") as empty:
            status, output = self._run(arguments, text.encode("utf-8", "replace"), empty)
        return _reply(status, output)

    def _run(self, arguments: Sequence[str], text: bytes, directory: str) -> tuple[int, bytes]:
        try:
            process = subprocess.Popen(  # noqa: S603 - the program that the person chose, arguments as a list
                arguments,
                cwd=directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as fault:
            raise EngineUnusable(
                f"the `claude` command cannot be started: {fault.strerror}", hint="does `claude --version` work?"
            ) from fault
        with self._lock:
            _LIVING.add(process)
        try:
            output, _ = process.communicate(text, timeout=self._timeout)
        except subprocess.TimeoutExpired:
            raise TryAgain("timeout") from None
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
            with self._lock:
                _LIVING.discard(process)
        return process.returncode, output


@atexit.register
def _end_all() -> None:
    """Threads that wait for a command end with us; the commands must not outlive us."""
    for process in tuple(_LIVING):
        with contextlib.suppress(OSError):
            process.kill()


def _flat(message: Message) -> str:
    """A message as part of one text: print mode takes a single prompt, so the model has to be told which words were its own."""
    return f"{_ANSWERED}\n{message.text}" if message.role is Role.ASSISTANT else message.text


def _reply(status: int, output: bytes) -> Reply:
    """The one JSON document that it prints; its exit status alone says nothing."""
    try:
        told = json.loads(output.decode("utf-8", "replace"))
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise EngineUnusable(
            f"the `claude` command ended with {status} and no answer",
            hint="does `claude -p hello --output-format json` work? It may need to be updated, or to be logged in",
        )
    structure, result = told.get("structured_output"), told.get("result")
    text = json.dumps(structure) if isinstance(structure, dict) else result if isinstance(result, str) else ""
    usage = _usage(told)
    if told.get("is_error") or not text:
        raise _fault(text, usage)
    return Reply(text=text, usage=usage, stop=Stop.END)


def _fault(text: str, usage: Usage) -> Exception:
    if _TOO_LONG.search(text):
        return TooLong()
    if _LIMITED.search(text):
        return TryAgain("rate_limit")
    if _LOGGED_OUT.search(text):
        return EngineUnusable("the `claude` command is not logged in", hint="run `claude` once and log in", usage=usage)
    return UnusableAnswer("the `claude` command gave no answer for this input", usage=usage)


def _usage(told: Mapping[str, object]) -> Usage:
    counted = told.get("usage")
    counts: Mapping[str, object] = counted if isinstance(counted, dict) else {}
    cost = told.get("total_cost_usd")
    return Usage(
        input=_count(counts.get("input_tokens")),
        output=_count(counts.get("output_tokens")),
        cache_read=_count(counts.get("cache_read_input_tokens")),
        cache_write=_count(counts.get("cache_creation_input_tokens")),
        usd=float(cost) if isinstance(cost, int | float) and cost > 0 else 0.0,
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
