"""The configuration: every key, every problem at once, the example equal to the defaults."""

import datetime as dt
import tomllib
from pathlib import Path

import pytest

from dreamd.config import example, keys, load
from dreamd.errors import ConfigError
from dreamd.settings import Config
from shared_material import ROOT


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def problems_of(path: Path, environ: dict[str, str] | None = None) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load(path, environ or {})
    assert caught.value.exit_status == 3
    return caught.value.problems


def test_the_example_file_is_what_the_schema_says() -> None:
    assert (ROOT / "config.example.toml").read_text(encoding="utf-8") == example()


def test_the_example_equals_the_defaults() -> None:
    assert Config.model_validate(tomllib.loads(example())) == Config()


def test_the_example_with_its_comments_opened_is_valid_and_names_every_key() -> None:
    lines = []
    for line in example().splitlines():
        opened = line.removeprefix("# ")
        lines.append(
            opened
            if opened.startswith("[[") or (opened != line and " = " in opened and opened.split(" = ")[0].isidentifier())
            else line
        )
    raw = tomllib.loads("\n".join(lines))
    Config.model_validate(raw)
    named = {
        f"{section}.{key}" for section, table in raw.items() for key in (table[0] if isinstance(table, list) else table)
    }
    assert named == {key for key, _ in keys()}


def test_no_file_means_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    loaded = load(None, {})
    assert loaded.config == Config()
    assert not loaded.file_exists


def test_a_file_that_was_asked_for_must_exist(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "none.toml") == (
        f"{tmp_path / 'none.toml'}: there is no such file; `dreamd init --config FILE` writes one",
    )


def test_all_problems_are_told_at_once_with_the_nearest_key(tmp_path: Path) -> None:
    file = write(
        tmp_path / "c.toml",
        '[gates]\nmin_intervall = "1h"\nmin_sessions = "five"\nidle = "half an hour"\n[budgets]\nx = 1\n[log]\nlevel = "loud"\n',
    )
    told = problems_of(file)
    assert len(told) == 5
    assert all(str(file) in line for line in told)
    assert any("gates.min_intervall" in line and "did you mean gates.min_interval?" in line for line in told)
    assert any("gates.min_sessions" in line and "integer" in line for line in told)
    assert any("gates.idle" in line and '"15m"' in line for line in told)
    assert any("unknown key budgets" in line and "did you mean budget" in line for line in told)
    assert any("log.level" in line for line in told)


def test_text_that_is_no_toml_is_one_clear_problem(tmp_path: Path) -> None:
    (told,) = problems_of(write(tmp_path / "c.toml", "[gates\n"))
    assert "not valid TOML" in told


def test_any_scalar_can_be_set_through_the_environment(tmp_path: Path) -> None:
    file = write(tmp_path / "c.toml", "[gates]\nmin_sessions = 9\n")
    environ = {
        "DREAMD_GATES__MIN_SESSIONS": "2",
        "DREAMD_GATES__IDLE": "90s",
        "DREAMD_MEMORY__REVIEW": "true",
        "DREAMD_BUDGET__MAX_USD_PER_RUN": "0.5",
    }
    config = load(file, environ).config
    assert config.gates.min_sessions == 2
    assert config.gates.idle == dt.timedelta(seconds=90)
    assert config.memory.review is True
    assert config.budget.max_usd_per_run == 0.5


def test_wrong_variables_are_problems_with_the_variables_name(tmp_path: Path) -> None:
    told = problems_of(
        write(tmp_path / "c.toml", ""),
        {"DREAMD_GATES__MIN_SESSION": "2", "DREAMD_MEMORY__REVIEW": "perhaps", "DREAMD_GUARDS__PROTECT": "x"},
    )
    assert [line.split(":")[0] for line in told] == [
        "DREAMD_GATES__MIN_SESSION",
        "DREAMD_GUARDS__PROTECT",
        "DREAMD_MEMORY__REVIEW",
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[gather]\nexecutor = "procrastinate"',
    ],
)
def test_a_value_whose_feature_is_not_there_yet_is_one_clear_problem(tmp_path: Path, text: str) -> None:
    (told,) = problems_of(write(tmp_path / "c.toml", text))
    assert "not there yet" in told


def test_a_pattern_that_does_not_compile_is_named(tmp_path: Path) -> None:
    (told,) = problems_of(write(tmp_path / "c.toml", '[redact]\nextra = ["ok", "(["]'))
    assert "redact.extra" in told
    assert "pattern 2" in told


def test_thresholds_out_of_order_are_refused(tmp_path: Path) -> None:
    (told,) = problems_of(write(tmp_path / "c.toml", "[budget]\nwarn_at = 0.99"))
    assert "warn_at" in told


def test_a_bad_value_from_the_environment_is_told_with_its_variable(tmp_path: Path) -> None:
    (told,) = problems_of(write(tmp_path / "c.toml", ""), {"DREAMD_GATES__IDLE": "soon"})
    assert told.startswith("DREAMD_GATES__IDLE: gates.idle: not a duration")


def test_bad_moments_of_the_schedule_are_told(tmp_path: Path) -> None:
    told = problems_of(
        write(tmp_path / "c.toml", '[schedule]\ncron = "0 3 * *"\nquiet_hours = "late"\ntimezone = "Mars/Base"\n')
    )
    assert [line.split(": ")[1] for line in told] == ["schedule.cron", "schedule.timezone", "schedule.quiet_hours"]


def test_what_is_not_there_yet_is_told_together_with_every_other_problem(tmp_path: Path) -> None:
    told = problems_of(write(tmp_path / "c.toml", '[gather]\nexecutor = "procrastinate"\n[gates]\nidle = 3\n'))
    assert len(told) == 2
