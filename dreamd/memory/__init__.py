"""What is remembered: the memory tree, its plan of changes, its history and the one place that writes it."""
