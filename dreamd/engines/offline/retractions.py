"""What a person takes back: their own earlier words, and work that is another's now."""

from __future__ import annotations

from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.rewrite import finish
from dreamd.engines.protocol import Finding, Kind, Scope, Turn

#: The slot of a finding that ends what its value names.
RETRACTED = "retracted"
_QUOTE_LENGTH = 300

#: Somebody's work goes to somebody else: what was said of it ends in the first one's file.
_NAME = r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
_HANDED_OVER = rx(
    rf"(?P<new>{_NAME}) (?:took|takes|has taken|is taking|will take) over (?:the |our )?(?P<what>[\w /-]{{3,40}}?) from (?P<old>{_NAME})|(?P<giver>{_NAME}) (?:handed|hands|has handed) (?:the |our )?(?P<given>[\w /-]{{3,40}}?) (?:over )?to (?P<taker>{_NAME})"
)
_WHAT = r"(?P<what>\w[\w`./ -]{1,60}?)"
#: What takes earlier words back; a new rule may follow behind a comma.
_TAKES_BACK = tuple(
    rx(rf"^{way}(?=$|[,;:.，。]| - )[\s,;:.，。-]*")
    for way in (
        rf"(?:(?:please|ok|and|well|actually),? )*(?:forget|ignore|disregard|scrap|scratch|drop|never mind) (?:what i (?:said|told you|wrote)|(?:my|the|that|our) (?:earlier |previous |old |last )?(?:rule|request|instruction|note|remark)s?|everything i said|anything i said) (?:about|on|regarding|with) (?:the |our |my )?{_WHAT}",
        rf"(?:my|the|our) (?:earlier |previous |old )?(?:rule|request|instruction)s? (?:about|on|regarding) (?:the |our |my )?{_WHAT} (?:no longer (?:holds|applies|stands)|is (?:void|off|gone|obsolete|moot))",
        rf"(?:bitte )?vergiss,? was ich (?:über|zu|zum|zur) {_WHAT} gesagt habe",
        rf"oublie ce que j'ai dit (?:sur|à propos d[eu]|au sujet d[eu]) {_WHAT}",
        rf"olvida lo que (?:dije|te dije) (?:sobre|de|acerca de) {_WHAT}",
        rf"забудь,? что я говорила? (?:о|об|про) {_WHAT}",
        r"(?:忘掉|忘记|别管|忽略|忘了)我?(?:之前|以前|上次)?(?:说的)?(?:关于)?(?P<cjk>[^，。]{2,30}?)(?:的(?:话|规则|要求|说法))?",
        r"(?P<cjk>[^、。]{2,30}?)について(?:言|話)ったことは忘れて(?:ください)?",
        r"(?P<cjk>[^,.]{2,30}?)에 대해 (?:내가 )?(?:말한|했던) (?:것은|말은|건) 잊어(?: ?주세요)?",
    )
)


def taken_back(sentence: str, turn: Turn) -> tuple[tuple[Finding, ...], str]:
    """What a sentence takes back, and what is left of it.

    One finding for the rules that hold everywhere and one for the project's: it has weight only where memory holds such words.
    """
    bare = sentence.strip(" .。!！")
    match = next((found for way in _TAKES_BACK if (found := way.match(bare))), None)
    if match is None:
        return (), sentence
    named = match.groupdict()
    what = (named.get("what") or named["cjk"]).strip()
    texts = (
        (f"{what}：之前的说法不再有效。", f"{what}：之前的规则不再有效。")
        if named.get("cjk")
        else (f"What was said about {what} no longer holds.", f"No rule about {what} holds any longer.")
    )
    scopes = (Scope.PROJECT, Scope.GENERAL)
    return tuple(_ending(scope, text, what, sentence, turn) for scope, text in zip(scopes, texts, strict=True)), bare[
        match.end() :
    ]


def _ending(scope: Scope, text: str, what: str, sentence: str, turn: Turn) -> Finding:
    return Finding(
        kind=Kind.CORRECTION,
        scope=scope,
        text=text,
        turn_id=turn.id,
        at=turn.at,
        quote=sentence[:_QUOTE_LENGTH],
        slot=RETRACTED,
        value=what,
        weight=1.0,
    )


def handed_over(sentence: str, turn: Turn) -> Finding | None:
    """Ends what memory holds of somebody's work that is another's now."""
    match = _HANDED_OVER.search(sentence)
    if match is None or sentence.endswith("?"):
        return None
    old, new, what = (
        (match["old"], match["new"], match["what"])
        if match["old"]
        else (match["giver"], match["taker"], match["given"])
    )
    return Finding(
        kind=Kind.PERSON,
        scope=Scope.PERSON,
        text=finish(f"{new} took over the {what} from {old}"),
        turn_id=turn.id,
        at=turn.at,
        quote=sentence[:_QUOTE_LENGTH],
        subject=old,
        slot=RETRACTED,
        value=what,
        weight=1.0,
    )
