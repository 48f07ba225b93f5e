"""How people say in English what should be kept, and how they say what should not."""

from __future__ import annotations

from dreamd.engines.offline.cues import Cues, Frame, rx, words
from dreamd.engines.protocol import Kind

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
    "provide|prune|publish|pull|push|put|quote|raise|read|rebase|rebuild|record|reduce|ref(?:er|actor)|release|rely|remember|remind|remove|"
    "rename|render|reopen|reorgani[sz]e|repeat|replace|reply|report|reproduce|request|require|rerun|research|reset|resolve|respect|respond|restart|restore|"
    "retry|return|reuse|revert|review|revise|rewrite|roll|rotate|run|save|scan|search|see|select|send|separate|serve|set|share|ship|show|sign|simplify|skip|"
    "solve|sort|spawn|specify|split|squash|stage|start|stash|state|stay|step|stick|stop|store|structure|submit|suggest|summari[sz]e|support|"
    "switch|sync|tag|take|talk|target|tell|test|think|throw|tidy|touch|trace|track|translate|treat|trim|trust|try|turn|undo|"
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
_HABIT = (
    "use|run|deploy|keep|store|host|follow|track|name|write|prefer|ship|release|publish|rely|lint|format|pin|squash|rebase|merge|tag|log|support|"
    "target|avoid|require|cache|manage|maintain|version|document|mock|commit|branch|review|stick|enforce|treat|serve|expose|sign|indent|"
    "standardi[sz]e|develop|test|build|configure|own|measure|bill|charge|schedule|monitor|back up|add|do [a-z]+-[a-z]+|go through"
)
#: Verbs of lasting choices.
_CHOICE = (
    "use|adopt|keep|drop|support|remove|deprecate|replace|move|migrate|switch|rename|store|standardi[sz]e|stick|stay|host|publish|follow|"
    "require|rely|stop using|get rid of|treat|go with|call|avoid|prefer|archive|ship|deploy|release|split|target|retire|phase out"
)
_CHOSEN = (
    "standardi[sz]ed|switched|moved|migrated|renamed|adopted|dropped|deprecated|"
    "replaced|retired|archived|went with|upgraded|downgraded|ported|converted"
)
_HAPPENED = (
    "froze|frozen|released|tagged|shipped|deployed|published|merged|migrated|switched|moved|upgraded|downgraded|launched|decided|agreed|signed|renamed|"
    "dropped|deprecated|replaced|archived|rolled (?:back|out)|rotated|enabled|disabled|hired|joined|left|adopted|introduced|cut over|bought|"
    "cancelled|canceled|postponed|approved|certified|expired|started|stopped|finished|completed|ended|opened|closed|handed over|took over"
)
_RELEASE = r"(?:tagged|released|shipped|deployed|published|launched|cut|rolled back|promoted)"
_SUBJECT = r"(?P<subject>[\w`@./~$*:+#'\"()<>{}-]+(?: [\w`@./~$*:+#'\"()<>{},-]+){0,8}?)"
#: A subject without an article, or of everything of its kind: what is said of it lasts.
_GENERIC = (
    r"(?P<subject>(?!the\b|my\b|your\b|an?\b|this\b|that\b|its\b)[\w`@./~$*:+#'\"-]+(?: [\w`@./~$*:+#'\"-]+){0,5}?)"
)
_TOOL = (
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
_STATE = (
    r"(?:deprecated|unsupported|unmaintained|being phased out|phased out|read[- ]only|write[- ]only|private|public|gitignored|git-ignored|signed|opt[- ]in|opt[- ]out|"
    r"mandatory|required|optional|protected|frozen|sealed|legacy|archived|obsolete|forbidden|banned|off[- ]limits|generated|auto-?generated|vendored|idempotent|append[- ]only|immutable|case[- ]sensitive|"
    r"case[- ]insensitive|out of scope|third[- ]party|proprietary|open[- ]source|self[- ]hosted|air[- ]gapped|zero[- ]indexed|one[- ]indexed|in UTC|"
    r"no longer (?:used|supported|maintained|available|required|in use)|not (?:used|supported|maintained|in use|part of))"
)
_STANDING = (
    "uses?|requires?|supports?|covers?|depends? on|belongs? to|consists? of|contains?|talks? to|speaks?|go(?:es)? through|comes? from|writes? to|reads? from|"
    "is built (?:with|on)|are built (?:with|on)|is written in|are written in|is backed by|is owned by|is maintained by|is generated (?:by|from)|are generated (?:by|from)|"
    "is deployed (?:by|to|on|with|via|from)|are deployed (?:by|to|on|with|via|from)|is managed (?:by|in)|are managed (?:by|in)|is behind|is capped at|are capped at|is limited to|are limited to|"
    "is configured (?:in|by|via)|are configured (?:in|by|via)|defaults? to|is replaced by|are replaced by|is based on|are based on|is gated by|expires? after|is versioned (?:by|with)"
)
_MADE = "(?:is|are) (?:built|written|deployed|hosted|managed|maintained|owned|generated|configured|versioned|published|signed|cached|billed|backed|powered|protected|done|handled|implemented|tracked|collected|served) (?:with|on|in|by|via|to|from|at|using)|requires?|supports?|depends? on|defaults? to|expires? after"
_PLACE = (
    "lives?|is located|are located|is stored|are stored|is kept|are kept|sits?|resides?|is hosted|are hosted|runs?|listens?|is served|is reachable|"
    "is available|is defined|are defined|is documented|are documented|is tracked|are tracked|go(?:es)?|belongs?|is exposed|must listen|should listen|must run|should run|should live|must live"
)
#: Languages that answers are asked for in.
LANGUAGES = (
    "english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|arabic|hebrew|hindi|chinese|mandarin|cantonese|japanese|korean|vietnamese|thai|"
    "swedish|norwegian|danish|finnish|czech|greek|hungarian|romanian|indonesian"
)
_BECAUSE = r"\b(?:because|since (?!\d|yesterday|last|mon|tue|wed|thu|fri|sat|sun)|given (?:that|the|how)|so that|in order to|to be consistent|otherwise|due to|as (?:it|they|we|these|those|the) |to (?:save|avoid|keep|prevent|reduce|stay|match)\b|for (?:consistency|performance|security|privacy|compliance|legal))"
_DETERMINED = r"(?:any ?more|again|yet|the|this|that|these|those|it|its|them|him|her|my|your|any of|anything|all of|more|another|me|us|so|yet|now|too)\b"

# A table: one frame a line.
# fmt: off
_FRAMES = (
    # people
    Frame("owns", Kind.PERSON, rx(r"^(?P<person>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})) (?:owns|maintains|leads|handles|manages|approves|signs off(?: on)?|does (?:the|all|our)|decides (?:on|about)|knows (?:the|all|everything)|looks after|takes care of|is (?:responsible for|in charge of|the (?:owner|lead|maintainer|contact|admin|author|go-to|expert)\b)|runs the|is our \w+)"), 1.25, "Tariq Aziz owns the payments service."),
    Frame("questions_to", Kind.PERSON, rx(r"^(?:questions?|anything|everything|issues?|requests?|changes?) (?:about|on|regarding|around|for|to|concerning) .{2,60}? (?:go(?:es)? to|should go to|must go through|is for|are for|belongs? to) (?P<person>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?))(?=$|[\s,;!])"), 1.25, "questions about the warehouse go to Amira"),
    Frame("one_to_ask", Kind.PERSON, rx(r"^(?P<person>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})) (?:is|'s) (?:the|our) (?:one|person|guy|woman|man|expert|contact|colleague|teammate|dba|sre|designer|pm|lead|manager|boss|reviewer)\b.{0,20}\b(?:for|to|about|on|who|of)\b"), 1.25, "Amira is the one to ask about the warehouse"),
    Frame("owned_by", Kind.PERSON, rx(r"^(?!this|that|it\b).{3,80} (?:is|are) (?:owned|maintained|led|run|handled|reviewed|approved) by (?P<person>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?))(?=$|[\s,;!])"), 1.25, "The search index is maintained by Noor."),
    Frame("ask_person", Kind.PERSON, rx(r"^(?:always |please )?(?:ask|ping|contact|consult|talk to|check with|loop in|escalate to) (?!(?:me|us|the|you|him|her|them|it|for|if|user|claude|a|an|before|first|questions?|whether|about|your|my|your?self)\b)(?P<person>[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?) (?:about|for|before|regarding|on|when|whenever|if) "), 1.25, "ask Lena about anything that touches billing"),
    Frame("from_team", Kind.PERSON, rx(r"^(?P<person>(?!someone|somebody|everyone|data|values?|requests?|events?|traffic|the\b|it\b|this\b|that\b|one\b|files?)[\w'-]{3,}) (?:from|in|on|at|of) (?:the )?(?:[\w-]+ ){0,2}(?:team|infra|ops|devops|qa|legal|finance|sales|security|support|design|marketing|platform|data|product|hr|it|backend|frontend)(?: team)? (?:owns|handles|maintains|manages|approves|runs|does|decides|looks after|takes care of|is (?:responsible|in charge))"), 1.25, "noor from ops handles the certificates"),
    # prohibitions
    Frame("never", Kind.PROHIBITION, rx(r"^(?:you (?:should|must|may|can) |please )?(?:never(?! (?:mind|got|had|saw|seen|been|heard|was|were|did|worked|\w+ed)\b)|don'?t ever|do not ever|under no circumstances|at no time),? \w[\w'`/.-]*,? \w"), 1.5, "never push to a shared branch"),
    Frame("you_must_not", Kind.PROHIBITION, rx(r"^you (?:must|should|may|shall|can) (?:not|never)\b (?!have\b|it\b|need\b|see\b|be able|had\b)\w+ \w+"), 1.25, "you must not commit generated files"),
    Frame("dont_alone", Kind.PROHIBITION, rx(r"^(?:please )?(?:don'?t|do not|dont|never) (?:guess|assume|apologi[sz]e|hard-?code|over-?engineer|hallucinate|invent|improvise|speculate|summari[sz]e|recap|over-?explain|flatter)\b(?! (?:it|this|that|the)\b)"), 1.0, "don't guess, look at the code"),
    Frame("no_thing", Kind.PROHIBITION, rx(r"^no (?!need|problem|idea|worries|rush|longer|one|more questions|further|luck|it|that|this|thanks|wait|just|i |we |you |they |the |there|change|changes|clue|reason|issues?|doubt|matter|way)[\w'`./ -]{3,40}?(?: in| inside| on| for| without| unless| outside|,|,? (?:please|ever)|$)"), 1.0, "no emojis in commit messages"),
    Frame("dont_unless", Kind.PROHIBITION, rx(r"^(?:please )?(?:you (?:should|must) not|don'?t|do not|dont) .{3,120}\b(?:unless|without (?!it\b|this\b|that\b))"), 1.5, "do not publish packages unless the changelog is written"),
    Frame("dont_plain", Kind.PROHIBITION, rx(rf"^(?:please )?(?:don'?t|do not|dont|let'?s not) (?!bother|worry|forget|you\b|think|know|wait|stop|mind|look|need|see|ask any|i\b|we\b|have|get|go\b|do\b|understand|remember|start|proceed|continue|make (?:any|more|the)|(?:change|touch|modify|edit|delete|remove|fix|implement|produce|run|restart|set|write) (?:any ?thing|any|code|it)\b|code\b)[a-z-]+(?: [a-z]+ing)? (?!{_DETERMINED})"), 1.0, "don't mock databases in integration tests"),
    Frame("dont_bound", Kind.PROHIBITION, rx(r"^(?:please )?(?:don'?t|do not|dont) (?!bother|worry|forget|you\b|think|know|wait|see|understand|get|i\b)[a-z-]+ \w"), 0.5, "don't touch the generated client, ever"),
    Frame("dont_in", Kind.PROHIBITION, rx(r"^(?:please )?(?:don'?t|do not|dont) (?!bother|worry|forget|you\b|think|know|wait|see|understand|get\b|i\b|add\b|change\b|show\b)[a-z-]+ (?:the |an? )?(?!it\b|this\b|that\b|them\b|any\b)[\w`'-]+(?: [\w`'-]+){0,3} (?:in|from|inside|within|during|into|on) (?:the )?(?:(?:unit |integration |e2e )?tests?|production|prod|ci|code|docs|comments|commit messages?|reviews?|migrations?|(?:[\w-]+ )?(?:controllers|handlers|components|views|models|services|modules|branches|loops|templates|scripts|routes|hooks|headers|libraries|packages))(?=$|[ ,.;])"), 1.0, "don't mock the clock in tests"),
    Frame("did_not_ask", Kind.PROHIBITION, rx(rf"^(?:i )?(?:did not|didn'?t|never) (?:say|ask|tell|want)(?: you| for you)?(?: to| that you)? (?=(?:{VERBS})\b)(?!(?:it|that|this)\b)\w+"), 1.25, "I did not ask you to push anything"),
    Frame("not_valid_to", Kind.PROHIBITION, rx(r"^it(?:'?s| is) (?:not|never) (?:valid|acceptable|allowed|ok|okay|permitted|safe) to (?!do (?:it|this|that))\w+ \w+"), 1.25, "it's not acceptable to swallow exceptions in the worker"),
    Frame("no_need", Kind.PROHIBITION, rx(r"^(?:there(?:'s| is) )?no need (?:for|to (?:support|keep|track|handle|maintain|worry about supporting)) (?!it\b|this\b|that\b|me\b|you\b|now\b)\w+"), 0.75, "no need for backwards compatibility, because nobody uses the old API"),
    Frame("dont_think_need", Kind.DECISION, rx(r"^i don'?t think (?:we|the [\w-]+) (?:really )?(?:need|want|support)s? (?!to\b|it\b|this\b|that\b|them\b|these\b|more\b)\w+"), 1.0, "I don't think we need a retry queue"),
    Frame("avoid", Kind.PROHIBITION, rx(rf"^(?:let'?s |please |we should |you should |we must )?avoid (?!{_DETERMINED})\w+"), 1.0, "avoid global state in the workers"),
    Frame("stop_doing", Kind.PROHIBITION, rx(r"^(?:please )?(?:stop|quit) (?!doing|being|going|trying|running|waiting)[a-z]+ing (?!it\b|this\b|that\b|the\b|now\b)\w+"), 1.0, "stop adding docstrings to every test"),
    Frame("not_acceptable", Kind.PROHIBITION, rx(rf"^{_SUBJECT} (?:is|are) (?:not|never|un)(?: an?)? ?(?:acceptable|accepted|allowed|permitted|okay|ok|an option|welcome|wanted)(?! here yet)"), 1.25, "Silent fallbacks are not acceptable."),
    Frame("must_not", Kind.PROHIBITION, rx(rf"^{_SUBJECT} (?:must not|mustn'?t|must never|should never|may not|may never|can never|cannot ever|shall not|shall never|is not allowed to|are not allowed to|is never|are never)\b"), 1.25, "Handlers must not talk to the database directly."),
    Frame("should_not", Kind.PROHIBITION, rx(rf"^{_SUBJECT} (?:should not|shouldn'?t|should no longer|ought not)\b(?! (?:be (?:hard|difficult|too|a problem|an issue|necessary)|matter|take|fail|happen|break|we|i|it|the|that|this))"), 1.0, "Migrations should not run at start-up."),
    Frame("dont_want", Kind.PROHIBITION, rx(r"^(?:(?:i|we) )?(?:explicitly |really |definitely |strictly |also )*(?:don'?t|do not|dont) (?:ever )?(?:want|allow|accept|like|tolerate) (?!to (?:see|do|go|be|have|lose|wait|spend|change|break|add|make)\b|it\b|this\b|that\b|them\b|these\b|how\b|what\b|the (?:look|idea|way)\b)\w+"), 1.0, "we don't want snapshot tests"),
    # preferences
    Frame("prefer", Kind.PREFERENCE, rx(r"^(?:i |we |please |always |generally |my team )*(?:(?:would |'d |will |strongly |generally |usually |really |much )*prefer(?:s|red)?\b|favou?r\b)(?! (?:option|it|this|that|these|those|not to answer|a\b\)?$|b\b\)?$))"), 1.25, "I prefer short functions with early returns."),
    Frame("id_prefer", Kind.PREFERENCE, rx(r"^(?:i|we)(?:'d| would) (?:much |really )?(?:prefer|rather)(?! (?:option|it|this|that|these|those|not\.?$))\b"), 1.0, "I'd rather have one long file than ten tiny ones."),
    Frame("taste", Kind.PREFERENCE, rx(r"^i (?:really |generally |absolutely |personally |always )*(?:like|love|hate|dislike|despise|can'?t stand|enjoy|don'?t like|do not like) (?!it\b|this\b|that\b|these\b|those\b|the\b|how\b|what\b|your\b|to see (?:this|the)|option|both|them\b|where)\w+"), 1.25, "I hate trailing whitespace in diffs."),
    Frame("fan_of", Kind.PREFERENCE, rx(r"^i(?:'m| am) (?:not |really |a |big |no )*(?:fan of|used to|allergic to) (?!it\b|this\b|that\b)"), 1.0, "I'm not a fan of magic decorators."),
    Frame("want_you", Kind.PREFERENCE, rx(r"^(?:i|we)(?:'d| would)? (?:want|like|need|expect) (?:you|claude|the agent|agents|all agents) to (?:always|never|only)\b"), 1.5, "I want you to always show the plan first."),
    Frame("want_default", Kind.DECISION, rx(r"^(?:i|we)(?:'d| would)? (?:want|like|need) (?!to be called).{3,90}\b(?:by default|on by default|off by default|always|at all times)\b"), 1.0, "I want the cache to be off by default."),
    Frame("we_want", Kind.DECISION, rx(r"^we (?:explicitly |definitely |only |really |also )*want (?!to\b|you\b|it\b|this\b|that\b|them\b|these\b|more\b|a way\b|another\b|the\b)\w+"), 1.0, "we want strict typing because the last outage was a None"),
    Frame("want_every", Kind.PREFERENCE, rx(r"^(?:i|we)(?:'d| would)? (?:want|like|need|expect) (?:all|every|each|only|no|any) (?!of (?:this|that|these)|the (?:changes|files)|this\b|that\b|it\b)\w+ \w+"), 1.25, "I'd like all answers in German"),
    Frame("want_contrast", Kind.PREFERENCE, rx(r"^(?:i|we)(?:'d| would)? (?:want|like|need)(?: to (?:see|have|use|keep|get))? (?!it\b|this\b|that\b|them\b).{3,140}(?:\binstead of\b|\brather than\b|, not\b|\band not\b)"), 1.0, "I'd like to see literal values instead of helpers in tests"),
    Frame("want_only", Kind.DECISION, rx(r"^(?:i|we)(?:'d| would)? (?:want|like|need) (?:to \w+ )?(?!it\b|this\b|that\b|them\b).{3,120}\b(?:only (?:when|if|for|on|in|the first|once|after|at|to)|never|on the first)\b"), 1.0, "I want to notify users only when the job fails"),
    Frame("want_choice", Kind.DECISION, rx(r"^(?:i|we)(?:'d| would)? (?:want|like|need) to (?:use|replace|adopt|migrate|standardi[sz]e|support|stick (?:to|with)|switch|keep) (?!it\b|this\b|that\b|them\b|these\b|the (?:same|skill|tool|command)\b)\w+(?: \S+)+"), 0.75, "I want to replace the user id with a device id, because we have no accounts"),
    Frame("would_choose", Kind.DECISION, rx(rf"^i(?:'d| would) (?:{_CHOICE}) (?!it\b|this\b|that\b|them\b|to\b|option)\w+(?: \S+){{2,}}"), 1.0, "I would replace the environment variable with a key in the settings file"),
    Frame("i_want", Kind.DECISION, rx(r"^i(?:'d| would)? (?:want|like|need) (?:to (?:have|be) (?!it\b|this\b|that\b|a (?:look|chat|discussion)|called\b|able\b)|(?!to\b|it\b|this\b|that\b|an? (?:summary|list|plan|review)\b|you\b|more\b|help\b))\w+"), 0.5, "I want to have strict mode because silent errors cost us a week"),
    # lasting words
    Frame("always", Kind.PREFERENCE, rx(r"^(?:please |you (?:should|must|have to|need to) |make sure (?:to |you )|be sure to )?always (?!\w+(?:ed|s) )(?!be |been |the same|had|has|was)\w+"), 1.5, "always run the formatter before committing"),
    Frame("we_always", Kind.CONVENTION, rx(r"^(?:in \w+ )?(?:we|all of us|everyone|everybody|the team|our team) (?:should |must |have to |need to )?(?:always|never|usually|normally|generally|typically|only|conventionally)(?! (?:need|get|see|had|have (?:a|an|the)|want)\b)\b"), 1.5, "we always squash before merging"),
    Frame("lasting_rule", Kind.PREFERENCE, rx(rf"^(?:from now on|going forward|from here on|in future|in the future|in general|generally|as a (?:general )?rule|by default|whenever [^,]{{3,80}},|every time [^,]{{3,80}},|each time [^,]{{3,80}},|before (?:each|every|any) [^,]{{3,60}},|after (?:each|every|any) [^,]{{3,60}},)[,:]? (?:please |just |always |only |you (?:should|must) |we (?:should|will|must) |i want you to )*(?!(?:fix|debug|find|look|investigate|explain|tell|help|see|figure)\b)(?:{VERBS})\b"), 1.25, "from now on write the tests first"),
    Frame("lasting_tail", Kind.PREFERENCE, rx(rf"^(?:please |just |only )*(?:{VERBS}) .{{3,160}}\b(?:from now on|going forward|in (?:the )?future|every time|each time|whenever|at all times|as a (?:general )?rule|(?:before|after) (?:each|every|any) \w+|before you (?:say|call|claim|consider|finish|report|commit|push)|before (?:committing|pushing|merging|finishing|deploying|releasing|editing|changing|adding|deleting))"), 1.0, "ask me before every deploy"),
    Frame("broad_tail", Kind.PREFERENCE, rx(rf"^(?:please |just |only )*(?!(?:{WORK})\b)(?:{VERBS}) .{{3,160}}\b(?:by default|everywhere|in all (?:cases|projects|repos|tests|files|modules)|for (?:every|each|all|any) \w+|in every \w+|in everything|throughout)"), 1.0, "use named exports everywhere"),
    Frame("conditional_rule", Kind.PREFERENCE, rx(r"^(?:when(?:ever)?|before|after|if|once|on|in|for) [^,]{3,70},? (?:please )?(?:always|never|only) (?!works?|fails?|passes|happens|has|is|was)\w+ \w"), 1.5, "after changing a proto file, always run `make gen`"),
    Frame("when_rule", Kind.PREFERENCE, rx(rf"^when (?:you )?(?:\w+ing|writing|you \w+|(?:a|an|any) [^,]{{3,40}}) [^,]{{0,80}}, (?:please |always |never |only |you should |don'?t |do not )*(?:{VERBS})\b"), 1.25, "when you touch a public function, update its docstring"),
    Frame("if_rule", Kind.CONVENTION, rx(r"^if (?!so|not|it\b|that\b|this\b|the\b|you (?:can|want|need|think|agree|like)|i\b|possible|needed|necessary|there (?:is|are) no issue|all )[^,]{5,80}?,? (?:we should|we must|you (?:should|must)|always|never) "), 1.0, "if a migration is slow, you should split it into batches"),
    Frame("imperative_contrast", Kind.PREFERENCE, rx(r"^(?:please |just |only |let'?s |we should |you should |we can |should )*(?:use|prefer|write|name|call|format|keep|return|log|spell|say|put|import|sort|indent|reply|answer|respond|store|pass|pick|choose|stick (?:to|with)|go with|rely on|run|target|throw|raise|treat|test|make|follow) (?!it\b|this\b|that\b|them\b|these\b|those\b).{2,140}?(?:\binstead of\b|\brather than\b|,? ?(?:not|never) (?:(?!sure|yet|too|now)[\w`-]+)(?: (?!and\b)[\w`-]+){0,3}$|, ?not\b|\band not\b)"), 1.0, "use httpx instead of requests"),
    Frame("keep_at", Kind.DECISION, rx(r"^(?:please |let'?s )?(?:keep|cap|limit|pin|hold|leave) (?!it\b|this\b|that\b|them\b|going\b|in mind|an eye|me\b|these\b)[\w`./ -]{3,60}? (?:at|to|on|below|under|above|within) (?:most |least )?[`v]?\d[\w.%`]*"), 1.0, "Keep queue retention at 3 days."),
    Frame("ask_first", Kind.PREFERENCE, rx(r"^(?:always )?(?:ask|check with me|confirm with me|get (?:my )?approval|wait for my (?:ok|approval))(?: me| first)* before (?!that\b|this\b|it\b|the\b)(?:you )?\w+(?: \S+)*"), 1.25, "ask before adding a dependency"),
    Frame("be_so", Kind.PREFERENCE, rx(r"^be (?:more |very |really |always )*(?:concise|brief|terse|direct|honest|explicit|strict|critical|specific|consistent|conservative|pragmatic|precise|succinct)\b(?! (?:about|with|in) (?:this|that|it))"), 1.0, "be concise"),
    Frame("use_version", Kind.CONVENTION, rx(r"^(?:please )?use (?:node(?:\.?js)?|python|go|java|ruby|php|typescript|rust|react|postgres(?:ql)?|mysql|c\+\+) ?v?\d+(?:\.\d+)*\b(?! for (?:this|that|now))"), 1.0, "use Python 3.13"),
    Frame("use_for", Kind.CONVENTION, rx(rf"^(?:please |let'?s )?use (?!{_DETERMINED}(?<!the\b)|your\b)[\w`./@ -]{{2,40}} (?:for|when|whenever) (?!this\b|that\b|it\b|the\b|my\b|these\b|those\b|now\b|today\b|a\b|example\b|testing\b|me\b)\w+(?! (?:one|run)\b)"), 1.0, "use mocks for external services"),
    Frame("use_bare", Kind.PREFERENCE, rx(rf"^(?:please )?use (?!{_DETERMINED}|your\b|option|both\b|a\b|an\b)[\w`./@-]+(?: [\w`./@-]+){{0,5}}$"), 0.5, "no, use port 9191"),
    Frame("put_all", Kind.CONVENTION, rx(r"^(?:please )?(?:put|place|store|keep|save|write|add|create) (?:all|new|every|any)(?: new)? (?!of (?:this|that|these)|this\b|that\b|it\b|the (?:changes|above)\b)[\w ./-]{2,40}? (?:in|under|into|inside|next to|below|beside) (?!this\b|that\b|it\b|a single (?:file|commit)|one (?:file|commit)|the (?:same|current|pr)\b)[\w`./]+"), 1.0, "put new migrations under db/migrate"),
    Frame("keep_so", Kind.PREFERENCE, rx(r"^(?:please |let'?s )?keep (?!it\b|this\b|that\b|them\b|the\b|these\b|going\b|me\b)\w+(?: \w+){0,3} (?:short|small|brief|simple|concise|minimal|clean|private|local|stable|consistent|readable|flat|pure|generic|stateless|alphabetical|sorted|separate|focused|in sync)$"), 1.0, "keep responses short"),
    Frame("keep_style", Kind.CONVENTION, rx(r"^(?:please |let'?s )?(?:keep|stick (?:to|with)|follow|reuse|match|respect) (?:our|the existing|the same|existing|our existing|the current) [\w -]{3,60}"), 0.5, "please keep our existing naming because the clients parse it"),
    Frame("keep_durable", Kind.CONVENTION, rx(r"^(?:please |let'?s )?keep (?:our|all|every|all the) [\w -]{3,50} (?:in|under|on|inside|within|out of|local|private|short|small|simple|backwards?[- ]compatible) ?(?!mind|sync|branch)"), 1.0, "keep all our design notes in the wiki because reviewers look there"),
    Frame("use_only", Kind.CONVENTION, rx(r"^(?:please )?(?:use|run|call|import|touch|edit|change|deploy|push|commit|merge|release|enable|mock|log|throw|catch) (?!it\b|this\b|that\b|them\b|these\b)[\w`./' -]{2,50}? only (?:for|in|when|if|on|with|from|after|to|through|via|inside|at)\b"), 1.0, "use the staging key only in CI"),
    Frame("things_first", Kind.PREFERENCE, rx(r"^(?:tests?|docs|plan|design|schema|types|migrations?|spec|security|accessibility|readability|correctness|simplicity|performance|failing test) (?:always )?(?:first|before (?:code|implementation|features|performance|cleverness|speed))(?:, (?:then|code|implementation) ?(?:the )?(?:code|implementation|later|after|second)?)?$"), 1.0, "tests first, then code"),
    Frame("only_use", Kind.CONVENTION, rx(rf"^(?:please |you should |we should |we )?only (?:{VERBS}) (?!it\b|this\b|that\b|the\b|these\b)\w+"), 1.0, "only use named exports"),
    Frame("permission", Kind.CONVENTION, rx(r"^(?:anything|everything|nothing|everyone|anyone|nobody|no one|all|any|every|only) [\w`./ -]{0,60}? ?(?:can|may|must|should|needs to|has to) (?:only |never |always )?(?!work|pass|be (?:fine|ok|okay|good|green|done|ready)|go\b|run\b)(?:be )?\w+"), 1.0, "anything under experimental/ can be changed without notice"),
    Frame("requirement", Kind.CONVENTION, rx(r"^(?:every|each|all|any|new) [\w`./ -]{3,60}? (?:must|needs? to|has to|have to|should|needs? (?:an?|its?|their)|gets? (?:an?|its?))\b(?! (?:work|pass|now|be (?:fine|ok|done|fixed|good)))"), 1.25, "every endpoint needs an integration test"),
    Frame("must", Kind.CONVENTION, rx(rf"^{_SUBJECT} (?:must|shall)\b(?! (?:be (?:a|an|the) (?:bug|mistake|reason|problem)|have (?:been|changed|missed|forgotten)|be (?:wrong|missing|addressed|fixed)|we))"), 1.25, "Public functions must have type hints."),
    Frame("should_generic", Kind.DECISION, rx(rf"^{_GENERIC} (?:should|ought to)\b(?! (?:i|we|you|it|this|that|probably|maybe|also now|now|be (?:able|fine|ok|okay|good|better|ready|done|fixed|easy|possible|enough|addressed|updated|gone|resolved|working|there|green|removed|added to)|work|pass|help|have (?:been|had|done)|do (?:it|that|the)|look|see|show|know|start|get|go|still))"), 1.0, "Error messages should name the file"),
    Frame("should", Kind.DECISION, rx(rf"^{_SUBJECT} (?:should|ought to)\b(?! (?:i|we|you|it|this|that|probably|maybe|also now|now|be (?:able|fine|ok|okay|good|better|ready|done|fixed|easy|possible|enough|addressed|updated|gone|resolved|working|there|green|removed|added to)|work|pass|help|have (?:been|had|done)|do (?:it|that|the)|look|see|show|know|start|get|go|still))"), 0.75, "the importer should skip empty files, since partners send them"),
    Frame("has_to", Kind.CONVENTION, rx(rf"^{_SUBJECT} (?:has to|have to|needs? to) (?!be (?:fixed|updated|done|changed|added|removed|addressed|merged|reviewed)|look|see|know|check|wait|do\b|go\b|find|figure|fix|add|make|update|change|create|understand|get|come|complete|run again)\w+"), 0.75, "Payloads have to stay below 1 MB because the proxy cuts them"),
    Frame("we_should", Kind.DECISION, rx(rf"^(?:i think |maybe )?we (?:should|must) (?:just |really |also |only |not |never |all )*(?:{_CHOICE})\b (?!it\b|this\b|that\b|them\b|these\b|the (?:fix|change|branch|pr)\b)"), 0.75, "we should adopt semantic versioning because plugins pin us"),
    Frame("we_should_not", Kind.DECISION, rx(r"^we (?:should|must|need to) (?:be )?(?!it\b|this\b|that\b)\w+ (?!it\b|this\b|that\b|them\b).{5,140}(?:\binstead of\b|\brather than\b|, ?not\b|\band not\b)"), 1.0, "we should be testing behaviour, not implementation"),
    # standing rules without a lasting word: the verb, the condition or the shape says that they last
    Frame("things_have_to", Kind.CONVENTION, rx(rf"^(?P<subject>(?!the\b|my\b|your\b|an?\b|this\b|that\b|its\b|these\b|those\b|users?\b|customers?\b)(?:[\w`./-]+ ){{0,3}}?(?:[\w`./-]*(?<!s)s|json|sql|code|prs?|documentation|money|logging|config(?:uration)?|css|html)) (?:have to|has to|needs? to|ought to|should (?:always|never|only|not)|are to|is to|can only|may only) (?!be (?:fixed|updated|done|changed|added|removed|addressed|merged|reviewed|redone|rerun)\b|work\b|pass\b|look\b|see\b|do (?:it|that)\b)\w+"), 1.0, "handlers have to stay stateless"),
    Frame("dont_path", Kind.PROHIBITION, rx(r"^(?:please )?(?:don'?t|do not|dont|hands off|keep (?:out of|away from|your hands off)|stay (?:out of|away from)) (?:(?:touch|edit|modify|change|delete|format|move|commit|import|rename|refactor|reformat|lint|rely on|add to|write to) )?(?:anything |any ?(?:files?|code|thing) |files |stuff |code |the (?:files?|code|stuff) )?(?:(?:in|under|inside|from|below|of) )?(?:the )?(?:`[^`]+`|[\w.-]*/[\w./*-]*|[\w-]+\.(?:json|ya?ml|toml|lock|md|py|ts|js|go|rs|sql|env|proto|cfg|ini|xml)\b|(?:generated|vendored|legacy|third[- ]party|compiled|minified) \w+|lock ?files?|snapshots\b)(?!.*\b(?:yet|until|for now|right now)\b)"), 1.0, "don't touch anything under vendor/"),
    Frame("words_banned", Kind.PROHIBITION, rx(r"^(?:stop|avoid|quit|no more|please stop|don'?t) (?:using|writing|saying|use|say|write) (?:the )?(?:words?|phrases?|terms?|expressions?) (?!it\b|this\b|that\b)\S+"), 1.25, "stop using the word leverage"),
    Frame("stop_doing", Kind.PROHIBITION, rx(r"^(?:please )?(?:stop|quit|no more) (?!it\b|that\b|this\b|the\b|there\b|here\b|now\b)(?:adding|using|writing|putting|creating|generating|asking|repeating|apologi[sz]ing|explaining|summari[sz]ing|making|removing|renaming|inventing|guessing|committing|pushing|wrapping|importing|mocking|starting|ending|saying|changing|leaving|opening) (?!it\b|this\b|that\b|the\b|these\b|those\b|them\b|to (?:the|this|that)\b)\w+"), 1.0, "stop adding licence headers to new files"),
    Frame("no_more_than", Kind.PREFERENCE, rx(r"^(?:no more than|at most|max(?:imum)?(?: of)?|never more than|not more than|no longer than|under|fewer than|less than) (?:\d+|one|two|three|four|five|ten) [\w -]{3,30}? (?:per|an?|in (?:a|an|each|every)|each|for (?:each|every|a)) \w+"), 1.0, "no more than two levels of nesting per function"),
    Frame("in_context", Kind.PREFERENCE, rx(rf"^(?:in|for|with|during) (?:your |all |code )?(?:reviews?|code reviews?|answers?|replies|tests|docs|comments|commit messages?|pull requests|prs|plans|summaries|explanations|migrations|scripts|examples|production|error messages|go|python|rust|typescript|javascript|java|sql|css|bash|shell)(?: code)?,? (?:please |always |never |only |you should )*(?:(?:{VERBS})|don'?t|do not|avoid|no)\b(?! (?:is|are|was)\b)"), 1.0, "in reviews list the blocking issues first"),
    Frame("start_with", Kind.CONVENTION, rx(rf"^{_GENERIC} (?:always |only )?(?:starts?|ends?|begins?) with (?!it\b|this\b|that\b|the (?:first|last)\b)\S+"), 1.0, "private methods start with an underscore"),
    Frame("only_through", Kind.CONVENTION, rx(r"^(?P<subject>(?!the\b|this\b|that\b|it\b|my\b)[\w-]+(?: [\w-]+){0,3}) (?:are |is |go |happen |happens |come )?only (?:through|via|with|by|in|inside|from|on|after|over|for|as|using) (?!it\b|this\b|that\b|happens?\b)\w+"), 1.0, "schema changes only through alembic"),
    Frame("word_means", Kind.FACT, rx(r"^(?:(?:the |our )?(?:word|term|name|abbreviation) )?[\"'`]?[\w-]+(?: [\w-]+){0,2}[\"'`]? (?:means|stands for|refers to) (?!that\b|it\b|i\b|we\b|you\b|this\b|no\b|nothing\b|the (?:test|build|same)\b)\w+"), 0.75, "the word tenant means a paying company, not a user"),
    Frame("on_purpose", Kind.DECISION, rx(r"^(?!it\b|this\b|that\b|they\b)[\w`'./ -]{4,90} (?:on purpose|by design|intentionally|deliberately|for a reason)$"), 1.0, "we are not using an ORM on purpose"),
    Frame("we_support", Kind.FACT, rx(r"^(?:remember )?we (?:still |only |also |must |have to |need to |always )*(?:support|target|stay on|stick (?:to|with|on)|are stuck (?:on|with)|run on|are bound to|comply with|ship to|have to support|sell to) (?!it\b|this\b|that\b|them\b|the (?:new|old) (?:button|page)\b)\w+"), 1.0, "we still support Python 3.9 on the appliances"),
    Frame("want_to_see", Kind.PREFERENCE, rx(r"^(?:i|we)(?:'d| would)? (?:want|like|need|expect) to (?:see|know|review|approve|read|check|confirm|be asked|get) (?!it\b|this\b|that\b|how\b|what\b|if\b|why\b)[^?]{3,50} (?:before (?:you|anything|any|every|each)|every time|whenever|each time)\b"), 1.25, "I want to see the diff before you write anything to disk"),
    Frame("agent_should", Kind.CONVENTION, rx(r"^(?:claude|codex|gemini|copilot|cursor|the (?:agent|assistant|bot|model|ai)|agents|all agents|sub-?agents|reviewers?|contributors|developers|everyone|everybody) (?:should|must|has to|have to|needs? to|is supposed to|are supposed to|ought to) (?!be able|have known|know\b|(?:also )?fix\b|see\b)\w+ \w+"), 1.0, "the agent should ask before it runs the e2e tests"),
    Frame("answer_language", Kind.PREFERENCE, rx(rf"^(?:please |always |only )*(?:answer|reply|respond|talk|speak|communicate|chat|explain things)(?: to me| with me| me)?(?: only| always)? in (?:{LANGUAGES})\b"), 1.25, "answer me in Spanish"),
    Frame("treat_as", Kind.CONVENTION, rx(r"^(?:please |always )?(?:treat|consider|regard|count) (?!it\b|this\b|that\b|them\b|these\b|the (?:above|first|last)\b)\w[\w' -]{2,40} (?:as|like) (?!a (?:test|trial)\b|before\b|usual\b|this\b)\w"), 1.0, "treat warnings as errors"),
    Frame("verb_every", Kind.CONVENTION, rx(r"^(?:please )?(?:wrap|prefix|suffix|pin|sign|quote|sort|tag|escape|validate|cite|document|log|cover|mark|annotate|type|version|squash|start|end|begin|link|name) (?:every|all|each|any|new) (?!of (?:this|that|these|the)\b|the\b|other\b|three\b|four\b|my\b)[\w' -]{3,50}? (?:in|with|to|by|as|under|through|behind|at|after|using|on) (?!this\b|that\b|it\b|the (?:file|page|repo|list|screen|module)\b)\w"), 0.75, "wrap every outgoing call in the client class, because it retries"),
    Frame("when_you", Kind.PREFERENCE, rx(r"^when(?:ever)? (?:you|we|claude|an agent|agents) (?!are done|is done|have time|finish\b|get (?:a chance|time|there|back)|can\b|run this|run it)[^,?]{3,60}?,? (?:please |then )?(?:never|always|only|do ?n[o']?t|do not|dont|make sure|also|make|use|ask|first|check|keep|add|include|update|prefer|mention|leave|put|start|write|run|show|state|cite)\b(?! (?:know|we|if|see)\b)"), 1.25, "when you write docs dont use passive voice"),
    Frame("if_any", Kind.CONVENTION, rx(rf"^(?:if|whenever|when) (?:an?|any|some|two|one of) [\w' -]{{3,50}},? (?:then )?(?:please )?(?:(?:(?:{VERBS})|don'?t|do not|never|always)\b(?! (?:is|are|was)\b)|(?<=, )[a-z]+ (?:it|them|the|an?)\b)"), 1.0, "If a dependency is unmaintained, open an issue about it."),
    Frame("we_cannot", Kind.PROHIBITION, rx(r"^(?:we|you|nobody|no one|developers|agents?)(?:'re| are)? (?:can'?t|cannot|can not|not allowed to|must not|mustn'?t|may not|are forbidden to) (?:use|ship|store|log|depend|add|deploy|send|link|rely|include|share|publish|call|host|expose|keep|require|accept|return|import|write|commit|pull in|bring in|upload) (?!it\b|this\b|that\b|them\b|these\b|the (?:button|page|screen|file|form)\b|any ?(?:more|thing)\b)\w+(?!.*\b(?:yet|now|error|fails?|why)\b)"), 1.0, "we cant ship code under the AGPL"),
    Frame("works_on", Kind.PREFERENCE, rx(r"^i(?:'m| am| work| develop|m)? (?:only |always |usually )?(?:on|using|under) (?:a |an )?(?:windows|mac(?:os|book)?|osx|linux|ubuntu|debian|fedora|arch|nixos|wsl2?|m[1-4] mac|apple silicon|freebsd|chromebook)\b(?! branch)"), 1.0, "I'm on NixOS, so give me commands for it"),
    Frame("i_am_a", Kind.PREFERENCE, rx(r"^i(?:'m| am|m) (?:an? |the |not an? )(?!bit\b|little\b|fan\b|big\b)(?:[\w-]+ ){0,4}?(?:developer|engineer|designer|student|scientist|analyst|beginner|expert|admin(?:istrator)?|researcher|manager|founder|maintainer|architect|freelancer|consultant|teacher|programmer|dev|lead|native speaker)\b"), 1.0, "I'm a data scientist, not a frontend person"),
    Frame("new_to", Kind.PREFERENCE, rx(r"^i(?:'m| am|m) (?:very |still |pretty |completely |quite )?(?:new to|colou?r ?blind|dyslexic|deaf|left-handed|blind)\b(?! (?:this|that|it)\b)"), 1.0, "I'm new to Rust, so explain lifetimes"),
    Frame("you_have", Kind.FACT, rx(r"^you (?:also )?have (?:access to [\w ./-]{2,60}|[\w ./-]{2,40} access)$"), 0.75, "remember you have LSP tool access"),
    Frame("team_of", Kind.FACT, rx(r"^we(?:'re| are) (?:only |just )*(?:an? )?(?:(?:small |tiny |big |remote |distributed )*team (?:of|in|with)|(?:two|three|four|five|six|\d+) (?:people|developers|devs|engineers)|a (?:startup|bank|hospital|non-?profit|school|university|agency)\b)"), 1.0, "we're a team of four"),
    Frame("needs_thing", Kind.CONVENTION, rx(r"^(?P<subject>(?!the\b|my\b|your\b|this\b|that\b|its\b)(?:[\w/.-]+ ){0,4}?(?:[\w/.-]+s|prs?|pull requests?)|(?:every|each|any|all|new) [\w /.-]{2,50}?) (?:always )?(?:needs?|requires?|gets?|deserves?) (?:an? |two |three |at least |their own |its own |approval|sign-?off|review|tests\b|docs\b)(?!(?:bit|lot|fix|rewrite|refactor(?:ing)?|cleanup|moment|look|while)\b)"), 1.0, "migrations need a second reviewer"),
    Frame("verbless_not", Kind.PREFERENCE, rx(r"^(?!the\b|this\b|that\b|it\b|my\b|your\b|yes\b|no\b|just\b|only\b|maybe\b|i\b|we\b|you\b|line\b|option\b|but\b|and\b|so\b|not\b|all good)(?:[\w`'/+-]+(?:s|[A-Z]\w*|`|case|english|spelling|form|mode|mood|exports?|imports?|functions?|composition|markdown|json|yaml|utc|iso|rebase|squash)|[\w`.-]{2,20})(?: [\w`'-]+){0,2}, (?:not|never|no) (?!yet\b|sure\b|now\b|really\b|this\b|that\b|the\b|it\b|so\b|too\b|just\b|only\b|working\b|because\b|a problem\b|problem\b|worries\b|rush\b|in\b|here\b|there\b|me\b|you\b|what\b|need\b|urgent\b|important\b|thanks\b)[\w`'/+-]+(?: [\w`'-]+){0,2}$"), 1.0, "tabs, not spaces"),
    Frame("verbless_form", Kind.CONVENTION, rx(r"^(?:the |our |all |every )?(?:(?:[\w-]+ ){0,2}(?:messages?|comments|docstrings|names?|titles?|identifiers|keys|columns|constants|branches|commits|tests|docs|answers|replies|dates|times(?:tamps)?|amounts|prices|ids|files|functions|classes|components|lines|paths|urls|strings|imports|exports|headings|changelogs?|descriptions|labels|variables|tables|endpoints|routes|hooks|props|enums|types|migrations|errors)):? (?:always |only |max(?:imum)? |at most )*(?:in (?:the )?(?:imperative|present|past|active|lower ?case|upper ?case|title case|snake_case|camelCase|kebab-case|PascalCase|UTC|ISO|english|german|french|spanish|british|american|markdown|cents|plural|singular|alphabetical)|max(?:imum)? \d|at most \d|under \d|no longer than \d|(?:snake_case|camelCase|kebab-case|PascalCase|ISO|UTC)\b|without (?:a )?(?:trailing|emojis?|prefix|suffix|period|full stop|semicolons?|scope|abbreviations?)|(?:start|begin|end) with |prefixed with )"), 1.0, "commit messages in imperative mood, max 50 chars"),
    Frame("verbless_style", Kind.CONVENTION, rx(r"^(?:snake_case|camelCase|kebab-case|PascalCase|SCREAMING_SNAKE(?:_CASE)?|tabs|(?:2|4|8|two|four) spaces|single quotes|double quotes|trailing commas|conventional commits|semver|(?:british|american) (?:english|spelling)|ISO 8601|UTC|utf-?8|early returns|named exports|max(?:imum)? line length|line length|max \d+ (?:chars|characters|columns|lines))(?: dates| times| timestamps)? ?(?:for|in|on|everywhere|only|always|throughout|at|is|of|:|per|\d|please$|$)(?! (?:this|that) )"), 1.0, "snake_case for db columns, camelCase in the json"),
    Frame("goes_in", Kind.CONVENTION, rx(rf"^{_GENERIC} (?:go|goes|belong|belongs|stay|stays) (?:only |always )?(?:in|into|under|to|inside|next to|below|beside|through|behind|on) (?!it\b|this\b|that\b|the (?:top|bottom|left|right|middle|end)\b|wrong\b|sync\b|there\b|here\b)[\w`./]+"), 1.0, "feature flags go in flags.yaml"),
    Frame("is_a_must", Kind.CONVENTION, rx(r"^(?!it\b|this\b|that\b|which\b|these\b|those\b|there\b|what\b)[\w`'/ -]{3,60} (?:is|are) (?:an? )?(?:must(?: have)?|no-?go|hard requirement|non-?negotiable|taboo|always welcome|never ok(?:ay)?|not ok(?:ay)?|not allowed|not an option|not acceptable|not permitted|not negotiable)\b"), 1.25, "hard-coded credentials are a no-go"),
    Frame("gone_for", Kind.DECISION, rx(r"^(?:for [\w ./-]{2,30} we use|we use) [\w`./+-]{2,30}(?: [\w`./+-]+){0,3}?,? (?:[\w-]+ is (?:gone|dead|deprecated|history)|not |instead of |no )"), 1.25, "for e2e we use playwright, cypress is gone"),
    Frame("reason_gone", Kind.FACT, rx(r"^(?!it\b|this\b|that\b|they\b|these\b|which\b)[\w`./@-]+(?: [\w`./@-]+){0,3} (?:is|are|was|were|has been|have been) (?:now |already |all )?(?:no longer (?:supported|used|needed|maintained)|replaced by [\w`./@-]+|superseded by|deprecated|discontinued|retired|abandoned|end of life)\b"), 1.0, "the legacy SDK is no longer supported"),
    # decisions
    Frame("decided", Kind.DECISION, rx(r"^(?:so |as )?(?:we|i|the team|they|team|management|security|legal)(?:'ve| have|'d| had)? (?:now |just |finally |already |all |both )*(?:decided|agreed|chose|chosen|settled on|picked|opted|standardi[sz]ed on|went with)(?! (?:to (?:look|try|wait|test|see)))\b (?!it\b|this\b|that one|that approach|option)"), 1.5, "we decided to keep the monolith because the team is small"),
    Frame("decision_is", Kind.DECISION, rx(r"^(?:the |our |final |team )*decision(?: is|:| was) (?:to |that |we )?\w+"), 1.5, "decision: one repository per customer"),
    Frame("swapped", Kind.DECISION, rx(r"^(?:(?:we|i|the team)(?:'ve| have)? )?(?:just |now |finally )?(?:dropped|ditched|swapped(?: out)?|replaced|traded|retired) (?!it\b|this\b|that\b|them\b)[\w`./ -]{2,40}? (?:for|with|in favou?r of) (?!it\b|this\b|that\b|now\b|a (?:moment|while)\b)\w+"), 1.0, "we dropped npm for pnpm"),
    Frame("moved_bare", Kind.DECISION, rx(r"^(?:moved|switched|migrated|converted|upgraded|ported) (?!it\b|this\b|that\b|them\b|the (?:file|line|function|test|code|branch|button|import)\b)[\w`./ -]{0,50}?(?:over )?to (?!it\b|this\b|that\b|the (?:top|bottom|end|other)\b)\w+"), 0.75, "switched the queue to RabbitMQ because of ordering"),
    Frame("changed_from", Kind.FACT, rx(rf"^(?:the |our )?(?P<subject>(?:[\w`/.+-]+ ){{0,5}}?(?:{ATTRIBUTE})) (?:has |have )?(?:changed|moved|switched|went|:)? ?:? ?(?:from )?\S.{{0,40}}? (?:to|->|→|=>) \S"), 1.25, "the API port changed from 4411 to 4422"),
    Frame("changed", Kind.DECISION, rx(rf"^(?:we|i|the team|[\w-]+ team)(?:'ve| have)? (?:now |just |recently |already |finally |fully |also )*(?:{_CHOSEN}) (?!it\b|this\b|that\b|them\b|something\b|some\b|the (?:file|line|function|test|code|branch|typo)\b)\w.{{2,}}"), 1.0, "we switched the job runner from cron to systemd timers"),
    Frame("going_to", Kind.DECISION, rx(rf"^(?:eventually |from now on |so |for v\d+,? |long[- ]term,? )?we(?:'re| are|'ll| will|'d) (?:going to |gonna |now |only |not |just |also |always |never |be )*(?:{_CHOICE}|using|adopting|keeping|dropping|moving|migrating|switching|removing|replacing|standardi[sz]ing|sticking|getting rid of|going with|archiving|deprecating|not supporting|retiring)\b (?!it\b|this\b|that\b|them\b|on to\b|forward\b|ahead\b)"), 1.0, "we're going to adopt trunk based development"),
    Frame("lets_choice", Kind.DECISION, rx(r"^(?:ok |so )?let'?s (?:just |rather |always |only )*(?:stick (?:with|to)|go with|standardi[sz]e on|settle on|use|adopt|drop|prefer|support|target|call|name) (?!it\b|this\b|that\b|them\b|these\b|your\b|option|#|the (?:first|second|last|other|same)\b|[a-d1-9]\)?(?:[ ,.]|$))\w+"), 0.75, "let's go with Postgres because we need jsonb"),
    Frame("we_have_at", Kind.FACT, rx(r"^(?:we|i) (?:already |also )?have (?:an? |the |our )?[\w ./-]{3,50}?(?: running| hosted| available)?(?: at| on| under|:| \()? ?(?:\(?https?://\S+|port \d+|localhost:\d+)"), 1.0, "we have a local mirror at http://127.0.0.1:4873"),
    Frame("we_habit", Kind.CONVENTION, rx(rf"^(?:in (?:production|staging|ci|dev|prod|tests?)[, ]+|for [\w-]+,? |at \w+,? |internally |here )?we (?:all |currently |mostly |mainly |also |just |now )?(?:{_HABIT})\b(?! (?:it\b|this\b|that\b|them\b|these\b|to (?:have|be|do|use)\b))"), 1.0, "we deploy from the main branch with tags"),
    Frame("we_dont", Kind.CONVENTION, rx(r"^(?:as )?(?:we|our \w+) (?:really |explicitly |currently |actually |generally )*(?:don'?t|do not|dont|doesn'?t|never) (?:ever )?(?!know|see|think|understand|seem|get\b|care|mind|remember|have (?:to|time|the|this|that|it)|want|need to|really|even|yet|miss|lose|need (?:it|this|that|them|the|these)\b)[a-z]+ (?!it\b|this\b|that\b|them\b|these\b|any ?more\b)\w+"), 1.0, "we don't support Python 3.9"),
    Frame("no_longer", Kind.DECISION, rx(rf"^(?:(?:i|we|they|the team)|{_SUBJECT}) (?:is |are |do |does |have |has )?no longer (?!work|pass|fail|show|see\b|get\b|run|compile|build|start|appear|there\b|needed$|valid|relevant|an issue|a problem|happens|broken)[a-z]+"), 1.25, "We no longer ship 32-bit builds."),
    Frame("no_longer_bare", Kind.DECISION, rx(r"^no longer (?:need|use|support|maintain|ship|depend on|require|publish)s? \w+"), 1.0, "No longer need the staging cluster."),
    Frame("stopped", Kind.DECISION, rx(r"^(?:we|i|the team)(?:'ve| have)? (?:stopped|quit|gave up|ceased) (?:using |on )?(?!it\b|this\b|that\b)\w+"), 1.0, "we stopped using Jenkins"),
    Frame("agree_with", Kind.DECISION, rx(r"^(?:i agree (?:with|on)|agreed on|agreed:|go with|going with) (?!you\b|your\b|it\b|this\b|that\b|option|the (?:first|second|plan|approach|above)|a\b|b\b|#)\w+.{8,}"), 0.5, "going with trunk based development because reviews are small"),
    # facts
    Frame("definition", Kind.FACT, rx(r"^[\w -]{2,40} ={2,3} [\w'\" -]{5,}"), 1.0, "tenant == one paying organisation"),
    Frame("begins_with", Kind.CONVENTION, rx(rf"^{_GENERIC} (?:always |must |should )?(?:starts?|begins?|ends?|are prefixed|is prefixed|are named|are written|are|is) (?:with|in|after|like|by) (?:`[^`]+`|[\w<{{-]+[/_.-]\S*|english|german|french|chinese|japanese|lower ?case|upper ?case|\w+_case|\w+Case|kebab|utc|cents)"), 1.0, "branch names start with feat/ or fix/"),
    Frame("named", Kind.FACT, rx(rf"^{_SUBJECT} (?:is|are|is now|are now|was) (?:called|named|known as|short for|an alias for|renamed to) [\w`\"'./-]+"), 1.0, "The release branch is called stable."),
    Frame("stands_at", Kind.FACT, rx(rf"^{_SUBJECT} (?:now |only |always |also )?(?:{_PLACE}) (?:in|at|on|under|below|from|into|inside|as|to|by|behind|via|next to|beside|alongside|locally on) (?!it\b|this\b|that\b|the (?:background|meantime|end|moment|way|fly|other)\b|top\b|order\b)[`\"'\w~/.:-].*"), 1.0, "The preview server listens on port 4411."),
    Frame("is_at", Kind.FACT, rx(rf"^{_SUBJECT} (?:is|are) (?:now |only |always )?(?:in|at|on|under|behind) (?:port \d+|`[^`]+`|[~.]?/[\w./-]+|https?://\S+|[\w-]+(?:/[\w.-]+)+|[\w-]+\.(?:internal|local|com|org|net|io|dev|example)\S*)"), 1.0, "the fixtures are in tests/data"),
    Frame("attribute", Kind.FACT, rx(rf"^(?:(?:as of|since|from) [\d-]+,? )?(?:(?:the|our|its|my)\s+|in \w+,? the |for [\w-]+,? (?:the|our) )?(?P<subject>(?:[\w`/.+-]+ ){{0,5}}?(?:{ATTRIBUTE})(?: (?:of|for|in|on) (?:the |our )?[\w`/.-]+(?: [\w-]+)?)?) (?:is|are|=|will be|is set to|has to be|must be|should be)(?: now| still| always| at)? (?!not\b|a bit|too|wrong|broken|missing|fine|ok\b|okay|good|done|ready|failing|empty|it\b|this\b|that\b|what|where|how|being|better|confusing|unclear|weird|great|right\b|correct\b|still|in use|already|so\b|very|really|pretty|also|just|gone|down|out\b|live\b|up\b|back\b|full|slow|hard\b|out of|getting|the (?:issue|problem|same|reason))[`\"'\w:~/.].{{0,100}}"), 1.0, "the default branch is trunk"),
    Frame("setting", Kind.FACT, rx(rf"^(?:the |our )?(?P<subject>(?:[\w -]{{2,40}} )?(?:{ATTRIBUTE}))\s*[:=]\s*\S.{{1,80}}"), 1.0, "package manager: pnpm"),
    Frame("tool_as", Kind.CONVENTION, rx(r"^(?:we )?use [\w`./+ -]{2,40} (?:as|for) (?:the |our |all |every )?(?:[\w-]+ ){0,3}(?:manager|database|db|cache|queue|broker|linter|formatter|runner|framework|library|orm|auth(?:entication)?|logging|tests?|migrations?|ci|deploy(?:s|ments?)?|storage|styling|state|builds?|docs|scripts|dates|money|ids)\b"), 1.0, "use uv for all scripts"),
    Frame("use_value", Kind.CONVENTION, rx(r"^(?:please )?use (?:the )?(?:british|american|australian|us|uk|metric|utc|tabs|spaces|conventional commits|semantic versioning|type hints|early returns|named exports|strict mode|iso|snake_case|camelCase|kebab-case|english|german|french|spanish|chinese|japanese|\d spaces)\b"), 1.25, "use british spelling"),
    Frame("state", Kind.FACT, rx(rf"^{_SUBJECT} (?:is|are) (?:all |now |always |only |also |intentionally |officially )*{_STATE}\b"), 1.0, "Release tags are signed."),
    Frame("a_kind_of", Kind.FACT, rx(r"^(?:the |our )?(?:repo(?:sitory)?|project|codebase|app|service|package|library|backend|frontend|site|product|tool|cli) (?:is|are) (?:an? |the )[\w`-]+(?: [\w`./-]+){0,10}"), 0.75, "the project is a monorepo managed by Nx because packages share types"),
    Frame("standing_generic", Kind.FACT, rx(rf"^{_GENERIC} (?:also |only |always |now )?(?:{_STANDING}) (?!it\b|this\b|that\b|them\b|the same\b)[\w`\"'~/.@:].*"), 1.0, "Lesson 3 covers linked lists."),
    Frame("standing_made", Kind.FACT, rx(rf"^{_SUBJECT} (?:also |only |always |now )?(?:{_MADE}) (?!it\b|this\b|that\b|them\b|the same\b)[\w`\"'~/.@:].*"), 1.0, "the site is built with Hugo"),
    Frame("standing", Kind.FACT, rx(rf"^{_SUBJECT} (?:also |only |always |now )?(?:{_STANDING}) (?!it\b|this\b|that\b|them\b|the same\b)[\w`\"'~/.@:].*"), 0.75, "the importer uses threads because the API is slow"),
    Frame("moved_on", Kind.DECISION, rx(rf"^{_SUBJECT} (?:was|were|has been|have been|got|is being|are being|gets) (?:now |just |fully |completely )?(?:replaced (?:by|with)|renamed(?: to)?|moved (?:to|into)|migrated to|split into|merged into|deprecated|archived|retired|superseded by|removed in favou?r of|dropped in favou?r of)\b"), 1.0, "The old worker was replaced by arq."),
    Frame("phased_out", Kind.DECISION, rx(rf"^{_SUBJECT} (?:has|have) (?:fallen out of favou?r|reached end of life|been (?:sunset|discontinued))"), 1.0, "The legacy importer has been discontinued."),
    Frame("on_version", Kind.FACT, rx(r"^(?:we|the project|everything|production|prod|staging|ci|all services|every service)(?:'re| are| is|'s)? (?:now |still |currently )?(?:on|running(?: on)?|pinned to|stuck on) (?:the )?[\w.+ -]{1,30}?\bv?\d+(?:\.\d+)*"), 1.0, "production is on Postgres 15"),
    Frame("is_version", Kind.FACT, rx(r"^(?:the |our )?[\w -]{2,40} (?:version )?is (?:now )?(?:pinned to |at )?(?:v|version )?\d+\.\d+(?:\.\d+)?\b"), 1.0, "the protocol version is 2.3"),
    # commands
    Frame("run_with", Kind.COMMAND, rx(rf"^(?:please |always |you (?:can|should|must) |to )?(?:run|start|build|deploy|test|lint|format|check|execute|launch|regenerate|generate|reset|seed|migrate|publish|release|debug|type-?check)(?:ing)? (?!it\b|this\b|that\b)[\w ./-]{{2,50}}?,? (?:with|using|via|through|by running|is|run|use|do) {_TOOL}"), 1.25, "run the unit tests with `make unit`"),
    Frame("runs_with", Kind.COMMAND, rx(rf"^(?:the |our |all )?[\w -]{{2,40}} (?:run|runs|is run|are run|is started|are started|is built|is deployed|are built|is done|are done|is checked|starts|builds) (?:with|using|via|through|by) {_TOOL}"), 1.25, "end-to-end tests are run with `npx playwright test`"),
    Frame("tool_does", Kind.COMMAND, rx(r"^`[^`]{3,120}` (?:runs|starts|(?:re)?builds|deploys|formats|lints|checks|(?:re)?generates|resets|seeds|publishes|updates|is (?:how|what|the))\b"), 1.25, "`just reset` rebuilds and reseeds the local database"),
    Frame("tool_when", Kind.COMMAND, rx(rf"^(?:please |always |you (?:should|must) |we (?:should |must )?)*(?:run|use|execute|call) {_TOOL} (?:to|for|before|after|when|whenever|every time|together with|on every|in) (?!see\b|check (?:if|whether|that)\b|this\b|that\b|it\b)"), 1.0, "run `make gen` after you change a proto file"),
    # learnings
    Frame("caused_fixed", Kind.LEARNING, rx(r"^.{5,120}(?:\bcaused by\b|\bbecause of\b|\bdue to\b|\bwas (?:that|because)\b|\bcame from\b|\bturned out\b|\broot cause\b).{3,140}(?:\bfix(?:ed|es)?\b|\bsolve[sd]?\b|\bresolve[sd]?\b|\bcured?\b|\bhelped\b|\bgoes away\b|\bwent away\b)"), 1.25, "the flaky upload test was caused by a shared temp dir; a per-test dir fixed it"),
    Frame("root_cause", Kind.LEARNING, rx(r"^(?:the )?(?:real |actual |root |underlying )?(?:cause|culprit|reason for the [\w -]{3,40})(?: of [\w ,'-]{3,60})? (?:was|is|turned out to be) (?!not\b|this\b|that\b|it\b|unclear|unknown)\w+"), 1.0, "the root cause of the timeouts was a missing index"),
    Frame("was_caused", Kind.LEARNING, rx(rf"^{_SUBJECT} (?:was|were|is|are) (?:always |usually |mostly )?caused by (?!this\b|that\b|it\b)\w+"), 1.0, "The memory leak was caused by unclosed cursors."),
    Frame("turned_out", Kind.LEARNING, rx(r"^(?:it )?(?:turns|turned) out (?:that )?(?!it\b|this\b|that\b|i\b|we\b|fine|ok)\w+.{10,}"), 0.75, "turns out the proxy strips the header because it has an underscore"),
    Frame("fix_is", Kind.LEARNING, rx(r"^the (?:fix|solution|trick|workaround|remedy|cure)(?: for [\w ,'`./-]{3,60})? (?:is|was) to (?!do (?:it|that|this))\w+"), 1.0, "the fix for the hanging tests was to close the loop"),
    Frame("fixed_by", Kind.LEARNING, rx(rf"^{_SUBJECT} (?:is|was|were|are|can be|gets?) (?:fixed|solved|resolved|repaired|cured) (?:by|with) (?!this\b|that\b|it\b)\w+"), 1.0, "A broken index is repaired by running git read-tree HEAD."),
    Frame("i_did_to_fix", Kind.LEARNING, rx(r"^i (?:did|ran|used|set|had to (?:run|set|use)) (?:an? )?[`\w][\w` ./=-]{3,60} to (?:fix|resolve|solve|repair|get (?:it|this) working|recover)\b"), 0.75, "I ran docker system prune to fix the full disk, since the images piled up"),
    # outcomes
    Frame("from_to", Kind.OUTCOME, rx(r"^(?!can |could |let'?s |please |change |set |bump |update |rename |move |increase |decrease |reduce |lower |raise ).{4,100}\b(?:went|dropped|fell|rose|grew|improved|decreased|increased|reduced|cut|shrank|down|up|climbed|got [\w ]{0,20}) (?:\w+ ){0,6}?from (?:about |around |~)?[\d.,]+ ?\S* (?:down |up )?to (?:about |around |~)?[\d.,]+"), 1.25, "p95 latency dropped from 900 ms to 210 ms"),
    Frame("by_percent", Kind.OUTCOME, rx(r"^(?!can |could |let'?s |please |increase |decrease |reduce |lower |raise ).{4,100}\b(?:reduced|cut|improved|increased|dropped|fell|grew|faster|slower|smaller|sped up|saves?|saved|shrank)\b.{0,60}?(?:\bby )?(?:about |around |~)?\d[\d.,]* ?(?:%|percent|x\b|times)|^(?!can |could |let'?s |please ).{4,100}\b(?:made|makes|got|became|is|are|runs?) .{0,40}\d[\d.,]* ?(?:%|percent|x|times) (?:faster|slower|smaller|larger|cheaper|quicker|less|more)\b"), 1.25, "caching the tokens made the build 40 % faster"),
    # events
    Frame("event_release", Kind.FACT, rx(rf"^(?:we |i |just |have |has )*(?:{_RELEASE}) (?:the )?(?:release |version |tag )?[\w./-]*v?\d+(?:\.\d+)+\b"), 1.0, "Tagged release 2.7 just now."),
    Frame("event_secret", Kind.FACT, rx(r"^(?:the |our |all )[\w -]{2,40}?(?:keys?|tokens?|passwords?|secrets?|certificates?|credentials?) (?:was|were|has been|have been|got) (?:rotated|renewed|revoked|replaced|changed)"), 1.0, "The signing key was rotated."),
    Frame("event_done", Kind.FACT, rx(r"^(?:the )?(?:rollback|roll-back|release|deploy(?:ment)?|migration|upgrade|launch|cut-?over|freeze|rollout) (?:of|to|from|for) [\w ./-]*\d[\w.]*(?: [\w-]+){0,3} (?:is |was |are |has been |got )?(?:done|complete|completed|finished|live|out|cancelled|canceled|postponed|rolled back)"), 1.0, "Rollback of 2.7 is done, wrong index."),
)

#: Frames that need a day: what happened or will happen on it.
_DATED = (
    Frame("event_dated", Kind.FACT, rx(rf"^(?:(?:on|by|since) [\d-]+,? )?(?:we|i|the [\w -]{{2,40}}|[\w -]{{2,30}} team|(?-i:[A-Z]\w+))(?:'ve| have| has| had| was| were| got)? (?:also |just |finally |officially |now )*(?:{_HAPPENED})\b(?! (?:to (?:look|try|wait|test|see|check|discuss|talk)|working|failing))"), 1.0, "yesterday we froze the public API"),
    Frame("event_planned", Kind.FACT, rx(r"^(?:(?:on|by) [\d-]+,? )?(?:the |our )?(?!this|that|it\b|there|he\b|she\b|they\b|you\b|i\b|we\b)[\w ./-]{3,60}? (?:is|are|starts?|ends?|begins?|happens?|is due|are due|is planned|is scheduled|takes place|will be|expires?|goes live|launches|opens|closes) (?:planned |scheduled |due |only |set )?(?:on|for|by|until|from|after|before|in) (?:\w+day )?\d{4}"), 1.0, "the security review is next Tuesday"),
    Frame("event_by", Kind.FACT, rx(r"^(?:we|everything|all services|the [\w -]{2,40}) (?:must|have to|has to|need to|needs to|will|want to|plan to|are going to) .{3,80} (?:by|before|until|on) (?:\w+day )?\d{4}-\d\d"), 1.0, "the certificate has to be renewed by 2026-05-01"),
)

ENGLISH = Cues(
    code="en",
    frames=_FRAMES,
    dated=_DATED,
    heads=rx(
        r"^(?:(?:just )?(?:a )?(?:quick |gentle |friendly )?reminder(?: that|:)\s+|(?:i|we)(?:'d| would)? (?:want|like|need|expect) (?:you|claude|the agent) to\s+|(?:ok(?:ay)?|so|oh|ooh|ah+|hm+|mm+|uh+|um+|alright|yes|yeah|yep|yup|thanks|thank you|thx|hey|hi|hello|please|pls|plz|pelase|also|and|but|then|btw|"
        r"by the way|anyways?|basically|in addition|additionally|besides|one more thing|quick note|sorry|my point is|as i said|as mentioned|haha?|lol|just so you know|for your information|"
        r"fyi|just fyi|i mean|in regards? to that|(?:new |general |team |house |another |one )?(?:rule|convention|preference|requirement|constraint|policy|correction|change|info)s?(?= ?:)|(?:the )?[\w-]+(?: [\w-]+){0,2} (?:has |have )?changed(?= ?: (?:the|our|we|all|every)\b)|however|that'?s why(?= we)|which is why(?= we)|first of all|firstly|secondly|finally|obviously|of course|honestly|to be clear|to clarify|just to be clear|more context|context|ps|in short)"
        r"(?:[\s,.:;!–—-]+)|(?:right|well|sure|good|great|cool|nice|perfect|awesome|fine|again|now|like|note|question|update|reminder|all good|sounds good|looks good|lgtm|exactly|correct|agreed|true|got it|makes sense|that'?s (?:good|great|fine|ok))\s*[,.:;!–—-]+\s*)"
    ),
    corrections=rx(
        r"^(?:(?:no|nope|nah|wrong|incorrect|stop|wait|hold on|that'?s (?:wrong|not right|incorrect|not what i)|not (?:right|correct|quite|true))\s*[,.:;!–—-]+\s*|"
        r"no (?=(?:use|not|don'?t|we|it|i|the|please|never|always|that|you|keep)\b)|actually,?\s+|i (?:said|told you(?: to)?|meant|asked for)[,:]?\s+(?:that )?)"
    ),
    stresses=rx(
        r"^(?:(?:please )?(?:remember|keep in mind|bear in mind|note|be aware|don'?t forget|do not forget|mind you|know)(?: also)?(?: that|,|:| to(?= (?:always|never)))?\s+|heads[- ]up[,:]?\s+|(?:you|u) (?:keep|always) (?:forget(?:ting)?|ignor(?:e|ing)|miss(?:ing)?)(?: (?:this|that|it))?\s*[:,-]\s*|how (?:many times|often)[^:,?]{0,40}[:,?]\s*|(?:again|once more|for the (?:last|third|second|hundredth) time)[,:]\s+|important(?: note)?[,:]\s+|important to\s+|for the record[,:]?\s+|"
        r"(?:make sure|ensure|be sure|see to it)(?: that| you| to)?\s+(?=(?:you |we |to )?(?:always|never|only|every|all|each|any|no)\b))"
    ),
    opinions=rx(
        r"^(?:i (?:kind of |sort of |still |really |personally |do |honestly )*(?:think|believe|feel like|feel|reckon|know)(?: that)?|imo|imho|in my opinion|i'?d say|from my side|to me|i would (?:say|argue)|it (?:seems|sounds) like|sounds like|i th[oug]{2,4}h?t?h?(?: that)?)[,\s]+"
    ),
    hedges=rx(
        r"\b(?:maybe|perhaps|i guess|i wonder|wondering|i suppose|possibly|not (?:\d+% )?sure|what if|how about|could it be|probably|i bet|i suspect|in theory|i assume|assuming|thinking aloud|might(?: be)?|could be|"
        r"seems? (?:to|like)|looks like|apparently|presumably|kind of|kinda|sort of|hopefully|i'?m (?:trying|testing|seeing|looking|working|not (?:sure|certain|convinced)|curious|afraid)|i (?:can|cannot|can'?t|could|see|saw|tried|just|noticed)|any ideas?|tell me if|imagine|suppose|supposing|hypothetically|pretend)\b|^(?:if|unless|had) .{3,120}\b(?:would|wouldn'?t|could|might)\b|^let'?s say\b|\bbut (?:it|they|that|now|the \w+|there)(?: still| now| only)? (?:shows?|returns?|gives?|gets?|is|are|was|does|doesn'?t|says|prints|fails|throws|has|goes)\b"
    ),
    questions=rx(
        r"\?|\b(?:what do you think|thoughts|curious what|do you agree|what would you)\b|^(?:what|why|how|where|who|which|whose|is|are|was|were|does|did|can|could|would|should|shall|will|has|had|am|isn'?t|aren'?t|wasn'?t|doesn'?t|didn'?t|won'?t|wouldn'?t|couldn'?t|shouldn'?t|hasn'?t|"
        r"any (?:idea|chance|reason|thoughts)|do (?:we|you|i|they|the|these|those|any)|have (?:we|you|i|they)|may i|whats|hows)\b|"
        r"\b(?:right|correct|ok|okay|or not|or what|or|no|yes|huh|agree)\s*\?*$|\b(?:can|could|would|should|will|do|does|is|are) (?:you|we|i|it|this|that) [a-z]+.{0,80}\?|\bwhether\b.{0,60}\bor\b|\bcan (?:you|we) (?!not|only|never)[a-z]+"
    ),
    ephemeral=rx(
        r"\b(?:for now|right now|just now$|at the moment|at this (?:point|stage)|currently (?:working|failing|broken|testing|looking)|this (?:time|once|run|session|afternoon|morning|evening|sprint)|just (?:for )?(?:this|once|today)|only this|temporar(?:y|ily)|for the moment|for the time being|"
        r"in the meantime|meanwhile|for today|until (?:i|we|you|the (?:final|last|next))|first cut|as (?:a )?(?:first|next|final|last) (?:step|pass|draft)|next step|once (?:done|finished|it|that|you|this)|when (?:done|finished|ready|you'?re done)|"
        r"after (?:that|this)\b|before (?:that|this|we (?:start|continue|merge|go))|let me know|let'?s see|we'll see|in (?:this|that) (?:pr|branch|commit|task|ticket|issue|change|file|function|step|case|test|scenario|example|worktree|session)|in the (?:pr|ticket|current \w+|last \w+)|on this (?:branch|pr)|this (?:pr|branch|commit|task|ticket|issue|change|bug)|"
        r"yet|ready to (?:merge|review|go)|try again|one more time|once more|again(?=[ .,!]*$)|work in progress|wip|in progress|todo list|follow[- ]up|the (?:rest|next one|other one|other file|above|previous|first one|second one|last one)|your (?:changes|plan|summary|last|previous|suggestion|proposal|analysis)|"
        r"(?:is|are|was|were|still|now|keeps?) (?:not )?(?:failing|broken|crashing|hanging|stuck|red|green|flaky|merged|up and running|running (?:now|again)))\b"
    ),
    pointers=rx(
        r"#\d+\b|\boptions? (?:\d|[a-d]\b)|^\(?[a-d1-9]\)|\b(?:line|step|point|item|phase|part|case|approach|suggestion|finding|comment) #?\d+\b|\b[0-9a-f]{7,40}\b(?<!\d{7})(?<!\d{8})|\b[0-9a-f]{8}-[0-9a-f]{4}-|"
        r"\b(?:this|these|those) (?!repo|repository|project|codebase|is|are|way|year|means|will|would|can|has|have|was|makes|keeps|works|should|must|helps|gives|saves|lets)[a-z]+|\b(?:in|on|for|with|of|to|from|at|about|use|using|like|fix|change|touch|keep|do|did|done|doing|handle|add|adding|support|solve|get|make|after|before|than) (?:that|this)\b(?! (?!auto|now|again|for\b|in\b|there|too|as\b|yet|so\b)\w)|\bthe current (?:repo|one|file|branch)|"
        r"\bas (?:above|below|shown|follows|discussed|described)\b|\b(?:above|below)\b(?! \d)|\bthe (?:latter|former|two|three)\b|\bboth\b$|\b(?:screenshot|attached|pasted)\b|\b(?:the )?same (?:thing|here|way|goes)\b|\bsuch (?:pattern|thing)"
    ),
    lasting=rx(
        r"\b(?:always|never|ever|from now on|going forward|every(?:where| time)?|each time|in general|generally|by default|whenever|at all times|as a rule|in all|no matter|without exception|forever|permanent(?:ly)?|in (?:the )?future)\b"
    ),
    reasons=rx(_BECAUSE),
    contrasts=rx(
        r"\b(?:instead of|rather than|in favou?r of|no longer|not \w+ any ?more)\b|, ?(?:not|never) \w+| and not \w+|\bover \w+ (?:for|because)"
    ),
    general=rx(
        r"\b(?:in general|generally|in all (?:my )?(?:projects|repos|sessions|languages)|everywhere|across (?:all )?(?:projects|repos)|as a (?:general )?rule|regardless of (?:the )?project|in every (?:project|repo|session)|no matter (?:what|which) project|"
        r"i (?:always|never|generally|usually|really|strongly|personally|'?d|would|much)?\s*(?:prefer|like|hate|love|dislike|don'?t like|can'?t stand)|my (?:preference|style))\b"
    ),
    tied=rx(
        r"\b(?:in|for|of|on|to|with) (?:this|the|our) (?:repo(?:sitory)?|project|codebase|app|service|product|package|module|backend|frontend|api|database|schema)|\b(?:we|our|us|here)\b|`[^`]+`|[\w-]+/[\w-]+|\b\w+\.[a-z]{2,4}\b|\b\w+_\w+\b|(?-i:\b[a-z]+[A-Z]\w+)|@\w+|\d"
    ),
    praise=rx(
        r"^(?:thanks?(?: you)?|great|perfect|awesome|nice|good (?:job|work)|well done|looks? (?:good|great|fine)|lgtm|love it|amazing|excellent|cool|works?|it works|that works|nice work|brilliant)[\w\s,.!]{0,40}$"
    ),
    reported=rx(
        r"^(?:(?:the|this|that|an?|my|some|his|her|your|in the) )?(?:[\w-]+ ){0,3}?(?:page|blog(?: post)?|post|article|docs?|documentation|readme|manual|book|guide|tutorial|website|site|error|message|log|warning|comment|boss|user|guy|answer|thread|stack ?overflow|chatgpt|gpt|copilot|reddit|people|someone|somebody|they|he|she) "
        r"(?:also |just )?(?:says?|said|claims?|claimed|writes?|wrote|states?|suggests?|recommends?|reads?|complains?|complained|thinks?|told me)\b"
    ),
    specs=rx(
        r"\b(?:buttons?|dialogs?|modals?|pop-?ups?|tooltips?|drop-?downs?|sidebar|navbar|toolbar|checkbox(?:es)?|sliders?|spinners?|toasts?|clicks?|clicked|hovers?|scrolls?|the users?|wider|narrower|pixels?|px)\b|"
        r"^(?:the|this|that|each|a|an) (?:[\w-]+ )?(?:page|screen|window|form|list|table|row|column|cell|header|footer|icon|image|background|player|enem(?:y|ies)|ball|game|character|map|chart|graph|input|text|title|logo|animation|function|method|script|query|loop|output|result|value|link|menu|tab|card|label|font|colou?r|counter|timer|regex|variable|check) (?:must|should|needs?|has to|shall|is never|never|may|cannot|can'?t)\b"
    ),
    asides=rx(
        r",? (?:here|in (?:this|our) (?:repo(?:sitory)?|project|codebase|workspace))(?=[ ,.;]|$)(?! (?:and|or|yet)\b)|^in (?:this|our) (?:repo(?:sitory)?|project|codebase),? "
    ),
    pronouns=words("this that these those it its it's that's there here they them he she you i i'm what which who whom whose when where why how if because since so or and but as "
        "something someone anything anyone nothing everything everyone somebody one some both neither either another other others same such "
        "in on at with for from by to of into over under after before while until unless than then not no yes maybe perhaps please let let's lets don't do does did can could would should will is are was were be been has have had "
        "your my me mine yours their theirs his her hers only just also even still"),
)
