"""The picture of a fitted estimator, as the page draws it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from melm_core.base import DEFAULT_DENSITY_GAMMA, FloatArray, UserError
from melm_studio.planes.figure import arrow_names, empty_figure, limits, plane_frame
from melm_studio.planes.plane_view import PlaneViewer, viewer_of_rows
from melm_studio.planes.theme import Scheme

_NO_TRANSFORM = (
    "{name} has no transform(X), so its picture cannot hold further rows. Take an estimator that "
    "has one, or plot the coordinates that fit_transform(X) returns."
)
_NEW_CLASS = (
    "The held-out rows have the class {name!r}, which the training rows do not have. Leave those "
    "rows out."
)


def plane_figure(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    held_out: tuple[Any, Any] | None = None,
    feature_names: Sequence[str] | None = None,
    gamma: float | None = None,
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """Draw rows in the plane of a fitted estimator: points, contours of the densities, arrows.

    Parameters
    ----------
    estimator : estimator or Pipeline
        Fitted, with transform(X); one with ``components_`` has arrows of its features.
    X : array-like of shape (n_samples, n_features)
        The training rows, as the estimator was fitted to them.
    y : array-like of shape (n_samples,)
        Their classes.
    held_out : tuple of array-like, optional
        Rows that took no part in the fit, and their classes; drawn as open symbols.
    feature_names : sequence of str, optional
        By default the columns of a DataFrame, else numbers from 1.
    gamma : float, optional
        Kernel width of the densities, relative to Silverman's rule; by default that of the
        estimator, or 1 if it has none.
    scheme : Scheme
        Light or dark.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    sklearn.exceptions.NotFittedError
    UserError
        If a held-out row has a class that no training row has.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from melm_core import MELM
    >>> from melm_studio.publication import plane_figure
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> melm = make_pipeline(StandardScaler(), MELM(n_init=1, random_state=0)).fit(X, y)
    >>> figure = plane_figure(melm, X, y)
    >>> [trace.name for trace in figure.data if trace.meta["kind"] == "train"]
    ['0', '1', '2']
    """
    check_is_fitted(estimator)
    components = plane_of(estimator)
    viewer = estimator_viewer(
        estimator,
        X,
        y,
        len(components) if components is not None else None,
        held_out=held_out,
        feature_names=feature_names,
        gamma=gamma,
    )
    view = viewer.view(np.eye(viewer.n_components) if components is None else components)
    figure = empty_figure(
        viewer.class_names, viewer.n_drawn, scheme, n_components=viewer.n_components
    )
    for trace, arrays in zip(figure.data, plane_frame(view, encode=np.asarray), strict=True):
        trace.update(arrays)
    figure.data[-1].update(arrow_names(view))
    horizontal, vertical = limits(view)
    return figure.update_layout(xaxis_range=horizontal, yaxis_range=vertical)


def plane_of(estimator: Any) -> FloatArray | None:
    """Return the components of an estimator or of the last step of a pipeline; None without."""
    components = getattr(last_step(estimator), "components_", None)
    return None if components is None else np.asarray(components)


def estimator_viewer(
    estimator: Any,
    X: Any,
    y: Any,
    n_components: int | None,
    *,
    held_out: tuple[Any, Any] | None = None,
    feature_names: Sequence[str] | None = None,
    gamma: float | None = None,
) -> PlaneViewer:
    """Return the viewer of rows for the last step of a pipeline; see `plane_figure`.

    Parameters
    ----------
    estimator : estimator or Pipeline
        The steps of a pipeline before the last are fitted.
    n_components : int or None
        Of the planes that will be viewed. Without, the viewer has the coordinates that a fitted
        estimator transforms to, and its planes are the first of these.
    """
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    has_arrows = n_components is not None
    if not has_arrows and not hasattr(estimator, "transform"):
        raise UserError(_NO_TRANSFORM.format(name=type(last_step(estimator)).__name__))
    mapped = partial(_before, estimator) if has_arrows else estimator.transform
    rows = np.asarray(mapped(X), dtype=np.float64)
    further = None
    if held_out is not None:
        labels = np.asarray(held_out[1])
        if len(new := np.setdiff1d(labels, classes)):
            raise UserError(_NEW_CLASS.format(name=str(new[0])))
        others = np.asarray(mapped(held_out[0]), dtype=np.float64)
        further = (others, np.searchsorted(classes, labels))
    n_columns = rows.shape[1]
    return viewer_of_rows(
        rows,
        codes,
        n_columns if n_components is None else n_components,
        feature_names=(
            _names(X, n_columns, feature_names)
            if has_arrows
            else [f"Component {i + 1}" for i in range(n_columns)]
        ),
        class_names=[str(name) for name in classes],
        gamma=_gamma(estimator) if gamma is None else gamma,
        held_out=further,
    )


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def _before(estimator: Any, X: Any) -> Any:
    """Return the input of the last step of a pipeline."""
    is_longer = isinstance(estimator, Pipeline) and len(estimator) > 1
    return estimator[:-1].transform(X) if is_longer else X


def _names(X: Any, n_features: int, given: Sequence[str] | None) -> list[str]:
    if given is None and isinstance(X, pd.DataFrame) and X.shape[1] == n_features:
        given = X.columns.tolist()
    return [str(i + 1) for i in range(n_features)] if given is None else list(map(str, given))


def _gamma(estimator: Any) -> float:
    last = last_step(estimator)
    gamma = getattr(last, "density_gamma", DEFAULT_DENSITY_GAMMA)
    return float(gamma)
