"""What ranks: a row's own words, who spoke where and when, what stands beside it, the session it is part of."""

import datetime as dt
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from dreamd.search.dates import Dates
from dreamd.search.fusion import fused
from dreamd.search.index import Index, SessionDoc, TurnDoc
from dreamd.search.marks import counter, finder, folded
from dreamd.search.past import ProjectDoc
from dreamd.search.words import query_terms

AT = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "search.db")


def doc(name: str = "a:1", project: str = "orchard") -> SessionDoc:
    return SessionDoc(name, "claude-code", project, f"git:{project}", f"/t/{name}.jsonl")


def turn(text: str, *, days: float = 0, speaker: str = "", role: str = "human") -> TurnDoc:
    return TurnDoc(AT + dt.timedelta(days=days), role, text, 0, speaker=speaker)


def filler(index: Index, count: int = 60) -> None:
    words = ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow"]
    turns = [turn(f"{words[n % 12]} {words[n % 7]} grows at place {n}") for n in range(count)]
    index.update_session(doc("a:filler", "woods"), turns, "1")


def texts(index: Index, query: str, **how: object) -> list[str]:
    return [hit.text for hit in index.query(query, where="sessions", **how).hits]  # type: ignore[arg-type]


def test_who_spoke_ranks_above_who_is_spoken_to(index: Index) -> None:
    filler(index)
    said = [
        turn("Ada, what about your pottery course?", speaker="Bruno Weiss"),
        turn("My own pottery course starts in May.", speaker="Ada Lund"),
    ]
    index.update_session(doc("a:2"), said, "1")
    assert texts(index, "When does Ada's pottery course start?")[0].startswith("My own")
    assert texts(index, "What does Bruno ask about the pottery course?")[0].startswith("Ada, what")


def test_the_project_ranks_although_no_turn_names_it(index: Index) -> None:
    filler(index)
    for project in ("meadow", "harbor-api", "glade"):
        index.update_session(
            doc(f"a:{project}", project), [turn(f"the health endpoint of {len(project)} is slow")], "1"
        )
    assert texts(index, "health endpoint harbor")[0] == "the health endpoint of 10 is slow"
    assert texts(index, "harbor-api health endpoint")[0] == "the health endpoint of 10 is slow"


def test_the_day_a_query_names_ranks(index: Index) -> None:
    filler(index)
    for days in (0, 31, 62):
        index.update_session(doc(f"a:{days}"), [turn(f"the export failed after {days}", days=days)], "1")
    assert texts(index, "export failed in April")[0] == "the export failed after 31"
    assert texts(index, "export failed on 2 March 2026")[0] == "the export failed after 0"
    assert texts(index, "2026-05-03 export failed")[0] == "the export failed after 62"


@pytest.mark.parametrize(
    ("query", "dates"),
    [
        ("what failed on 2026-03-02?", Dates(2026, 3, 2)),
        ("in 2025-11", Dates(2025, 11)),
        ("the 3rd of July", Dates(None, 7, 3)),
        ("July 3rd, 2024", Dates(2024, 7, 3)),
        ("since may", Dates(None, 5)),
        ("may I ask", Dates()),
        ("it may 3 fail", Dates(None, 5, 3)),
        ("in 2023", Dates(2023)),
        ("port 2300", Dates()),
        ("nothing", Dates()),
    ],
)
def test_dates_are_read_from_a_query(query: str, dates: Dates) -> None:
    assert Dates.named_in(query) == dates


def test_an_answer_is_ranked_by_the_question_before_it(index: Index) -> None:
    filler(index)
    index.update_session(doc("a:2"), [turn("which port does staging use?"), turn("staging is on 8282")], "1")
    index.update_session(doc("a:3"), [turn("staging was down all day"), turn("sorry")], "1")
    assert texts(index, "staging port")[:2] == ["which port does staging use?", "staging is on 8282"]


def test_what_stands_beside_is_given_only_where_it_is_asked_for(index: Index) -> None:
    filler(index)
    index.update_session(doc("a:2"), [turn("how long have you been married?"), turn("five years already!")], "1")
    assert texts(index, "married for long") == ["how long have you been married?"]
    assert texts(index, "how long have they been married", beside=False) == ["how long have you been married?"]
    for query in ("how long have they been married", "married for long?", "married 吗？ long"):
        assert texts(index, query)[1] == "five years already!"
    assert texts(index, "married for long", beside=True)[:2] == [
        "how long have you been married?",
        "five years already!",
    ]


def test_nothing_is_borrowed_from_another_session(index: Index) -> None:
    filler(index)
    index.update_session(doc("a:2"), [turn("which port does staging use?")], "1")
    index.update_session(doc("a:3"), [turn("something else entirely")], "1")
    assert texts(index, "staging port", beside=True) == ["which port does staging use?"]


def test_the_session_that_holds_more_of_the_query_leads(index: Index) -> None:
    filler(index)
    index.update_session(doc("a:2"), [turn("the heron export is slow"), turn("ok"), turn("ok"), turn("ok")], "1")
    far = [turn("the heron export is late"), turn("x1 ok"), turn("x2 ok"), turn("x3 ok"), turn("all of it on staging")]
    index.update_session(doc("a:3"), far, "1")
    assert texts(index, "heron export staging")[0] == "the heron export is late"


def test_words_that_only_hold_a_sentence_together_find_nothing_beside_others(index: Index) -> None:
    index.update_session(doc(), [turn("did you have it then?"), turn("the zeppelin landed")], "1")
    assert texts(index, "when did the zeppelin land?", beside=False) == ["the zeppelin landed"]
    assert texts(index, "did you have it") == ["did you have it then?"]


@pytest.mark.parametrize(
    ("query", "text", "times"),
    [
        ("art", "an art article for party artists", 1),
        ("go", "good google", 0),
        ("run", "running runs run runner", 4),
        ("stories", "a story and stories", 2),
        ("process", "processes processed a process", 3),
        ("deploy", "deploys deployment deployed", 3),
        ("test", "the latest contest", 0.5),
        ("user", "call getUserName", 0.5),
        ("db-7", "db-7 and db-70", 1),
        ("agent*", "agents agentic", 2),
    ],
)
def test_words_are_counted_in_their_forms(query: str, text: str, times: float) -> None:
    term = query_terms(query)[0]
    assert counter(term)(folded(text)) == times
    assert bool(finder(term)(folded(text))) == bool(times) or query == "art"


def test_sessions_of_projects_that_stay_apart_are_left_out(index: Index) -> None:
    for project in ("orchard", "client"):
        index.update_session(doc(f"a:{project}", project), [turn(f"the heron of {project}"), turn("aha")], "1")
    assert texts(index, "heron", apart=["git:client"]) == ["the heron of orchard"]
    assert all("client" not in text for text in texts(index, "heron client", apart=["git:client"], beside=True))


def test_turns_beside_stay_within_the_filters(index: Index) -> None:
    said = [turn("about the heron"), turn("much later", days=9), turn("the heron again", days=10)]
    index.update_session(doc(), said, "1")
    since = AT + dt.timedelta(days=9, hours=1)
    assert texts(index, "heron", since=since, beside=True) == ["the heron again"]


def test_the_score_is_about_one_for_a_row_that_holds_every_word_once(index: Index) -> None:
    filler(index)
    index.update_session(doc("a:2"), [turn("a heron nests on the roof of the house there")], "1")
    (hit,) = index.query("heron roof house", where="sessions").hits
    assert 0.8 < hit.score < 1.6


def test_a_project_narrows_memory_to_its_topic_files_too(index: Index) -> None:
    index.update_memory(
        {
            "MEMORY.md": b"- the heron rule\n",
            "projects/api.md": b"- the heron of api\n",
            "projects/api~2.md": b"- more heron of api\n",
            "projects/api-2f.md": b"- the heron of another\n",
        }
    )
    index.update_projects(
        [ProjectDoc("github.com/x/api", "api", "/work/api", "api"), ProjectDoc("/w/api", "api", "/w/api", "api-2f")]
    )
    for name in ("github.com/x/api", "/work/api"):
        hits = index.query("heron", where="memory", project=name).hits
        assert sorted(hit.path for hit in hits) == ["projects/api.md", "projects/api~2.md"]
    assert len(index.query("heron", project="API").hits) == 3
    assert len(index.query("heron", apart=["/w/api"]).hits) == 3
    nobody = index.query("heron", project="nobody")
    assert nobody.hits == ()
    assert "no project nobody is known" in nobody.hint


def test_a_word_that_memory_does_not_hold_counts_against_its_lines(index: Index) -> None:
    index.update_memory({"MEMORY.md": b"- Node 20 is no longer supported\n- why not\n"})
    index.update_session(doc(), [turn("why is CI red?"), turn("the runner has Node 20")], "1")
    hits = index.query("why is CI red?").hits
    assert [hit.text for hit in hits] == ["why is CI red?", "the runner has Node 20"]


def test_of_two_equal_turns_the_one_that_was_typed_leads(index: Index) -> None:
    filler(index)
    said = [
        turn("the heron nests on a roof", role="assistant"),
        turn("ok"),
        turn("ok"),
        turn("a roof nests on the heron"),
    ]
    index.update_session(doc("a:2"), said, "1")
    assert texts(index, "heron roof")[0] == "a roof nests on the heron"


class Synonyms:
    """Knows one thing about meaning: what words stand for."""

    def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        wanted = set(query.replace("spouse", "husband").split())
        return [len(wanted & set(text.split())) for text in texts]


def test_the_order_of_a_model_and_that_of_the_words_become_one_by_rank() -> None:
    ordered = list("abcdefghij")
    assert fused(ordered, [0, 0, 0, 0, 0, 0, 0, 0, 0, 9]) == list("abcdefjghi")
    assert fused(ordered, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) == ordered
    assert fused(ordered, [0] * 10) == ordered
    assert fused([], []) == []


def test_a_model_that_is_handed_to_the_index_has_a_say(tmp_path: Path) -> None:
    for meaning, expected in ((None, "late number 8"), (Synonyms(), "late number 8 husband")):
        index = Index(tmp_path / "search.db", meaning)
        said = [turn(f"late number {n}{' husband' * (n == 8)}") for n in range(9)]
        index.update_session(doc(), [one for turn_ in said for one in (turn_, turn("ok"), turn("well"))], "1")
        found = texts(index, "late spouse")
        assert len(found) == 9
        assert found.index("late number 8 husband") == (5 if meaning else 8), expected
    assert len(texts(index, "late spouse", limit=1)) == 1


def test_purging_forgets_who_spoke(index: Index) -> None:
    index.update_session(doc(), [turn("the heron nests", speaker="Zebedee")], "1")
    index.update_session(doc("a:2"), [turn("the heron flies", speaker="Ada")], "1")
    index.remove_session("a:1")
    index.purge()
    with sqlite3.connect(index._file.path) as db:
        assert db.execute("SELECT name FROM speaker").fetchall() == [("Ada",)]
    db.close()
