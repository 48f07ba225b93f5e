"""What can go wrong with one call, each mapped to the one thing that is then done; never anybody's words in a message."""

from __future__ import annotations

import re
from typing import Literal

from dreamd.engines.faults import EngineUnusable, UnusableAnswer

#: Why a call may be tried again. Closed.
Passing = Literal["rate_limit", "overloaded", "server", "connection", "timeout", "garbled"]

_BY_TYPE: dict[str, Passing] = {
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
    "api_error": "server",
    "timeout_error": "server",
}
#: Where the error's type says nothing (proxies, other servers), its status does.
_BY_STATUS: dict[int, Passing] = {408: "server", 409: "server", 429: "rate_limit", 529: "overloaded"}
_REFUSED = frozenset({"authentication_error", "permission_error", "billing_error", "not_found_error"})
_REFUSED_STATUS = frozenset({401, 402, 403, 404})
_TOO_LONG = re.compile(
    r"(?:prompt|input) is too long|too many (?:input )?tokens|(?:maximum|exceeds?|exceeded|available|larger than).{0,40}context|context[ _](?:length|window|size)",
    re.IGNORECASE,
)
_NO_SCHEMA = re.compile(r"output_config|output_format|json_schema|structured.?output", re.IGNORECASE)
_NO_MODEL = re.compile(r"model (?:identifier|id) is invalid|invocation of model id", re.IGNORECASE)
_NO_CREDIT = re.compile(r"credit balance|billing|quota", re.IGNORECASE)

KEY_HINT = "the key is looked for in the file that engine.api_key_file names, else in ANTHROPIC_API_KEY"


class TryAgain(Exception):  # noqa: N818 - what to do, said by its name
    """The call failed for a reason that may pass; `after` is the server's own wish in seconds."""

    def __init__(self, reason: Passing, after: float | None = None) -> None:
        super().__init__(reason)
        self.reason: Passing = reason
        self.after = after


class UnstructuredOnly(Exception):  # noqa: N818 - likewise
    """The server takes no schema for answers: the same must be sent without one."""


class TooLong(Exception):  # noqa: N818 - likewise
    """The input does not fit the model: the same must not be sent again."""


def refused(status: int, kind: str, message: str, after: float | None) -> Exception:
    """What an error of the server means. `kind` is its `error.type`, which holds also inside a stream with status 200."""
    if kind in _BY_TYPE or status in _BY_STATUS or (status >= 500 and kind not in _REFUSED):  # noqa: PLR2004
        return TryAgain(_BY_TYPE.get(kind) or _BY_STATUS.get(status) or "server", after)
    if kind == "request_too_large" or status == 413 or _TOO_LONG.search(message):  # noqa: PLR2004
        return TooLong()
    return _wrong(status, kind, message)


def _wrong(status: int, kind: str, message: str) -> Exception:
    """An error that does not pass by itself, and is not the input's length."""
    if status == 400 and _NO_SCHEMA.search(message):  # noqa: PLR2004
        return UnstructuredOnly()
    if kind == "not_found_error" or (status == 404 and kind not in _REFUSED) or _NO_MODEL.search(message):  # noqa: PLR2004
        return EngineUnusable(
            f"the server does not know what was asked for ({status}, {kind or 'no type'})",
            hint="see engine.gather_model, engine.consolidate_model (on Bedrock an inference profile) and engine.base_url",
        )
    if kind in _REFUSED or status in _REFUSED_STATUS or _NO_CREDIT.search(message):
        return EngineUnusable(
            f"the server refused the key or the account ({status}, {kind or 'no type'})", hint=KEY_HINT
        )
    return UnusableAnswer(
        f"the server refused the request ({status}, {kind or 'no type'})",
        hint="`dreamd logs` names the session; does the server behind engine.base_url speak the Messages API?",
    )
