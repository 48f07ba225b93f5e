"""The last look at a line before it may stand in memory, whichever engine wrote it."""

from __future__ import annotations

import re
from typing import Literal

from dreamd.engines.offline.cues import Cue, rx
from dreamd.engines.offline.dates import is_relative

#: Why a text is refused. Closed.
Rejection = Literal[
    "quote",
    "score",
    "command",
    "heading",
    "fragment",
    "relative_date",
    "question",
    "secret",
    "short",
    "long",
    "injected",
    "hostile",
]

MAX_LENGTH = 290
_MIN_LETTERS = 6

_QUOTED = rx(
    r"(?:^|[\s\-*>\[(])(?:user|human|assistant|agent|system|tool|candidate|用户|助手)\s*[:：]\s*(?:user|human|assistant|please|\S)"
)
_SPEAKER = rx(r"^(?:user|human|assistant|system|tool|candidate|用户|助手)\s*[:：]|\b(?:user|human|assistant)\s*:\s")
_SCORE = rx(r"\[?\b(?:score|recalls?|confidence|avg|weight|similarity|relevance)\s*[=:]\s*-?\d")
_COMMAND = re.compile(
    r"^(?:\$ |`{1,3})?(?:sudo|cd|rm|ls|curl|wget|ssh|scp|grep|sed|chmod|chown|mkdir|export|git (?:add|commit|push|pull|checkout|rebase|reset|clone|status|log|diff|stash)|"
    r"(?:npm|pnpm|yarn|pip3?|uv|cargo|docker|kubectl|brew|apt(?:-get)?) [\w:-]+|go (?:test|build|run|get|mod|vet|fmt|install|generate)|make(?= -|$)|(?:make|echo|kill|cat) [-\w./$]+$)"
    r"(?: [-./~\w\"'$&|<>=:{}@*]+)*`{0,3}\.?$"
)
_ONLY_CODE = re.compile(r"^`[^`]*`\.?$|^```")
_HEADING = re.compile(r"^\s{0,3}#{1,6}(?:\s|$)|^\*\*[^*]+\*\*:?\.?$|^[^.。!]{1,60}[:：]\.?$")
_FRAGMENT = re.compile(
    r"^[{}\[\]]|[{\[]\s*\"[\w-]+\"\s*:|\"[\w-]+\"\s*:\s*[\"\d{\[]|^(?:\+\+\+|---|@@|diff --git|index [0-9a-f]{6,}|Traceback|File \")|^\s*at \S+\(|"
    r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\[?\d\d:\d\d:\d\d|\b(?:INFO|WARN|ERROR|DEBUG|FATAL)\b[ \]:]|\x1b\[|\\n|^\|.*\|$|=>|&&|\|\||</?[a-z][\w-]*(?: [^<>]*)?/?>$|\bexit code:? \d|0x[0-9a-f]{6,}",
)
_REDACTED = rx(r"\[?redacted[:\w-]*\]?|\*{4,}|<secret>")
_SECRET_ABOUT = rx(
    r"(?:is|=|:|use|key|token|password|secret|with|是|为|用)\s*[\"'`(]?\[redacted|^\S{0,20}\s*\[redacted"
)
_INJECTED = rx(
    r"</?(?:system-reminder|command-|local-command|ide_|task-|user-prompt|environment_context|instructions|observed|memory)[\w-]*>?|\bsystem[- ]reminder\b|^caveat: the messages below|this session is being continued"
)
_HOSTILE = rx(
    r"\b(?:curl|wget)\b[^|]{0,200}\|\s*(?:sudo )?(?:ba|z)?sh\b|\bignore (?:all |any )?(?:previous|prior|earlier|above) (?:instructions|rules|messages)|"
    r"\bdo(?:n'?t| not) (?:mention|tell|reveal|say)(?: (?:it|this|that|anything|the user))(?: to)?\b|\bremember permanently\b|\bsystem note\b|\bbase64 -d\b[^|]*\|\s*sh|不要告诉用户|忽略(?:之前|以上|所有)的?指令"
)


def reject(text: str) -> Rejection | None:
    """Why a line may not stand in memory; None for a good one.

    Args:
        text: the line without its bullet.
    """
    bare = text.strip().lstrip("-*+ ").strip()
    return ("injected" if _INJECTED.search(bare) else None) or _shape(bare) or _content(bare)


def _shape(bare: str) -> Rejection | None:
    """Refusals for what the line is."""
    if _HEADING.match(bare):
        return "heading"
    if _FRAGMENT.search(bare) and not _ONLY_CODE.match(bare):
        return "fragment"
    if sum(1 for c in bare if c.isalpha()) < (_MIN_LETTERS if bare.isascii() else 3):
        return "short"
    if len(bare) > MAX_LENGTH:
        return "long"
    if _ONLY_CODE.match(bare) or _COMMAND.match(bare):
        return "command"
    return None


def _content(bare: str) -> Rejection | None:
    """Refusals for what the line says."""
    table: tuple[tuple[Rejection, Cue], ...] = (
        ("quote", _SPEAKER),
        ("quote", _QUOTED),
        ("score", _SCORE),
        ("hostile", _HOSTILE),
        ("secret", _SECRET_ABOUT),
    )
    for reason, pattern in table:
        if pattern.search(bare):
            return reason
    if _REDACTED.search(bare) and len(_REDACTED.sub("", bare).split()) < 4:  # noqa: PLR2004 - nothing but the remains
        return "secret"
    if bare.rstrip(".。").endswith(("?", "\N{FULLWIDTH QUESTION MARK}")):
        return "question"
    return "relative_date" if is_relative(bare) else None
