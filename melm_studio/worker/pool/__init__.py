"""Processes that work the queue."""
