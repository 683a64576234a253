"""Dialogs of the page: each opens from a button of a run."""
