"""How fast secrets are taken out, beside reading the same text: `python benchmarks/redact.py [FILE …]`."""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from dreamd.redact.redactor import Redactor

SENTENCE = "the fix build test deploy server error when run file path token password commit branch def return value user config"
WORDS = SENTENCE.split()


def prose(megabytes: int) -> list[str]:
    """Turns of made-up talk, code and hashes, about 800 characters each."""
    rand = random.Random(1)
    turns, size = [], 0
    while size < megabytes * 1_000_000:
        words = [rand.choice(WORDS) for _ in range(110)]
        words[20] = f"src/{rand.choice(WORDS)}/{rand.choice(WORDS)}.py:{rand.randrange(900)}"
        words[50] = f"{rand.getrandbits(160):040x}"
        words[80] = f"{rand.choice(WORDS)}={rand.choice(WORDS)}({rand.randrange(99)})\n"
        turns.append(" ".join(words))
        size += len(turns[-1])
    return turns


def main() -> None:
    """Prints MB/s of redaction and of reading, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="text files; without any, made-up turns")
    parser.add_argument("--megabytes", type=int, default=20)
    asked = parser.parse_args()
    redactor = Redactor()
    if asked.files:
        began = time.perf_counter()
        blocks = [path.read_text(encoding="utf-8", errors="replace") for path in asked.files]
        reading = time.perf_counter() - began
        texts = [line for block in blocks for line in block.split("\n")]
    else:
        texts = prose(asked.megabytes)
        encoded = [text.encode() for text in texts]
        began = time.perf_counter()
        for block in encoded:
            block.decode()
        reading = time.perf_counter() - began
    size = sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6
    began = time.perf_counter()
    found = sum(redactor.redact(text).count for text in texts)
    seconds = time.perf_counter() - began
    print(f"{size:.1f} MB in {len(texts)} texts, {found} secrets")
    print(f"redacting {size / seconds:8.1f} MB/s")
    print(f"reading   {size / reading:8.1f} MB/s   redacting is {reading / seconds:.4f} of it")
    whole = "\n".join(texts)
    began = time.perf_counter()
    redactor.redact(whole)
    print(f"as one text {size / (time.perf_counter() - began):6.1f} MB/s")


if __name__ == "__main__":
    main()
