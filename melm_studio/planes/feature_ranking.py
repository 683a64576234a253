"""The features of a plane: ranked by what they are worth, and as a line in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from melm_core.base import FloatArray
from melm_core.diagnostics import Importance, feature_order
from melm_studio.planes.bent_features import PATH_SHARES
from melm_studio.scores import importance_sentence

# A list that is longer is not read; the line shows all features.
MAX_RANKED = 200
# Fewer numbers as names may be years or doses, which a list shows as well.
MIN_ORDERED = 20
# A shape is a few pixels high.
# The drawings in the list of features, in pixels.
SHAPE_WIDTH, SHAPE_HEIGHT = 44, 14
LINE_WIDTH, LINE_HEIGHT = 236, 48
_MARGIN = 1  # half a line, and room for its joins


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
