"""Single rows of the table of a run, and new rows, in its plane."""
