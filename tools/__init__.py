"""Programs that set up, check and document the studio."""
