"""Features that distinguish some rows of a table from the others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray


def standardized_differences(X: FloatArray, chosen: npt.NDArray[np.bool_]) -> FloatArray:
    """The difference of the means of chosen and other rows, in pooled standard deviations.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    chosen : ndarray of bool, shape (n_samples,)
        Some rows, and not all.

    Returns
    -------
    ndarray of shape (n_features,)
        Cohen's d of every feature, positive where the chosen rows are higher; infinite for features
        that vary between the two but within neither, 0 for constant ones.

    Notes
    -----
    Rows that were chosen in a picture differ in the features that the picture shows, and the
    largest of many differences is large by chance: this describes what was chosen and tests
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
    some, others = X[chosen], X[~chosen]
    difference = some.mean(axis=0) - others.mean(axis=0)
    squares = sum(((rows - rows.mean(axis=0)) ** 2).sum(axis=0) for rows in (some, others))
    pooled = np.sqrt(squares / max(len(X) - 2, 1))
    # Rounding of large numbers is no difference.
    negligible = 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    shares: FloatArray = np.divide(
        difference,
        pooled,
        out=np.where(np.abs(difference) > negligible, np.copysign(np.inf, difference), 0.0),
        where=pooled > negligible,
    )
    return shares
