"""What resamples say of the plane of a run, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray, percent
from melm_studio.runs.records.resamples_report import ResamplesReport
from melm_studio.tables import count

MOST_FEATURES = 8
# In degrees, by convention: below the first a plane stands, from the second on it dances.
# `python -m experiments resamples` shows where real tables and noise are.
STANDS, DANCES = 35.0, 45.0


@dataclass(frozen=True)
class ResampledFeature:
    """A feature of the plane: its name, the interval of its length, how often it is selected."""

    name: str
    low: float
    high: float
    words: str


def resamples_sentence(report: ResamplesReport, *, is_final: bool) -> str:
    """Whether the plane stands, sways or dances, with its angles."""
    if not report.angles:
        return "No resample yet." if is_final else "Refitting the plane to the first resample."
    if report.features is None:
        done = f"{len(report.angles)} of {count(report.n_resamples, 'resample')}"
        return f"{done} so far: it turns by {_degrees(report.angles)} (median)."
    middle = float(np.median(report.angles))
    manner = "stands" if middle < STANDS else "sways" if middle < DANCES else "dances"
    low, high = np.quantile(report.angles, [0.05, 0.95])
    return (
        f"The plane {manner}: between {report.n_resamples} resamples it turns by "
        f"{_degrees(report.angles)} (median; 5 to 95 %: {low:.0f}° to {high:.0f}°)."
    )


def resample_label(number: int, angle: float) -> str:
    """The name of a resample, counted from 0, with its angle in degrees."""
    return f"Resample {number + 1}, {angle:.0f}°"


def resamples_note(report: ResamplesReport) -> str:
    """What was resampled."""
    units = "groups" if report.by_groups else "rows within each class"
    return (
        f"Bootstrap of the {units} of the training data, each refitted from this plane. In trials, "
        "planes of pure noise turned by 36° or more; so did a few planes of real data."
    )


def resampled_features(
    report: ResamplesReport, names: Sequence[str], components: FloatArray
) -> list[ResampledFeature]:
    """The strongest features of the plane with their intervals; empty until all are known.

    Parameters
    ----------
    report : ResamplesReport
    names : sequence of str
    components : ndarray of shape (n_components, n_features)
        Of the run's plane.
    """
    found = report.features
    if found is None:
        return []
    strongest = np.argsort(-np.linalg.norm(components, axis=0), kind="stable")[:MOST_FEATURES]
    return [
        ResampledFeature(
            name=names[i],
            low=found.lower[i],
            high=found.upper[i],
            words=f"{found.lower[i]:.2f} to {found.upper[i]:.2f}, among the strongest "
            f"{found.n_top} in {percent(found.frequencies[i])}",
        )
        for i in map(int, strongest)
    ]


def _degrees(angles: Sequence[float]) -> str:
    return f"{float(np.median(angles)):.0f}°"
