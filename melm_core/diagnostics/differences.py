"""Features that distinguish some rows of a table from the others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray

_ROUNDING = 1e-12  # of the largest value of a feature


def standardized_differences(X: FloatArray, is_selected: npt.NDArray[np.bool_]) -> FloatArray:
    """The difference of the means of selected and other rows, in pooled standard deviations.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    is_selected : ndarray of bool, shape (n_samples,)
        Some rows, and not all.

    Returns
    -------
    ndarray of shape (n_features,)
        Cohen's d of every feature, positive where the selected rows are higher; infinite for
        features that vary between the two but within neither, 0 for constant ones.

    Notes
    -----
    Rows that were selected in a picture differ in the features that the picture shows, and the
    largest of many differences is large by chance: this describes what was selected and tests
    nothing. Of features with heavy tails or several modes, means and deviations say little.

    References
    ----------
    J. Cohen: Statistical Power Analysis for the Behavioral Sciences, 2nd edition, 1988, section
    2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import standardized_differences
    >>> X = np.array([[0.0, 5.0], [2.0, 5.0], [10.0, 5.0], [12.0, 5.0]])
    >>> standardized_differences(X, np.array([False, False, True, True])).round(2)
    array([7.07, 0.  ])
    """
    some, others = X[is_selected], X[~is_selected]
    difference = some.mean(axis=0) - others.mean(axis=0)
    squares = sum(((rows - rows.mean(axis=0)) ** 2).sum(axis=0) for rows in (some, others))
    pooled = np.sqrt(squares / max(len(X) - 2, 1))
    # Rounding of large numbers is no difference.
    return in_units(difference, pooled, _ROUNDING * np.abs(X).max(axis=0, initial=0.0), equal=0.0)


def in_units(
    values: FloatArray, units: FloatArray, rounding: FloatArray, equal: float
) -> FloatArray:
    """Values over units; of units that are 0, infinite, or `equal` where the values are 0, too."""
    is_solid = units > rounding
    infinite = np.where(np.abs(values) > rounding, np.copysign(np.inf, values), equal)
    ratios: FloatArray = np.where(is_solid, values / np.where(is_solid, units, 1.0), infinite)
    return ratios
