"""What it costs to keep batches out of a picture, as a small chart in the card on batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dash import html
from dash.development.base_component import Component

from melm_core.base import percent
from melm_studio.layout.attributes import aria
from melm_studio.layout.shell.markup import Element
from melm_studio.planes.batches import TradeOffPoint, trade_off_words

_WIDTH, _HEIGHT = 280, 120
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 272, 8, 98  # of the lines


def trade_off_chart(points: Sequence[TradeOffPoint], chance: float) -> list[Component]:
    """Accuracy of the classes and of the batches within them, by the weight of the batches.

    Weights are spaced evenly, accuracies span what occurs; guessing is dashed.

    Parameters
    ----------
    points : sequence of TradeOffPoint
        At least one.
    chance : float
        Of guessing the class.
    """
    batch_chance = points[0].batch_chance
    told = [accuracy for point in points for accuracy in (point.accuracy, point.batch_accuracy)]
    low, high = min(*told, chance, batch_chance), max(*told, chance, batch_chance)
    step = (_RIGHT - _LEFT) / max(len(points) - 1, 1)

    def y(accuracy: float) -> float:
        return _TOP + (high - accuracy) / ((high - low) or 1.0) * (_BOTTOM - _TOP)

    def line(name: str, accuracy_of: Callable[[TradeOffPoint], float]) -> Component:
        places = (f"{_LEFT + i * step:.1f} {y(accuracy_of(p)):.1f}" for i, p in enumerate(points))
        return Element("path", d=f"M{'L'.join(places)}", className=name)

    def guess(accuracy: float) -> Component:
        return Element("path", d=f"M{_LEFT} {y(accuracy):.1f}H{_RIGHT}", className="guess")

    words = trade_off_words(points)
    drawn = [
        guess(chance),
        guess(batch_chance),
        line("classes", lambda point: point.accuracy),
        line("batches", lambda point: point.batch_accuracy),
        *(
            _text(_LEFT + i * step, _HEIGHT - 8, "middle", f"{point.weight:g}")
            for i, point in enumerate(points)
        ),
        *(_text(_LEFT - 4, y(end) + 4, "end", percent(end)) for end in (low, high)),
    ]
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    legend = [html.Span(name) for name in ("classes", "batches", "guessing")]
    return [
        Element("svg", drawn, viewBox=box, role="img", **aria(label=words)),
        html.P(legend, className="trade-off-legend"),
        html.P(words, className="hint"),
    ]


def _text(x: float, y: float, anchor: str, text: str) -> Component:
    return Element("text", text, x=f"{x:.1f}", y=f"{y:.1f}", **{"text-anchor": anchor})
