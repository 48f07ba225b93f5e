"""Brings a database to the packaged schema; Alembic is loaded only where there is something to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.errors import StateError

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, path: Path) -> None:
    """Runs what is missing inside the caller's transaction, which holds the write lock: two openers do it once.

    Raises StateError where the database is of a revision that this dreamd does not know.
    """
    from alembic import command  # noqa: PLC0415 - 0.4 s of import that a current database does not need
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - likewise
    from alembic.util import CommandError  # noqa: PLC0415 - likewise

    config = configuration()
    config.attributes["connection"] = connection
    stored = _stored(connection)
    if stored is not None:
        try:
            ScriptDirectory.from_config(config).get_revision(stored)
        except CommandError as error:
            raise StateError(
                f"the state database {path} was made by a newer dreamd (revision {stored})",
                hint="install that version again, or point [state] dir at another directory",
            ) from error
    command.upgrade(config, "head")


def known(revision: str) -> bool:
    """Whether this dreamd can bring a database of that revision up to date."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - see upgrade
    from alembic.util import CommandError  # noqa: PLC0415 - see upgrade

    try:
        ScriptDirectory.from_config(configuration()).get_revision(revision)
    except CommandError:
        return False
    return True


def configuration() -> Config:
    """Alembic's configuration without an ini file."""
    from alembic.config import Config  # noqa: PLC0415 - see upgrade

    config = Config()
    # The option is interpolated, so a percent sign in the installation's path must be doubled.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _stored(connection: Connection) -> str | None:
    from alembic.migration import MigrationContext  # noqa: PLC0415 - see upgrade

    return MigrationContext.configure(connection).get_current_revision()
