"""How memory and past sessions are found again: a throw-away index of its own."""
