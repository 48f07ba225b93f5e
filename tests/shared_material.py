"""Where the shared test material lies: beside the checkout, or where DREAMD_SHARED says; tests skip without it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared(*parts: str) -> Path:
    """A file or folder of the shared material; skips the test where it is not there."""
    base = Path(os.environ.get("DREAMD_SHARED") or ROOT.parent / "shared")
    path = base.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"shared test material is not beside the checkout: {'/'.join(parts)}")
    return path
