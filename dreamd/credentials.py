"""With what a model is asked: the key of the Messages API, or the person's own `claude` command."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from dreamd.config import environment, expand
from dreamd.errors import ConfigError
from dreamd.settings import Engine


def api_key(engine: Engine, environ: Mapping[str, str] | None = None) -> str:
    """The key of the Messages API: out of `engine.api_key_file`, else ANTHROPIC_API_KEY. It is never logged or stored.

    A server of one's own behind `engine.base_url` may need none. Raises ConfigError where there is no key.
    """
    environ = environment() if environ is None else environ
    if engine.api_key_file:
        path = expand(engine.api_key_file)
        try:
            key = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as fault:
            why = fault.strerror if isinstance(fault, OSError) else "not UTF-8 text"
            raise ConfigError(f"the key file {path} cannot be read: {why}", hint="see engine.api_key_file") from None
        if not key or len(key.split()) > 1:
            raise ConfigError(
                f"the key file {path} does not hold one key", hint="it should hold the key and nothing else"
            )
        return key
    if key := environ.get("ANTHROPIC_API_KEY", "").strip():
        return key
    if engine.base_url:
        return "none"
    raise ConfigError(
        "the engine claude has no key",
        hint="put it into a file and name that in engine.api_key_file, or set ANTHROPIC_API_KEY; "
        'with a subscription set engine.provider = "claude-code"; `--engine offline` needs none',
    )


def bedrock_key(engine: Engine, environ: Mapping[str, str] | None = None) -> str:
    """A Bedrock API key out of `engine.api_key_file`; "": the SDK looks for AWS credentials itself. Raises ConfigError."""
    return api_key(engine, environ) if engine.api_key_file else ""


def google_file(engine: Engine) -> Path | None:
    """The service account's file that `engine.api_key_file` names; None: the credentials of this machine."""
    return expand(engine.api_key_file) if engine.api_key_file else None


def claude_command(environ: Mapping[str, str] | None = None) -> Path | None:
    """The person's own `claude` command, by PATH and in the places where its installers put it; None: not there."""
    environ = environment() if environ is None else environ
    usual = ("~/.local/bin", "~/.claude/local", "/usr/local/bin", "/opt/homebrew/bin")
    path = os.pathsep.join([environ.get("PATH", os.defpath), *(str(expand(one)) for one in usual)])
    found = shutil.which("claude", path=path)
    return Path(found) if found else None
