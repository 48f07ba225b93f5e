"""The SDK's clients: the official server or one that speaks like it, Amazon Bedrock, Google Vertex; each with its credentials."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dreamd.engines.faults import EngineUnusable
from dreamd.errors import ConfigError

if TYPE_CHECKING:
    from anthropic import Anthropic, AnthropicBedrock, AnthropicVertex, Timeout

    Client: TypeAlias = Anthropic | AnthropicBedrock | AnthropicVertex

_OFFICIAL = "https://api.anthropic.com"
_CONNECT = 10.0  # seconds at most until a connection stands
_SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
#: Packages whose errors are about credentials: they sign requests and fetch tokens.
_SIGNERS = frozenset({"boto3", "botocore", "google"})

AWS_HINT = (
    "credentials are looked for as the AWS command line does (AWS_PROFILE, ~/.aws, AWS_ACCESS_KEY_ID), "
    "or as a Bedrock API key in engine.api_key_file; a service sees only ~/.config/dreamd/env"
)
GOOGLE_HINT = (
    "`gcloud auth application-default login`, or name a service account's file in engine.api_key_file; "
    "a service sees only ~/.config/dreamd/env"
)


def anthropic_client(key: str, base_url: str, timeout: float) -> Anthropic:
    """`key` is never logged; `base_url` empty: the official server; `timeout` in seconds without a byte."""
    try:
        import anthropic  # noqa: PLC0415 - 1.6 s and 77 MB, only where a model is asked
    except ImportError:
        raise _missing("claude") from None
    return anthropic.Anthropic(
        api_key=key,
        base_url=base_url.rstrip("/").removesuffix("/v1") or _OFFICIAL,
        timeout=_patience(timeout),
        max_retries=0,
        # The SDK sends the key as a bearer token; many gateways look for the older header.
        default_headers={"X-Api-Key": key} if base_url else None,
        open_telemetry=False,
    )


def bedrock_client(token: str, base_url: str, timeout: float) -> AnthropicBedrock:
    """Amazon Bedrock: with a Bedrock API key as `token`, else with AWS credentials, which sign each request.

    Raises ConfigError where there is no region or are no credentials, EngineUnusable where the packages are missing.
    """
    try:
        import anthropic  # noqa: PLC0415 - as above
    except ImportError:
        raise _missing("bedrock") from None
    try:
        client = anthropic.AnthropicBedrock(
            api_key=token or None,
            base_url=base_url.rstrip("/") or None,
            timeout=_patience(timeout),
            max_retries=0,
            open_telemetry=False,
        )
        found = client.api_key is not None or _boto3().Session().get_credentials() is not None
    except ValueError:
        raise ConfigError(
            "Amazon Bedrock has no region", hint="set AWS_REGION, or a region in the profile that AWS_PROFILE names"
        ) from None
    except Exception as fault:
        if is_credentials(fault):
            raise ConfigError(f"Amazon Bedrock finds no credentials ({type(fault).__name__})", hint=AWS_HINT) from None
        raise
    if not found:
        raise ConfigError("Amazon Bedrock finds no credentials", hint=AWS_HINT)
    return client


def vertex_client(key_file: Path | None, base_url: str, timeout: float) -> AnthropicVertex:
    """Google Vertex, with the service account in `key_file`, else with the credentials of this machine.

    Raises ConfigError where there are none, no project or no region, EngineUnusable where the packages are missing.
    """
    try:
        import anthropic  # noqa: PLC0415 - as above
        import google.auth.exceptions  # noqa: PLC0415 - only where Vertex is asked
    except ImportError:
        raise _missing("vertex") from None
    try:
        credentials, project = _google(key_file)
    except ImportError:
        raise _missing("vertex") from None
    except (google.auth.exceptions.GoogleAuthError, OSError, ValueError) as fault:
        raise ConfigError(f"Google Vertex finds no credentials ({type(fault).__name__})", hint=GOOGLE_HINT) from None
    try:
        client = anthropic.AnthropicVertex(
            credentials=credentials,
            base_url=base_url.rstrip("/") or None,
            timeout=_patience(timeout),
            max_retries=0,
            open_telemetry=False,
        )
    except ValueError:
        raise ConfigError("Google Vertex has no region", hint='set CLOUD_ML_REGION, as in "global"') from None
    if not client.project_id:
        client.project_id = project
    if not client.project_id:
        raise ConfigError("Google Vertex has no project", hint="set ANTHROPIC_VERTEX_PROJECT_ID")
    return client


def is_credentials(fault: BaseException) -> bool:
    """Whether a fault comes from whoever signs requests and fetches tokens."""
    return type(fault).__module__.split(".")[0] in _SIGNERS


def _google(key_file: Path | None) -> tuple[Any, str | None]:
    """Credentials and their project: a service account's file, else what this machine offers."""
    import google.auth  # noqa: PLC0415 - only where Vertex is asked
    from google.oauth2 import service_account  # noqa: PLC0415 - likewise

    if key_file is None:
        found: tuple[Any, str | None] = google.auth.default(scopes=_SCOPES)
        return found
    made = service_account.Credentials.from_service_account_file(str(key_file), scopes=_SCOPES)
    return made, made.project_id


def _boto3() -> Any:
    try:
        import boto3  # noqa: PLC0415 - only where requests are signed
    except ImportError:
        raise _missing("bedrock") from None
    return boto3


def _patience(timeout: float) -> Timeout:
    import anthropic  # noqa: PLC0415 - as above

    return anthropic.Timeout(timeout, connect=min(_CONNECT, timeout))


def _missing(extra: str) -> EngineUnusable:
    return EngineUnusable(
        "a package that speaks to the model's server is not installed",
        hint=f"install dreamd with its extra `{extra}`, as in: pip install '.[{extra}]'",
    )
