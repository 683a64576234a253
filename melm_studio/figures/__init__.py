"""Pure functions from arrays to plotly figures and frame updates."""
