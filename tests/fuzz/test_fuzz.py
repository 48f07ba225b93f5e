"""Anything at all is fed to whatever reads: no crash, no hang, no more told than was there."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.seeds import SEEDS, lines
from fuzz.targets import TARGETS

#: More of them for a long run: DREAMD_FUZZ_EXAMPLES=20000.
EXAMPLES = int(os.environ.get("DREAMD_FUZZ_EXAMPLES", "60"))
HANGS = 30  # seconds for one input: nothing here takes a hundredth of it

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["\ud800", "\x00", "9" * 400, "<system-reminder>"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TOKENS = (
    b"{",
    b"}",
    b"[",
    b'"',
    b"\\ud800",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"- ",
    b"# ",
    b"```",
    b"---\n",
    b"[a]\n",
    b"<private>",
    b"password=",
    b"://a:b@",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\t",
)


@contextmanager
def no_hang() -> Iterator[None]:
    def late(_number: int, _frame: object) -> None:
        raise TimeoutError("one input took too long")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@st.composite
def mangled(draw: st.DrawFn, whole: bytes) -> bytes:
    """A good input with pieces cut out, doubled, put elsewhere or replaced."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 6))):
        at, length = draw(st.integers(0, len(data))), draw(st.integers(0, 40))
        piece = draw(st.sampled_from([b"", bytes(data[at : at + length]) * 2, *TOKENS]) | st.binary(max_size=8))
        data[at : at + length * draw(st.booleans())] = piece
    return bytes(data)


@st.composite
def misshapen(draw: st.DrawFn, whole: bytes) -> bytes:
    """A good record with values of other shapes anywhere in it."""
    records = [json.loads(line) for line in whole.splitlines() if line.strip()]
    for _ in range(draw(st.integers(1, 4))):
        node: Any = draw(st.sampled_from(records))
        while isinstance(node, dict | list) and node:
            key: Any = draw(st.sampled_from(sorted(node) if isinstance(node, dict) else list(range(len(node)))))
            if not isinstance(node[key], dict | list) or draw(st.booleans()):
                node[key] = draw(JUNK)
                break
            node = node[key]
    return lines(records)


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_anything_may_be_fed_to_whatever_reads(target: str, data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(SEEDS[target]))
    shapes = [mangled(seed), st.binary(max_size=200), st.lists(st.sampled_from(TOKENS), max_size=60).map(b"".join)]
    if target in ("claude-code", "codex", "gemini"):
        shapes.append(misshapen(seed))
    with no_hang():
        TARGETS[target](data.draw(st.one_of(shapes)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n" * 100_000,
        b"{" * 50_000,
        b'{"a":' * 20_000,
        b'{"a":"' + b"x" * 500_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"- " * 50_000,
        b"<private>" * 20_000,
        b"`" * 100_000,
        b"password=" * 30_000,
        b"://a:" * 30_000,
        b"a@" * 50_000,
        "我们用 ".encode() * 20_000,
        b"\\" * 200_000,
        b'"' * 200_000,
        b"use " * 50_000,
        b"no, " * 50_000,
        b"---\n" * 30_000,
        b"| a " * 30_000,
        b"> " * 50_000,
    ],
    ids=range(20),
)
def test_what_repeats_itself_for_long_hangs_nothing(target: str, data: bytes) -> None:
    with no_hang():
        TARGETS[target](data)
