"""Runs: their records, their store, and how they are executed."""
