"""How many tokens a text is, before a server has counted it: by its bytes, put right by what servers counted before."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

#: UTF-8 bytes a token, measured over transcripts, logs and code in several scripts; prose and East Asian text cost less.
BYTES_PER_TOKEN = 2.0
_LEAST, _MOST = 0.8, 8.0  # bytes a token that any text can have; what lies outside was counted wrongly
_NEWEST = 0.3  # share of the newest measurement in the average
_RUN = re.compile(r"[A-Za-z0-9+/_-]{48,}={0,2}")
_UPPER = re.compile(r"[A-Z]")
_LOWER = re.compile(r"[a-z]")
_DIGIT = re.compile(r"[0-9]")


def weight(text: str) -> int:
    """The bytes of a text in UTF-8 as tokens go by them: runs that look like base64 count twice, as they cost a token a byte."""
    return len(text.encode("utf-8", "replace")) + sum(len(run) for run in _RUN.findall(text) if _looks_encoded(run))


def estimate(text: str) -> int:
    """Tokens of a text: UTF-8 bytes / 2, base64-looking runs a token a byte. Rounded up; 0 for the empty text alone."""
    return math.ceil(weight(text) / BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What servers really counted, as an exponentially weighted average of bytes a token; one for each project and model."""

    bytes_per_token: float = BYTES_PER_TOKEN

    def seen(self, size: int, tokens: int) -> Calibration:
        """The average with one more call: `size` is the `weight` of all that was sent, `tokens` all input the server counted.

        Counts of nothing (a server without usage) and impossible ones change nothing.
        """
        if size <= 0 or tokens <= 0 or not _LEAST <= size / tokens <= _MOST:
            return self
        return Calibration(self.bytes_per_token + _NEWEST * (size / tokens - self.bytes_per_token))

    def estimate(self, text: str) -> int:
        """Tokens of a text by this average, rounded up."""
        return math.ceil(weight(text) / self.bytes_per_token)


def _looks_encoded(run: str) -> bool:
    """Whether a run has the mixture of base64 (two fifths capitals, as many small letters, a sixth digits), not of a path."""
    eighth = len(run) / 8
    return (
        len(_UPPER.findall(run)) > eighth
        and len(_LOWER.findall(run)) > eighth
        and len(_DIGIT.findall(run)) > len(run) / 32
    )
