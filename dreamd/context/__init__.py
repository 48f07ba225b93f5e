"""What fits into a model's head: the prompt, tokens, the budget and its tiers, compaction, a conversation."""
