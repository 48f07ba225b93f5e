"""What speaks in English for a remark about the work being worth keeping, and what against it; each mark with its weight and an example."""

from __future__ import annotations

from dreamd.engines.offline.languages.marks import Mark

#: Verbs with which something about the product is changed for good.
CHANGES = (
    "remove|drop|delete|deprecate|throw out|turn (?:on|off)|change the (?:name|default|key|format|order)|retire|replace|rename|switch|move|migrate|adopt|keep|store|support|allow|forbid|disallow|enable|disable|invert|split|merge|group|align|reuse|"
    "default|require|restrict|limit|cap|unify|consolidate|standardi[sz]e|introduce|expose|hide|ship|publish|target|track|strip|reset|get rid of|stick (?:to|with)|go with|rely on|treat|return|emit|log"
)
#: Verbs that order a step of the work at hand.
STEPS = (
    "check|double[- ]?check|look|run|rerun|re-run|commit|push|pull|merge|rebase|review|verify|validate|read|see|show|tell|explain|summari[sz]e|continue|fix|debug|investigate|open|close|clean|list|print|compare|"
    "test|try|find|search|paste|revert|undo|skip|wait|stop|go|extract|spawn|update|draft|write|create|add|make a|make the test|give|send|walk|step|start|finish|proceed|apply|install|download|fetch|cherry-pick|squash|bump|copy|"
    "have a look|take a look|web-?search|research|google|ultrathink|brainstorm|websearch|think|ask|help|describe|document|rewrite|refactor|rework|tidy|improve|polish|reproduce|have|get|put|log a|log an"
)

# A table: one mark a line.
# fmt: off
MARKS = (
    # for it
    Mark("reason", 1.0, r"\b(?:because|becasue|becuase|since (?!\d|yesterday|last|mon|tue|wed|thu|fri|sat|sun|the (?:last|morning))|given(?: that)? (?:the|that|we|it|how|not|access)|so that|that'?s why|otherwise|due to|as (?:it'?s?|that'?s|they|we|those|these) |so (?:we|users?|people|they|if|basically|none) |in order to|to be consistent|for (?:consistency|performance|security|privacy|compliance))|[,;?] [^,;?]{0,40}\b(?:already|anyway|enough|misleading|confus\w+|nobody|no one|overkill|covers|too (?:slow|much|many|big|complex|expensive|hard))\b", "drop the flag, since nobody passes it"),
    Mark("contrast", 0.75, r"\b(?:instead(?: of)?|rather than|in favou?r of|no longer|not \w+ any ?more|in place of|never mind)\b|, (?:and )?not (?!sure|yet|only|too|that)\w+|\band not \w+|\bbut not \w+|\bnot (?:the|a|an|as|on|in|by) \w+|\bthan (?:a |an |the )?\w+[- ]\w+", "read it from the settings and not from the environment"),
    Mark("scope", 0.75, r"\b(?:always|never|only|every(?:one|body|where|thing)?|each|all|any|default|by itself|automatic(?:al)?ly|in general|generally|going forward|from now on|consistent(?:ly)?|for everyone|no matter|at most|at least|per [a-z]+)\b", "the notice is only shown on the first start"),
    Mark("obligation", 0.5, r"\b(?:should(?:n'?t)?|must(?:n'?t)?|(?:have|has|needs?) to|ought to|supposed to|(?:can|may) ?not|mustn'?t|not (?:acceptable|allowed|valid|an option))\b", "the parser must not know about the transport"),
    Mark("wish", 0.5, r"\b(?:i|we)(?:'d| would|'ll)? (?:really |rather |also |definitely |explicitly )*(?:want|like|prefer|rather|agree|decided|chose)\b|\bi'?d (?:rather|like|prefer|replace|keep|use)\b|^don'?t want\b", "I'd like the summary to cover the checkpoint alone"),
    Mark("together", 0.25, r"\b(?:we|our|ours|us)\b", "we don't control that process"),
    Mark("change", 0.5, rf"(?:^|\b(?:we|to|should|must|just|let'?s|and|then|can|could|would|i|will|not|don'?t) )(?:{CHANGES})\b", "let's invert the flag"),
    Mark("named", 0.5, r"`[^`]+`|\b[\w-]+\.(?:md|json|jsonl|ya?ml|toml|go|py|tsx?|jsx?|sh|rs|lock|log|html|exs?|rb|java|sql|css|proto)\b|\b[a-z]+_\w+\b|\b[A-Z]+_\w+\b|(?-i:\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+)|(?<![\w-])--?[a-z][\w-]+|(?<![\w/:.])[\w.@-]+/[\w./-]+", "rename it to run_manifest"),
    Mark("product", 0.25, r"(?-i:(?<=[a-z,;] )(?!I\b|I'|OK\b|PRs?\b|TODO\b|Q\b)[A-Z][\w-]+)|\b[a-z]{3,}-[a-z-]{3,}\b", "we swap Phoenix for our own collector"),
    Mark("states", 0.25, r"^(?!it\b|this\b|that\b|there\b|i\b|you\b|what\b|which\b)(?:[\w`'/.@-]+ ){1,6}?(?:is|are|means?|has|have|needs?|uses?|comes?|goes|runs?|lives?|contains?|writes?|reads?|works?|depends?|supports?|defaults?|belongs?|changes?)\b", "a step is a rewindable point"),
    Mark("full", 0.25, r"^(?:\S+\s+){9}", "a sentence of ten words or more says enough to stand by itself"),
    Mark("long", 0.25, r"^(?:\S+\s+){15}", "a sentence of sixteen words or more often says what is to be done and why it is so"),
    # against it
    Mark("asks", -2.0, r"\?\s*\)?$|\b(?:find|figure) out (?:why|what|how)\b|, (?:is|are|was|does|do|did|can|should) (?:it|we|they|there|that|this|you)\b|\bi(?:'m)? (?:wonder(?:ing)?|curious) (?:how|if|whether|why|what|which)\b|^(?:(?:so|but|and|also|then|ok|wait|hm+|q:|question:),? )*(?:what|why|how|where|which|when|who|is|are|was|were|does|do|did|has|have|had|am|any|isn'?t|aren'?t|doesn'?t|didn'?t|would it|will|explain)\b", "why is there a lock at all?"),
    Mark("asks_within", -1.0, r"(?<!know)(?<!see)(?<!tell)(?<!is)(?<!about)(?<!of)(?<!on) (?:how|why|what|which) (?:are|is|do|does|did|can|should|would) (?!not\b)\w+", "a line to the others how are runs used there"),
    Mark("step", -2.0, rf"^(?:(?:(?:can|could|would|will|should|shall) (?:you|we|i)|please|pls|pelase|then|now|just|also|and|ok|yes|yeah|so|first|next|let'?s|lets|i (?:want|need|would like)(?: you)? to|i'?d (?:like (?:you |us )?to|rather)|help me|maybe|but),? )*(?:{STEPS})\b", "can you run the linter again"),
    Mark("points", -0.5, r"\b(?:this|that|these|those|it|here|above|below|they|them)\b(?! (?:way|repo|project|means)\b)", "do this in the other one"),
    Mark("points_twice", -0.5, r"\b(?:this|that|these|those|it|here|above|below|them)\b.+\b(?:this|that|these|those|it|here|above|below|them)\b", "it is in that one"),
    Mark("doubts", -0.75, r"\b(?:maybe|perhaps|not (?:100% |really |quite )?sure|i wonder|wondering|might|probably|possibly|i guess|i suspect|i suppose|any ideas?|thinking aloud|seems|looks like|sounds like|i'?m (?:questioning|struggling|confused))\b", "maybe the cache is stale"),
    Mark("mine", -2.0, r"\bi (?:don'?t|do not|no longer) (?:need|want|use|like) (?:it|this|that|them)\b", "delete the file, I don't need it any more"),
    Mark("trouble", -1.0, r"\b(?:fail(?:s|ed|ing|ure)?|errors?|broken?|broke|crash\w*|bugs?|wrong|weird|stuck|issues?|problem|doesn'?t work|not working|missing|hangs?|stale|conflicts?|ends? up (?:not|with|in)|lacks?)\b", "the second test fails"),
    Mark("bug", -3.0, r"\b(?:never|still|always|not|stays?|keeps?)\b.{2,40}\beven (?:when|if|though|after)\b", "the spinner never stops even when the upload is done"),
    Mark("tells", -0.75, r"\b(?:i|we) (?:just |already |also |only |recently |myself |had |have |'ve )*(?:tried|did|saw|noticed|ran|see|found|checked|looked|got|had|was|were|started|pushed|merged|continued|restarted|cloned|verified|confirmed|documented|reviewed|can see|cannot see|can'?t see)\b", "I tried the other branch"),
    Mark("moment", -2.0, r"\b(?:right now(?! when)|for now|at the moment|currently|this time|today|tomorrow|tonight|temporar\w+|in this (?:branch|pr|case|example|task|file)|this (?:branch|pr|change|commit|task|bead|worker|session)|next step|first cut|later|yet|once done|when done|again|still|the (?:last|latest|next|other) one|is (?:it|this) ready|ready to merge|(?:check|what'?s) (?:the )?status|until (?:the )?(?:final|last|next|end))\b", "skip it for now"),
    Mark("ticket", -0.75, r"#\d+\b|\b[A-Z]{2,5}-\d+\b|\b(?:pull|issues|runs|actions|commit)/\w*\d|\b[0-9a-f]{7,40}\b(?<!\d{7})|\b(?:option|step|item|scenario|point|task|pr|line) \(?(?:\d|[a-d]\b)", "option 2 does not work"),
    Mark("agent", -1.5, r"\byou(?:'re| are|'ve| have)? (?:said|wrote|forgot|did|mentioned|marked|deleted|removed|changed|added|missed|broke|just|were|think|agree|sure|mean|believe|recommend|suggest|prefer|being)\b|\byour (?:summary|plan|change|changes|answer|suggestion|last|fix)\b", "you said it was cached"),
    Mark("supposes", -1.5, r"\bwhat if\b|^(?:so )?if (?!no|not|nothing|there)[^,]{3,80},? (?:we|it|that|i) (?:would|could|might)\b|\bin theory\b|\bsuppose\b|\blet'?s say\b|\bimagine\b|\bhypothetical", "if we used a queue we would not need the lock"),
    Mark("looks", -1.25, r"\b(?:buttons?|dialogs?|modals?|tooltips?|dropdowns?|sidebar|spinner|label|font|colou?rs?|border|padding|margin|bold|wider|narrower|larger|pixels?|px|icon|column|centered|align(?:ed)? (?:left|right))\b", "make the label bold"),
    Mark("command", -2.0, r"^(?:\$ |> )?(?:bun|npm|npx|pnpm|yarn|go|cargo|python3?|pip|uv|git|docker|kubectl|make|mix|\./\S+) \S+ .*(?:--?[a-z]|[\w.]/[\w.])", "bun run eval examples/a.yaml --dry-run"),
    Mark("typeset", -1.0, r"[\u2018\u2019\u201c\u201d]|\u2022", "the import isn\u2019t related to this"),
    Mark("wants_proof", -1.0, r"\b(?:would be (?:great|good|nice|helpful) if|(?:can|could) you (?:confirm|check|verify|validate|explain|tell))\b", "it would be great if we can validate that"),
    Mark("continues", -1.0, r"^(?:because|i\.?e\b|e\.?g\b|more (?:what|like|on)|like\b|or\b|which\b|whereas|unless|except|as in)", "because we want the agent to drive it"),
    Mark("piece", -1.5, r"^(?:we |i )?(?:need|want)s? (?:a|an|another|one more|some) (?:little |small |quick |new |simple )?(?:patch|fix|change|test|script|function|helper|button|endpoint|page|plan|list|summary|doc)\b|\bone more change\b", "need a little patch that prints the help text"),
    Mark("brief", -1.0, r"^(?:\S+\s*){1,5}$", "rename that one"),
    Mark("feels", -1.5, r"^(?:thanks?|great|perfect|awesome|nice|cool|lol|haha|sorry|wow|yay|good (?:job|work|point|catch)|well done|hello|hi|morning)\b|\b(?:works like a charm|love it|lol|haha)\b|\bnever ?mind\W*$", "great, that works"),
    Mark("one_place", -1.0, r"\b(?:in|from|of|to|at|inside) (?:the )?(?:file )?[`\w/.-]+\.(?:py|tsx?|jsx?|go|rs|rb|java|ex|exs|css|html|sql|vue|kt|swift|c|cpp|h)\b(?!.*\b(?:always|never|every|must|should)\b)", "remove the comments from utils.py"),
    Mark("clock", -1.5, r"\b(?:\d+|two|three|a few|an|half an) (?:seconds?|minutes?|hours?|days?) (?:left|ago|later)\b|\b(?:in|within) (?:an|\d+|two|a few) (?:hours?|minutes?)\b|\bwhile i\b|\buntil (?:all|the|i|we|you)\b|\bbefore we (?:can )?(?:merge|go|ship|start|continue)\b|\bsince the (?:last|latest)\b|\b(?:meeting|demo|lunch|call)\b|\bby (?:\d+ ?(?:am|pm)|noon|tonight|tomorrow|eod|end of day|\w+day)\b", "we only have two hours left"),
    Mark("scene", -1.0, r"^(?:(?:so|and|but|then|also),? )?(?:in (?:the|that|this) (?:scenario|example|case|above)|the (?:scenario|example|idea|plan|summary|output|log|logs|diff|screenshot)|take the following|let'?s (?:say|step|go|see|take|look|get|do|proceed|start|summari[sz]e|discuss|talk|try|wait|continue|begin|keep going|move on))\b", "let's step through each one"),
)
# fmt: on
