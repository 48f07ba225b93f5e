"""The learned judgement: what it sees of a sentence, how it tells unseen ones, and that its weights belong to its examples."""

import hashlib
from pathlib import Path

import pytest

from dreamd.engines.offline.features import features
from dreamd.engines.offline.judgement import KINDS, answered, judged, told, weights_of
from dreamd.engines.offline.languages.detect import ALL, language_of
from dreamd.engines.offline.readings import outcome_of
from dreamd.transcripts.event import Origin
from engines.typed import SAID, answer, read, turn

CODES = [cues.code for cues in ALL]
EXAMPLES = Path(__file__).parents[2] / "benchmarks/judge"
LABELS = {*KINDS, "request", "question", "state", "plan", "chat", "idea", "quote", "retract", "case"}
LABELS |= {"a-keep", "a-leave", "yes", "no", "pick"}


def lasts(text: str) -> float:
    cues = language_of(text)
    assert cues is not None
    judgement = judged(text, cues, outcome_of(text, "", cues, Origin.TYPED, SAID))
    assert judgement is not None
    return judgement.lasts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the gauge listens on port 4410", "the gauge listens on port 9921"),
        ("put it in src/app/main.py", "put it in lib/core/other.go"),
        ("call fetch_rows first", "call drop_tables first"),
        ("`make all` builds it", "`ninja` builds it"),
    ],
)
def test_numbers_names_and_code_are_seen_by_their_kind(one: str, other: str) -> None:
    assert list(features(one, "en")) == list(features(other, "en"))


def test_the_order_of_words_is_seen() -> None:
    assert set(features("never push to main", "en")) != set(features("to main push never", "en"))


def test_chinese_is_read_by_characters_and_its_latin_words_by_word() -> None:
    seen = set(features("日志写到 loki", "zh"))
    assert {"w:日", "b:日 志", "w:loki", "w:<latin>"} <= seen


@pytest.mark.parametrize(
    "text",
    [
        "the harbour desk only takes berths in metres, feet are converted at the gate",
        "invoices for the Danish branch carry no VAT line, their accountant insists on it",
        "half of our crew is colour blind, so no red against green anywhere in the charts",
        "所有报表金额保留两位小数，四舍五入由财务定",
        "Суммы храним в копейках целым числом, никакой плавающей точки",
        "顧客番号は必ず八桁で、先頭のゼロも残すこと",
        "고객 번호는 항상 여덟 자리이고 앞의 0도 유지해야 합니다",
        "Preise stehen bei uns immer in Cent in der Datenbank, nie als Kommazahl",
        "Los precios se guardan siempre en céntimos, nunca con decimales",
        "Les prix sont toujours stockés en centimes, jamais en nombres à virgule",
    ],
)
def test_what_lasts_is_told_without_a_rule_for_it(text: str) -> None:
    assert lasts(text) > 0


@pytest.mark.parametrize(
    "text",
    [
        "have a look at the harbour page, the second table is cut off",
        "why does the berth list come back empty?",
        "the tide job failed again with the same message",
        "帮我看看泊位页面，第二个表格显示不全",
        "Посмотри, почему список причалов пустой",
        "二つ目の表が切れているので見てください",
        "두 번째 표가 잘렸는데 한번 봐주세요",
        "Schau mal, warum die zweite Tabelle abgeschnitten ist",
        "Mira por qué la segunda tabla sale cortada",
        "Regarde pourquoi le deuxième tableau est coupé",
    ],
)
def test_what_ends_with_the_task_is_told_too(text: str) -> None:
    assert lasts(text) < 0


@pytest.mark.parametrize(
    ("text", "code", "meant"),
    [
        ("sounds right, go for it", "en", "yes"),
        ("no, leave it as it is", "en", "no"),
        ("the second one", "en", "pick"),
        ("add a test for the tide table", "en", "other"),
        ("行，就这么办", "zh", "yes"),
    ],
)
def test_short_answers_are_told_apart(text: str, code: str, meant: str) -> None:
    assert answered(text, code) == meant


def test_an_agents_statement_is_told_from_its_progress() -> None:
    stands = told("Berths are stored in metres now, and the gate converts feet.", "en")
    passes = told("Let me look at the failing test first.", "en")
    assert stands is not None
    assert passes is not None
    assert stands > 1 > -1 > passes


@pytest.mark.parametrize(
    ("proposed", "said", "reported"),
    [
        (
            "I could store berths in metres and convert at the gate. Shall I?",
            "yep, makes sense",
            "Berths are stored in metres and converted at the gate.",
        ),
        ("要不要把泊位表改用 parquet 存？", "可以，就这么办", "泊位表现在用 parquet 存储。"),
    ],
)
def test_an_assent_keeps_what_the_report_says_of_the_proposal(proposed: str, said: str, reported: str) -> None:
    assert reported in lines_of(proposed, said, reported)


def test_an_assent_to_a_step_of_the_work_keeps_nothing() -> None:
    assert lines_of("Shall I run the tests now?", "yes please", "All 41 tests pass.") == []


def lines_of(proposed: str, said: str, reported: str) -> list[str]:
    turns = [turn("go on", n=0), answer(proposed, n=1), turn(said, n=2), answer(reported, n=3)]
    return [f.text for f in read(*turns).findings if f.weight >= 0.5]


@pytest.mark.parametrize(
    "typed",
    [
        "at Socket.connect (inpage.js:1:58695)",
        "don't ask any more",
        "(since last spring the harbour has a new crane)",
        "**Berths**: stored as metres",
    ],
)
def test_frames_asides_and_pasted_letters_are_no_lines(typed: str) -> None:
    assert read(typed).findings == ()


@pytest.mark.parametrize("code", CODES)
def test_every_language_has_weights_of_the_examples_that_are_there(code: str) -> None:
    weights = weights_of(code)
    assert weights is not None
    found = hashlib.sha256()
    for path in sorted(EXAMPLES.glob(f"{code}*.tsv")):
        found.update(path.read_bytes())
    assert weights.made_of == found.hexdigest(), f"run `python benchmarks/judge/fit.py {code}`"
    assert set(weights.kinds.labels) == set(KINDS)
    assert {len(row) for row in weights.lasts.weights.values()} == {1}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.tsv")), ids=lambda path: path.stem)
def test_every_example_has_a_label_and_stands_once(path: Path) -> None:
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    assert {len(row) for row in rows} == {2}
    assert {label for label, _ in rows} <= LABELS
    assert len({text for _, text in rows}) == len(rows)
