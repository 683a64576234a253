"""Nonconformity of classes to a row, and its limits for prediction sets.

`melm_core.diagnostics.conformal` computes the limits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray

# Sums of the same terms in another order differ by rounding.
ROUNDING = 1e-9


def nonconformity(
    logs: FloatArray,
    residuals: FloatArray | None,
    background: float,
    residual_mean: float,
    residual_spread: float,
) -> FloatArray:
    """Compute how strange each class is to rows.

    Minus the logarithm of the share of a class among the densities of all classes and of a
    background. At least log 2, so that a class that is likelier than all else together is not
    strange.

    Parameters
    ----------
    logs : ndarray of shape (n_rows, n_classes)
        Logarithms of the densities of the classes.
    residuals : ndarray of shape (n_rows,) or None
        Squared distances Q from the plane, which thin all densities; None without a plane.
    background : float
        Logarithm of its density; minus infinity for none.
    residual_mean, residual_spread : float
        Of the cube roots of the residuals of rows that were held out, which are close to normal.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import nonconformity
    >>> logs = np.log([[0.9, 0.1], [1e-9, 1e-9]])
    >>> nonconformity(logs, None, np.log(0.01), 0.0, 0.0).round(1)
    array([[ 0.7,  2.3],
           [16.1, 16.1]])
    """
    thinned = thinned_logs(logs, residuals, residual_mean, residual_spread)
    among = np.hstack([thinned, np.full((len(thinned), 1), background)])
    strange = np.logaddexp.reduce(among, axis=1)[:, None] - thinned
    bounded: FloatArray = np.maximum(np.nan_to_num(strange, nan=np.inf), np.log(2.0))
    return bounded


def thinned_logs(
    logs: FloatArray, residuals: FloatArray | None, residual_mean: float, residual_spread: float
) -> FloatArray:
    """Compute log densities less what all of them lose off the plane.

    Parameters
    ----------
    logs, residuals, residual_mean, residual_spread
        See `nonconformity`.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import thinned_logs
    >>> thinned_logs(np.zeros((2, 1)), np.array([1.0, 27.0]), 1.0, 1.0).round(6).tolist()
    [[0.0], [-2.0]]
    """
    if residuals is None or residual_spread <= 0.0:
        return logs
    farther = np.maximum((np.cbrt(residuals) - residual_mean) / residual_spread, 0.0)
    thinned: FloatArray = logs - 0.5 * farther[:, None] ** 2
    return thinned


@dataclass(frozen=True, eq=False)
class SetLimits:
    """Largest nonconformity of a class that is in the prediction set of a row.

    Attributes
    ----------
    coverage : float
        Share of the rows of each class whose set should hold it.
    largest : ndarray of shape (n_classes,)
        Largest nonconformity of each class in a set; inf for a class with too few rows for the
        coverage, which is in every set.
    background, residual_mean, residual_spread : float
        See `nonconformity`.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import SetLimits
    >>> limits = SetLimits(0.9, np.array([2.0, 3.0]), np.log(0.01), 0.0, 0.0)
    >>> limits.sets(np.log([[0.9, 0.1], [1e-9, 1e-9]]), None)
    array([[ True,  True],
           [False, False]])
    """

    coverage: float
    largest: FloatArray
    background: float
    residual_mean: float
    residual_spread: float

    def sets(self, logs: FloatArray, residuals: FloatArray | None) -> npt.NDArray[np.bool_]:
        """Return which classes are in the set of each row, shape (n_rows, n_classes).

        Parameters
        ----------
        logs, residuals
            See `nonconformity`.
        """
        strange = nonconformity(
            logs, residuals, self.background, self.residual_mean, self.residual_spread
        )
        held: npt.NDArray[np.bool_] = strange <= self.largest + ROUNDING
        return held
