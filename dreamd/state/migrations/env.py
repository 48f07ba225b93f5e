"""How Alembic runs dreamd's migrations: on the connection it is handed, inside the transaction that is open there."""

from __future__ import annotations

from alembic import context

from dreamd.state.schema import metadata

connection = context.config.attributes["connection"]
# SQLite's DDL is transactional once the driver's own transaction handling is off, which dialect.py sees to.
context.configure(
    connection=connection,
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
    transaction_per_migration=False,
)
context.run_migrations()
