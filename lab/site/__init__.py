"""The documentation as a site of static files, which needs no network to be read."""
