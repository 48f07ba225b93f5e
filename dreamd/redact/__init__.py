"""Secrets, and what stands in their place."""
