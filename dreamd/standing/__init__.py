"""How dreamd stands: status, problems, whether a service lives."""
