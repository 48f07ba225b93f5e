"""How people say in French what should be kept: clear cues only."""

from __future__ import annotations

from dreamd.engines.offline.cues import Cues, Frame, rx, words
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

FRENCH = Cues(
    code="fr",
    frames=_FRAMES,
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
