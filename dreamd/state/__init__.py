"""What we know: sessions, findings and runs in SQLite; SQLAlchemy lives here only."""
