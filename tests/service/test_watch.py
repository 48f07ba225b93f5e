"""The watcher over real directories and the system's real notices."""

from __future__ import annotations

import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.service import mounts
from dreamd.service.limits import directories, limits
from dreamd.service.watch import Watcher, WatchMode, WatchProblem
from service.watching import Told, settle, until, watching

LINE = '{"type":"user"}\n'
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "projects"
    (made / "-old").mkdir(parents=True)
    (made / "-old" / "a.jsonl").write_text(LINE)
    return made


@pytest.fixture
def told() -> Told:
    return Told()


def _append(path: Path) -> None:
    with path.open("a") as file:
        file.write(LINE)


def _is_events(watcher: Watcher) -> bool:
    return all(one.mode is WatchMode.EVENTS and one.problem is None for one in watcher.state())


def _problem(watcher: Watcher) -> WatchProblem | None:
    (state,) = watcher.state()
    return state.problem


def _supervised(watcher: Watcher, met: Callable[[], bool]) -> None:
    """Until one of its rounds has brought it about (an event may still be on its way at the first)."""

    def round_() -> bool:
        watcher.supervise()
        return met()

    until(round_)


class TestTranscripts:
    def test_appended_line_is_hinted_at_by_the_path_that_a_scan_uses(self, root: Path, told: Told) -> None:
        with watching(told, root) as watcher:
            assert _is_events(watcher)
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")

    def test_start_asks_for_one_scan_and_a_quiet_tree_for_none(self, root: Path, told: Told) -> None:
        with watching(told, root) as watcher:
            assert told.said == [None]
            settle(told, root)
            watcher.supervise()
            watcher.supervise()
            assert told.said == []

    def test_other_files_give_nothing(self, root: Path, told: Told) -> None:
        with watching(told, root):
            settle(told, root)
            (root / "-old" / "settings.json").write_text("{}")
            (root / "-old" / "a.jsonl.tmp").write_text(LINE)
            (root / "-old" / "a.jsonl.tmp").unlink()
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")
            assert told.hints == {str(root / "-old" / "a.jsonl")}
            assert told.losses == 0

    def test_file_written_beside_and_renamed_is_hinted_at_by_its_last_name(self, root: Path, told: Told) -> None:
        """WAT-04: a new transcript, then a longer version over it."""
        new = root / "-old" / "b.jsonl"
        with watching(told, root):
            settle(told, root)
            for _ in range(2):
                temporary = root / "-old" / ".tmp-x"
                temporary.write_text(LINE)
                temporary.replace(new)
                told.hinted(new)
                assert told.said == [str(new)] * len(told.said)
                told.said.clear()

    def test_file_moved_in_from_outside_is_hinted_at(self, root: Path, told: Told) -> None:
        outside = root.parent / "outside.jsonl"
        outside.write_text(LINE)
        with watching(told, root):
            outside.replace(root / "-old" / "b.jsonl")
            told.hinted(root / "-old" / "b.jsonl")

    @pytest.mark.parametrize("how", ["moved out", "deleted", "renamed"])
    def test_transcript_that_goes_away_asks_for_a_scan(self, how: str, root: Path, told: Told) -> None:
        """WAT-04: only a scan can tell a lost transcript from a moved one."""
        there = root / "-old" / "a.jsonl"
        with watching(told, root):
            settle(told, root)
            if how == "deleted":
                there.unlink()
            else:
                there.replace((root.parent if how == "moved out" else root / "-old") / "away.txt")
            told.lost_since(0)
            assert told.hints == set()

    def test_names_that_are_no_text_do_not_end_it(self, root: Path, told: Told) -> None:
        with watching(told, root):
            (root / "-old" / "\udcff.jsonl").write_text(LINE)
            told.hinted(root / "-old" / "\udcff.jsonl")
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")


class TestOwnTraces:
    """WAT-06: it does not wake itself."""

    def test_reading_every_transcript_gives_nothing(self, root: Path, told: Told) -> None:
        with watching(told, root):
            settle(told, root)
            for path in root.rglob("*.jsonl"):
                path.read_bytes()
            list(root.rglob("*"))
            last = root / "-old" / "z.jsonl"
            last.write_text(LINE)
            told.hinted(last)
            assert told.hints == {str(last)}
            assert told.losses == 0

    def test_writes_below_memory_and_below_own_places_give_nothing(self, root: Path, told: Told) -> None:
        own = root / "-old" / "dreamd-state"
        with watching(told, root, own=(own,)):
            settle(told, root)
            for place in (root / "-old" / "memory", own):
                (place / "topics").mkdir(parents=True)
                (place / ".MEMORY.md.tmp").write_text("x")
                (place / ".MEMORY.md.tmp").replace(place / "MEMORY.md")
                (place / "entries.jsonl").write_text(LINE)
                (place / "entries.jsonl").unlink()
                shutil.rmtree(place)
            last = root / "-old" / "z.jsonl"
            last.write_text(LINE)
            told.hinted(last)
            assert told.hints == {str(last)}
            assert told.losses == 0


class TestNewDirectories:
    def test_fifty_projects_made_at_once_are_each_hinted_at_or_followed_by_a_scan(
        self, root: Path, told: Told, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """WAT-02. A `lost` after a file was made covers it."""
        made = []
        with watching(told, root):
            settle(told, root)
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                for number in range(50):
                    project, session = root / f"-p{number}", f"00000000-0000-4000-8000-{number:012d}"
                    (project / session / "subagents").mkdir(parents=True)
                    made.append(project / f"{session}.jsonl")
                    made[-1].write_text(LINE)
                    made.append(project / session / "subagents" / "agent-x.jsonl")
                    made[-1].write_text(LINE)
                whole = len(told.said)
                until(lambda: None in told.said[whole:] or {str(path) for path in made} <= told.hints)
            named = told.hints
            settle(told, root)
            for path in made:  # all are watched from now on
                _append(path)
            until(lambda: {str(path) for path in made} <= told.hints, "a hint at each")
        assert named <= {str(path) for path in made}
        assert [str(one.message)[:80] for one in warned] == []
        assert capfd.readouterr().err == ""

    def test_directory_moved_in_or_out_asks_for_a_scan(self, root: Path, told: Told) -> None:
        with watching(told, root):
            settle(told, root)
            (root / "-old").rename(root.parent / "-old")
            told.lost_since(0)
            settle(told, root)
            (root.parent / "-old").rename(root / "-old")
            told.lost_since(0)
            told.said.clear()
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")

    def test_renamed_project_is_watched_under_its_new_name(self, root: Path, told: Told) -> None:
        with watching(told, root):
            settle(told, root)
            (root / "-old").rename(root / "-new")
            told.lost_since(0)
            _append(root / "-new" / "a.jsonl")
            told.hinted(root / "-new" / "a.jsonl")


class TestRootsThatComeAndGo:
    def test_root_made_later_is_announced_and_watched(self, tmp_path: Path, told: Told) -> None:
        """By the nearest directory above it, step by step."""
        root = tmp_path / "home" / "agent" / "projects"
        with watching(told, root) as watcher:
            assert _problem(watcher) is WatchProblem.MISSING
            assert watcher.state()[0].mode is WatchMode.POLLING
            before = told.losses
            (tmp_path / "elsewhere").mkdir()
            (tmp_path / "home").mkdir()
            told.lost_since(before)
            watcher.supervise()
            assert _problem(watcher) is WatchProblem.MISSING
            before = told.losses
            (root / "-p").mkdir(parents=True)
            (root / "-p" / "early.jsonl").write_text(LINE)
            told.lost_since(before)
            before = told.losses
            watcher.supervise()
            assert _is_events(watcher)
            assert told.losses > before  # for what was written before the watch
            _append(root / "-p" / "early.jsonl")
            told.hinted(root / "-p" / "early.jsonl")

    def test_unrelated_files_beside_a_missing_root_give_nothing(self, tmp_path: Path, told: Told) -> None:
        with watching(told, tmp_path / "projects"):
            told.said.clear()
            (tmp_path / "other").mkdir()
            (tmp_path / "x.jsonl").write_text(LINE)
            (tmp_path / "projects").mkdir()
            told.lost_since(0)
            assert told.hints == set()

    def test_root_deleted_and_made_again_is_watched_again(self, root: Path, told: Told) -> None:
        with watching(told, root) as watcher:
            for _ in range(3):
                settle(told, root)
                shutil.rmtree(root)
                (root / "-again").mkdir(parents=True)
                told.lost_since(0)
                _supervised(watcher, lambda: _writes_are_hinted_at(told, root / "-again" / "a.jsonl"))
                assert _is_events(watcher)

    def test_root_renamed_away_is_missed_and_its_files_are_no_business_any_more(self, root: Path, told: Told) -> None:
        away = root.with_name("away")
        with watching(told, root) as watcher:
            root.rename(away)
            watcher.supervise()
            assert _problem(watcher) is WatchProblem.MISSING
            told.said.clear()
            _append(away / "-old" / "a.jsonl")
            (root / "-new").mkdir(parents=True)
            told.lost_since(0)
            watcher.supervise()
            assert _is_events(watcher)
            _append(root / "-new" / "b.jsonl")
            told.hinted(root / "-new" / "b.jsonl")
            assert told.hints == {str(root / "-new" / "b.jsonl")}

    def test_root_replaced_between_two_rounds_is_noticed(self, root: Path, told: Told) -> None:
        with watching(told, root) as watcher:
            settle(told, root)
            root.rename(root.with_name("away"))
            root.mkdir()
            watcher.supervise()
            assert told.losses >= 1
            _append(root / "b.jsonl")
            told.hinted(root / "b.jsonl")

    def test_file_where_a_root_should_be_is_a_missing_root(self, tmp_path: Path, told: Told) -> None:
        (tmp_path / "projects").write_text("")
        with watching(told, tmp_path / "projects") as watcher:
            assert _problem(watcher) is WatchProblem.MISSING

    def test_one_root_with_a_problem_does_not_touch_another(self, root: Path, told: Told) -> None:
        with watching(told, root.with_name("none"), root) as watcher:
            assert [one.problem for one in watcher.state()] == [WatchProblem.MISSING, None]
            assert [one.root for one in watcher.state()] == [str(root.with_name("none")), str(root)]
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")

    def test_same_root_given_twice_comes_back_twice(self, root: Path, told: Told) -> None:
        link = root.with_name("link")
        link.symlink_to(root)
        with watching(told, root, link) as watcher:
            settle(told, root)
            shutil.rmtree(root)
            (root / "-again").mkdir(parents=True)
            told.lost_since(0)
            names = [base / "-again" / "a.jsonl" for base in (root, link)]
            _supervised(watcher, lambda: _is_events(watcher) and all(_writes_are_hinted_at(told, one) for one in names))

    def test_missing_root_inside_a_watched_one_does_not_deafen_it(self, root: Path, told: Told) -> None:
        """One directory, watched for two purposes: inotify keeps one set of events for both."""
        with watching(told, root, root / "-old" / "deep" / "er") as watcher:
            watcher.supervise()
            told.said.clear()
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")


def _writes_are_hinted_at(told: Told, path: Path) -> bool:
    """Writes, and says whether any write so far was told of."""
    _append(path)
    return str(path) in told.hints


class TestLinks:
    def test_root_that_is_a_link_is_watched_where_it_leads_and_named_as_it_was_given(
        self, root: Path, told: Told
    ) -> None:
        link = root.with_name("link")
        link.symlink_to(root)
        with watching(told, link) as watcher:
            assert _is_events(watcher)
            _append(root / "-old" / "a.jsonl")
            told.hinted(link / "-old" / "a.jsonl")
            assert told.hints == {str(link / "-old" / "a.jsonl")}

    def test_link_that_leads_elsewhere_now_is_followed(self, root: Path, told: Told) -> None:
        link, other = root.with_name("link"), root.with_name("other")
        link.symlink_to(root)
        other.mkdir()
        with watching(told, link) as watcher:
            told.said.clear()
            link.unlink()
            link.symlink_to(other)
            watcher.supervise()
            assert told.losses == 1
            _append(other / "b.jsonl")
            told.hinted(link / "b.jsonl")

    def test_link_that_leads_nowhere_is_a_missing_root(self, tmp_path: Path, told: Told) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "later")
        with watching(told, tmp_path / "link") as watcher:
            assert _problem(watcher) is WatchProblem.MISSING
            before = told.losses
            (tmp_path / "later").mkdir()
            told.lost_since(before)
            watcher.supervise()
            _append(tmp_path / "later" / "a.jsonl")
            told.hinted(tmp_path / "link" / "a.jsonl")

    def test_links_to_themselves_and_to_directories_above_do_no_harm(self, root: Path, told: Told) -> None:
        (root / "-old" / "up").symlink_to(root)
        (root / "self").symlink_to(root / "self")
        (root.with_name("round")).symlink_to(root.with_name("round"))
        with watching(told, root, root.with_name("round")) as watcher:
            assert [one.problem for one in watcher.state()] == [None, WatchProblem.MISSING]
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")
            assert told.hints == {str(root / "-old" / "a.jsonl")}


class TestTrouble:
    def test_thread_that_died_is_replaced(self, root: Path, told: Told) -> None:
        with watching(told, root) as watcher:
            assert watcher._notices is not None
            watcher._notices._observer.stop()
            told.said.clear()
            watcher.supervise()
            assert told.losses == 1
            assert _is_events(watcher)
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")

    @linux_only
    def test_overflow_of_the_systems_queue_asks_for_a_scan(self, root: Path, told: Told) -> None:
        from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, WatchDescriptor

        with watching(told, root) as watcher:
            settle(told, root)
            assert watcher._notices is not None
            overflow = InotifyEvent(WatchDescriptor(-1), InotifyConstants.IN_Q_OVERFLOW, 0, b"")
            watcher._notices._observer.instance.handle_event(overflow)
            assert told.losses == 1
            _append(root / "-old" / "a.jsonl")
            told.hinted(root / "-old" / "a.jsonl")

    def test_mount_without_events_is_polled(
        self, root: Path, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = tmp_path / "mountinfo"
        table.write_text(f"1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:44 / {root} rw - nfs4 server:/x rw\n")
        monkeypatch.setattr(mounts, "MOUNTS", table)
        with watching(told, root) as watcher:
            assert _problem(watcher) is WatchProblem.NO_EVENTS
            told.said.clear()
            watcher.supervise()
            assert told.said == []

    def test_stop_can_be_said_twice_and_ends_what_was_never_started(self, root: Path, told: Told) -> None:
        watcher = Watcher([("claude-code", root)], told.hint, told.lost)
        watcher.stop()
        watcher.stop()
        watcher.supervise()
        assert told.said == []


class TestMounts:
    TABLE = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "30 22 0:30 / /home/sam/my\\040share rw - cifs //nas/x rw\n"
        "31 22 0:31 / /home/sam/vault rw - fuse.gocryptfs gocryptfs rw\n"
        "32 22 0:32 / /home/sam/far rw - fuse.sshfs far: rw\n"
        "33 32 0:33 / /home/sam/far rw - tmpfs tmpfs rw\n"
        "broken line\n"
    )

    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("/home/sam", "ext4"),
            ("/home/sam/my share/projects", "cifs"),
            ("/home/sam/my sharer", "ext4"),
            ("/home/sam/vault", "fuse.gocryptfs"),
            ("/home/sam/far/away", "tmpfs"),
        ],
    )
    def test_nearest_and_last_mount_counts(self, path: str, kind: str) -> None:
        assert mounts.file_system(path, self.TABLE) == kind

    def test_remote_kinds_are_silent_and_local_ones_are_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(mounts, "MOUNTS", tmp_path / "table")
        for kind in ("nfs4", "cifs", "9p", "vboxsf", "drvfs", "virtiofs", "fuse.sshfs", "fuse.rclone"):
            mounts.MOUNTS.write_text(f"1 0 8:1 / / rw - {kind} x rw\n")
            assert mounts.is_silent("/x"), kind
        for kind in ("ext4", "btrfs", "xfs", "zfs", "tmpfs", "overlay", "fuseblk", "fuse.gocryptfs"):
            mounts.MOUNTS.write_text(f"1 0 8:1 / / rw - {kind} x rw\n")
            assert not mounts.is_silent("/x"), kind
        mounts.MOUNTS.unlink()
        assert not mounts.is_silent("/x")


class TestLimits:
    @linux_only
    def test_limits_are_the_kernels(self) -> None:
        assert (limits().watches or 0) > 0
        assert (limits().instances or 0) > 0

    def test_directories_are_counted_without_following_links(self, root: Path) -> None:
        (root / "-old" / "deep").mkdir()
        (root / "link").symlink_to(root)
        assert directories(str(root)) == 3
