"""Pure functions from arrays to plotly figures and frame updates."""

from __future__ import annotations

from melm_studio.figures.estimator_figure import plane_figure

__all__ = ["plane_figure"]
