"""The counting pass over a Codex rollout: who spoke how often, when and at what cost, without keeping a word."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from dreamd.transcripts.codex_person import CodexPerson, Thread
from dreamd.transcripts.codex_record import Record, decode, decode_tolerantly
from dreamd.transcripts.counting import Sums
from dreamd.transcripts.event import Cursor, Growth, Reading

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
    sums: Sums = field(default_factory=Sums)
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def records(self) -> int:
        """How many there were."""
        return self.sums.records

    def run(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Reads the lines to their end."""
        for record, offset in self.sums.each(lines, decode, decode_tolerantly):
            self._count(record, offset)

    def close(self) -> None:
        """Nothing more comes."""
        self.sums.turns += self.hearer.close()

    def _count(self, record: Record, offset: int) -> None:
        self.sums.records += 1
        self.sums.time(record.timestamp)
        if record.kind not in _KINDS:
            self.sums.unknown[record.kind or _NO_TYPE] += 1
            return
        self.sums.turns += self.hearer.hear(record, offset)
        info = record.payload.info
        if info is not None and info.total_token_usage is not None:
            self.tokens_in = max(self.tokens_in, info.total_token_usage.input_tokens or 0)
            self.tokens_out = max(self.tokens_out, info.total_token_usage.output_tokens or 0)

    def reading(self, growth: Growth, cursor: Cursor, *, bytes_read: int, oversized: int) -> Reading:
        """What the stretch comes to; turns that were taken back within it are not in it."""
        thread = self.hearer.thread or Thread()
        total = f"{thread.id}:total"
        common = self.sums.reading(
            growth,
            cursor,
            bytes_read=bytes_read,
            oversized=oversized,
            stands=lambda turn: not self.hearer.is_undone(turn.offset),
        )
        return replace(
            common,
            output_tokens={total: self.tokens_out} if self.tokens_out else {},
            input_tokens={total: self.tokens_in} if self.tokens_in else {},
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
