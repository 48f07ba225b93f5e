"""How a person's sentence becomes a line of memory: their words, made neutral and self-contained."""

from __future__ import annotations

import re

from dreamd.engines.offline.cues import Cue, rx, words

_Step = tuple[Cue, str]

_SPELLING: tuple[_Step, ...] = (
    (rx(r"\b(d|w)ont\b"), r"\1on't"),
    (rx(r"\b(does|is|are|did|was|should|could|would|has|have)nt\b"), r"\1n't"),
    (rx(r"\bcant\b"), "can't"),
    (rx(r"\bi'?m\b"), "I'm"),
    (rx(r"\bi(?=\b(?!\.))(?!')"), "I"),
    (rx(r"\bgonna\b"), "going to"),
    (rx(r"\bwanna\b"), "want to"),
    (rx(r"^lets\b"), "let's"),
)
_CLEAN: tuple[_Step, ...] = (
    (rx(r"\*\*|__(?=\w)|(?<=\w)__"), ""),
    (rx(r",? ?\b(?:please|pls|plz|pelase|kindly)\b,? ?"), " "),
    (rx(r",? ?\bI (?:think|guess|believe|suppose)\b(?! (?:about|of|so)),?"), ""),
    (
        rx(
            r",? (?:here|in (?:this|the|our) (?:repo(?:sitory)?|project|codebase|workspace))(?=[ ,.;]|$)(?! (?:and|or) )"
        ),
        "",
    ),
    (rx(r"^in (?:this|the|our) (?:repo(?:sitory)?|project|codebase),? "), ""),
    (rx(r"\bthis (repo|repository|project|codebase)\b"), r"the \1"),
    (rx(r"\b(is|are|we|was|were|I)(?: just| finally)? now\b"), r"\1"),
    (
        rx(
            r"[ ,]+(?:ok|okay|right|thanks|thank you|thx|btw|lol|haha|anyway|as well|too|though|then|yeah|you know|fyi|imo|for me)$"
        ),
        "",
    ),
    (rx(r"^(?:just so you know|for v1),? "), ""),
    (rx(r"^([A-Za-z][\w -]{0,30}?) == (?=[a-z])"), r"\1 means "),
    (rx(r",? (?:these days|nowadays)(?=$|[,;.])"), ""),
    (rx(r"\bin the (?=in the week of )"), ""),
    (rx(r",? so (?:please )?(give|show|tell|use|write|explain|keep|avoid|don't|do not)(?: me)?\b(?= )"), r"; \1"),
    (rx(r"^you (?:also )?have ([\w ./-]{2,40} access)$"), r"\1 is available"),
    (rx(r"^you (?:also )?have (access to [\w ./-]{2,60})$"), r"\1 is available"),
    (rx(r"\band (gather|put|store|collect|combine|save|group|bundle) (?=(?:under|in|into|inside)\b)"), r"and \1 them "),
    (rx(r"^((?:always |only |please )*(?:answer|reply|respond))(?: to)? me(?= )"), r"\1"),
    (rx(r"\bthe (?=(?:british|american|australian|uk|us) (?:spelling|english)\b)"), ""),
    (rx(r"\benable by default\b"), "enabled by default"),
    (rx(r"(?<=no longer use )([\w`.-]+) we (just|only|simply) (?=use\b)"), r"\1; we \2 "),
)
_RULES: tuple[_Step, ...] = (
    (rx(r"^(?:I|we)(?:'d| would)? (?:want|like|need|expect) (?:you|claude|the agent|agents|all agents) to "), ""),
    (
        rx(
            r"^(?:from now on|going forward|from here on|in (?:the )?future|as a (?:general )?rule|in general|generally)[,:]? "
        ),
        "",
    ),
    (rx(r",? (?:from now on|going forward|in (?:the )?future|as a (?:general )?rule)$"), ""),
    (rx(r"^(?:make sure|be sure|ensure)(?: that| you| to)* (?=always|never|only|every|all|each)"), ""),
    (
        rx(
            r"^(?:you|claude|agents?|the agent|we) (?:should|must|have to|need to|(?:can|may)(?! always))(?: just| really)? (?=always\b|never\b|only\b)"
        ),
        "",
    ),
    (rx(r"^you (?:should|must) (?:not|never) "), "Never "),
    (rx(r"^you (?:should|must|have to|need to) "), ""),
    (
        rx(r"^(?:I )?(?:did not|didn'?t|never) (?:say|ask|tell|want)(?: you| for you)?(?: to| that you)? (.+)$"),
        r"Do not \1 unless asked",
    ),
    (rx(r"^it(?:'?s| is) (?:not|never) (?:valid|acceptable|allowed|ok|okay|permitted|safe) to "), "Do not "),
    (rx(r"^I don'?t think (we|the [\w-]+) (?:really )?(need|want|support)(?=s? )"), r"\1 don't \2"),
    (rx(r"^(?:don'?t|do not) (?=(?:want|like)\b)"), "I don't "),
    (rx(r"^(?:don'?t|do not) ever "), "Never "),
    (rx(r"^(?:don'?t|do not) "), "Do not "),
    (rx(r"^let'?s not "), "Do not "),
    (rx(r"^(?:I think )?let'?s (?:just |rather |only )?"), ""),
    (rx(r"^(?:just|simply) (?=[a-z])"), ""),
    (rx(r"^(never .+?) (?:ever )?again(?=[,.;]|$)"), r"\1"),
    (rx(r"^I(?:'d| would) (?=(?:replace|use|adopt|keep|drop|remove|rename|move|store|avoid|support|call)\b)"), ""),
    (rx(r"^you (?:keep|always) (?:forget(?:ting)?|ignor(?:e|ing))\W+"), ""),
    (rx(r"^we should (?=(?:use|avoid|prefer|never|always|adopt|drop|keep)\b)"), ""),
)
_FIRST_PERSON: tuple[_Step, ...] = (
    (rx(r"^I(?:'d| would) (?:much )?rather "), "Would rather "),
    (rx(r"^I(?:'d| would) (?:much |really |strongly )?prefer\b"), "Prefers"),
    (rx(r"^I(?:'d| would) (?:really )?(like|love)\b"), r"Would \1"),
    (
        rx(
            r"^I(?:'m| am| work| develop) (?:only |always |usually )?(?:on|using|under) (?=(?:a |an )?(?:windows|mac|osx|linux|ubuntu|debian|fedora|arch|nixos|wsl|m[1-4]|apple silicon|freebsd|chromebook))"
        ),
        "Works on ",
    ),
    (rx(r"^I(?:'m| am) "), "Is "),
    (rx(r"^I(?:'ve| have) "), "Has "),
    (rx(r"^I (?:really |explicitly |definitely |generally |personally )*(?:don'?t|do not) "), "Does not "),
    (rx(r"^I can'?t stand "), "Cannot stand "),
    (rx(r"^I(?:'d| would) (?=\w+)"), "Would "),
)
_ADVERB = r"(?:(?:really|much|strongly|generally|personally|absolutely|usually|just|also|still) )*"
_PRESENT = rx(
    rf"^I {_ADVERB}((?:always|never|usually|no longer|only|mostly) )?(prefer|like|love|hate|dislike|want|need|use|run|work|write|favou?r|expect|enjoy|despise|keep|commit|push|review|approve|merge|handle|release|check|sign|read|test|deploy|live|own|follow|develop|do|go|squash|rebase)\b"
)
_PAST = rx(r"^I (?:just |already |also )?(\w+ed|chose|did|ran|set|went|cut|put|took|had)\b")
_MINE = rx(r"\bmy\b")
#: Where a second sentence begins though nobody typed a stop, and the words after which it does not.
_RUN_ON = rx(
    r" (?:it (?:needs|has|should|must|is|was|will)\b|(?:and|but|so) (?:if|when|once|then) |let'?s\b|can you\b|anyway (?:we|i|it)\b|this (?:will|is|makes|means|would|way)\b|then we\b|(?<=\.md )they\b|(?<=\.json )they\b|please\b(?=.{20}))"
)
_RUN_ON_AFTER = 25
_JOINS = words(
    "that because if when so since and but as where which think sure whether until before after once unless while than make makes "
    "does do how what though although or like time way case means why ensure know see say says said believe given is was not"
)
#: Names that are often typed in lower case; not as part of a path, an option or an identifier.
_NAMES = re.compile(
    r"(?<![\w./@`:=_-])(?:british|english|german|french|spanish|italian|portuguese|dutch|chinese|japanese|korean|russian|windows|powershell)\b(?![/@`:=_-]|\.\w)"
)
_TAIL = ",;:–—- \t"
_SENTENCE_END = ".!?。！？…"
_CHINESE_STEPS: tuple[_Step, ...] = (
    (rx(r"(?<=[文语])(回答|回复)我(?=$|[，,。])"), r"\1"),
    (
        rx(
            r"^(?:原来是|原因是|是)(?=[^，。]{4,40}[，,][^。]{2,40}(?:就好了|就行了|就可以了|就正常了|就没问题了|就解决了|要加|要设|需要加|得加))"
        ),
        "",
    ),
    (rx(r"^(?:请|麻烦)(?:你)?(?:一定)?"), ""),
    (rx(r"^(?:以后|今后|从现在起|从今以后|从今往后|往后)(?!再)[，, ]?(?:请)?"), ""),
    (rx(r"^我(?:个人)?(?=(?:更|比较|一般|通常|最|很|非常)?(?:喜欢|偏好|偏爱|倾向|习惯|讨厌|反感|不喜欢))"), ""),
    (rx(r"^我(?:希望|想要|要求|想让)(?:你|代理|助手)?(?=以后|今后|每次|总是|始终|一律|都|只)"), ""),
    (rx(r"(?:吧|啊|哦|啦|哈|呀|喔|嘛|谢谢|好吗)[。！!~ ]*$"), ""),
    (rx(r"[，, ]?(?:在)?(?:这个|本)(?:项目|仓库)(?:里|中)(?:面)?"), ""),
)


def neutral(core: str, code: str, *, rule: bool, whole: bool) -> str:
    """A sentence in neutral words, as its language wants it; `rule` and `whole` as of `english`."""
    if code == "en":
        return english(core, rule=rule, whole=whole)
    if code == "zh":
        return chinese(core)
    return plain(core, stop="。" if code == "ja" else ".")


def english(core: str, *, rule: bool, whole: bool = False) -> str:
    """An English sentence in neutral words: rules as imperatives, first person as third ("Prefers …").

    Args:
        core: the sentence without its fillers, dates already absolute.
        rule: whether it asks for something ("you should …" may then become an imperative).
        whole: keep what follows without a stop ("… always, so if you click on a row it opens").
    """
    core = core.strip(_TAIL + _SENTENCE_END)
    text = " ".join(_apply(core if whole else _first_sentence(core), _SPELLING + _CLEAN).split())
    if rule:
        for _ in range(2):  # a rule's wrappers are nested: "I want you to always …", "from now on don't ever …"
            text = _apply(text.strip(), _RULES)
    text = _NAMES.sub(lambda m: m[0].capitalize(), _apply(text.strip(), _CLEAN))
    return finish(_third_person(text))


def _first_sentence(text: str) -> str:
    """The text up to where a second sentence begins without any stop between them ("… safely it needs to be local")."""
    for match in _RUN_ON.finditer(text):
        if match.start() >= _RUN_ON_AFTER and text[: match.start()].rsplit(maxsplit=1)[-1].lower() not in _JOINS:
            return text[: match.start()].rstrip(_TAIL)
    return text


def chinese(core: str) -> str:
    """A Chinese sentence without address and modal particles."""
    text = core.strip(_TAIL + _SENTENCE_END + "，、；：~")
    for _ in range(2):
        text = _apply(text, _CHINESE_STEPS).strip(" ，,、")
    return finish(text, stop="。")


def plain(core: str, *, stop: str = ".") -> str:
    """Any other language: the words as they are, as a sentence."""
    return finish(core.strip(_TAIL), stop=stop)


def finish(text: str, *, stop: str = ".") -> str:
    """One sentence: a capital letter unless it begins with a name that has its own spelling, and a full stop."""
    text = " ".join(text.split()).strip(_TAIL + "，、；：").rstrip(_SENTENCE_END + ",;:")
    if text.count("(") > text.count(")"):
        text = text.replace("(", "", 1)
    if not text:
        return ""
    first = text.split(" ", 1)[0]
    if text[0].islower() and not re.search(r"[\d_./@`]|[a-z][A-Z]", first.rstrip(",.:;")):
        text = text[0].upper() + text[1:]
    return text + stop


def _apply(text: str, steps: tuple[_Step, ...]) -> str:
    for pattern, replacement in steps:
        text = pattern.sub(replacement, text)
    return text


def _third_person(text: str) -> str:
    new = _apply(text, _FIRST_PERSON)
    if new == text:
        new = _PRESENT.sub(lambda m: (m[1] or "") + _with_s(m[2]), text)
    if new == text:
        new = _PAST.sub(r"\1", text)
    new = re.sub(r"\bmyself\b", "personally", new) if new != text else new
    return _MINE.sub("their", new) if new != text else text


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"
