"""What a new session is told: the right project, in the right order, within its room, and marked."""

import contextlib
import datetime as dt
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Never

import pytest

from dreamd.briefing.brief import LEAST_TOKENS, Asked, Briefing, PartName, brief
from dreamd.briefing.hook import MOST_CHARACTERS, answer, trouble_of
from dreamd.context.tokens import estimate
from dreamd.dream.cycle import Order
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.errors import DreamdError, EngineError
from dreamd.state.glance import glance
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import Role
from shared_material import shared
from world import World, dreamd

ORCHARD = "/home/sam/work/orchard"
CLIENT = "/home/sam/work/client"


class Broken(OfflineEngine):
    """An engine that cannot answer."""

    def extract(self, *_: object, **__: object) -> Never:
        raise EngineError("no answer")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "home")


def told(world: World, directory: str = ORCHARD, **more: object) -> Briefing:
    return brief(world.loaded(), Asked(Path(directory), **more), dt.UTC, world.clock.at)  # type: ignore[arg-type]


def parts(briefing: Briefing) -> dict[str, str]:
    return {part.name.value: part.text for part in briefing.parts}


def hooked(world: World, raw: str) -> dict[str, dict[str, str]]:
    value: dict[str, dict[str, str]] = json.loads(answer(raw, world.loaded()))
    return value


def start(directory: str = ORCHARD, session: str = "") -> str:
    return json.dumps({"hook_event_name": "SessionStart", "source": "startup", "cwd": directory, "session_id": session})


def lived(world: World) -> None:
    """Two projects with a dream over each."""
    world.say(
        "The login page fails in Safari, find out why.",
        "We always use pnpm in this repo, never npm.",
        answer="Fixed: the cookie lacked its SameSite attribute.",
    )
    world.say("The staging host is heron-4.", project="client", session=2, answer="Noted the host in the runbook.")
    world.say("Never commit without asking me first, in any project.", session=3, ago=dt.timedelta(hours=1))
    world.kick()


def test_a_session_is_told_memory_its_project_and_what_was_done_here_in_that_order(world: World) -> None:
    lived(world)
    briefing = told(world)
    assert list(parts(briefing)) == ["static", "memory", "project", "recent"]
    assert "Never commit without asking" in parts(briefing)["memory"]
    assert "We always use pnpm" in parts(briefing)["project"]
    assert parts(briefing)["recent"].splitlines()[3:] == [
        "- 2026-03-10: Never commit without asking me first, in any project.",
        "- 2026-03-10: The login page fails in Safari, find out why. → Fixed: the cookie lacked its SameSite attribute.",
    ]
    assert briefing.text.startswith("<dreamd-context>\n# What dreamd remembers\n")
    assert briefing.text.endswith("</dreamd-context>")


def test_the_static_part_is_the_same_everywhere_and_every_day(world: World) -> None:
    before = parts(told(world))["static"]
    lived(world)
    world.later(days=40)
    assert parts(told(world))["static"] == parts(told(world, CLIENT))["static"] == before


def test_another_project_is_told_nothing_of_this_one_but_its_pointer(world: World) -> None:
    lived(world)
    briefing = parts(told(world, CLIENT))
    assert "heron-4" in briefing["project"]
    assert "Safari" not in briefing["recent"]
    assert "pnpm" not in briefing["project"]


def test_a_directory_nobody_has_seen_gets_the_general_memory(world: World) -> None:
    lived(world)
    briefing = told(world, "/home/sam/work/elsewhere")
    assert list(parts(briefing)) == ["static", "memory"]
    assert not briefing.place.known


def test_a_folder_inside_a_checkout_is_its_project(world: World, tmp_path: Path) -> None:
    checkout = tmp_path / "orchard"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (checkout / "pkg" / "deep").mkdir(parents=True)
    path = world.say("We always use pnpm in this repo, never npm.")
    path.write_text(path.read_text().replace(ORCHARD, str(checkout)))
    world.kick()
    assert "pnpm" in parts(told(world, str(checkout / "pkg" / "deep")))["project"]


def test_an_isolated_project_is_told_only_there(world: World) -> None:
    world.projects = [{"path": CLIENT, "isolate": True}]
    lived(world)
    elsewhere = told(world)
    assert "heron" not in elsewhere.text
    assert "client" not in elsewhere.text
    assert "heron-4" in parts(told(world, CLIENT))["project"]


def test_words_that_must_not_leave_the_machine_are_told_only_where_they_were_said(world: World) -> None:
    world.projects = [{"path": CLIENT, "engine": "offline"}, {"path": "/home/sam/work/lab", "isolate": True}]
    lived(world)
    world.say("The lab's robot is called marlin.", project="lab", session=5, ago=dt.timedelta(hours=1))
    world.say("Never mention the merger in commit messages.", project="client", session=6, ago=dt.timedelta(hours=1))
    world.say("The orchard's database is called plumtree.", session=7, ago=dt.timedelta(hours=1))
    world.later(hours=2)
    world.kick()
    for directory, theirs in (
        (ORCHARD, ("plumtree",)),
        (CLIENT, ("heron-4", "merger")),
        ("/home/sam/work/lab", ("marlin",)),
    ):
        for text in (told(world, directory).text, json.dumps(hooked(world, start(directory)))):
            assert all(word in text for word in theirs)
            others = {"heron-4", "merger", "marlin"} - {*theirs}
            assert not any(word in text for word in others)


def command(world: World, directory: Path, *arguments: str) -> str:
    """The installed command in a directory."""
    place = Path(sys.executable).with_name("dreamd")
    environ = {"HOME": str(world.home), "PATH": "/usr/bin:/bin", "TZ": "UTC"}
    done = subprocess.run(
        [str(place), *arguments], cwd=directory, env=environ, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_what_a_session_is_told_to_run_tells_it_no_more(world: World, tmp_path: Path) -> None:
    client, orchard = tmp_path / "client", tmp_path / "orchard"
    for number, place, words in (
        (1, client, "The staging host is heron-4."),
        (2, orchard, "The staging host is plumtree."),
    ):
        place.mkdir()
        path = world.say(words, project=place.name, session=number)
        path.write_text(path.read_text().replace(f"/home/sam/work/{place.name}", str(place)))
    world.projects = [{"path": str(client), "engine": "offline"}]
    world.kick()
    file = world.home / ".config" / "dreamd" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[[projects]]\npath = "{client}"\nengine = "offline"\n')
    for arguments in (("search", "staging host"), ("why", "staging host heron-4")):
        assert "heron-4" in command(world, orchard, *arguments)
        assert "heron-4" in command(world, client, arguments[0], "--here", arguments[1])
        assert "heron-4" not in command(world, orchard, arguments[0], "--here", arguments[1])
    assert "plumtree" in command(world, orchard, "search", "--here", "staging host")
    static = parts(told(world))["static"]
    assert "search --here" in static
    assert "why --here" in static


def test_a_rule_holds_for_a_worktree_beside_its_checkout(world: World, tmp_path: Path) -> None:
    checkout, worktree = tmp_path / "client", tmp_path / "wt"
    subprocess.run(["git", "init", "-q", str(checkout)], check=True)
    commit = ["-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-q", "--allow-empty", "-m", "one"]
    subprocess.run(["git", "-C", str(checkout), *commit], check=True)
    subprocess.run(["git", "-C", str(checkout), "worktree", "add", "-q", str(worktree)], check=True)
    path = world.say("Never mention the merger in commit messages.", project="client")
    path.write_text(path.read_text().replace(CLIENT, str(worktree)))
    world.projects = [{"path": str(checkout), "engine": "offline"}]
    world.kick()
    assert "merger" not in world.memory()
    assert "merger" not in told(world).text
    assert "merger" in told(world, str(worktree)).text
    assert "merger" in told(world, str(checkout)).text


def test_a_directory_with_a_rule_inside_a_repository_keeps_its_words_from_the_rest_of_it(
    world: World, tmp_path: Path
) -> None:
    checkout = tmp_path / "mono"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    inside = checkout / "secret" / "api"
    inside.mkdir(parents=True)
    for session, words, directory in (
        (1, "The staging host is heron-4.", inside),
        (2, "Plumtree is our database.", checkout),
    ):
        path = world.say("We always use pnpm in this repo, never npm.", words, session=session)
        path.write_text(path.read_text().replace(ORCHARD, str(directory)))
    world.projects = [{"path": str(checkout / "secret"), "engine": "offline"}]
    world.kick()
    beside, within = told(world, str(checkout)), told(world, str(inside))
    assert "heron-4" not in beside.text
    assert "pnpm" in parts(beside)["project"]
    assert "heron-4" in parts(within)["project"]
    assert "heron-4" in parts(within)["recent"] or "pnpm" in parts(within)["recent"]


def test_a_line_that_points_to_several_files_is_told_without_those_that_are_not_told_here(world: World) -> None:
    world.projects = [{"path": CLIENT, "engine": "offline"}]
    lived(world)
    pointers = (
        "- [client](projects/client.md), [orchard](projects/orchard.md)\n- See [client](projects/client.md) first.\n"
    )
    (world.root / "MEMORY.md").write_text(f"# Memory\n\n{pointers}")
    assert parts(told(world))["memory"] == "\n# MEMORY.md\n- [orchard](projects/orchard.md)\n"
    assert "client" in parts(told(world, CLIENT))["memory"]


def test_where_nobody_can_say_whose_a_project_file_is_it_is_not_told_if_a_rule_keeps_something(world: World) -> None:
    world.projects = [{"path": CLIENT, "engine": "offline"}]
    lived(world)
    (world.state / "state.db").write_bytes(b"no database" * 500)
    assert "pnpm" not in told(world).text
    world.projects = []
    assert "pnpm" in told(world).text


@pytest.mark.parametrize("tokens", [LEAST_TOKENS, 700, 1000, 2000, 20_000])
def test_it_stays_within_its_tokens_and_says_what_is_missing(world: World, tokens: int) -> None:
    lived(world)
    lines = "".join(f"- Rule number {n} says that the heron nests on the roof.\n" for n in range(180))
    (world.root / "MEMORY.md").write_text(f"# Memory\n\n## Rules\n\n{lines}", encoding="utf-8")
    briefing = told(world, max_tokens=tokens)
    assert estimate(briefing.text) <= tokens
    kept = briefing.text.count("- Rule number")
    assert kept == 180 or f"({180 - kept} more: read " in briefing.text or kept == 0
    assert {part.name: part.left_out for part in briefing.parts}.get(PartName.MEMORY, 180) == 180 - kept
    if tokens >= 1000:
        assert "pnpm" in parts(briefing)["project"]
        assert kept


def test_a_hook_gets_claude_codes_json_within_its_characters(world: World) -> None:
    lived(world)
    lines = "".join(f"- 规则 {n} 🚀 heron nests on the roof.\n" for n in range(400))
    (world.root / "MEMORY.md").write_text(f"# Memory\n\n## Rules\n\n{lines}", encoding="utf-8")
    output = hooked(world, start())
    assert list(output) == ["hookSpecificOutput"]
    assert output["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    text = output["hookSpecificOutput"]["additionalContext"]
    assert 5_000 < len(text.encode("utf-16-le")) // 2 <= MOST_CHARACTERS
    assert text.endswith("</dreamd-context>")


@pytest.mark.parametrize(
    "line", ["@~/.claude/memory/MEMORY.md", "see @{root}/MEMORY.md for more", "- @./memory/MEMORY.md"]
)
def test_memory_that_the_import_line_brings_is_not_told_twice(
    world: World, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(world.home))
    lived(world)
    (world.home / ".claude" / "CLAUDE.md").write_text(f"# Mine\n\n{line.format(root=world.root)}\n")
    text = hooked(world, start())["hookSpecificOutput"]["additionalContext"]
    assert "Never commit without asking" not in text.partition("# Last sessions here")[0]
    assert "pnpm" in text


@pytest.mark.parametrize(
    "line", ["`@~/.claude/memory/MEMORY.md`", "```\n@~/.claude/memory/MEMORY.md\n```", "@other.md"]
)
def test_a_line_that_imports_nothing_keeps_memory_in(world: World, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(world.home))
    lived(world)
    (world.home / ".claude" / "CLAUDE.md").write_text(line)
    text = hooked(world, start())["hookSpecificOutput"]["additionalContext"]
    assert "Never commit without asking" in text.partition("# Last sessions here")[0]


def test_a_session_is_not_told_of_itself(world: World) -> None:
    lived(world)
    mine = next(path.stem for path in world.transcripts.rglob("*.jsonl") if "Safari" in path.read_text())
    assert "Safari" in hooked(world, start())["hookSpecificOutput"]["additionalContext"]
    assert "Safari" not in hooked(world, start(session=mine))["hookSpecificOutput"]["additionalContext"]


def test_what_is_told_stays_the_same_from_day_to_day(world: World) -> None:
    lived(world)
    first = told(world).text
    world.later(days=1)
    assert told(world).text == first


def test_what_may_be_old_is_said_with_its_date(world: World) -> None:
    lived(world)
    world.later(days=100)
    warnings = parts(told(world))["warnings"]
    assert "Nothing that is known of this project was confirmed since 2026-03-10" in warnings
    assert "Memory was last brought up to date on 2026-03-10" in warnings


def test_a_secret_in_a_first_prompt_is_not_told(world: World) -> None:
    world.say("Log in with password = 'hunter2-Zq9!x' and look why the export hangs.")
    world.kick()
    assert "look why the export hangs" in parts(told(world))["recent"]
    assert "hunter2" not in told(world).text


def test_text_in_memory_cannot_end_the_mark(world: World) -> None:
    lived(world)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- Odd </dreamd-context> and <DREAMD-CONTEXT x> here.\n")
    text = told(world).text
    assert text.count("</dreamd-context>") == 1
    assert text.lower().count("<dreamd-context") == 1


def test_without_an_index_a_project_is_known_by_its_own_file_alone(world: World) -> None:
    lived(world)
    (world.state / "search.db").unlink()
    (world.root / "projects" / "other.md").write_text("---\nname: other\n---\n- Secret of another.\n")
    assert "pnpm" not in told(world, "/srv/orchard").text.partition("# This project")[2]
    text = (world.root / "projects" / "orchard.md").read_text().replace("~/work/orchard", ORCHARD)
    (world.root / "projects" / "orchard.md").write_text(text)
    assert "pnpm" in parts(told(world))["project"]
    assert not told(world).place.known


@pytest.mark.parametrize("harm", ["directory", "damaged", "unreadable", "latin1"])
def test_whatever_became_of_the_files_there_is_an_answer(world: World, harm: str) -> None:
    lived(world)
    match harm:
        case "directory":
            (world.root / "MEMORY.md").unlink()
            (world.root / "MEMORY.md").mkdir()
        case "damaged":
            for name in ("search.db", "state.db"):
                (world.state / name).write_bytes(b"no database at all" * 500)
        case "unreadable":
            (world.root / "projects" / "orchard.md").unlink()
            (world.root / "projects" / "orchard.md").symlink_to("/nowhere/at/all.md")
        case _:
            (world.root / "MEMORY.md").write_bytes(b"# Memory\n\n- Caf\xe9 at nine.\n")
    assert told(world).text.endswith("</dreamd-context>")
    assert "hookSpecificOutput" in hooked(world, start())


@pytest.mark.parametrize(
    "raw",
    ["", "garbage", "[]", "null", "42", '{"cwd": 7}', '{"cwd": "\\u0000/x"}', "[" * 100_000, '{"cwd": "/no/such"}'],
)
def test_the_hook_ends_with_0_and_one_document_whatever_it_is_given(world: World, raw: str) -> None:
    lived(world)
    done = hook_command(world, raw)
    assert (done.returncode, done.stderr) == (0, "")
    assert isinstance(json.loads(done.stdout), dict)


def test_the_hook_works_through_the_installed_command(world: World) -> None:
    lived(world)
    done = hook_command(world, start())
    text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "Never commit without asking" in text
    assert "pnpm" in text


def test_with_nothing_to_tell_the_hook_tells_nothing(world: World) -> None:
    world.home.mkdir(parents=True)
    assert json.loads(hook_command(world, start()).stdout) == {}


def test_a_wrong_configuration_is_one_line_for_the_person(world: World) -> None:
    lived(world)
    config = world.home / ".config" / "dreamd" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[gates]\nidel = '1h'\n")
    done = hook_command(world, start())
    assert done.returncode == 0
    assert list(json.loads(done.stdout)) == ["systemMessage"]


def test_the_hook_does_not_wait_for_a_standard_input_that_never_ends(world: World) -> None:
    world.home.mkdir(parents=True)
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [str(Path(sys.executable).with_name("dreamd")), "context", "--hook"],
            stdin=reading,
            env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            check=False,
            timeout=60,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_failing_refused_and_waiting_dreams_are_one_line_for_the_person(world: World) -> None:
    lived(world)
    assert trouble_of(glance(world.state / "state.db")) == ""
    world.settings["memory"] = {"review": True}
    world.later(hours=5)
    world.say("Always squash before merging.", session=4)
    run = world.kick()
    assert f"run {run.id} waits for your review" in str(hooked(world, start())["systemMessage"])
    with world.app() as app:
        app.reject(run.id)
    assert "systemMessage" not in hooked(world, start())


def test_a_glance_at_the_database_sees_what_the_state_sees(world: World) -> None:
    lived(world)
    seen = set()
    for number in range(4):
        world.later(hours=5)
        world.say("Always squash before merging.", session=10 + number)
        if number == 3:  # most of what dreamd wrote is gone: refused
            shutil.rmtree(world.root)
        world.engine = Broken() if number in (1, 2) else None
        with contextlib.suppress(DreamdError):
            world.kick()
        with world.app() as app:
            newest, (failures, _) = app.runs(limit=1)[0], app.shop.runs.failures()
            told = glance(world.state / "state.db")
            assert told.failures == failures
            assert told.refused == (newest.reason if newest.outcome == "refused" else "")
            assert told.last_success_at == app.shop.marks.time("last_success_at")
            assert bool(trouble_of(told)) == any(one.code.startswith("dream") for one in app.problems())
        seen.add(trouble_of(told).partition(";")[0])
    assert seen == {
        "",
        "dreamd: the last dream was refused (vanished)",
        "dreamd: the last dream failed",
        "dreamd: 2 dreams in a row failed",
    }


def test_injected_text_is_never_learned_again(world: World) -> None:
    lived(world)
    text = told(world).text
    world.later(hours=5)
    path = world.say("Go on, please.", f"Look at this:\n\n{text}\n\nand go on.", session=7)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    base = {key: lines[0][key] for key in ("sessionId", "cwd", "timestamp", "version", "entrypoint", "isSidechain")}
    said = f"SessionStart hook additional context: {text}"
    injected = [
        base
        | {
            "uuid": "11111111-1111-4111-8111-111111111111",
            "type": "attachment",
            "attachment": {"type": "hook_additional_context", "content": [text], "hookEvent": "SessionStart"},
        },
        base
        | {
            "uuid": "22222222-2222-4222-8222-222222222222",
            "type": "api-request-blob",
            "message": {"role": "system", "content": said},
        },
        base
        | {
            "uuid": "33333333-3333-4333-8333-333333333333",
            "type": "user",
            "isMeta": True,
            "message": {"role": "user", "content": said},
        },
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in (*injected, *lines)))
    events = list(ADAPTERS["claude-code"].read(path))
    assert [one.text for one in events if one.role is Role.HUMAN] == ["Go on, please.", "Look at this:\n\nand go on."]
    assert all("pnpm" not in one.text for one in events)
    before = world.tree()
    world.kick()
    assert world.tree() == before


def hook_command(world: World, raw: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("dreamd")), "context", "--hook"],
        input=raw,
        env={"HOME": str(world.home), "PATH": "/usr/bin:/bin", "TZ": "UTC"},
        cwd=world.home,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_session_that_is_too_new_for_the_index_is_told_by_its_first_words(world: World) -> None:
    lived(world)
    world.later(hours=2)
    say = "Hi.", "Why is the heron export so slow? It has password = 'hunter2-Zq9!x' in it."
    path = world.say(*say, session=8, ago=dt.timedelta(minutes=3), answer="The index was missing.")
    with world.app() as app:
        app.scan()
    assert "- 2026-03-10: Why is the heron export so slow?\n" in told(world).text
    assert "heron export" not in told(world, session=path.stem).text
    assert "heron export" not in told(world, CLIENT).text
    assert "hunter2" not in told(world).text
    assert "Hi." not in told(world).text
    path.unlink()
    assert "- 2026-03-10: Why is the heron export so slow?\n" not in told(world).text


def test_what_must_not_be_learned_is_not_told_either(world: World) -> None:
    lived(world)
    world.projects = [{"path": ORCHARD, "learn": False}]
    world.say("Why is the heron export so slow?", session=8, ago=dt.timedelta(minutes=3))
    with world.app() as app:
        app.scan()
    assert "heron export" not in told(world).text


def test_a_check_that_finds_no_dream_due_still_brings_the_index_up_to_date(world: World) -> None:
    lived(world)
    world.later(hours=2)
    world.say("Why is the heron export so slow?", session=8, ago=dt.timedelta(hours=1), answer="The index was missing.")
    with world.app() as app:
        app.scan()
        assert app.kick(Order(if_due=True)).run is None
    assert "- 2026-03-10: Why is the heron export so slow? → The index was missing." in told(world).text
    assert json.loads(dreamd(world.home, "search", "heron export", "--json").stdout)["hits"]


def test_one_long_entry_does_not_keep_the_others_out(world: World) -> None:
    lived(world)
    code = "".join(f"line {n} of a long example\n" for n in range(400))
    (world.root / "MEMORY.md").write_text(f"# Memory\n\n```\n{code}```\n\n- Short rule.\n- Another rule.\n")
    briefing = told(world, max_tokens=2000)
    memory = next(part for part in briefing.parts if part.name is PartName.MEMORY)
    assert "- Short rule.\n- Another rule.\n" in memory.text
    assert memory.left_out == 1
    assert "(1 more: read " in memory.text
    assert estimate(briefing.text) <= 2000


def test_copies_of_a_session_are_told_once(world: World) -> None:
    for session in (1, 2):
        world.say("Why is the heron export so slow?", session=session, answer="The index was missing.")
    world.kick()
    assert told(world).text.count("heron export") == 1


def test_without_a_directory_the_one_you_are_in_counts_and_a_gone_one_is_said_to_be(
    world: World, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    world.home.mkdir()
    script = f"cd {gone} && rmdir {gone} && {Path(sys.executable).with_name('dreamd')} context"
    done = subprocess.run(
        ["sh", "-c", script], env={"HOME": str(world.home)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "the directory you are in is gone" in done.stderr
    assert json.loads(dreamd(world.home, "context", "--json").stdout)["directory"] == str(world.home)


def test_in_a_real_clients_transcripts_the_injected_text_is_nobodys_words(world: World, tmp_path: Path) -> None:
    lived(world)
    injected = json.dumps(told(world).text)[1:-1]
    seen = 0
    for path in sorted(shared("fixtures", "clients", "claude", "hooks").rglob("projects/*/*.jsonl")):
        text = path.read_text(encoding="utf-8", errors="replace")
        seen += text.count("HOOK-ADDITIONAL-CONTEXT")
        copy = tmp_path / path.name
        told_there = re.sub(r"HOOK-ADDITIONAL-CONTEXT[^\"\\\\]*", lambda _: injected, text)
        copy.write_text(told_there, encoding="utf-8")
        events = ADAPTERS["claude-code"].read(copy)
        assert all("What dreamd remembers" not in event.text and "pnpm" not in event.text for event in events)
    assert seen > 10
