"""Callbacks of the dialog of the table."""
