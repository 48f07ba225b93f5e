"""The counting pass over a Codex rollout: who spoke how often, when and at what cost, without keeping a word."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from dreamd.clock import parse_time
from dreamd.transcripts.codex_person import CodexPerson, Thread
from dreamd.transcripts.codex_record import Record, decode, decode_tolerantly
from dreamd.transcripts.event import Cursor, Growth, HumanTurn, Origin, Reading
from dreamd.transcripts.person import PersonTurn

#: Line types that are read or known to hold nothing of the conversation. `world_state`, the client's own picture of the
#: surroundings, is not among them: it is tallied, so that it can be seen that it was left out.
_KINDS = frozenset(
    "session_meta response_item event_msg turn_context compacted inter_agent_communication "  # noqa: SIM905 - a list of names is easier to keep as words
    "inter_agent_communication_metadata token_usage_record record_type:state".split()
)
_NO_TYPE = "no type"


@dataclass(slots=True)
class CodexTally:
    """What one stretch of a rollout adds up to; `hearer` has heard everything before it."""

    hearer: CodexPerson
    records: int = 0
    bad_lines: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    turns: list[PersonTurn] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    first_at: dt.datetime | None = None
    last_at: dt.datetime | None = None

    def run(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Reads the lines to their end."""
        for offset, line in lines:
            record = decode(line)
            if record is not None:
                self._count(record, offset)
                continue
            saved = decode_tolerantly(line)
            self.bad_lines += saved.bad
            for each in saved.records:
                self._count(each, offset)

    def close(self) -> None:
        """Nothing more comes."""
        self.turns += self.hearer.close()

    def _count(self, record: Record, offset: int) -> None:
        self.records += 1
        if (at := parse_time(record.timestamp)) is not None:
            self.first_at = min(self.first_at or at, at)
            self.last_at = max(self.last_at or at, at)
        if record.kind not in _KINDS:
            self.unknown[record.kind or _NO_TYPE] += 1
            return
        self.turns += self.hearer.hear(record, offset)
        info = record.payload.info
        if info is not None and info.total_token_usage is not None:
            self.tokens_in = max(self.tokens_in, info.total_token_usage.input_tokens or 0)
            self.tokens_out = max(self.tokens_out, info.total_token_usage.output_tokens or 0)

    def reading(self, growth: Growth, cursor: Cursor, *, bytes_read: int, oversized: int) -> Reading:
        """What the stretch comes to; turns that were taken back within it are not in it."""
        thread = self.hearer.thread or Thread()
        heard = [turn for turn in self.turns if not self.hearer.is_undone(turn.offset)]
        total = f"{thread.id}:total"
        return Reading(
            growth=growth,
            cursor=cursor,
            bytes_read=bytes_read,
            records=self.records,
            bad_lines=self.bad_lines,
            oversized_lines=oversized,
            unknown_types=dict(self.unknown),
            turns=tuple(_counted(turn) for turn in heard if turn.origin is not Origin.HEADLESS),
            headless_turns=tuple(_counted(turn) for turn in heard if turn.origin is Origin.HEADLESS),
            output_tokens={total: self.tokens_out} if self.tokens_out else {},
            input_tokens={total: self.tokens_in} if self.tokens_in else {},
            first_at=self.first_at,
            last_at=self.last_at,
            first_cwd=thread.cwd or self.hearer.cwd,
            branch=thread.branch,
            version=thread.version,
            entrypoint=thread.source,
            headless=thread.script or thread.machine,
            lineage=thread.forked_from or thread.id or None,
            # A fork of this fork names this thread: so it is known to belong to the same lineage.
            boundaries=(thread.id,) if thread.forked_from and thread.id else (),
            repository=thread.repository,
            own=self.hearer.own,
        )


def _counted(turn: PersonTurn) -> HumanTurn:
    return HumanTurn(turn.id, turn.offset, turn.at, turn.origin)
