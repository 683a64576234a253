"""Routes about rows: new ones in a plane, and those of the table."""
