"""The SDK's clients: the official server or one that speaks like it, Amazon Bedrock, Google Vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from dreamd.engines.faults import EngineUnusable

if TYPE_CHECKING:
    from anthropic import Anthropic, AnthropicBedrock, AnthropicVertex, Timeout

    Client: TypeAlias = Anthropic | AnthropicBedrock | AnthropicVertex

_OFFICIAL = "https://api.anthropic.com"
_CONNECT = 10.0  # seconds at most until a connection stands


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


def _patience(timeout: float) -> Timeout:
    import anthropic  # noqa: PLC0415 - as above

    return anthropic.Timeout(timeout, connect=min(_CONNECT, timeout))


def _missing(extra: str) -> EngineUnusable:
    return EngineUnusable(
        "the package that speaks to the Messages API is not installed",
        hint=f"install dreamd with its extra `{extra}`, as in: pip install '.[{extra}]'",
    )
