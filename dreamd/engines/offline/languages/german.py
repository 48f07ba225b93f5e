"""How people say in German what should be kept: clear cues only."""

from __future__ import annotations

from dreamd.engines.offline.cues import Cues, Frame, rx, words
from dreamd.engines.protocol import Kind

# A table: one frame a line.
# fmt: off
_FRAMES = (
    Frame("dafuer_nehmen_wir", Kind.CONVENTION, rx(r"^(?:für|bei|zum|zur|als) (?!das|dies|jetzt)[^,?]{2,40} (?:nehmen|verwenden|nutzen|benutzen|setzen|haben) wir (?!das\b|es\b|dies)[^?]{3,}"), 1.25, "Für Logs nehmen wir ausschließlich Loki."),
    Frame("keine_auf", Kind.PROHIBITION, rx(r"^(?:bitte )?keine? [\w-]+ (?:auf|bei|mit|nach|vor|an|unter|außerhalb) (?!das\b|dem Moment)[^?]{3,}"), 1.0, "Keine Deploys nach 16 Uhr."),
    Frame("zustaendig_ist", Kind.PERSON, rx(r"^(?:zuständig|verantwortlich|ansprechpartner(?:in)?)(?: für)? [^?,]{3,40} (?:ist|sind) (?P<person>(?-i:[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+)?))"), 1.25, "Zuständig für den Export ist Heike."),
    Frame("umgestiegen", Kind.DECISION, rx(r"^wir (?:sind|haben)(?: (?:jetzt|inzwischen|gestern))? (?:von|vom) [^?]{2,30} (?:auf|zu|zum|nach) [^?]{2,30} (?:umgestiegen|gewechselt|migriert|umgezogen|umgestellt)"), 1.5, "Wir sind von Redis auf Valkey umgestiegen."),
    Frame("nie", Kind.PROHIBITION, rx(r"^(?:bitte )?(?:niemals|nie(?: wieder)?|auf keinen fall|unter keinen umständen)\b[^?]{4,}"), 1.5, "Niemals direkt auf main pushen."),
    Frame("tail_nie", Kind.PROHIBITION, rx(r"^(?:bitte )?[a-zäöüß]+e?n? (?:bitte )?(?:niemals|nie(?: wieder)?|auf keinen fall)\b[^?]{4,}"), 1.5, "Committe niemals ohne Rückfrage."),
    Frame("keine", Kind.PROHIBITION, rx(r"^(?:bitte )?keine? [A-Za-zÄÖÜäöüß-]+ (?:in|im|ohne|verwenden|benutzen|mehr)\b(?! (?:zeit|ahnung))[^?]{3,}"), 1.0, "Keine Emojis in Commit-Nachrichten."),
    Frame("nicht_ohne", Kind.PROHIBITION, rx(r"^(?:bitte )?[a-zäöüß]+ (?:bitte )?nicht(?:s)? [^?]{0,60}\bohne [^?]{3,}"), 1.25, "Ändere nichts am Schema ohne Absprache."),
    Frame("bevorzuge", Kind.PREFERENCE, rx(r"^ich (?:bevorzuge|mag|hasse|möchte (?:immer|grundsätzlich)|will (?:immer|grundsätzlich)|ziehe)\b(?! (?:das|es|dies)\b)[^?]{4,}"), 1.25, "Ich bevorzuge kurze Funktionen."),
    Frame("immer", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:immer|stets|grundsätzlich|ab (?:jetzt|sofort)|in zukunft|künftig|standardmäßig|jedes mal)\b[^?]{4,}"), 1.5, "Immer zuerst die Tests schreiben."),
    Frame("tail_immer", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:verwende|nutze|benutze|schreib|schreibe|antworte|frag|frage|führe|mach|mache|lass|prüfe|halte) (?:bitte )?(?:immer|stets|grundsätzlich|in zukunft|künftig)\b[^?]{4,}"), 1.5, "Antworte immer auf Deutsch."),
    Frame("statt", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:verwende|nutze|benutze|nimm|schreib|schreibe) (?!es|das|dies)[^?]{2,60}\b(?:statt|anstatt|anstelle|und nicht|, nicht)\b[^?]{2,}"), 1.0, "Verwende uv statt pip."),
    Frame("entschieden", Kind.DECISION, rx(r"^wir (?:haben uns (?:entschieden|geeinigt|festgelegt)|haben (?:beschlossen|vereinbart|entschieden)|sind auf [^?]{2,40} (?:umgestiegen|gewechselt)|wechseln (?:auf|zu))\b[^?]{0,}"), 1.5, "Wir haben beschlossen, beim Monolithen zu bleiben."),
    Frame("wir_nutzen", Kind.CONVENTION, rx(r"^wir (?:immer |grundsätzlich )?(?:verwenden|nutzen|benutzen|schreiben|deployen|unterstützen|speichern|taggen)\b (?!es|das|dies)[^?]{3,}"), 1.25, "Wir verwenden PostgreSQL 16."),
    Frame("zustaendig", Kind.PERSON, rx(r"^(?P<person>(?-i:[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+)?)) (?:ist (?:zuständig|verantwortlich) für|kümmert sich um|betreut)\b[^?]{3,}"), 1.25, "Jana ist verantwortlich für die Abrechnung."),
    Frame("arbeit_immer", Kind.CONVENTION, rx(r"^(?!wenn|warum|wie|was|das|dieser?|diese)(?:alle |jeder? |jedes |neue |unsere )?[\w-]*(?:commit|test|branch|\bpr|kommentar|migration|release|doku|code|variable|funktion|nachricht|log|abhängigkeit|fehlermeldung|schnittstelle|endpunkt|modul)[\w-]*(?: [^?,]{2,30}?)? (?:immer|nur|niemals|nie|müssen|muss|dürfen (?:nicht|nur|nie|kein)|darf (?:nicht|nur|nie|kein)|werden (?:immer|nur|nie))\b(?!.*(?:fehl|kaputt|schief|rot\b|langsam))[^?]{3,}"), 1.0, "Commit-Nachrichten nur auf Englisch, bitte nicht auf Deutsch."),
    Frame("antworte", Kind.PREFERENCE, rx(r"^(?:bitte )?(?:antworte|antworten sie|erkläre?|sprich|fasse? dich|halte? dich|schreib(?:e)?)(?: mir)? (?!das\b|den\b|die\b|einen\b|eine\b|ein\b|es\b)(?:immer |stets |bitte |nur )?(?:kurz|knapp|ausführlich|auf (?:deutsch|englisch)|ohne|einfach|direkt|sachlich|in (?:stichpunkten|ganzen sätzen)|per du)[^?]{0,}"), 1.25, "Antworte kurz und ohne Einleitung."),
)
# fmt: on

GERMAN = Cues(
    code="de",
    frames=_FRAMES,
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
