"""From a person's turn to the sentences they wrote themselves: pasted matter is taken out, the rest is split."""

from __future__ import annotations

import re
import unicodedata

from sentencex import get_sentence_boundaries

from dreamd.engines.offline.code_words import without_dots
from dreamd.engines.offline.languages.detect import language_of

#: Turns are read up to here; whatever is longer is a paste.
MAX_TURN = 20_000
#: From this length on a structured turn is taken for a pasted document, of which only the words around it count.
DOCUMENT = 900
#: A bullet list longer than this is a pasted plan or checklist.
LONG_LIST = 9

#: Shorter lines were ended by the person, not wrapped.
_WRAPPED = 56

_FENCE = re.compile(r"(?:^|\n)[ \t]*(```|~~~).*?(?:\n[ \t]*\1[^\n]*|\Z)", re.DOTALL)
_TAG_BLOCK = re.compile(r"<([a-zA-Z][\w-]{2,40})(?:\s[^<>]{0,200})?>.*?</\1>", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][\w-]{1,40}(?:\s[^<>]{0,200})?/?>")
_SLASH = re.compile(r"^/[\w:-]+[ \t]*")
_MARKER = re.compile(
    r"^\s*(?:[-*+•·–]\s+|\(?\d{1,2}[.)]\s+|[a-zA-Z]\)\s*|#\d+:?\s+|\[[ xX]\]\s+|Q:\s*|[A-Za-z]{1,6}-[\w.]{1,8}:\s+)+"
)
_IMAGE = re.compile(r"\[Image[^\]]{0,80}\]")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d\U0001f1e6-\U0001f1ff]+")
_SMILEY = re.compile(r"(?<!\S)(?:[:;=]-?[)(DPp|/]|\^\^|<3)(?=\s|$)")

_MACHINE = re.compile(
    r"^\s*(?:[❯➜$%]|>{1,3}\s|\$ |PS [A-Z]:|=> |={3,}|-{3,}|\+{3}|@@ |[│┃├└┌╭╰║╔╚█▌]|\|.*\||"
    r"[+-](?![\s-])\S|[{}\[\]]|\[[+\d]|Traceback|File \"|at [\w.$<>]+\(|"
    r"(?:\w+(?:Error|Exception|Warning)|error|fatal|warning|hint|note|npm err!|panic|info|debug|traceback)\b ?(?:[A-Z]{1,4}\d+ ?)?[:\[(]|"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|"
    r"(?:User|Human|Assistant|Agent|System|Tool)\s*:|\[(?:User|Assistant|Tool|System)\])",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(
    r"[{};]\s*$|^\s*(?:import|from|def|class|func|const|let|var|return|package|public|private|#include|SELECT|INSERT)\b.*[({;=]|"
    r"^\s*[\w\"'.-]+\s*[:=]\s*(?:[\"'{\[\d]|true\b|false\b|null\b)[^.]*,?\s*$|\S\s{4,}\S|^\s{2,}[\w.-]+:(?:\s+\S+)?\s*$|^\s*<[/\w]"
)
_TEMPLATE = re.compile(
    r"^\s*(?:you are (?:a|an|the|my|now)\b|your (?:task|role|job) is\b|act as\b|role:|你是(?:一个|一名|一位))",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*]{2,60}\*\*:?\s*$|[A-Z][\w /-]{2,40}:\s*$)")
_ANNOUNCES = re.compile(
    r"(?:\b(?:said|says|wrote|research|output|logs?|message|plan|contents?|scenario|examples?|errors?|trace|text|quote|doc|file|section)\b"
    r"|如下|内容|日志|报错|输出|原文)[^.!?。]{0,60}[:：]\s*$",
    re.IGNORECASE,
)

#: What follows are the person's own reasons.
_REASONS_FOLLOW = re.compile(
    r"(?:\b(?:because|since|reasons?|rules?|conventions?|requirements?|want|need|must|should)|因为|原因|规则|要求)\s*[:：]\s*$",
    re.IGNORECASE,
)

#: A letter with a dot is an initial or part of an abbreviation ("т. е.", "z. B.", "J. Doe"), whatever the language.
_INITIAL = re.compile(r"(?<![^\W_])[^\W\d_]\.(?=\s)")
#: These end a sentence whatever follows, also Latin letters without a space.
_WIDE_END = re.compile(r"(?<=[。！？；])(?![。！？；])")
_FULL_STOP = re.compile(r"[.!?。！？;；:：]$")


def own_words(text: str) -> str:
    """The turn without code, logs, pasted documents, quoted lines and injected blocks; lines kept apart."""
    text = unicodedata.normalize("NFC", text[:MAX_TURN]).replace("\r\n", "\n").replace("\u2028", "\n")
    if _TEMPLATE.match(text) and len(text) > LONG_LIST * 30:
        return _after_template(text)
    text = _FENCE.sub("\n\n", text)
    text = _TAG_BLOCK.sub("\n\n", text)
    text = _IMAGE.sub(" ", _TAG.sub(" ", text))
    text = _SLASH.sub("", text)
    return "\n".join(_lines_typed(text))


def _after_template(text: str) -> str:
    """Of a prompt that gives the agent a role, the part behind the first paragraph if it is short enough to be typed."""
    rest = text.partition("\n\n")[2]
    return "\n".join(_lines_typed(rest)) if 0 < len(rest) < DOCUMENT else ""


def _lines_typed(text: str) -> list[str]:
    lines = text.split("\n")
    if len(text) > DOCUMENT and _is_document(lines):
        lines = _around_document(lines)
    kept: list[str] = []
    announced = quoting = False  # "here is the log:" covers the block that follows, up to a blank line
    for line in lines:
        if not line.strip():
            announced, quoting = announced and not quoting, False
            kept.append("")
        elif announced:
            quoting = True
        elif is_machine_made(line):
            kept.append("")
        else:
            kept.append(line)
            announced = bool(_ANNOUNCES.search(line)) and not _REASONS_FOLLOW.search(line)
    return kept


def is_machine_made(line: str) -> bool:
    """Whether a line looks like output, code, a table, a diff or a quotation and not like typed words."""
    bare = line.strip()
    if _MACHINE.match(line) or _CODE_LINE.search(line):
        return not _MARKER.match(line) or bare.endswith(("{", "}", ";"))
    if re.fullmatch(r"<?https?://\S+>?[.,]?", bare):
        return True
    letters = sum(
        2 if "\u3040" <= sign <= "\u9fff" else 1 for sign in bare if sign.isalpha()
    )  # a CJK sign is a word's worth
    return letters < len(bare) * 0.45 and len(bare) > 12  # noqa: PLR2004 - half punctuation: no sentence


def _is_document(lines: list[str]) -> bool:
    marks = sum(1 for line in lines if _HEADING.match(line))
    bullets = sum(1 for line in lines if _MARKER.match(line))
    return marks >= 2 or bullets >= LONG_LIST or len(lines) > LONG_LIST * 5  # noqa: PLR2004


def _around_document(lines: list[str]) -> list[str]:
    """The first paragraph and the last one, where they are plain words: people write before and below what they paste."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    paragraphs = [p for p in paragraphs if p]
    ends = paragraphs[:1] + (paragraphs[-1:] if len(paragraphs) > 1 else [])
    plain = [p for p in ends if len(p) <= 4 and not any(_HEADING.match(x) or _MARKER.match(x) for x in p)]  # noqa: PLR2004
    return [line for p in plain for line in [*p, ""]]


def split(text: str) -> list[str]:
    """Sentences in order, without list markers and emoji; abbreviations, versions, paths and file names stay whole."""
    found: list[str] = []
    for block in _blocks(text):
        found.extend(_split_block(block))
    return found


def _blocks(text: str) -> list[str]:
    """Lines joined where one sentence was wrapped over several; bullets and blank lines separate."""
    blocks: list[str] = []
    open_block = False
    for raw in text.split("\n"):
        line = _SMILEY.sub(" ", _EMOJI.sub(" ", raw))
        bare = _MARKER.sub("", line).strip(" \t*_#>")
        if not bare:
            open_block = False
            continue
        continues = (
            open_block
            and len(blocks[-1]) >= _WRAPPED
            and "==" not in line
            and not _MARKER.match(line)
            and bare[0].islower()
            and not _FULL_STOP.search(blocks[-1])
        )
        if continues:
            blocks[-1] += " " + bare
        else:
            blocks.append(bare)
        open_block = True
    return blocks


def _split_block(block: str) -> list[str]:
    """Where sentencex sees an end. It counts in characters, so what it is shown is as long as the block."""
    cues = language_of(block)
    shown = _INITIAL.sub(lambda match: match[0][0] + "x", without_dots(block))
    found = get_sentence_boundaries(cues.code if cues else "en", shown)
    pieces = [block[one["start_index"] : one["end_index"]] for one in found]
    parts = (" ".join(part.split()) for piece in pieces for part in _WIDE_END.split(piece))
    return [part for part in parts if any(sign.isalnum() for sign in part)]
