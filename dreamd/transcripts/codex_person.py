"""What a person said in a Codex rollout: every turn once, although the client logs it twice and forks replay it."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import uuid
from dataclasses import dataclass, field

from dreamd.clock import parse_time
from dreamd.transcripts import speaker
from dreamd.transcripts.codex_record import Payload, Record, text_of, texts, word
from dreamd.transcripts.event import Origin
from dreamd.transcripts.turn import PersonTurn

#: How messages in the user's place begin that the client put there.
_INJECTED = re.compile(
    r"\s*(?:# AGENTS\.md|## User Input\b|<(?:environment_context|user_instructions|permissions|skills?|turn_aborted|"
    r"collaboration_mode|model_switch|apps_instructions|skills_instructions|plugins_instructions|tools|INSTRUCTIONS|"
    r"subagent_notification|hook_prompt|user_shell_command|user_action|memory|context_compaction|goal_context)\b)"
)
#: What an editor's extension puts before the words, and where the words begin.
_EDITOR = re.compile(r"\s*# Context from my IDE setup:.*?^## My request for Codex:[ \t]*\n?", re.DOTALL | re.MULTILINE)
#: A plan that the agent wrote and the client sent back when the person agreed to it.
_PLANS = ("PLEASE IMPLEMENT THIS PLAN:", "A previous agent produced the plan below")
_CWD = re.compile(r"<cwd>(.+?)</cwd>|^Current working directory: (.+)$", re.MULTILINE)
_SCRIPTS = frozenset({"exec", "mcp"})
_MACHINES = frozenset({"subagent", "sub_agent", "internal"})
_PEOPLE = frozenset({"user"})
#: Events of a user's words: the older one, and the one of paginated histories.
_USER_EVENTS = frozenset({"user_message", "item_completed"})
_STARTS = frozenset({"task_started", "turn_started"})
_ANSWERS = frozenset({"agent_message", "task_complete", "turn_complete", "turn_aborted"})
_VERSION_7 = 7


@dataclass(frozen=True, slots=True)
class Thread:
    """What the first line of a rollout says."""

    id: str = ""
    forked_from: str | None = None
    began: dt.datetime | None = None
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    version: str | None = None
    source: str | None = None
    script: bool = False  # its prompts come from a script
    machine: bool = False  # a sub-agent or one of the client's own threads: nobody speaks here

    @classmethod
    def of(cls, record: Record) -> Thread:
        """The thread that a `session_meta` line describes."""
        meta = record.payload
        source = word(meta.source)
        maker = word(meta.thread_source)
        return cls(
            id=meta.id or "",
            forked_from=meta.forked_from_id,
            began=parse_time(meta.timestamp) or parse_time(record.timestamp),
            cwd=meta.cwd,
            branch=meta.git.branch if meta.git else None,
            repository=_repository(meta.git.repository_url if meta.git else None),
            version=meta.cli_version,
            source=source,
            script=source in _SCRIPTS,
            machine=source in _MACHINES or (maker is not None and maker not in _PEOPLE),
        )


@dataclass(slots=True)
class CodexPerson:
    """Hears the records of a rollout from its first line on and tells the person's turns, none of them twice.

    `undone` are the stretches of the file, (from, to) in bytes, whose turns the person took back.
    """

    thread: Thread | None = None
    own: bool = False
    cwd: str | None = None
    undone: list[tuple[int, int]] = field(default_factory=list)
    _root: str = ""  # the first thread of a chain of forks
    _turn: str | None = None
    _trigger: str | None = None
    _spoken: str | None = None  # the turn in which the person spoke last
    _last: str = ""  # what they said
    _events: bool = False  # this client logs a person's words as events
    _count: int = 0
    _standing: list[int] = field(default_factory=list)  # where the turns stand that were not taken back
    _seen: set[str] = field(default_factory=set)
    _waiting: PersonTurn | None = None  # words of the model's view whose event may follow

    def hear(self, record: Record, offset: int) -> list[PersonTurn]:
        """The turns that are certain with this record."""
        match record.kind:
            case "session_meta":
                self._meta(record)
            case "turn_context":
                self._turn = record.payload.turn_id or self._turn
                self.cwd = record.payload.cwd or self.cwd
            case "event_msg":
                return self._event(record, offset)
            case "response_item":
                return self._item(record, offset)
            case _:
                pass
        return []

    def close(self) -> list[PersonTurn]:
        """The words still waiting when nothing more comes."""
        waiting, self._waiting = self._waiting, None
        return self._told(waiting) if waiting else []

    def is_undone(self, offset: int) -> bool:
        """Whether what stands there was taken back."""
        return any(start <= offset < end for start, end in self.undone)

    def _meta(self, record: Record) -> None:
        """The first line is this thread's; further ones are those of the threads it was forked from, replayed."""
        found = Thread.of(record)
        if self.thread is None:
            self.thread = found
            self.cwd = found.cwd
        self._root = found.forked_from or found.id or self._root

    def _event(self, record: Record, offset: int) -> list[PersonTurn]:
        body = record.payload
        if body.type in _STARTS:
            self._turn = body.turn_id or self._turn
            self._trigger = body.turn_attribution.turn_trigger if body.turn_attribution else None
        elif body.type == "thread_rolled_back":
            told = self.close()
            self._roll_back(body.num_turns or 0, offset)
            return told
        elif body.type in _USER_EVENTS:
            if body.type == "item_completed" and (body.item is None or body.item.type != "UserMessage"):
                return []
            self._events = True
            said = text_of(body.item.content if body.item else body.message)
            return self._say(record, offset, said, declared=True)
        elif body.type in _ANSWERS:
            return self.close()
        return []

    def _item(self, record: Record, offset: int) -> list[PersonTurn]:
        told = self.close()
        body = record.payload
        if body.type != "message" or body.role != "user":
            return told
        said = own_texts(body)
        if self.cwd is None and (found := _CWD.search(text_of(body.content))):
            self.cwd = (found[1] or found[2]).strip()
        if self._events or not said:
            return told
        words = "\n".join(said)
        if record.bare:
            return told + self._say(record, offset, words, declared=False)
        self._waiting = self._made(record, offset, words, declared=False)
        return told

    def _say(self, record: Record, offset: int, said: str, *, declared: bool) -> list[PersonTurn]:
        """Words that are a turn's; the same that wait out of the model's view are dropped, others told before."""
        made = self._made(record, offset, said, declared=declared)
        waiting, self._waiting = self._waiting, None
        told = self._told(waiting) if waiting and (made is None or waiting.text != made.text) else []
        return told + (self._told(made) if made else [])

    def _made(self, record: Record, offset: int, said: str, *, declared: bool) -> PersonTurn | None:
        self.own = self.own or speaker.is_own(said)
        words = person_words(said, declared=declared)
        thread = self.thread or Thread()
        if not words or thread.machine:
            return None
        turn = record.payload.turn or self._turn
        script = self._trigger == "exec" or (thread.script and self._trigger != "user")
        return PersonTurn(
            id=_digest(turn or f"{self._root}:{self._count}", words),
            parent_id=None,
            offset=offset,
            at=_time(record, thread, turn),
            origin=Origin.HEADLESS if script else Origin.QUEUED if turn and turn == self._spoken else Origin.TYPED,
            text=words,
            cwd=self.cwd,
            branch=thread.branch,
        )

    def _told(self, turn: PersonTurn) -> list[PersonTurn]:
        if turn.id in self._seen:
            return []
        self._seen.add(turn.id)
        self._count += 1
        self._spoken = self._turn
        self._standing.append(turn.offset)
        return [turn]

    def _roll_back(self, turns: int, offset: int) -> None:
        if turns <= 0 or not self._standing:
            return
        self.undone.append((self._standing[-turns:][0], offset))
        del self._standing[-turns:]


def person_words(text: str, *, declared: bool = True) -> str:
    """What a person typed of a message in the user's place; "" where the client wrote it."""
    if not declared and _INJECTED.match(text):
        return ""
    words = speaker.human_words(_EDITOR.sub("", text, count=1), declared=declared)
    return "" if words.startswith(_PLANS) else words


def own_texts(body: Payload) -> list[str]:
    """The items of a message in the user's place that are a person's, as far as the line or the text itself tells."""
    said = texts(body.content)
    kinds = body.kinds
    if len(kinds) == len(said):
        said = [text for text, kind in zip(said, kinds, strict=True) if kind.startswith("user.")]
    return [text for text in said if text.strip() and not _INJECTED.match(text)]


def _repository(url: str | None) -> str | None:
    """A remote that names a repository; None for one that somebody has made unrecognisable."""
    name = re.split(r"[/:\\]", (url or "").rstrip("/"))[-1].removesuffix(".git")
    return url if re.search(r"\w", name) else None


def _digest(place: str, words: str) -> str:
    """The same in every copy: a fork keeps turn ids, but writes its own time on every line it replays."""
    return hashlib.blake2b(f"{place}\n{words}".encode("utf-8", "replace"), digest_size=16).hexdigest()


def _time(record: Record, thread: Thread, turn: str | None) -> dt.datetime | None:
    """When it was said: the line's time, or the turn's own where a fork replays it; a bare line has only the thread's."""
    at = parse_time(record.timestamp) or (thread.began if record.bare else None)
    if turn is None or thread.forked_from is None or thread.began is None:
        return at
    minted = _minted(turn)
    return minted if minted is not None and minted < thread.began else at


def _minted(turn: str) -> dt.datetime | None:
    """The moment in a version 7 UUID."""
    try:
        value = uuid.UUID(turn)
    except ValueError:
        return None
    if value.version != _VERSION_7:
        return None
    return dt.datetime.fromtimestamp((value.int >> 80) / 1000, dt.UTC)
