"""Made-up conversations in LoCoMo's format, with questions about them: `python benchmarks/made_up_talk.py FILE`.

Two people, many sessions, facts among small talk.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PEOPLE = ["Ada", "Bruno", "Chiara", "Dmitri", "Esther", "Farid", "Greta", "Hiro", "Ines", "Jonas"]
#: What happened, as it is said and as it is asked for: some words are the same, some are not.
EVENTS = [
    ("I finally signed up for the {thing} course at the community college", "When did {who} enrol in a {thing} class?"),
    ("My sister gave me a {thing} for my birthday, I was so touched", "What present did {who} get from her sister?"),
    (
        "Last weekend we drove up to {place} with the kids and stayed in a cabin",
        "Where did {who} go with the children?",
    ),
    ("The doctor says my {part} needs six weeks of rest", "What is wrong with {who}'s health?"),
    ("I got the job at the {work}, I start on Monday", "Where has {who} started working?"),
    ("We adopted a {pet} called {name} from the shelter", "What pet did {who} adopt?"),
    ("I have been learning the {thing} since spring, it calms me down", "What does {who} do to relax?"),
    ("They cancelled our trip to {place} because of the storm", "Why could {who} not travel to {place}?"),
    ("I read {book} twice and still think about the ending", "Which book made an impression on {who}?"),
    ("My neighbour from {place} taught me to bake {food}", "Who showed {who} how to make {food}?"),
    ("I ran the half marathon in {place} under two hours", "How fast did {who} finish the race in {place}?"),
    ("The landlord wants us out, so we are moving to {place}", "Why is {who} moving?"),
]
FILLS = {
    "thing": [
        "pottery",
        "violin",
        "watercolour",
        "beekeeping",
        "fencing",
        "ceramics",
        "photography",
        "chess",
        "calligraphy",
        "saxophone",
    ],
    "place": [
        "Lisbon",
        "Tromsø",
        "Kyoto",
        "Galway",
        "Oaxaca",
        "Trieste",
        "Ljubljana",
        "Cusco",
        "Tbilisi",
        "Valparaíso",
    ],
    "part": ["knee", "shoulder", "wrist", "back", "ankle", "jaw"],
    "work": ["bakery", "observatory", "museum", "shipyard", "library", "brewery", "nursery", "archive"],
    "pet": ["greyhound", "parrot", "tortoise", "kitten", "rabbit", "ferret"],
    "name": ["Biscuit", "Pepper", "Olive", "Figaro", "Mochi", "Juniper"],
    "book": ["Middlemarch", "The Leopard", "Solaris", "Beloved", "The Master and Margarita", "Persuasion"],
    "food": ["sourdough", "baklava", "pierogi", "empanadas", "focaccia", "mochi"],
}
SMALL = [
    "That sounds wonderful, {other}! How did it feel?",
    "I know what you mean, it has been a busy week here too.",
    "Thanks, {other}, that means a lot to me.",
    "Wow, I had no idea. Tell me more about it!",
    "It was raining all day, so we mostly stayed in and played games.",
    "Honestly I am a little tired, but in a good way.",
    "Good to hear from you, {other}. What have you been up to?",
    "Take care of yourself and talk soon!",
    "My family says hello, by the way.",
    "I should try that some time, it looks like so much fun.",
]
REPLIES = [
    "It took a while, but it was worth it.",
    "Yes, since {month}.",
    "Mostly because of the children.",
    "{name2} helped.",
]


@dataclass
class Talk:
    """A conversation as it grows."""

    rand: random.Random
    a: str
    b: str
    sample: dict[str, Any]
    told: set[tuple[str, str]] = field(default_factory=set)  # who told what: nothing happens to anybody twice

    def session(self, number: int, at: dt.datetime) -> None:
        """One more meeting, with the questions about it."""
        turns: list[dict[str, str]] = []
        self.sample["conversation"][f"session_{number}_date_time"] = at.strftime("%I:%M %p on %d %B, %Y").lower()
        self.sample["conversation"][f"session_{number}"] = turns
        for _ in range(self.rand.randint(3, 5)):
            who, other = self.rand.sample([self.a, self.b], 2)
            for _ in range(self.rand.randint(1, 2)):
                self._say(turns, number, other, self.rand.choice(SMALL).format(other=who))
            told, asked = self.rand.choice(EVENTS)
            if (who, told) in self.told:
                continue
            self.told.add((who, told))
            fills = {name: self.rand.choice(values) for name, values in FILLS.items()}
            place = self._say(turns, number, who, told.format(**fills) + self.rand.choice([".", "!", ", you know."]))
            self._ask(asked.format(who=who, **fills), [place])
            self._say(turns, number, other, f"Really, {who}? When did that start, and who helped you with it?")
            reply = self.rand.choice(REPLIES).format(month=f"{at:%B}", name2=self.rand.choice(PEOPLE))
            answer = self._say(turns, number, who, reply)
            if self.rand.random() < 0.3:
                self._ask(f"What did {who} say when asked about it: {asked.format(who=who, **fills)}", [answer])

    def _say(self, turns: list[dict[str, str]], number: int, who: str, text: str) -> str:
        place = f"D{number}:{len(turns) + 1}"
        turns.append({"speaker": who, "dia_id": place, "text": text})
        return place

    def _ask(self, question: str, evidence: list[str]) -> None:
        category = 2 if question.startswith("When") else 4
        self.sample["qa"].append({"question": question, "answer": "", "evidence": evidence, "category": category})


def conversations(count: int = 4, sessions: int = 20, seed: int = 5) -> list[dict[str, Any]]:
    """The same ones at every call."""
    rand = random.Random(seed)
    made = []
    for number in range(count):
        a, b = rand.sample(PEOPLE, 2)
        talk = Talk(
            rand, a, b, {"sample_id": f"talk-{number}", "conversation": {"speaker_a": a, "speaker_b": b}, "qa": []}
        )
        for session in range(1, sessions + 1):
            talk.session(
                session, dt.datetime(2026, 1, 3, 10, tzinfo=dt.UTC) + dt.timedelta(days=9 * session, hours=session % 7)
            )
        made.append(talk.sample)
    return made


def main() -> None:
    """Writes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    given.file.write_text(json.dumps(conversations(), ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
