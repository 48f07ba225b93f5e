"""Secrets taken out of a text before anything of it is stored or sent, with a mark in their place."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dreamd.redact.names import assigned_secrets, is_placeholder
from dreamd.redact.rules import (
    AWS_SECRET,
    CONTEXT_RULES,
    ENCODED,
    ENCODED_ANCHORS,
    PRIVATE_KEY_BEGIN,
    PRIVATE_KEY_BODY,
    PRIVATE_KEY_END,
    VENDOR_RULES,
    SecretRule,
)

_MIN_WORD = 12  # no vendor's token is as short, not even the first line of a wrapped one
_ROUNDS = 4  # a mark may bring two halves of a text together in a new light; each further round is over what is left
_MAX_PRIVATE_KEY = 16_384
_MIN_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{16}")
_AWS_REACH = 240
_WINDOW = 400  # characters looked at for a token cut by line wraps
_WRAP = re.compile(r"\\?\r?\n[ \t]{0,40}(?:[|>│] ?)?")
_RUN = re.compile(r"[\w\-.]*+", re.ASCII)
_TAIL = re.compile(r"[A-Za-z0-9_\-]{6,200}+(?![^\s\"'`,;)\]}])", re.ASCII)
#: A mark that is only spoken of, in back quotes, is none.
_PRIVATE = re.compile(r"(?<!`)<\s{0,4}(?P<close>/)?\s{0,4}private\s{0,4}>(?!`)", re.IGNORECASE)
_MASKED_TOKEN = re.compile(r"[xX*.•]{6}|0{12}|[Yy][Oo][Uu][Rr][_-]")
_ESCAPED_EDGE = re.compile(r"(?:\\+[nrtbf\"']|%[0-9A-Fa-f]{2}|\\+u[0-9a-fA-F]{4}|\[[\d;]{0,8}m)$")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets; `count` how many were taken out, `kinds` which, sorted, each once. No word of a secret is in it."""

    text: str
    count: int
    kinds: tuple[str, ...]


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


class Redactor:
    """Finds secrets by the formats of known vendors, by what stands around a password, and by the names values have.

    What stands between `<private>` and `</private>` is none of dreamd's business and goes as well. The mark is `[REDACTED:kind]`; the name beside a value stays. Never raises; time is linear in the text (except for `extra`,
    which is the person's own). Redacting twice changes nothing.
    """

    def __init__(self, extra: Sequence[str] = ()) -> None:
        """`extra` are further regular expressions; the first group is what is replaced, else the match.

        Raises ValueError, whose message names the position in `extra` and never the text it was matched with.
        """
        compiled = []
        for index, pattern in enumerate(extra):
            try:
                compiled.append(re.compile(pattern))
            except (re.error, RecursionError, OverflowError) as error:
                raise ValueError(f"redact.extra[{index}]: not a regular expression: {error}") from error
        self._extra = tuple(compiled)

    def redact(self, text: str) -> Redacted:
        """The text with a mark in the place of every secret."""
        count, kinds = 0, set[str]()
        for _ in range(_ROUNDS):
            spans = self._spans(text)
            if not spans:
                break
            text = _replaced(text, spans)
            count += len(spans)
            kinds.update(span.kind for span in spans)
        return Redacted(text, count, tuple(sorted(kinds)))

    def has_secret(self, text: str) -> bool:
        """Whether `redact` would change the text."""
        return bool(self._spans(text))

    def _spans(self, text: str) -> list[_Span]:
        low = text.lower()
        if len(low) != len(text):  # one letter grows in lower case: "İ"
            low = text.replace("İ", "I").lower()
        found = list(_private_keys(text))
        if "private" in low:
            found.extend(_off_record(text))
        long_words = "\n".join([word for word in text.split() if len(word) >= _MIN_WORD])
        for rule in _tried(_VENDOR_ANCHORS, long_words):
            found.extend(_matches(rule, text))
        if found:
            found.extend(_aws_pairs(text, found))
        found.extend(_encoded(text, long_words))
        for rule in _tried(_CONTEXT_ANCHORS, text):
            found.extend(span for span in _matches(rule, text) if not is_placeholder(text[span.start : span.end]))
        found.extend(_Span(*assigned) for assigned in assigned_secrets(text, low))
        for pattern in self._extra:
            found.extend(_extra_matches(pattern, text))
        return _merged(found)


#: Each anchor with its rule; most texts hold none, so this one flat loop of substring tests is nearly all of the work.
_VENDOR_ANCHORS = tuple((anchor, rule) for rule in VENDOR_RULES for anchor in rule.anchors)
_CONTEXT_ANCHORS = tuple((anchor, rule) for rule in CONTEXT_RULES for anchor in rule.anchors)


def _tried(anchors: Sequence[tuple[str, SecretRule]], text: str) -> Iterator[SecretRule]:
    """The rules one of whose anchors stands in the text, in their order, each once."""
    return iter(dict.fromkeys([rule for anchor, rule in anchors if anchor in text]))


def _matches(rule: SecretRule, text: str) -> Iterator[_Span]:
    if not rule.at_anchor:
        yield from (_span_of(rule, match) for match in rule.pattern.finditer(text))
        return
    for anchor in rule.anchors:
        at = text.find(anchor)
        while at >= 0:
            span = _match_at(rule, text, at) if not rule.edge or _is_edge(text, at) else None
            after = at + len(anchor)
            if span is not None:
                yield span
                after = max(after, span.end)
            elif rule.long and (run := _RUN.match(text, at)) is not None:
                after = max(after, run.end())
            at = text.find(anchor, after)


def _match_at(rule: SecretRule, text: str, at: int) -> _Span | None:
    match = rule.pattern.match(text, at)
    if match is not None:
        span = _span_of(rule, match)
        if rule.wraps:
            span = _Span(span.start, _wrapped_end(text, span.end), span.kind)
    else:
        over = _match_over_wraps(rule, text, at) if rule.wraps else None
        if over is None:
            return None
        span = over
    return None if _MASKED_TOKEN.search(text, span.start, min(span.end, span.start + 200)) else span


def _span_of(rule: SecretRule, match: re.Match[str]) -> _Span:
    group: str | int = "v" if "v" in rule.pattern.groupindex else 0
    return _Span(match.start(group), match.end(group), rule.kind)


def _wrapped_end(text: str, end: int) -> int:
    """The end of a token that a terminal may have wrapped: the next line goes on with what no word looks like."""
    wrap = _WRAP.match(text, end)
    if wrap is None:
        return end
    tail = _TAIL.match(text, wrap.end())
    if tail is None:
        return end
    rest = tail.group()
    kinds = (any(c.isdigit() for c in rest), any(c.isupper() for c in rest), any(c.islower() for c in rest))
    return tail.end() if all(kinds) else end


def _match_over_wraps(rule: SecretRule, text: str, at: int) -> _Span | None:
    """A match that only exists once line wraps are taken out of the window behind the anchor."""
    window = text[at : at + _WINDOW]
    if "\n" not in window:
        return None
    pieces, origin, last = [], list[tuple[int, int]](), 0
    joined = 0
    for wrap in _WRAP.finditer(window):
        pieces.append(window[last : wrap.start()])
        origin.append((joined, last))
        joined += wrap.start() - last
        last = wrap.end()
    pieces.append(window[last:])
    origin.append((joined, last))
    match = rule.pattern.match("".join(pieces))
    if match is None:
        return None
    span = _span_of(rule, match)
    return _Span(at + _unwrapped(origin, span.start), at + _unwrapped(origin, span.end - 1) + 1, rule.kind)


def _unwrapped(origin: list[tuple[int, int]], position: int) -> int:
    for joined, real in reversed(origin):
        if joined <= position:
            return real + position - joined
    return position


def _is_edge(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if not (before.isascii() and before.isalnum()):
        return True
    return _ESCAPED_EDGE.search(text, max(0, at - 10), at) is not None


def _off_record(text: str) -> Iterator[_Span]:
    """What a person put between `<private>` and `</private>`. Of a mark without its other half everything on its side counts."""
    begin, depth = 0, 0
    for mark in _PRIVATE.finditer(text):
        if mark["close"] is None:
            begin, depth = (mark.start() if depth == 0 else begin), depth + 1
            continue
        yield _Span(begin, mark.end(), "private")
        begin, depth = mark.end(), 0
    if depth:
        yield _Span(begin, len(text), "private")


def _private_keys(text: str) -> Iterator[_Span]:
    """PEM private keys with real or escaped line ends, whole or cut off. Public keys and certificates stay."""
    if "PRIVATE KEY" not in text:
        return
    position = 0
    while (begin := PRIVATE_KEY_BEGIN.search(text, position)) is not None:
        position = begin.end()
        end_at = text.find("-----END", position, position + _MAX_PRIVATE_KEY)
        next_at = text.find("-----BEGIN", position, end_at) if end_at >= 0 else -1
        closing = PRIVATE_KEY_END.match(text, end_at) if end_at >= 0 and next_at < 0 else None
        if closing is None:
            body = PRIVATE_KEY_BODY.match(text, position, position + _MAX_PRIVATE_KEY)
            end = body.end() if body is not None else position
        else:
            end = closing.end()
        if _MIN_KEY_BODY.search(text, position, end) is not None:
            yield _Span(begin.start(), end, "private-key")
            position = end


def _aws_pairs(text: str, found: Sequence[_Span]) -> Iterator[_Span]:
    """The secret half that stands shortly before or behind an access key id, whatever it is called there."""
    for span in [span for span in found if span.kind == "aws"]:
        for start, end in ((span.end, span.end + _AWS_REACH), (max(0, span.start - _AWS_REACH), span.start)):
            secret = AWS_SECRET.search(text, start, end)
            if secret is not None and not secret.group().isalpha():
                yield _Span(secret.start(), secret.end(), "aws")
                break


def _encoded(text: str, long_words: str) -> Iterator[_Span]:
    """Tokens and keys that were wrapped whole in base64."""
    for anchor in [anchor for anchor in ENCODED_ANCHORS if anchor in long_words]:
        at = text.find(anchor)
        while at >= 0:
            after = at + len(anchor)
            run = ENCODED.match(text, at) if _is_edge(text, at) else None
            if run is not None:
                after = run.end()
                if _hides_secret(run.group()):
                    yield _Span(run.start(), run.end(), "base64")
            at = text.find(anchor, after)


def _hides_secret(run: str) -> bool:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        plain = base64.b64decode(body[: len(body) // 4 * 4] + _padding(body), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return False
    if PRIVATE_KEY_BEGIN.match(plain):
        return True
    return any(
        rule.at_anchor and plain.startswith(rule.anchors) and rule.pattern.match(plain) is not None
        for rule in VENDOR_RULES
    )


def _padding(body: str) -> str:
    rest = body[len(body) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _extra_matches(pattern: re.Pattern[str], text: str) -> Iterator[_Span]:
    for match in pattern.finditer(text):
        group = 1 if pattern.groups and match.group(1) is not None else 0
        start, end = match.span(group)
        if end > start and "[REDACTED:" not in match.group(group):
            yield _Span(start, end, "extra")


def _merged(found: list[_Span]) -> list[_Span]:
    """Spans in order, overlapping ones united; the kind is that of the rule that stands first in the tables."""
    merged: list[_Span] = []
    ranks: list[int] = []
    for rank, span in sorted(enumerate(found), key=lambda item: (item[1].start, -item[1].end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = last.kind if ranks[-1] <= rank else span.kind
            merged[-1] = _Span(last.start, max(last.end, span.end), kind)
            ranks[-1] = min(ranks[-1], rank)
        else:
            merged.append(span)
            ranks.append(rank)
    return merged


def _replaced(text: str, spans: list[_Span]) -> str:
    pieces, last = [], 0
    for span in spans:
        pieces.append(text[last : span.start])
        pieces.append(f"[REDACTED:{span.kind}]")
        last = span.end
    pieces.append(text[last:])
    return "".join(pieces)
