"""Whether a line only says that something was left out: a model that was to write it all and did not."""

from __future__ import annotations

import re

_OPENED = re.compile(r"(?:[#/*-]+\s*)?(?:\.{3}|…|[\[(<{（【])")
_CLOSED = re.compile(r"(?:\.{3}|…|[\])>}）】])\s*(?:-->|\*/)?\s*$")
_LEFT_OUT = re.compile(
    r"\b(?:rest|remain(?:s|ing|der)?|existing|previous|other|unchanged|omitted|truncated|abbreviated|snip(?:ped)?|continues?|"
    r"(?:the )?same as|as before|(?:stays?|kept|keep) the same|no changes?)\b|其余|其他|剩余|余下|不变|省略|同上|保持",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?:the )?(?:(?:rest|remainder)(?: of (?:the |this )?(?:file|list|content|memory|document))?|(?:remaining|other|existing|previous) "
    r"(?:content|lines?|entries|items|notes|facts|sections?))(?: (?:is|are|stays?|remains?|goes))*(?: (?:as (?:is|before|it is|they are)|the same|"
    r"unchanged|omitted|here))?|unchanged|no changes?|same as (?:before|above)|omitted for brevity|其余(?:内容)?(?:保持)?不变|同上",
    re.IGNORECASE,
)


def is_elision(text: str) -> bool:
    """True for "[… the rest stays as it is …]", "(unchanged)" and their like, and for what ends where a list was to follow."""
    bare = text.strip()
    if bare.endswith((":", "：")):
        return True
    wrapped = _OPENED.match(bare) is not None and _CLOSED.search(bare) is not None and "](" not in bare
    return (wrapped and _LEFT_OUT.search(bare) is not None) or _ALONE.fullmatch(bare.rstrip(".。…:： ")) is not None
