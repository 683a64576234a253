"""The picture of an estimator shows what its transform gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core import MELM, DiscriminantPlane, KernelFisherDiscriminant
from melm_core.base import UserError
from melm_studio.publication import plane_figure

X, y = load_iris(return_X_y=True, as_frame=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])[y]


def points(figure, name: str) -> np.ndarray:
    """The points of a class, in training and held out."""
    kinds = {"train", "held_out"}
    found = [
        t for t in figure.data if t.meta["kind"] in kinds and t.name.startswith(name) and len(t.x)
    ]
    return np.concatenate([np.column_stack([trace.x, trace.y]) for trace in found])


def alike(drawn: np.ndarray, given: np.ndarray) -> bool:
    """Whether two sets of points differ by an affine map only, row by row."""
    design = np.column_stack([given, np.ones(len(given))])
    fitted = design @ np.linalg.lstsq(design, drawn, rcond=None)[0]
    return bool(np.abs(fitted - drawn).max() < 1e-6)


@pytest.mark.parametrize(
    "estimator",
    [
        DiscriminantPlane(),
        MELM(n_init=1, random_state=0),
        make_pipeline(StandardScaler(), DiscriminantPlane()),
        make_pipeline(StandardScaler(), KernelFisherDiscriminant()),
    ],
    ids=["LDA", "MELM", "pipeline", "nonlinear"],
)
def test_points_are_those_of_transform(estimator):
    Z = estimator.fit(X, SPECIES).transform(X)
    figure = plane_figure(estimator, X, SPECIES)
    drawn = np.concatenate([points(figure, name) for name in np.unique(SPECIES)])
    assert len(drawn) == len(X)
    assert alike(drawn, Z)


def test_held_out_rows_are_drawn_and_have_no_kernels():
    train, rest = np.arange(0, 150, 2), np.arange(1, 150, 2)
    lda = DiscriminantPlane().fit(X.iloc[train], SPECIES[train])
    alone = plane_figure(lda, X.iloc[train], SPECIES[train])
    both = plane_figure(lda, X.iloc[train], SPECIES[train], held_out=(X.iloc[rest], SPECIES[rest]))
    assert len(points(both, "setosa")) == 50
    regions = [trace for trace in both.data if trace.meta["kind"] == "contours"]
    for trace, same in zip(regions, alone.data, strict=False):
        np.testing.assert_array_equal(trace.x, same.x)


def test_arrows_have_the_names_of_columns():
    lda = DiscriminantPlane().fit(X, SPECIES)
    (tips,) = (t for t in plane_figure(lda, X, SPECIES).data if t.meta["kind"] == "arrow_heads")
    assert set(tips.text) <= {*X.columns, ""}
    (tips,) = (
        t
        for t in plane_figure(lda, X, SPECIES, feature_names=list("abcd")).data
        if t.meta["kind"] == "arrow_heads"
    )
    assert set(tips.text) <= {*"abcd", ""}


def test_an_estimator_that_is_not_fitted_and_a_new_class_are_refused():
    with pytest.raises(NotFittedError):
        plane_figure(DiscriminantPlane(), X, SPECIES)
    lda = DiscriminantPlane().fit(X, SPECIES)
    with pytest.raises(UserError, match="'new'"):
        plane_figure(lda, X, SPECIES, held_out=(X[:1], pd.Series(["new"])))
