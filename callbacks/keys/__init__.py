"""Origin of a request: its cookie, a grant that it carries, or the name that a proxy gives."""
