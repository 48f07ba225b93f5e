"""What holds for every test: logs go nowhere unless a test asks for them, and files are made as the command makes them."""

import os
from collections.abc import Iterator

import pytest

from dreamd import log


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    log.configure(None, console_level="error")
    before = os.umask(0o077)
    yield
    os.umask(before)
