"""Names of points can be read: none covers another or leaves the plot."""

from __future__ import annotations

import numpy as np

from melm_studio.planes.feature_charts import (
    MOST_NAMED,
    MOST_POINTS,
    loadings_figure,
    point_labels,
    s_plot_figure,
)

UNIT = np.array([[0.0, 0.0], [1.0, 1.0]])


def test_a_name_with_no_room_on_any_side_is_left_out_and_the_most_important_stays():
    crowded = np.full((12, 2), 0.5)
    texts, _ = point_labels(crowded, ["a name of a feature"] * 12, np.arange(12)[::-1], UNIT)
    assert texts[11]
    assert 1 <= sum(map(bool, texts)) <= 4


def test_a_name_covers_no_point_where_it_can():
    points = np.array([[0.2, 0.5], [0.3, 0.5], [0.9, 0.1]])
    texts, positions = point_labels(points, ["a long name", "b", "c"], np.array([0]), UNIT)
    assert texts[0] == "a long name"
    assert positions[0] == "top center"


def test_a_name_at_an_edge_is_written_toward_the_middle():
    ends = np.array([[0.0, 0.5], [1.0, 0.5]])
    _, positions = point_labels(ends, ["left end", "right end"], np.arange(2), UNIT)
    assert positions == ["middle right", "middle left"]


def test_the_ends_of_an_s_plot_have_names_apart():
    s_plot = np.array([[1.0, 1.0, 0.98, -1.0], [0.95, 0.95, 0.95, -0.9]])
    (points,) = s_plot_figure(s_plot, ["one feature", "same place", "close by", "alone"]).data
    places = [
        (place, side)
        for place, side, text in zip(
            s_plot.T.tolist(), points.textposition, points.text, strict=True
        )
        if text
    ]
    assert "alone" in points.text
    assert len({str(place) for place in places}) == len(places) > 1


def test_markup_in_a_name_is_text():
    figure = loadings_figure(np.array([[1.0, 0.0]]), ["<b>bold</b>"])
    assert figure.data[0].text == ("&lt;b&gt;bold&lt;/b&gt;",)
    assert figure.data[0].customdata == ("&lt;b&gt;bold&lt;/b&gt;",)


def test_loadings_are_points_and_in_ordered_features_lines():
    loadings = np.random.default_rng(0).normal(size=(30, 2))
    words = loadings_figure(loadings, [f"gene {i}" for i in range(30)])
    assert [trace.mode for trace in words.data] == ["markers+text"]
    assert 0 < sum(map(bool, words.data[0].text)) <= MOST_NAMED
    spectrum = loadings_figure(loadings, [str(400 + 2 * i) for i in range(30)])
    _, first, second = spectrum.data
    np.testing.assert_array_equal(first.x, 400 + 2 * np.arange(30))
    np.testing.assert_allclose([first.y, second.y], loadings.T, rtol=1e-6)


def test_of_many_features_the_strongest_are_points():
    loadings = np.random.default_rng(0).normal(size=(MOST_POINTS + 500, 2))
    (points,) = loadings_figure(loadings, [f"gene {i}" for i in range(len(loadings))]).data
    shortest = np.hypot(points.x, points.y).min()
    assert len(points.x) == MOST_POINTS
    assert (np.linalg.norm(loadings, axis=1) > 1.001 * shortest).sum() < MOST_POINTS


def test_a_plane_without_features_has_an_empty_plot():
    assert len(loadings_figure(np.empty((0, 2)), []).data[0].x) == 0
