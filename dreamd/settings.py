"""Every configuration key with its type, default and meaning: the one source of validation, sample file and documentation."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from dreamd.schedule import cron_problem, quiet_hours

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|TB)", re.IGNORECASE)
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def parse_duration(text: object) -> dt.timedelta:
    """`90s`, `15m`, `24h`, `7d`, `2w` as a timedelta. Raises ValueError with the accepted forms."""
    match = _DURATION.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError('not a duration; write "90s", "15m", "24h" or "7d"')
    return dt.timedelta(seconds=float(match[1]) * _SECONDS[match[2]])


def _duration_or_never(text: object) -> dt.timedelta | None:
    return None if text == "never" else parse_duration(text)


def _size_or_none(text: object) -> int | None:
    if text == "":
        return None
    match = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError('not a size; write "500MB" or "20GB", or "" for no limit')
    return int(float(match[1]) * _BYTES[match[2].upper()])


def _zone(text: str) -> str:
    if text != "local":
        try:
            ZoneInfo(text)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError('not a time zone; write "local" or a name like "Europe/Berlin"') from None
    return text


def _cron(text: str) -> str:
    if text and (problem := cron_problem(text)):
        raise ValueError(problem)
    return text


def _hours(text: str) -> str:
    quiet_hours(text)
    return text


def _patterns(texts: list[str]) -> list[str]:
    for number, text in enumerate(texts, start=1):
        try:
            re.compile(text)
        except re.error as fault:
            raise ValueError(f"pattern {number} is no regular expression: {fault.msg}") from None
    return texts


def _written(text: str) -> Any:
    """A default as a person would write it; validation makes the value of it."""
    return text


Duration = Annotated[dt.timedelta, BeforeValidator(parse_duration)]
Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Agent = Literal["claude-code", "codex", "gemini", "opencode"]


class Section(BaseModel):
    """A table of the configuration: strict types, no unknown keys, never changed after loading."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, validate_default=True)


class Memory(Section):
    """The memory tree that dreams write."""

    root: str = Field("~/.claude/memory", description="where MEMORY.md and its topic folders lie")
    max_lines: int = Field(200, ge=20, description="MEMORY.md: what readers load; the rest goes to topic files")
    max_bytes: int = Field(25000, ge=2000, description="MEMORY.md, in bytes of UTF-8")
    topic_max_lines: int = Field(200, ge=20, description="each topic file; split beyond")
    stale_after: Duration = Field(
        _written("180d"),
        description="not confirmed for so long: leaves MEMORY.md for its topic file; after as long again, the topic file",
    )
    review: bool = Field(
        default=False, description="true: a dream stops before the commit and waits for `dreamd accept RUN`"
    )


class Source(Section):
    """One place where an agent keeps its transcripts."""

    agent: Agent = Field("claude-code", description="claude-code | codex | gemini | opencode")
    root: str = Field("~/.claude/projects", description="the directory of its transcripts")
    exclude: list[str] = Field([], description="globs on project directory or session id")


class Project(Section):
    """Rules for a directory and everything below it."""

    path: str = Field("~/work/client", description="the directory")
    learn: bool = Field(default=True, description="false: never read, never sent, never kept")
    engine: Literal["", "offline"] = Field(
        "", description='"offline": its words never leave this machine; isolate holds with it'
    )
    isolate: bool = Field(
        default=False, description="true: what is learned here stays in projects/ and is told only to sessions here"
    )

    @property
    def keeps_to_itself(self) -> bool:
        """Whether what is learned here is told only here: elsewhere, memory goes to models on other machines."""
        return self.isolate or self.engine == "offline"


class Gates(Section):
    """When a dream may begin by itself."""

    min_interval: Duration = Field(_written("24h"), description="since the last successful dream; never dreamed = open")
    min_sessions: int = Field(5, ge=1, description="finished sessions with new turns since then (lineages, not files)")
    idle: Duration = Field(_written("30m"), description="a session is finished when nothing new came for so long")
    headless: bool = Field(default=False, description="true: also learn from sessions no person typed in")


class Schedule(Section):
    """How often the gates are looked at."""

    enabled: bool = Field(default=True, description="false: dream only when told to")
    check_every: Duration = Field(_written("60s"), description="rescan of the sources and a look at the gates")
    cron: Annotated[str, AfterValidator(_cron)] = Field(
        "", description="instead of min_interval: five-field cron (0 and 7 are Sunday) in `timezone`"
    )
    timezone: Annotated[str, AfterValidator(_zone)] = Field(
        "local", description="whose days and hours: local, or a name like Europe/Berlin"
    )
    quiet_hours: Annotated[str, AfterValidator(_hours)] = Field(
        "", description='"22:00-07:00": dream only then; empty: any time'
    )
    retry_after: Duration = Field(
        _written("15m"), description="after a failed or incomplete run; doubles to 6h, at most 8 tries a day"
    )


class Engine(Section):
    """Who reads and decides."""

    name: Literal["offline", "claude"] = Field("offline", description="offline: no key, no network | claude")
    provider: Literal["anthropic", "bedrock", "vertex", "claude-code"] = Field(
        "anthropic", description="anthropic | bedrock | vertex | claude-code (your own `claude` command)"
    )
    base_url: str = Field("", description="any server that speaks the Anthropic Messages API")
    api_key_file: str = Field("", description="else ANTHROPIC_API_KEY")
    gather_model: str = Field("claude-haiku-5-5", description="reads sessions")
    consolidate_model: str = Field("claude-sonnet-5-5", description="merges and writes")
    batch: bool = Field(default=False, description="Message Batches API: half the price, minutes to hours later")
    max_concurrency: int = Field(4, ge=1, le=64, description="sessions read at the same time")
    timeout: Duration = Field(_written("2m"), description="of one call")


class Budget(Section):
    """What a dream may cost."""

    context_window: Count = Field(0, description="0: the model's own; 200,000 if unknown")
    reserve_tokens: Count = Field(10000, description="kept free; at most 5 % of a small window")
    warn_at: Share = Field(0.80, description="share of the working budget used: warn, compact at the next pause")
    compact_at: Share = Field(0.90, description="compact before anything else")
    stop_at: Share = Field(0.95, description="out of tokens")
    max_sessions_per_run: int = Field(50, ge=1, description="the rest is deferred to the next run")
    max_tokens_per_run: Count = Field(2000000, description="0: no dream that costs tokens")
    max_tokens_per_day: Count = Field(5000000, description="a day ends at local midnight")
    max_usd_per_run: float = Field(2.0, ge=0, description="an unknown price: the token limits alone hold")
    max_usd_per_day: float = Field(5.0, ge=0, description="a day ends at local midnight")


class ModelPrice(Section):
    """A price of your own for a model, in US dollars a million tokens; it goes before the packaged one."""

    model: str = Field("my-model", min_length=1, description="the model's name, or a part of it")
    input: float = Field(0.0, ge=0, description="sent")
    output: float = Field(0.0, ge=0, description="written by the model")
    cache_write: float = Field(0.0, ge=0, description="sent and put into the prompt cache")
    cache_read: float = Field(0.0, ge=0, description="sent and found in the prompt cache")
    batch: float = Field(0.5, ge=0, le=1, description="share of its price that a request in a batch costs")


class Guards(Section):
    """What a dream may never do."""

    max_loss: Share = Field(
        0.25, description="largest share of the entries (and at least 4) removed without a successor"
    )
    protect: list[str] = Field([], description="globs under the memory root that a dream never touches")


class Transcripts(Section):
    """What becomes of the agents' own files."""

    archive_after: Annotated[dt.timedelta | None, BeforeValidator(_duration_or_never)] = Field(
        _written("24h"),
        description='finished and unused so long, or soon deleted by the agent itself: a compressed copy goes into the archive; "never"',
    )
    originals: Literal["keep", "delete"] = Field(
        "keep",
        description="keep | delete: the agent's own file once it is consolidated, quiet for archive_after and closed, "
        "and its copy was just verified",
    )
    archive_max: Annotated[int | None, BeforeValidator(_size_or_none)] = Field(
        _written(""),
        description='"20GB": longest quiet copies with nothing unread go first, the last ones too; empty: no limit',
    )


class Redact(Section):
    """What is hidden before anything is stored or sent."""

    extra: Annotated[list[str], AfterValidator(_patterns)] = Field([], description="further regular expressions")


class Notify(Section):
    """Who is told when something needs a person."""

    command: str = Field(
        "",
        description="run with the reason when a dream fails twice, is refused or waits for review, or transcripts are about to be deleted undreamt",
    )


class Gather(Section):
    """Where the reading of sessions runs."""

    executor: Literal["threads", "procrastinate"] = Field("threads", description="threads (later: procrastinate)")


class State(Section):
    """Where dreamd keeps its own things."""

    dir: str = Field("", description="empty: the user's state directory")


class Log(Section):
    """The structured log."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="debug | info | warning | error")
    format: Literal["auto", "json", "console"] = Field(
        "auto", description="on stderr: auto | json | console; the file is always JSON lines"
    )


class Config(Section):
    """The whole configuration. Functions get their section, not this."""

    memory: Memory = Memory()
    sources: list[Source] = []  # empty: every agent found on this machine
    projects: list[Project] = []
    gates: Gates = Gates()
    schedule: Schedule = Schedule()
    engine: Engine = Engine()
    budget: Budget = Budget()
    prices: list[ModelPrice] = []
    guards: Guards = Guards()
    transcripts: Transcripts = Transcripts()
    redact: Redact = Redact()
    notify: Notify = Notify()
    gather: Gather = Gather()
    state: State = State()
    log: Log = Log()
