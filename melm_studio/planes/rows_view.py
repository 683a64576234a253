"""Views of rows that are given as arrays rather than as a prepared table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from melm_core.base import ColumnEncoding, FloatArray, IntArray
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.types import PlaneView
from melm_studio.tables import LabeledData


def viewer_of_rows(
    X: FloatArray,
    y: IntArray,
    n_components: int,
    *,
    feature_names: Sequence[str],
    class_names: Sequence[str],
    gamma: float,
    held_out: tuple[FloatArray, IntArray] | None = None,
) -> PlaneViewer:
    """Return the viewer of rows in any plane, with the densities of a kernel width.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        As it was fitted. Rows are numbered from 1.
    y : ndarray of shape (n_samples,)
        Class codes, 0 to n_classes - 1.
    n_components : int
    feature_names, class_names : sequence of str
    gamma : float
        Kernel width of the densities, relative to Silverman's rule.
    held_out : tuple of ndarray, optional
        Further rows and their class codes, drawn without kernels of their own; their numbers go on.
    """
    names = (tuple(feature_names), tuple(class_names))
    train = _labeled(X, y, *names)
    further = (X[:0], y[:0]) if held_out is None else held_out
    others = _labeled(*further, *names, n_before=len(X))
    return PlaneViewer(train, others, gamma, n_components)


def view_of_rows(
    X: FloatArray,
    y: IntArray,
    components: FloatArray,
    *,
    feature_names: Sequence[str],
    class_names: Sequence[str],
    gamma: float,
) -> PlaneView:
    """Return the view of rows in a plane: see `viewer_of_rows`.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    """
    viewer = viewer_of_rows(
        X,
        y,
        len(components),
        feature_names=feature_names,
        class_names=class_names,
        gamma=gamma,
    )
    return viewer.view(np.asarray(components))


def _labeled(
    X: FloatArray,
    y: IntArray,
    feature_names: tuple[str, ...],
    class_names: tuple[str, ...],
    n_before: int = 0,
) -> LabeledData:
    n_features = len(feature_names)
    return LabeledData(
        name="",
        X=np.asarray(X, dtype=np.float64),
        y=np.asarray(y, dtype=np.int64),
        class_names=class_names,
        feature_names=feature_names,
        center=np.zeros(n_features),
        scale=np.ones(n_features),
        row_numbers=n_before + np.arange(1, len(X) + 1),
        steps=(),
        encodings=tuple(map(ColumnEncoding, feature_names)),
    )
