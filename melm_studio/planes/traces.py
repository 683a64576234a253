"""What every trace of a figure shows, in its `meta`, so that the page need not count traces."""

from __future__ import annotations

from enum import StrEnum


class PlaneTrace(StrEnum):
    """What a trace of the figure of a plane shows."""

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
    """What a trace of the figure of a run's objective shows."""

    BAND = "band"
    STEPS = "steps"
    BEST = "best"
    HELD_OUT = "held_out"
    STARTS = "starts"
    RECORDS = "records"


def trace_meta(kind: PlaneTrace | CurveTrace, code: int | None = None) -> dict[str, str | int]:
    """The `meta` of a trace: its kind, and the code of its class where it belongs to one."""
    return {"kind": kind.value} | ({} if code is None else {"class": code})
