"""The processes that execute queued runs."""
