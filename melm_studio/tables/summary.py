"""Summary statistics of a table, those of Table 1 of the MELM paper.

Czarnecki, Józefowicz and Tabor, "Maximum Entropy Linear Manifold for Learning
Discriminative Low-Dimensional Representation", 2015.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray, stratified_sample
from melm_studio.tables.labeled_data import LabeledData

SHARE_OF_VARIANCE = 0.95
MAX_WORK = 2e9  # multiplications, about a second


@dataclass(frozen=True)
class Summary:
    """The summary statistics of one data set.

    Attributes
    ----------
    n_samples, n_features : int
    class_sizes : tuple of int, (n_classes,)
    density : float
        Share of non-zero values in the encoded table.
    n_directions : int
        The number of principal directions that retain 95 % of the variance of the prepared rows.
    class_directions : tuple of int, (n_classes,)
        The same for the rows of each class.
    n_rows_used : int
        Rows from which the directions were counted: a sample if all would take too long.
    """

    n_samples: int
    n_features: int
    class_sizes: tuple[int, ...]
    density: float
    n_directions: int
    class_directions: tuple[int, ...]
    n_rows_used: int


def summarize(data: LabeledData, *, max_work: float = MAX_WORK) -> Summary:
    """Compute the summary; a table that would need more multiplications is sampled."""
    n_samples, n_features = data.X.shape
    n_classes = len(data.class_names)
    rows = stratified_sample(data.y, most_rows(n_features, max_work) / n_samples, n_classes)
    X, y = data.X[rows], data.y[rows]
    return Summary(
        n_samples=n_samples,
        n_features=n_features,
        class_sizes=tuple(np.bincount(data.y, minlength=n_classes).tolist()),
        density=_density(data),
        n_directions=n_directions(X, SHARE_OF_VARIANCE),
        class_directions=tuple(
            n_directions(X[y == code], SHARE_OF_VARIANCE) for code in range(n_classes)
        ),
        n_rows_used=len(rows),
    )


def n_directions(X: FloatArray, share: float) -> int:
    """Count the fewest principal directions that retain a share of the variance.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    share : float
        Between 0 and 1.

    Returns
    -------
    int
        0 if nothing varies.
    """
    centered = X - X.mean(axis=0)
    # Both products have the same eigenvalues; the smaller one is used.
    is_wide = X.shape[1] > X.shape[0]
    variances = np.linalg.eigvalsh(centered @ centered.T if is_wide else centered.T @ centered)[
        ::-1
    ]
    cumulated = np.cumsum(np.maximum(variances, 0.0))
    return int(np.searchsorted(cumulated, share * cumulated[-1])) + 1 if cumulated[-1] > 0 else 0


def _density(data: LabeledData) -> float:
    if data.raw is not None:
        return float(np.mean(data.raw != 0))
    # Exact, since a zero of the table was transformed by the same operations.
    zero_as_prepared = (0.0 - data.center) / data.scale
    return float(np.mean(zero_as_prepared != data.X))


def most_rows(n_features: int, max_work: float) -> float:
    """Return the number of rows n for which n d min(n, d) is `max_work`."""
    return max(max_work / n_features**2, min(n_features, math.sqrt(max_work / n_features)))
