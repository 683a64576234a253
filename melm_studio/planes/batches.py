"""Batches in a plane, as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from melm_core.methods import BATCH_WEIGHT, METHODS
from melm_studio.planes.plane_scores import Scores
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import trade_off_sentence

# Each is a refit.
WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def batch_news(record: RunRecord, scores: Scores) -> dict[str, Any] | None:
    """Return what the page shows about batches in a plane; None without batches."""
    if scores.batches is None:
        return None
    return {
        "words": f"Told apart: {scores.batches.shares}.",
        "weight": record.batch_weight,
        "can_act": METHODS[record.method].takes(BATCH_WEIGHT.name),
    }


@dataclass(frozen=True)
class TradeOffPoint:
    """Balanced accuracies of one weight, of held-out rows or, without any, of training rows.

    Attributes
    ----------
    weight : float
    accuracy : float
        Of the classes.
    batch_accuracy, batch_chance : float
        Of the batches within the classes, and of guessing them.
    """

    weight: float
    accuracy: float
    batch_accuracy: float
    batch_chance: float


def trade_off_points(renderer: PlaneRenderer, shown: Shown) -> list[TradeOffPoint]:
    """The accuracies that the page shows at each of several weights; empty without batches.

    Parameters
    ----------
    renderer : PlaneRenderer
    shown : Shown
        The plane from which every weight is refitted; its own makes no difference.
    """
    points = []
    for weight in sorted({*WEIGHTS, shown.record.batch_weight}):
        changed_weight = None if weight == shown.record.batch_weight else weight
        options = replace(shown.options, batch_weight=changed_weight)
        scores = renderer.view(shown.under(options)).scores
        if scores.batches is None:
            return []
        told = scores.batches.held_out or scores.batches.train
        accuracy = scores.accuracy_held_out
        points.append(
            TradeOffPoint(
                weight=weight,
                accuracy=scores.accuracy_train if accuracy is None else accuracy,
                batch_accuracy=told.accuracy,
                batch_chance=told.chance,
            )
        )
    return points


def trade_off_words(points: Sequence[TradeOffPoint]) -> str:
    """The accuracies in one sentence; empty without batches."""
    if not points:
        return ""
    first, last = points[0], points[-1]
    return trade_off_sentence(
        (first.weight, last.weight),
        (first.accuracy, last.accuracy),
        (first.batch_accuracy, last.batch_accuracy),
        last.batch_chance,
    )
