"""Planes outside the page: figures of estimators, figures for print, reports, replays, programs."""

from __future__ import annotations

from melm_studio.publication.estimator_figure import plane_figure

__all__ = ["plane_figure"]
