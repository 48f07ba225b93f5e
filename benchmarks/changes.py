"""Whether what was said later takes the place of what was said first: `python benchmarks/changes.py [--show]`.

Reads the pairs of `tests/engines/told_twice.toml` with the offline engine, each pair in a memory of its own, a dream after each saying.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from engines.remembered import after, holds, rates  # noqa: E402 - the path is known only now


def main() -> None:
    """Prints the rates of each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what went wrong in the part that may be looked at")
    given = parser.parse_args()
    told = tomllib.loads((TESTS / "engines" / "told_twice.toml").read_text())
    for part in ("looked_at", "counted"):
        found = rates(told["changed"][part])
        both = told["both"][part]
        kept = sum(holds(lines, a) and holds(lines, b) for _, x, y, a, b in both for lines in [after(x, y)])
        alone = sum(holds(after(x), a) and holds(after(y), b) for _, x, y, a, b in both)
        print(
            f"{part}: {len(told['changed'][part])} changes: first read {found.read:.2f}, new value held {found.held:.2f}, old one still stands {found.stale:.2f} ({found.late:.2f} where its session is read last), right {found.right:.2f}; "
            f"{len(both)} that both hold: read {alone}, still there {kept}"
        )
        if given.show and part == "looked_at":
            print(*found.wrong, sep="\n")


if __name__ == "__main__":
    main()
