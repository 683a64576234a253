"""Runs: records, their store, the function that works a run, and the process that supervises."""
