"""Pages of docs/results that list what the code itself says."""
