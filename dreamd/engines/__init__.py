"""Who reads and decides: the engine protocol and its implementations."""
