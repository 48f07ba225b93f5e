"""Relative dates become the day they meant, from the day on which they were said."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.engines.offline.cues import Cues
from dreamd.engines.offline.dates import is_relative, resolve
from dreamd.engines.offline.languages.detect import ALL, language_of
from engines.typed import lines, read, turn


def language(text: str) -> Cues:
    found = language_of(text)
    assert found is not None
    return found


MONDAY = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("said", "meant", "day"),
    [
        ("yesterday we froze the API", "on 2026-03-01 we froze the API", "2026-03-01"),
        ("we froze it the day before yesterday", "we froze it on 2026-02-28", "2026-02-28"),
        ("the freeze starts tomorrow", "the freeze starts on 2026-03-03", "2026-03-03"),
        ("tagged 4.1 just now", "tagged 4.1 on 2026-03-02", "2026-03-02"),
        ("we moved two days ago", "we moved on 2026-02-28", "2026-02-28"),
        ("we moved 3 weeks ago", "we moved on 2026-02-09", "2026-02-09"),
        ("we moved last night", "we moved on 2026-03-01", "2026-03-01"),
        ("the demo is this Friday", "the demo is on 2026-03-06", "2026-03-06"),
        ("we met last Friday", "we met on 2026-02-27", "2026-02-27"),
        ("the audit is next Friday", "the audit is on 2026-03-13 (or 2026-03-06, ambiguous)", "2026-03-13"),
        ("the review is on Thursday", "the review is on 2026-03-05", "2026-03-05"),
        ("we agreed on Thursday", "we agreed on 2026-02-26", "2026-02-26"),
        ("it must be renewed by April 5th", "it must be renewed by 2026-04-05", "2026-04-05"),
        ("since yesterday we ship wheels", "since 2026-03-01 we ship wheels", "2026-03-01"),
        ("we switch in 3 weeks", "we switch on 2026-03-23", "2026-03-23"),
        ("昨天我们冻结了接口", "2026-03-01 我们冻结了接口", "2026-03-01"),
        ("两天前我们换成了 arq", "2026-02-28 我们换成了 arq", "2026-02-28"),
        ("审计定在下周五", "审计定在 2026-03-13", "2026-03-13"),
        ("上周三发布了 2.7", "2026-02-25 发布了 2.7", "2026-02-25"),
        ("3月15日上线", "2026-03-15 上线", "2026-03-15"),
    ],
)
def test_a_day_is_resolved_from_the_day_it_was_said(said: str, meant: str, day: str) -> None:
    dated = resolve(said, MONDAY, language(said))
    assert dated.text == meant
    assert dated.happened == dt.date.fromisoformat(day)
    assert not dated.vague


def test_spans_keep_their_width() -> None:
    assert (
        resolve("we moved last week", MONDAY, language("we moved last week")).text
        == "we moved in the week of 2026-02-23"
    )
    assert resolve("we moved last month", MONDAY, language("we moved last month")).text == "we moved in 2026-02"
    assert resolve("we drop it next year", MONDAY, language("we drop it next year")).text == "we drop it in 2027"


def test_next_monday_said_on_a_saturday_is_not_ambiguous() -> None:
    saturday = dt.datetime(2026, 3, 7, 9, 0, tzinfo=dt.UTC)
    assert (
        resolve("the audit is next Monday", saturday, language("the audit is next Monday")).text
        == "the audit is on 2026-03-09"
    )


def test_the_small_hours_belong_to_the_night_before_only_for_yesterday() -> None:
    late = dt.datetime(2026, 3, 2, 1, 30, tzinfo=dt.UTC)
    assert resolve("we moved last night", late, language("we moved last night")).happened == dt.date(2026, 3, 2)
    assert resolve("we moved yesterday", late, language("we moved yesterday")).happened == dt.date(2026, 3, 1)


IN_EIGHT_LANGUAGES = {
    "en": [
        ("we moved yesterday", "we moved on 2026-03-01"),
        ("we met last Tuesday", "we met on 2026-02-24"),
        ("we moved three days ago", "we moved on 2026-02-27"),
        ("the audit is next week", "the audit is in the week of 2026-03-09"),
        ("the freeze starts in two weeks", "the freeze starts on 2026-03-16"),
        ("we ship on 15 March", "we ship on 2026-03-15"),
        ("we froze it six months back", "we froze it in 2025-09"),
        ("the review is a week from now", "the review is on 2026-03-09"),
        ("we froze it since thurs", "we froze it since 2026-02-26"),
    ],
    "zh": [
        ("我们昨天换成了 arq", "我们 2026-03-01 换成了 arq"),
        ("我们上周二换成了 arq", "我们 2026-02-24 换成了 arq"),
        ("三天前换成了 arq", "2026-02-27 换成了 arq"),
        ("审计定在下周", "审计定在 2026-03-09 那一周"),
        ("两个星期后冻结接口", "2026-03-16 冻结接口"),
        ("3月15号上线", "2026-03-15 上线"),
        ("12月31日上线", "2025-12-31 上线"),
        ("审计在礼拜五截止", "审计在 2026-03-06 截止"),
        ("上上周三发布了 2.7", "2026-02-18 发布了 2.7"),
    ],
    "ru": [
        ("Вчера мы перешли на arq", "2026-03-01 мы перешли на arq"),
        ("Мы перешли на arq в прошлый вторник", "Мы перешли на arq 2026-02-24"),
        ("Три дня назад мы перешли на arq", "2026-02-27 мы перешли на arq"),
        ("Аудит на следующей неделе", "Аудит на неделе с 2026-03-09"),
        ("Аудит через две недели", "Аудит 2026-03-16"),
        ("Релиз 15-го марта 2026 года", "Релиз 2026-03-15"),
        ("Релиз запланирован в пятницу", "Релиз запланирован 2026-03-06"),
        ("Полгода назад мы перешли на arq", "в 2025-09 мы перешли на arq"),
    ],
    "ja": [
        ("昨日 arq に移行した", "2026-03-01 arq に移行した"),
        ("先週の火曜日に移行した", "2026-02-24 に移行した"),
        ("三日前に移行した", "2026-02-27 に移行した"),
        ("監査は来週です", "監査は 2026-03-09 の週 です"),
        ("二週間後に凍結する", "2026-03-16 に凍結する"),
        ("3月15日に公開", "2026-03-15 に公開"),
        ("おととい移行した", "2026-02-28 移行した"),
    ],
    "ko": [
        ("어제 arq로 옮겼다", "2026-03-01 arq로 옮겼다"),
        ("지난주 화요일에 옮겼다", "2026-02-24 에 옮겼다"),
        ("사흘 전에 옮겼다", "2026-02-27 에 옮겼다"),
        ("감사는 다음 주입니다", "감사는 2026-03-09 주 입니다"),
        ("2주 뒤에 동결할 예정", "2026-03-16 에 동결할 예정"),
        ("3월 15일에 공개", "2026-03-15 에 공개"),
        ("그저께 옮겼다", "2026-02-28 옮겼다"),
    ],
    "de": [
        ("Wir sind gestern umgestiegen", "Wir sind am 2026-03-01 umgestiegen"),
        ("Wir haben letzten Dienstag gewechselt", "Wir haben am 2026-02-24 gewechselt"),
        ("Wir haben vor drei Tagen gewechselt", "Wir haben am 2026-02-27 gewechselt"),
        ("Das Audit ist nächste Woche", "Das Audit ist in der Woche vom 2026-03-09"),
        ("Der Freeze beginnt in zwei Wochen", "Der Freeze beginnt am 2026-03-16"),
        ("Der Release ist am 15. März", "Der Release ist am 2026-03-15"),
        ("Seit gestern nutzen wir uv", "seit 2026-03-01 nutzen wir uv"),
        ("Seit letzter Woche nutzen wir uv", "seit der Woche vom 2026-02-23 nutzen wir uv"),
        ("Die Demo ist am Freitag fällig", "Die Demo ist am 2026-03-06 fällig"),
        ("Wir wechseln morgen Abend", "Wir wechseln am 2026-03-03"),
    ],
    "es": [
        ("Ayer cambiamos a arq", "el 2026-03-01 cambiamos a arq"),
        ("Cambiamos a arq el martes pasado", "Cambiamos a arq el 2026-02-24"),
        ("Hace tres días cambiamos a arq", "el 2026-02-27 cambiamos a arq"),
        ("La auditoría es la próxima semana", "La auditoría es en la semana del 2026-03-09"),
        ("El congelamiento empieza dentro de dos semanas", "El congelamiento empieza el 2026-03-16"),
        ("El lanzamiento es el 15 de marzo", "El lanzamiento es el 2026-03-15"),
        ("La demo es pasado mañana", "La demo es el 2026-03-04"),
        ("El certificado vence el viernes", "El certificado vence el 2026-03-06"),
    ],
    "fr": [
        ("Hier on est passés à arq", "le 2026-03-01 on est passés à arq"),
        ("On est passés à arq mardi dernier", "On est passés à arq le 2026-02-24"),
        ("Il y a trois jours on a changé", "le 2026-02-27 on a changé"),
        ("L'audit est la semaine prochaine", "L'audit est dans la semaine du 2026-03-09"),
        ("Le gel commence dans deux semaines", "Le gel commence le 2026-03-16"),
        ("La sortie est le 15 mars", "La sortie est le 2026-03-15"),
        ("On a changé le mois dernier", "On a changé en 2026-02"),
        ("Depuis hier on utilise uv", "depuis 2026-03-01 on utilise uv"),
    ],
}


@pytest.mark.parametrize(
    ("code", "said", "meant"), [(code, *pair) for code, pairs in IN_EIGHT_LANGUAGES.items() for pair in pairs]
)
def test_each_language_names_days_in_its_own_way(code: str, said: str, meant: str) -> None:
    (cues,) = [one for one in ALL if one.code == code]
    dated = resolve(said, MONDAY, cues)
    assert dated.text == meant
    assert not dated.vague


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "we release every Monday"),
        ("zh", "每周一发布"),
        ("zh", "周五不要部署"),
        ("ru", "Каждый понедельник релиз"),
        ("ru", "Не деплой в пятницу"),
        ("ja", "毎週月曜日にリリースする"),
        ("ko", "매주 월요일에 배포한다"),
        ("de", "Jeden Montag ist Release"),
        ("de", "Kein Deploy am Freitag"),
        ("de", "Am Morgen wird gebaut"),
        ("es", "Cada lunes hay release"),
        ("es", "Nunca despliegues el viernes"),
        ("es", "Las reuniones son por la mañana"),
        ("fr", "Chaque lundi on livre"),
        ("fr", "Jamais de déploiement le vendredi"),
        ("fr", "Pensez toujours au lendemain"),
    ],
)
def test_a_habit_is_no_date_in_any_language(code: str, said: str) -> None:
    (cues,) = [one for one in ALL if one.code == code]
    dated = resolve(said, MONDAY, cues)
    assert dated.text == said
    assert dated.happened is None


@pytest.mark.parametrize(
    "text",
    [
        "Neulich sind wir umgezogen",
        "Récemment on est passés à arq",
        "Недавно мы перешли на arq",
        "Hace poco decidimos cambiar la cola a arq",
        "最近 arq に移行した",
        "최근에 arq로 옮겼다",
    ],
)
def test_a_day_that_cannot_be_told_stays_vague(text: str) -> None:
    dated = resolve(text, MONDAY, language(text))
    assert dated.text == text
    assert dated.vague
    assert is_relative(text)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([(code, said) for code, pairs in IN_EIGHT_LANGUAGES.items() for said, _ in pairs]),
    st.dates(dt.date(2001, 1, 1), dt.date(2098, 12, 31)),
)
def test_whenever_it_was_said_what_is_made_absolute_stays_as_it_is(typed: tuple[str, str], day: dt.date) -> None:
    (cues,) = [one for one in ALL if one.code == typed[0]]
    said = dt.datetime.combine(day, dt.time(9), dt.UTC)
    dated = resolve(typed[1], said, cues)
    assert dated.changed
    again = resolve(dated.text, said + dt.timedelta(days=40), cues)
    assert again.text == dated.text


@pytest.mark.parametrize(
    "text",
    [
        "never deploy on Fridays",
        "never deploy on Friday",
        "answer as soon as you can",
        "`yesterday` is a key of the report",
    ],
)
def test_habits_and_code_are_not_dates(text: str) -> None:
    assert resolve(text, MONDAY, language(text)).text == text


@pytest.mark.parametrize(
    "text", ["recently we moved the docs to the wiki", "we switched the queue to arq a while ago", "最近我们换成了 arq"]
)
def test_a_sentence_whose_day_is_unknown_is_dropped(text: str) -> None:
    assert lines(text) == []
    assert is_relative(text)


def test_the_day_is_the_persons_own_not_utc() -> None:
    evening = turn("yesterday we froze the public API", at=dt.datetime(2026, 3, 2, 23, 30, tzinfo=dt.UTC))
    (found,) = read(evening, zone=dt.timezone(dt.timedelta(hours=2))).findings
    assert found.text == "On 2026-03-02 we froze the public API."
    assert found.happened == dt.date(2026, 3, 2)


def test_a_rule_with_a_day_in_it_is_a_task_of_that_day() -> None:
    assert lines("always use the staging key today") == []


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        (
            "Wir sind gestern von Redis auf Valkey umgestiegen.",
            "Wir sind am 2026-03-01 von Redis auf Valkey umgestiegen.",
        ),
        (
            "Gestern haben wir beschlossen, bei Postgres zu bleiben.",
            "Am 2026-03-01 haben wir beschlossen, bei Postgres zu bleiben.",
        ),
        ("Вчера мы перешли с SVN на Git.", "2026-03-01 мы перешли с SVN на Git."),
        ("昨日 Redis から Valkey に移行しました。", "2026-03-01 Redis から Valkey に移行しました。"),
        (
            "On a décidé mardi dernier de garder Postgres.",
            "On a décidé le 2026-02-24 de garder Postgres.",
        ),
        (
            "Decidimos ayer usar Postgres en producción.",
            "Decidimos el 2026-03-01 usar Postgres en producción.",
        ),
    ],
)
def test_a_decision_keeps_its_day_in_the_languages_read_by_cues(typed: str, line: str) -> None:
    (found,) = read(turn(typed, at=MONDAY)).findings
    assert found.text == line
    assert found.happened is not None
