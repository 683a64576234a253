"""The work of one run."""
