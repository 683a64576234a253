"""Single rows in a plane, new rows, selections."""
