"""Faults that are put into a copy of the project, each to be found by the test of a guarantee."""
