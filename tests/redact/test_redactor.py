"""What redaction promises, one by one."""

import json
import runpy
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.redact.redactor import Redactor
from shared_material import shared

BODY = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
GITHUB = "gh" + "p_" + BODY
KEY_ROWS = "\n".join([BODY + BODY[:28]] * 4)
PEM = "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + KEY_ROWS + "\n-----END RSA PRIV" + "ATE KEY-----"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor()


def test_the_mark_names_the_kind_and_the_name_beside_it_stays(redactor: Redactor) -> None:
    done = redactor.redact("export DB_PASSWORD=hunter2x")
    assert done.text == "export DB_PASSWORD=[REDACTED:password]"
    assert (done.count, done.kinds) == (1, ("password",))


def test_a_text_without_secrets_is_the_same_text(redactor: Redactor) -> None:
    text = "The staging key was rotated yesterday; there is no API key in the build at all."
    assert redactor.redact(text).text == text
    assert redactor.redact(text).kinds == ()


def test_facts_around_a_secret_survive(redactor: Redactor) -> None:
    done = redactor.redact(f"The staging key was rotated, the new one is {GITHUB} use it.")
    assert done.text == "The staging key was rotated, the new one is [REDACTED:github] use it."


@pytest.mark.parametrize(
    "text",
    [
        PEM,
        json.dumps({"private_key": PEM, "type": "service_account"}),
        "key: |\n" + "\n".join("    " + row for row in PEM.split("\n")),
        PEM[: len(PEM) // 2],  # cut off
    ],
)
def test_a_private_key_goes_whole_with_real_or_escaped_line_ends(redactor: Redactor, text: str) -> None:
    assert BODY not in redactor.redact(text).text
    assert "private-key" in redactor.redact(text).kinds


def test_public_keys_and_certificates_stay(redactor: Redactor) -> None:
    text = PEM.replace("RSA PRIV" + "ATE KEY", "CERTIFICATE")
    assert redactor.redact(text).text == text


def test_a_mention_of_a_private_key_header_is_no_key(redactor: Redactor) -> None:
    text = "look for '-----BEGIN " + "PRIVATE KEY-----' in the file, then for the end"
    assert redactor.redact(text).text == text


@pytest.mark.parametrize("wrap", ["\n", "\n    ", "\r\n", "\n│ ", "\\\n  "])
def test_a_token_wrapped_over_two_lines_is_found(redactor: Redactor, wrap: str) -> None:
    text = f"see {GITHUB[:20]}{wrap}{GITHUB[20:]} there"
    assert redactor.redact(text).text == "see [REDACTED:github] there"


def test_a_long_token_takes_its_wrapped_rest_with_it_but_not_the_next_sentence(redactor: Redactor) -> None:
    token = "sk" + "-ant-api03-" + BODY * 2
    done = redactor.redact(f"key:\n{token[:60]}\n{token[60:]}\nand then go on")
    assert done.text == "key:\n[REDACTED:anthropic]\nand then go on"


def test_both_halves_of_an_aws_pair_go(redactor: Redactor) -> None:
    identity, secret = "AK" + "IA" + "QQ2TESTFAKE77XYZ", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzzzzzzzKE"
    assert redactor.redact(f"{identity} / {secret}").text == "[REDACTED:aws] / [REDACTED:aws]"


def test_a_token_in_base64_is_found(redactor: Redactor) -> None:
    import base64

    hidden = base64.b64encode(GITHUB.encode()).decode()
    assert redactor.redact(f"data: {hidden}").text == "data: [REDACTED:base64]"


def test_url_encoded_credentials_are_found(redactor: Redactor) -> None:
    text = "url=postgres%3A%2F%2Fapp%3As3cr3tpw%40db.example.com%2Fx"
    assert redactor.redact(text).text == "url=postgres%3A%2F%2Fapp%3A[REDACTED:url-password]%40db.example.com%2Fx"


@pytest.mark.parametrize(
    "line",
    [
        "password: <your-password>",
        "API_KEY=xxxxxxxxxxxxxxxx",
        "api_key = 'sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx'",
        'TOKEN="${GITHUB_TOKEN}"',
        "export PASSWORD=$(cat /run/secrets/db)",
        "password=REDACTED",
        "token: {{ vault.token }}",
        "SECRET=%SECRET%",
        "postgres://user:password@localhost/db",
        "postgres://${USER}:${PASS}@localhost/db",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "token = get_token()",
        "password: str | None = None",
        "self.api_key = config.api_key",
        '"password": "Password is required"',
        '<input type="password" name="password">',
        "cursor.next_page_token",
        "${APP_PASSWORD:?Set the variable}",
        "密码：请联系管理员",
        "The token is expired and the password is wrong.",
    ],
)
def test_placeholders_code_and_prose_stay(redactor: Redactor, line: str) -> None:
    assert redactor.redact(line).text == line
    assert not redactor.has_secret(line)


def test_own_patterns_replace_their_group_or_their_match() -> None:
    redactor = Redactor([r"employee (\d{6})", r"CASE-[A-Z]{4}"])
    assert redactor.redact("employee 123456, CASE-ABCD").text == "employee [REDACTED:extra], [REDACTED:extra]"


def test_an_own_pattern_that_does_not_compile_is_named_by_its_position() -> None:
    with pytest.raises(ValueError, match=r"redact\.extra\[1\]"):
        Redactor(["fine", "(never closed"])


@pytest.mark.parametrize(
    "seed",
    [
        "password=",
        "密码是",
        'token="',
        "eyJaaaaaaaa.",
        "-----BEGIN PRIV" + "ATE KEY-----",
        "https://a:",
        "curl -u ",
        "AccountKey=",
        "gh" + "p_\n",
        "\\",
        "a",
        "İ",
    ],
)
def test_a_megabyte_of_anything_ends(redactor: Redactor, seed: str) -> None:
    """Catastrophic backtracking would never come back from these."""
    redactor.redact(seed * (1_000_000 // len(seed)))


PIECES = st.sampled_from(
    ["password", "=", ": ", '"', "'", "\\", "\n", " ", GITHUB, "hunter2x", "[REDACTED:token]", "://u:", "@h", "Bearer ", "--token ", "密码", "是", "x" * 9, "A1" * 9, "ey" + "J"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=80)))
def test_redacting_twice_changes_nothing_and_nothing_raises(text: str) -> None:
    redactor = Redactor()
    once = redactor.redact(text)
    assert redactor.redact(once.text) == type(once)(once.text, 0, ())
    assert redactor.has_secret(text) == (once.text != text)


def test_sec_01_the_eight_values_go_and_the_four_look_alikes_stay(
    redactor: Redactor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with pytest.warns(ResourceWarning):
        runpy.run_path(str(shared("cases", "SEC-01", "build.py")))
    transcript = next(tmp_path.rglob("*.jsonl")).read_text(encoding="utf-8")
    redacted = redactor.redact(transcript).text
    assert [
        needle for needle in (tmp_path / "needles.txt").read_text().split("\n") if needle and needle in redacted
    ] == []
    assert [line for line in (tmp_path / "benign.txt").read_text().split("\n") if line and line not in redacted] == []


def test_the_benchmark_s_planted_secrets_go(redactor: Redactor) -> None:
    secrets = runpy.run_path(str(shared("bench", "codebench.py")))["SEC"]
    places = ("the key is {s}", "export TOKEN={s}", "connect with {s} please")
    assert [s for s in secrets for place in places if s in redactor.redact(place.format(s=s)).text] == []


@pytest.mark.parametrize(
    "place",
    [
        "spring.datasource.password={}&3",
        "  password: p@ss,{};x",
        "f(user=a, password={}, x=2)",
        "密码 {}",
        "密码改成了 {}",
        "contraseña: {}",
        "das Passwort ist {}.",
        "pw: {}",
        "API_KEY ?= {}",
        "--from-literal=password={}",
        "ENV DB_PASSWORD {}",
        "setx API_TOKEN {}",
        '<add key="ApiKey" value="{}"/>',
        "- name: DB_PASSWORD\n  value: {}",
        '{{"name": "DB_PASSWORD", "value": "{}"}}',
        "os.environ['API_KEY'] = '{}'",
        "machine example.com login me password {}",
        "db.example.com:5432:app:me:{}",
        "me:{}@tcp(db:3306)/app",
        "https://example.com/?a=1&password={}&b=2",
        "redis-cli -h db -a {} ping",
        "docker login -u me -p {} registry.example.com",
        "mysql -u root -p{} app",
    ],
)
def test_a_password_is_found_in_every_syntax(redactor: Redactor, place: str) -> None:
    secret = "x7Kq" + "mZ4tR9w"
    assert secret not in redactor.redact(place.format(secret)).text
