"""GEM: directions that are long over one class and short over another, all pairs together.

Class-conditional second moments C_c, and for ordered pairs of classes (i, j)
the top generalized eigenvectors of C_i against the regularized C_j.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    check_choice,
    check_integer,
    check_n_components,
    check_positive,
)
from melm_core.gem.class_pairs import SELECTIONS, Pairs, all_pairs
from melm_core.gem.eigenvectors import (
    Denominator,
    check_gamma,
    check_not_zero,
    leading_eigenvectors,
)
from melm_core.linalg.completion import independent_rows
from melm_core.linalg.informed_planes import complete
from melm_core.linalg.second_moments import ClassSecondMoments, centred_rows

# Eigenvalues below this share of the largest belong to directions the numerator does not see.
_NEGLIGIBLE = 1e-10


class GEM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Projections onto the discriminative directions of all pairs of classes.

    For every ordered pair the top generalized eigenvectors of the second
    moments are kept, at most `n_directions` of them and none with an
    eigenvalue below theta. The rows are not centered.

    Parameters
    ----------
    gamma : float, default=0.05
        Regularization of the denominator, in units of its mean eigenvalue;
        0 makes the projections invariant under invertible linear maps and
        needs full-rank second moments.
    n_directions : int, default=10
        Most directions of one ordered pair.
    theta : float, default=1.5
        Smallest eigenvalue kept; near 1 a direction tells nothing. Where none
        reaches it the largest is kept, with a UserWarning.
    pairs : "all" or "hypercube", default="all"
        All k (k - 1) ordered pairs of k classes, or those of neighbors on a
        random hypercube, about k log2 k.
    random_state : int, RandomState or None, default=None
        Seed of the hypercube.
    n_jobs : int or None, default=None
        Pairs solved at the same time, through joblib. The result does not
        depend on it.

    Attributes
    ----------
    directions_ : ndarray of shape (n_kept, n_features)
        Rows v, pair after pair, by falling eigenvalue within a pair; scaled
        by the regularized denominator, not to unit length.
    eigenvalues_ : ndarray of shape (n_kept,)
        Mean of (v'x)^2 over the numerator class.
    pairs_ : ndarray of shape (n_kept, 2)
        Labels of the numerator and the denominator class of each direction.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, Algorithm 1.
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        *,
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        pairs: Pairs = "all",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_directions = n_directions
        self.theta = theta
        self.pairs = pairs
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        return self.fit_moments(ClassSecondMoments().fit(X, y))

    def fit_moments(self, moments: ClassSecondMoments) -> Self:
        """Find the directions from second moments, as of rows that do not fit in memory.

        Parameters
        ----------
        moments : ClassSecondMoments
            Fitted, in one piece or block by block.
        """
        self._validate_parameters()
        check_is_fitted(moments)
        self.n_features_in_ = moments.n_features_in_
        self.classes_ = moments.classes_
        _check_classes(self.classes_)
        pairs = SELECTIONS[self.pairs](len(self.classes_), self._stream())
        solved = class_pair_eigenvectors(
            moments, pairs, gamma=self.gamma, n_directions=self.n_directions, n_jobs=self.n_jobs
        )
        self._keep(pairs, solved)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Projections v'x, shape (n_samples, n_kept)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        projections: FloatArray = X @ self.directions_.T
        return projections

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.directions_)

    def _validate_parameters(self) -> None:
        check_gamma(self.gamma)
        check_integer("n_directions", self.n_directions, minimum=1)
        check_positive("theta", self.theta)
        check_choice("pairs", self.pairs, tuple(SELECTIONS))

    def _stream(self) -> np.random.Generator:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return np.random.default_rng(seed)

    def _keep(self, pairs: IntArray, solved: Sequence[tuple[FloatArray, FloatArray]]) -> None:
        eigenvalues, directions, of_pair = _gathered(solved)
        passing = eigenvalues >= self.theta
        if not passing.any():
            passing = np.arange(len(eigenvalues)) == eigenvalues.argmax()
            warnings.warn(
                f"No direction reaches theta={self.theta!r}, so only the one with the largest "
                f"eigenvalue, {eigenvalues.max():.3g}, is kept. Choose a smaller theta, or a "
                f"gamma below {self.gamma!r}.",
                UserWarning,
                stacklevel=4,
            )
        self.eigenvalues_ = eigenvalues[passing]
        self.directions_ = directions[passing]
        self.pairs_ = self.classes_[pairs[of_pair[passing]]]


class GEMPlane(SupervisedPlaneEstimator):
    """Plane of the most telling directions of GEM over all ordered pairs of classes.

    The directions with the largest eigenvalues. Those far below one need no
    look of their own: they are the large ones of the pair turned round
    (exactly so at gamma = 0, where the eigenvalues are reciprocal), so the
    order is that of |log lambda|. Directions in the span of earlier ones are
    skipped. Second moments are taken about the mean of all rows, the origin
    of the plane, so that shifting the data does not change it.

    Parameters
    ----------
    n_components : int, default=2
    gamma : float, default=0.05
        Regularization of the denominator, in units of its mean eigenvalue:
        small trusts directions in which a class hardly varies, large
        prefers those along which another varies much.
    n_jobs : int or None, default=None
        Pairs solved at the same time, through joblib.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows; the first m span the m first directions.
    n_directions_ : int
        Rows that stand for directions; principal directions of what they
        leave complete the plane.
    eigenvalues_ : ndarray of shape (n_directions_,)
        Descending.
    pairs_ : ndarray of shape (n_directions_, 2)
        Labels of the numerator and the denominator class of each direction.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014.
    """

    def __init__(
        self, n_components: int = 2, *, gamma: float = 0.05, n_jobs: int | None = None
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
        """
        X, y = self._validate_labelled(X, y)
        check_n_components(self.n_components, X.shape[1])
        check_gamma(self.gamma)
        centered = centred_rows(X)
        pairs = all_pairs(len(self.classes_))
        # The top n_components of each pair hold the top n_components of all,
        # whichever are skipped: within a pair they are independent.
        solved = class_pair_eigenvectors(
            ClassSecondMoments().fit(centered, self.classes_[y]),
            pairs,
            gamma=self.gamma,
            n_directions=self.n_components,
            n_jobs=self.n_jobs,
        )
        eigenvalues, directions, of_pair = _gathered(solved)
        order = _by_falling(eigenvalues)
        found, kept = independent_rows(directions[order], self.n_components)
        self.n_directions_ = len(found)
        self.eigenvalues_ = eigenvalues[order[kept]]
        self.pairs_ = self.classes_[pairs[of_pair[order[kept]]]]
        self.components_ = complete(found, centered, self.n_components)
        return self


def class_pair_eigenvectors(
    moments: ClassSecondMoments,
    pairs: IntArray,
    *,
    gamma: float,
    n_directions: int,
    n_jobs: int | None = None,
) -> list[tuple[FloatArray, FloatArray]]:
    """Leading eigenvalues and vectors (columns) of each pair.

    The pairs are independent of each other and go through joblib, in threads
    unless `joblib.parallel_config` names another backend.

    Parameters
    ----------
    moments : ClassSecondMoments
    pairs : ndarray of shape (n_pairs, 2)
        Codes of numerator and denominator classes.
    gamma : float
    n_directions : int
        Most of one pair.
    n_jobs : int or None, default=None

    Raises
    ------
    ValueError
        If a class is zero, or gamma is 0 and a denominator singular.
    """
    labels = moments.classes_.tolist()
    squares, means = moments.moments_, moments.means_
    for label, moment in zip(labels, squares, strict=True):
        check_not_zero(moment, label)
    denominators = {
        code: Denominator.of(squares[code], gamma=gamma, label=labels[code])
        for code in np.unique(pairs[:, 1])
    }
    solved: list[tuple[FloatArray, FloatArray]] = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(leading_eigenvectors)(
            squares[i], means[i], denominators[j], n_directions=n_directions
        )
        for i, j in pairs
    )
    return solved


def _check_classes(classes: npt.NDArray[Any]) -> None:
    if len(classes) < 2:
        raise UserError(
            f"The labels hold only one class ({classes.tolist()[0]!r}), so there is nothing to "
            "tell apart; give rows of at least two classes."
        )


def _gathered(
    solved: Sequence[tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Eigenvalues, directions as rows, and the number of the pair each comes from."""
    eigenvalues = np.concatenate([values for values, _ in solved])
    directions = np.vstack([vectors.T for _, vectors in solved])
    of_pair = np.repeat(np.arange(len(solved)), [len(values) for values, _ in solved])
    return eigenvalues, directions, of_pair


def _by_falling(eigenvalues: FloatArray) -> IntArray:
    """Order of the eigenvalues that are not negligible, the largest first."""
    order = np.argsort(-eigenvalues, kind="stable")
    falling: IntArray = order[eigenvalues[order] > _NEGLIGIBLE * eigenvalues.max()]
    return falling
