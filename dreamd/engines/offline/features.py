"""What a learned judgement sees of a sentence: its words and their order, with names, numbers and code told by kind and not by value."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What is told by its kind, in the order it is looked for; the first that fits a place wins.
_KINDS = re.compile(
    r"(?P<code>`[^`\n]+`)|(?P<url>https?://\S+|\b[\w-]+(?:\.[\w-]+)+:\d+\b|\blocalhost(?::\d+)?)|(?P<quote>[\"\u201c\u00ab\u300c][^\"\u201d\u00bb\u300d\n]{2,}[\"\u201d\u00bb\u300d]|(?<!\w)'[^'\n]{3,}'(?!\w))"
    r"|(?P<ticket>#\d+\b|\b[A-Z]{2,6}-\d+\b)|(?P<flag>(?<![\w-])--?[a-z][\w-]+)"
    r"|(?P<path>(?<![\w@])[~.@]?/?(?:[\w.@*-]+/)+[\w.@*-]*|(?<!\w)\*?\.?[\w-]+\.(?:md|jsonl?|ya?ml|toml|go|py|pyi|tsx?|jsx?|mjs|sh|rs|lock|log|html?|css|scss|sql|proto|java|kt|swift|rb|exs?|c|cc|cpp|h|hpp|cs|php|vue|svelte|ipynb|csv|txt|png|svg|pdf|env|ini|cfg|conf|xml)\b)"
    r"|(?P<ident>\b[A-Za-z]\w*_\w+(?:\(\))?|\b[a-z]+[A-Z]\w+(?:\(\))?|\b[A-Z][a-z0-9]+[A-Z]\w+(?:\(\))?|\b\w+\(\))"
    r"|(?P<ver>\bv?\d+(?:\.\d+){1,3}\w*\b(?!%))|(?P<num>[$\u20ac\u00a3]?\d[\d,:]*(?:\s?(?:%|(?i:ms|s|sec|min|h|kb|mb|gb|tb|k|m|px|fps|hz|khz|mhz|ma|v)\b))?)"
)
_TOKEN = re.compile(
    r"<\w+>|[^\W_]+(?:['\u2019-][^\W_]+)*|[?!.,:;\u2026\u2192=()\uff0c\u3002\uff1f\uff01\u3001\uff1a\uff1b~-]|[\U0001f300-\U0001faff\u2600-\u27bf]"
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LATIN = re.compile(r"[a-z][\w+#.-]*")
_ASKING = ("?", "\N{FULLWIDTH QUESTION MARK}")
_COMMAS = (",", "\N{FULLWIDTH COMMA}", "\N{IDEOGRAPHIC COMMA}")
_LONGEST = 600  # characters that are looked at
_STEM = 5  # letters that inflected forms of a word share
_LENGTHS = (3, 5, 8, 12, 17, 24, 34)


def features(text: str, code: str) -> Iterator[str]:
    """The features of a sentence, each at most once; the same for the same words.

    Args:
        text: one sentence, as it was typed.
        code: its language, two letters; Chinese, Japanese and Korean are read by characters, the others by words.
    """
    bare = _KINDS.sub(lambda m: f" <{m.lastgroup}> ", " ".join(text[:_LONGEST].split()))
    tokens = list(_characters(bare) if code in ("zh", "ja", "ko") else _words(bare))
    found = dict.fromkeys(_of_order(tokens))
    if code not in ("en", "zh", "ja", "ko"):
        found |= dict.fromkeys(f"p:{t[:_STEM]}" for t in tokens if len(t) > _STEM and not t.startswith("<"))
    found |= dict.fromkeys(_of_whole(bare, tokens))
    yield from found


def _words(bare: str) -> Iterator[str]:
    for i, match in enumerate(_TOKEN.finditer(bare)):
        word = match[0].replace("\u2019", "'")
        if i and word[:1].isupper() and word[1:].islower():
            yield "<name>"
        else:
            yield word.lower()


def _characters(bare: str) -> Iterator[str]:
    for match in _TOKEN.finditer(bare.lower()):
        run = match[0]
        if run.startswith("<") or not _WIDE.search(run):
            yield run if run.startswith("<") or len(run) == 1 else "<latin>"
            if not run.startswith("<") and _LATIN.fullmatch(run) and len(run) > 1:
                yield run
            continue
        for piece in re.findall(r"[a-z0-9'-]+|.", run):
            yield "<latin>" if piece.isascii() else piece


def _of_order(tokens: list[str]) -> Iterator[str]:
    for i, token in enumerate(tokens):
        yield f"w:{token}"
        if i + 1 < len(tokens):
            yield f"b:{token} {tokens[i + 1]}"
    yield "s:" + " ".join(tokens[:1])
    yield "s:" + " ".join(tokens[:2])
    yield "e:" + " ".join(tokens[-2:])


def _of_whole(bare: str, tokens: list[str]) -> Iterator[str]:
    yield f"n:{sum(len(tokens) > limit for limit in _LENGTHS)}"
    yield "x:asks" if bare.rstrip(" )").endswith(_ASKING) else "x:tells"
    yield f"x:commas{min(sum(t in _COMMAS for t in tokens), 3)}"
    if any(t in ("<num>", "<ver>") for t in tokens):
        yield "x:figures"
    if any(t in ("<path>", "<ident>", "<code>", "<flag>", "<url>") for t in tokens):
        yield "x:named"
