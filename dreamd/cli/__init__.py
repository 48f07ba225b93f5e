"""The command line: one verb, one short module."""
