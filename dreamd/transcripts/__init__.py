"""What was said: transcripts of coding agents, read as one kind of event."""
