"""The features of a plane: ranked by the length of their arrows, and as a line in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from melm_core.base import FloatArray

# A list that is longer is not read; the line shows all features.
MAX_RANKED = 200
# Fewer numbers as names may be years or doses, which a list shows as well.
MIN_ORDERED = 20


def feature_ranking(names: Sequence[str], loadings: FloatArray) -> dict[str, Any]:
    """The strongest features, and the lengths of all where their names are ordered numbers.

    Parameters
    ----------
    names : sequence of str
    loadings : ndarray of shape (n_features, 2)
        In the coordinates in which the plane is drawn; zero for a feature that is left out.

    Returns
    -------
    dict
        ``features``, the strongest first, each with ``feature``, ``name``, ``x`` and ``y``;
        ``of``, their number in all; ``line``, None or the numbers ``at`` and the ``lengths``.

    Examples
    --------
    >>> ranking = feature_ranking(["a", "b"], np.array([[0.1, 0.0], [0.0, -2.0]]))
    >>> [feature["name"] for feature in ranking["features"]]
    ['b', 'a']
    """
    lengths = np.linalg.norm(loadings, axis=1)
    strongest = np.argsort(-lengths, kind="stable")[:MAX_RANKED]
    return {
        "features": [
            {"feature": int(i), "name": names[i], "x": float(x), "y": float(y)}
            for i, (x, y) in zip(strongest, loadings[strongest], strict=True)
            if lengths[i] > 0
        ],
        "of": int(np.count_nonzero(lengths)),
        "line": _line(names, lengths),
    }


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
