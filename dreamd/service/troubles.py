"""Standing problems told once: in the log, and by the command a person chose for it."""

from __future__ import annotations

from dreamd.dream.workshop import Workshop
from dreamd.log import logger
from dreamd.service.notify import tell_person
from dreamd.standing.problems import problems

_MARK = "told_problems"
#: Problems that a person asked to be called for (CONTRACT, `[notify]`): the others stand in `status`.
_CALLED_FOR = frozenset({"dreams_failing", "review_waiting", "transcripts_expiring", "dream_refused"})
_FAILS_TWICE = 2


class Troubles:
    """Remembers across restarts what was told, so that a problem is told once for as long as it stands."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def tell(self) -> None:
        """Tells what is new, forgets what is over."""
        known = set((self.shop.marks.text(_MARK) or "").split())
        standing = {problem.code: problem for problem in problems(self.shop)}
        if "dreams_failing" in standing and self.shop.runs.failures()[0] < _FAILS_TWICE:
            del standing["dreams_failing"]
        for code in sorted(standing.keys() - known):
            logger().warning("problem.found", code=code)
            if code in _CALLED_FOR and self.shop.config.notify.command:
                tell_person(self.shop.config.notify.command, code, _failed)
        for code in sorted(known - standing.keys()):
            logger().info("problem.solved", code=code)
        if standing.keys() != known:
            self.shop.marks.set(_MARK, " ".join(sorted(standing)) or None)


def _failed(how: str) -> None:
    logger().warning("notification.failed", fault=how)
