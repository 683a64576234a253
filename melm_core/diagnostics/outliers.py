"""Rows that are unlike the others: outliers of a plane, and rows that are probably mislabeled.

An outlier has a large score distance T² within the plane, or a large residual Q off it. A plane
adapts itself to the rows that it is fitted to, the more so the more features there are: new rows of
the same distribution lie nearer to its center than these do, and farther off it. Their limits are
therefore those of rows that refits left out.

A row that looks like another class may be mislabeled, or lie in the overlap of the classes, where
rightly labeled rows lie, too. What tells these apart is how far out such rows are: overlap has the
fewer the farther, wrong labels as many as they are. So two numbers are fitted to all rows: how
sharp the held-out densities are, which is overlap, and which share of the labels is wrong. Given
both, each row has a probability of being labeled rightly, and their sum over a list is how many of
it are. Where tails are heavy, rightly labeled rows lie deep in another class as well. How many can
be seen from rows that lie as far out, but in no class: a part of their number is added. There is no
list where a table is as likely without wrong labels, nor where so many rows lie in another class
that the form of the overlap is all there is to judge by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import stats
from scipy.special import log_softmax

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.sampling import thinned
from melm_core.linalg.planes import orthonormalize, score_distances, squared_residuals

# Of the rows that are like those of the table, one in a hundred exceeds a limit.
DEFAULT_LEVEL = 0.99

# The spectrum of the residuals takes time cubic in the smaller side of the table.
MAX_SPECTRUM_ROWS = 1_000

_TINY = 1e-12  # relative to the variance of the table: rounding, not residuals

# From fewer values a hundredth is read off a fitted tail alone.
MOST_EXTRAPOLATED = 100

DEFAULT_FALSE_SHARE = 0.25

# Densities may be twice as sure as they should be, or half as sure. Were they less sharp yet, any
# number of wrong labels would be overlap; were they sharper, no overlap would be left.
_LOG_SHARPNESS = np.log(np.geomspace(0.5, 2.0, 12))
_MOST_WRONG = 0.2
_N_SHARES = 12
_FARTHEST = -500.0  # of logarithms, whose exponentials are 0

# Twice the gain in log likelihood by wrong labels below which there need not be any, and the share
# of held-out rows in other classes above which overlap and wrong labels look alike: chosen by
# simulation (docs/results/honesty.md).
_LEAST_GAIN = 10.0
_MOST_OVERLAP = 0.125

# Twice the logarithm of the ratio of the median of the density at a row, of its most likely class,
# to that of a row far beyond every class: of normal rows in a plane beyond it are 5 in 1,000. And
# how many rows fly into another class for each that flies past all of them. Chosen by simulation.
_FAR_OUT = 8.0
_STRAYS = 0.25

# Of fewer rows nothing is known: all of them are taken to be labeled rightly.
_FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class LeftOutDistances:
    """The distances of rows from planes that were fitted without them.

    Attributes
    ----------
    scores, residuals : ndarray of shape (n_left_out,)
        T² and Q, as from a plane fitted to all rows but one.

    Notes
    -----
    A refit to a share s of the rows adapts itself to them more than a fit to all. The mean T² of
    other rows, r times that of the fitted ones, grows like n / (n + m) with n rows where features
    are many, and their excess d of Q falls like 1 / n: their distances are multiplied by
    1 / (s + (1 - s) r), where r is below 1, and by (1 + s d) / (1 + d).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import LeftOutDistances, PlaneDistances
    >>> X = np.random.default_rng(0).normal(size=(50, 5))
    >>> plane = PlaneDistances.of(X[:40], np.eye(2, 5))
    >>> LeftOutDistances.of([(plane, X[:40], X[40:])], 50).scores.shape
    (10,)
    """

    scores: FloatArray
    residuals: FloatArray

    @classmethod
    def of(
        cls, refits: Sequence[tuple[PlaneDistances, FloatArray, FloatArray]], n_rows: int
    ) -> Self:
        """The distances as from a plane fitted to all rows but one.

        Parameters
        ----------
        refits : sequence of tuple
            The plane of each refit, the rows that it was fitted to, and those that it was not.
        n_rows : int
            All rows.
        """
        share = float(np.mean([len(X) for _, X, _ in refits])) / n_rows
        in_plane = np.concatenate([plane.score_distance(rest) for plane, _, rest in refits])
        off = np.concatenate([plane.residual(rest) for plane, _, rest in refits])
        fitted_in = np.mean([plane.score_distance(X).mean() for plane, X, _ in refits])
        fitted_off = np.mean([plane.residual(X).mean() for plane, X, _ in refits])
        shrunk = min(_ratio(in_plane, float(fitted_in)), 1.0)
        excess = max(_ratio(off, float(fitted_off)) - 1.0, 0.0)
        return cls(
            in_plane / (share + (1.0 - share) * shrunk),
            off * (1.0 + share * excess) / (1.0 + excess),
        )

    @property
    def is_extrapolated(self) -> bool:
        """True if there are so few that the limit of a hundredth rests on the form of the tail."""
        return len(self.scores) < MOST_EXTRAPOLATED


def _ratio(left_out: FloatArray, fitted: float) -> float:
    """The mean distance of left-out rows relative to that of fitted ones; 1 without any."""
    return float(left_out.mean()) / fitted if fitted > 0.0 else 1.0


@dataclass(frozen=True, eq=False)
class PlaneDistances:
    """The distances of rows from the rows to which a plane was fitted, with limits.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
    basis : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the plane.
    precision : ndarray of shape (n_components, n_components)
        Inverse covariance of the coordinates of the fitted rows.
    moments : tuple of float
        The sums of the first, second and third powers of the eigenvalues of the covariance of the
        residuals.
    n_rows : int
        The fitted rows.
    left_out : LeftOutDistances or None
        Of the method that fitted the plane; None of a plane that does not depend on the rows.

    Notes
    -----
    T² is how unusual a row is within the plane, Q how much of it the plane does not show: a row of
    an unknown kind may lie amid a class in the picture and have a large Q. One in a hundred of the
    rows that are as they should be is beyond a limit of 99 %, more where tails are heavy. Without
    `left_out`, limits are of a plane that was fixed beforehand: of one fitted to few rows of many
    features most new rows are beyond them.

    References
    ----------
    N. D. Tracy, J. C. Young, R. L. Mason: Multivariate control charts for individual observations,
    Journal of Quality Technology 24, 1992.
    J. E. Jackson, G. S. Mudholkar: Control procedures for residuals associated with principal
    component analysis, Technometrics 21, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import PlaneDistances
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> distances = PlaneDistances.of(X, np.eye(2, 4))
    >>> far = distances.residual(np.array([[0.0, 0.0, 9.0, 0.0]]))
    >>> bool(far[0] > distances.residual_limit())
    True
    """

    mean: FloatArray
    basis: FloatArray
    precision: FloatArray
    moments: tuple[float, float, float]
    n_rows: int
    left_out: LeftOutDistances | None = None

    @classmethod
    def of(
        cls, X: FloatArray, components: FloatArray, left_out: LeftOutDistances | None = None
    ) -> PlaneDistances:
        """The distances from the rows of a table and a plane.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            More than n_components rows.
        components : ndarray of shape (n_components, n_features)
            Linearly independent rows.
        left_out : LeftOutDistances or None, default=None
            Set the limits of new rows; without them the plane is taken to be fixed beforehand.

        Raises
        ------
        ValueError
            If there are too few rows to estimate a covariance.
        """
        if len(X) <= len(components) + 1:
            raise UserError(
                f"Distances from a plane of {len(components)} component(s) need at least "
                f"{len(components) + 2} rows; there are {len(X)}."
            )
        mean, basis = X.mean(axis=0), orthonormalize(components)
        scores = (X - mean) @ basis.T
        covariance = scores.T @ scores / (len(X) - 1)
        precision = np.linalg.pinv(covariance, hermitian=True)
        return cls(mean, basis, precision, _moments(X - mean, basis), len(X), left_out)

    @property
    def n_components(self) -> int:
        """The dimension of the plane."""
        return len(self.basis)

    def score_distance(self, X: FloatArray) -> FloatArray:
        """Hotelling's T² of rows within the plane, shape (n_samples,)."""
        return score_distances(X - self.mean, self.basis, self.precision)

    def contributions(self, X: FloatArray) -> FloatArray:
        """Return the contribution of each feature to T², shape (n_samples, n_features).

        The contributions of a row sum to its T²; a negative one holds the row near the center.

        References
        ----------
        P. Miller, R. E. Swanson, C. E. Heckler: Contribution plots: a missing link in multivariate
        quality control, Applied Mathematics and Computer Science 8, 1998.
        """
        centered = X - self.mean
        shares: FloatArray = centered * ((centered @ self.basis.T) @ self.precision @ self.basis)
        return shares

    def residual(self, X: FloatArray) -> FloatArray:
        """The squared distance Q of rows from the plane, shape (n_samples,).

        Zero where the plane holds all features.
        """
        squares: FloatArray = self.residual_contributions(X).sum(axis=1)
        return squares

    def residual_contributions(self, X: FloatArray) -> FloatArray:
        """Return contributions of features to Q, shape (n_samples, n_features); they sum to Q."""
        return squared_residuals(X - self.mean, self.basis)

    def score_limit(self, level: float = DEFAULT_LEVEL, *, is_new: bool = False) -> float:
        """The T² that a share `level` of rows like those of the table stays below.

        Parameters
        ----------
        level : float, default=0.99
        is_new : bool, default=False
            Whether the rows are others than those fitted. Their limit is that of left-out rows,
            see `predictive_limit`; without these, as for the fitted rows, that of Gaussian scores.
        """
        n, k = self.n_rows, self.n_components
        if not is_new:
            return float((n - 1) ** 2 / n * stats.beta.ppf(level, k / 2, (n - k - 1) / 2))
        if self.left_out is not None:
            return predictive_limit(self.left_out.scores, level)
        return float(k * (n * n - 1) / (n * (n - k)) * stats.f.ppf(level, k, n - k))

    def residual_limit(self, level: float = DEFAULT_LEVEL, *, is_new: bool = False) -> float:
        """The Q that a share `level` of rows stays below; infinite if nothing is off the plane.

        Parameters
        ----------
        level : float, default=0.99
        is_new : bool, default=False
            As in `score_limit`.
        """
        if self._is_flat:
            return np.inf
        if is_new and self.left_out is not None:
            return predictive_limit(self.left_out.residuals, level)
        return residual_limit(self.moments, level)

    @cached_property
    def _is_flat(self) -> bool:
        return self.n_components == self.mean.size or self.moments[0] <= _TINY


def predictive_limit(values: FloatArray, level: float = DEFAULT_LEVEL) -> float:
    """Return the limit below which one more such squared distance lies with probability `level`.

    The cube root of a sum of squares of normal variables is close to normal, so a prediction
    interval of cube roots gives a limit, however few the distances are; it allows for the error of
    mean and spread. Tails of other variables are heavier, so the limit is never below the value
    that one more is above with probability 1 - level whatever their distribution is. From fewer
    than 1 / (1 - level) - 1 distances that is not known, and the largest of them takes its place:
    heavy tails are then beyond the limit more often, of 30 distances up to four times.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Two or more, none negative.
    level : float, default=0.99

    References
    ----------
    E. B. Wilson, M. M. Hilferty: The distribution of chi-square, Proceedings of the National
    Academy of Sciences 17, 1931. S. S. Wilks: Determination of sample sizes for setting tolerance
    limits, Annals of Mathematical Statistics 12, 1941 (order statistics).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics.outliers import predictive_limit
    >>> squares = np.random.default_rng(0).chisquare(2, size=10_000)
    >>> 8.5 < predictive_limit(squares) < 9.5  # of two squared normals: 9.21
    True
    """
    roots = np.cbrt(values)
    spread = roots.std(ddof=1) * np.sqrt(1.0 + 1.0 / len(roots))
    by_form = float((roots.mean() + spread * stats.t.ppf(level, len(roots) - 1)) ** 3)
    # One more value is above the k-th largest of n with probability k / (n + 1).
    rank = max((1.0 - level) * (len(values) + 1), 1.0)
    ranks = np.arange(1, len(values) + 1)
    return max(by_form, float(np.interp(rank, ranks, np.sort(values)[::-1])))


def residual_limit(moments: tuple[float, float, float], level: float = DEFAULT_LEVEL) -> float:
    """The upper limit of a residual Q.

    A sum of squares of Gaussian variables with variances lambda is below it with probability
    `level`: by the approximation of Jackson and Mudholkar or, where its exponent is not positive,
    by Pearson's chi-squared variable of the same first three moments.

    Parameters
    ----------
    moments : tuple of float
        The sums of the first, second and third powers of the variances.
    level : float, default=0.99

    References
    ----------
    J. E. Jackson, G. S. Mudholkar: Control procedures for residuals associated with principal
    component analysis, Technometrics 21, 1979, equation 3.5.
    J. P. Imhof: Computing the distribution of quadratic forms in normal variables, Biometrika 48,
    1961, section 4.

    Examples
    --------
    >>> from melm_core.diagnostics import residual_limit
    >>> round(residual_limit((1.0, 1.0, 1.0), level=0.95), 2)  # of one squared normal: 3.84
    3.75
    """
    first, second, third = moments
    exponent = 1 - 2 * first * third / (3 * second**2)
    if exponent <= 0:
        freedom = second**3 / third**2
        deviation = (stats.chi2.ppf(level, freedom) - freedom) / np.sqrt(freedom)
        return float(first + np.sqrt(second) * deviation)
    spread = stats.norm.ppf(level) * np.sqrt(2 * second * exponent**2) / first
    shift = second * exponent * (exponent - 1) / first**2
    return float(first * max(spread + 1 + shift, 0.0) ** (1 / exponent))


def _moments(centered: FloatArray, basis: FloatArray) -> tuple[float, float, float]:
    """The power sums of the eigenvalues of the covariance of the residuals."""
    if min(centered.shape) > MAX_SPECTRUM_ROWS:
        centered = thinned(centered, MAX_SPECTRUM_ROWS)
    off = centered - (centered @ basis.T) @ basis
    narrow = off if off.shape[1] <= off.shape[0] else off.T
    matrix = narrow.T @ narrow / (len(centered) - 1)
    squared = matrix @ matrix
    return float(np.trace(matrix)), float(np.trace(squared)), float(np.sum(squared * matrix))


@dataclass(frozen=True, eq=False)
class SuspectLabels:
    """Rows whose labels are suspect, the most suspect first.

    Attributes
    ----------
    rows : ndarray of int of shape (n_suspects,)
        Indices of the rows.
    other : ndarray of int of shape (n_suspects,)
        Code of the class that each of them looks like.
    n_false : float
        About how many of them are labeled rightly, by estimate.

    Notes
    -----
    Suspect is a row that looks like another class more than overlap explains: a row of an unknown
    kind, or measured badly, does as well. The list is for a second look, not for leaving rows out,
    which would make any share that is computed afterwards too high. An empty list is no proof:
    wrong labels amid the overlap cannot be told.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import SuspectLabels
    >>> y = np.repeat([0, 1], 50)
    >>> x = np.random.default_rng(0).standard_normal(100) + 6.0 * y
    >>> y[:4] = 1
    >>> found = SuspectLabels.of(-0.5 * np.square(x[:, None] - [0.0, 6.0]), y)
    >>> {0, 1, 2, 3} <= set(found.rows.tolist()), found.words
    (True, '5 rows look mislabeled; expect about 1 false alarm')
    """

    rows: IntArray
    other: IntArray
    n_false: float

    @classmethod
    def of(
        cls, log_densities: FloatArray, y: IntArray, *, false_share: float = DEFAULT_FALSE_SHARE
    ) -> Self:
        """The longest list of rows that look mislabeled, of which few are expected to be right.

        Parameters
        ----------
        log_densities : ndarray of shape (n_samples, n_classes)
            Of the classes at each row, by planes and densities fitted without it:
            `Refits.log_mixtures`. Not less the largest of a row, whose level shows how
            heavy tails are.
        y : ndarray of shape (n_samples,)
            Class codes.
        false_share : float in (0, 1), default=0.25
            The largest estimated share of rightly labeled rows in the list.

        Raises
        ------
        ValueError
            If `false_share` is not between 0 and 1.

        References
        ----------
        N. D. Lawrence, B. Schölkopf: Estimating a kernel Fisher discriminant in the presence of
        label noise, ICML 2001 (labels that are wrong with some probability).
        C. G. Northcutt, L. Jiang, I. L. Chuang: Confident learning: estimating uncertainty in
        dataset labels, Journal of Artificial Intelligence Research 70, 2021.
        """
        if not 0 < false_share < 1:
            raise UserError(f"false_share={false_share!r} must be between 0 and 1.")
        others = log_densities.copy()
        others[np.arange(len(y)), y] = -np.inf
        is_elsewhere = log_densities.argmax(axis=1) != y
        right = _probabilities_right(log_densities, y)
        right[np.bincount(y)[y] < _FEWEST_ROWS] = 1.0
        order = np.argsort(right, kind="stable")
        expected = np.minimum(
            np.cumsum(right[order]) + _strays(log_densities), np.arange(1, len(y) + 1)
        )
        enough = np.flatnonzero(expected <= false_share * np.arange(1, len(y) + 1))
        is_told = len(enough) > 0 and is_elsewhere.mean() <= _MOST_OVERLAP
        n_suspects = int(enough[-1]) + 1 if is_told else 0
        rows = order[:n_suspects]
        n_false = float(expected[n_suspects - 1]) if n_suspects else 0.0
        return cls(rows, others[rows].argmax(axis=1), n_false)

    @property
    def false_share(self) -> float:
        """Estimated share of the list that is labeled rightly; 0 of an empty list."""
        return self.n_false / len(self.rows) if len(self.rows) else 0.0

    @property
    def words(self) -> str:
        """The number of suspects, and how many of them are false."""
        n_suspects, n_false = len(self.rows), round(self.n_false)
        if not n_suspects:
            return "no label stands out: as many rows look like another class by overlap alone"
        if n_suspects == 1:
            return "1 row looks mislabeled"
        alarms = {0: "fewer than one false alarm", 1: "about 1 false alarm"}
        few = alarms.get(n_false, f"about {n_false} false alarms")
        return f"{n_suspects} rows look mislabeled; expect {few}"


def _strays(log_densities: FloatArray) -> float:
    """About how many rightly labeled rows heavy tails put deep in another class."""
    highest = log_densities.max(axis=1)
    return _STRAYS * float(np.sum(2.0 * (np.median(highest) - highest) > _FAR_OUT))


def _probabilities_right(log_densities: FloatArray, y: IntArray) -> FloatArray:
    """Of each row to be labeled rightly; 1 if the table is as likely without wrong labels.

    The label of a row of class c is another one, any of them, with the same probability.
    """
    n_rows, n_others = len(y), log_densities.shape[1] - 1
    away = log_densities - log_densities.max(axis=1, keepdims=True)
    away = np.maximum(away, _FARTHEST)
    wrong = np.append(0.0, np.geomspace(0.25 / n_rows, _MOST_WRONG, _N_SHARES))[:, None]
    best, by_share = np.full(len(wrong), -np.inf), np.ones((len(wrong), n_rows))
    for sharpness in np.exp(_LOG_SHARPNESS):
        of_own_class = np.exp(log_softmax(sharpness * away, axis=1)[np.arange(n_rows), y])
        by_right = (1.0 - wrong) * of_own_class
        of_label = by_right + wrong / n_others * (1.0 - of_own_class)
        of_label = np.maximum(of_label, np.finfo(float).tiny)
        value = np.log(of_label).sum(axis=1)
        is_better = value > best
        best = np.where(is_better, value, best)
        by_share[is_better] = (by_right / of_label)[is_better]
    likeliest = int(best.argmax())
    if 2.0 * (best[likeliest] - best[0]) < _LEAST_GAIN:
        return np.ones(n_rows)
    probabilities: FloatArray = by_share[likeliest]
    return probabilities
