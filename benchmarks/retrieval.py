"""How well turns are found by questions about them: `python benchmarks/retrieval.py DATA.json`, data in LoCoMo's format.

The format: a list of samples, each with `conversation` (`session_1`, `session_1_date_time`, …; turns with `speaker`, `dia_id`, `text`
and perhaps `blip_caption`) and `qa` (`question`, `evidence`, `category`).
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import json
import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from made_up_talk import conversations

from dreamd.search.index import Index, SessionDoc, TurnDoc

DIA = re.compile(r"D(\d+):(\d+)")
DEPTHS = (5, 10)
NAMES = {1: "several turns", 2: "when", 3: "by inference", 4: "one turn", 5: "asked wrongly"}


class Asked(NamedTuple):
    """A question with the turns that answer it (as (session, turn))."""

    text: str
    evidence: frozenset[tuple[int, int]]
    category: int


class Answer(NamedTuple):
    """What a question found: recall at each depth, the reciprocal rank of the first right turn, milliseconds."""

    category: int
    recalls: tuple[float, ...]
    reciprocal: float
    took_ms: float


def main() -> None:
    """Prints recall and rank, over all questions and by category, and how long a question took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", help="a file in LoCoMo's format; left out: made-up talk")
    parser.add_argument("--words-only", action="store_true", help="only turns that hold words of the question")
    parser.add_argument(
        "--model", metavar="MODULE:NAME", help="also an embedding model, made by NAME() and asked by .encode(texts)"
    )
    parser.add_argument("--together", action="store_true", help="all conversations in one index instead of one each")
    parser.add_argument("--without-captions", action="store_true", help="leave out what pictures show")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="also print N questions that missed")
    given = parser.parse_args()
    samples = json.loads(given.data.read_text(encoding="utf-8")) if given.data else conversations()
    samples = samples if isinstance(samples, list) else [samples]
    answers: list[Answer] = []
    with tempfile.TemporaryDirectory(prefix="dreamd-retrieval-") as folder:
        groups = [samples] if given.together else [[sample] for sample in samples]
        for number, group in enumerate(groups):
            index = Index(Path(folder) / f"{number}.db", Model(given.model) if given.model else None)
            for sample in group:
                fill(index, sample, captions=not given.without_captions)
            for sample in group:
                answers += [ask(index, sample, one, given) for one in questions(sample)]
    table(answers, len(samples))


class Model:
    """An embedding model as the index asks it."""

    def __init__(self, name: str) -> None:
        module, _, made = name.partition(":")
        self._model = getattr(importlib.import_module(module), made)()

    def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        """Cosines, if the vectors are normalised."""
        if not texts:
            return []
        asked, *others = self._model.encode([query, *texts])
        return [sum(float(a) * float(b) for a, b in zip(asked, other, strict=True)) for other in others]


def fill(index: Index, sample: dict[str, Any], *, captions: bool) -> None:
    """One session document for each session of a conversation."""
    for number, at, turns in sessions(sample["conversation"]):
        docs = [
            TurnDoc(
                at=at,
                role="human",
                text=said(turn, captions=captions),
                offset=place,
                speaker=str(turn.get("speaker", "")),
            )
            for place, turn in turns
        ]
        index.update_session(SessionDoc(f"{sample.get('sample_id')}:{number}", "talk", ""), docs, "1")


def sessions(
    conversation: dict[str, Any],
) -> Iterator[tuple[int, dt.datetime | None, list[tuple[int, dict[str, Any]]]]]:
    """(number, time, turns by their number) in order."""
    numbers = sorted(int(found[1]) for key in conversation if (found := re.fullmatch(r"session_(\d+)", key)))
    for number in numbers:
        turns = []
        for turn in conversation[f"session_{number}"] or []:
            found = DIA.search(str(turn.get("dia_id", "")))
            if found:
                turns.append((int(found[2]), turn))
        yield number, moment(str(conversation.get(f"session_{number}_date_time", ""))), turns


def said(turn: dict[str, Any], *, captions: bool) -> str:
    """A turn's words, with what its picture shows."""
    text = str(turn.get("text") or turn.get("clean_text") or turn.get("compressed_text") or "")
    shown = turn.get("blip_caption") if captions else None
    return f"{text}\n[shows {shown}]" if shown else text


def moment(text: str) -> dt.datetime | None:
    """LoCoMo's "1:56 pm on 8 May, 2023"."""
    for form in ("%I:%M %p on %d %B, %Y", "%I:%M %p on %d %B %Y", "%d %B, %Y"):
        try:
            return dt.datetime.strptime(text.strip(), form).replace(tzinfo=dt.UTC)
        except ValueError:
            continue
    return None


def questions(sample: dict[str, Any]) -> Iterator[Asked]:
    """Those that name turns which exist."""
    there = {(number, place) for number, _, turns in sessions(sample["conversation"]) for place, _ in turns}
    for one in sample["qa"]:
        named = one.get("evidence") or []
        text = " ".join(named) if isinstance(named, list) else str(named)
        evidence = frozenset((int(a), int(b)) for a, b in DIA.findall(text)) & there
        if evidence:
            yield Asked(str(one["question"]), evidence, int(one.get("category", 0)))


def ask(index: Index, sample: dict[str, Any], one: Asked, given: argparse.Namespace) -> Answer:
    """One question put to the index."""
    result = index.query(one.text, where="sessions", limit=max(DEPTHS), beside=False if given.words_only else None)
    found = []
    for hit in result.hits:
        whose, _, number = (hit.session or "").rpartition(":")
        found.append((int(number), hit.offset) if whose == str(sample.get("sample_id")) else (-1, -1))
    recalls = tuple(len(one.evidence & set(found[:depth])) / len(one.evidence) for depth in DEPTHS)
    first = next((1 / place for place, turn in enumerate(found, start=1) if turn in one.evidence), 0.0)
    if recalls[0] < 1 and given.misses > 0:
        given.misses -= 1
        print(f"{one.text}\n    wanted {sorted(one.evidence)}, found {found[: DEPTHS[0]]}")
    return Answer(one.category, recalls, first, result.took_ms)


def table(answers: list[Answer], samples: int) -> None:
    """One line for each category, one for all."""
    by: defaultdict[str, list[Answer]] = defaultdict(list)
    for one in answers:
        by[f"{one.category} {NAMES.get(one.category, '')}".strip()].append(one)
    print(f"{samples} conversations, {len(answers)} questions")
    print(f"{'':<20}{'questions':>10}" + "".join(f"{f'Recall@{depth}':>11}" for depth in DEPTHS) + f"{'MRR':>8}")
    for name, group in [*sorted(by.items()), ("all", answers)]:
        means = [statistics.mean(one.recalls[n] for one in group) for n in range(len(DEPTHS))]
        rank = statistics.mean(one.reciprocal for one in group)
        print(f"{name:<20}{len(group):>10}" + "".join(f"{mean:>11.3f}" for mean in means) + f"{rank:>8.3f}")
    times = statistics.quantiles([one.took_ms for one in answers], n=20)
    print(f"a question took p50 {times[9]:.1f} ms, p95 {times[18]:.1f} ms")


if __name__ == "__main__":
    main()
