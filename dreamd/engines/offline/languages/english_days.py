"""How people name days in English."""

from __future__ import annotations

from dreamd.engines.offline.cues import Days, rx

_BEFORE = r"(?:(?P<prep>by|until|till|since|from|before|after|on|as of|starting) )?"
_NAME = r"(?P<name>mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_PLAIN_NAME = _NAME.replace("?P<name>", "?:")
_COUNT = r"(?:\d{1,3}|an?|a couple of|couple of|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_ON = r"(?P<prep>on|by|until|till|since|from|before|after)"

ENGLISH_DAYS = Days(
    exact=rx(
        rf"{_BEFORE}\b(?:(?P<night>last night)|(?:about |around |roughly )?(?P<what>(?:the )?day (?:before yesterday|after tomorrow)|(?:late |early )?yesterday(?: (?:morning|afternoon|evening|night))?|"
        rf"(?:tomorrow|tmrw|tomorow)(?: (?:morning|afternoon|evening|night))?|(?:late |early |earlier )?today|tonight|this (?:morning|afternoon|evening)|just now|(?:just )?a (?:minute|moment) ago|"
        rf"{_COUNT} (?:minutes?|hours?|days?|weeks?|months?|years?) (?:ago|back)|{_COUNT} (?:days?|weeks?|months?) from now|in (?:about |around )?{_COUNT} (?:days?|weeks?|months?|years?)(?: time)?(?= *(?:$|[,.;!])| we\b| from now)))\b"
    ),
    span=rx(rf"{_BEFORE}\b(?P<what>(?:last|next) (?:week|month|year))\b"),
    weekday=rx(
        rf"{_BEFORE}\b(?:(?P<last>last|past) |(?P<next>next) |(?P<coming>this|the coming|coming) |(?(prep)|(?!))){_NAME}\b"
    ),
    date=rx(
        rf"{_ON} (?:the )?(?P<what>(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH})(?:,? (?P<year>20\d\d))?)\b(?!\.\d)"
    ),
    vague=rx(
        r"\b(?:recently|lately|the other day|a while (?:ago|back)|earlier(?: today| this)|earlier(?=$|[.,])|last time|next time|the next (?:few|couple)|(?<!as )soon(?!er)|later(?: on| today| this)|later(?=$|[.,])|"
        r"shortly|yesterday|tomorrow|today|tonight|\w+ ago|(?:last|next|this|coming) (?:week|month|year|quarter|sprint|night|weekend|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|"
        r"in (?:a few|some) (?:days|weeks|months)|these days|nowadays|so far|until now|this (?:morning|afternoon|evening))\b"
    ),
    forms=("on {}", "in the week of {}", "in {}", "in {}"),
    means=(
        (r"^(?:the|late|early|earlier|just) (?=day|yesterday|today|a )", ""),
        (r"^tmrw|^tomorow\b", "tomorrow"),
        (r"^(yesterday|tomorrow) \w+$", r"\1"),
        (r" time$", ""),
        (r"^a (?:minute|moment) ago$", "today"),
        (r"\b(?:a )?couple of\b", "2"),
        (r"\b(?:about|around) ", ""),
        (r" back$", " ago"),
        (r"^thurs?$", "thursday"),
        (r"(?<=\d)(?:st|nd|rd|th)\b| of\b", ""),
    ),
    habits=rx(r"\b(?:never|always|every|each|usually|don'?t|do not|no)\b"),
    past=rx(r"\b(?:was|were|did|had|have|has|[a-z]{2,}ed|froze|went|cut|met|left|sent|chose|took|came|broke)\b"),
    future=rx(
        r"\b(?:will|is|are|due|starts?|begins?|ends?|expires?|going to|must|has to|have to|needs? to|planned|scheduled|by)\b"
    ),
    hint=rx(
        rf"\b(?:yesterday|to(?:day|morrow|night)|tomorow|tmrw|ago|back|last|past|next|coming|just now|from now|this (?:morning|afternoon|evening|{_PLAIN_NAME})|"
        rf"in (?:about |around )?{_COUNT} (?:day|week|month|year)s?|(?:on|by|until|till|since|from|before|after|starting) (?:the )?(?:\d|{_PLAIN_NAME}|{_MONTH}))"
    ),
)
