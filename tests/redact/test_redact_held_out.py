"""A second corpus, written as people and tools write and not from the rules: how much of it is found, how much is taken in vain."""

from __future__ import annotations

import base64
import itertools
import random
import string
import uuid
from collections.abc import Iterator

import pytest

from dreamd.redact.redactor import Redactor

RANDOM = random.Random(77)
ALNUM = string.ascii_letters + string.digits


def word(alphabet: str, length: int) -> str:
    """Random characters, a digit and both cases among them where the alphabet has them."""
    text = [RANDOM.choice(alphabet) for _ in range(length)]
    for at, char in zip(RANDOM.sample(range(length), 3), "q7Z", strict=True):
        text[at] = char if char in alphabet else text[at]
    return "".join(text)


#: How values of secrets look where no vendor has a say: generated keys, hashes as keys, passwords people make, base64.
VALUES = {
    "key": lambda: word(ALNUM, 32),
    "hex": lambda: word("0123456789abcdef", 40),
    "password": lambda: (
        RANDOM.choice(["Sommer", "harbour", "Xy", "tr0ut"])
        + word("23456789", 4)
        + RANDOM.choice(["!", "#", "$x", "%9"])
        + word(ALNUM, 4)
    ),
    "base64": lambda: base64.b64encode(RANDOM.randbytes(33)).decode(),
    "uuid": lambda: str(uuid.UUID(int=RANDOM.getrandbits(128), version=4)),
}

#: (text, kinds of value that stand there). As pasted into a prompt, printed by a tool, kept in a file.
PLACES = (
    ("here is my .env:\nNODE_ENV=test\nSTRIPE_SECRET_KEY={v}\nPORT=3000", "key hex base64"),
    ("JWT_SECRET={v}", "key hex password base64 uuid"),
    ("DATABASE_URL=postgres://app:{v}@10.0.0.4:5432/orders?sslmode=require", "key hex"),
    ("REDIS_URL=rediss://default:{v}@cache.internal:6380/0", "key hex"),
    ("mongodb+srv://reporting:{v}@cluster0.ab1cd.mongodb.net/prod", "key hex"),
    ("amqp://worker:{v}@mq:5672/%2f", "key hex"),
    ("the admin password is {v}, please do not put it into the repo", "key password hex"),
    ("password for the staging box: {v}", "key password hex uuid"),
    ("login with robin / password {v}", "key password"),
    ("pw: {v}", "key password"),
    ('passphrase = "{v}"', "key password base64"),
    ("kubectl create secret generic db --from-literal=password={v}", "key password hex"),
    ("apiVersion: v1\nkind: Secret\nstringData:\n  token: {v}\n", "key hex base64"),
    ("services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: {v}\n", "key password hex"),
    ("aws_secret_access_key = {v}", "key base64"),
    ("$ curl -s -H 'Authorization: Bearer {v}' https://api.example.com/v1/me", "key hex base64 uuid"),
    ("> GET /v1/me HTTP/1.1\n> Host: api.example.com\n> authorization: token {v}\n", "key hex"),
    ("headers = {{'X-API-Key': '{v}'}}", "key hex uuid base64"),
    ("fetch(url, {{ headers: {{ 'x-auth-token': \"{v}\" }} }})", "key hex uuid"),
    ("Set-Cookie: sid={v}; Path=/; HttpOnly", "key hex"),
    ("export GH_TOKEN={v}", "key hex"),
    ('os.environ["OPENWEATHER_API_KEY"] = "{v}"', "key hex"),
    ('const apiKey = "{v}";', "key hex uuid"),
    ('private static final String API_SECRET = "{v}";', "key hex base64"),
    ('<add key="ClientSecret" value="{v}" />', "key base64"),
    ('"private_key_id": "a", "client_secret": "{v}"', "key base64"),
    ("mysql -h db -u root -p{v} orders < dump.sql", "key password"),
    ("PGPASSWORD={v} psql -h db -U app", "key password hex"),
    ("docker login -u ci -p {v} registry.example.com", "key hex"),
    ("ssh deploy@box, sudo password: {v}", "key password"),
    ("webhook secret is {v}", "key hex"),
    ("Das Passwort lautet {v}", "key password"),
    ("mot de passe : {v}", "key password"),
    ("la contraseña es {v}", "key password"),
    ("пароль: {v}", "key password"),
    ("パスワードは {v} です", "key password"),
    ("数据库密码是{v}，别提交", "key password"),
    ("encryption_key: {v}", "key hex base64"),
    ("SECRET_KEY = 'django-insecure-{v}'", "key"),
    ("signing_secret={v}&team=T01", "key hex"),
    ("https://hooks.example.com/in?token={v}", "key hex uuid"),
    ("ftp://upload:{v}@files.example.com/in", "key hex"),
    ('smtp_pass: "{v}"', "key password"),
    ("basic auth is robin:{v}@intranet.example.com", "key"),
)

#: Lines of the same kinds of files and talk that hold no secret.
HARMLESS = (
    "commit {hex} (HEAD -> main)",
    "Merge: {hex7} {hex7}",
    "index {hex7}..{hex7} 100644",
    "session {uuid} was resumed",
    "trace_id={hex32} span_id={hex16}",
    "X-Request-Id: {uuid}",
    'ETag: W/"{hex32}"',
    "docker.io/library/redis@sha256:{hex64}",
    "sha256sum: {hex64}  dist/app.tar.gz",
    '"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.{n}.0.tgz", "integrity": "sha512-{b64}=="',
    "    --hash=sha256:{hex64}",
    "arn:aws:iam::1234567890{n2}:role/deployer",
    "i-{hex17} is running in eu-central-1{letter}",
    "vpc-{hex17} subnet-{hex17}",
    "Password must have at least {n} characters",
    "the password field is required (error {n})",
    "rotate the API key every {n} days",
    "we keep the token in 1Password, item {n}",
    "TOKEN_TTL_SECONDS={n}",
    "max_tokens={n}, temperature=0.2",
    "tokens: {n} in, {n} out",
    "secretName: app-tls-{n}",
    "passwordFile: /run/secrets/db_{n}",
    "PASSWORD_HASHERS has {n} entries",
    "api_key=YOUR_API_KEY_{n}",
    "export API_KEY=<paste your key {n} here>",
    "password: ********",
    "password: ${{DB_PASSWORD_{n}}}",
    "token = request.headers.get('X-Token-{n}')",
    "if not token: raise AuthError({n})",
    "def reset_password(user_id: int = {n}) -> None:",
    "SELECT password_hash FROM users WHERE id = {n}",
    "keyboard shortcut: ctrl+k ctrl+{n}",
    "the primary key of orders is (tenant, id), {n} rows",
    "foreign_key: orders.customer_id_{n}",
    "secrets.token_urlsafe({n})",
    "publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} robin@box",
    "-----BEGIN PUBLIC KEY-----\nMIIB{b60}\n-----END PUBLIC KEY-----",
    "open http://127.0.0.1:{n}/?view=tokens",
    "git clone https://github.com/robin/token-{n}.git",
    "ssh://git@git.example.com:{n}/robin/secrets.git",
    "test_password_reset_{n} PASSED",
    "auth: oauth2, flow {n}",
    "密码错误，第{n}次",
    "パスワードを変更する ({n})",
    "le mot de passe doit avoir {n} caractères",
    "cookie consent v{n}",
    "Bearer tokens expire after {n} minutes",
    "uid={n}(robin) gid={n}(staff)",
    "0x{hex40} deployed at block {n}",
)


def held_out() -> Iterator[tuple[str, str]]:
    """(text, the secret in it), three of each value in each place."""
    for (place, kinds), _ in itertools.product(PLACES, range(3)):
        for kind in kinds.split():
            value = VALUES[kind]()
            yield place.format(v=value), value


def harmless() -> Iterator[str]:
    """Seven of each line."""
    hexes = "0123456789abcdef"
    for line, _ in itertools.product(HARMLESS, range(7)):
        sizes = {f"hex{size}": word(hexes, size) for size in (7, 16, 17, 32, 40, 64)}
        based = {f"b{size}": word(ALNUM + "+/", size) for size in (43, 60, 64)}
        yield line.format(
            hex=word(hexes, 40),
            uuid=uuid.UUID(int=RANDOM.getrandbits(128), version=4),
            b64=word(ALNUM + "+/", 86),
            n=RANDOM.randrange(3, 65000),
            n2=RANDOM.randrange(10, 99),
            letter=RANDOM.choice("abc"),
            **sizes,
            **{key: value for key, value in based.items() if key != "b64"},
        )


def test_of_the_held_out_corpus_nearly_all_is_found_and_hardly_anything_taken_in_vain(
    capsys: pytest.CaptureFixture[str],
) -> None:
    redactor = Redactor()
    planted, lines = list(held_out()), list(harmless())
    missed = [text for text, secret in planted if secret in redactor.redact(text).text]
    taken = [redactor.redact(line).text for line in lines if redactor.has_secret(line)]
    recall, vain = 1 - len(missed) / len(planted), len(taken) / len(lines)
    with capsys.disabled():
        print(  # noqa: T201 - the figures are what it is for
            f"\nheld-out secrets: {len(planted)}, recall {recall:.3f}; look-alikes: {len(lines)}, taken in vain {vain:.3f}"
        )
    assert len(planted) >= 300
    assert len(lines) >= 300
    assert recall >= 0.98, missed[:20]
    assert vain <= 0.01, taken[:20]
