"""What a sentence gives a value to: the package manager, a port, an owner; one current value a slot."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.languages.chinese import ATTRIBUTE as CHINESE_ATTRIBUTE
from dreamd.engines.offline.languages.english_words import ATTRIBUTE, NAMED_VALUE, VERSIONED

_MAX_WORDS = 5

#: Families of things of which a project uses one at a time: name → members (lower case; first spelling is the normal one).
_FAMILIES: dict[str, str] = {
    "package manager": "pnpm npm yarn bun pip uv poetry pdm pipenv conda",
    "database": "PostgreSQL|postgres|postgresql MySQL MariaDB SQLite DuckDB MongoDB|mongo CockroachDB Oracle",
    "test runner": "pytest unittest vitest jest mocha playwright cypress nose nextest",
    "linter": "ruff flake8 pylint eslint biome golangci-lint clippy",
    "formatter": "black prettier gofmt rustfmt yapf",
    "bundler": "vite webpack esbuild rollup parcel turbopack",
    "container tool": "docker podman",
    "http client": "httpx requests aiohttp axios",
    "issue tracker": "Jira Linear Beads",
    "ci": "Jenkins CircleCI Buildkite Travis TeamCity Drone",
}
_MEMBERS: dict[str, tuple[str, str]] = {}
for _family, _names in _FAMILIES.items():
    for _group in _names.split():
        for _name in _group.split("|"):
            _MEMBERS[_name.lower()] = (_family, _group.split("|")[0])
#: What serves in more than the family it is first thought of in.
_ALSO = {"ruff": "formatter", "biome": "formatter", "bun": "test runner"}

_VERSIONED = rf"(?P<tool>{VERSIONED})"
_TOOL_NAMES = {
    "nodejs": "node",
    "node.js": "node",
    "golang": "go",
    "jdk": "java",
    "next.js": "next",
    ".net": "dotnet",
    "postgres": "PostgreSQL",
    "postgresql": "PostgreSQL",
}

_STOP = r"(?=$|[,;.。，；](?:\s|$)|[，；。]| (?:because|since|so that|so|which|where|for (?!the\b)|as (?:it|we)|until|when|if|in order|instead of|rather than|not|and|but|from|as of|since|on 20\d\d|\(|–|—)\b| \()"
_VALUE = r"(?P<value>[`\"']?[\w~/.:@%+#$<>*-][^,;，；。()]{0,60}?)"

_ATTRIBUTE = rx(
    rf"^(?:for [\w-]+,? )?(?:the |our |its |my )?(?P<slot>[\w`/.+-]+(?: [\w`/.+-]+){{0,4}}?(?: of (?:the |our )?[\w`/.-]+(?: [\w-]+)?)?) (?:is called|is named|is set to|is|are|will be|has to be|must be|should be)(?: at| now| still| always)? (?!not\b|no\b|never\b){_VALUE}{_STOP}"
)
_COLON = rx(rf"^(?:the |our )?(?P<slot>[\w-]+(?: [\w-]+){{0,3}}): {_VALUE}{_STOP}")
_USE_AS = rx(rf"^(?:we )?use {_VALUE} (?:as|for) (?:the |our |all |every )?(?P<slot>[\w-]+(?: [\w-]+){{0,3}}?){_STOP}")
_CHANGED = rx(
    rf"^(?:we|I|the team|has|on [\d-]+,? we)?(?:'ve| have)? ?(?:switched|moved|migrated|changed|converted|renamed) (?:the |our )?(?P<slot>(?!every|all|each|from\b|to\b)[\w-]+(?: (?!from\b|to\b)[\w-]+){{0,3}}) (?:from [^,;]{{1,40}}? )?to {_VALUE}{_STOP}"
)
_MOVED = rx(
    rf"^(?:we|I|the team|has|on [\d-]+,? we)?(?:'ve| have)? ?(?:switched|moved|migrated|upgraded|downgraded)(?: (?:every|all|each|the|our) [\w -]{{2,30}})?(?: from [^,;]{{1,40}}?)? to {_VALUE}{_STOP}"
)
_KEEP = rx(
    rf"^(?:keep|cap|limit|pin|hold|leave) (?:the |our )?(?P<slot>[\w-]+(?: [\w-]+){{0,3}}) (?:at|to|below|under|on) (?:most )?{_VALUE}{_STOP}"
)
_PORT = rx(
    r"^(?:the |our )?(?P<slot>[\w./-]+(?: [\w-]+){0,3}?) (?:(?:runs?|listens?|answers?|is served|is|must listen|must run|should (?:run|listen)|is reachable|is exposed)(?: locally| now)? on (?:port |:)|(?:has |was )?(?:moved|switched|changed)(?: over)? to port |(?:listens?|answers?) on (?=\d{4})|(?:has |was )?moved to (?=\d{4,5}\b))(?P<value>\d{2,5})\b"
)
_PLACE = rx(
    rf"^(?:the |our |all )?(?P<slot>[\w./-]+(?: [\w-]+){{0,3}}?) (?:lives?|is located|are located|is stored|are stored|is kept|are kept|is hosted|sits?|resides?|are|is) (?:in|at|under|on) (?P<value>`[^`]+`|[~.]?/?[\w.-]+/[\w./-]*|https?://\S+?|[\w-]+\.[\w.-]+){_STOP}"
)
_KEY = rf"(?P<slot>(?:[\w/-]+ ){{0,3}}?(?:{ATTRIBUTE}))"
#: With "for" only a key of two words is sure: what is used for "the queue" may be one of many things.
_LONG_KEY = rf"(?P<slot>(?!the\b|our\b)(?:[\w/-]+ ){{1,3}}(?:{ATTRIBUTE}))"
#: Other ways to give something its value; what has no such key is not taken.
_GIVEN = tuple(
    rx(source)
    for source in (
        rf"^(?:stick (?:with|to)|go with|keep|take|pick|choose|rely on|stay with|(?:we )?(?:settled on|picked|chose|keep|decided on)|assume) {_VALUE} (?:as|for) (?:the |our )?{_LONG_KEY}{_STOP}",
        rf"^(?:for|as|regarding|when it comes to) (?:the |our |a )?{_KEY},? (?:we (?:use|have|take|rely on|go with|run|picked|chose)|(?:use|go with|take|stick (?:with|to)|pick)|it'?s|it is) {_VALUE}{_STOP}",
        rf"^{_VALUE} (?:is|serves as|acts as|remains|stays)(?: what we (?:use|have) as)?(?: now)? (?:our|the(?: new)?) {_KEY}{_STOP}",
        rf"^{_VALUE} is what we (?:use|have|run|take) (?:as|for) (?:the |our )?{_KEY}{_STOP}",
        rf"^(?:the|our) {_KEY} (?:that )?we (?:use|have|run|rely on|picked|chose|settled on) (?:is|are) {_VALUE}{_STOP}",
        rf"^(?:make sure|ensure|see to it|take care)(?: that)? (?:the|our) {_KEY} (?:stays?|remains?|is kept(?: at)?) {_VALUE}{_STOP}",
        rf"^[\w-]{{3,}}'s {_KEY} (?:is|are) (?:now )?{_VALUE}{_STOP}",
        rf"^(?:the|our) {_KEY} (?:has |have |was )?(?:changed|moved|switched)(?: on)?(?: \d{{4}}-\d\d-\d\d)?(?:[:;,–—-]+ ?(?:it'?s(?: now)?|it is(?: now)?|now)| to) {_VALUE}{_STOP}",
        rf"^(?:the|our) {_KEY} has been {_VALUE} since\b",
        rf"^(?:the|our) {_KEY} used to be [^,;]{{1,40}}[,;] (?:and )?(?:now )?it(?:'?s| is)(?: now)? {_VALUE}{_STOP}",
        rf"^{_VALUE} (?:replaces|has replaced|replaced|takes over from|supersedes) \w[^,;?]{{0,40}}? (?:as|for) (?:the|our) {_KEY}{_STOP}",
        rf"^(?:on [\d-]+,? )?(?:we|the team|they)?(?: have|'ve| has)? ?(?:replaced|swapped|dropped|exchanged|traded) \w[^,;?]{{0,40}}? (?:with|for|by) {_VALUE}(?: (?:as|for)(?: our| the)?|,| \() ?{_KEY}(?:\)|{_STOP})",
        rf"^[\w -]{{2,40}}? (?:has|have|assumes?|uses?|relies on|rely on|runs? (?:on|with)|works? with) {_VALUE} as (?:its|the|our|their) {_KEY}{_STOP}",
        rf"^(?:the |our )?{_KEY} went from [^,;]{{1,40}}? to {_VALUE}{_STOP}",
        rf"^(?:we )?no longer use [^,;]{{1,40}}? (?:as|for) (?:the |our )?{_KEY}[,;] (?:it'?s|we use|but|now) (?:now )?{_VALUE}{_STOP}",
        rf"^(?:on [\d-]+,? )?we decided to (?:go with|use) {_VALUE} for (?:the |our )?{_LONG_KEY}{_STOP}",
        rf"^(?:the|our) (?P<slot>[\w-]+(?: [\w-]+){{0,3}}?) (?:is|are)(?: called| named| now)? (?P<value>{NAMED_VALUE}){_STOP}",
    )
)
_OWNS = rx(
    r"^(?P<value>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})) (?:owns|maintains|leads|looks after|takes care of|took over|has taken over|takes over|is responsible for|is in charge of|is the (?:owner|lead|maintainer|contact|admin) (?:of|for)) (?:the |our )?(?P<slot>[\w./-]+(?: [\w-]+){0,3}?)(?=$|[,;.]| from )"
)
_CONTACT = rx(
    r"^(?:questions?|anything|everything|issues?|requests?) (?:about|on|regarding|around|for|concerning) (?:the |our )?(?P<slot>[\w./-]+(?: [\w-]+){0,3}?) (?:now )?(?:go(?:es)?|should go|belongs?) (?:now )?to (?P<value>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?))"
)
_OWNED = rx(
    r"^(?:the |our )?(?P<slot>[\w./-]+(?: [\w-]+){0,3}?) (?:is|are) (?:owned|maintained|led|run|handled) by (?P<value>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?))"
)
_VERSION = rx(
    rf"(?<![\w.]){_VERSIONED}(?: version)?(?: is| =|:| to| at| (?:(?:was|got|has been|is) )?(?:now )?(?:bumped|upgraded|updated|moved|raised|downgraded) to)? ?v?(?P<value>\d+(?:\.\d+){{0,2}})(?![\w.]*\d)"
)
_LABEL = rx(r"^(?:runtime|language|interpreter|platform|toolchain|stack|engine|compiler|sdk|version)(?: version)?$")
_TOOL_KEY = rx(rf"^{_VERSIONED}(?: version)?$")
_INDENT = rx(r"\b(?:indent(?:ation|ed)?|use|prefers?|with)\b.{0,20}?(?P<value>tabs|spaces|(?:\d|two|four) spaces?)\b")
_SPELLING = rx(r"\b(?P<value>british|american|australian|us|uk) (?:english |spelling)")
_ANSWER_LANGUAGE = rx(
    r"\b(?:answer|reply|respond|speak|write (?:to me|back|your answers?))\b.{0,30}\bin (?P<value>english|german|french|spanish|chinese|japanese|korean|russian)\b"
)
_FAMILY_USE = rx(
    r"^(?:(?:always|only|we|we only|we always|prefers?|no,?) )*(?:use[sd]?|prefers?|adopt|run|go with|going with|on|we're on|chose|we chose|we decided (?:on|to use)|stick (?:to|with))? ?`?(?P<value>[\w.+-]+)`?(?P<version> v?\d+(?:\.\d+)*)?"
)
_ALONE = rx(r"^(?:$|[,;]? (?:not|never|instead|rather|over|because|since|as the|everywhere|on \d|and not)\b)")
_NEGATED = rx(r"^(?:never|do not|don't|avoid|no longer|we don't|we no longer|stop|does not|no )\b")

_CN_KEY = r"(?P<slot>[\w\u4e00-\u9fff ./-]{1,16}?)"
_CN_VALUE = r"(?P<value>[^，。；,;（(]{1,40}?)"
_CN_END = r"(?=$|[，。；,;（(]|而不是|不是|不再|因为)"
_CN_ATTRIBUTE = rx(
    rf"^{_CN_KEY}(?:现在|目前|已经|统一|默认)?(?:是|为|：|:|改成了?|改为|换成了?|设为|叫做?|用的是)(?!不|否|什么){_CN_VALUE}{_CN_END}"
)
_CN_CHANGED = rx(
    rf"^(?:\d{{4}}-\d\d-\d\d )?(?:我们|团队)?(?:已经|决定)?(?:把|将)?{_CN_KEY}(?:从[^，。]{{1,20}}?)?(?:改用|改成|改为|换成|换到|换为|切换到|切到|迁移到|迁到|升级到|替换为|统一用|统一使用)了?{_CN_VALUE}{_CN_END}"
)
_CN_OWNS = rx(
    r"^(?P<value>[\u4e00-\u9fff]{2,4}?|[A-Z]\w+(?: [A-Z]\w+)?) ?(?:主要|全权)?(?:负责(?!人)|维护|主管)(?P<slot>[^，。；,;]{2,16})"
)
_CN_OWNED = rx(
    r"^(?P<slot>[^，。；,;]{2,16}?)(?:现在)?(?:的负责人(?:是|为)|由|归) ?(?P<value>[\u4e00-\u9fff]{2,4}?|[A-Z]\w+(?: [A-Z]\w+)?) ?(?:负责|维护|主管|$|[，。])"
)
_CN_PORT = rx(
    r"^(?P<slot>[^，。；,;]{1,16}?)(?:跑在|监听|运行在|在|的端口是|端口是|端口为) ?(?P<value>\d{2,5})(?: ?端口)?(?=$|[，。；,;])"
)
_CN_USE = rx(
    r"^(?:我们|项目|团队|统一|都|只|后端|前端|默认|一律|优先|请)*(?:用|使用|采用|改用) ?`?(?P<value>[A-Za-z][\w.+-]*)`?(?P<version> ?\d+(?:\.\d+)*)?"
)
_CN_NEGATED = rx(r"^(?:不要|别|禁止|绝不|不再|严禁|不用|不能)")
_CN_MOVED = rx(r"^(?:\d{4}-\d\d-\d\d )?(?:我们|团队)?(?:已经)?从")
_CN_LANGUAGE = rx(r"用(?P<value>中文|英文|英语)(?:来|进行)?(?:回答|回复|交流)")

_HEAD_NOUN = rx(rf"(?:^|.* )(?:{ATTRIBUTE})$")
_ENDED = rx(
    r"\b(?:is|are|was) no longer\b|\bno longer (?:use|need|support|ship|require)|\bdeprecated\b|不再|弃用|停用|废弃"
)
_CN_HEAD_NOUN = rx(rf"(?:{CHINESE_ATTRIBUTE})$")
_BAD_KEY = rx(
    r"^(?:this|that|it|there|what|which|everything|thing|one|all|any|some|here|who|we|you|i|he|she|they|if|when|name|text|reason|goal|problem|issue|idea|point|question|answer|option|way|result|\d+|这|那|它|他|她|你|我们?|问题|原因|意思|目的|结果)$|\b(?:this|that|these|those|it)\b"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot's name ("package manager", "api port") and its value, both normalised."""

    name: str
    value: str


def families(name: str) -> frozenset[str]:
    """The families that a tool's name belongs to; a project uses one of each at a time."""
    known, also = _MEMBERS.get(name.lower()), _ALSO.get(name.lower())
    return frozenset(([known[0]] if known else []) + ([also] if also else []))


def agree(slot: str, value: str, other: str, other_value: str) -> bool | None:
    """Whether two values of one slot are the same; None where the slots are two.

    A tool's version may be told with the tool: "database: PostgreSQL 16" and "PostgreSQL version: 16" are one slot.
    """
    if not slot or not other:
        return None
    mine, theirs = _level(value), _level(other_value)
    if slot == other:
        return mine == theirs
    for name, told, version in ((slot, mine, theirs), (other, theirs, mine)):
        tool, _, rest = told.partition(" ")
        if name in _FAMILIES and rest and f"{tool} version" == (other if name == slot else slot).lower():
            return rest.removeprefix("v") == version
    return None


def _level(value: str) -> str:
    return " ".join(value.lower().replace("`", "").split())


def find(text: str) -> Slot | None:
    """The slot that a finished sentence sets; None unless that is sure.

    Args:
        text: one sentence of memory, English or Chinese.
    """
    bare = text.strip().rstrip(".。")
    if _ENDED.search(bare):
        return None
    found = _chinese(bare) if re.search(r"[\u4e00-\u9fff]", bare) else _english(bare)
    if found is None or not found.name or not found.value or _BAD_KEY.search(found.name):
        return None
    return found


def _english(text: str) -> Slot | None:
    if _NEGATED.match(text):
        return None
    person = _person(text)
    if person:
        return person
    port = _PORT.match(text)
    if port:
        return Slot(_key(port["slot"]) + " port", port["value"])
    for pattern in (_USE_AS, _CHANGED, _KEEP):
        match = pattern.match(text)
        if match and pattern is _USE_AS and not _HEAD_NOUN.match(_key(match["slot"])):
            continue
        if match and len(_key(match["slot"]).split()) <= _MAX_WORDS:
            return Slot(_key(match["slot"]), _value(match["value"]))
    named = _given(text) or _attributes(text)
    if named and not _TOOL_KEY.match(named.name):
        # "Runtime: node 18 on all services" and "node 22" speak of the same.
        version = _VERSION.match(named.value) if _LABEL.match(named.name) else None
        return _version(version) if version else named
    return _ways(text) or _families(text)


def _person(text: str) -> Slot | None:
    """Who has something, told in the sentence or in a clause behind its first: "Mira left, the crew is led by Jonas"."""
    for clause in (text, text.partition(", ")[2]):
        owned = _OWNS.match(clause) or _OWNED.match(clause)
        if owned:
            return Slot("owner of " + _key(owned["slot"]), owned["value"])
    asked = _CONTACT.match(text)
    return Slot("contact for " + _key(asked["slot"]), asked["value"]) if asked else None


def _given(text: str) -> Slot | None:
    for pattern in _GIVEN:
        match = pattern.match(text)
        if match and len(match["value"].split()) <= _MAX_WORDS:
            return Slot(_key(match["slot"]), _value(match["value"]))
    return None


def _ways(text: str) -> Slot | None:
    """Ways of working that have one value: indentation, spelling, the language of answers."""
    for name, pattern in (("indentation", _INDENT), ("spelling", _SPELLING), ("language of answers", _ANSWER_LANGUAGE)):
        match = pattern.search(text)
        if match:
            return Slot(name, match["value"].lower())
    return None


def _families(text: str) -> Slot | None:
    moved = _MOVED.match(text)
    if moved:
        version = _VERSION.search(moved["value"])
        return _version(version) if version else _member(moved["value"])
    use = _FAMILY_USE.match(text)
    if use and use["value"].lower() in _MEMBERS and _ALONE.match(text[use.end() :]):
        return _member(use["value"] + (use["version"] or ""))
    version = _VERSION.search(text)
    return _version(version) if version and len(text.split()) <= 10 else None  # noqa: PLR2004 - a longer one speaks of more


def _attributes(text: str) -> Slot | None:
    place = _PLACE.match(text)
    if place:
        return Slot("location of " + _key(place["slot"]), _value(place["value"]))
    match = _ATTRIBUTE.match(text) or _COLON.match(text)
    if not match or len(match["value"].split()) > _MAX_WORDS or len(_key(match["slot"]).split()) > _MAX_WORDS:
        return None
    key = _key(match["slot"])
    return Slot(key, _value(match["value"])) if _HEAD_NOUN.match(key) or _TOOL_KEY.match(key) else None


def _version(match: re.Match[str]) -> Slot:
    tool = match["tool"].lower()
    return Slot(_TOOL_NAMES.get(tool, tool) + " version", match["value"])


def _member(value: str) -> Slot | None:
    name, _, version = value.strip(" `").partition(" ")
    known = _MEMBERS.get(name.lower())
    if known is None or (version and not re.fullmatch(r"v?\d+(?:\.\d+)*", version)):
        return None
    return Slot(known[0], f"{known[1]} {version.lstrip('v')}".strip())


def _chinese(text: str) -> Slot | None:
    if _CN_NEGATED.match(text):
        return None
    language = _CN_LANGUAGE.search(text)
    if language:
        return Slot("回答语言", language["value"].replace("英语", "英文"))
    return _chinese_roles(text) or _chinese_values(text)


def _chinese_roles(text: str) -> Slot | None:
    """Owners and ports, and the tools of a family."""
    for pattern, suffix in ((_CN_OWNS, "负责人"), (_CN_OWNED, "负责人"), (_CN_PORT, "端口")):
        match = pattern.match(text)
        if match:
            key = _chinese_key(match["slot"]).removesuffix("端口").removesuffix("的").removesuffix("服务")
            return Slot(key + suffix, match["value"])
    use = _CN_USE.match(text)
    return _member(f"{use['value']} {(use['version'] or '').strip()}".strip()) if use else None


def _chinese_values(text: str) -> Slot | None:
    match = _CN_CHANGED.match(text) or _CN_ATTRIBUTE.match(text)
    if match is None:
        return None
    if _CN_MOVED.match(text):
        return _member(match["value"])
    key = _chinese_key(match["slot"])
    known = _CN_CHANGED.match(text) or _CN_HEAD_NOUN.search(key)
    return Slot(key, _value(match["value"])) if known else None


def _chinese_key(text: str) -> str:
    key = re.sub(r"^(?:我们的?|项目的?|这个|本|现在|目前)|(?:的|现在|目前|已经)$", "", text.strip()).strip()
    return key.replace("的", "")


def _key(text: str) -> str:
    """One name for a thing: "the port of the API" and "API port" are the same."""
    words = re.sub(r"[`\"']", "", text.lower()).split()
    words = [
        w
        for w in words
        if w not in ("the", "our", "a", "an", "my", "its", "now", "current", "currently", "default")
        or (w == "default" and len(words) > 1)
    ]
    text = " ".join(words)
    head, of, rest = text.partition(" of ")
    if not of:
        head, of, rest = text.partition(" for ")
    text = f"{rest} {head}" if of and head else text
    return re.sub(r"\b(?:db)\b", "database", text).strip()


def _value(text: str) -> str:
    bare = text.strip().strip("`\"' ").rstrip(".")
    bare = re.sub(r"^(?:now|still|always|the|at|to|port) ", "", bare, flags=re.IGNORECASE)
    bare = re.sub(r" on 20\d\d-\d\d-\d\d$", "", bare)
    bare = re.sub(r"\b[Pp]ostgres(?:ql|QL)?\b", "PostgreSQL", bare)
    member = _MEMBERS.get(bare.lower())
    return member[1] if member else bare
