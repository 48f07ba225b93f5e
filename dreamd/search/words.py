"""How text becomes words: what the index holds of it, and what a query asks for."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

#: Changes whenever `indexed_words` gives other words: an index made with another number is made anew.
VERSION = 1

#: Joins the parts of an identifier, path or version into one more word ("db-7"). A private-use character: FTS5's unicode61 takes
#: it for a letter, no text holds it.
_JOINER = "\ue000"
_PLUS, _SHARP = "\ue001", "\ue002"
_PROJECT = "\ue003"

#: Scripts written without spaces: their runs are cut into pairs of characters.
UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)
_COMPOUND = re.compile(
    r"[A-Za-z0-9]+(?:[-_./:@\\][A-Za-z0-9]+)+|\b[a-z]+\d*[A-Z][A-Za-z0-9]*|\b[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*|\b[A-Z]{2,}[a-z][a-z]+[A-Za-z0-9]*",
    re.ASCII,
)
_VERSION_LETTER = re.compile(r"[vV]\d+")
_SEPARATOR = re.compile(r"[-_./:@\\]")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", re.ASCII)
_LANGUAGE = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z]{1,3})(\+\+|#)", re.ASCII)
_WORD = re.compile(r"[^\W_]+")
_CHUNK = re.compile(r"\S+")
_LONGEST = 160  # characters of a compound; longer ones are data

_MAX_QUERY = 4000
_MAX_TERMS = 32


#: Words that hold a sentence together: beside others they find nothing and say next to nothing.
FUNCTION_WORDS = frozenset(
    "a about after again all also am an and any are as at be because been before being both but by can could did do does doing done during each for from get "  # noqa: SIM905 - a list of words is easier to keep as words
    "got had has have having he her hers him his how i if in into is it its just like likely many may me might more most much must my of off on once one or "
    "other our out over own really say said she should so some still such than that the their them then there these they this those through to too under up "
    "us very want was we well were what when where which while who whom whose why will with would yes you your yours "
    "der die das den dem des ein eine einer einen und oder aber ist sind war waren hat haben wir ihr sie er es ich nicht mit von zu im am auf für wie was wann wo wer "
    "le la les un une des du et ou est sont a ont nous vous il elle ils je ne pas avec de dans sur pour que qui quoi quand où comment "
    "el los las una unos y o es son ha han no con en por para que quien cuando donde como".split()
)


_ASKING = frozenset(
    "what when where who whom whose which why how was wann wo wer wen wem warum welche welcher welches wie quand où qui quoi pourquoi comment "  # noqa: SIM905 - as above
    "quel quelle qué cuándo dónde quién cuál cómo".split()
)


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query. `text` is a single token of the index; `shown` is what to look for in a text when marking it."""

    text: str
    shown: str
    prefix: bool = False
    part: bool = False  # a part of an identifier that is asked for whole as well

    @property
    def empty(self) -> bool:
        """Whether it is one of the words that say next to nothing."""
        return not self.prefix and self.text in FUNCTION_WORDS

    @property
    def match(self) -> str:
        """The term in FTS5's query language: quoted, so that nothing in it is an operator."""
        return f'"{self.text}"*' if self.prefix else f'"{self.text}"'


def project_word(project: str) -> str:
    """The word that every turn of a project carries, so that FTS5 itself can narrow a search to it."""
    return _PROJECT + hashlib.blake2b(project.encode("utf-8", "replace"), digest_size=8).hexdigest()


def indexed_words(text: str) -> str:
    """What FTS5 gets in the place of a text: the text with unspaced scripts in pairs, and its identifiers whole and in parts.

    A pure function of the text: rows are taken out of the contentless index by giving it the same words again.
    """
    if not text.isascii():
        text = UNSPACED.sub(lambda run: f" {' '.join(_pairs(run.group()))} ", unicodedata.normalize("NFKC", text))
    more = [word for compound in _COMPOUND.finditer(text) for word in _whole_and_parts(compound.group())]
    if "+" in text or "#" in text:
        more += [_language(found) for found in _LANGUAGE.finditer(text)]
    return f"{text}\n{' '.join(more)}" if more else text


def query_terms(query: str) -> tuple[Term, ...]:
    """The words a query asks for, each once, in its order. Any string is a query; one without words gives none."""
    terms: dict[tuple[str, bool], Term] = {}
    plain = unicodedata.normalize("NFKC", query[:_MAX_QUERY].replace("\0", " "))
    for chunk in _CHUNK.findall(plain):
        for term in _terms_of(chunk):
            known = terms.get((term.text, term.prefix))
            if known is None or (known.part and not term.part):
                terms[term.text, term.prefix] = term
    found = list(terms.values())
    if len(found) > 1:  # the "t" of "don't" says nothing beside other words
        found = [
            term for term in found if len(term.text) > 1 or not term.text.isalpha() or not term.text.isascii()
        ] or found
    return tuple(found[:_MAX_TERMS])


def is_question(query: str) -> bool:
    """Whether a query asks in a sentence instead of naming words."""
    first = _WORD.search(query)
    return "?" in query or "？" in query or (first is not None and first.group().lower() in _ASKING)


def _terms_of(chunk: str) -> Iterator[Term]:
    for found in _LANGUAGE.finditer(chunk):
        yield Term(_language(found), found.group().lower())
    for compound in _COMPOUND.finditer(chunk):
        whole, *parts = _whole_and_parts(compound.group())
        yield Term(whole, compound.group().lower())
        for part in parts:
            yield Term(part, part.replace(_JOINER, ""), part=True)
    joined = any(True for _ in _COMPOUND.finditer(chunk))
    starred = chunk.endswith("*")
    spaced = UNSPACED.sub(" ", chunk)
    words = _WORD.findall(spaced)
    for index, word in enumerate(words):
        last = starred and index == len(words) - 1
        yield Term(word.lower(), word.lower(), prefix=last, part=joined and not last)
    for run in UNSPACED.findall(chunk):
        if len(run) == 1:
            yield Term(run, run, prefix=True)
        else:
            yield from (Term(pair, pair) for pair in _pairs(run))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _language(found: re.Match[str]) -> str:
    return found[1].lower() + (_SHARP if found[2] == "#" else _PLUS * 2)


def _whole_and_parts(compound: str) -> list[str]:
    """An identifier, path or version as one word, a path's last name as another, and the parts of camelCase."""
    if len(compound) > _LONGEST:
        return [compound[:_LONGEST].lower()]
    pieces = _SEPARATOR.split(compound)
    words = [_JOINER.join(pieces).lower()]
    if len(names := re.split(r"[/\\]", compound)) > 1 and len(last := _SEPARATOR.split(names[-1])) > 1:
        words.append(_JOINER.join(last).lower())
    if _VERSION_LETTER.fullmatch(pieces[0]):  # "v1.2.3" is 1.2.3
        words.append(_JOINER.join([pieces[0][1:], *pieces[1:]]).lower())
    for piece in pieces:
        parts = _CAMEL.findall(piece)
        if len(parts) > 1:
            words += [part.lower() for part in parts]
            if len(pieces) > 1:
                words.append(piece.lower())
    return words
