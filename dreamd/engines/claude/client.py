"""The owner of the official SDK: one request through the Messages API, one reply, every fault named."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from dreamd.context.conversation import Reply, Schema, Stop
from dreamd.context.message import Message, to_api
from dreamd.context.prompt import SystemPrompt
from dreamd.engines.claude.faults import TryAgain, refused
from dreamd.usage import Usage

if TYPE_CHECKING:
    from dreamd.engines.claude.providers import Client

_NOT_FOUND = 404
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


class Sdk:
    """The Messages API through a client of the SDK, without its own retries. For several threads."""

    def __init__(self, make: Callable[[], Client]) -> None:
        """`make` builds the client when it is first needed; it raises ConfigError or EngineUnusable where it cannot."""
        self._make = make
        self._lock = threading.Lock()
        self._made: Client | None = None

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
        request = body(model, system, messages, max_tokens=max_tokens, schema=schema)
        with faults_named():
            answer = self.client().messages.create(**request)
        return reply_of(answer)

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
        raise refused(
            fault.status_code, fault.type or "", fault.api_message or "", _seconds(fault.response.headers)
        ) from None
    except (anthropic.AnthropicError, ValueError):  # a body that is no JSON, or not of this API
        raise TryAgain("garbled") from None


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
