"""What is forgotten is gone from everywhere and does not come back; what is added or pinned stays."""

import datetime as dt
from pathlib import Path

import pytest
from dulwich.repo import Repo

from dreamd.dream.cycle import Order
from dreamd.errors import UsageError
from dreamd.memory.history import History
from dreamd.state.run_record import Outcome
from world import World

HOURS = dt.timedelta(hours=1)
WORD = "cormorant"


def holding(world: World, word: str) -> list[str]:
    """Files below the state directory and the memory root that hold a word."""
    places = [*world.state.rglob("*"), *world.root.rglob("*")]
    found = [path for path in places if path.is_file() and word.encode() in path.read_bytes()]
    packed = [path for path in places if path.is_file() and "objects" in path.parts and _inflated(path, word)]
    return sorted(str(path) for path in {*found, *packed})


def _inflated(path: Path, word: str) -> bool:
    import zlib

    try:
        return word.encode() in zlib.decompress(path.read_bytes())
    except zlib.error:
        return False


def dreamt(world: World) -> None:
    world.say(f"The {WORD} service runs on port 8181.", "We always use pnpm in this repo, never npm.")
    world.say("Never push without asking me first.", session=2)
    world.later(days=2)
    assert world.kick().outcome is Outcome.COMMITTED
    assert WORD in world.text()


def test_a_forgotten_line_leaves_nothing_behind_when_history_is_purged_too(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        done = app.forget_line(WORD, purge_history=True)
        assert (done.entries, done.history_holds) == (1, False)
        session = next(one for one in app.sessions() if one.human_turns == 2)
        app.forget_session(session.id, purge_history=True)
    assert holding(world, WORD) == []
    assert "Never push" in world.text()


def objects(world: World) -> bytes:
    """All that history holds, loose or packed."""
    with Repo(str(world.state / "history.git"), bare=True) as repo:
        return b"\n".join(repo.object_store[one].as_raw_string() for one in repo.object_store)


def test_a_dream_packs_a_history_of_many_files_and_a_purge_reaches_into_the_pack(world: World) -> None:
    dreamt(world)
    history = History(world.state / "history.git")
    for number in range(130):  # what refused dreams leave: no ref leads to it
        files = {f"projects/{number}.md": f"- {number}\n".encode()}
        history.record(files, (), None, message="a plan", when=dt.datetime.now(dt.UTC), parent=history.head_id())
    world.say("Robin owns the deployment scripts.", session=3)
    world.later(days=2)
    assert world.kick().outcome is Outcome.COMMITTED
    folder = world.state / "history.git" / "objects"
    assert len(list(folder.glob("pack/*.pack"))) == 1
    head = history.head_id()
    assert not (folder / head[:2] / head[2:]).exists()
    assert WORD in str(history.head().files)
    assert WORD.encode() in objects(world)
    with world.app() as app:
        app.forget_line(WORD, purge_history=True)
    assert WORD.encode() not in objects(world)
    assert holding(world, WORD) == []
    assert world.kick().outcome is Outcome.NO_CHANGE


def test_a_forgotten_line_is_found_in_no_past_session_either(world: World) -> None:
    world.say("The tests run with `pnpm test`.", session=4)
    world.say(f"The {WORD} service runs on port 8181.", session=4, answer=f"Noted: {WORD}.")
    world.say("We always use pnpm in this repo, never npm.", session=4)
    world.later(days=2)
    world.kick()
    assert holding(world, WORD)
    with world.app() as app:
        app.forget_line(WORD, purge_history=True)
        assert holding(world, WORD) == []
        app.kick(Order(sessions=("0000",)))
    world.later(hours=3)
    world.kick()
    assert WORD not in world.text()
    assert [path for path in holding(world, WORD) if "search.db" in path] == []
    with world.app() as app:
        assert app.shop.index.query("pnpm", where="sessions").hits


def test_history_holds_what_was_forgotten_until_it_is_purged(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        assert app.forget_line(WORD, purge_history=False).history_holds
    assert WORD not in world.text()
    assert any("history.git" in path for path in holding(world, WORD))
    world.later(hours=1)
    assert world.kick().outcome is Outcome.NO_CHANGE


def test_a_forgotten_line_is_not_learned_again_in_the_same_words(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        app.forget_line(WORD, purge_history=False)
    world.later(hours=3)
    world.say(f"The {WORD} service runs on port 8181.", session=3, ago=HOURS)
    world.kick()
    assert WORD not in world.text()


def test_a_forgotten_session_takes_only_what_rests_on_it_alone(world: World) -> None:
    dreamt(world)
    world.later(hours=3)
    world.say("We always use pnpm in this repo, never npm.", session=3, ago=HOURS)
    world.kick()
    with world.app() as app:
        first = next(one for one in app.sessions() if one.human_turns == 2)
        copy = app.shop.places.archive / str(first.archive_path)
        assert copy.exists()
        app.forget_session(first.id, purge_history=False)
        assert not copy.exists()
        assert app.session(first.id)[0].excluded_because == "forgotten"
    assert WORD not in world.text()
    assert "pnpm" in world.text()
    assert Path(first.path).exists()
    assert world.kick().outcome is Outcome.NO_CHANGE


def test_a_forgotten_project_leaves_no_topic_file(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        app.forget_project("orchard", purge_history=False)
    assert not (world.root / "projects" / "orchard.md").exists()
    assert "projects/" not in world.memory()


def test_a_persons_own_line_is_never_forgotten_by_command(world: World) -> None:
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- Bring biscuits.\n")
    with world.app() as app, pytest.raises(UsageError, match="your own line"):
        app.forget_line("biscuits", purge_history=False)
    assert "biscuits" in world.memory()


def test_forgetting_drops_waiting_plans_that_would_bring_it_back(world: World) -> None:
    world.settings["memory"] = {"review": True}
    world.say(f"The {WORD} service runs on port 8181.")
    run = world.kick()
    with world.app() as app:
        session = app.sessions()[0]
        app.forget_session(session.id, purge_history=False)
        with pytest.raises(UsageError):
            app.accept(run.id)


def test_an_added_line_is_pinned_and_outlives_staleness(world: World) -> None:
    with world.app() as app:
        assert app.remember("Answer in British English.", project=None).changes.added == 1
        assert app.remember("Answer in British English.", project=None).outcome is Outcome.NO_CHANGE
    world.later(days=800)
    world.kick()
    assert "British" in world.memory()


def test_a_pinned_line_stays_when_nothing_confirms_it(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.", "The API runs on port 8181.")
    world.kick()
    with world.app() as app:
        assert app.pin("pnpm").outcome is Outcome.COMMITTED
    world.later(days=400)
    world.kick()
    assert "pnpm" in world.text()
    assert "8181" not in world.text()


def test_secrets_and_letters_are_not_added(world: World) -> None:
    with world.app() as app:
        with pytest.raises(UsageError, match="secret"):
            app.remember("the key is sk-ant-api03-" + "Ab3" * 20, project=None)
        with pytest.raises(UsageError, match="characters"):
            app.remember("x" * 600, project=None)
