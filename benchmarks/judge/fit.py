"""Learns the offline engine's weights from the example sentences beside this script: `python benchmarks/judge/fit.py [CODE …] [--check]`.

Needs scikit-learn (`pip install scikit-learn`), which dreamd itself does not. The same sentences and rules give the same weights.
`--check` writes nothing and prints how well sentences are told by weights that have not seen them (five-fold).
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from dreamd.engines.offline.features import features
from dreamd.engines.offline.judgement import KINDS, UNIT, evidence
from dreamd.engines.offline.languages.detect import ALL
from dreamd.engines.offline.readings import outcome_of
from dreamd.transcripts.event import Origin

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "dreamd/engines/offline/languages"
CUES = {cues.code: cues for cues in ALL}
SAID = dt.datetime(2026, 3, 18, 9, tzinfo=dt.UTC)
ENDS = {"request", "question", "state", "plan", "chat", "idea", "quote", "retract", "case"}
#: What is no answer though it may follow a question, and how long an answer may be.
OTHER = {"request", "question", "state", "chat"}
SHORT = 90
#: How freely the weights may follow the examples; chosen by five-fold checks.
FREEDOM = 0.5
#: A feature of one sentence alone says nothing.
SEEN = 2
#: Weights below this are left out.
LEAST = 3

Row = dict[str, int]


def examples(code: str) -> list[tuple[str, str]]:
    """The labelled sentences of a language, in an order that has nothing to do with how they were written down."""
    lines = {
        line
        for path in sorted(HERE.glob(f"{code}*.tsv"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "\t" in line
    }
    pairs = [(line.split("\t", 1)[0].strip(), line.split("\t", 1)[1].strip()) for line in lines]
    return sorted(pairs, key=lambda pair: (hashlib.sha256(pair[1].encode()).digest(), pair[0]))


def made_of(code: str) -> str:
    """What tells whether weights are of these examples; a test compares it."""
    told = hashlib.sha256()
    for path in sorted(HERE.glob(f"{code}*.tsv")):
        told.update(path.read_bytes())
    return told.hexdigest()


def questions(code: str) -> dict[str, tuple[list[Row], list[str]]]:
    """What each table is learned from: the features of its sentences, and their answers."""
    cues, pairs = CUES[code], examples(code)
    said = [(label, text) for label, text in pairs if label in KINDS or label in ENDS]
    seen = [dict.fromkeys(evidence(text, cues, outcome_of(text, "", cues, Origin.TYPED, SAID)), 1) for _, text in said]
    others = [
        (label, dict.fromkeys(features(text, code), 1))
        for label, text in pairs
        if label not in KINDS and label not in ENDS
    ]
    answers = [(label, row) for label, row in others if label in ("yes", "no", "pick")]
    short = answers + [
        ("other", dict.fromkeys(features(text, code), 1))
        for label, text in pairs
        if label in OTHER and len(text) < SHORT
    ]
    return {
        "lasts": (seen, ["lasts" if label in KINDS else "ends" for label, _ in said]),
        "kinds": ([r for r, (label, _) in zip(seen, said, strict=True) if label in KINDS], [la for la, _ in said if la in KINDS]),
        "told": ([row for label, row in others if label.startswith("a-")], ["stands" if la == "a-keep" else "passes" for la, _ in others if la.startswith("a-")]),
        "answered": ([row for _, row in short], [label for label, _ in short]),
    }  # fmt: skip


def fitted(rows: list[Row], labels: list[str]) -> tuple[DictVectorizer, LogisticRegression]:
    """A regression over the features that were seen often enough."""
    counts = Counter(name for row in rows for name in row)
    names = DictVectorizer()
    found = names.fit_transform([{name: 1 for name in row if counts[name] >= SEEN} for row in rows])
    return names, LogisticRegression(C=FREEDOM, max_iter=2000).fit(found, labels)


def table(rows: list[Row], labels: list[str]) -> dict[str, object]:
    """The weights as they are stored."""
    names, model = fitted(rows, labels)
    whole = np.rint(model.coef_ * UNIT).astype(int)
    kept = {n: whole[:, i].tolist() for i, n in enumerate(names.feature_names_) if np.abs(whole[:, i]).max() >= LEAST}
    bias = np.rint(model.intercept_ * UNIT).astype(int).tolist()
    return {"labels": list(map(str, model.classes_)), "bias": bias, "weights": kept}


def check(name: str, rows: list[Row], labels: list[str]) -> str:
    """How sentences are told that were left out."""
    fold, answers = np.arange(len(labels)) % 5, np.array(labels)
    out = np.empty((len(labels), len(set(labels))))
    for part in range(5):
        rest = [(r, la) for r, la, f in zip(rows, labels, fold, strict=True) if f != part]
        names, model = fitted([r for r, _ in rest], [la for _, la in rest])
        out[fold == part] = model.predict_proba(
            names.transform([r for r, f in zip(rows, fold, strict=True) if f == part])
        )
        classes = model.classes_
    if len(classes) > 2:
        return f"{name} {np.mean(classes[out.argmax(axis=1)] == answers):.2f} right"
    yes = answers == classes[1]
    line = np.quantile(out[~yes, 1], 0.97)
    return f"{name}: area {roc_auc_score(yes, out[:, 1]):.3f}, {np.mean(out[yes, 1] > line):.2f} where 3 % of the rest are taken along"


def main() -> None:
    """One file of weights a language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("codes", nargs="*", default=list(CUES))
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    for code in given.codes:
        asked = questions(code)
        if given.check:
            print(code, len(asked["lasts"][1]), *(check(name, *asked[name]) for name in asked), sep="; ", flush=True)
            continue
        stored = {"made_of": made_of(code)} | {name: table(*asked[name]) for name in asked}
        text = json.dumps(stored, ensure_ascii=False, separators=(",", ":")).replace('],"', '],\n"')
        (TARGET / f"{code}.weights.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
