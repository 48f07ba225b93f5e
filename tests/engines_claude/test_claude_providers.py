"""Amazon Bedrock and Google Vertex through the SDK's own clients, signing and fetching tokens for real, against loopback."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from dreamd.engines.faults import EngineUnusable
from dreamd.errors import ConfigError
from dreamd.state.run_record import Outcome
from engines_claude.scripted import Script, Server, diligent
from world import World, dreamd

RULE = "in quillmark we always squash before merging anything"
MODELS = {
    "gather_model": "global.anthropic.claude-haiku-5-5",
    "consolidate_model": "global.anthropic.claude-sonnet-5-5",
}
VARIABLES = (
    *(
        "AWS_PROFILE",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
    ),
    *("AWS_BEARER_TOKEN_BEDROCK", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"),
    *("GOOGLE_CLOUD_PROJECT", "ANTHROPIC_API_KEY"),
)


@pytest.fixture(autouse=True)
def nobodys_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials of whoever runs the tests, and no looking for those of a virtual machine."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))


@pytest.fixture
def bedrock(world: World, server: Server, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-of-nobody")
    world.settings["engine"] = {"name": "claude", "provider": "bedrock", "base_url": server.url} | MODELS
    world.say(RULE)
    return world


def account(folder: Path, server: Server) -> Path:
    """A service account's file whose tokens come from the scripted server."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "account.json"
    made = {
        "type": "service_account",
        "project_id": "orchard-1",
        "private_key_id": "1",
        "private_key": pem.decode(),
        "client_email": "dreamd@orchard-1.invalid",
        "client_id": "1",
        "token_uri": f"{server.url}/token",
    }
    path.write_text(json.dumps(made))
    path.chmod(0o600)
    return path


@pytest.fixture
def vertex(world: World, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("CLOUD_ML_REGION", "global")
    world.settings["engine"] = {
        "name": "claude",
        "provider": "vertex",
        "base_url": f"{server.url}/v1",
        "api_key_file": str(account(tmp_path, server)),
    }
    world.say(RULE)
    return world


def test_bedrock_is_asked_with_signed_requests(bedrock: World, server: Server) -> None:
    run = bedrock.kick()
    assert run.outcome is Outcome.COMMITTED
    assert RULE in bedrock.text()
    assert run.cost.usd > 0
    headers = server.headers[0]
    assert headers[":path"] == "/model/global.anthropic.claude-haiku-5-5/invoke"
    assert "model" not in server.requests[0]
    assert server.requests[0]["anthropic_version"]
    told = headers["authorization"]
    assert told.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert "/eu-west-1/bedrock/aws4_request" in told
    signed = told.split("SignedHeaders=")[1].split(",")[0].split(";")
    request = AWSRequest(
        method="POST",
        url=server.url + headers[":path"],
        headers={name: headers[name] for name in signed},
        data=server.raw[0],
    )
    request.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(Credentials("AKIDEXAMPLE", "a-secret-of-nobody"), "bedrock", "eu-west-1")
    wanted = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    assert told.endswith(f"Signature={wanted}")


def test_a_bedrock_api_key_goes_as_a_bearer_token(
    bedrock: World, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    key = tmp_path / "key"
    key.write_text("bedrock-key-of-nobody\n")
    bedrock.settings["engine"]["api_key_file"] = str(key)
    assert bedrock.kick().outcome is Outcome.COMMITTED
    assert server.headers[0]["authorization"] == "Bearer bedrock-key-of-nobody"


def test_bedrock_without_credentials_or_region_is_a_problem_of_the_configuration(
    bedrock: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ConfigError, match="no credentials"):
        bedrock.kick()
    monkeypatch.delenv("AWS_REGION")
    with pytest.raises(ConfigError, match="no region") as caught:
        bedrock.kick()
    assert "AWS_REGION" in caught.value.hint
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_PROFILE", "no-such-profile")
    with pytest.raises(ConfigError, match="ProfileNotFound"):
        bedrock.kick()
    assert server.requests == []


@pytest.mark.parametrize(
    ("answer", "unusable"),
    [
        ({"status": 400, "body": {"message": "The provided model identifier is invalid."}}, True),
        ({"status": 403, "body": {"message": "You don't have access to the model with the specified model ID."}}, True),
        ({"status": 403, "body": {"message": "The security token included in the request is expired"}}, True),
        ({"status": 429, "body": {"message": "Too many tokens, please wait before trying again."}}, False),
    ],
)
def test_bedrocks_own_errors_are_understood(
    bedrock: World, server: Server, answer: dict[str, Any], *, unusable: bool, waits: list[float]
) -> None:
    server.answer = Script(answer, diligent)
    if unusable:
        with pytest.raises(EngineUnusable):
            bedrock.kick()
        with bedrock.app() as app:
            assert {one.failures for one in app.sessions()} == {0}
    else:
        assert bedrock.kick().outcome is Outcome.COMMITTED


def test_bedrock_says_that_the_input_is_too_long_in_its_own_words(bedrock: World, server: Server) -> None:
    bedrock.say("never edit the lock file of tideglass by hand", session=1)
    too_long = {"status": 400, "body": {"message": "Input is too long for requested model."}}
    server.answer = Script(too_long, diligent)
    assert bedrock.kick().outcome is Outcome.COMMITTED
    assert len(server.of("extract")) == 3


def test_vertex_is_asked_with_a_token_that_was_fetched(vertex: World, server: Server) -> None:
    run = vertex.kick()
    assert run.outcome is Outcome.COMMITTED
    assert RULE in vertex.text()
    headers = server.headers[0]
    place = "/v1/projects/orchard-1/locations/global/publishers/anthropic/models"
    assert headers[":path"] == f"{place}/claude-haiku-5-5:rawPredict"
    assert headers["authorization"] == "Bearer token-of-nobody"
    assert server.requests[0]["anthropic_version"]
    assert server.asked.count("POST /token") == 1


def test_vertex_without_credentials_region_or_project_is_a_problem_of_the_configuration(
    vertex: World, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CLOUD_ML_REGION")
    with pytest.raises(ConfigError, match="no region"):
        vertex.kick()
    monkeypatch.setenv("CLOUD_ML_REGION", "global")
    path = tmp_path / "account.json"
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {"project_id": None}))
    with pytest.raises(ConfigError, match="no project"):
        vertex.kick()
    path.write_text("{}")
    with pytest.raises(ConfigError, match="no credentials"):
        vertex.kick()
    del vertex.settings["engine"]["api_key_file"]
    with pytest.raises(ConfigError, match="no credentials") as caught:
        vertex.kick()
    assert "gcloud auth" in caught.value.hint
    assert server.requests == []


def test_a_token_that_is_refused_ends_the_run_and_blames_no_session(vertex: World, server: Server) -> None:
    server.token_status = 400
    with pytest.raises(EngineUnusable) as caught:
        vertex.kick()
    assert "credentials" in caught.value.message
    with vertex.app() as app:
        assert {one.failures for one in app.sessions()} == {0}


@pytest.mark.parametrize(("provider", "package"), [("bedrock", "boto3"), ("vertex", "google.auth")])
def test_a_missing_extra_is_told_with_the_way_to_get_it(
    bedrock: World, monkeypatch: pytest.MonkeyPatch, provider: str, package: str
) -> None:
    bedrock.settings["engine"]["provider"] = provider
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EngineUnusable) as caught:
        bedrock.kick()
    assert f"'.[{provider}]'" in caught.value.hint


def test_a_server_that_refuses_the_schema_is_asked_without_it(vertex: World, server: Server) -> None:
    """Vertex forbids structured output by an organisation's default; the answer's form is checked here anyway."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if "output_config" in request:
            return {"status": 400, "type": "invalid_request_error", "message": "output_config.format: not allowed"}
        return diligent(request)

    server.answer = answer
    vertex.say("never edit the lock file of tideglass by hand", session=2)
    assert vertex.kick().outcome is Outcome.COMMITTED
    assert sum("output_config" in one for one in server.requests) == 1


def test_nothing_of_the_providers_is_loaded_where_they_are_not_asked(world: World) -> None:
    world.home.mkdir(exist_ok=True)
    code = "import sys; from dreamd.app import App; print(any(m in sys.modules for m in ('anthropic', 'boto3', 'google.auth')))"
    import subprocess

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_the_doctor_knows_where_credentials_lie(
    bedrock: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bedrock.home
    home.mkdir(exist_ok=True)
    given = {
        "DREAMD_ENGINE__NAME": "claude",
        "DREAMD_ENGINE__PROVIDER": "bedrock",
        "AWS_REGION": "eu-west-1",
    }

    def key() -> dict[str, Any]:
        told = json.loads(dreamd(home, "doctor", "--json", **given).stdout)
        return next(one for one in told["checks"] if one["name"] == "key")

    assert (key()["level"], key()["reason"]) == ("warning", "missing")
    (home / ".aws").mkdir()
    (home / ".aws" / "credentials").write_text("[default]\naws_access_key_id = AKIDEXAMPLE\n")
    assert key()["ok"]
    given["DREAMD_ENGINE__PROVIDER"] = "vertex"
    assert key()["reason"] == "missing"
    (home / ".config" / "gcloud").mkdir(parents=True)
    (home / ".config" / "gcloud" / "application_default_credentials.json").write_text("{}")
    assert key()["ok"]
