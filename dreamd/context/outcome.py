"""What an answer came to, in one sentence."""

from __future__ import annotations

from dreamd.context.headline import cut, sentences
from dreamd.context.sift import says_something


def came_to(text: str) -> str:
    """The first sentence of an answer that states something; "" where it only talks about what comes next."""
    return cut(next((one for one in sentences(text) if says_something(one) and not one.endswith(":")), ""))
