"""A number, letter or stage that tells which thing is spoken of is a name: two such lines both hold."""

import pytest

from dreamd.engines.offline.labels import apart
from dreamd.engines.offline.renewals import renewal
from dreamd.engines.offline.similar import same, sense
from dreamd.engines.offline.slots import Slot, find
from engines.remembered import Remembered
from engines.typed import finding

TWO_THINGS = [
    ("In step 11 of mortar we always use plain words.", "In step 3 of mortar we always use plain words."),
    ("In step 11 of mortar we always use plain words.", "In step 3 of mortar we now use plain words."),
    ("Always use plain words in step 11.", "From now on always use plain words in step 3."),
    ("Test 5 of the parser is slow.", "Test 6 of the parser is slow now."),
    ("In chapter 2 the tone is formal.", "In chapter 4 the tone is formal."),
    ("The budget of phase 1 is 300 euros.", "The budget of phase 2 is 300 euros."),
    ("In the v1 api we keep snake case.", "In the v2 api we keep snake case."),
    ("In v1 we keep snake case.", "In v2 we now keep snake case."),
    ("The printers on floor 3 are blue.", "The printers on floor 4 are blue."),
    ("On the 3rd floor badges are needed.", "On the 4th floor badges are needed now."),
    ("In sprint 12 we only fix bugs.", "In sprint 13 we only fix bugs."),
    ("The retention of shard 2 is 30 days.", "The retention of shard 3 is 30 days."),
    ("Shard-2 of the index is read-only.", "Shard-3 of the index is read-only now."),
    ("The log level in shard-2 is debug.", "The log level in shard-3 is now debug."),
    ("For option B we keep Redis.", "For option A we keep Redis."),
    ("In option A we keep Redis.", "In option C we now keep Redis."),
    ("In production we use TLS.", "In staging we now use TLS."),
    ("The log level in production is debug.", "The log level in staging is now debug."),
    ("In src/app we use tabs.", "In src/lib we use tabs."),
    ("In phase II we measure twice.", "In phase III we measure twice."),
    ("In step two we measure twice.", "In step three we measure twice."),
    ("In Schritt 2 messen wir zweimal.", "In Schritt 3 messen wir jetzt zweimal."),
    ("Dans l'étape 2 on mesure deux fois.", "Dans l'étape 3 on mesure deux fois."),
    ("En el paso 2 medimos dos veces.", "En el paso 3 medimos dos veces."),
    ("На этапе 2 мы пишем просто.", "На этапе 3 мы теперь пишем просто."),
    ("在第3步我们用简单的话。", "在第5步我们现在用简单的话。"),
    ("在第三章我们写得简短。", "在第四章我们现在写得简短。"),
]
ONE_THING = [
    ("The demo is on floor 3.", "The demo is on floor 4 now."),
    ("The freeze starts in week 40.", "The freeze starts in week 42."),
    ("We go with option B.", "We go with option C now."),
    ("The release lands in sprint 12.", "The release lands in sprint 13."),
    ("Use plain words in step 3.", "Use plain words in step 5, not in step 3."),
    ("Use compression level 3.", "Use compression level 9 now."),
    ("The api runs on 3 replicas.", "The api runs on 5 replicas."),
    ("Keep backups for 14 days.", "Keep backups for 30 days."),
    ("Wait 30 seconds before a retry.", "Wait 60 seconds before a retry."),
    ("We use v1 of the payment api.", "We use v2 of the payment api now."),
    ("The preview is served from staging.", "The preview is served from production now."),
    ("会议室在第3层。", "会议室现在在第5层。"),
]


@pytest.mark.parametrize(("older", "newer"), TWO_THINGS)
def test_another_name_in_the_same_place_is_another_thing(older: str, newer: str) -> None:
    assert renewal(newer, newer, older) is None
    assert renewal(older, older, newer) is None
    assert not same(sense(older), sense(newer))


@pytest.mark.parametrize(("older", "newer"), ONE_THING)
def test_a_number_that_is_what_a_line_says_is_renewed(older: str, newer: str) -> None:
    assert renewal(newer, newer, older)
    assert not apart(older, newer) or "not in" in newer


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("always indent with tabs in phase 1", "always indent with spaces in phase 2"),
        ("always indent with tabs in phase 1", "always indent with tabs in phase 2"),
        ("always use pnpm, not npm, in step 3", "always use npm, not pnpm, in step 5"),
        ("always write short sentences in chapter 2", "never write short sentences in chapter 3"),
        ("we always pair on reviews in team A", "we always pair on reviews in team B"),
        ("always indent with tabs in the frontend", "always indent with spaces in the backend"),
        ("always use plain words in step 11", "always use plain words in step 3"),
        ("never deploy by hand in staging", "never deploy by hand in production"),
        ("always indent with tabs", "always indent with spaces in phase 2"),
        ("always indent with tabs in phase 2", "always indent with tabs"),
    ],
)
def test_what_holds_of_one_thing_neither_ends_nor_repeats_what_holds_of_another(first: str, later: str) -> None:
    memory = Remembered()
    for n, text in enumerate((first, later)):
        slot = find(text) or Slot("", "")
        memory.dream([finding(text, n=n, slot=slot.name, value=slot.value)])
    assert memory.lines() == [first, later]


def test_what_is_taken_back_of_one_option_stays_for_another() -> None:
    memory = Remembered()
    for n, text in enumerate(("For option A we keep Redis.", "For option B we keep Redis.")):
        memory.dream([finding(text, n=n)])
    memory.dream([finding("Forget option A.", n=3, slot="retracted", value="option A")])
    assert "For option B we keep Redis." in memory.lines()
    assert "For option A we keep Redis." not in memory.lines()
