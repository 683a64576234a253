"""Probabilities of classes that hold: class densities in a plane, calibrated by rows held out.

One number makes the densities of `melm_core.density.DensityRule` probabilities: a temperature that
divides their logarithms. It changes no class. The floor of these densities is what lets a single
row far on the wrong side not blur all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.class_rules import tempered_shares

_LOG_SHARPNESS = (-6.0, 1.0)  # logarithm of 1 / temperature
_GRID = 15
_SURE = 0.95
_BINS = 10
_N_BOOTSTRAPS = 200


def fitted_temperature(log_densities: FloatArray, y: IntArray) -> float:
    """The temperature with the least log loss on rows that were held out, classes alike.

    Parameters
    ----------
    log_densities : ndarray of shape (n_rows, n_classes)
        Of rows that the plane and the densities were not fitted to.
    y : ndarray of shape (n_rows,)
        Class codes.

    Returns
    -------
    float
        Positive; above 1 where the densities are too sure.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: On calibration of modern neural networks, ICML
    2017.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import tempered_shares
    >>> from melm_core.diagnostics.calibration import fitted_temperature
    >>> stream = np.random.default_rng(0)
    >>> unrelated = 5.0 * stream.standard_normal((200, 2))
    >>> temperature = fitted_temperature(unrelated, np.arange(200) % 2)
    >>> bool(np.median(tempered_shares(unrelated, temperature).max(axis=1)) < 0.6)
    True
    """
    n_classes = log_densities.shape[1]
    weights = (1.0 / (n_classes * np.maximum(np.bincount(y, minlength=n_classes), 1)))[y]
    labeled = np.arange(len(y)), y

    def loss(log_sharpness: float) -> float:
        logs = np.exp(log_sharpness) * log_densities
        return float(weights @ (np.logaddexp.reduce(logs, axis=1) - logs[labeled]))

    grid = np.linspace(*_LOG_SHARPNESS, _GRID)
    best = int(np.argmin([loss(each) for each in grid]))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    minimum = minimize_scalar(loss, bounds=bounds, method="bounded")
    return float(np.exp(-minimum.x))


def cross_calibrated(log_densities: FloatArray, y: IntArray, fold: IntArray) -> FloatArray:
    """Probabilities of held-out rows, calibrated by those of the other folds.

    Parameters
    ----------
    log_densities : ndarray of shape (n_rows, n_classes)
        Of each row, by the plane and the densities that were not fitted to its fold.
    y, fold : ndarray of shape (n_rows,)
        Class codes, and the number of the fold of each row. Rows of a single fold calibrate each
        other by halves.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    Notes
    -----
    One temperature makes all densities surer or less sure together: it mends a confidence that is
    too high everywhere, not one that is too high in one region or for one class.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import cross_calibrated
    >>> y = np.arange(8) % 2
    >>> logs = np.where(np.arange(2) == y[:, None], 0.0, -3.0)
    >>> bool((cross_calibrated(logs, y, np.arange(8) // 4).argmax(axis=1) == y).all())
    True
    """
    if len(np.unique(fold)) == 1:
        fold = _halves(y)
    probabilities = np.empty_like(log_densities)
    for number in np.unique(fold):
        in_fold = fold == number
        temperature = fitted_temperature(log_densities[~in_fold], y[~in_fold])
        probabilities[in_fold] = tempered_shares(log_densities[in_fold], temperature)
    return probabilities


def _halves(y: IntArray) -> IntArray:
    """Every other row of each class."""
    halves = np.zeros(len(y), dtype=np.int64)
    for code in np.unique(y):
        members = np.flatnonzero(y == code)
        halves[members[1::2]] = 1
    return halves


@dataclass(frozen=True, eq=False)
class Reliability:
    """Calibration of probabilities, measured on rows whose classes are known.

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

    Notes
    -----
    Probabilities that hold need not be worth anything: guesses of one half hold where half of the
    rows are right, which is what `log_loss` and `brier` see. The calibration error is above 0 by
    chance alone, the more so the fewer rows, so compare it with its standard error. Probabilities
    are for classes that are equally frequent; where they are not, rows of a rare class are rarer
    among those that are given to it than is said.

    References
    ----------
    G. W. Brier: Verification of forecasts expressed in terms of probability, Monthly Weather
    Review 78, 1950.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import Reliability
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
        of_class = np.maximum(probabilities[np.arange(len(y)), y], np.finfo(np.float64).tiny)
        is_sure = confidence >= _SURE
        return cls(
            accuracy=float(right.mean()),
            confidence=float(confidence.mean()),
            log_loss=float(-np.log(of_class).mean()),
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
    for gaps in of_bins:
        counts = stream.multinomial(len(gaps), np.full(len(gaps), 1.0 / len(gaps)), _N_BOOTSTRAPS)
        total += np.abs(counts @ gaps)
    return total
