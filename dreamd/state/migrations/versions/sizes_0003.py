"""How long a turn is, so that what reading it costs can be told beforehand."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds the column; of turns that were seen before nobody knows it."""
    op.add_column("turns", sa.Column("size", sa.Integer()))
