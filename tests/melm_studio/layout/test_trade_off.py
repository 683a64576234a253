"""The chart of what it costs to keep batches out of a picture."""

from __future__ import annotations

from dataclasses import replace

from melm_studio.layout.elements import markup
from melm_studio.layout.feature_list import trade_off_chart
from melm_studio.planes.batches import TradeOffPoint
from tests.melm_studio.layout.trees import parts, texts

POINTS = (TradeOffPoint(0.0, 0.8, 0.5, 0.3), TradeOffPoint(4.0, 0.7, 0.3, 0.3))


def paths(points) -> dict[str, str]:
    return {
        part["className"]: part["d"] for part in parts(*trade_off_chart(points, 0.5)) if "d" in part
    }


def test_the_best_accuracy_is_at_the_top_and_the_lowest_of_all_values_at_the_bottom():
    found = paths(POINTS)
    assert found["classes"] == "M34.0 8.0L272.0 26.0"
    assert found["batches"].endswith("L272.0 98.0")
    assert {"30 %", "80 %"} <= set(texts(*trade_off_chart(POINTS, 0.5)))


def test_weights_are_spaced_evenly():
    more = (*POINTS, replace(POINTS[1], weight=8.0))
    labels = [
        (part["children"], float(part["x"]))
        for part in parts(*trade_off_chart(more, 0.5))
        if part.get("text-anchor") == "middle"
    ]
    assert [text for text, _ in labels] == ["0", "4", "8"]
    first, second, third = (x for _, x in labels)
    assert second - first == third - second


def test_equal_values_are_a_line_and_no_division_by_zero():
    flat = [replace(each, accuracy=0.5, batch_accuracy=0.5, batch_chance=0.5) for each in POINTS]
    assert paths(flat)["classes"] == "M34.0 8.0L272.0 8.0"


def test_it_is_plain_html_that_says_what_it_shows():
    written = markup(trade_off_chart(POINTS, 0.5))
    assert '<svg viewbox="0 0 280 120" role="img" aria-label="' in written
