"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Creates every table."""
    op.create_table(
        "boundaries",
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("uuid", sa.Text(), nullable=False),
        sa.Column("lineage", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("agent", "uuid", name="pk_boundaries"),
    )
    op.create_table(
        "lease",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started", sa.Text(), nullable=False),
        sa.Column("boot", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("acquired_at", sa.BigInteger(), nullable=False),
        sa.Column("heartbeat_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_lease"),
    )
    op.create_table(
        "marks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_marks"),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("remote", sa.Text()),
        sa.Column("stem", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("key", name="uq_projects_key"),
        sa.UniqueConstraint("stem", name="uq_projects_stem"),
    )
    op.create_index("ix_projects_root", "projects", ["root"])
    op.create_table(
        "requests",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("taken_at", sa.BigInteger()),
        sa.Column("done_at", sa.BigInteger()),
        sa.Column("run", sa.Text()),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_requests"),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("outcome", sa.Text()),
        sa.Column("undone_at", sa.BigInteger()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("passes", sa.JSON(), nullable=False),
        sa.Column("sessions", sa.JSON(), nullable=False),
        sa.Column("findings", sa.Integer(), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("tokens_input", sa.BigInteger(), nullable=False),
        sa.Column("tokens_output", sa.BigInteger(), nullable=False),
        sa.Column("tokens_cache_read", sa.BigInteger(), nullable=False),
        sa.Column("tokens_cache_write", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Float(), nullable=False),
        sa.Column("commit", sa.Text()),
        sa.Column("diff_stat", sa.Text(), nullable=False),
        sa.Column("dropped", sa.JSON(), nullable=False),
        sa.Column("kept", sa.JSON(), nullable=False),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("about", sa.Text()),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_outcome", "runs", ["outcome"])
    op.create_index("ix_runs_started_at", "runs", ["started_at"])
    op.create_table(
        "withheld",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_withheld"),
    )
    op.create_index("ix_withheld_run", "withheld", ["run"])
    op.create_table(
        "charges",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("tokens_input", sa.BigInteger(), nullable=False),
        sa.Column("tokens_output", sa.BigInteger(), nullable=False),
        sa.Column("tokens_cache_read", sa.BigInteger(), nullable=False),
        sa.Column("tokens_cache_write", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_charges_run"),
        sa.PrimaryKeyConstraint("id", name="pk_charges"),
    )
    op.create_index("ix_charges_at", "charges", ["at"])
    op.create_index("ix_charges_run", "charges", ["run"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("native_id", sa.Text(), nullable=False),
        sa.Column("project", sa.Integer()),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("cwd", sa.Text()),
        sa.Column("repository", sa.Text()),
        sa.Column("lineage", sa.Text(), nullable=False),
        sa.Column("entrypoint", sa.Text()),
        sa.Column("version", sa.Text()),
        sa.Column("branch", sa.Text()),
        sa.Column("headless", sa.Boolean(), nullable=False),
        sa.Column("own", sa.Boolean(), nullable=False),
        sa.Column("with_headless", sa.Boolean(), nullable=False),
        sa.Column("barred", sa.Text()),
        sa.Column("excluded", sa.Text()),
        sa.Column("human_turns", sa.Integer(), nullable=False),
        sa.Column("unread", sa.Integer(), nullable=False),
        sa.Column("gathered", sa.Integer(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("bad_lines", sa.Integer(), nullable=False),
        sa.Column("oversized_lines", sa.Integer(), nullable=False),
        sa.Column("unknown_types", sa.JSON(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.BigInteger()),
        sa.Column("last_at", sa.BigInteger()),
        sa.Column("grown_at", sa.BigInteger()),
        sa.Column("quiet_at", sa.BigInteger(), nullable=False),
        sa.Column("archive_path", sa.Text()),
        sa.Column("archive_digest", sa.Text()),
        sa.Column("archived_at", sa.BigInteger()),
        sa.Column("trimmed_at", sa.BigInteger()),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("quarantine_reason", sa.Text()),
        sa.Column("quarantined_at", sa.BigInteger()),
        sa.Column("consolidated_at", sa.BigInteger()),
        sa.Column("lost_at", sa.BigInteger()),
        sa.Column("forgotten_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name="fk_sessions_project"),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("agent", "native_id", name="uq_sessions_agent_native_id"),
    )
    op.create_index("ix_sessions_cwd", "sessions", ["cwd"])
    op.create_index(
        "ix_sessions_pending",
        "sessions",
        ["quiet_at", "lineage", "unread", "quarantined_at", "lost_at"],
        sqlite_where=sa.text("unread > 0 AND quarantined_at IS NULL AND lost_at IS NULL"),
    )
    op.create_table(
        "files",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("native_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer()),
        sa.Column("size", sa.BigInteger()),
        sa.Column("mtime_ns", sa.BigInteger()),
        sa.Column("inode", sa.BigInteger()),
        sa.Column("consumed", sa.BigInteger(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("tail", sa.Text(), nullable=False),
        sa.Column("crc", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.Column("records", sa.Integer(), nullable=False),
        sa.Column("bad_lines", sa.Integer(), nullable=False),
        sa.Column("oversized_lines", sa.Integer(), nullable=False),
        sa.Column("unknown_types", sa.JSON(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("recent_messages", sa.JSON(), nullable=False),
        sa.Column("first_at", sa.BigInteger()),
        sa.Column("last_at", sa.BigInteger()),
        sa.Column("grown_at", sa.BigInteger()),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("lost_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_files_session"),
        sa.PrimaryKeyConstraint("id", name="pk_files"),
        sa.UniqueConstraint("path", "native_id", name="uq_files_path_native_id"),
    )
    op.create_index("ix_files_agent_native_id", "files", ["agent", "native_id"])
    op.create_index("ix_files_session", "files", ["session"])
    op.create_table(
        "findings",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("turn_uid", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger()),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("happened", sa.Date()),
        sa.Column("project_key", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("drop_reason", sa.Text(), nullable=False),
        sa.Column("used_run", sa.Text()),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_findings_run"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_findings_session"),
        sa.PrimaryKeyConstraint("id", name="pk_findings"),
        sa.UniqueConstraint("key", name="uq_findings_key"),
    )
    op.create_index("ix_findings_run", "findings", ["run"])
    op.create_index("ix_findings_session", "findings", ["session"])
    op.create_index("ix_findings_status_session", "findings", ["status", "session"])
    op.create_index("ix_findings_used_run", "findings", ["used_run"])
    op.create_table(
        "run_sessions",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_run_sessions_run"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_run_sessions_session"),
        sa.PrimaryKeyConstraint("run", "session", name="pk_run_sessions"),
    )
    op.create_index("ix_run_sessions_session", "run_sessions", ["session"])
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger()),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("consolidated_run", sa.Text()),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_turns_session"),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
        sa.UniqueConstraint("agent", "uid", name="uq_turns_agent_uid"),
    )
    op.create_index("ix_turns_consolidated_run", "turns", ["consolidated_run"])
    op.create_index("ix_turns_session", "turns", ["session"])
    op.create_table(
        "gathered",
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_gathered_run"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_gathered_session"),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name="fk_gathered_turn"),
        sa.PrimaryKeyConstraint("turn", "engine", "version", name="pk_gathered"),
    )
    op.create_index("ix_gathered_session", "gathered", ["session"])
    op.create_table(
        "places",
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("file", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("headless", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["files.id"], name="fk_places_file"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_places_session"),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name="fk_places_turn"),
        sa.PrimaryKeyConstraint("session", "turn", name="pk_places"),
    )
    op.create_index("ix_places_file", "places", ["file"])
    op.create_index("ix_places_turn", "places", ["turn"])
    op.create_table(
        "run_turns",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_run_turns_run"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_run_turns_session"),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name="fk_run_turns_turn"),
        sa.PrimaryKeyConstraint("run", "turn", name="pk_run_turns"),
    )
    op.create_index("ix_run_turns_turn", "run_turns", ["turn"])
