"""How newer evidence stands against a line that a person wrote: dated, directly under it, and never in its place."""

from __future__ import annotations

import datetime as dt
import re

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENGLISH = re.compile(r"Since (\d{4}-\d{2}-\d{2}): (.*); the line above is older\.", re.DOTALL)
_CHINESE = re.compile(r"自 (\d{4}-\d{2}-\d{2}) 起：(.*)；上一行较旧。", re.DOTALL)


def under(text: str, at: dt.datetime, zone: dt.tzinfo) -> str:
    """The sentence as it stands under a person's line, with the day it was said in the person's zone."""
    day = at.astimezone(zone).date().isoformat()
    words = text.rstrip(".。")
    if _CJK.search(words):
        return f"自 {day} 起：{words}；上一行较旧。"
    return f"Since {day}: {words}; the line above is older."


def plain(text: str) -> str:
    """The sentence by itself again, its day behind it; any other text as it is."""
    for pattern, stop in ((_ENGLISH, "."), (_CHINESE, "。")):
        if match := pattern.fullmatch(text.strip()):
            return f"{match[2]} ({match[1]}){stop}"
    return text
