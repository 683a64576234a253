"""The tables of the papers."""
