"""Message Batches through the SDK: sent once, looked at again and again, collected when the server has ended."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from dreamd.engines.batching import BatchGone, Body, Heard, Ticket, Unsure
from dreamd.engines.claude.client import Sdk, faults_named, reply_of
from dreamd.engines.claude.faults import TooLong, TryAgain
from dreamd.engines.faults import EngineBusy, EngineFault, EngineUnusable, UnusableAnswer

if TYPE_CHECKING:
    from anthropic import Anthropic

_CLOCKS_DIFFER = dt.timedelta(minutes=5)
_LISTED = 100  # batches that are looked through for one whose name got lost
#: Faults after which nothing was taken: the server said so.
_NOT_TAKEN = frozenset({"rate_limit", "overloaded"})


class Mail:
    """The batches of one server. The SDK must be that of the Messages API itself: other providers take none."""

    def __init__(self, sdk: Sdk) -> None:
        self._sdk = sdk

    def submit(self, bodies: Mapping[str, Body]) -> Ticket:
        """See Post."""
        requests = [{"custom_id": name, "params": dict(body)} for name, body in bodies.items()]
        try:
            with faults_named():
                made = self._client().messages.batches.create(requests=cast("Any", requests))
        except TryAgain as fault:
            if fault.reason in _NOT_TAKEN:
                raise _busy() from None
            raise Unsure("the connection broke while a batch was being sent") from None
        except TooLong:
            raise EngineUnusable("the batch is too large for the server", hint=_SMALLER) from None
        except (EngineUnusable, UnusableAnswer) as fault:
            raise _unknown(fault) from None
        name = getattr(made, "id", None)
        if not isinstance(name, str) or not name:
            raise Unsure("the server took a batch and gave it no name")
        return Ticket(name, _moment(getattr(made, "expires_at", None)))

    def collect(self, batch_id: str) -> tuple[Heard, ...] | None:
        """See Post."""
        with _looking():
            found = self._client().messages.batches.retrieve(batch_id)
        if getattr(found, "processing_status", None) != "ended":
            return None
        heard = self._results(batch_id)
        if len(heard) < _counted(found):  # the connection broke in the middle
            raise _busy()
        return heard

    def search(self, ids: Collection[str], since: dt.datetime) -> tuple[Heard, ...] | None:
        """See Post: a batch of as many requests from about then is ours if its answers bear our names."""
        with _looking():
            listed = self._client().messages.batches.list(limit=_LISTED).data
        still = False
        for found in listed if isinstance(listed, list) else []:
            created = _moment(getattr(found, "created_at", None))
            if created is None or created < since - _CLOCKS_DIFFER or _counted(found) not in (0, len(ids)):
                continue
            heard = self.collect(str(found.id))
            if heard is None:
                still = True
            elif {one.id for one in heard} & set(ids):
                return heard
        if still:
            return None
        raise BatchGone("the server has no such batch")

    def cancel(self, batch_id: str) -> None:
        """See Post."""
        with _looking():
            self._client().messages.batches.cancel(batch_id)

    def _results(self, batch_id: str) -> tuple[Heard, ...]:
        """Read from the server that was asked: the address that it gives for them may be one that a proxy hides."""
        import httpx2  # noqa: PLC0415 - comes with the SDK
        from anthropic.types.messages import MessageBatchIndividualResponse  # noqa: PLC0415 - as above

        with _looking():
            answer = self._client().get(f"/v1/messages/batches/{batch_id}/results", cast_to=httpx2.Response)
        try:
            lines = [json.loads(line) for line in answer.content.splitlines() if line.strip()]
            return tuple(_heard(MessageBatchIndividualResponse.construct(**line)) for line in lines)
        except (ValueError, TypeError):  # no JSON, or not an object a line
            raise _busy() from None

    def _client(self) -> Anthropic:
        return cast("Anthropic", self._sdk.client())


_SMALLER = "see budget.max_sessions_per_run"


@contextmanager
def _looking() -> Iterator[None]:
    """Around a look at a batch: what may pass is EngineBusy, what was not found is gone."""
    try:
        with faults_named(missing=BatchGone("the server does not know this batch any more")):
            yield
    except TryAgain:
        raise _busy() from None
    except (TooLong, UnusableAnswer) as fault:
        raise EngineUnusable(
            f"the server does not tell about the batch ({fault})", hint="does it speak Message Batches?"
        ) from None


def _unknown(fault: EngineFault) -> EngineUnusable:
    """A server that refuses batches, with what to do about it."""
    hint = f"set engine.batch = false where the server takes no batches; {fault.hint}"
    return EngineUnusable(fault.message, hint=hint)


def _busy() -> EngineBusy:
    return EngineBusy("the model's server does not answer about the batch", hint="it is looked at again later")


def _heard(line: object) -> Heard:
    result = getattr(line, "result", None)
    kind, name = str(getattr(result, "type", "")), str(getattr(line, "custom_id", ""))
    if kind != "succeeded":
        return Heard(name, fault=kind or "errored")
    try:
        return Heard(name, reply_of(getattr(result, "message", None)))
    except (TryAgain, TooLong, EngineFault):  # something else stands where the message should
        return Heard(name, fault="errored")


def _counted(batch: object) -> int:
    counts = getattr(batch, "request_counts", None)
    numbers = [getattr(counts, name, 0) for name in ("processing", "succeeded", "errored", "canceled", "expired")]
    return sum(number for number in numbers if isinstance(number, int))


def _moment(value: object) -> dt.datetime | None:
    return value if isinstance(value, dt.datetime) and value.tzinfo else None
