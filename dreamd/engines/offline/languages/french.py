"""How people say in French what should be kept: clear cues only."""

from __future__ import annotations

from dreamd.engines.offline.cues import Cues, Days, Frame, rx, words
from dreamd.engines.protocol import Kind

# A table: one frame a line.
# fmt: off
_FRAMES = (
    Frame("c_est_qui", Kind.PERSON, rx(r"^c'est (?P<person>(?-i:[A-ZÀ-Ü][a-zà-ü]+(?: [A-ZÀ-Ü][a-zà-ü]+)?)) qui (?:s'occupe|gère|maintient|est responsable|pilote|valide)[^?]{3,}"), 1.25, "C'est Inès qui gère la facturation."),
    Frame("chez_nous", Kind.CONVENTION, rx(r"^(?:chez nous|dans l'équipe|ici),? (?:on|nous) (?:toujours |ne )?[a-zà-ü]+ [^?]{4,}"), 1.25, "Chez nous on signe chaque commit."),
    Frame("jamais", Kind.PROHIBITION, rx(r"^(?:s'il (?:te|vous) plaît,? )?(?:ne |n')[^?]{2,40}\bjamais\b[^?]{3,}"), 1.5, "Ne pousse jamais directement sur main."),
    Frame("interdit", Kind.PROHIBITION, rx(r"^(?:jamais d(?:e |')|interdit de |interdiction de |pas d(?:e |')|aucune? )(?!problème|souci)[^?]{3,40} (?:dans|en|sans|sur)\b[^?]{2,}"), 1.0, "Pas de logs dans les tests."),
    Frame("ne_sans", Kind.PROHIBITION, rx(r"^(?:ne |n')[^?]{2,60}\b(?:pas|rien)\b[^?]{2,60}\bsans [^?]{3,}"), 1.25, "Ne change pas le schéma sans accord."),
    Frame("prefere", Kind.PREFERENCE, rx(r"^(?:je préfère|j'aime|je n'aime pas|je déteste|j'aimerais toujours)\b(?! (?:ça|cela|ce|cette|bien l'idée))[^?]{4,}"), 1.25, "Je préfère les fonctions courtes."),
    Frame("toujours", Kind.PREFERENCE, rx(r"^(?:s'il (?:te|vous) plaît,? )?(?:toujours|désormais|dorénavant|à partir de maintenant|à l'avenir|par défaut|à chaque fois)\b[^?]{4,}"), 1.5, "Toujours lancer le linter avant de committer."),
    Frame("tail_toujours", Kind.PREFERENCE, rx(r"^(?:utilise[zr]?|écri[st]|répond[sz]?|réponde[zr]|demande[zr]?|lance[zr]?|garde[zr]?|mets|fais) toujours\b[^?]{4,}"), 1.5, "Réponds toujours en français."),
    Frame("au_lieu", Kind.PREFERENCE, rx(r"^(?:utilise[zr]?|utilisons|prends|écris) (?!ça|cela|ce )[^?]{2,60}(?:au lieu de|à la place de|plutôt que|, pas )[^?]{2,}"), 1.0, "Utilise uv au lieu de pip."),
    Frame("decide", Kind.DECISION, rx(r"^(?:nous avons|on a) (?:décidé|choisi|convenu|opté|migré|adopté)\b[^?]{3,}"), 1.5, "Nous avons décidé de garder le monolithe."),
    Frame("utilisons", Kind.CONVENTION, rx(r"^(?:nous (?:utilisons|écrivons|déployons|gardons|supportons)|on (?:utilise|écrit|déploie|garde|supporte)(?: toujours)?)\b (?!ça|cela|ce )[^?]{3,}"), 1.25, "Nous utilisons PostgreSQL 16."),
    Frame("responsable", Kind.PERSON, rx(r"^(?P<person>(?-i:[A-ZÀ-Ü][a-zà-ü]+(?: [A-ZÀ-Ü][a-zà-ü]+)?)) (?:est responsable de|s'occupe de|gère|maintient)\b[^?]{3,}"), 1.25, "Chloé s'occupe de la facturation."),
    Frame("travail_toujours", Kind.CONVENTION, rx(r"^(?!si |pourquoi|comment|que |cet?te? |ces )(?:tou(?:s|tes) |chaque )?(?:les )?(?!le |la |l'|un )[\w ]{0,14}?(?:commits?|tests?|branches?|prs?|commentaires?|migrations?|docs?|documentation|code|variables?|fonctions?|messages?|logs?|dépendances?|noms?|modules?)[\w ]{0,24}? ?(?:toujours|jamais|uniquement|seulement|doivent|doit|ne doi(?:ven)?t (?:pas|jamais)|sont (?:toujours|uniquement))\b(?!.*(?:échou|plant|cass|lent))[^?]{3,}"), 1.0, "Les tests doivent passer avant chaque fusion."),
)
# fmt: on

_DAY = r"(?P<name>lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
_COUNT = r"(?:\d{1,3}|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze)"
_BEFORE = r"\b(?:(?P<prep>depuis|jusqu['’]à|avant|après|dès|pour) )?"

_DAYS = Days(
    exact=rx(
        rf"{_BEFORE}(?P<what>avant[- ]hier|hier(?: (?:matin|après-midi|soir))?|aujourd['’]hui|ce (?:matin|soir)|cet après-midi|après-demain|(?<!le )demain(?: (?:matin|soir|après-midi))?|"
        rf"il y a {_COUNT} (?:minutes?|heures?|jours?|semaines?|mois|ans?|années?)|dans {_COUNT} (?:jours?|semaines?|mois|ans?|années?))\b"
    ),
    span=rx(rf"{_BEFORE}(?P<what>(?:la semaine|le mois|l['’]an|l['’]année) (?:derni(?:er|ère)|prochaine?|passée?))\b"),
    weekday=rx(
        rf"(?<!le )(?<!les )(?<!chaque ){_BEFORE}(?:(?P<coming>ce) )?{_DAY}(?: (?:(?P<last>dernier)|(?P<coming_after>prochain)))?\b"
    ),
    date=rx(
        r"\b(?:(?P<prep>depuis|jusqu['’]au|avant|après|dès|pour)(?: le)? |(?:le|du) )?(?P<what>(?:1er|\d{1,2}) (?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)(?: (?P<year>20\d\d))?)\b"
    ),
    vague=rx(
        r"\b(?:récemment|dernièrement|bientôt|plus tard|tout à l['’]heure|l['’]autre jour|hier(?= |$|[,.])|avant-hier|aujourd['’]hui|(?<!le )demain|(?:la semaine|le mois|l['’]an|l['’]année) (?:derni(?:er|ère)|prochaine?)|il y a quelques \w+|dans quelques \w+)"
    ),
    forms=("le {}", "dans la semaine du {}", "en {}", "en {}"),
    alternative=" (ou {})",
    means=(
        (r"’", "'"),
        (r"^avant hier$", "avant-hier"),
        (r"^(hier|demain) .*$", r"\1"),
        (r"^ce .*|^cet .*", "aujourd'hui"),
        (r"^l'an(?:née)? (?:derni\w+|passée?)$", "l'année dernière"),
        (r"^l'an(?:née)? prochaine?$", "l'année prochaine"),
        (r"^le mois passé$", "le mois dernier"),
        (r"^la semaine passée$", "la semaine dernière"),
    ),
    habits=rx(r"\b(?:jamais|toujours|chaque|tous|pas)\b"),
    past=rx(r"\b(?:était|a|avons|ont|a été|sommes|est pass\w+)\b"),
    future=rx(r"\b(?:sera|doit|faut|commence|finit|expire|est (?:prévu|pour)\w*|va|vont|avant|pour)\b"),
    hint=rx(
        r"\bhier|aujourd|demain|\bce (?:matin|soir)|cet après|\bil y a|\bdans \w+ (?:jour|semaine|mois|an)|derni|prochain|passé|di\b|dimanche|\d (?:jan|fév|mar|avr|mai|jui|ao|sep|oct|nov|déc)|1er"
    ),
)

FRENCH = Cues(
    code="fr",
    frames=_FRAMES,
    days=_DAYS,
    heads=rx(
        r"^(?:(?:ok|bon|bien|oui|alors|et|mais|aussi|en plus|au fait|merci|bonjour|salut|donc|s'il te plaît|stp|svp)[\s,.:;!–—-]+)"
    ),
    corrections=rx(r"^(?:non|faux|en fait|pas comme ça|stop)[\s,.:;!–—-]+"),
    stresses=rx(r"^(?:rappelle-toi|souviens-toi|note|n'oublie pas|important)(?:,? que)?[\s,:]+"),
    hedges=rx(r"\b(?:peut-être|probablement|je crois|il semble|éventuellement)\b"),
    questions=rx(r"\?|^(?:que|quoi|comment|où|quand|pourquoi|qui|quel(?:le)?s?|peux-tu|pouvez|est-ce)\b"),
    ephemeral=rx(
        r"\b(?:aujourd'hui|demain|hier|pour l'instant|pour le moment|cette fois|temporairement|dans (?:cette|ce) (?:branche|fichier|pr|commit)|encore|bouton|menu|écran|fenêtre)\b"
    ),
    pointers=rx(r"#\d+|\boption \d|\b(?:ceci|cela|ça|cette|ici)\b"),
    lasting=rx(r"\b(?:toujours|jamais|désormais|par défaut)\b"),
    reasons=rx(r"\b(?:parce que|car|pour que|sinon|puisque)\b"),
    tied=rx(r"`[^`]+`|[\w-]+/[\w-]+|\b\w+\.[a-z]{2,4}\b|\b\w+_\w+\b|(?-i:\b[a-z]+[A-Z]\w+)|@\w+|\d"),
    asides=rx(r"^dans ce (?:projet|dépôt),? |,? dans ce projet$"),
    telling=words("utilise utilisons jamais toujours"),
)
