"""Batches of requests that are under way at a server, and what servers said of their models."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the tables."""
    op.create_table(
        "batches",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("native_id", sa.Text()),
        sa.Column("written_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("look_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_batches_run"),
        sa.PrimaryKeyConstraint("run", name="pk_batches"),
    )
    op.create_table(
        "letters",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("session", sa.Integer(), nullable=False),
        sa.Column("turns", sa.JSON(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("tokens_input", sa.BigInteger(), nullable=False),
        sa.Column("tokens_output", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["batches.run"], name="fk_letters_run"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_letters_session"),
        sa.PrimaryKeyConstraint("id", name="pk_letters"),
    )
    op.create_index("ix_letters_run", "letters", ["run"])
    op.create_index("ix_letters_session", "letters", ["session"])
    op.create_table(
        "models",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("window", sa.BigInteger()),
        sa.Column("answer", sa.BigInteger()),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", "model", name="pk_models"),
    )
