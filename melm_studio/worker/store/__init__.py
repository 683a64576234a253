"""Where runs, data and planes are kept: a folder or Redis."""
