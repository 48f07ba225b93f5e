"""The service definitions that ship with dreamd: `systemd/` and `launchd/` of the source, package data of a wheel."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from dreamd.errors import DreamdError


def template(name: str) -> str:
    """The text of "systemd/dreamd.service" and its like. Raises DreamdError where the installation lacks it."""
    packaged = resources.files("dreamd.service").joinpath("templates", *name.split("/"))
    checkout = Path(__file__).parents[2].joinpath(*name.split("/"))
    for place in (packaged, checkout):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise DreamdError(f"this installation of dreamd lacks {name}", hint="install dreamd again")
