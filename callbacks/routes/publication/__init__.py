"""Figures for print and reports, as files."""
