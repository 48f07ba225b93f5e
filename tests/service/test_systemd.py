"""The service on a real `systemd --user` of a user without privileges, in namespaces of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MANAGER = Path(__file__).with_name("user_manager.sh")
DREAMD = Path(sys.executable).with_name("dreamd")
NOBODY = "65534"
#: Shell words that the scenarios share: a property of the service; a command and its exit status.
WORDS = r"""
property() { systemctl --user show dreamd.service --value --property="$1"; }
said() { "$@"; echo "status=$?"; }
until_active() { for _ in $(seq 100); do [ "$(property ActiveState)/$(property NRestarts)" = "active/$1" ] && break; sleep .1; done; }
"""


def scenario(words: str, **environ: str) -> str:
    """Runs shell words as an unprivileged user with a manager of its own; `$D` is the command. Returns what they print."""
    if os.geteuid() != 0:
        pytest.skip("namespaces for a systemd of its own need root")
    for needed in ("unshare", "setpriv", "systemctl", "dbus-daemon"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    isolated = ["unshare", "-m", "-p", "-f", "--mount-proc", "--kill-child"]
    if subprocess.run([*isolated, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine does not allow namespaces")
    body = f"D={DREAMD}\n{WORDS}\n{words}"
    done = subprocess.run(
        [*isolated, "bash", str(MANAGER), NOBODY, "/srv/tester", sys.base_prefix, "bash", "-c", body],
        env={"PATH": os.environ["PATH"]} | environ,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    if done.returncode == 99:
        pytest.skip("systemd --user does not start here")
    if done.returncode in (126, 127):
        pytest.skip("the checkout cannot be read by another user")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def parts(told: str) -> dict[str, str]:
    """What a scenario printed, by the headings `== name`."""
    return {head: body.strip() for head, _, body in (part.partition("\n") for part in told.split("== ")[1:])}


def test_it_is_installed_runs_confined_and_is_taken_away() -> None:
    told = parts(
        scenario(r"""
mkdir -p ~/.claude/projects
echo "== install"; said $D service install
echo "== again"; said $D service install
echo "== status"; $D service status --json
echo "== notify"; property StatusText; property Type
pid=$(property MainPID)
echo "== kernel"; grep -E '^(NoNewPrivs|Seccomp|CapBnd):' /proc/$pid/status; nice=$(cut -d' ' -f19 /proc/$pid/stat); echo "nice $nice"
echo "== view"; for one in .claude .claude/memory .local/state/dreamd .claude/projects .ssh; do
  mkdir -p ~/$one; test -w /proc/$pid/root$HOME/$one && echo "$one writable" || echo "$one read-only"; done
echo "== doctor"; $D doctor --json
rm -r ~/.claude/memory && mkdir ~/.claude/memory
echo "== anew"; $D doctor --json
echo "precious" > ~/.claude/memory/MEMORY.md
echo "== uninstall"; said $D service uninstall
echo "== again2"; said $D service uninstall
echo "== after"; $D service status --json
echo "== purge"; said $D service uninstall --purge --yes
echo "== left"; find ~/.local/state ~/.config/dreamd ~/.config/systemd -type f -o -type l; cat ~/.claude/memory/MEMORY.md
""")
    )
    assert "started dreamd.service" in told["install"]
    assert told["install"].endswith("status=0")
    assert "enable-linger" in told["install"]
    assert told["again"].startswith("nothing to do")
    status = json.loads(told["status"])
    assert status["installed"]
    assert status["enabled"]
    assert status["active"]
    assert status["current"]
    assert status["pid"] > 0
    assert told["notify"].split() == ["watching", "notify"]
    assert told["kernel"].split() == ["CapBnd:", "0" * 16, "NoNewPrivs:", "1", "Seccomp:", "2", "nice", "10"]
    assert told["view"].splitlines() == [
        ".claude read-only",
        ".claude/memory writable",
        ".local/state/dreamd writable",
        ".claude/projects read-only",
        ".ssh read-only",
    ]
    checks = {one["name"]: one for one in json.loads(told["doctor"])["checks"]}
    assert checks["service"]["reason"] == "fine"
    assert checks["reach"]["message"] == "the service can write its places"
    anew = {one["name"]: one for one in json.loads(told["anew"])["checks"]}
    assert (anew["reach"]["level"], anew["reach"]["reason"]) == ("error", "not_writable")
    assert "removed /srv/tester/.config/systemd/user/dreamd.service" in told["uninstall"]
    assert told["again2"] == "nothing to do\nstatus=0"
    after = json.loads(told["after"])
    assert (after["installed"], after["enabled"], after["active"]) == (False, False, False)
    assert told["purge"].endswith("status=0")
    assert told["left"] == "precious"


def test_a_service_that_hangs_is_started_again_and_a_wrong_configuration_is_not() -> None:
    told = parts(
        scenario(r"""
mkdir -p ~/.claude/projects ~/.config/systemd/user/dreamd.service.d
printf '[Service]\nWatchdogSec=2s\nRestartSec=100ms\n' > ~/.config/systemd/user/dreamd.service.d/quick.conf
$D service install > /dev/null
before=$(property MainPID)
sleep 3
echo "== content"; property NRestarts
kill -STOP $before
until_active 1
echo "== again"; property NRestarts; [ "$(property MainPID)" != $before ] && echo "another process"; property Result
printf '[gates]\nidel = "5m"\n' > ~/.config/dreamd/config.toml
systemctl --user restart dreamd.service 2> /dev/null
sleep 1
echo "== refused"; property ActiveState; property ExecMainStatus; property NRestarts
""")
    )
    assert told["content"] == "0"
    assert told["again"].split("\n")[:2] == ["1", "another process"]
    assert told["refused"].split() == ["failed", "3", "0"]


def test_the_old_timer_is_taken_away_and_a_unit_of_ones_own_is_kept() -> None:
    told = parts(
        scenario(r"""
mkdir -p ~/.claude/projects ~/.config/systemd/user; cd ~/.config/systemd/user
printf '[Unit]\nDescription=old\n[Service]\nType=oneshot\nExecStart=/bin/true\n' > dreamd.service
printf '[Timer]\nOnUnitInactiveSec=15min\n[Install]\nWantedBy=timers.target\n' > dreamd.timer
systemctl --user enable --now dreamd.timer 2> /dev/null
echo "== install"; $D service install
echo "== left"; ls -A; systemctl --user list-timers --no-legend dreamd.timer; systemctl --user is-active dreamd.service
""")
    )
    assert "took away the old dreamd.timer" in told["install"]
    assert "kept as /srv/tester/.config/systemd/user/dreamd.service.before" in told["install"]
    assert told["left"].split() == ["default.target.wants", "dreamd.service", "dreamd.service.before", "active"]


def test_where_namespaces_are_forbidden_it_runs_without_them_and_says_so() -> None:
    told = parts(
        scenario(
            r"""
mkdir -p ~/.claude/projects
echo "== install"; said $D service install
echo "== state"; property ActiveState; property PrivateUsers; property NoNewPrivileges
echo "== status"; $D service status --json
echo "== again"; $D service install
""",
            NO_NAMESPACES="1",
        )
    )
    assert "forbids user namespaces" in told["install"]
    assert told["state"].split() == ["active", "no", "yes"]
    assert json.loads(told["status"])["current"]


def test_svc_03_lingering_is_asked_for_and_told() -> None:
    """SVC-03."""
    told = parts(
        scenario(r"""
mkdir -p ~/.claude/projects ~/bin
printf '#!/bin/sh\n[ $LINGER = fail ] && exit 1\necho Linger=$LINGER\n' > ~/bin/loginctl; chmod +x ~/bin/loginctl
export PATH=~/bin:$PATH
for LINGER in no yes fail; do export LINGER; echo "== $LINGER"; said $D service install; done
""")
    )
    assert all(one.endswith("status=0") for one in told.values())
    assert "note: it stops when you log out; `loginctl enable-linger nobody` lets it run on" in told["no"]
    assert "note: it stops when you log out" not in told["yes"]
    assert "could not be found out" in told["fail"]
