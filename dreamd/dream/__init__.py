"""One dream: gates, the four passes, and the cycle that tells the story."""
