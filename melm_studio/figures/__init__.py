"""Figures: arrays in, plotly figures and frame updates out."""
