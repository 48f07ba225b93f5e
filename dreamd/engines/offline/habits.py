"""Requests that a person makes again and again: one alone is a task, the same on several days is a way of working."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from dreamd.engines.offline import practices
from dreamd.engines.offline.cues import Cues, rx, words
from dreamd.engines.offline.rewrite import finish
from dreamd.engines.offline.similar import stem
from dreamd.engines.protocol import Finding

#: What one such request weighs: nothing by itself.
WEIGHT = 0.25
#: In so many sessions, on so many days, it is a habit.
SESSIONS = 3

#: What is named so often, in two sessions, is one too: a thing that was chosen and not a word that everybody uses.
_MENTIONS = 3

_SLOT = "habit: "
_NAMES = "habit: names "
_LONGEST = 80
_HEADS = rx(
    r"^(?:(?:ok(?:ay)?|and|then|now|also|please|pls|great|perfect|thanks|so|yes|yeah|cool|nice|good|just|but|finally|next|first|alright|sure|all good|"
    r"can you|could you|would you|can we|could we|let'?s|lets|go ahead and|you can|i want you to|i'?d like you to|we should)\b[\s,.!]*)+"
)
_TAILS = rx(
    r"(?:[\s,]+(?:please|pls|now|then|too|for me|thanks|thank you|as well|first|again|so i can r?e?view(?: it)?|when done|if possible))+[\s?.!]*$"
)
_ASKS = rx(
    r"^(?:run|commit|push|open|create|make|add|write|use|reply|respond|rebase|squash|merge|review|test|lint|format|spawn|start|cut|draft|log|file|bump|tag|deploy|"
    r"verify|validate|sync|save|ask|record)\b"
)
_WORKFLOW = rx(
    r"\b(?:prs?|pull requests?|drafts?|commits?|branch(?:es)?|tests?|lint(?:er)?|fmt|format(?:ter)?|e2e|changelog|issues?|tickets?|worktrees?|sub-?agents?|rebase|squash|"
    r"skill|screenshots?|type-?check|coverage|linear|jira|beads?|docs|mise|make|npm|pnpm|cargo|pytest|just|go|ruff|mypy|eslint|prettier|mcp)\b|`[^`]+`"
)
_TOUCHES = rx(
    r"\b(?:this|that|these|those|there|here|them|my|your|same|other|above|new)\b|\bthe (?![\w-]+ (?:skill|plugin|mcp)\b|tests?\b|linter\b|docs\b|changelog\b|pr\b|readme\b|formatter\b|code\b)|[\d\"'?#:]|\b(?:why|what|how|which|whether|if|because|since|should)\b"
)
#: Words that every session has; what is left of a request without them must say something of its own.
_COMMON = words(
    "a an the it and or to of in on at for with as by from into all each any also please run commit push create open make add write use reply respond merge review test tests start cut log file ask record save "
    "pr prs pull request requests branch change changes main code commits fix update verify validate sync spawn raise submit do go is now then up so not no one issue issues ticket tickets docs"
)
#: Common words that still tell one request from another.
_THINGS = ("pr", "issue", "ticket", "docs")
_CN_HEADS = rx(r"^(?:好的?|嗯|然后|再|请|麻烦|帮我|顺便|最后|接着|那|可以|你)+[，, ]*")
_CN_ASKS = rx(
    r"^(?:先)?(?:用|跑|提交|推送|推|开|建|创建|写|更新|补|加)[^，。？?]{2,24}(?:PR|pr|草稿|测试|提交|分支|文档|日志|变更|lint|格式化|注释|issue|截图)[^，。？?]{0,8}$"
)
_CN_TOUCHES = rx(r"这|那|它|刚才|上面|下面|\d|吗|什么|怎么|[？?]")


@dataclass(frozen=True, slots=True)
class Request:
    """A request that would be worth knowing if it came again."""

    text: str  # the sentence that would stand
    slot: str  # the same for the same request in other words


def requests(sentence: str, cues: Cues) -> list[Request]:
    """What of a request may come again: the things that it names; the whole of a short one that names none."""
    named = list(practices.practices(sentence)) if cues.code == "en" else []
    if named:
        return [Request(practices.asks(one.clause), _NAMES + ", ".join(one.names)) for one in named]
    whole = request(sentence, cues)
    return [whole] if whole else []


def request(sentence: str, cues: Cues) -> Request | None:
    """The request in a sentence; None where it is about the work at hand, or says nothing that may come again."""
    if len(sentence) > _LONGEST:
        return None
    if cues.code == "zh":
        return _chinese(sentence)
    if cues.code != "en":
        return None
    core = _TAILS.sub("", _HEADS.sub("", sentence.strip())).strip(" .,!?")
    if not _ASKS.match(core) or not _WORKFLOW.search(core) or _TOUCHES.search(core):
        return None
    found = {stem(w) for w in re.findall(r"[\w./@-]*\w", core.lower()) if w not in _COMMON}
    if not found:
        return None
    found |= {w for w in _THINGS if re.search(rf"\b{w}s?\b", core.lower())}
    return Request(practices.asks(core), _SLOT + " ".join(sorted(found)))


def _chinese(sentence: str) -> Request | None:
    core = _CN_HEADS.sub("", sentence.strip()).strip(" 。，！!吧")
    if not _CN_ASKS.match(core) or _CN_TOUCHES.search(core):
        return None
    return Request(finish(f"经常要求{core}", stop="。"), _SLOT + "".join(core.split()))


def is_request(finding: Finding) -> bool:
    """Whether a finding is such a request."""
    return finding.slot.startswith(_SLOT)


def names(slot: str) -> frozenset[str]:
    """The things that a request names; none where it counts as a whole."""
    return frozenset(slot.removeprefix(_NAMES).split(", ")) if slot.startswith(_NAMES) else frozenset()


def share(slot: str, other: str) -> bool:
    """Whether two requests ask for the same: word for word, or by a thing that both name."""
    return slot == other or not names(slot).isdisjoint(names(other))


def usual(findings: Iterable[Finding]) -> dict[str, Finding]:
    """The requests that were made often enough, on as many days, as they would stand; by the finding's id.

    A finding that names several such things stands for the one that the fewest before it stood for.
    """
    asked: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if is_request(finding) and finding.at:
            for slot in [_NAMES + name for name in sorted(names(finding.slot))] or [finding.slot]:
                asked[slot].append(finding)
    often = {slot: said for slot, said in asked.items() if _often(slot, said)}
    stood: defaultdict[str, int] = defaultdict(int)
    standing: dict[str, Finding] = {}
    for finding in dict.fromkeys(f for said in often.values() for f in said):
        slots = [slot for slot in often if finding in often[slot]]
        slot = min(slots, key=lambda one: (stood[one], one))
        stood[slot] += 1
        text = finding.text
        if slot.startswith(_NAMES):
            text = practices.wording([f.text for f in often[slot]], slot.removeprefix(_NAMES))
        standing[finding.id] = replace(finding, slot=slot, text=text)
    return standing


def _often(slot: str, said: list[Finding]) -> bool:
    sessions, days = {f.session_id for f in said}, {f.at.date() for f in said if f.at}
    if slot.startswith(_NAMES):
        return len({(f.session_id, f.turn_id) for f in said}) >= _MENTIONS and len(sessions) > 1 and len(days) > 1
    return len(sessions) >= SESSIONS and len(days) >= SESSIONS
