"""Public bug reports with their right values, as far as the offline engine reaches."""

import datetime as dt
import json
import re

from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import Act, Digest, Finding, Scope, Topic, Turn
from dreamd.transcripts.event import Origin, Role
from shared_material import shared

RELATIVE = re.compile(r"yesterday|tomorrow|just now|\b(?:last|next) \w+day|\bago\b", re.IGNORECASE)


def findings_of(case: str) -> list[Finding]:
    """What is found in a case's sessions; typed prompts only, read straight from the lines."""
    found: list[Finding] = []
    for path in sorted(shared("cases", case).rglob("*.jsonl")):
        turns = []
        for n, raw in enumerate(path.read_text(encoding="utf-8").splitlines()):
            record = json.loads(raw)
            content = record["message"]["content"]
            if record["type"] == "user" and isinstance(content, str):
                turns.append(
                    Turn(
                        record["uuid"],
                        dt.datetime.fromisoformat(record["timestamp"]),
                        Role.HUMAN,
                        Origin.TYPED,
                        content,
                        path.name,
                        n,
                    )
                )
            elif record["type"] == "user":
                text = " ".join(str(block.get("content", "")) for block in content)
                turns.append(
                    Turn(
                        record["uuid"],
                        dt.datetime.fromisoformat(record["timestamp"]),
                        Role.TOOL,
                        Origin.TOOL,
                        text,
                        path.name,
                        n,
                    )
                )
        fresh = frozenset(t.id for t in turns if t.role is Role.HUMAN)
        found += (
            OfflineEngine()
            .extract(Digest(path.stem, "claude-code", "k", "orchard", tuple(turns), fresh, dt.UTC), ())
            .findings
        )
    return found


def test_pas_02_a_new_version_sets_its_slot() -> None:
    (found,) = findings_of("PAS-02")
    assert (found.slot, found.value) == ("node version", "22")
    assert "18" not in found.text


def test_pas_04_relative_days_become_absolute() -> None:
    texts = [f.text for f in findings_of("PAS-04")]
    assert texts == [
        "On 2026-03-01 we froze the database schema.",
        "The audit is on 2026-03-13 (or 2026-03-06, ambiguous).",
    ]
    assert not any(RELATIVE.search(text) for text in texts)


def test_pas_05_each_event_has_its_own_day() -> None:
    tagged, rolled_back = findings_of("PAS-05")
    assert tagged.text == "Tagged release 4.1 on 2026-03-02."
    assert (tagged.happened, rolled_back.happened) == (dt.date(2026, 3, 2), dt.date(2026, 3, 3))
    assert "Rollback of 4.1" in rolled_back.text
    assert "2026-03-03" in rolled_back.text


def test_pas_06_a_setting_is_kept_with_its_value() -> None:
    (found,) = findings_of("PAS-06")
    assert (found.text, found.slot, found.value) == ("Keep queue retention at 3 days.", "queue retention", "3 days")


def test_pas_10_a_third_reading_of_the_same_changes_nothing() -> None:
    findings = findings_of("PAS-06")
    engine = OfflineEngine()
    topic = Topic(Scope.PROJECT, "orchard", "k")
    assert engine.reconcile(topic, (), findings) == engine.reconcile(topic, (), findings_of("PAS-06"))
    assert [p.act for p in engine.reconcile(topic, (), findings).proposals] == [Act.ADD]


def test_sec_03_a_rule_in_a_page_is_never_found_and_a_lesson_about_it_is() -> None:
    texts = [f.text for f in findings_of("SEC-03")]
    assert not any("curl" in text or "ignore all" in text.lower() for text in texts)
    assert "Lesson 3 covers prompt injection." in texts
