"""Words typed while an agent works: each is told once, whether it was delivered, taken in mid-turn, or stands in the queue's log alone."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from dreamd.clock import parse_time
from dreamd.transcripts.claude_record import Record
from dreamd.transcripts.jsonl import clean_text
from dreamd.transcripts.speaker import queued_words

#: A prompt waits this long, or this many bytes, for its delivery; then it stands by itself.
PATIENCE = dt.timedelta(minutes=30)
REACH = 16 * 1024 * 1024
_MOST_ITEMS = 1000


@dataclass(frozen=True, slots=True)
class QueuedWords:
    """Something that a person typed and that no line but the queue's own holds."""

    id: str  # digest of time and words: the line has no uuid
    offset: int  # of the line that put it into the queue
    at: dt.datetime | None
    timestamp: str | None
    words: str


@dataclass(slots=True)
class _Item:
    said: QueuedWords | None  # None: a notification or a slash command; kept for the order of the queue
    content: str
    taken_out: bool = False
    pulled_back: bool = False


@dataclass(slots=True)
class WaitingRoom:
    """Follows the queue through one stretch of a transcript. The methods return the words that now stand by themselves.

    The client logs `enqueue` with the words, then `dequeue` when it sends them as a prompt of their own, `remove` when they are taken into
    the running turn (newer versions give a reason and write an attachment with the words, older ones write nothing more), and `popAll`
    when they go back into the input line: what the person says next then replaces them if it still holds them, else they were said.
    """

    _items: list[_Item] = field(default_factory=list)
    _sent: int = 0  # prompts sent from the queue whose own line has not come yet

    def __bool__(self) -> bool:
        return bool(self._items)

    def held_from(self) -> int | None:
        """Where the first words stand of which it is not known yet whether they come again; None: nothing waits."""
        return min((item.said.offset for item in self._items if item.said), default=None)

    def held_since(self) -> dt.datetime | None:
        """When the newest of the waiting words were typed."""
        return max((item.said.at for item in self._items if item.said and item.said.at), default=None)

    def operation(self, record: Record, offset: int) -> list[QueuedWords]:
        """A `queue-operation` line."""
        content = record.content if isinstance(record.content, str) else ""
        match record.operation:
            case "enqueue":
                item = _Item(_said(record, content, offset), content)
                alone = self._spoken(content) if item.said else []
                self._items.append(item)
                return alone
            case "dequeue":
                self._sent += 1
            case "popAll":
                back = [item for item in self._items if _holds(content, item.content)] or self._items
                for item in back:
                    item.pulled_back = True
            case "remove" if record.reason:
                self._drop(content)
            case "remove":
                for item in self._items:
                    if not (item.taken_out or item.pulled_back) and content in {"", item.content}:
                        item.taken_out = True
                        break
            case _:
                pass
        return []

    def delivered(self, text: str, *, by_person: bool) -> list[QueuedWords]:
        """A line came with this text: whoever is in it waits no longer. Several prompts may be sent as one."""
        if not self._items:
            return []
        before = len(self._items)
        self._items = [item for item in self._items if not _holds(text, item.content)]
        self._sent = max(0, self._sent - (before - len(self._items)))
        return self._spoken(text) if by_person else []

    def answered(self) -> list[QueuedWords]:
        """The agent spoke: what was taken out before and has not come since will not come."""
        if not self._items:
            return []
        alone = [item for item in self._items if item.taken_out]
        if alone:
            self._items = [item for item in self._items if not item.taken_out]
        return [item.said for item in alone if item.said]

    def passed(self, timestamp: str | None, offset: int) -> list[QueuedWords]:
        """A line of this time and place was read: whoever has waited too long stands alone."""
        if not self._items:
            return []
        now = parse_time(timestamp)
        return self._release(
            lambda said: (
                offset - said.offset > REACH or (now is not None and said.at is not None and now - said.at > PATIENCE)
            )
        )

    def closed(self) -> list[QueuedWords]:
        """Nothing more will come."""
        return self._release(lambda _: True)

    def _spoken(self, text: str) -> list[QueuedWords]:
        """The person went on: what was pulled back before is in these words, or was let stand."""
        alone = [
            item.said for item in self._items if item.pulled_back and item.said and item.content.strip() not in text
        ]
        self._items = [item for item in self._items if not item.pulled_back]
        return alone

    def _drop(self, content: str) -> None:
        for item in self._items:
            if item.content == content:
                self._items.remove(item)
                return

    def _release(self, ripe: Callable[[QueuedWords], bool]) -> list[QueuedWords]:
        """Takes out what is ripe, oldest first; as many as were sent count as delivered, though their lines were not recognised."""
        alone: list[QueuedWords] = []
        kept: list[_Item] = []
        for item in self._items:
            if item.said is not None and not ripe(item.said):
                kept.append(item)
            elif self._sent and not (item.taken_out or item.pulled_back):
                self._sent -= 1
            elif item.said is not None:
                alone.append(item.said)
            else:
                kept.append(item)
        self._items = kept[-_MOST_ITEMS:]
        return alone


def _holds(text: str, content: str) -> bool:
    """Whether the content is the text, or some whole lines of it."""
    return f"\n{content.strip()}\n" in f"\n{text.strip()}\n"


def _said(record: Record, content: str, offset: int) -> QueuedWords | None:
    words = clean_text(queued_words(content))
    if not words:
        return None
    digest = hashlib.sha256(f"{record.timestamp}\n{content}".encode("utf-8", "replace")).hexdigest()
    return QueuedWords(f"queued-{digest[:32]}", offset, parse_time(record.timestamp), record.timestamp, words)
