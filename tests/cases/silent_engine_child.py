"""Dreams in a home with an engine that is asked and never answers; whoever started this kills it."""

import datetime as dt
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import Digest, Extraction, KnownEntry
from world import World


class Silent(OfflineEngine):
    """Says that it was asked, then nothing."""

    def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:
        sys.stdout.write("asked\n")
        sys.stdout.flush()
        time.sleep(600)
        raise AssertionError


world = World(Path(sys.argv[1]))
world.clock.at = dt.datetime.fromisoformat(sys.argv[2])
world.engine = Silent()
world.kick()
