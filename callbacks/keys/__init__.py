"""Who a request is from: its cookie, a grant that it carries, or the name that a proxy gives."""
