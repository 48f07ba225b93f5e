"""Ways of saying in English that have no set word for it: statements true in general, figures told, tastes, how things are run."""

from __future__ import annotations

from dreamd.engines.offline.cues import Frame, rx
from dreamd.engines.offline.languages.english_words import VERBS
from dreamd.engines.protocol import Kind

#: Words that make no subject of a general statement.
_NO_SUBJECT = r"(?!this\b|that\b|it\b|its\b|there\b|here\b|they\b|he\b|she\b|you\b|i\b|we\b|what\b|why\b|how\b|who\b|which\b|when\b|where\b|if\b|as\b|for\b|in\b|on\b|with\b|at\b|to\b|from\b|yes\b|no\b|not\b|also\b|does\b|is\b|was\b|has\b|let'?s\b|these\b|those\b|things?\b|lots\b|some\b|both\b|thanks\b|sorry\b|looks\b|seems\b|sounds\b|makes\b|works\b|gets\b|tests (?:are|is|were)\b|always\b|guess|perhaps\b|us\b|yours\b|plus\b|across\b|unless\b|besides\b|sometimes\b|needs\b|says\b)"
#: Verbs of the moment: what is said with them is news and no rule.
_NEWS = r"(?:fail|pass|break|crash|hang|look|seem|work|show|say|complain|throw|return|disappear|take|get|time|die|go (?:wrong|missing|away)|come (?:up|back)|start (?:failing|to)|still|now|keep)"
_LASTING_VERB = (
    r"(?:always |never |only |must |should |may |can only )?(?:go|stay|live|belong|rotate|expire|happen|end|run|are|must|explain|use|follow|carry|have|begin|start|contain|stand|include|need|require|depend|come|"
    r"read|write|call|talk|own|share|store|keep|log|support|accept|inherit|extend|implement|import|describe|deploy|match|map|refer|apply|hold|point|ship|sit|do not|don'?t|cannot|can'?t)"
)
_UNIT = r"(?:ms|s|sec(?:ond)?s?|min(?:ute)?s?|h|hours?|days?|weeks?|%|percent|kb|mb|gb|tb|rps|qps|fps|x|times|tokens|lines|requests|rows|euros?|dollars|usd|eur)"
_NO_REQUEST = r"(?!can\b|could\b|let'?s\b|please\b|change\b|set\b|bump\b|update\b|make\b|add\b|why\b|how\b|is\b|are\b|does\b|do\b|should\b|would\b|it says\b|i see\b|expect\b|use\b|try\b|if\b|maybe\b)"

# A table: one frame a line.
# fmt: off
WAYS = (
    # figures told
    Frame("before_and_after", Kind.OUTCOME, rx(rf"^{_NO_REQUEST}(?=.*\d.*\d)(?=.*\b(?:before|used to be|down to|up to|was|were|instead of|took|after|previously|earlier)\b)(?=.*\d ?{_UNIT}\b|.*\d ?%)(?=.*\b(?:is|are|takes?|took|runs?|needs?|got|went|now|after|down|up)\b|.*[,;:]).{{12,200}}$"), 1.0, "with the new index the export takes 3 seconds, it was 45 before"),
    Frame("multiplied", Kind.OUTCOME, rx(rf"^{_NO_REQUEST}.{{4,120}}\b(?:doubled|halved|tripled|quadrupled|(?:twice|three times|half) as (?:fast|slow|small|big|large|cheap|much|many)|(?:saved?|saves) (?:us |me )?(?:about )?\d[\d.,]* ?{_UNIT}|\d+ ?(?:x|times) (?:faster|slower|smaller|cheaper))"), 1.0, "the suite runs twice as fast since we split it"),
    # what is no more, what will not be
    Frame("got_rid_of", Kind.DECISION, rx(r"^we(?:'ve| have)? (?:just )?(?:got rid of|kicked out|threw out|ditched|abandoned|retired|are done with|are off|moved off|gave up(?: on)?|said goodbye to) (?!it\b|this\b|that\b|them\b|the (?:second|first|last|old one)\b)\w+"), 1.0, "we got rid of gulp, esbuild does it all now"),
    Frame("we_wont", Kind.DECISION, rx(r"^we (?:won'?t|will not|will never|are not going to|aren'?t going to|do not plan to|don'?t plan to|have no plans to) (?:support|use|build|ship|allow|add|offer|have|do|keep|maintain|migrate|move|publish|store|sell|run) (?!it\b|this\b|that\b|them\b|anything\b|more\b)\w+"), 1.0, "we won't support several accounts in version 2"),
    Frame("the_plan", Kind.DECISION, rx(r"^(?:the|our) (?:plan|decision|agreement|deal|goal|strategy|compromise|idea) is (?:not )?to (?!fix\b|do (?:it|this)\b|start\b|check\b|test\b|see\b|try\b|finish\b|get\b|continue\b|look\b)\w+ \w+"), 1.0, "the plan is to ship without the offline mode"),
    Frame("decided_against", Kind.DECISION, rx(r"^(?:i|we)(?:'ve| have)? (?:decided|voted|chose|spoke out) (?:against|for) (?!it\b|this\b|that\b)\w+"), 1.25, "we decided against GraphQL"),
    Frame("settle_on", Kind.DECISION, rx(r"^(?:ok,? |then )?(?:let'?s |we'?ll |we )?(?:settle|standardi[sz]e) on (?!it\b|this\b|that\b|the (?:first|second|last|other)\b|option\b)\w+ \w+"), 1.0, "let's settle on UTC for everything stored"),
    Frame("leave_alone", Kind.DECISION, rx(r"^(?:please |let'?s )?leave (?!it\b|this\b|that\b|them\b|me\b)(?:the |our |all )?[\w /.-]{3,50} (?:in place|alone|untouched|out of|as (?:is|it is|they are)|where (?:it|they))\b"), 0.5, "leave the old endpoint in place because mobile clients update slowly"),
    Frame("make_it_so", Kind.DECISION, rx(r"^(?:please |let'?s )?make (?:the |our |all )?(?!it\b|this\b|that\b|them\b|sure\b|me\b)[\w `/.-]{3,50} (?:configurable|optional|mandatory|the default|opt-in|opt-out|private|public|read-only|required|idempotent|stateless)\b"), 0.75, "make the retry count configurable, default 3"),
    # nobody, everybody
    Frame("nobody", Kind.FACT, rx(r"^(?:nobody|no one|none of us)\b(?: (?:here|on the team|in the team|at the company|else))? (?:uses?|has|wants?|needs?|touches|may|merges|pushes|deploys|commits|works (?:on|with)|is allowed to|should|can)\b (?!it in\b|this\b|that\b|to know|a clue|an idea|any idea)\w+"), 1.0, "nobody on the team has yarn installed, pnpm only"),
    # how things are run
    Frame("to_do_run", Kind.COMMAND, rx(r"^to (?!fix\b|see\b|check\b|be\b|me\b|do\b|debug\b)[a-z-]+ (?:the |our |a |an )?(?!it\b|this\b|that\b|them\b)[\w -]{2,40}?,? (?:you )?(?:just )?(?:run|call|use|execute|start|push|type|invoke) (?!it\b|this\b|that\b|again\b|the same\b)[`\w./-]+"), 1.0, "to regenerate the client call ./scripts/gen.sh"),
    Frame("you_run_with", Kind.COMMAND, rx(r"^(?:you|we) (?:can )?(?:start|run|build|test|deploy|launch|release|install|regenerate|seed|reset|migrate|lint|format) (?:the |our |all )?(?!it\b|this\b|that\b)[\w -]{2,40}? (?:with|by|via|using|through) (?!it\b|this\b|that\b|the same\b)[`\w./-]+ [\w./`-]+"), 1.25, "you start the dev stack with docker compose up -d db"),
    # true in general
    Frame("plural_rule", Kind.CONVENTION, rx(rf"^(?:all |our )?{_NO_SUBJECT}(?!(?:tests?|builds?|checks|errors?|logs|requests) {_NEWS}\b)(?:[a-z][\w-]+ ){{0,2}}(?!{_NEWS}s\b)[a-z][\w-]+s {_LASTING_VERB}\b (?!{_NEWS}\b|wrong\b|missing\b|broken\b|it\b|this\b|that\b|to be\b|not\b.*\byet|no longer in\b|(?:slow|fast|red|green|down|up|gone|done|ready|late|full|empty|flaky|open|closed|big|small|hard|easy|different|identical)\b|here\b|there\b$|on my\b|fine\b|ok\b|still\b|so\b|too\b|very\b|the (?:same|wrong)\b|a (?:bug|problem|mess)\b)\S+(?: \S+)*$"), 1.0, "comments explain why and not what"),
    Frame("thing_only", Kind.FACT, rx(r"^(?:the|our) (?!first|second|last|next|other|test|new|same|old one)[\w-]+(?: [\w-]+){0,3}? only (?:accepts?|supports?|works? (?:with|on|for)|runs? on|allows?|reads?|speaks?|understands?|handles?|takes|ships?|talks? to) (?!it\b|this\b|that\b|when i\b|sometimes\b|once\b|half\b)\w+"), 1.0, "the importer only accepts latin-1"),
    Frame("thing_period", Kind.FACT, rx(rf"^(?:the |our )?(?!first|second|last|next|other|query|import\b|request\b|page\b|call\b)[\w-]+(?: [\w-]+){{0,3}}? (?:caches|keeps?|stores?|refreshes|rotates?|expires?|polls?|retries|syncs?|times? out|purges?|deletes?|is (?:refreshed|rotated|purged|synced|rebuilt|deployed|released)|are (?:refreshed|rotated|purged|synced|rebuilt|kept|deployed|released)) .{{0,50}}?(?:for|every|after|at|each) (?:\d+ ?{_UNIT}\b|(?:second |other )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:night|morning|day|week|month|hour|quarter)\b)(?!.*\bsince the (?:last|latest)\b)"), 1.0, "the app caches answers for 10 minutes"),
    Frame("we_have_n", Kind.FACT, rx(r"^we (?:have|run|maintain|operate|support) (?:only )?(?:two|three|four|five|six|seven|several|\d+|one|our own) (?!idea|time|choice|problem|issue|outage|day|hour|week|minute|meeting|more|bug|error|thing|option|left|failing|red|open|path|way|approach|choice|case|scenario|session|step|question|part|point|reason|idea)[\w-]+(?! (?:left|to go|stuck|waiting))"), 1.0, "we have three environments: dev, stage and prod"),
    Frame("keep_free", Kind.CONVENTION, rx(r"^(?:please |let'?s )?keep (?!it\b|this\b|that\b|them\b|me\b|going\b|an eye)(?:the |our |all )?[\w /.-]{3,50} (?:free (?:of|from)|clear of|out of|separate from|away from|independent of|apart from|in line with)\b (?!it\b|this\b|that\b|here\b)\w+"), 1.0, "keep the domain layer free of framework imports"),
    Frame("dont_let_me_catch", Kind.PROHIBITION, rx(r"^don'?t let me (?:catch|see) you \w+ing \S+"), 1.25, "don't let me catch you committing keys"),
    Frame("if_you_need", Kind.PREFERENCE, rx(r"^if you (?:need|want|plan|have) (?!me\b|it\b|this\b|that\b|to go\b|more\b)(?:an? |the |to )?.{3,60}?,? (?:you |please )*(?:ask|tell|check with|come to|talk to|get my|warn)\b"), 1.0, "if you need a new dependency you ask me first"),
    # taste
    Frame("short_answers", Kind.PREFERENCE, rx(r"^(?:short(?:er)?|brief|concise|detailed|plain|simple|direct|honest|no long|less verbose) (?:answers?|replies|responses|explanations?|messages?|sentences)\b(?! (?:is|are|was|were|please\?))"), 1.25, "short answers please"),
    Frame("one_at_a_time", Kind.PREFERENCE, rx(r"^(?:please )?(?:ask|do|change|explain|send|propose|take|go|show) (?:me )?(?:only |just )?one (?:thing|question|change|step|topic|file|problem) at a time"), 1.25, "please ask one thing at a time"),
    Frame("about_your_answers", Kind.PREFERENCE, rx(rf"^(?:please |don'?t |do not |never |always )*(?:{VERBS}) (?!it\b|this\b|that\b).{{2,80}}\b(?:of|in|to|with|from|at the end of|into|for) (?:all |any )?your (?:answers?|replies|responses|explanations|messages|commit messages|reviews)\b(?! (?:above|again|is|was))"), 1.25, "skip the summary at the end of your answers"),
    Frame("talk_to_me", Kind.PREFERENCE, rx(r"^(?:please )?(?:talk|speak|write|explain (?:things|stuff|everything)) to me (?:like|as|in|with|without)\b \w+"), 1.25, "talk to me like to a senior"),
    Frame("first_then", Kind.PREFERENCE, rx(r"^(?:always )?(?:give|show|tell) me (?!the\b|this\b|that\b|it\b|a\b|an\b|what\b|how\b|why\b|if\b)[\w ]{3,30} first\b.{0,60}\b(?:after|then|later|second|last)\b"), 1.0, "give me code first and the explanation after"),
    Frame("when_i_say", Kind.CONVENTION, rx(r"^when(?:ever)? i (?:say|write|ask for|talk about|mention) .{2,40}?,? (?:i|it|that) means? \w+"), 1.25, "when I say deploy I mean staging"),
    Frame("no_sugar", Kind.PREFERENCE, rx(r"^(?:please )?(?:don'?t|do not|never) (?:sugar-?coat|lecture|patroni[sz]e|flatter|moralize|spoon-?feed)\b"), 1.25, "don't sugarcoat it when my idea is bad"),
)
# fmt: on
