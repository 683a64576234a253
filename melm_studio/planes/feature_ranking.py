"""The features of a plane: ranked by what they are worth, and as a line in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from melm_core.base import FloatArray
from melm_core.diagnostics import Importance
from melm_core.evaluation import feature_order
from melm_studio.scores import importance_sentence

# A list that is longer is not read; the line shows all features.
MAX_RANKED = 200
# Fewer numbers as names may be years or doses, which a list shows as well.
MIN_ORDERED = 20
# A shape is a few pixels high.
_SHAPE_DECIMALS = 2


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
        is lost in ``words``, and, where it bends, with its ``shape`` from 0 to 1; ``of``, their
        number in all; ``line``, None or the numbers ``at`` and the ``lengths``.

    Examples
    --------
    >>> ranking = feature_ranking(["a", "b"], np.array([[0.1, 0.0], [0.0, -2.0]]))
    >>> [feature["name"] for feature in ranking["features"]]
    ['b', 'a']
    """
    if lengths is None:
        lengths = np.linalg.norm(loadings, axis=1)
    first = feature_order(lengths, importance)[:MAX_RANKED]
    return {
        "features": [
            {
                "feature": int(i),
                "name": names[i],
                "x": float(loadings[i, 0]),
                "y": float(loadings[i, 1]),
                **({} if importance is None else _worth(importance, i)),
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
        "is_seen": bool(importance.is_seen[feature]),
        "words": importance_sentence(loss, float(error), float(share_loss)),
    }


def _shape(steps: FloatArray) -> dict[str, Any]:
    extent = np.ptp(steps)  # nan of a straight feature
    if not extent > 0:
        return {}
    return {"shape": np.round((steps - steps.min()) / extent, _SHAPE_DECIMALS).tolist()}


def _line(names: Sequence[str], lengths: FloatArray) -> dict[str, Any] | None:
    at = ordered_numbers(names)
    if at is None:
        return None
    return {"at": at, "lengths": np.round(lengths, 6).tolist()}


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
