"""Runs: their records, their store, their execution, and the pool of worker processes."""
