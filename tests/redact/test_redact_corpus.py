"""Planted secrets and look-alikes, put together at run time: what is found, what stays."""

import itertools
import random
import string
import uuid
from collections.abc import Iterator

from dreamd.redact.redactor import Redactor

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
RANDOM = random.Random(20261130)


def some(alphabet: str, length: int) -> str:
    """Random characters with a digit, a small and a capital letter among the first ones where the alphabet has them."""
    text = "".join(RANDOM.choice(alphabet) for _ in range(length))
    lead = "".join(c for c in "a7Q" if c in alphabet)
    return (lead + text)[:length]


def vendor_tokens() -> list[str]:
    """One token in the format of each vendor."""
    a = ALNUM
    return [
        "gh" + "p_" + some(a, 36),
        "gh" + "o_" + some(a, 36),
        "gh" + "s_" + some(a, 36),
        "github" + "_pat_" + some(a, 22) + "_" + some(a, 59),
        "gl" + "pat-" + some(a, 20),
        "gl" + "rt-" + some(a, 20),
        "xo" + "xb-" + some("1234567890", 12) + "-" + some(a, 24),
        "xo" + "xp-" + some("1234567890", 12) + "-" + some("1234567890", 12) + "-" + some(HEX, 32),
        "xa"
        "pp-1-A" + some(string.ascii_uppercase + "0123456789", 10) + "-" + some("1234567890", 12) + "-" + some(HEX, 64),
        "sk" + "_live_" + some(a, 24),
        "rk" + "_test_" + some(a, 24),
        "wh" + "sec_" + some(a, 32),
        "np" + "m_" + some(a, 36),
        "py" + "pi-AgEIcHlwaS5vcmc" + some(a + "-_", 70),
        "hf" + "_" + some(a, 34),
        "sk" + "-" + some(a, 48),
        "sk" + "-proj-" + some(a + "-_", 74),
        "sk" + "-ant-api03-" + some(a + "-_", 95),
        "sk" + "-or-v1-" + some(HEX, 64),
        "AI" + "za" + some(a + "-_", 35),
        "ya" + "29." + some(a + "-_", 60),
        "GOC" + "SPX-" + some(a, 28),
        some("123456789", 9) + ":A" + "A" + some(a + "-_", 33),
        "MT" + some(a, 22) + "." + "G" + some(a, 5) + "." + some(a + "_", 38),
        "S" + "G." + some(a, 22) + "." + some(a, 43),
        "S" + "K" + some(HEX, 32),
        "AK" + "IA" + some(string.ascii_uppercase + "234567", 16),
        "AS" + "IA" + some(string.ascii_uppercase + "234567", 16),
        "ey" + "J" + some(a, 30) + ".ey" + "J" + some(a, 80) + "." + some(a + "-_", 43),
        "do" + "p_v1_" + some(HEX, 64),
        "sh" + "pat_" + some(HEX, 32),
        "sq" + "0atp-" + some(a, 22),
        "key" + "-" + some(HEX, 32),
        some(HEX, 32) + "-u" + "s12",
        "da" + "pi" + some(HEX, 32),
        "NR" + "AK-" + some(string.ascii_uppercase + "0123456789", 27),
        "gl" + "sa_" + some(a, 32) + "_" + some(HEX, 8),
        "hv" + "s." + some(a, 90),
        some(a, 14) + ".atl" + "asv1." + some(a, 64),
        "dp" + ".pt." + some(a, 43),
        "lin" + "_api_" + some(a, 40),
        "nt" + "n_" + some(a, 46),
        "pa" + "t" + some(a, 14) + "." + some(HEX, 64),
        "fi" + "gd_" + some(a + "-_", 40),
        "PM" + "AK-" + some(HEX, 24) + "-" + some(HEX, 34),
        "AT" + "ATT3xFfGF0" + some(a + "-_=", 180),
        "dck" + "r_pat_" + some(a + "-_", 27),
        "rubyg" + "ems_" + some(HEX, 48),
        "gs" + "k_" + some(a, 52),
        "xa" + "i-" + some(a, 80),
        "pp" + "lx-" + some(a, 48),
        "r8" + "_" + some(a, 37),
        "sb" + "p_" + some(HEX, 40),
        "psc" + "ale_tkn_" + some(a, 43),
        "nf" + "p_" + some(a, 36),
        "snt" + "ryu_" + some(HEX, 64),
        "pu" + "l-" + some(HEX, 40),
        "AGE-SEC" + "RET-KEY-1" + some(string.ascii_uppercase + "0123456789", 58),
        "xkey" + "sib-" + some(HEX, 64) + "-" + some(a, 16),
        "tsk" + "ey-auth-" + some(a, 17) + "-" + some(a, 32),
        "LT" + "AI" + some(a, 20),
        "ls" + "v2_pt_" + some(HEX, 32) + "_" + some(HEX, 10),
        some(a, 3) + "8Q" + "~" + some(a, 34),
        str(uuid.UUID(int=RANDOM.getrandbits(128))) + ":f" + "x",
    ]


TOKEN_PLACES = (
    "use {} for staging, please",
    "nothing before\n{}\nnothing after",
    '{{"out": "line one\\n{}\\nline two"}}',
    "curl -H 'X-Some: {}' https://example.com/x",
    "看这个 {}，谢谢",
)

NAMED_PLACES = (
    "DB_PASSWORD={}",
    "export APP_SECRET='{}'",
    "password: {}",
    '  client_secret: "{}"',
    '{{"password": "{}"}}',
    '{{\\"api_key\\": \\"{}\\"}}',
    "api_key = '{}'",
    "conn = connect(user='x', password='{}')",
    "tool --password {} --verbose",
    "tool --api-key={} run",
    "https://svc:{}@db.example.com/x",
    "Server=db;User Id=sa;Password={};Encrypt=true",
    "Authorization: Bearer {}",
    '"Authorization": "Basic {}"',
    "X-Api-Key: {}",
    "GET /v1?access_token={}&limit=1",
    "my password is {} since today",
    "密码：{}",
    "密钥是 {}",
    "<clientSecret>{}</clientSecret>",
    "sshpass -p '{}' ssh host",
    "curl -u admin:{} https://example.com",
    "CREATE USER app IDENTIFIED BY '{}';",
    "Cookie: session={}; theme=dark",
    "access_token%3D{}%26x%3D1",
)

LOOK_ALIKES = (
    "commit {sha}",
    "run id {uuid}",
    "request req_{id24} failed",
    "toolu_{id24} msg_{id24}",
    '"integrity": "sha512-{b64}=="',
    "sha256:{hex64}",
    "image@sha256:{hex64}",
    "etag: {md5}",
    "src/{word}/{word}_{number}.py:{number}",
    "https://example.com/{word}/{uuid}?page={number}",
    "http://localhost:{number}/{word}@v2",
    "max_tokens: {number}",
    "token = get_token({number})",
    "password = settings.{word}_password",
    "token: str = Field({number})",
    "api_key = os.environ['{WORD}_{number}']",
    "PASSWORD=${{{WORD}_{number}}}",
    "export TOKEN=$(cat /run/secrets/{word}{number})",
    "api_key: <your-key-{number}>",
    "the token count is {number}",
    "next_page_token: {id24}",
    "idempotency_key: {uuid}",
    "cache_key = '{word}-{number}-{md5}'",
    "public_key_id: {number}",
    "the password for {word} is stored in the vault, entry {number}",
    "git@github.com:{word}/{word}{number}.git",
    "task-{word}-{number}-{word}-{word}-{word}-{word}",
    "--- PASS: Test{Word}/{word}_{number} (0.00s)",
    "{number} keys, {number} tokens, secret sauce no. {number}",
    "auth: basic, version {number}.{number}.{number}",
)


def look_alikes() -> Iterator[str]:
    """Lines that hold what only resembles a secret."""
    words = [
        "billing",
        "orchard",
        "worker",
        "gateway",
        "report",
        "session",
        "ledger",
        "router",
        "parser",
        "widget",
        "planner",
    ]
    for place, _ in itertools.product(LOOK_ALIKES, range(11)):
        word = RANDOM.choice(words)
        yield place.format(
            sha=some(HEX, 40),
            uuid=uuid.UUID(int=RANDOM.getrandbits(128), version=4),
            id24=some(ALNUM, 24),
            b64=some(ALNUM + "+/", 86),
            hex64=some(HEX, 64),
            md5=some(HEX, 32),
            word=word,
            Word=word.title(),
            WORD=word.upper(),
            number=RANDOM.randrange(1, 65000),
        )


def planted() -> Iterator[tuple[str, str]]:
    """(text, the secret in it)."""
    for token, place in itertools.product(vendor_tokens(), TOKEN_PLACES):
        yield place.format(token), token
    for place, length in itertools.product(NAMED_PLACES, (10, 16, 24, 32)):
        value = "x7" + some(ALNUM, length)
        yield place.format(value), value


def test_nearly_every_planted_secret_is_found() -> None:
    """At least 300 secrets over vendors and syntaxes; not one is left."""
    redactor = Redactor()
    corpus = list(planted())
    missed = [text for text, secret in corpus if secret in redactor.redact(text).text]
    assert len(corpus) >= 300
    assert missed == [], f"{len(missed)} of {len(corpus)} left"


def test_look_alikes_stay_as_they_are() -> None:
    """At least 300 hashes, ids, paths, placeholders and lines of code."""
    redactor = Redactor()
    lines = list(look_alikes())
    changed = [redactor.redact(line).text for line in lines if redactor.has_secret(line)]
    assert len(lines) >= 300
    assert changed == [], f"{len(changed)} of {len(lines)} taken for secrets"


def test_redacting_a_redacted_corpus_changes_nothing() -> None:
    redactor = Redactor()
    whole = "\n".join(text for text, _ in planted())
    once = redactor.redact(whole)
    again = redactor.redact(once.text)
    assert again.text == once.text
    assert again.count == 0
    assert not redactor.has_secret(once.text)
