"""The counting pass over a Claude Code transcript: who spoke how often, when and at what cost, without keeping a word."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass, field

from dreamd.clock import parse_time
from dreamd.transcripts.claude_record import PASSED_OVER, Message, Record, decode, decode_tolerantly, glance
from dreamd.transcripts.event import Cursor, Growth, Origin, Reading
from dreamd.transcripts.jsonl import Lines
from dreamd.transcripts.person import PersonTurns, is_queued
from dreamd.transcripts.turn import PersonTurn

#: The types that form a session's tree; the first of them with a uuid names the lineage.
CONVERSATION = frozenset({"user", "assistant", "system", "attachment", "progress"})
#: Types that are known and passed over without a word. Anything else is tallied.
KNOWN = CONVERSATION | frozenset(
    "summary ai-title custom-title last-prompt queue-operation tag file-history-snapshot file-history-delta mode "  # noqa: SIM905 - a list of names is easier to keep as words
    "permission-mode memory-mode pr-link relocated worktree-state agent-name agent-setting agent-color bridge-session "
    "frame-link cost-state saved_hook_context content-replacement fork-context-ref attribution-snapshot ended-by-model "
    "isolation-latch observer-ref atis-latch tools-used api-request api-request-shape api-request-blob continued-in "
    "derived-from history-suppression session-owner".split()
)
#: Types in which a person may speak, or that tell what becomes of their waiting words.
HEARD = frozenset({"user", "assistant", "system", "attachment", "queue-operation"})
_ENVELOPES = 200  # conversation lines looked at for what older versions do not write at all
NO_TYPE = "no type"
COMPACTION = "compact_boundary"
_PLAIN_TIME = len("2026-01-31T12:00:00.000Z")


@dataclass(slots=True)
class Tally:
    """What one stretch of a transcript adds up to."""

    lines: Lines
    records: int = 0
    bad_lines: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    person: PersonTurns = field(default_factory=PersonTurns)
    turns: list[PersonTurn] = field(default_factory=list)
    output_tokens: dict[str, int] = field(default_factory=dict)
    input_tokens: dict[str, int] = field(default_factory=dict)
    first_time: str = ""  # the lines' own texts: times of the usual form order as they are
    last_time: str = ""
    cwd: str | None = None
    branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    headless: bool | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    lineage: str | None = None
    boundaries: list[str] = field(default_factory=list)
    repository: str | None = None
    _envelopes: int = 0
    _introduced: bool = False  # what the first lines tell is known

    def run(self) -> Tally:
        """Reads the lines to their end."""
        for offset, line in self.lines:
            if line.startswith(PASSED_OVER):
                if glance(line) in KNOWN:
                    self.records += 1
                    continue
            elif (record := decode(line)) is not None:
                self._count(record, offset)
                continue
            saved = decode_tolerantly(line)
            self.bad_lines += saved.bad
            for each in saved.records:
                self._count(each, offset)
        return self

    def _count(self, record: Record, offset: int) -> None:
        self.records += 1
        if record.timestamp:
            self._time(record.timestamp)
        kind = record.type
        if kind in CONVERSATION:
            if not self._introduced:
                self._envelope(record)
            if kind == "assistant" and record.message is not None:
                self._usage(record.message)
            elif kind == "attachment" and not is_queued(record):
                return  # the commonest line of all
            elif record.subtype == COMPACTION and record.uuid:
                self.boundaries.append(record.uuid)
        elif kind not in HEARD:
            self._beside(record)
            return
        if kind != "progress" and (turns := self.person.hear(record, offset)):
            self.turns += turns

    def _beside(self, record: Record) -> None:
        """A line outside the conversation."""
        match record.type:
            case "custom-title":
                self.custom_title = record.custom_title or self.custom_title
            case "ai-title":
                self.ai_title = record.ai_title or self.ai_title
            case "pr-link":
                self.repository = record.pr_repository or self.repository
            case kind if kind not in KNOWN:
                self.unknown[kind or NO_TYPE] += 1
            case _:
                pass

    def _envelope(self, record: Record) -> None:
        self.lineage = self.lineage or record.identity
        self.cwd = self.cwd or record.cwd
        self.branch = self.branch or record.git_branch
        self.version = self.version or record.version
        self.entrypoint = self.entrypoint or record.entrypoint
        if self.headless is None:
            self.headless = record.headless
        self._envelopes += 1
        complete = self.lineage and self.cwd and self.version and self.entrypoint and self.branch
        self._introduced = bool(complete) or self._envelopes >= _ENVELOPES

    def _usage(self, message: Message) -> None:
        """The counts of one message: repeated on each of its lines, so the largest hold."""
        usage = message.usage
        name = message.id
        if usage is None or not name:
            return
        spoken = usage.output_tokens or 0
        if spoken >= self.output_tokens.get(name, 0):
            self.output_tokens[name] = spoken
        heard = (usage.input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
        heard += usage.cache_read_input_tokens or 0
        if heard >= self.input_tokens.get(name, 0):
            self.input_tokens[name] = heard

    def _time(self, text: str) -> None:
        if self.first_time <= text <= self.last_time:
            return
        if len(text) != _PLAIN_TIME or text[10] != "T" or text[-1] != "Z" or not "1" < text < "3":
            moment = parse_time(text)
            if moment is None:
                return
            text = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if not self.first_time:
            self.first_time = self.last_time = text
        elif text > self.last_time:
            self.last_time = text
        elif text < self.first_time:
            self.first_time = text

    def reading(self, growth: Growth, cursor: Cursor, *, read_before: int) -> Reading:
        """What the stretch comes to. `read_before`: bytes read for it in an earlier try."""
        heard = sorted(self.turns, key=lambda turn: turn.offset)
        return Reading(
            growth=growth,
            cursor=cursor,
            bytes_read=self.lines.bytes_read + read_before,
            records=self.records,
            bad_lines=self.bad_lines,
            oversized_lines=self.lines.oversized,
            unknown_types=dict(self.unknown),
            turns=tuple(turn.counted for turn in heard if turn.origin is not Origin.HEADLESS),
            headless_turns=tuple(turn.counted for turn in heard if turn.origin is Origin.HEADLESS),
            output_tokens=self.output_tokens,
            input_tokens=self.input_tokens,
            first_at=parse_time(self.first_time),
            last_at=parse_time(self.last_time),
            first_cwd=self.cwd,
            branch=self.branch,
            version=self.version,
            entrypoint=self.entrypoint,
            headless=bool(self.headless),
            title=self.custom_title or self.ai_title,
            lineage=self.lineage,
            boundaries=tuple(dict.fromkeys(self.boundaries)),
            repository=self.repository,
            own=self.person.own,
        )


def waited_out(mtime_ns: int, at: dt.datetime | None, patience: dt.timedelta) -> bool:
    """Whether a file was written to so long after `at` that what waited then will not come any more."""
    if at is None:
        return True
    return dt.datetime.fromtimestamp(mtime_ns / 1e9, dt.UTC) - at > patience
