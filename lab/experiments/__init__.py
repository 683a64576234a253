"""Experiments: commands that reproduce the papers' tables and figures, and comparisons."""
