"""What a service needs, looked at and, where it can be, mended."""
