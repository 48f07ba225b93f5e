"""The service: watches, counts, looks at the gates and dreams in a child process."""
