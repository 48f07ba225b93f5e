"""The error of everything that ties dreamd to an agent."""

from __future__ import annotations

from typing import ClassVar

from dreamd.errors import DreamdError


class IntegrationError(DreamdError):
    """An agent's own files cannot be used as they are, or the package that speaks to it is missing; nothing was changed."""

    code: ClassVar[str] = "integration"
