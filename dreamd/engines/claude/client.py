"""The owner of the official SDK: one request through the Messages API, one reply, every fault named."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from dreamd.context.conversation import Reply, Schema, Stop
from dreamd.context.message import Message, to_api
from dreamd.context.prompt import SystemPrompt
from dreamd.engines.claude.faults import TooLong, TryAgain, UnstructuredOnly, refused
from dreamd.engines.claude.providers import AWS_HINT, GOOGLE_HINT, is_credentials
from dreamd.engines.faults import EngineUnusable, UnusableAnswer
from dreamd.state.model_record import ModelRecord
from dreamd.usage import Usage

if TYPE_CHECKING:
    from anthropic import APIStatusError

    from dreamd.engines.claude.providers import Client

_NOT_FOUND = 404
_BRIEF = 10.0  # seconds for a question whose answer only helps
#: A model's window, by the official name and by those of servers that resemble the Messages API.
_WINDOWS = ("max_input_tokens", "max_model_len", "context_length", "context_window", "n_ctx")
#: "length" and its like come from servers that only resemble the Messages API.
_STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "stop": Stop.END,
    "tool_use": Stop.TOOL,
    "max_tokens": Stop.LENGTH,
    "length": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}


class Transport(Protocol):
    """How a request reaches a model and its reply comes back."""

    def check(self) -> None:
        """Raises ConfigError or EngineUnusable where no call could succeed, without making one."""
        ...

    def close(self) -> None:
        """Gives connections back. A call that hangs is not ended by this."""
        ...

    def send(
        self, model: str, system: SystemPrompt, messages: Sequence[Message], *, max_tokens: int, schema: Schema | None
    ) -> Reply:
        """One request. Raises TryAgain, TooLong, EngineUnusable, UnusableAnswer."""
        ...

    def about(self, model: str) -> ModelRecord | None:
        """What the server says of a model; None where it could not be asked now. Raises nothing."""
        ...

    def count(self, model: str, system: SystemPrompt, messages: Sequence[Message], schema: Schema | None) -> int | None:
        """Tokens of a request as the server counts them; None where it cannot or does not. Raises nothing."""
        ...


class Sdk:
    """The Messages API through a client of the SDK, without its own retries. For several threads."""

    def __init__(self, make: Callable[[], Client]) -> None:
        """`make` builds the client when it is first needed; it raises ConfigError or EngineUnusable where it cannot."""
        self._make = make
        self._lock = threading.Lock()
        self._made: Client | None = None
        self._plain = False  # the server takes no schema
        self._counts = True  # as far as is known, the server counts tokens

    def check(self) -> None:
        """See Transport."""
        self.client()

    def close(self) -> None:
        """See Transport."""
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            made.close()

    def send(
        self, model: str, system: SystemPrompt, messages: Sequence[Message], *, max_tokens: int, schema: Schema | None
    ) -> Reply:
        """See Transport."""
        request = body(model, system, messages, max_tokens=max_tokens, schema=None if self._plain else schema)
        try:
            with faults_named():
                answer = self.client().messages.create(**request)
        except UnstructuredOnly:
            self._plain = True  # the form of an answer is checked here anyway
            return self.send(model, system, messages, max_tokens=max_tokens, schema=None)
        return reply_of(answer)

    def about(self, model: str) -> ModelRecord | None:
        """See Transport. Bedrock and Vertex do not tell; servers of one's own use names of their own."""
        asked = getattr(self.client(), "models", None)
        if asked is None:
            return ModelRecord()
        try:
            with faults_named(missing=_Unsaid()):
                said = asked.retrieve(model, timeout=_BRIEF)
        except TryAgain as fault:
            return ModelRecord() if fault.reason == "garbled" else None
        except EngineUnusable:  # the call itself will say why
            return None
        except (_Unsaid, TooLong, UnusableAnswer):
            return ModelRecord()
        return ModelRecord(window=_first(said, _WINDOWS), answer=_first(said, ("max_tokens",)))

    def count(self, model: str, system: SystemPrompt, messages: Sequence[Message], schema: Schema | None) -> int | None:
        """See Transport. A server that once did not count is not asked again."""
        if not self._counts:
            return None
        request = body(model, system, messages, max_tokens=0, schema=None if self._plain else schema)
        del request["max_tokens"]
        try:
            with faults_named(missing=_Unsaid()):
                counted = self.client().messages.count_tokens(**request, timeout=_BRIEF)
        except (TryAgain, TooLong, EngineUnusable, UnusableAnswer, _Unsaid, UnstructuredOnly):
            self._counts = False
            return None
        return _count(counted, "input_tokens") or None

    def client(self) -> Client:
        """The SDK's client, made once."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made


def body(
    model: str, system: SystemPrompt, messages: Sequence[Message], *, max_tokens: int, schema: Schema | None
) -> dict[str, Any]:
    """A request as the Messages API takes it."""
    request: dict[str, Any] = {
        "model": model,
        "max_tokens": max_tokens,
        "system": system.blocks(),
        "messages": to_api(messages),
    }
    if schema is not None:
        request["output_config"] = {"format": {"type": "json_schema", "schema": dict(schema)}}
    return request


@contextmanager
def faults_named(missing: Exception | None = None) -> Iterator[None]:
    """Around a call of the SDK: its errors become TryAgain, TooLong, EngineUnusable, UnusableAnswer.

    `missing` is raised instead where what was asked for is not there (404).
    """
    import anthropic  # noqa: PLC0415 - 1.6 s and 77 MB, only where a model is asked

    try:
        yield
    except anthropic.APITimeoutError:
        raise TryAgain("timeout") from None
    except anthropic.APIConnectionError:
        raise TryAgain("connection") from None
    except anthropic.APIStatusError as fault:
        if missing is not None and fault.status_code == _NOT_FOUND:
            raise missing from None
        raise refused(fault.status_code, fault.type or "", _message(fault), _seconds(fault.response.headers)) from None
    except (anthropic.AnthropicError, ValueError):  # a body that is no JSON, or not of this API
        raise TryAgain("garbled") from None
    except Exception as fault:
        if is_credentials(fault):
            told = type(fault).__name__
            raise EngineUnusable(
                f"the credentials cannot be used ({told})", hint=f"{AWS_HINT}; {GOOGLE_HINT}"
            ) from None
        raise


def reply_of(answer: object) -> Reply:
    """The reply out of whatever came: the SDK hands on unchecked what servers send, a bare string included."""
    kind = getattr(answer, "type", None)
    if kind == "error":
        error = getattr(answer, "error", None)
        about: Mapping[str, object] = error if isinstance(error, Mapping) else {}
        raise refused(200, str(about.get("type", "")), str(about.get("message", "")), None)
    if kind != "message":
        raise TryAgain("garbled")
    content = getattr(answer, "content", None)
    blocks = content if isinstance(content, list) else []
    return Reply(
        text="".join(str(getattr(one, "text", "")) for one in blocks if getattr(one, "type", None) == "text"),
        usage=_usage(getattr(answer, "usage", None)),
        stop=_STOPS.get(str(getattr(answer, "stop_reason", None)), Stop.OTHER),
    )


class _Unsaid(Exception):  # noqa: N818 - no error
    """The server has no such endpoint, or does not know the model by this name."""


def _message(fault: APIStatusError) -> str:
    """The error's words, also where they do not stand in an `error` object (Bedrock)."""
    if fault.api_message:
        return fault.api_message
    told = fault.body.get("message") if isinstance(fault.body, Mapping) else None
    return told if isinstance(told, str) else ""


def _first(said: object, names: Sequence[str]) -> int | None:
    return next((value for name in names if (value := _count(said, name))), None)


def _usage(counted: object) -> Usage:
    return Usage(
        input=_count(counted, "input_tokens"),
        output=_count(counted, "output_tokens"),
        cache_read=_count(counted, "cache_read_input_tokens"),
        cache_write=_count(counted, "cache_creation_input_tokens"),
    )


def _count(counted: object, name: str) -> int:
    value = getattr(counted, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _seconds(headers: Mapping[str, str]) -> float | None:
    """`retry-after` in seconds; dates are not sent by these servers."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
