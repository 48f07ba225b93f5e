"""Findings on their way into the state and out of it: the engine's values and the state's records are one thing twice."""

from __future__ import annotations

from dreamd.engines.protocol import Finding, Kind, Scope
from dreamd.state.records import FindingRecord

_SHARED = (
    *("text", "turn_id", "at", "quote", "subject", "slot", "value", "weight", "happened"),
    *("key", "id", "session_id", "project_key", "path", "offset"),
)


def to_record(finding: Finding) -> FindingRecord:
    """As the state stores it."""
    return FindingRecord(
        kind=finding.kind.value, scope=finding.scope.value, **{name: getattr(finding, name) for name in _SHARED}
    )


def to_finding(record: FindingRecord) -> Finding:
    """As an engine sees it."""
    return Finding(
        kind=Kind(record.kind), scope=Scope(record.scope), **{name: getattr(record, name) for name in _SHARED}
    )
