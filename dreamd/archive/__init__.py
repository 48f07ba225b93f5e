"""Transcripts kept: packed, verified, joined again, put back."""
