"""Routes of numbers that some methods alone have."""
