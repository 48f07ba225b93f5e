"""What a new session in a directory should be told."""
