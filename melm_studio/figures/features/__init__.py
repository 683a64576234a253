"""Figures of the features of a run."""
