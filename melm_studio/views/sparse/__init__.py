"""How few features suffice: the run that finds out, and what it says."""
