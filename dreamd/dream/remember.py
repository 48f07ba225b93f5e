"""What a person asks to be remembered: lines added by command, and lines that are to stay."""

from __future__ import annotations

from dataclasses import replace

from ulid import ULID

from dreamd.dream.explain import find
from dreamd.dream.orient import Orientation, look
from dreamd.dream.prune import prune
from dreamd.dream.revise import Desk, revision
from dreamd.dream.workshop import Workshop
from dreamd.errors import UsageError
from dreamd.memory.document import entry_key
from dreamd.memory.layout import topic_section
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason
from dreamd.memory.survey import Theirs
from dreamd.memory.wish import Wish
from dreamd.state.run_record import RunRecord, Trigger
from dreamd.state.runs import Conclusion

_LONGEST = 500  # characters: a line, not a letter


def add(shop: Workshop, text: str, *, project: str | None = None) -> RunRecord:
    """Adds a pinned line to MEMORY.md, or to a project's file; one that stands already is pinned.

    Raises UsageError for an empty, long or secret text, or an unknown project.
    """
    words = " ".join(text.split())
    if not words or len(words) > _LONGEST:
        raise UsageError(
            f"a line has 1 to {_LONGEST} characters", hint="longer notes: edit the memory files, they are yours"
        )
    if shop.redactor.has_secret(words):
        raise UsageError("this looks like a secret; it is not stored", hint="name where the secret is kept instead")
    target = shop.projects.find(project) if project else None
    with revision(shop, Trigger.ACCEPT) as desk:
        ground = _ground(shop)
        known = next((one for one in ground.survey.mine if one.block.key == entry_key(words)), None)
        if known is not None:
            return _pinned(shop, desk, ground, known.record.id)
        now = shop.clock.now()
        record = EntryRecord(
            id=str(ULID()),
            file=f"projects/{target.stem}.md" if target else "",
            section=topic_section("preference") if target else "",
            text=words,
            key=entry_key(words),
            kind="preference",
            scope="project" if target else "general",
            subject=target.stem if target else "",
            project_key=target.key if target else "",
            first_at=now,
            last_at=now,
            added_at=now,
            run_id=desk.record.id,
            pinned=True,
        )
        shop.withheld.release([record.key])
        wishes = [*(Wish(one) for one in ground.knowledge.records), Wish(record, ChangeKind.ADD, Reason.PINNED)]
        return _finish(shop, desk, ground, wishes, "added")


def pin(shop: Workshop, text: str) -> RunRecord:
    """Pins the remembered line that reads like `text`: it never goes stale and is the last to leave MEMORY.md.

    Raises UsageError where nothing reads like it, or where the line is the person's own (those stay anyway).
    """
    with revision(shop, Trigger.ACCEPT) as desk:
        ground = _ground(shop)
        line = find(ground.survey, text)
        if isinstance(line, Theirs):
            raise UsageError(f"{line.file}:{line.line} is your own line; it stays as long as you let it")
        return _pinned(shop, desk, ground, line.record.id)


def _pinned(shop: Workshop, desk: Desk, ground: Orientation, entry: str) -> RunRecord:
    wishes = [
        Wish(replace(one, pinned=True), ChangeKind.UPDATE, Reason.PINNED, one.text) if one.id == entry else Wish(one)
        for one in ground.knowledge.records
    ]
    return _finish(shop, desk, ground, wishes, "pinned")


def _finish(shop: Workshop, desk: Desk, ground: Orientation, wishes: list[Wish], reason: str) -> RunRecord:
    plan, made = prune(shop, ground, wishes, desk.record.id, aging=False)
    return desk.commit(ground.tree, ground.survey, plan, Conclusion(success=False), reason=reason, made=made)


def _ground(shop: Workshop) -> Orientation:
    tree, found, knowledge = look(shop)
    return Orientation(tree, found, knowledge, (), 0)
