"""What systemd and launchd are told: valid, confined, absolute, and without anybody's secrets."""

import dataclasses
import plistlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.config import load
from dreamd.service import launchd, units
from dreamd.service.purge import doomed, purge
from dreamd.service.spec import ServiceSpec, fleeting, spec_of, this_program, unseen_keys
from dreamd.service.template import template
from shared_material import ROOT
from world import World, dreamd

SPEC = ServiceSpec(
    program=("/bin/true",),
    config=None,
    environment=(),
    writable=(Path("/home/sam/.local/state/dreamd"), Path("/home/sam/.claude/memory")),
    makes=(),
    transcripts=(Path("/home/sam/.claude/projects"),),
    confined=True,
    home=Path("/home/sam"),
    state_dir=Path("/home/sam/.local/state/dreamd"),
)
#: launchd.plist(5): the keys that dreamd may use, with their types.
PLIST_KEYS = {
    "Label": str,
    "ProgramArguments": list,
    "RunAtLoad": bool,
    "KeepAlive": dict,
    "ThrottleInterval": int,
    "ExitTimeOut": int,
    "ProcessType": str,
    "LowPriorityIO": bool,
    "LowPriorityBackgroundIO": bool,
    "Nice": int,
    "Umask": int,
    "StandardOutPath": str,
    "StandardErrorPath": str,
    "WorkingDirectory": str,
    "EnvironmentVariables": dict,
}


def spec(**changes: object) -> ServiceSpec:
    return dataclasses.replace(SPEC, **changes)


def lines(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def analyze(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    environ = {"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    return subprocess.run(["systemd-analyze", *words], env=environ, capture_output=True, text=True, check=False)


def exposure(tmp_path: Path, *words: str) -> float:
    told = analyze(tmp_path, "security", "--offline=true", *words).stdout
    match = re.search(r"exposure level for \S+: ([\d.]+)", told)
    assert match, told
    return float(match[1])


def test_a_unit_is_valid_to_systemd(tmp_path: Path) -> None:
    texts = {
        "user": units.user_unit(spec(environment=(("CLAUDE_CONFIG_DIR", "/home/sam/a b/%claude"),))),
        "plain": units.user_unit(SPEC, namespaces=False),
        "odd": units.user_unit(spec(config=Path('/home/sam/my "own" $x%h\\.toml'))),
        "system": units.system_unit(["/bin/true"]),
    }
    for name, text in texts.items():
        path = tmp_path / name / units.UNIT
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        scope = [] if name == "system" else ["--user"]
        done = analyze(tmp_path, *scope, "--man=no", "verify", str(path))
        assert (done.returncode, done.stderr) == (0, ""), name


def test_the_user_unit_exposes_little(tmp_path: Path) -> None:
    path = tmp_path / units.UNIT
    path.write_text(units.user_unit(SPEC), encoding="utf-8")
    assert exposure(tmp_path, "--user", str(path)) <= 5.5


def test_the_system_unit_exposes_less(tmp_path: Path) -> None:
    path = tmp_path / units.UNIT
    path.write_text(units.system_unit(["/usr/bin/true"]), encoding="utf-8")
    assert exposure(tmp_path, str(path)) <= 3.0


def test_the_service_may_write_its_places_and_only_read_transcripts() -> None:
    told = lines(units.user_unit(SPEC))
    assert told["ReadWritePaths"] == ["-/home/sam/.local/state/dreamd", "-/home/sam/.claude/memory"]
    assert told["ReadOnlyPaths"] == ["-/home/sam/.claude/projects"]
    assert told["ProtectHome"] == ["read-only"]
    assert "MemoryDenyWriteExecute" not in told


def test_where_originals_are_deleted_nothing_hides_who_has_them_open() -> None:
    told = lines(units.user_unit(spec(confined=False)))
    assert "PrivateUsers" not in told
    assert "ReadOnlyPaths" not in told
    assert told["NoNewPrivileges"] == ["yes"]


def test_places_below_tmp_are_not_hidden_by_a_tmp_of_its_own() -> None:
    told = lines(units.user_unit(spec(writable=(Path("/tmp/state"),))))
    assert "PrivateTmp" not in told
    assert told["ReadWritePaths"] == ["-/tmp/state", "-/tmp", "-/var/tmp"]


def test_a_wrong_configuration_and_a_second_service_are_not_tried_again() -> None:
    told = lines(units.user_unit(SPEC))
    assert told["RestartPreventExitStatus"] == ["3 4"]
    assert told["Restart"] == ["on-failure"]
    assert told["Type"] == ["notify"]
    assert told["ExecReload"] == ["kill -HUP $MAINPID"]
    assert told["EnvironmentFile"] == ["-%h/.config/dreamd/env"]


def test_another_configuration_is_named_and_the_default_one_is_not() -> None:
    assert lines(units.user_unit(SPEC))["ExecStart"] == ["/bin/true run"]
    assert lines(units.user_unit(spec(config=Path("/etc/x y.toml"))))["ExecStart"] == [
        '/bin/true run --config "/etc/x y.toml"'
    ]


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=["C", "Z"]), min_size=1))
def test_a_path_is_read_back_as_it_was(name: str) -> None:
    text = units.user_unit(spec(config=Path("/x") / name.replace("/", "_")))
    word = lines(text)["ExecStart"][0].removeprefix("/bin/true run --config ")
    assert _read_back(word) == str(Path("/x") / name.replace("/", "_"))


def _read_back(word: str) -> str:
    """systemd.syntax(7): quotes, then C escapes, then specifiers and variables."""
    if word.startswith('"'):
        word = re.sub(r"\\(.)", r"\1", word[1:-1])
    return word.replace("$$", "$").replace("%%", "%")


def test_the_plist_has_only_keys_that_launchd_knows() -> None:
    for data in (template("launchd/dev.dreamd.plist").encode(), launchd.agent(SPEC)):
        told = plistlib.loads(data)
        assert told.keys() <= PLIST_KEYS.keys()
        assert all(type(value) is PLIST_KEYS[key] for key, value in told.items())


def test_the_plist_restarts_after_a_failure_only_and_expands_nothing() -> None:
    told = plistlib.loads(launchd.agent(spec(environment=(("CLAUDE_CONFIG_DIR", "/Users/sam/c"),))))
    assert told["KeepAlive"] == {"SuccessfulExit": False}
    assert told["ProgramArguments"] == ["/bin/true", "run"]
    assert told["ProcessType"] == "Background"
    assert told["EnvironmentVariables"] == {"CLAUDE_CONFIG_DIR": "/Users/sam/c"}
    assert told["Umask"] == 0o77
    assert b"$HOME" not in launchd.agent(SPEC)
    assert b"~" not in launchd.agent(SPEC)


def test_launchd_is_asked_for_the_persons_own_domain() -> None:
    path = launchd.agent_path(Path("/Users/sam"))
    assert str(path) == "/Users/sam/Library/LaunchAgents/dev.dreamd.plist"
    assert launchd.install_commands(path, 501)[-1] == ("launchctl", "bootstrap", "gui/501", str(path))
    assert launchd.uninstall_commands(501) == (("launchctl", "bootout", "gui/501/dev.dreamd"),)


def test_the_templates_go_into_the_wheel() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, target in wheel["force-include"].items():
        assert (ROOT / source).is_dir()
        assert target == f"dreamd/service/templates/{source}"


def test_the_service_starts_this_very_dreamd(tmp_path: Path) -> None:
    done = dreamd(tmp_path, "service", "print", ANTHROPIC_API_KEY="sk-ant-not-to-be-seen")
    assert done.returncode == 0
    assert lines(done.stdout)["ExecStart"] == [f"{Path(sys.executable).with_name('dreamd')} run"]
    assert "not-to-be-seen" not in done.stdout
    assert "$HOME" not in done.stdout


def test_places_that_the_shell_moved_are_told_to_the_service(tmp_path: Path) -> None:
    moved = {"CLAUDE_CONFIG_DIR": str(tmp_path / "agent"), "XDG_STATE_HOME": str(tmp_path / "st")}
    told = lines(dreamd(tmp_path, "service", "print", **moved).stdout)
    assert told["Environment"] == [f"CLAUDE_CONFIG_DIR={tmp_path}/agent", f"XDG_STATE_HOME={tmp_path}/st"]
    assert f"-{tmp_path}/st/dreamd" in told["ReadWritePaths"]


def test_the_system_unit_is_printed(tmp_path: Path) -> None:
    told = lines(dreamd(tmp_path, "service", "print", "--system").stdout)
    assert told["User"] == ["dreamd"]
    assert told["ExecStart"][0].endswith("/dreamd run --config /etc/dreamd/config.toml")


def test_without_a_manager_install_says_so_once_and_print_and_status_work(tmp_path: Path) -> None:
    done = dreamd(tmp_path, "service", "install")
    assert done.returncode == 1
    assert "no systemd user manager answers" in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / ".config/systemd/user/dreamd.service").exists()
    status = dreamd(tmp_path, "service", "status", "--json")
    assert status.returncode == 0
    assert '"reachable": false' in status.stdout


def test_keys_set_in_the_shell_are_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[gates]\nmin_sessions = 3\n")
    assert unseen_keys(load(file, {"DREAMD_GATES__IDLE": "5m"})) == ("gates.idle",)
    assert unseen_keys(load(file, {})) == ()


def test_a_program_in_a_cache_is_fleeting() -> None:
    home = Path("/home/sam")
    assert fleeting(("/home/sam/.cache/uv/archive/bin/dreamd",), home)
    assert not fleeting(("/home/sam/.local/bin/dreamd",), home)


def test_a_memory_that_vanished_is_not_made_anew(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.root in spec_of(world.loaded(), program=this_program()).makes
    (world.state / "history.git").mkdir(parents=True)
    assert world.root not in spec_of(world.loaded(), program=this_program()).makes


def test_a_purge_takes_what_is_dreamds_and_leaves_the_rest(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.say("Never use tabs in YAML files, always two spaces.")
    world.kick()
    (world.state / "notes.txt").write_text("mine")
    memory = world.tree()
    loaded = world.loaded()
    purge(doomed(loaded.places, spec_of(loaded)))
    assert [path.name for path in world.state.iterdir()] == ["notes.txt"]
    assert memory
    assert world.tree() == memory


def test_a_purge_never_takes_memory(tmp_path: Path) -> None:
    world = World(tmp_path, settings={"memory": {"root": str(tmp_path / ".local/state/dreamd/archive/memory")}})
    loaded = world.loaded()
    places = dataclasses.replace(loaded.places, memory_root=world.state / "archive" / "memory")
    places.memory_root.mkdir(parents=True)
    with pytest.raises(Exception, match="memory and"):
        doomed(places, spec_of(loaded))
