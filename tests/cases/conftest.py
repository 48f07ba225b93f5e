"""A world for each test."""

from pathlib import Path

import pytest

from world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty home at noon on 2026-03-10."""
    return World(tmp_path / "home")
