"""Transcripts read into the state as they grow."""
