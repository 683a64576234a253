"""Kinds of traces, in their `meta`, so that the page need not count traces."""

from __future__ import annotations

from enum import StrEnum


class PlaneTrace(StrEnum):
    """Kind of a trace in the figure of a plane."""

    CONTOUR = "contour"
    TRAIN = "train"
    HELD_OUT = "held_out"
    THRESHOLD = "threshold"
    FAINT_ARROWS = "faint_arrows"  # of features without a visible effect
    ARROW_LINES = "arrow_lines"
    ARROW_HEADS = "arrow_heads"
    OUTSIDE = "outside"
    CLASS_NAMES = "class_names"
    CLASS_ELLIPSE = "class_ellipse"
    MEAN_ELLIPSE = "mean_ellipse"
    CENTROID = "centroid"
    FITTED_OUTLINE = "fitted_outline"  # of rows that are drawn at unseen places


class CurveTrace(StrEnum):
    """Kind of a trace in the figure of a run's objective."""

    BAND = "band"
    STEPS = "steps"
    BEST = "best"
    HELD_OUT = "held_out"
    STARTS = "starts"
    RECORDS = "records"


def trace_meta(kind: PlaneTrace | CurveTrace, code: int | None = None) -> dict[str, str | int]:
    """The `meta` of a trace: its kind, and the code of its class where it belongs to one."""
    return {"kind": kind.value} | ({} if code is None else {"class": code})
