"""What ties dreamd to Claude Code: entries in its settings, an import line, a command, a plugin."""
