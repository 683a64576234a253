"""Probabilities of classes that hold: densities in a plane, calibrated by rows held out.

Class densities are estimated from the rows that the plane was fitted to, and are too sure of rows
that were not. Two numbers take that back: a temperature divides the logarithms of all densities,
and a lapse is the probability that a row comes from nowhere in particular, so that single rows
far on the wrong side do not blur all others. Neither changes which class is the most probable:
that of the largest density, as drawn.

Chosen by measurement on noise, sonar, heart, wine and digits (docs/honesty.md) from temperature
alone, temperature with lapse, beta and isotonic calibration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.calibration import Calibration, sharpened_shares

_LOG_SHARPNESS = (-6.0, 1.0)  # logarithm of 1 / temperature
_MOST_LAPSE = 0.9
_GRID = (15, 7)
_MOST_EVALUATIONS = 120
_SURE = 0.95
_BINS = 10
_N_BOOTSTRAPS = 200


def fitted_calibration(log_densities: FloatArray, y: IntArray) -> Calibration:
    """The calibration with the least log loss on rows that were held out, classes alike.

    Parameters
    ----------
    log_densities : ndarray of shape (n_rows, n_classes)
        Of rows that the plane and the densities were not fitted to.
    y : ndarray of shape (n_rows,)
        Class codes.

    Returns
    -------
    Calibration

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: On calibration of modern neural networks, ICML
    2017 (temperature).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import fitted_calibration
    >>> stream = np.random.default_rng(0)
    >>> unrelated = 5.0 * stream.standard_normal((200, 2))
    >>> p = fitted_calibration(unrelated, np.arange(200) % 2).probabilities(unrelated)
    >>> bool(p.max() < 0.6)
    True
    """
    n_rows, n_classes = log_densities.shape
    weights = (1.0 / (n_classes * np.maximum(np.bincount(y, minlength=n_classes), 1)))[y]
    own = np.arange(n_rows), y
    least_lapse = min(0.5 / n_rows, _MOST_LAPSE)

    def losses(log_sharpness: float, log_lapses: FloatArray) -> FloatArray:
        right = sharpened_shares(log_densities, float(np.exp(log_sharpness)))[own]
        lapses = np.exp(log_lapses)[:, None]
        mixed = (1.0 - lapses) * right + lapses / n_classes
        # As if one row more had come from nowhere: what n rows cannot exclude has a share of 1 / n.
        loss: FloatArray = -np.log(mixed) @ weights - np.log(lapses[:, 0]) / n_rows
        return loss

    sharpness = np.linspace(*_LOG_SHARPNESS, _GRID[0])
    lapses = np.linspace(np.log(least_lapse), np.log(_MOST_LAPSE), _GRID[1])
    grid = np.stack([losses(each, lapses) for each in sharpness])
    at, of = np.unravel_index(grid.argmin(), grid.shape)
    found = minimize(
        lambda point: float(losses(point[0], point[1:])[0]),
        (sharpness[at], lapses[of]),
        method="Nelder-Mead",
        bounds=(_LOG_SHARPNESS, (lapses[0], lapses[-1])),
        options={"maxfev": _MOST_EVALUATIONS},
    )
    return Calibration(float(np.exp(-found.x[0])), float(np.exp(found.x[1])))


def cross_calibrated(log_densities: FloatArray, y: IntArray, fold: IntArray) -> FloatArray:
    """Probabilities of held-out rows, calibrated by those of the other folds.

    Parameters
    ----------
    log_densities : ndarray of shape (n_rows, n_classes)
        Of each row, by the plane and the densities that were not fitted to its fold.
    y, fold : ndarray of shape (n_rows,)
        Class codes, and the number of the fold of each row; two folds or more.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import cross_calibrated
    >>> y = np.arange(8) % 2
    >>> logs = np.where(np.arange(2) == y[:, None], 0.0, -3.0)
    >>> bool((cross_calibrated(logs, y, np.arange(8) // 4).argmax(axis=1) == y).all())
    True
    """
    probabilities = np.empty_like(log_densities)
    for number in np.unique(fold):
        own = fold == number
        calibration = fitted_calibration(log_densities[~own], y[~own])
        probabilities[own] = calibration.probabilities(log_densities[own])
    return probabilities


@dataclass(frozen=True, eq=False)
class Reliability:
    """Whether probabilities hold on rows whose classes are known.

    Attributes
    ----------
    accuracy, confidence : float
        Share of the rows whose most probable class is theirs, and its mean probability.
    log_loss : float
        In nats.
    brier, brier_error : float
        Mean squared difference of the probabilities from 1 for the class of the row and 0 for the
        others, summed over the classes, and its standard error over the rows.
    calibration_error, calibration_standard_error : float
        Mean difference of the two over ten bins of equally many rows, by falling confidence, and
        its standard error, by bootstrap of the rows within their bins.
    n_sure : int
        Rows given 95 % and more.
    sure_right : float
        Share of those that are right; nan without any.
    curve : ndarray of shape (n_bins, 2)
        Mean confidence of each bin and the share of it that is right, by falling confidence.

    References
    ----------
    G. W. Brier: Verification of forecasts expressed in terms of probability, Monthly Weather
    Review 78, 1950.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import Reliability
    >>> found = Reliability.of(np.array([[0.96, 0.04], [0.4, 0.6]]), np.array([0, 0]))
    >>> found.accuracy, found.n_sure, found.sure_right
    (0.5, 1, 1.0)
    """

    accuracy: float
    confidence: float
    log_loss: float
    brier: float
    brier_error: float
    calibration_error: float
    calibration_standard_error: float
    n_sure: int
    sure_right: float
    curve: FloatArray

    @classmethod
    def of(cls, probabilities: FloatArray, y: IntArray) -> Reliability:
        """Compare probabilities, shape (n_rows, n_classes), with class codes."""
        confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
        bins = np.array_split(np.argsort(-confidence, kind="stable"), _BINS)
        away_from_right = confidence - right
        gaps = [abs(float(away_from_right[rows].sum())) for rows in bins]
        resampled = _resampled_gaps([away_from_right[rows] for rows in bins if len(rows)])
        curve = [(confidence[rows].mean(), right[rows].mean()) for rows in bins if len(rows)]
        away = probabilities - np.eye(probabilities.shape[1])[y]
        squares = (away**2).sum(axis=1)
        own = np.maximum(probabilities[np.arange(len(y)), y], np.finfo(np.float64).tiny)
        is_sure = confidence >= _SURE
        return cls(
            accuracy=float(right.mean()),
            confidence=float(confidence.mean()),
            log_loss=float(-np.log(own).mean()),
            brier=float(squares.mean()),
            brier_error=float(squares.std(ddof=1) / np.sqrt(len(y))),
            calibration_error=sum(gaps) / len(y),
            calibration_standard_error=float(resampled.std(ddof=1) / len(y)),
            n_sure=int(is_sure.sum()),
            sure_right=float(right[is_sure].mean()) if is_sure.any() else float("nan"),
            curve=np.array(curve),
        )


def _resampled_gaps(of_bins: list[FloatArray]) -> FloatArray:
    """The sum of the bins' differences in bootstrap samples, shape (n_bootstraps,)."""
    stream = np.random.default_rng(0)
    total = np.zeros(_N_BOOTSTRAPS)
    for own in of_bins:
        counts = stream.multinomial(len(own), np.full(len(own), 1.0 / len(own)), _N_BOOTSTRAPS)
        total += np.abs(counts @ own)
    return total
