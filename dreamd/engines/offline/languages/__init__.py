"""One file a language: the words by which people mark rules, facts, doubts and the passing moment."""
