"""Dash callbacks of the page, one user intention per module; `routes` holds the rest."""
