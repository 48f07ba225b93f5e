"""What a line may say only because the person typed it: permissions, destructive commands, words in two scripts; and what none may hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

_I = re.IGNORECASE

#: Each kind of thing that lets an agent do more than it may, or do harm. A line of such a kind needs typed words of the same kind.
_KINDS: Final = (
    re.compile(
        r"\b(?:without|no|never|don'?t|do not|stop|skip)\b[^.;]{0,24}?\b(?:ask|asking|confirm|confirming|confirmation|approval|approving|permission|prompt|prompting|review)\b"
        r"|\bauto-?(?:approve|accept|run|execute|confirm)|\bpre-?approved?\b|(?:无需|不用|不必|不需要|跳过)(?:再)?(?:确认|询问|批准|审核|许可)",
        _I,
    ),
    re.compile(
        r"\b(?:skip|bypass|disable|ignore|turn(?:ed|ing)? off|switch(?:ed|ing)? off|override|circumvent|remove)\b[^.;]{0,30}?"
        r"\b(?:permissions?|sandbox(?:ing)?|approvals?|safety|safeguards?|guards?|guardrails?|security|restrictions?|hooks?|checks?|verification|2fa|mfa|tls|ssl|certificates?)\b"
        r"|--(?:dangerously|yolo|full-auto|no-verify|insecure|no-sandbox|allow-all)[\w-]*|\byolo\b|(?:关闭|禁用|绕过|跳过)(?:权限|沙箱|安全|检查|校验)",
        _I,
    ),
    re.compile(
        r"\b(?:allow(?:ed|s)?|permit(?:ted)?|grant(?:ed|s)?|authori[sz]ed?|trust(?:ed)?|may|can|free to|whitelist(?:ed)?|allowlist(?:ed)?)\b[^.;]{0,40}?"
        r"(?:\b(?:any|all|every|full|unrestricted|root|sudo|admin)\b[^.;]{0,16}?\b(?:commands?|tools?|shell|access|permissions?|actions?|edits?|rights?|privileges?)\b|\b(?:bash|sudo)\b|\(\*\))"
        r"|(?:允许|授权|可以)[^。；]{0,12}(?:任何|所有|全部|任意)[^。；]{0,4}(?:命令|操作|权限|工具)",
        _I,
    ),
    re.compile(r"\bsudo\b|\bas root\b|\bchmod\b[^.;]{0,12}\b0?777\b|\bsetuid\b", _I),
    re.compile(
        r"\brm\s+-\w*[rf]|\bgit\s+(?:push\b[^.;]{0,30}(?:\s-f\b|--force)|reset\s+--hard|clean\s+-\w*f)|\bforce[- ]push|\bdrop\s+(?:table|database|schema)\b|\btruncate\s+table\b|\bmkfs\b|\bdd\s+if=|\bformat\s+c:|\bdel\s+/[sq]",
        _I,
    ),
    re.compile(
        r"\|\s*(?:sudo\s+)?(?:ba|z|fi|da)?sh\b|\|\s*(?:python|perl|node|ruby|iex)\b|\bbase64\b[^.;]{0,20}(?:-d\b|--decode)|\b(?:python3?|node|perl|ruby|bash|sh)\s+-[ce]\b|\binvoke-expression\b|\beval\b",
        _I,
    ),
    re.compile(
        r"\b(?:send|post|upload|copy|forward|exfiltrate|leak|email)\b[^.;]{0,40}(?:\b(?:keys?|tokens?|secrets?|passwords?|credentials?|cookies?)\b|\.env\b)[^.;]{0,20}\bto\b[^.;]{0,30}(?:https?:|\w@|\b(?:server|external|webhook|outside|gist|pastebin)\b)",
        _I,
    ),
)
_WORD: Final = re.compile(r"\w+")
#: Zero-width and direction marks, and letters for tags: nobody sees them. Joiners stay: some scripts and faces are made with them.
_UNSEEN: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text without what nobody sees."""
    return _UNSEEN.sub("", text)


def unearned(text: str, said: Iterable[str]) -> bool:
    """Whether a line would allow or order something of a kind that none of the typed words is of, or bears a word in disguise."""
    typed = [visible(one) for one in said]
    if any(kind.search(text) and not any(kind.search(one) for one in typed) for kind in _KINDS):
        return True
    return any(word not in " ".join(typed) for word in _disguised(text))


def _disguised(text: str) -> Iterator[str]:
    """Words that mix Latin letters with those of a script that looks like it."""
    for word in _WORD.findall(text):
        if not word.isascii():
            scripts = {unicodedata.name(char, "").partition(" ")[0] for char in word if char.isalpha()}
            if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}:
                yield word
