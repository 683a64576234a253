"""What the page does: Dash callbacks, one user intention per module; `routes` holds the rest."""
