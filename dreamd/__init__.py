"""dreamd: the memory of a person who works with coding agents."""

__version__ = "0.1.0"
