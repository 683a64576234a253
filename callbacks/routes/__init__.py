"""Flask routes, and what guards them."""
