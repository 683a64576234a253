"""The picture of a fitted estimator, as the page draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from melm_core.base import DEFAULT_DENSITY_GAMMA, FloatArray, IntArray, UserError
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.rows_view import view_of_rows
from melm_studio.planes.theme import Scheme

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
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    rows, components, names = _mapped(estimator, X, feature_names)
    shown = None if held_out is None else _further(estimator, held_out, classes)
    view = view_of_rows(
        rows,
        codes,
        components,
        feature_names=names,
        class_names=[str(name) for name in classes],
        gamma=_gamma(estimator) if gamma is None else gamma,
        held_out=shown,
    )
    n_points = len(rows) + (0 if shown is None else len(shown[0]))
    class_names = [str(name) for name in classes]
    figure = empty_figure(class_names, n_points, scheme, n_components=len(components))
    for trace, arrays in zip(figure.data, plane_frame(view, encode=np.asarray), strict=True):
        trace.update(arrays)
    horizontal, vertical = limits(view)
    return figure.update_layout(xaxis_range=horizontal, yaxis_range=vertical)


def _last(estimator: Any) -> Any:
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def _before(estimator: Any, X: Any) -> Any:
    """What the last step of a pipeline takes."""
    is_longer = isinstance(estimator, Pipeline) and len(estimator) > 1
    return estimator[:-1].transform(X) if is_longer else X


def _mapped(
    estimator: Any, X: Any, feature_names: Sequence[str] | None
) -> tuple[FloatArray, FloatArray, list[str]]:
    """Rows, components and names of features; without components, of the coordinates."""
    components = getattr(_last(estimator), "components_", None)
    if components is None:
        coordinates = np.asarray(estimator.transform(X), dtype=np.float64)
        n_components = coordinates.shape[1]
        return (
            coordinates,
            np.eye(n_components),
            [f"Component {i + 1}" for i in range(n_components)],
        )
    rows = np.asarray(_before(estimator, X), dtype=np.float64)
    return rows, np.asarray(components), _names(X, rows.shape[1], feature_names)


def _names(X: Any, n_features: int, given: Sequence[str] | None) -> list[str]:
    if given is None and isinstance(X, pd.DataFrame) and X.shape[1] == n_features:
        given = X.columns.tolist()
    return [str(i + 1) for i in range(n_features)] if given is None else list(map(str, given))


def _further(
    estimator: Any, held_out: tuple[Any, Any], classes: npt.NDArray[Any]
) -> tuple[FloatArray, IntArray]:
    X, labels = held_out[0], np.asarray(held_out[1])
    if len(new := np.setdiff1d(labels, classes)):
        raise UserError(_NEW_CLASS.format(name=str(new[0])))
    has_components = hasattr(_last(estimator), "components_")
    rows = _before(estimator, X) if has_components else estimator.transform(X)
    return np.asarray(rows, dtype=np.float64), np.searchsorted(classes, labels)


def _gamma(estimator: Any) -> float:
    last = _last(estimator)
    gamma = getattr(last, "density_gamma", DEFAULT_DENSITY_GAMMA)
    return float(gamma)
