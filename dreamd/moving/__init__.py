"""Everything of one machine's dreamd in one file, and put back on another."""
