"""A talk: its record and its store."""
