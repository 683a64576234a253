"""Execution of a single run."""
