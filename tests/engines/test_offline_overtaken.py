"""A change told without its old value: the same thing with another figure, time, version or place."""

import pytest

from dreamd.engines.offline.overtaken import overtaken


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Tide tables are rebuilt at 03:00.", "had to shift the tide tables, they start at 05:15 from now on"),
        (
            "Format with clang-format 15 before a push.",
            "I switched the hook, it's clang-format 17 that has to run before a push",
        ),
        ("Berth photos live on pics.harbour.example.", "fyi the berth photos moved, it's media.quay.example now"),
        ("Bookings expire after 6 hours.", "security wants bookings to expire after 30 minutes, changed it"),
        (
            "Three approvals are needed on the crane repo.",
            "one approval is enough on the crane repo now that we are few",
        ),
        ("Cutoff of the battery is 3.1 V.", "cells age, the battery cutoff must be 3.3 V"),
        ("批大小固定 256。", "显存不够，批大小往后固定 128"),
    ],
)
def test_a_newer_saying_overtakes_the_older_one(older: str, newer: str) -> None:
    assert overtaken(newer, older)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The api listens on port 8080.", "we moved the worker to port 9090"),
        ("Tide tables are rebuilt at 03:00.", "the crane report now runs at 05:15"),
        ("Bookings expire after 6 hours.", "we also switched invoices to expire after 30 days"),
        ("Bookings expire after 6 hours.", "I changed the colour of the bookings page"),
        ("Format with clang-format 15 before a push.", "clang-format 15 runs in the hook now"),
    ],
)
def test_another_thing_or_the_same_value_overtakes_nothing(older: str, newer: str) -> None:
    assert not overtaken(newer, older)
