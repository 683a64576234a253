"""The features of a plane: one arrow, one length and one rank each, also where they bend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import Importance, feature_order
from melm_studio.scores import importance_sentence

# The vertices of a path, as shares of the rows that have smaller values.
_KNOTS = (0.01, 0.25, 0.5, 0.75, 0.99)
PATH_SHARES: FloatArray = np.interp(np.arange(17) / 4.0, np.arange(5), _KNOTS)
# Which of them are quartiles.
QUARTILES = (4, 8, 12)
# Ratio of the ways from the middle of a path to its ends, from which both ends count.
_ALIKE = 0.5
# A list that is longer is not read; the line shows all features.
MAX_RANKED = 200
# Fewer numbers as names may be years or doses, which a list shows as well.
MIN_ORDERED = 20
# The drawings in the list of features, in pixels: a shape is a few high.
SHAPE_WIDTH, SHAPE_HEIGHT = 44, 14
LINE_WIDTH, LINE_HEIGHT = 236, 48
_MARGIN = 1  # half a line, and room for its joins


class FeatureSteps:
    """The features of training rows, each with the columns of its curve.

    The arrow of a bent feature is the least-squares line of its curve over the training rows, so
    that it is the arrow itself where the curve is straight. Its length is the root mean square of
    the steps along the curve: a curve that turns back is long, though its arrow is short.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Training rows.
    groups : ndarray of int, shape (n_columns,)
        The feature of each column, see `CurvedFeatures`; empty of a nonlinear projection.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_studio.planes.features import FeatureSteps
    >>> x = np.array([-1.0, 0.0, 1.0])
    >>> steps = FeatureSteps(np.column_stack([x, x**2]), np.array([0, 0]))
    >>> components = np.array([[0.0, 1.0]])  # a parabola
    >>> steps.arrows(components).round(3), steps.lengths(components).round(3)
    (array([[0.]]), array([0.577]))
    """

    def __init__(self, X: FloatArray, groups: IntArray) -> None:
        self.groups = groups
        self.n_features = int(groups.max(initial=-1)) + 1
        self._covariances: dict[int, FloatArray] = {}
        self._paths: dict[int, FloatArray] = {}
        self._path_values: dict[int, FloatArray] = {}
        if len(groups) > self.n_features:
            for feature in np.unique(groups[self.n_features :]).tolist():
                columns = X[:, self.columns(feature)]
                self._covariances[feature] = np.cov(columns.T, bias=True)
                # All columns depend on the first: rows in its order follow the curve.
                places = np.round(PATH_SHARES * (len(columns) - 1)).astype(np.intp)
                in_order = np.argsort(columns[:, 0], kind="stable")[places]
                self._paths[feature] = columns[in_order] - columns.mean(axis=0)
                self._path_values[feature] = columns[in_order, 0]

    def columns(self, features: int | IntArray) -> IntArray:
        """The columns of some features."""
        return np.flatnonzero(np.isin(self.groups, features))

    def arrows(self, components: FloatArray) -> FloatArray:
        """The arrows, shape (n_components, n_features)."""
        arrows: FloatArray = components[:, : self.n_features].copy()
        for feature, covariance in self._covariances.items():
            if covariance[0, 0] > 0:
                slopes = covariance[0] / covariance[0, 0]
                arrows[:, feature] = components[:, self.columns(feature)] @ slopes
        return arrows

    def paths(self, components: FloatArray, features: IntArray) -> FloatArray | None:
        """The curves of features from their 1st to their 99th percentile, about the mean.

        Returns
        -------
        ndarray of shape (n_features, n_vertices, n_components) or None
            nan of straight features; None if there are no others. Vertices number `QUARTILES` are
            the quartiles.
        """
        if not self._paths:
            return None
        paths = np.full((len(features), len(PATH_SHARES), len(components)), np.nan)
        for place, feature in enumerate(features.tolist()):
            if feature in self._paths:
                columns = self.columns(feature)
                paths[place] = self._paths[feature] @ components[:, columns].T
        return paths

    @staticmethod
    def turning(paths: FloatArray) -> npt.NDArray[np.bool_]:
        """Return whether both ends of paths lie on one side of their middle, and neither near it.

        Examples
        --------
        >>> import numpy as np
        >>> from melm_studio.planes.features import FeatureSteps
        >>> x = np.linspace(-1.0, 1.0, 17)
        >>> FeatureSteps.turning(np.stack([x**2, x, x**2 + 2 * x])[..., None]).tolist()
        [True, False, False]
        """
        middle = paths[:, len(PATH_SHARES) // 2]
        low, high = paths[:, 0] - middle, paths[:, -1] - middle
        along = np.einsum("fk,fk->f", low, high)  # nan of straight features
        shorter, longer = np.sort(np.linalg.norm([low, high], axis=2), axis=0)
        turning: npt.NDArray[np.bool_] = (along > 0.0) & (shorter > _ALIKE * longer)
        return turning

    def path_values(self, features: IntArray) -> FloatArray | None:
        """The values of features at the vertices of their `paths`, in units of the rows.

        Returns
        -------
        ndarray of shape (n_features, n_vertices) or None
            nan of straight features; None if there are no others.
        """
        if not self._path_values:
            return None
        straight = np.full(len(PATH_SHARES), np.nan)
        return np.array([self._path_values.get(feature, straight) for feature in features.tolist()])

    def shapes(self, components: FloatArray, features: IntArray) -> FloatArray | None:
        """Return how far features move a row along their direction, at vertices of their `paths`.

        That direction is the one in which a path extends furthest, the way its arrow points: a
        shape is the same however the picture is turned.

        Returns
        -------
        ndarray of shape (n_features, n_vertices) or None
            nan of straight features; None if there are no others.
        """
        paths = self.paths(components, features)
        if paths is None:
            return None
        shapes = np.full(paths.shape[:2], np.nan)
        is_bent = np.isfinite(paths).all(axis=(1, 2))
        bent = paths[is_bent]
        directions = np.linalg.svd(bent - bent.mean(axis=1, keepdims=True))[2][:, 0]
        arrows = self.arrows(components).T[features[is_bent]]
        directions[np.einsum("fk,fk->f", directions, arrows) < 0] *= -1.0
        shapes[is_bent] = np.einsum("fvk,fk->fv", bent, directions)
        return shapes

    def lengths(self, components: FloatArray) -> FloatArray:
        """Root mean square of the steps, in standard deviations of a feature: (n_features,)."""
        lengths: FloatArray = np.linalg.norm(components[:, : self.n_features], axis=0)
        for feature, covariance in self._covariances.items():
            loadings = components[:, self.columns(feature)]
            square = np.einsum("kc,cd,kd->", loadings, covariance, loadings)
            width = covariance[0, 0]
            lengths[feature] = np.sqrt(max(square, 0.0) / width) if width else 0.0
        return lengths

    def is_used(self, components: FloatArray) -> np.typing.NDArray[np.bool_]:
        """Return whether each feature is in the plane, shape (n_features,)."""
        used = np.zeros(self.n_features, dtype=np.bool_)
        used[self.groups[components[:, : len(self.groups)].any(axis=0)]] = True
        return used


def feature_ranking(
    names: Sequence[str],
    loadings: FloatArray,
    importance: Importance | None = None,
    lengths: FloatArray | None = None,
    shapes: FloatArray | None = None,
) -> dict[str, Any]:
    """The strongest features, and the lengths of all where their names are ordered numbers.

    Parameters
    ----------
    names : sequence of str
    loadings : ndarray of shape (n_features, 2)
        In the coordinates in which the plane is drawn; zero for a feature that is left out.
    importance : Importance or None
        What each is worth on held-out rows, where that is known.
    lengths : ndarray of shape (n_features,), optional
        See `feature_order`.
    shapes : ndarray of shape (n_features, n_vertices), optional
        Of features that bend, nan of others, see `FeatureSteps.shapes`.

    Returns
    -------
    dict
        ``features`` in the `feature_order`, each with ``feature``, ``name``, ``x`` and ``y``, and,
        where it is known, with its ``share`` of the largest loss, whether it ``is_seen``, and what
        is lost in ``words``, and, where it bends, with its ``shape``: from its 1st to its 99th
        percentile, how far it moves a row the way of its arrow, as the points of a polyline of SVG
        in `SHAPE_WIDTH` by `SHAPE_HEIGHT`; ``of``, their number in all; ``line``, None or what the
        lengths over these numbers are in ``words`` and as ``points`` in `LINE_WIDTH` by
        `LINE_HEIGHT`.

    Examples
    --------
    >>> ranking = feature_ranking(["a", "b"], np.array([[0.1, 0.0], [0.0, -2.0]]))
    >>> [feature["name"] for feature in ranking["features"]]
    ['b', 'a']
    """
    if lengths is None:
        lengths = np.linalg.norm(loadings, axis=1)
    first = feature_order(lengths, importance)[:MAX_RANKED]
    is_seen = None if importance is None else importance.is_seen
    return {
        "features": [
            {
                "feature": int(i),
                "name": names[i],
                "x": float(loadings[i, 0]),
                "y": float(loadings[i, 1]),
                **({} if importance is None else _worth(importance, i)),
                **({} if is_seen is None else {"is_seen": bool(is_seen[i])}),
                **({} if shapes is None else _shape(shapes[i])),
            }
            for i in first
            if lengths[i] > 0
        ],
        "of": int(np.count_nonzero(lengths)),
        "line": _line(names, lengths),
    }


def _worth(importance: Importance, feature: int) -> dict[str, Any]:
    loss, most = float(importance.loss[feature]), float(importance.loss.max())
    error, share_loss = importance.error[feature], importance.share_loss[feature]
    return {
        "share": max(0.0, loss) / most if most > 0 else 0.0,
        "words": importance_sentence(loss, float(error), float(share_loss)),
    }


def _shape(steps: FloatArray) -> dict[str, Any]:
    extent = np.ptp(steps)  # nan of a straight feature
    if not extent > 0:
        return {}
    x = _MARGIN + (SHAPE_WIDTH - 2 * _MARGIN) * PATH_SHARES
    y = _MARGIN + (SHAPE_HEIGHT - 2 * _MARGIN) * (steps.max() - steps) / extent
    return {"shape": _points(x, y)}


def _points(x: FloatArray, y: FloatArray) -> str:
    return " ".join(f"{left:.1f},{top:.1f}" for left, top in zip(x, y, strict=True))


def _line(names: Sequence[str], lengths: FloatArray) -> dict[str, str] | None:
    numbers = ordered_numbers(names)
    if numbers is None:
        return None
    positions = np.array(numbers)
    low, high, most = positions.min(), positions.max(), lengths.max()
    x, y = (positions - low) / (high - low), 1 - lengths / (most if most > 0 else 1.0)
    return {
        "words": f"Length of the arrow by feature, from {low:g} to {high:g}",
        "points": _points(LINE_WIDTH * x, LINE_HEIGHT * y),
    }


def ordered_numbers(names: Sequence[str]) -> list[float] | None:
    """The numbers that the names are, if these rise or fall throughout, as along a spectrum."""
    if len(names) < MIN_ORDERED:
        return None
    try:
        numbers = [float(name.strip().rstrip("nm ").replace(",", ".")) for name in names]
    except ValueError:
        return None
    steps = np.diff(numbers)
    is_ordered = np.all(np.isfinite(numbers)) and (np.all(steps > 0) or np.all(steps < 0))
    return numbers if is_ordered else None
