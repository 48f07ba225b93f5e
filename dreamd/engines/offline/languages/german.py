"""How people say in German what should be kept: clear cues only."""

from __future__ import annotations

from dreamd.engines.offline.cues import Cues, Days, Frame, rx, words
from dreamd.engines.protocol import Kind

# A table: one frame a line.
# fmt: off
_FRAMES = (
    Frame("dafuer_nehmen_wir", Kind.CONVENTION, rx(r"^(?:für|bei|zum|zur|als) (?!das|dies|jetzt)[^,?]{2,40} (?:nehmen|verwenden|nutzen|benutzen|setzen|haben) wir (?!das\b|es\b|dies)[^?]{3,}"), 1.25, "Für Logs nehmen wir ausschließlich Loki."),
    Frame("keine_auf", Kind.PROHIBITION, rx(r"^(?:bitte )?keine? [\w-]+ (?:auf|bei|mit|nach|vor|an|unter|außerhalb) (?!das\b|dem Moment)[^?]{3,}"), 1.0, "Keine Deploys nach 16 Uhr."),
    Frame("zustaendig_ist", Kind.PERSON, rx(r"^(?:zuständig|verantwortlich|ansprechpartner(?:in)?)(?: für)? [^?,]{3,40} (?:ist|sind) (?P<person>(?-i:[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+)?))"), 1.25, "Zuständig für den Export ist Heike."),
    Frame("umgestiegen", Kind.DECISION, rx(r"^(?:wir (?:sind|haben)|(?:sind|haben) wir)(?: (?:jetzt|inzwischen))? (?:von|vom) [^?]{2,30} (?:auf|zu|zum|nach) [^?]{2,30} (?:umgestiegen|gewechselt|migriert|umgezogen|umgestellt)"), 1.5, "Wir sind von Redis auf Valkey umgestiegen."),
    Frame("nie", Kind.PROHIBITION, rx(r"^(?:bitte )?(?:niemals|nie(?: wieder)?|auf keinen fall|unter keinen umständen)\b[^?]{4,}"), 1.5, "Niemals direkt auf main pushen."),
    Frame("tail_nie", Kind.PROHIBITION, rx(r"^(?:bitte )?[a-zäöüß]+e?n? (?:bitte )?(?:niemals|nie(?: wieder)?|auf keinen fall)\b[^?]{4,}"), 1.5, "Committe niemals ohne Rückfrage."),
    Frame("keine", Kind.PROHIBITION, rx(r"^(?:bitte )?keine? [A-Za-zÄÖÜäöüß-]+ (?:in|im|ohne|verwenden|benutzen|mehr)\b(?! (?:zeit|ahnung))[^?]{3,}"), 1.0, "Keine Emojis in Commit-Nachrichten."),
    Frame("nicht_ohne", Kind.PROHIBITION, rx(r"^(?:bitte )?[a-zäöüß]+ (?:bitte )?nicht(?:s)? [^?]{0,60}\bohne [^?]{3,}"), 1.25, "Ändere nichts am Schema ohne Absprache."),
    Frame("bevorzuge", Kind.PREFERENCE, rx(r"^ich (?:bevorzuge|mag|hasse|möchte (?:immer|grundsätzlich)|will (?:immer|grundsätzlich)|ziehe)\b(?! (?:das|es|dies)\b)[^?]{4,}"), 1.25, "Ich bevorzuge kurze Funktionen."),
    Frame("immer", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:immer|stets|grundsätzlich|ab (?:jetzt|sofort)|in zukunft|künftig|standardmäßig|jedes mal)\b[^?]{4,}"), 1.5, "Immer zuerst die Tests schreiben."),
    Frame("tail_immer", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:verwende|nutze|benutze|schreib|schreibe|antworte|frag|frage|führe|mach|mache|lass|prüfe|halte) (?:bitte )?(?:immer|stets|grundsätzlich|in zukunft|künftig)\b[^?]{4,}"), 1.5, "Antworte immer auf Deutsch."),
    Frame("statt", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:verwende|nutze|benutze|nimm|schreib|schreibe) (?!es|das|dies)[^?]{2,60}\b(?:statt|anstatt|anstelle|und nicht|, nicht)\b[^?]{2,}"), 1.0, "Verwende uv statt pip."),
    Frame("entschieden", Kind.DECISION, rx(r"^(?:haben wir (?:uns (?:entschieden|geeinigt|festgelegt)|beschlossen|vereinbart|entschieden)|wir haben uns (?:entschieden|geeinigt|festgelegt)|wir haben (?:beschlossen|vereinbart|entschieden)|wir (?:sind auf [^?]{2,40} (?:umgestiegen|gewechselt)|wechseln (?:auf|zu)))\b[^?]{0,}"), 1.5, "Wir haben beschlossen, beim Monolithen zu bleiben."),
    Frame("wir_nutzen", Kind.CONVENTION, rx(r"^wir (?:immer |grundsätzlich )?(?:verwenden|nutzen|benutzen|schreiben|deployen|unterstützen|speichern|taggen)\b (?!es|das|dies)[^?]{3,}"), 1.25, "Wir verwenden PostgreSQL 16."),
    Frame("zustaendig", Kind.PERSON, rx(r"^(?P<person>(?-i:[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+)?)) (?:ist (?:zuständig|verantwortlich) für|kümmert sich um|betreut)\b[^?]{3,}"), 1.25, "Jana ist verantwortlich für die Abrechnung."),
    Frame("arbeit_immer", Kind.CONVENTION, rx(r"^(?!wenn|warum|wie|was|das|dieser?|diese)(?:alle |jeder? |jedes |neue |unsere )?[\w-]*(?:commit|test|branch|\bpr|kommentar|migration|release|doku|code|variable|funktion|nachricht|log|abhängigkeit|fehlermeldung|schnittstelle|endpunkt|modul)[\w-]*(?: [^?,]{2,30}?)? (?:immer|nur|niemals|nie|müssen|muss|dürfen (?:nicht|nur|nie|kein)|darf (?:nicht|nur|nie|kein)|werden (?:immer|nur|nie))\b(?!.*(?:fehl|kaputt|schief|rot\b|langsam))[^?]{3,}"), 1.0, "Commit-Nachrichten nur auf Englisch, bitte nicht auf Deutsch."),
    Frame("antworte", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:antworte|antworten sie|erkläre?|sprich|fasse? dich|halte? dich|schreib(?:e)?)(?: mir)? (?!das\b|den\b|die\b|einen\b|eine\b|ein\b|es\b)(?:immer |stets |bitte |nur )?(?:kurz|knapp|ausführlich|auf (?:deutsch|englisch)|ohne|einfach|direkt|sachlich|in (?:stichpunkten|ganzen sätzen)|per du)[^?]{0,}"), 1.25, "Antworte kurz und ohne Einleitung."),
)
# fmt: on

_DAY = r"(?P<name>montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)"
_COUNT = r"(?:\d{1,3}|einer|einem|ein paar|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf)"
_BEFORE = r"\b(?:(?P<prep>seit|bis|ab|nach|von|vor) )?"

_DAYS = Days(
    exact=rx(
        rf"{_BEFORE}(?:(?P<night>letzte nacht)|(?P<what>vorgestern|(?:gestern|heute)(?: (?:morgen|früh|vormittag|mittag|nachmittag|abend|nacht))?|übermorgen|(?<!am )(?<!jeden )(?<!guten )(?:(?-i:\bmorgen)|^morgen)(?: (?:früh|vormittag|mittag|nachmittag|abend))?|"
        rf"vor {_COUNT} (?:minuten?|stunden?|tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)|in {_COUNT} (?:tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)))\b"
    ),
    span=rx(
        rf"{_BEFORE}(?:in der |im )?(?P<what>(?:letzte[rnms]?|vergangene[rnms]?|nächste[rnms]?|kommende[rnms]?) (?:woche|monat|jahr))\b"
    ),
    weekday=rx(
        rf"{_BEFORE}(?:(?P<am>am) )?(?:(?P<last>letzten|vergangenen) |(?P<next>nächsten) |(?P<coming>diesen|kommenden) |(?(am)|(?(prep)|(?!)))){_DAY}\b"
    ),
    date=rx(
        r"\b(?:(?P<prep>seit|bis|ab|nach|von|vor)(?: dem| zum)? |(?:am|zum|vom) )?(?P<what>(?<![\d.])\d{1,2}\. ?(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)(?: (?P<year>20\d\d))?)\b"
    ),
    vague=rx(
        r"\b(?:neulich|kürzlich|vor kurzem|demnächst|bald|später|gestern|vorgestern|heute|übermorgen|morgen früh|(?:letzte|nächste|diese|kommende)[rnms]? (?:woche|monat|jahr|mal|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)|vor ein paar \w+|in ein paar \w+)\b"
    ),
    forms=("am {}", "in der Woche vom {}", "im Monat {}", "im Jahr {}"),
    alternative=" (oder {})",
    means=(
        (r"^(gestern|heute|morgen) \w+$", r"\1"),
        (r"sonnabend", "samstag"),
        (r"ein paar", "2"),
        (r"(?:vergangene)([rnms]?) ", r"letzte\1 "),
        (r"kommende([rnms]?) ", r"nächste\1 "),
        (r"^(letzte|nächste)\w* woche", r"\1 woche"),
        (r"^(letzte|nächste)\w* monat", r"\1n monat"),
        (r"^(letzte|nächste)\w* jahr", r"\1s jahr"),
    ),
    habits=rx(r"\b(?:nie|niemals|immer|jede[nrms]?|kein\w*|nicht|nur)\b"),
    past=rx(r"\b(?:war(?:en)?|wurde[n]?|hatten?|haben|hat|sind|ge\w{2,}[nt])\b"),
    future=rx(r"\b(?:wird|werden|muss|müssen|soll(?:en)?|ist (?:am|bis)|endet|beginnt|startet|fällig|bis)\b"),
    hint=rx(
        r"gestern|heute|morgen|\bvor \w+|\bin \w+ (?:tag|woche|monat|jahr)|letzt|nächst|kommend|vergangen|diesen|tag\b|mittwoch|sonnabend|\d\. ?[jfmasond]"
    ),
)

GERMAN = Cues(
    code="de",
    frames=_FRAMES,
    days=_DAYS,
    heads=rx(r"^(?:(?:ok|okay|gut|ja|also|und|aber|auch|außerdem|übrigens|bitte|danke|hallo|hey|so)[\s,.:;!–—-]+)"),
    corrections=rx(r"^(?:nein|falsch|stopp|stop|eigentlich|nicht so)[\s,.:;!–—-]+"),
    stresses=rx(r"^(?:merk dir|denk daran|beachte|wichtig)(?:,? dass)?[\s,:]+"),
    hedges=rx(r"\b(?:vielleicht|eventuell|möglicherweise|glaube|wahrscheinlich|scheint)\b"),
    questions=rx(r"\?|^(?:was|wie|wo|wann|warum|wer|welche[rs]?|kannst|könntest|können|ist|sind|hast)\b"),
    ephemeral=rx(
        r"\b(?:heute|morgen|gestern|gerade|erstmal|vorerst|diesmal|vorübergehend|in diese[mr] (?:branch|datei|pr|commit)|noch nicht|button|menü|dialog|fenster|bildschirm)\b"
    ),
    pointers=rx(r"#\d+|\boption \d|\b(?:dies(?:e[rsmn]?)?|das da|dort|hier)\b"),
    lasting=rx(r"\b(?:immer|nie|niemals|stets|grundsätzlich|künftig)\b"),
    reasons=rx(r"\b(?:weil|damit|sonst|da wir)\b"),
    tied=rx(r"`[^`]+`|[\w-]+/[\w-]+|\b\w+\.[a-z]{2,4}\b|\b\w+_\w+\b|(?-i:\b[a-z]+[A-Z]\w+)|@\w+|\d"),
    asides=rx(r"^in diesem (?:projekt|repo(?:sitory)?),? "),
    telling=words("verwende nutze verwenden nutzen niemals immer bitte"),
)
