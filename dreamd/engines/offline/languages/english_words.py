"""The English words that rules and marks are made of."""

from __future__ import annotations

from dreamd.engines.offline.cues import words

#: Words of English alone among the languages that people write to agents in: with one of them, a sentence full of names is English.
ONLY_ENGLISH = words(
    "the and of are you not with this that from should must never always every before after only instead without it's their they "
    "which when where what because our one"
)

#: Verbs that begin an imperative (base forms of what people ask of an agent or of themselves).
VERBS = (
    "accept|add|address|adopt|aim|align|allow|amend|analy[sz]e|announce|answer|append|apply|archive|ask|assert|assume|attach|avoid|await|backport|base|batch|be|begin|"
    "block|branch|break|bring|build|bump|bundle|cache|call|cancel|capture|change|check|checkout|choose|cite|clean|clear|clone|close|come|"
    "comment|commit|compare|compile|configure|confirm|connect|consider|continue|convert|copy|cover|create|cut|debug|decide|default|defer|define|"
    "delegate|delete|deploy|deprecate|describe|design|diff|disable|discuss|display|document|do|don'?t|double[- ]?check|download|draft|drop|dump|edit|emit|enable|encode|end|"
    "enforce|ensure|escape|evaluate|examine|exclude|execute|expect|explain|export|expose|extract|fail|favou?r|fetch|figure|filter|find|finish|fix|focus|follow|"
    "force|forget|format|generate|get|give|go|group|guard|guess|handle|have|help|hide|hit|host|identify|ignore|implement|import|improve|include|increase|indent|"
    "inline|insert|inspect|install|integrate|introduce|investigate|invoke|isolate|keep|kill|know|label|launch|leave|let|limit|link|lint|list|load|log|"
    "look|lower|maintain|make|mark|match|mention|merge|migrate|mock|modify|monitor|move|name|note|omit|open|optimi[sz]e|order|"
    "paginate|parse|pass|paste|patch|perform|pick|pin|place|plan|point|prefer|prefix|prepare|present|print|prioriti[sz]e|proceed|produce|propose|"
    "provide|prune|publish|pull|push|put|quote|raise|read|rebase|rebuild|record|reduce|ref(?:er(?:ence)?|actor)|release|rely|remember|remind|remove|"
    "rename|render|reopen|reorgani[sz]e|repeat|replace|reply|report|reproduce|request|require|rerun|research|reset|resolve|respect|respond|restart|restore|"
    "retry|return|reuse|revert|review|revise|rewrite|roll|rotate|run|save|scan|search|see|select|send|separate|serve|set|share|ship|show|sign|simplify|skip|"
    "solve|sort|spawn|specify|split|squash|stage|start|stash|state|stay|step|stick|stop|store|structure|submit|suggest|summari[sz]e|support|"
    "switch|sync|tag|take|talk|target|tell|test|think|throw|tidy|touch|trace|track|translate|treat|trim|trust|try|turn|undo|"
    "regenerate|reindex|reinstall|redeploy|republish|recreate|reformat|escalate|quarantine|saniti[sz]e|freeze|stub|bootstrap|seed|backfill|flag|ping|throttle|"
    "uninstall|unify|update|upgrade|upload|use|validate|verify|version|wait|walk|warn|watch|wire|work|wrap|write"
)
#: Verbs of that list that hardly ever stand as a noun: no subject begins with one ("remove the plugin no longer needed").
VERBS_ONLY = (
    "accept|add|adopt|allow|analy[sz]e|announce|append|apply|ask|assert|assume|attach|avoid|await|become|begin|bring|choose|clarify|clean|clear|compare|compile|"
    "configure|confirm|consider|continue|convert|create|decide|define|delegate|delete|deprecate|describe|discuss|display|do|don'?t|edit|emit|enable|encode|enforce|"
    "ensure|evaluate|examine|exclude|execute|expect|explain|expose|extract|fetch|figure|follow|forget|generate|get|give|go|have|hide|identify|ignore|implement|"
    "improve|include|insert|inspect|install|integrate|introduce|investigate|invoke|isolate|keep|kill|know|leave|let|look|maintain|make|mention|migrate|modify|monitor|"
    "move|omit|open|optimi[sz]e|perform|pick|prefer|prepare|prioriti[sz]e|proceed|produce|propose|provide|prune|put|raise|read|rebase|rebuild|reduce|refactor|refer|rely|remember|"
    "remind|remove|rename|render|reopen|reorgani[sz]e|repeat|replace|reply|reproduce|require|rerun|resolve|respond|restart|restore|reuse|revert|revise|rewrite|"
    "run|save|see|select|send|separate|set|simplify|skip|solve|spawn|specify|split|squash|start|stay|stick|stop|submit|suggest|summari[sz]e|switch|sync|take|talk|tell|"
    "think|throw|tidy|treat|trim|trust|try|turn|undo|uninstall|unify|update|upgrade|use|validate|verify|wait|walk|warn|wrap|write"
)
#: Verbs that order a piece of work; a rule is seldom made with them.
WORK = (
    "update|add|fix|create|remove|delete|implement|investigate|check|review|look|find|change|move|rename|clean|apply|replace|refactor|generate|list|show|draft|open|close|merge|build|rebuild|"
    "install|copy|extract|go|do|make|repeat|search|scan|read|spawn|submit|push|rerun|see|tell|give|print|debug|help|try|set|get|convert|split|explain|describe|compare|analy[sz]e|document"
)
#: Verbs whose present tense tells a habit when "we" is the subject.
HABIT = (
    "use|run|deploy|keep|store|host|follow|track|name|write|prefer|ship|release|publish|rely|lint|format|pin|squash|rebase|merge|tag|log|support|"
    "target|avoid|require|cache|manage|maintain|version|document|mock|commit|branch|review|stick|enforce|treat|serve|expose|sign|indent|"
    "standardi[sz]e|develop|test|build|configure|own|measure|bill|charge|schedule|monitor|back up|add|do [a-z]+-[a-z]+|go through"
)
#: Verbs of lasting choices.
CHOICE = (
    "use|adopt|keep|drop|support|remove|deprecate|replace|move|migrate|switch|rename|store|standardi[sz]e|stick|stay|host|publish|follow|"
    "require|rely|stop using|get rid of|treat|go with|call|avoid|prefer|archive|ship|deploy|release|split|target|retire|phase out"
)
CHOSEN = (
    "standardi[sz]ed|switched|moved|migrated|renamed|adopted|dropped|deprecated|"
    "replaced|retired|archived|went with|upgraded|downgraded|ported|converted"
)
HAPPENED = (
    "froze|frozen|released|tagged|shipped|deployed|published|merged|migrated|switched|moved|upgraded|downgraded|launched|decided|agreed|signed|renamed|"
    "dropped|deprecated|replaced|archived|rolled (?:back|out)|rotated|enabled|disabled|hired|joined|left|adopted|introduced|cut over|bought|"
    "cancelled|canceled|postponed|approved|certified|expired|started|stopped|finished|completed|ended|opened|closed|handed over|took over"
)
RELEASE = r"(?:tagged|released|shipped|deployed|published|launched|cut|rolled back|promoted)"
SUBJECT = r"(?P<subject>[\w`@./~$*:+#'\"()<>{}-]+(?: [\w`@./~$*:+#'\"()<>{},-]+){0,8}?)"
#: A subject without an article, or of everything of its kind: what is said of it lasts.
GENERIC = (
    r"(?P<subject>(?!the\b|my\b|your\b|an?\b|this\b|that\b|its\b)[\w`@./~$*:+#'\"-]+(?: [\w`@./~$*:+#'\"-]+){0,5}?)"
)
TOOL = (
    r"(?:`[^`]{3,120}`|(?:npm|npx|pnpm|yarn|bun|deno|make|just|cargo|go|pytest|python3?|uv|uvx|tox|nox|hatch|poetry|pdm|docker|podman|kubectl|helm|gradle|"
    r"\./[\w./-]+|mvn|mix|rake|rails|bundle|mise|task|dotnet|bazel|terraform|ansible|composer|php|ctest|cmake|ninja|swift|flutter|ruff|mypy|"
    r"vitest|jest|playwright|pre-commit|nix|sbt|lein|stack|cabal|zig) [\w:./=@+-]+(?: [\w:./=@+-]+){0,6})"
)
ATTRIBUTE = (
    "ports?|versions?|branch|database|db|urls?|host(?:name)?|address|endpoint|name|path|directory|folder|location|manager|strategy|scheme|layer|"
    "library|framework|queue|region|zone|timezone|owner|lead|maintainer|command|limit|timeout|retention|budget|threshold|deadline|licen[cs]e|format|"
    "style|convention|rule|policy|pattern|language|runtime|registry|bucket|cluster|namespace|prefix|suffix|default|target|runner|linter|formatter|server|provider|"
    "backend|broker|cache|storage|stack|orm|shell|editor|bundler|compiler|interpreter|image|schema|encoding|locale|currency|unit|indentation|spelling|"
    "width|length|size|interval|frequency|cadence|window|quota|ttl|mode|environment|account|workspace|board|project|repo(?:sitory)?|remote|goal|approach|"
    "source of truth|entry ?point|tracker|channel"
)
STATE = (
    r"(?:deprecated|unsupported|unmaintained|being phased out|phased out|read[- ]only|write[- ]only|private|public|gitignored|git-ignored|signed|opt[- ]in|opt[- ]out|"
    r"mandatory|required|optional|protected|frozen|sealed|legacy|archived|obsolete|forbidden|banned|off[- ]limits|generated|auto-?generated|vendored|idempotent|append[- ]only|immutable|case[- ]sensitive|"
    r"case[- ]insensitive|out of scope|third[- ]party|proprietary|open[- ]source|self[- ]hosted|air[- ]gapped|zero[- ]indexed|one[- ]indexed|in UTC|"
    r"no longer (?:used|supported|maintained|available|required|in use)|not (?:used|supported|maintained|in use|part of))"
)
STANDING = (
    "uses?|requires?|supports?|covers?|depends? on|belongs? to|consists? of|contains?|talks? to|speaks?|go(?:es)? through|comes? from|writes? to|reads? from|"
    "is built (?:with|on)|are built (?:with|on)|is written in|are written in|is backed by|is owned by|is maintained by|is generated (?:by|from)|are generated (?:by|from)|"
    "is deployed (?:by|to|on|with|via|from)|are deployed (?:by|to|on|with|via|from)|is managed (?:by|in)|are managed (?:by|in)|is behind|is capped at|are capped at|is limited to|are limited to|"
    "is configured (?:in|by|via)|are configured (?:in|by|via)|defaults? to|is replaced by|are replaced by|is based on|are based on|is gated by|expires? after|is versioned (?:by|with)"
)
MADE = "(?:is|are) (?:built|written|deployed|hosted|managed|maintained|owned|generated|configured|versioned|published|signed|cached|billed|backed|powered|protected|done|handled|implemented|tracked|collected|served) (?:with|on|in|by|via|to|from|at|using)|requires?|supports?|depends? on|defaults? to|expires? after"
PLACE = (
    "lives?|is located|are located|is stored|are stored|is kept|are kept|sits?|resides?|is hosted|are hosted|runs?|listens?|is served|is reachable|"
    "is available|is defined|are defined|is documented|are documented|is tracked|are tracked|go(?:es)?|belongs?|is exposed|must listen|should listen|must run|should run|should live|must live"
)
#: Verbs after "we" that tell of the moment, of a wish or of what is in somebody's head.
NOT_HABIT = (
    r"(?:need|want|have|had|has|are|were|was|will|would|can|could|should|must|may|might|did|does|do|don|get|got|see|saw|think|know|try|tried|go|went|going|wait|lose|lost|fail|miss|talk|discuss|meet|start|"
    r"come|came|hope|decide|look|find|found|forget|forgot|end|agree|just|only|already|first|then|also|never|always|still|probably|really|now|both|wonder|guess|hit|saw|made|froze|spent|won|held|caught|brought|taught|got|previously|recently|once|used to|kept|sold|bought|drew|grew|ran|make|let|face|said|say|spoke|feel|felt|like|"
    r"love|hate|ran|left|put|set|cut|sent|broke|wrote|took|gave|knew|thought|met|built|chose|kept|plan|intend|expect|aim|consider|leave|finish|continue|stop|begin|open|close|restart|currently|usually|actually|currently|might|ought|ask|fix|debug|"
    r"experience|encounter|observe|notice|receive|suffer|struggle|work on|move|change|switch|add|remove|update|create|take|give|show|check|test this|pass|reach|call it|end up|run into|run out)\b"
)
#: Languages that answers are asked for in.
LANGUAGES = (
    "english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|arabic|hebrew|hindi|chinese|mandarin|cantonese|japanese|korean|vietnamese|thai|"
    "swedish|norwegian|danish|finnish|czech|greek|hungarian|romanian|indonesian"
)
BECAUSE = r"\b(?:because|since (?!\d|yesterday|last|mon|tue|wed|thu|fri|sat|sun)|given (?:that|the|how)|so that|in order to|to be consistent|otherwise|due to|as (?:it|they|we|these|those|the) |to (?:save|avoid|keep|prevent|reduce|stay|match)\b|for (?:consistency|performance|security|privacy|compliance|legal))"
#: A thing that has a value ("the default branch", "our job queue"), and a value it may have.
KEY = rf"(?:[\w/-]+ ){{0,3}}?(?:{ATTRIBUTE})"
GIVEN = r"(?!this\b|that\b|it\b|these\b|those\b|the (?:same|other|second|first|last|next|new|old|one|current)\b|an? |another\b|not\b|no\b|some\b|what|how|too\b|wrong|broken|missing|fine\b|ok\b|full\b|empty\b|down\b|up\b|gone\b|done\b|ready\b)[`\"'\w~/.:-][^,;?]{0,50}?"
ENDS = r"(?=$|[,;.] ?|[,;]| (?:here|now|around|in [\w-]+|from now on|because|since|as of|so|not|and not|instead|rather|everywhere|please)\b)"
#: A name that a machine, a bucket or an account has, and no plain word or number.
NAMED_VALUE = r"(?:`[^`]{2,60}`|[a-z]\w*[-._/][\w./-]*\d[\w./-]*|[\w-]+(?:\.[\w-]+)+\.[a-z]{2,}|https?://\S+)"
CALLED = r"(?P<person>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}))"
DETERMINED = r"(?:any ?more|again|yet|the|this|that|these|those|it|its|them|him|her|my|your|any of|anything|all of|more|another|me|us|so|yet|now|too)\b"
#: Tools whose version a project chooses.
VERSIONED = r"(?:node(?:\.?js)?|python|go|golang|rust|java|jdk|ruby|php|typescript|react|vue|django|rails|kotlin|swift|dotnet|\.net|elixir|erlang|scala|angular|next(?:\.js)?|postgres(?:ql)?|mysql|redis|ubuntu|debian|kubernetes|terraform)"
