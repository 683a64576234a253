"""Cost of keeping batches out of a plane: both accuracies by the weight of the batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from melm_studio.analyses import charts
from melm_studio.analyses.content import Block, plot
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.view_options import Shown
from melm_studio.scores import trade_off_sentence

# Each is a refit.
WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


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


def trade_off_shown(
    points: Sequence[TradeOffPoint], chance: float, scheme: Scheme = Scheme.LIGHT
) -> list[Block]:
    """Return the chart of the accuracies; nothing without batches.

    Weights are spaced evenly, and guessing is dotted: of the class at ``chance``.

    Examples
    --------
    >>> points = [TradeOffPoint(0.0, 0.8, 0.5, 0.3), TradeOffPoint(4.0, 0.7, 0.3, 0.3)]
    >>> (block,) = trade_off_shown(points, 0.5)
    >>> [(trace["name"], trace["x"]) for trace in block["figure"]["data"]]
    [('classes', ['0', '4']), ('batches', ['0', '4'])]
    """
    if not points:
        return []
    theme = THEMES[scheme]
    weights = [f"{point.weight:g}" for point in points]
    classes = [point.accuracy for point in points]
    batches = [point.batch_accuracy for point in points]
    data = [
        charts.line(weights, classes, "classes", color=theme.class_colors[0]),
        charts.line(weights, batches, "batches", color=theme.ink, dash="dash"),
    ]
    layout = charts.layout(
        theme,
        xaxis=charts.axis(theme, "batch weight", type="category"),
        yaxis=charts.accuracies(theme),
        shapes=charts.across(theme, [(chance, "dot"), (points[0].batch_chance, "dot")]),
    )
    return [plot({"data": data, "layout": layout}, trade_off_words(points))]
