"""Faults of a disk at every place where a store writes."""
