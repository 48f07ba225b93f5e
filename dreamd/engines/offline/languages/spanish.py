"""How people say in Spanish what should be kept: clear cues only."""

from __future__ import annotations

from dreamd.engines.offline.cues import Cues, Days, Frame, rx, words
from dreamd.engines.protocol import Kind

# A table: one frame a line.
# fmt: off
_FRAMES = (
    Frame("lo_lleva", Kind.PERSON, rx(r"^(?:el|la|los|las) (?!error|problema)[^?¿,]{3,40} (?:lo|la|los|las) (?:lleva|mantiene|gestiona|cuida) (?P<person>(?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+(?: [A-ZÁÉÍÓÚÑ][a-záéíóúñ]+)?))"), 1.25, "El buscador lo lleva Irene."),
    Frame("nunca", Kind.PROHIBITION, rx(r"^(?:por favor,? )?(?:nunca|jamás|bajo ningún concepto|prohibido)\b(?! (?:he|había|mind))[^?¿]{4,}"), 1.5, "Nunca hagas push directo a main."),
    Frame("no_sin", Kind.PROHIBITION, rx(r"^(?:por favor,? )?no [a-záéíóúñ]+[^?¿]{2,80}\bsin [^?¿]{3,}"), 1.25, "No cambies el esquema sin avisar."),
    Frame("no_uses", Kind.PROHIBITION, rx(r"^(?:por favor,? )?no (?:uses|utilices|pongas|agregues|añadas|escribas|vuelvas a) (?!esto|eso|lo|la\b|el\b|este|ese)[^?¿]{3,}"), 1.0, "No uses emojis en los commits."),
    Frame("prefiero", Kind.PREFERENCE, rx(r"^(?:yo )?(?:prefiero|me gusta|no me gusta|odio|detesto)\b(?! (?:esto|eso|este|ese|cómo|la idea))[^?¿]{4,}"), 1.25, "Prefiero funciones cortas."),
    Frame("siempre", Kind.PREFERENCE, rx(r"^(?:por favor,? )?(?:siempre|de ahora en adelante|a partir de ahora|en el futuro|por defecto|cada vez que)\b[^?¿]{4,}"), 1.5, "Siempre ejecuta el linter antes de hacer commit."),
    Frame("tail_siempre", Kind.PREFERENCE, rx(r"^(?:por favor,? )?(?:usa|utiliza|escribe|responde|pregunta|ejecuta|mantén|haz|pon) siempre\b[^?¿]{4,}"), 1.5, "Responde siempre en español."),
    Frame("en_lugar", Kind.PREFERENCE, rx(r"^(?:por favor,? )?(?:usa|utiliza|usemos|escribe) (?!esto|eso|lo\b)[^?¿]{2,60}(?:en lugar de|en vez de|, no )[^?¿]{2,}"), 1.0, "Usa uv en lugar de pip."),
    Frame("decidimos", Kind.DECISION, rx(r"^(?:hemos decidido|decidimos|acordamos|hemos acordado|nos pasamos a|cambiamos a|migramos a)\b[^?¿]{3,}"), 1.5, "Decidimos mantener el monolito."),
    Frame("usamos", Kind.CONVENTION, rx(r"^(?:nosotros )?(?:siempre |ya no )?(?:usamos|utilizamos|escribimos|desplegamos|soportamos|guardamos)\b (?!esto|eso)[^?¿]{3,}"), 1.25, "Usamos PostgreSQL 16."),
    Frame("encarga", Kind.PERSON, rx(r"^(?P<person>(?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+(?: [A-ZÁÉÍÓÚÑ][a-záéíóúñ]+)?)) (?:es (?:el |la )?responsable de|se encarga de|lleva|mantiene)\b[^?¿]{3,}"), 1.25, "Lucía se encarga de la facturación."),
    Frame("trabajo_siempre", Kind.CONVENTION, rx(r"^(?!si |por qué|cómo|qué|est[eao]s? )(?:todos? |todas? |cada )?(?:los |las )?(?!el |la |un )[\w ]{0,14}?(?:commits?|tests?|pruebas?|ramas?|prs?|comentarios?|migraci|documentaci|código|variables?|funci|mensajes?|logs?|dependencias?|nombres?|m[óo]dulos?)[\w ]{0,24}? ?(?:siempre|nunca|solo|sólo|deben?|no (?:deben?|pueden?)|tienen que|van (?:en|con|sin))\b(?!.*(?:fall|rompe|lent))[^?]{3,}"), 1.0, "Los mensajes de commit van en inglés."),
)
# fmt: on

_DAY = r"(?P<name>lunes|martes|miércoles|miercoles|jueves|viernes|sábado|sabado|domingo)"
_COUNT = r"(?:\d{1,3}|un|una|unos|unas|un par de|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce)"
_BEFORE = r"\b(?:(?P<prep>desde|hasta|antes del?|después del?|para) )?"

_DAYS = Days(
    exact=rx(
        rf"{_BEFORE}(?:(?P<what>anoche|anteayer|antes de ayer|antier|ayer(?: por la (?:mañana|tarde|noche))?|hoy|esta (?:mañana|tarde|noche)|pasado mañana|(?<!la )(?<!cada )(?<!una )mañana(?: por la (?:mañana|tarde|noche))?|"
        rf"hace {_COUNT} (?:minutos?|horas?|días?|semanas?|mes(?:es)?|años?)|(?:en|dentro de) {_COUNT} (?:días?|semanas?|mes(?:es)?|años?)))\b"
    ),
    span=rx(
        rf"{_BEFORE}(?:en )?(?P<what>(?:la semana|el mes|el año) (?:pasad[oa]|que viene|próxim[oa]|siguiente)|(?:la|el) (?:próxim[oa]) (?:semana|mes|año))\b"
    ),
    weekday=rx(
        rf"{_BEFORE}(?P<el>el )?(?:(?P<coming>próximo|este) )?{_DAY}(?: (?:(?P<last>pasado)|(?P<coming_after>que viene|próximo)))?\b(?(el)|(?(prep)|(?(last)|(?(coming)|(?(coming_after)|(?!))))))"
    ),
    date=rx(
        r"\b(?:(?P<prep>desde|hasta|antes del?|después del?|para) )?(?:el )?(?P<what>\d{1,2} de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)(?: (?:de|del) (?P<year>20\d\d))?)\b"
    ),
    vague=rx(
        r"\b(?:recientemente|hace poco|últimamente|pronto|más tarde|luego|ayer|anteayer|anoche|hoy|(?<!la )(?<!cada )mañana(?! siguiente)|la semana pasada|la próxima semana|el mes pasado|el próximo (?:mes|año|lunes|martes|miércoles|jueves|viernes)|el año (?:pasado|que viene)|hace un(?:os|as)\b)"
    ),
    forms=("el {}", "en la semana del {}", "en {}", "en {}"),
    alternative=" (o {})",
    means=(
        (r"^anoche$|^ayer por .*", "ayer"),
        (r"^(?:antes de ayer|antier)$", "anteayer"),
        (r"^esta (?:mañana|tarde|noche)$", "hoy"),
        (r"^pasado mañana$", "en 2 días"),
        (r"^mañana por .*", "mañana"),
        (r"\bun par de\b|\bdos\b", "2"),
        (r"\btres\b", "3"),
        (r"\bcuatro\b", "4"),
        (r"\bcinco\b", "5"),
        (r"\bseis\b", "6"),
        (r"\bsiete\b", "7"),
        (r"\bocho\b", "8"),
        (r"\bnueve\b", "9"),
        (r"\bdiez\b", "10"),
        (r"\bdoce\b", "12"),
        (r"\bun[oa]?\b(?= )", "1"),
        (r"^(la|el) (semana|mes|año) (?:que viene|próxim[oa]|siguiente)$", r"\1 próximo \2"),
        (r"^la próximo semana$", "la próxima semana"),
        (r" del (?=20)", " de "),
    ),
    habits=rx(r"\b(?:nunca|siempre|cada|no|todos|los|jamás)\b"),
    past=rx(r"\b(?:fue|era|hicimos|\w{2,}(?:amos|imos|aron|ieron|ó)|hemos|han|ha)\b"),
    future=rx(r"\b(?:será|vence|empieza|termina|es|hay que|debe|tiene que|van? a|para|hasta)\b"),
    hint=rx(
        r"anoche|ayer|antier|\bhoy\b|mañana|\besta (?:tarde|noche)|\bhace \w|\b(?:en|dentro de) \w+ (?:día|semana|mes|año)|pasad[oa]|próxim|que viene|siguiente|lunes|martes|rcoles|jueves|viernes|s[áa]bado|domingo|\d de \w"
    ),
)

SPANISH = Cues(
    code="es",
    frames=_FRAMES,
    days=_DAYS,
    heads=rx(
        r"^(?:(?:ok|vale|bien|sí|bueno|y|pero|también|además|por cierto|por favor|gracias|hola|entonces)[\s,.:;!–—-]+)"
    ),
    corrections=rx(r"^(?:no,|incorrecto|está mal|en realidad|para)[\s,.:;!–—-]+"),
    stresses=rx(r"^(?:recuerda|ten en cuenta|importante|acuérdate)(?:,? (?:de )?que)?[\s,:]+"),
    hedges=rx(r"\b(?:quizás?|tal vez|a lo mejor|probablemente|creo|parece)\b"),
    questions=rx(r"[?¿]|^(?:qué|cómo|dónde|cuándo|por qué|quién|cuál|puedes|podrías|podemos)\b"),
    ephemeral=rx(
        r"\b(?:hoy|mañana|ayer|ahora mismo|por ahora|esta vez|temporalmente|de momento|en est[ea] (?:rama|archivo|pr|commit)|todavía|botón|menú|pantalla|ventana)\b"
    ),
    pointers=rx(r"#\d+|\bopción \d|\b(?:esto|eso|est[ea]|es[ea]|aquí|allí)\b"),
    lasting=rx(r"\b(?:siempre|nunca|jamás|por defecto)\b"),
    reasons=rx(r"\b(?:porque|para que|ya que|si no)\b"),
    tied=rx(r"`[^`]+`|[\w-]+/[\w-]+|\b\w+\.[a-z]{2,4}\b|\b\w+_\w+\b|(?-i:\b[a-z]+[A-Z]\w+)|@\w+|\d"),
    asides=rx(r"^en (?:este|el|nuestro) (?:proyecto|repo(?:sitorio)?),? "),
    telling=words("usamos usa utiliza utilizamos nunca siempre prefiero"),
)
