"""Names that announce a secret, and whether the value beside such a name is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple


def _words(sentence: str) -> frozenset[str]:
    return frozenset(sentence.split())


#: Names that stand in running text without an edge, with their kind.
_SPOKEN = {
    "密码": "password", "口令": "password", "密钥": "token", "令牌": "token", "パスワード": "password", "비밀번호": "password",
    "пароль": "password", "contraseña": "password", "senha": "password", "mot de passe": "password", "seed phrase": "password",
}  # fmt: skip
#: What is looked for in lower-cased text; each leads to a name that `_telling` judges whole.
STEMS = ("pass", "pw", "secret", "token", "key", "credential", "auth", "mnemonic", *_SPOKEN)

_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "passwort", "pwd", "mnemonic")
_TOKENS = ("secret", "token", "credential", "credentials", "apikey", "accesskey", "secretkey", "privatekey", "authkey")
#: "key" alone names anything (cache keys, map keys); with one of these before it, it names a secret.
_KEY_OWNERS = _words(
    "api access secret private signing signature encryption encrypt master account storage service admin root app application client deploy "
    "subscription license host shared auth authorization session webhook jwt hmac aes ssh gpg pgp stripe openai anthropic claude gemini google "
    "aws azure gcp deepseek mistral groq cohere sendgrid twilio mailgun maps sentry datadog dd supabase cloudflare rest write ingest functions"
)
#: A name that goes on like this names something about the secret, not the secret.
_ABOUT = _words(
    "count counts type name names id ids url uri file files filename path paths dir len length limit limits max min budget ttl expiry expires expired "
    "expiration expire timeout endpoint index usage used policy policies field fields label prompt header headers param params size rate version regex "
    "pattern format placeholder ref refs hint help message error errors reset required valid validation validator manager provider store service "
    "strength rules rule hash hashed algorithm algo age rotation rotated env var variable source kind scope scopes input output text title description "
    "class method function handler parser reader per cost price estimate estimates window total totals cache cached level mode protected enabled disabled "
    "exists changed updated created at on by from set list array map dict object schema model table column row s ring chain code codes position positions "
    "generator factory builder bucket stream fingerprint salt iv alias event events page confirm confirmation confirmed"
)
#: Tokens that are numbers, cursors or words of a grammar.
_NOT_BEFORE = _words(
    "max min num next page prev previous cursor continuation sync total input output prompt completion cached reasoning context used per new stop eos bos pad unk mask sep cls special current public idempotency design css color lexer csrf_field"
)

_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_AFTER = re.compile(
    r"(?:(?P<pair>\\{0,7}[\"']?,?\s{1,20}[\"'\\]{0,4}[vV]alue[\"'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4})"  # name: X, value: Y
    r"|(?P<close>\\{0,7}[\"'`])?\]?(?:[ \t]{0,8}(?P<sep>[:?][=]|:-|=>|===?|[=:]|：|＝)[ \t]{0,8}"
    r"|(?P<encoded>%3[DdAa])|(?P<xml>>)|(?P<prose>[ \t]{1,3}(?:is|was|are|to|ist|lautet|es|est|é|это|:|=)[ \t:]{1,4}"
    r"|[ \t]{0,3}(?:是|为|は|：|改成|改为|换成)了?[:：]?[ \t]{0,3})|(?P<flag>[ \t]{1,3})))"
    r"(?P<open>\\{0,7}[\"'`“「]|%22)?",
)
#: An unquoted value ends at white space, quotes and brackets, and at "," ";" "&" where what follows looks like the next pair.
_BARE = re.compile(
    r"(?:[^\s\"'`,;)\]}<>|&\\，。；、]|[,;&](?![\w .\-]{0,30}[=:]|[\s\"'`)\]},;&\\]|$)){1,4096}+",
)
_BARE_SHELL = re.compile(r"[^\s\"'`\\]{1,4096}+")
_BARE_ENCODED = re.compile(r"(?:[\w.\-~+*!]|%(?!26|22|20|0[AaDd])[0-9A-Fa-f]{2}){1,2048}+", re.ASCII)
_QUOTE_END = {"“": "”", "「": "」"}

_PLACEHOLDER = re.compile(
    r"\s*(?:<[^>]*>?|\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|\{[a-zA-Z_][\w.]*\}|%[A-Za-z_]\w*%|%[sdr]|\[.*\]?|\*+|x+|X+|\.{2,}.*|…+|-+|_+|#.*|\?+|0+|"
    r"(?i:(?:your|my|the|some|an?|insert|put|enter|add|replace|change|paste|example|sample|dummy|fake|mock|test|placeholder|todo|tbd|changeme|change|redacted|removed|hidden|"
    r"masked|omitted|snip|none|null|nil|undefined|true|false|yes|no|unset|empty|string|str|text|bytes|int|integer|number|bool|boolean|any|object|optional|required|default|"
    r"secret|password|passwd|passphrase|token|key|apikey|value|pass|pwd|user|username|foo|bar|baz|abc|xyz)(?:[\-_ .]?(?:your|me|here|it|in|this|my|the|api|access|secret|password|passwd|token|key|keys|"
    r"value|value|string|goes|user|name|example|sample|placeholder|env|var|or|of|type|str|none|null|optional|app|client|auth|db|real|actual|is|bar|foo))*))\s*",
)
_MASKED = re.compile(r"x{5,}|X{5,}|\*{3,}|\.{3,}|…|•{3,}|\[REDACTED|<redacted|<secret|YOUR[_-]|your[_-]")
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[(\[.!?]?.*|[A-Za-z_$][\w$.:]*[(\[{].*|[@&*!(\[{+/~|^].*|f[\"'].*|(?:new|await|process|import|require|lambda|function|async)\b.*"
)
_IDENTIFIER_WORDS = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+", re.ASCII)
_LETTERS = re.compile(r"[^\W\d_]+")
_PATH = re.compile(
    r"(?:~|\.{0,2})/[\w.\-/@ ]*|[A-Za-z]:\\.*|[a-z][a-z0-9+.\-]{1,20}://[^:@]*|[\w\-/]+\.(?:[a-z]{1,4}|json|yaml|toml|conf|html|java|lock)",
    re.ASCII,
)
_PLAIN_NUMBERS = re.compile(r"[\d.,:_\-+%TZ/]+(?:[a-zA-Z]{1,2})?")
_ALGORITHM = re.compile(
    r"(?i:(?:sha|md|utf|base|aes|rsa|hmac|argon|bcrypt|pbkdf|scrypt|oauth|jwt|hs|rs|es|ed|x|v|http|ipv|p|h|ec|blake)[\-_]?\d\w{0,5}(?:[\-_.]\w{1,12})*)"
)
_MIX = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_SYMBOL = re.compile(r"[!@#$%^&*?+=~]")
_SEGMENT = re.compile(r"[\-_./:@]+")
_LONG_HEX = re.compile(r"[0-9a-fA-F]{24,}")
_MIN_PASSWORD = 4  # characters; shorter ones are flags and examples
_MIN_RANDOM = 8
_MIN_BASE64 = 20
_MIN_LETTERS = 12  # a token of letters only, and only where KEY=value says that it is one
_MIN_MIXED = 3  # changes between letters and digits: "app-v2" has one, "tls1-v2" two
_PHRASE_WORDS = range(11, 26)
_MAX_VALUE = 4096
_LONG_RUN = ""  # no secret, but a run so long that no other name inside it is looked at
_JUDGED = 256  # characters of a value that are looked at: enough to tell, and what keeps a hostile text linear


class Setting(Enum):
    """How a name and its value stand together; decides how much a value must look like a secret."""

    CODE = auto()  # name = value, name: value
    SHELL = auto()  # NAME=value
    LABEL = auto()  # NAME: value
    FLAG = auto()  # --name value
    PROSE = auto()  # the name is value


class Assigned(NamedTuple):
    """A value that stands beside a telling name: its span and what it is called there."""

    start: int
    end: int
    kind: str  # "password" | "token"


def assigned_secrets(text: str, low: str) -> Iterator[Assigned]:
    """Every secret value that a name in the text announces; `low` is the text in lower case, of the same length."""
    for stem in [stem for stem in STEMS if stem in low]:
        at = low.find(stem)
        while at >= 0:
            after = at + len(stem)
            found = _value_beside(text, at, stem)
            if found is not None and found.kind != _LONG_RUN:
                yield found
            if found is not None:
                after = max(after, found.end)
            at = low.find(stem, after)


def is_placeholder(value: str) -> bool:
    """Whether a value only marks the place of a secret: `<your-key>`, `xxxx`, `${VAR}`, `$(cat file)`, `REDACTED`, a masked one."""
    return _PLACEHOLDER.fullmatch(value, 0, _JUDGED) is not None or _MASKED.search(value, 0, _JUDGED) is not None


class _Name(NamedTuple):
    """A telling name, and what follows it up to its value."""

    text: str
    begin: int
    kind: str
    setting: Setting
    after: re.Match[str]


def _value_beside(text: str, at: int, stem: str) -> Assigned | None:
    name = _announced(text, at, stem)
    span = None if name is None else _value_span(text, name)
    if name is None or span is None:
        return None
    start, stop = span
    quoted, kind = name.after["open"] is not None, name.kind
    value = text[start:stop]
    if name.setting is Setting.PROSE and not quoted:
        value = value.rstrip(".!?:") or value
    if kind == "pass":
        if not quoted or name.setting is Setting.PROSE or value.isalpha():
            return None
        kind = "password"
    if is_secret_value(value[:_JUDGED], kind, name.setting, quoted=quoted):
        return Assigned(start, start + len(value), kind)
    return Assigned(start, stop, _LONG_RUN) if len(value) > _JUDGED and not quoted else None


def _announced(text: str, at: int, stem: str) -> _Name | None:
    """The name around a stem, where a value follows it. Cheap tests come first: most stems stand in prose."""
    head = text[max(0, at - 48) : at]
    begin = at - len(head) + len(head.rstrip(_NAME_CHARS))
    end = at + len(stem)
    if stem not in _SPOKEN:
        tail = text[end : end + 48]
        end += len(tail) - len(tail.lstrip(_NAME_CHARS))
    after = _AFTER.match(text, end)
    if after is None:
        return None
    name = text[begin:end]
    setting = _setting(text, begin, name, after)
    if setting is None:
        return None
    kind = _SPOKEN[stem] if stem in _SPOKEN else _telling(name, text[max(0, begin - 12) : begin])
    return None if kind is None else _Name(name, begin, kind, setting, after)


def _setting(text: str, begin: int, name: str, after: re.Match[str]) -> Setting | None:
    if after["xml"] is not None:
        return Setting.CODE if text[max(0, begin - 1) : begin] == "<" else None
    if after["flag"] is not None:
        if name.lower() in _SPOKEN:
            return Setting.PROSE
        dashed = name.startswith("--") or text[max(0, begin - 5) : begin].endswith((" -", "ENV ", "setx "))
        return Setting.FLAG if dashed and after["close"] is None else None
    if after["prose"] is not None:
        return Setting.PROSE
    if name.upper() == name and name[:1].isalpha() and (after["pair"] is not None or after["sep"] in {"=", "?=", ":"}):
        return Setting.LABEL if after["sep"] in {None, ":"} else Setting.SHELL
    return Setting.CODE


def _value_span(text: str, name: _Name) -> tuple[int, int] | None:
    after, begin = name.after, name.begin
    start = after.end()
    if (opened := after["open"]) is not None:
        stop = _closing(text, start, opened)
        return None if stop < 0 else (start, stop)
    if after["sep"] in {"==", "==="}:
        return None  # a comparison with another name
    if text[start : start + 1] in {"?", "+"} and text[max(0, begin - 2) : begin] == "${":
        return None  # the shell's ${NAME:?message}
    if after["encoded"] is not None:
        bare = _BARE_ENCODED.match(text, start)
    elif after["sep"] == "=" and after.end() - after.start() == 1 and _starts_line(text, begin):
        bare = _BARE_SHELL.match(text, start)
    else:
        bare = _BARE.match(text, start)
    if bare is None:
        return None
    if name.setting is Setting.FLAG and (
        bare.group().startswith("-") or (bare.group().isupper() and bare.group().isalpha())
    ):
        return None  # the next flag, or a usage line's `--password PASSWORD`
    return start, bare.end()


def _starts_line(text: str, begin: int) -> bool:
    return text[max(0, begin - 1) : begin] in {"", "\n"} or text[max(0, begin - 7) : begin] == "export "


def _closing(text: str, start: int, opened: str) -> int:
    """Where the quoted value that starts here ends; -1 where its quote is not closed on this line."""
    close = _QUOTE_END.get(opened, opened)
    limit = min(len(text), start + _MAX_VALUE)
    line_end = text.find("\n", start, limit)
    limit = limit if line_end < 0 else line_end
    at = text.find(close, start, limit)
    while at > start and len(close) == 1 and text[at - 1] == "\\":
        at = text.find(close, at + 1, limit)
    return at


def _telling(name: str, before: str) -> str | None:
    """What a name announces: "password", "token", "pass" (a password, or a test that passed), or None."""
    words = [word.lower() for word in _WORD.findall(name)]
    place, kind = -1, None
    for index, word in enumerate(words):
        named = _named(word, words[index - 1] if index else _word_before(before) if word == "key" else "")
        if word == "auth" and index < len(words) - 1:
            named = None
        if named is not None:
            place, kind = index, named
    if kind is None or any(word in _ABOUT for word in words[place + 1 :]):
        return None
    if kind == "pass" and len(words) > 1:
        return "password"
    if kind == "token" and place and words[place - 1] in _NOT_BEFORE:
        return None
    return kind


def _named(word: str, before: str) -> str | None:
    if word == "pass":
        return "pass"
    if word == "pw" or word.endswith(_PASSWORDS) or (word == "phrase" and before in {"pass", "seed", "recovery"}):
        return "password"
    if word.endswith(_TOKENS) or word == "auth" or (word == "key" and before in _KEY_OWNERS):
        return "token"
    return None


def _word_before(before: str) -> str:
    """The word that one blank separates from the name: "API key"."""
    if not before.endswith(" "):
        return ""
    found = _WORD.findall(before)
    return found[-1].lower() if found else ""


def is_secret_value(value: str, kind: str, setting: Setting, *, quoted: bool) -> bool:
    """Whether a value beside a name of this kind ("password", "token") is a secret and not code, a word, a number, a path, a placeholder."""
    if not value or not value.isascii() or is_placeholder(value):
        return False
    if any(character.isspace() for character in value):
        words = value.split()
        return (
            quoted
            and kind == "password"
            and len(words) in _PHRASE_WORDS
            and all(w.isalpha() and w.islower() for w in words)
        )
    if not quoted and (
        value[0] in "({[" or (setting in _LIKE_CODE and _CODE.fullmatch(value) and not _hides_random(value))
    ):
        return False
    if (_PATH.fullmatch(value) and not _hides_random(value)) or _ALGORITHM.fullmatch(value):
        return False
    return _is_password(value, setting, quoted=quoted) if kind == "password" else _is_random(value, setting)


_LIKE_CODE = frozenset({Setting.CODE, Setting.LABEL, Setting.PROSE})


def _is_password(value: str, setting: Setting, *, quoted: bool) -> bool:
    if len(value) < _MIN_PASSWORD:
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    symbols = _SYMBOL.search(value) is not None
    if setting is Setting.PROSE:
        return letters and (symbols or (digits and len(value) > _MIN_PASSWORD))
    if letters and (digits or symbols):
        return True
    if digits:
        return (quoted or setting is not Setting.CODE) and (symbols or value.isdigit())
    return setting is not Setting.CODE or (quoted and _LETTERS.fullmatch(value) is not None and not value.istitle())


def _is_random(value: str, setting: Setting) -> bool:
    if len(value) < _MIN_RANDOM or _PLAIN_NUMBERS.fullmatch(value):
        return False
    if _LONG_HEX.fullmatch(value):
        return True
    named = setting in {Setting.SHELL, Setting.LABEL, Setting.FLAG}
    if not any(map(str.isdigit, value)):
        return (
            named
            and setting is not Setting.LABEL
            and len(value) >= _MIN_LETTERS
            and not _IDENTIFIER_WORDS.fullmatch(value)
        )
    return named or len(_MIX.findall(value)) >= _MIN_MIXED or any(_is_mixed(part) for part in _SEGMENT.split(value))


def _hides_random(path: str) -> bool:
    """Whether a value that could be a path is base64 that begins with its slash."""
    if "." in path:
        return False
    whole = len(path) >= 2 * _MIN_BASE64 - 8 and len(_MIX.findall(path)) >= 2 * _MIN_MIXED and _is_mixed(path)
    return whole or any(len(part) >= _MIN_BASE64 and _is_mixed(part) for part in path.split("/"))


def _is_mixed(part: str) -> bool:
    return (
        len(part) >= _MIN_RANDOM
        and any(map(str.isupper, part))
        and any(map(str.islower, part))
        and any(map(str.isdigit, part))
    )
