"""The tables of what dreamd knows; no transcript text stands in any but `findings`."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from dreamd.state.columns import Moment, Unsigned

#: The newest migration in `migrations/versions`; a test holds them equal.
REVISION = "0003"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: Sessions with something to learn. As text, because a database uses a partial index only for its very words.
PENDING = text("unread > 0 AND quarantined_at IS NULL AND lost_at IS NULL")

projects = Table(
    "projects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("root", Text, nullable=False, index=True),
    Column("remote", Text),
    Column("stem", Text, nullable=False, unique=True),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("agent", Text, nullable=False),
    Column("native_id", Text, nullable=False),
    Column("project", ForeignKey("projects.id")),
    Column("root", Text, nullable=False),  # the source's root it was found under
    Column("path", Text, nullable=False),  # its main file, the newest if there are several
    Column("cwd", Text, index=True),
    Column("repository", Text),
    Column("lineage", Text, nullable=False),
    Column("entrypoint", Text),
    Column("version", Text),
    Column("branch", Text),
    Column("headless", Boolean, nullable=False),
    Column("own", Boolean, nullable=False),
    Column("with_headless", Boolean, nullable=False),  # prompts nobody typed count, as of the last classification
    Column("barred", Text),  # the part of `excluded` that does not depend on turns
    Column("excluded", Text),
    Column("human_turns", Integer, nullable=False),
    Column("unread", Integer, nullable=False),  # 0 for an excluded session
    Column("gathered", Integer, nullable=False),  # unread turns whose findings are stored
    Column("tokens_in", BigInteger, nullable=False),
    Column("tokens_out", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("bad_lines", Integer, nullable=False),
    Column("oversized_lines", Integer, nullable=False),
    Column("unknown_types", JSON, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("first_at", Moment),
    Column("last_at", Moment),
    Column("grown_at", Moment),
    Column("quiet_at", Moment, nullable=False),
    Column("archive_path", Text),
    Column("archive_digest", Text),
    Column("archived_at", Moment),
    Column("trimmed_at", Moment),  # the copy was given up for space; none is made until the session grows
    Column("failures", Integer, nullable=False),
    Column("quarantine_reason", Text),
    Column("quarantined_at", Moment),
    Column("consolidated_at", Moment),
    Column("lost_at", Moment),
    Column("forgotten_at", Moment),
    UniqueConstraint("agent", "native_id"),
    # No index on lineage alone: SQLite would walk it instead of the next one to have its rows in order.
    # The gate's question, answered from the index alone: which lineages have unread turns and have been quiet.
    Index(
        "ix_sessions_pending",
        "quiet_at",
        "lineage",
        *("unread", "quarantined_at", "lost_at"),  # SQLite looks the condition's columns up once more
        sqlite_where=PENDING,
    ),
)

files = Table(
    "files",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("native_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("session", ForeignKey("sessions.id"), index=True),  # NULL: a sub-agent's file whose session was never seen
    # The cursor. No stamp: the file was seen and not read.
    Column("size", BigInteger),
    Column("mtime_ns", BigInteger),
    Column("inode", Unsigned),
    Column("consumed", BigInteger, nullable=False),
    Column("head", Text, nullable=False),
    Column("tail", Text, nullable=False),
    Column("crc", BigInteger, nullable=False),
    Column("settled", Boolean, nullable=False),  # its unfinished tail was looked at since it came to rest
    # What was counted up to the cursor.
    Column("records", Integer, nullable=False),
    Column("bad_lines", Integer, nullable=False),
    Column("oversized_lines", Integer, nullable=False),
    Column("unknown_types", JSON, nullable=False),
    Column("tokens_in", BigInteger, nullable=False),
    Column("tokens_out", BigInteger, nullable=False),
    Column("recent_messages", JSON, nullable=False),  # last message ids → [in, out]: a message may go on in new bytes
    Column("first_at", Moment),
    Column("last_at", Moment),
    Column("grown_at", Moment),
    Column("seen_at", Moment, nullable=False),
    Column("lost_at", Moment),
    UniqueConstraint("path", "native_id"),
    Index("ix_files_agent_native_id", "agent", "native_id"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("agent", Text, nullable=False),
    Column("uid", Text, nullable=False),
    Column("session", ForeignKey("sessions.id"), nullable=False, index=True),  # that held it first
    Column("at", Moment),
    Column("origin", Text, nullable=False),
    Column("consolidated_run", Text, index=True),  # NULL: unread
    Column("size", Integer),  # bytes of what is read of it; NULL: seen before they were counted
    UniqueConstraint("agent", "uid"),
)

#: Where a turn stands; forks and resumed copies give one turn several places, but one in each session.
places = Table(
    "places",
    metadata,
    Column("session", ForeignKey("sessions.id"), primary_key=True),
    Column("turn", ForeignKey("turns.id"), primary_key=True, index=True),
    Column("file", ForeignKey("files.id"), nullable=False, index=True),
    Column("offset", BigInteger, nullable=False),
    Column("headless", Boolean, nullable=False),
)

#: Where sessions were compacted: a fork of a compacted session begins there, and belongs to the lineage named here.
boundaries = Table(
    "boundaries",
    metadata,
    Column("agent", Text, primary_key=True),
    Column("uuid", Text, primary_key=True),
    Column("lineage", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("trigger", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("started_at", Moment, nullable=False, index=True),
    Column("ended_at", Moment),
    Column("outcome", Text, index=True),
    Column("undone_at", Moment),
    Column("reason", Text, nullable=False),
    Column("passes", JSON, nullable=False),
    Column("sessions", JSON, nullable=False),
    Column("findings", Integer, nullable=False),
    Column("changes", JSON, nullable=False),
    Column("tokens_input", BigInteger, nullable=False),
    Column("tokens_output", BigInteger, nullable=False),
    Column("tokens_cache_read", BigInteger, nullable=False),
    Column("tokens_cache_write", BigInteger, nullable=False),
    Column("usd", Float, nullable=False),
    Column("commit", Text),
    Column("diff_stat", Text, nullable=False),
    Column("dropped", JSON, nullable=False),
    Column("kept", JSON, nullable=False),
    Column("notes", JSON, nullable=False),
    Column("about", Text),  # the run that an undo, accept or reject is about
    Column("error", Text, nullable=False),
)

run_sessions = Table(
    "run_sessions",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("session", ForeignKey("sessions.id"), primary_key=True, index=True),
)

#: What was there when a run selected a session: what comes later stays pending.
run_turns = Table(
    "run_turns",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("turn", ForeignKey("turns.id"), primary_key=True, index=True),
    Column("session", ForeignKey("sessions.id"), nullable=False),
)

#: What every call cost, written as it is paid: a run that dies has still spent it.
charges = Table(
    "charges",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run", ForeignKey("runs.id"), nullable=False, index=True),
    Column("at", Moment, nullable=False, index=True),
    Column("purpose", Text, nullable=False),
    Column("tokens_input", BigInteger, nullable=False),
    Column("tokens_output", BigInteger, nullable=False),
    Column("tokens_cache_read", BigInteger, nullable=False),
    Column("tokens_cache_write", BigInteger, nullable=False),
    Column("usd", Float, nullable=False),
)

#: Which turns were read by which engine and prompt version: work that was paid for is not paid for twice.
gathered = Table(
    "gathered",
    metadata,
    Column("turn", ForeignKey("turns.id"), primary_key=True),
    Column("engine", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("session", ForeignKey("sessions.id"), nullable=False, index=True),
    Column("run", ForeignKey("runs.id"), nullable=False),
    Column("at", Moment, nullable=False),
)

findings = Table(
    "findings",
    metadata,
    Column("id", Text, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("session", ForeignKey("sessions.id"), nullable=False, index=True),
    Column("run", ForeignKey("runs.id"), nullable=False, index=True),
    Column("engine", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("turn_uid", Text, nullable=False),
    Column("at", Moment),
    Column("quote", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("slot", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("weight", Float, nullable=False),
    Column("happened", Date),
    Column("project_key", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("offset", BigInteger, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("status", Text, nullable=False),
    Column("drop_reason", Text, nullable=False),
    Column("used_run", Text, index=True),  # the run that used, dropped or withheld it
    Index("ix_findings_status_session", "status", "session"),
)

lease = Table(
    "lease",
    metadata,
    Column("id", Integer, primary_key=True),  # always 1
    Column("pid", Integer, nullable=False),
    Column("started", Text, nullable=False),
    Column("boot", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("namespace", Text, nullable=False),
    Column("run", Text, nullable=False),
    Column("acquired_at", Moment, nullable=False),
    Column("heartbeat_at", Moment, nullable=False),
)

marks = Table(
    "marks",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

withheld = Table(
    "withheld",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("run", Text, nullable=False, index=True),
    Column("at", Moment, nullable=False),
)

#: Requests that were sent as one batch and are not answered yet, by the run that waits for them.
batches = Table(
    "batches",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("engine", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("place", Text, nullable=False),  # fingerprint of the server
    Column("native_id", Text),  # the server's name for it; NULL: written down, and nobody knows whether it arrived
    Column("written_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("look_at", Moment, nullable=False),  # when the service looks next
)

#: One request of a batch: which turns it reads and which it shows; no word of them.
letters = Table(
    "letters",
    metadata,
    Column("id", Text, primary_key=True),
    Column("run", ForeignKey("batches.run"), nullable=False, index=True),
    Column("session", ForeignKey("sessions.id"), nullable=False, index=True),
    Column("turns", JSON, nullable=False),  # rows
    Column("shown", JSON, nullable=False),  # agents' ids in the order shown
    Column("tokens_input", BigInteger, nullable=False),  # what it may cost
    Column("tokens_output", BigInteger, nullable=False),
    Column("usd", Float, nullable=False),
)

#: What a server said of a model, so that not every dream asks again.
models = Table(
    "models",
    metadata,
    Column("place", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("window", BigInteger),  # NULL: it does not say
    Column("answer", BigInteger),
    Column("asked_at", Moment, nullable=False),
)

requests = Table(
    "requests",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("taken_at", Moment),
    Column("done_at", Moment),
    Column("run", Text),
    Column("answer", Text, nullable=False),
)
