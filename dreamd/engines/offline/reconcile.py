"""How the findings of one topic meet what memory holds: merged, in place of something older, new, or left."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dreamd.engines.offline import changes, habits, slots
from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.judge import reject
from dreamd.engines.offline.labels import apart, of_one_thing
from dreamd.engines.offline.overtaken import overtaken
from dreamd.engines.offline.renewals import adds, renewal, reversed_by
from dreamd.engines.offline.retold import NEAR, confirmed
from dreamd.engines.offline.retractions import RETRACTED
from dreamd.engines.offline.similar import Sense, likeness, opposed, same, sense, speaks_of, stem
from dreamd.engines.offline.verdict import KEEP, WEAK
from dreamd.engines.protocol import Act, Finding, Kind, KnownEntry, Proposal, Reconciliation, Topic
from dreamd.meaning import Meaning

_INSTEAD = rx(r"^(?:never|do not|don't|avoid) [^,;]+[,;] (?P<wanted>.+?) instead\.?$")
_RULES = (Kind.PREFERENCE, Kind.PROHIBITION, Kind.CONVENTION, Kind.CORRECTION)
_LONG_AGO = dt.datetime.min.replace(tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class _Standing:
    """A line that stands: an entry of memory, or what an earlier proposal of this list would add."""

    id: str
    text: str
    sense: Sense
    mine: bool
    slot: str
    value: str
    kind: Kind | None  # None: a person's line
    at: dt.datetime
    known: bool  # in memory already; False: added by this list


def reconcile(
    _topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding], meaning: Meaning | None = None
) -> Reconciliation:
    """Proposals for the findings, oldest first; the same input always gives the same list."""
    standing = [_from_entry(e) for e in entries]
    proposals: list[Proposal] = []
    for finding in _repeated(sorted(findings, key=lambda f: (f.at or _LONG_AGO, f.session_id, f.offset, f.id))):
        proposal = _decide(finding, standing, meaning)
        proposals.append(proposal)
        _take_in(finding, proposal, standing)
    return Reconciliation(tuple(proposals))


def _from_entry(entry: KnownEntry) -> _Standing:
    slot, value = entry.slot, entry.value
    if (
        not slot and entry.kind is None and (found := slots.find(entry.text))
    ):  # a person's line bears no slot of its own
        slot, value = found.name, found.value
    return _Standing(
        entry.id,
        entry.text,
        sense(entry.text),
        entry.mine,
        slot,
        value,
        entry.kind,
        entry.last_at or _LONG_AGO,
        known=True,
    )


def _repeated(findings: list[Finding]) -> list[Finding]:
    """Weak findings gain their right to stand by being said again in another session, requests by becoming a habit."""
    usual = habits.usual(findings)
    by_word: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for word in sense(finding.text).words:
            by_word[word].append(finding)
    raised: list[Finding] = []
    for finding in findings:
        if finding.weight >= WEAK or finding.weight == changes.WEIGHT:
            raised.append(finding)
        elif habits.is_request(finding):
            raised.append(replace(usual[finding.id], weight=KEEP) if finding.id in usual else finding)
        else:
            raised.append(replace(finding, weight=KEEP) if _said_again(finding, by_word) else finding)
    return raised


def _said_again(finding: Finding, by_word: Mapping[str, list[Finding]]) -> bool:
    """Whether another session says the same.

    Lines that say the same share all words of the shorter one, so those are enough that share one besides the commonest.
    """
    own = sense(finding.text)
    rare = sorted(own.words, key=lambda word: (len(by_word[word]), word))
    return any(
        other.session_id != finding.session_id and not habits.is_request(other) and same(own, sense(other.text))
        for word in rare[: max(1, len(rare) - 1)]
        for other in by_word[word]
    )


def _decide(finding: Finding, standing: list[_Standing], meaning: Meaning | None) -> Proposal:
    own = sense(finding.text)
    if reject(finding.text):
        return _drop(finding, "junk")
    if finding.slot == RETRACTED:
        return _retract(finding, standing)
    near = _near(finding, own, standing)
    twin = _twin(finding, own, near)
    if twin:
        return _meet_twin(finding, twin)
    rival = _rival(finding, own, near)
    if rival:
        return _meet_rival(finding, rival)
    return _meet_nothing(finding, standing, meaning)


def _meet_nothing(finding: Finding, standing: list[_Standing], meaning: Meaning | None) -> Proposal:
    """No line is the same or contradicts by its words; one may still say it in others."""
    if finding.weight < WEAK:
        return _drop(finding, "weak")
    again = _retold(finding, standing, meaning) if meaning else None
    if again:
        return _meet_twin(finding, again)
    return Proposal(Act.ADD, (finding.id,), text=finding.text if habits.is_request(finding) else "", reason="new")


def _retold(finding: Finding, standing: list[_Standing], meaning: Meaning) -> _Standing | None:
    """The rule that says the same in other words: the nearest that no rule speaks against. What has a slot is judged by its value."""
    if finding.kind not in _RULES or finding.slot:
        return None
    lines = [line for line in standing if line.kind in (None, *_RULES) and not line.slot]
    near = zip(meaning.nearness(finding.text, [line.text for line in lines]), lines, strict=True)
    for nearness, line in sorted(near, key=lambda pair: -pair[0]):
        if nearness < NEAR:
            return None
        if confirmed(finding.text, line.text):
            return line
    return None


def _near(finding: Finding, own: Sense, standing: list[_Standing]) -> list[_Standing]:
    """The lines that share a word or the slot: no other can be the same or contradict; most are left out cheaply. None of another step or stage is."""
    return [
        line
        for line in standing
        if (
            not own.touches.isdisjoint(line.sense.touches)
            or slots.agree(finding.slot, finding.value, line.slot, line.value) is not None
            or (finding.slot and (habits.share(finding.slot, line.slot)))
            or own.normal == line.sense.normal
        )
        and not apart(finding.text, line.text)
    ]


def _drop(finding: Finding, reason: str) -> Proposal:
    return Proposal(Act.DROP, (finding.id,), reason=reason)


def _twin(finding: Finding, own: Sense, standing: list[_Standing]) -> _Standing | None:
    """The line that says the same; the most alike, then the first."""
    alike = [s for s in standing if _is_twin(finding, own, s)]
    return max(alike, key=lambda s: likeness(own, s.sense), default=None)


def _is_twin(finding: Finding, own: Sense, line: _Standing) -> bool:
    if changes.speaks_against(finding.quote, line.text) or not of_one_thing(finding.text, line.text):
        return False
    if habits.is_request(finding) and habits.share(finding.slot, line.slot):
        return True
    if finding.slot and line.slot:
        agree = slots.agree(finding.slot, finding.value, line.slot, line.value)
        return own.normal == line.sense.normal if agree is None else agree
    return same(own, line.sense) or _asks_for(finding.text, line.sense) or _asks_for(line.text, own)


def _asks_for(text: str, other: Sense) -> bool:
    """Whether a line of the form "never X, do Y instead" asks for what the other line asks for."""
    asked = _INSTEAD.match(text)
    if asked is None or other.negative:
        return False
    wanted = sense(asked["wanted"])
    return wanted.words == other.words and wanted.distinct == other.distinct and wanted.order == other.order


def _meet_twin(finding: Finding, twin: _Standing) -> Proposal:
    if not twin.mine:
        return _drop(finding, "duplicate")
    if twin.known and twin.at >= (finding.at or _LONG_AGO):
        return _drop(finding, "duplicate")
    return Proposal(Act.MERGE, (finding.id,), entry_id=twin.id, reason="repeated")


def _rival(finding: Finding, own: Sense, standing: list[_Standing]) -> _Standing | None:
    """The line that cannot hold beside the finding: another value of its slot, its opposite, or what it ends."""
    for line in standing:
        differ = slots.agree(finding.slot, finding.value, line.slot, line.value) is False
        if differ and of_one_thing(finding.text, line.text) and not (adds(finding.quote) and line.mine):
            return line
        if not (finding.slot and line.slot) and (opposed(own, line.sense) or reversed_by(finding.text, line.text)):
            return line
        if (finding.at or _LONG_AGO) < line.at:
            if _changed_since(finding, own, line):
                return line
        elif _ended(finding, own, line):
            return line
    return None


def _ended(finding: Finding, own: Sense, line: _Standing) -> bool:
    """Whether a newer finding ends an older line, or says it anew with another value."""
    if line.mine and changes.renamed_in(finding.quote, line.text):
        return True
    if _ends(finding, own, line) or changes.ended_by(
        _told(finding), finding.slot, line.text, line.slot, negative=line.sense.negative
    ):
        return True
    if habits.is_request(finding):
        return False
    if line.mine and not line.sense.negative and not own.negative and overtaken(finding.quote, line.text):
        return True
    return renewal(finding.text, finding.quote, line.text) is not None


def _changed_since(finding: Finding, own: Sense, line: _Standing) -> bool:
    """The same the other way about: a session that is read late says what a newer line has ended."""
    if changes.ended_by(line.text, line.slot, finding.text, finding.slot, negative=own.negative):
        return True
    if habits.is_request(finding):
        return False
    if not line.sense.negative and not own.negative and overtaken(line.text, finding.text):
        return True
    return renewal(line.text, line.text, finding.text) is not None


def _told(finding: Finding) -> str:
    """The person's own words where they say of themselves that something changed; else the line made of them."""
    return finding.quote if changes.gone(finding.quote) and not changes.gone(finding.text) else finding.text


def _ends(finding: Finding, own: Sense, line: _Standing) -> bool:
    """Whether "no longer use prek" or "docker was replaced by podman" ends a line whose own subject that is."""
    if not own.rejected or line.sense.negative:
        return False
    gone = {w for w in own.rejected if w not in {"use", "need", "support", "ship"}}
    if line.value and {stem(line.value.lower())} & gone:
        return True
    return (
        bool(gone)
        and speaks_of(line.sense, gone)
        and len(line.sense.words) <= len(gone) + 2
        and "no longer" in finding.text.lower()
    )


def _meet_rival(finding: Finding, rival: _Standing) -> Proposal:
    if (finding.at or _LONG_AGO) < rival.at:
        return _drop(finding, "contradicted")
    if finding.weight < WEAK and not (rival.mine and changes.tells(finding.quote)):
        return _drop(finding, "weak")
    if not rival.mine:
        return Proposal(Act.ADD, (finding.id,), entry_id=rival.id, reason="contradicted")
    return Proposal(
        Act.SUPERSEDE, (finding.id,), entry_id=rival.id, text=_carried(finding, rival), reason="newer_value"
    )


def _carried(finding: Finding, rival: _Standing) -> str:
    """The older line with its value renewed where it says more than this one value, so that the rest of it is not lost."""
    renamed = changes.renamed_in(finding.quote, rival.text)
    if renamed:
        return renamed
    old, new = rival.value, finding.value
    if not old or finding.slot != rival.slot or rival.text.count(old) != 1:
        return ""
    others = rival.sense.distinct - sense(finding.text).distinct - {old.lower()}
    return rival.text.replace(old, new) if others and len(rival.sense.distinct) > 1 and new not in rival.text else ""


def _retract(finding: Finding, standing: list[_Standing]) -> Proposal:
    """A wish like "forget what I said about X" ends the newest line that is about X; without one there is nothing to say."""
    meant = sense(finding.value)
    things = meant.words | meant.distinct
    about = [s for s in standing if s.mine and speaks_of(s.sense, things)]
    if not about:
        return _drop(finding, "weak")
    return Proposal(Act.SUPERSEDE, (finding.id,), entry_id=max(about, key=lambda s: s.at).id, reason="contradicted")


def _take_in(finding: Finding, proposal: Proposal, standing: list[_Standing]) -> None:
    """What later findings of the same list meet."""
    at = finding.at or _LONG_AGO
    if proposal.act is Act.ADD:
        standing.append(
            _Standing(
                finding.id,
                finding.text,
                sense(finding.text),
                True,
                finding.slot,
                finding.value,
                finding.kind,
                at,
                known=False,
            )
        )
    elif proposal.act in (Act.MERGE, Act.SUPERSEDE):
        i = next(n for n, s in enumerate(standing) if s.id == proposal.entry_id)
        old = standing[i]
        if proposal.act is Act.SUPERSEDE:
            text = proposal.text or finding.text
            standing[i] = _Standing(
                old.id, text, sense(text), True, finding.slot, finding.value, finding.kind, at, known=False
            )
        else:
            standing[i] = replace(
                old, at=max(at, old.at), slot=old.slot or finding.slot, value=old.value or finding.value
            )
