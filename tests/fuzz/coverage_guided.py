"""The same targets under a coverage-guided fuzzer, for as long as somebody likes.

    pip install atheris        # wheels for Python 3.11 to 3.13 on Linux
    python tests/fuzz/coverage_guided.py document -max_total_time=600

Further arguments are libFuzzer's. What breaks lies in crash-<digest> afterwards; give that file as an argument to see it again.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

with atheris.instrument_imports(include=["dreamd"]):
    from fuzz.seeds import SEEDS
    from fuzz.targets import TARGETS


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: {sys.argv[0]} TARGET [libFuzzer's options]; targets: {', '.join(TARGETS)}")
    target = sys.argv.pop(1)
    corpus = Path(tempfile.mkdtemp(prefix=f"fuzz-{target}-"))
    for number, seed in enumerate(SEEDS[target]):
        (corpus / str(number)).write_bytes(seed)
    atheris.Setup([*sys.argv, str(corpus)], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
