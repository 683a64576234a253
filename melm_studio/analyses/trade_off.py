"""Cost of keeping batches out of a plane: both accuracies by the weight of the batches."""

from __future__ import annotations

from collections.abc import Sequence

from melm_studio.analyses import charts
from melm_studio.analyses.content import Block, plot
from melm_studio.planes.batches import TradeOffPoint, trade_off_words
from melm_studio.planes.theme import THEMES, Scheme


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
