"""The stores of runs, planes and data: in a folder, or on Redis."""
