"""A plane drawn: view options, contours, edits, rendering, colors, plotly figures."""
