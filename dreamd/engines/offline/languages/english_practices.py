"""Things by which a request tells how somebody works: trackers, branches, pull requests, agents, documents, tests. Each with an example."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.engines.offline.cues import Cue, rx


@dataclass(frozen=True, slots=True)
class Way:
    """A way of working that a request may name."""

    name: str  # "{}" stands for the words that the pattern's group `name` finds
    pattern: Cue
    example: str

    def named(self, clause: str) -> list[str]:
        """What a clause names of it, lower case, in the singular."""
        found = self.pattern.finditer(clause)
        return [self.name.format(_singular(m["name"].lower())) if "{" in self.name else self.name for m in found]


def _singular(name: str) -> str:
    return name[:-1] if name.endswith("s") and name not in _KEPT_PLURAL else name


_KEPT_PLURAL = ("azure boards", "release notes", "screenshots", "github issues", "gitlab issues")
#: Services in which work is tracked or told; "linear" is one where it is not the adjective.
_SERVICES = (
    r"linear(?! (?:search|time|scale|regression|interpolation|algebra|gradient|layers?|growth|scan|in|order|model|function|history))|jira|beads?|asana|trello|notion|youtrack|clickup|redmine|bugzilla|"
    r"azure boards|github issues|gitlab issues|slack|discord|confluence|figma|storybook|sentry|datadog|grafana|pagerduty|obsidian"
)

# A table: one way a line.
# fmt: off
WAYS = (
    Way("worker", rx(r"\b(?:spawn|use|start|launch|with|delegate to|by) (?:an? |the |new |separate |\w+ )?(?:workers?|sub-?agents?|agents?)\b"), "spawn a worker for it"),
    Way("subagent", rx(r"\bsub-?agents?\b"), "let a subagent look at the logs"),
    Way("worktree", rx(r"\b(?:in|use|create|cut|a|new|separate|with) (?:an? |the |new |separate )*\$?worktrees?\b"), "do it in a new worktree"),
    Way("{}", rx(r"\b(?P<name>(?:draft|stacked|separate|small) (?:prs?|pull requests?))\b"), "open a draft PR"),
    Way("{}", rx(rf"\b(?P<name>{_SERVICES})\b"), "file a ticket in Jira"),
    Way("{} branch", rx(r"\b(?P<name>orphan|release|hotfix|develop|staging|integration|gh-pages|stable|topic|scratch) (?:[\w-]+ )?branch(?:es)?\b"), "push it to the hotfix branch"),
    Way("{}", rx(r"\b(?P<name>change-?logs?|release notes?|screenshots|runbooks?|adrs?|rfcs?|design docs?|migration guides?|post-?mortems?|demo videos?)\b(?! (?:says?|is|are|shows?|test|file|parser))"), "write an ADR for it"),
    Way("tests", rx(r"\b(?:write|add|with) (?:a |an |the |some |proper |more |specific )*(?:unit |integration |regression |e2e )?tests?\b(?! (?:that|for|file|in|case))"), "add a regression test"),
    Way("review comments", rx(r"\b(?:reply|respond|answer)\b.{0,60}\bcomments?\b"), "reply to each review comment"),
)
# fmt: on
