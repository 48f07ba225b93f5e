"""The engine with a model: the Messages API through the official SDK, or the person's own `claude` command."""
