"""A plane in a notebook is that of the estimator, and its rows are those of the table."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import melm_studio
from melm_core import MELM
from melm_core.base import Progress, UserError

X, Y = load_iris(return_X_y=True)


def pipeline(**options):
    return make_pipeline(StandardScaler(), MELM(n_init=2, random_state=0, **options))


def test_a_fitted_estimator_is_shown_with_the_rows_of_each_class():
    widget = melm_studio.view(pipeline().fit(X, Y), X, Y, held_out=(X[:5], Y[:5]))
    scene, traces = widget.get_state()["_scene"], widget.get_state()["_plane"]["traces"]
    assert scene["names"] == ["0", "1", "2"]
    kinds = [
        (style["meta"]["kind"], style["meta"].get("class"))
        for style in scene["figures"]["light"]["data"]
    ]
    shown = {kind: rows for kind, rows in zip(kinds, scene["numbers"], strict=True) if rows}
    for (_, code), rows in shown.items():
        labels = np.concatenate([Y, Y[:5]])[rows]
        assert set(labels.tolist()) == {code}
    assert sorted(row for rows in shown.values() for row in rows) == list(range(155))
    assert len(traces) == len(scene["numbers"])


def test_fit_shows_planes_on_the_way_and_leaves_the_estimator_as_it_was():
    reports: list[Progress] = []
    widget = melm_studio.view(pipeline(callback=reports.append), X, Y)
    assert "Not fitted" in widget.get_state()["_words"]
    assert widget.get_state()["_plane"] == {}
    planes = []
    widget.observe(lambda change: planes.append(change.new), "_plane")
    fitted = widget.fit()
    assert fitted is widget.estimator
    assert len(planes) >= 2  # the first, and the last
    assert len(reports) > 1  # its own callback was asked as well
    assert fitted[-1].callback == reports.append
    alone = melm_studio.view(pipeline().fit(X, Y), X, Y).get_state()["_plane"]
    assert alone["arrows"]["features"] == planes[-1]["arrows"]["features"]


def test_a_callback_that_stops_the_search_goes_on_stopping_it():
    widget = melm_studio.view(pipeline(callback=lambda progress: True), X, Y)
    assert len(widget.fit()[-1].history_) == 1


def test_an_estimator_without_a_callback_is_fitted_and_shown():
    widget = melm_studio.view(PCA(2), X, Y)
    widget.fit()
    assert len(widget.get_state()["_plane"]["arrows"]["features"]) > 0


def test_an_interrupted_fit_leaves_the_callback_as_it_was():
    def interrupt(progress):
        raise KeyboardInterrupt

    widget = melm_studio.view(pipeline(callback=interrupt), X, Y)
    with pytest.raises(KeyboardInterrupt):
        widget.fit()
    assert widget.estimator[-1].callback is interrupt


def test_selected_rows_are_sorted_and_exist():
    widget = melm_studio.view(PCA(2).fit(X), X, Y)
    widget.selected = [7, 3, 7]
    assert widget.selected == [3, 7]
    with pytest.raises(UserError, match="no row 150: the 150 rows are counted from 0"):
        widget.selected = [150]


@pytest.mark.parametrize(
    ("estimator", "message"),
    [(PCA(3), "has 3 component"), (PCA(1), "has 1 component"), (TSNE(2), "TSNE has no transform")],
)
def test_what_has_no_plane_is_refused_with_the_way_out(estimator, message):
    with pytest.raises(UserError, match=message):
        melm_studio.view(estimator.fit(X), X, Y)


def test_without_anywidget_the_command_that_installs_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "melm_studio.programs.plane_widget", raising=False)
    monkeypatch.delattr("melm_studio.programs.plane_widget", raising=False)
    with pytest.raises(UserError, match=r"needs anywidget: .*pip install"):
        melm_studio.view  # noqa: B018
