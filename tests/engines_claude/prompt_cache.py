"""A prompt cache as the Messages API has it, so that what is marked, written and read can be counted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

_MOST_MARKS = 4
_LOOKBACK = 20  # blocks before a mark, in which an earlier request's mark is found


class PromptCache:
    """Prefixes that were written; nothing expires. Raises AssertionError for more marks than the API takes."""

    def __init__(self, tokens: Callable[[str], int], least: int = 4_096) -> None:
        """`least`: tokens of the shortest prefix that is kept; of a shorter one the mark is passed over without a word."""
        self._tokens = tokens
        self._least = least
        self._written: set[str] = set()

    def usage(self, request: dict[str, Any]) -> dict[str, int]:
        """How the input of a request is counted; what it marks is written."""
        prefixes: list[tuple[str, int]] = []
        marks: list[int] = []
        running, size = hashlib.sha256(self._head(request)), 0
        for number, (text, marked) in enumerate(self._blocks(request)):
            running.update(text.encode())
            size += self._tokens(json.loads(text)[1])
            prefixes.append((running.hexdigest(), size))
            if marked:
                marks.append(number)
        assert len(marks) <= _MOST_MARKS, f"{len(marks)} marks"
        read = max((self._found(prefixes, mark) for mark in marks), default=0)
        made = [prefixes[mark] for mark in marks if prefixes[mark][1] >= self._least]
        self._written.update(digest for digest, _ in made)
        written = max((tokens - read for _, tokens in made), default=0)
        written = max(0, written)
        return {
            "input_tokens": size - read - written,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
        }

    def _found(self, prefixes: list[tuple[str, int]], mark: int) -> int:
        near = prefixes[max(0, mark - _LOOKBACK) : mark + 1]
        return max((tokens for digest, tokens in near if digest in self._written), default=0)

    @staticmethod
    def _head(request: dict[str, Any]) -> bytes:
        return json.dumps([request["model"], request.get("output_config")], sort_keys=True).encode()

    @staticmethod
    def _blocks(request: dict[str, Any]) -> Iterator[tuple[str, bool]]:
        told = [("system", block) for block in request["system"]]
        told += [(message["role"], block) for message in request["messages"] for block in message["content"]]
        for role, block in told:
            yield json.dumps([role, block["text"]]), "cache_control" in block
