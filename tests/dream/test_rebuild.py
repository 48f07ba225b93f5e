"""A database that is lost comes back from transcripts, archive, history and tombstones: nothing forgotten returns, nothing is read twice."""

from __future__ import annotations

import stat
from pathlib import Path

from dreamd.rebuild import rebuild
from dreamd.state.run_record import Outcome
from world import World

WORD = "cormorant"


def dreamt(world: World) -> None:
    world.say(f"The {WORD} service runs on port 8181.", "We always use pnpm in this repo, never npm.")
    world.say("Never push without asking me first.", session=2)
    world.later(days=2)
    assert world.kick().outcome is Outcome.COMMITTED
    assert WORD in world.text()


def lose(world: World, *, transcripts: bool = False) -> None:
    for path in world.state.glob("state.db*"):
        path.unlink()
    if transcripts:
        for path in world.transcripts.rglob("*.jsonl"):
            path.unlink()
    rebuild(world.loaded(), world.clock)


def test_archived_sessions_whose_transcripts_are_gone_are_known_again(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        before = {one.id: (one.path, one.cwd, one.human_turns, one.archive_path) for one in app.sessions()}
        content = {one.id: Path(one.path).read_bytes() for one in app.sessions()}
    lose(world, transcripts=True)
    with world.app() as app:
        after = {one.id: (one.path, one.cwd, one.human_turns, one.archive_path) for one in app.sessions()}
        assert after == before
        assert {one.state(world.clock.at, world.loaded().config.gates.idle).value for one in app.sessions()} == {
            "consolidated"
        }
        assert WORD in app.why(WORD).text
        for name, data in content.items():
            _, paths = app.restore(name, overwrite=False)
            assert paths[0].read_bytes() == data
    assert list(world.state.glob("archive/.dreamd-*")) == []
    assert world.kick().outcome is Outcome.NO_CHANGE


def test_what_was_forgotten_rejected_or_undone_stays_away_without_the_database(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        app.forget_line(WORD, purge_history=True)
    assert stat.S_IMODE((world.state / "tombstones.json").stat().st_mode) == 0o600
    assert WORD not in (world.state / "tombstones.json").read_text()
    lose(world)
    world.say(f"The {WORD} service runs on port 8181.", session=5)
    world.later(hours=3)
    world.kick()
    assert WORD not in world.text()


def test_a_forgotten_session_stays_forgotten_without_the_database(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        first = next(one for one in app.sessions() if one.human_turns == 2)
        app.forget_session(first.id, purge_history=True)
    lose(world)
    with world.app() as app:
        assert app.session(first.id)[0].excluded_because == "forgotten"
    world.kick()
    assert WORD not in world.text()
    assert "Never push" in world.text()


def test_an_undone_dream_is_not_dreamt_again_without_the_database(world: World) -> None:
    dreamt(world)
    with world.app() as app:
        app.undo(None, relearn=False)
    lose(world)
    assert world.kick().outcome is Outcome.NO_CHANGE
    assert WORD not in world.text()


def test_forgetting_takes_the_set_aside_database_and_damaged_copies_with_it(world: World) -> None:
    dreamt(world)
    (world.state / "state.db").write_bytes(b"cormorant, this is not a database\n" * 200)
    rebuild(world.loaded(), world.clock)
    assert list(world.state.glob("state.db.damaged-*"))
    with world.app() as app:
        session = next(one for one in app.sessions() if one.human_turns == 2)
        copy = world.state / "archive" / str(session.archive_path)
        copy.with_name(copy.name + ".damaged").write_bytes(b"cormorant")
        app.forget_session(session.id, purge_history=True)
    held = [path for path in world.state.rglob("*") if path.is_file() and WORD.encode() in path.read_bytes()]
    assert held == []
    assert not list(world.state.glob("state.db.damaged-*"))
