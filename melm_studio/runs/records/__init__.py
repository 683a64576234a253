"""Frozen values: a run, its events, its control requests, its reports."""
