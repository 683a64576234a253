"""GEM: the leading generalized eigenvectors of all ordered pairs of classes.

For a pair (i, j) they are those of the second moment C_i relative to the
regularized second moment C_j.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_sources import table_of
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    check_choice,
    check_integer,
    check_magnitudes,
    check_positive,
    drawn_seed,
    rows_as_fitted,
)
from melm_core.base.row_blocks import is_lazy, lazy_array
from melm_core.base.sample_weights import checked_weights
from melm_core.base.validated_data import validate_data
from melm_core.gem.contraction import class_coordinates, contractions, quantile_bins
from melm_core.gem.eigenvectors import (
    SELECTIONS,
    WIDE_FEATURES,
    Denominator,
    Pairs,
    WideClass,
    all_pairs,
    check_gamma,
    check_not_zero,
    leading_eigenvectors,
    wide_eigenvectors,
)
from melm_core.gem.features import (
    check_alphas,
    half_power_names,
    half_powers,
    root_mean_squares,
)
from melm_core.linalg.class_moments import ClassSecondMoments, centered_rows
from melm_core.linalg.informed_planes import complete, independent_rows, separating_constants
from melm_core.linalg.smaller_tables import MomentPlaneEstimator, RowSpace, row_space

# Eigenvalues below this fraction of the largest are rounding errors.
_NEGLIGIBLE = 1e-10

# A covariance below this fraction of the second moment has lost most of its digits.
_CANCELED = 1e-10

DenominatorKind = Literal["second_moment", "covariance"]
Contract = Literal["target", "classes"]
_TARGET, _ = CONTRACTED = ("target", "classes")
_SECOND_MOMENT, _COVARIANCE = DENOMINATORS = ("second_moment", "covariance")


class GEM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Projections onto the generalized eigenvectors of all pairs of classes, or powers of these.

    For every ordered pair, the leading generalized eigenvectors of the second
    moments are kept: at most `n_directions`, with eigenvalues of at least
    theta. The rows are not centered. Of more than 10,000 features the second moments are not
    formed: a randomized solver works on the rows, for which gamma must be above 0.

    With `alphas`, the features are the half powers of the positive and the negative part of each
    projection, of unit root mean square over the training rows (Algorithm 1). Other functions of
    the projections, such as splines, products and trees (section 2.4), are pipelines; see the
    examples.

    With `contract`, a continuous or vector target, or very many classes, are contracted to a few
    numbers, of which each is cut into bins that take the place of classes (section 5); how to
    contract them is left open by the paper. The bins serve the directions alone: a regression that
    follows sees the target itself. A target's numbers are its scores on the principal axes of its
    standardized columns. Those of classes are the coordinates of their means on the discriminant
    axes, so that there are n_contractions n_bins (n_bins - 1) eigenvalue problems whatever the
    number of classes; classes of equal means are not told apart by it.

    Parameters
    ----------
    gamma : float, default=0.05
        Regularization of the denominator, in units of its mean eigenvalue;
        0 makes the projections invariant under invertible linear maps and
        requires second moments of full rank.
    n_directions : int, default=10
        Maximum number of directions per ordered pair.
    theta : float, default=1.5
        Directions with smaller eigenvalues are discarded; near 1 they do not
        discriminate. If none reaches theta, the one with the largest
        eigenvalue is kept, with a UserWarning.
    pairs : "all" or "hypercube", default="all"
        All k (k - 1) ordered pairs of k classes, or those of neighbors on a
        random hypercube, about k log2 k.
    denominator : "second_moment" or "covariance", default="second_moment"
        What the denominator is of its class. With the covariance, the squared projections are
        small on that class about its mean instead of the origin, which is then subtracted
        (footnote of section 2); the numerator stays a second moment.
    alphas : sequence of float or None, default=None
        Twice the exponents of the features, (1, 2, 3) in the paper; None for the projections
        themselves.
    contract : "target", "classes" or None, default=None
        What is contracted and cut: numbers y, or labels y; None for the pairs of the classes.
    n_bins : int, default=4
        Of each number, of about equally many rows; fewer if many values are equal.
    n_contractions : int, default=2
        Most numbers. A target of one column has one.
    random_state : int, RandomState or None, default=None
        Seed of the hypercube.
    n_jobs : int or None, default=None
        Number of pairs solved in parallel, through joblib. The result does
        not depend on it.

    Attributes
    ----------
    directions_ : ndarray of shape (n_kept, n_features)
        Rows v, ordered by pair and by descending eigenvalue within a pair, those of one number
        after the other; normalized by the regularized denominator, not to unit length.
    eigenvalues_ : ndarray of shape (n_kept,)
        Mean of (v'x)^2 over the numerator class.
    pairs_ : ndarray of shape (n_kept, 2)
        Labels of the numerator and the denominator class of each direction; with `contract`, the
        bins, from 0.
    offsets_ : ndarray of shape (n_kept,)
        What is subtracted from v'x: v' times the mean of the denominator class if
        `denominator` is the covariance, else 0.
    scale_ : ndarray of shape (2 len(alphas) n_kept,)
        What the half powers are divided by; of `alphas` only.
    classes_ : ndarray of shape (n_classes,)
        Not of contract="target".
    contractions_ : ndarray of shape (n_contracted, n_targets) or (n_contracted, n_classes)
        In each row what the target is multiplied by, or the number of each class; of `contract`
        only, as are the next two.
    edges_ : list of ndarray of shape (n_bins - 1,)
        Where each number is cut.
    numbers_ : ndarray of int of shape (n_kept,)
        Which number each direction tells apart, from 0.

    Notes
    -----
    What the paper only discusses (section 5) is not here: events of higher order than second
    moments, directions that are invariant to transformations of a row, and networks that start from
    the directions.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, Algorithm 1 and section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import GEM
    >>> X, y = load_iris(return_X_y=True)
    >>> gem = GEM(n_directions=1).fit(X, y)
    >>> gem.pairs_[0]
    array([0, 1])
    >>> gem.transform(X).shape
    (150, 5)
    >>> powers = GEM(n_directions=1, alphas=(1, 2, 3)).fit(X, y)
    >>> powers.transform(X).shape
    (150, 30)
    >>> list(powers.get_feature_names_out()[:2])
    ['gem0_pos_0.5', 'gem1_pos_0.5']

    Splines, products of pairs of projections, and trees:

    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures, SplineTransformer
    >>> make_pipeline(gem, SplineTransformer(4, extrapolation="linear")).fit_transform(X, y).shape
    (150, 30)
    >>> make_pipeline(gem, PolynomialFeatures(interaction_only=True)).fit_transform(X, y).shape
    (150, 16)
    >>> forest = make_pipeline(gem, ExtraTreesClassifier(random_state=0)).fit(X, y)
    >>> print(f"{forest.score(X, y):.1f}")
    1.0

    A target that depends on the size of a projection, which no linear regression sees:

    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> X = np.random.default_rng(0).normal(size=(600, 5))
    >>> y = np.abs(X @ [1.0, -1.0, 0.0, 0.0, 1.0])
    >>> sizes = GEM(n_directions=1, alphas=(1, 2, 3), contract="target")
    >>> model = make_pipeline(sizes, Ridge()).fit(X, y)
    >>> print(f"{Ridge().fit(X, y).score(X, y):.2f} {model.score(X, y):.1f}")
    0.00 1.0
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        *,
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        pairs: Pairs = "all",
        denominator: DenominatorKind = "second_moment",
        alphas: Sequence[float] | None = None,
        contract: Contract | None = None,
        n_bins: int = 4,
        n_contractions: int = 2,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_directions = n_directions
        self.theta = theta
        self.pairs = pairs
        self.denominator = denominator
        self.alphas = alphas
        self.contract = contract
        self.n_bins = n_bins
        self.n_contractions = n_contractions
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compute the directions.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            A Dask collection may exceed the memory; `alphas` and `contract` need rows in memory.
        y : array-like or Dask collection of shape (n_samples,) or (n_samples, n_targets)
            Labels of two or more classes; numbers if a target is contracted.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, not necessarily a whole number; None for once. Of rows in
            memory only. The cuts between bins count each row once.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid, or a contracted target is constant.
        """
        if self.contract is not None:
            return self._fit_contracted(X, y, sample_weight)
        if is_lazy(X):
            given = () if sample_weight is None else ("sample_weight",)
            return self.fit_moments(ClassSecondMoments().fit_blocks(table_of(self, X, y, given)))
        X, y = validate_data(self, X, y, dtype=np.float64)
        weights = checked_weights(sample_weight, len(y))
        if X.shape[1] > WIDE_FEATURES:
            self._fit_wide(X, y, weights)
        else:
            self._fit_directions(ClassSecondMoments().fit(X, y, weights))
        self._scale(X, weights)
        return self

    def fit_moments(self, moments: ClassSecondMoments) -> Self:
        """Compute the directions from second moments, for data that do not fit in memory.

        Parameters
        ----------
        moments : ClassSecondMoments
            Fitted at once or in blocks of rows.

        Raises
        ------
        ValueError
            If a parameter or the moments are invalid, or `alphas` are given: the scales of half
            powers do not follow from moments.
        """
        self._refuse_contraction()
        if self.alphas is not None:
            raise UserError(
                f"alphas={self.alphas!r} needs the rows in memory, because half powers are scaled "
                "by all of them. Use alphas=None, or fit a sample of the rows."
            )
        return self._fit_directions(moments)

    def _fit_contracted(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Fit to the bins of each number that the target or the classes are contracted to."""
        self._validate_parameters()
        check_integer("n_bins", self.n_bins, minimum=2)
        check_integer("n_contractions", self.n_contractions, minimum=1)
        if is_lazy(X):
            self._refuse_contraction()
        is_target = self.contract == _TARGET
        X, y = validate_data(
            self,
            X,
            y,
            dtype=np.float64,
            ensure_min_samples=2,
            multi_output=is_target,
            y_numeric=is_target,
        )
        if is_target:
            targets = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
            self.contractions_ = contractions(targets, self.n_contractions)
            numbers = self.contractions_ @ targets.T
        else:
            check_magnitudes(X)
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
            _check_classes(self.classes_)
            self.contractions_ = class_coordinates(X, codes, self.n_contractions)
            numbers = self.contractions_[:, codes]
        cuts = [quantile_bins(row, self.n_bins) for row in numbers]
        weights = checked_weights(sample_weight, len(X))
        of_bins = clone(self).set_params(contract=None, alphas=None)
        gems = [clone(of_bins).fit(X, bins, weights) for _, bins in cuts]
        self.edges_ = [edges for edges, _ in cuts]
        self.numbers_ = np.repeat(np.arange(len(gems)), [len(gem.directions_) for gem in gems])
        for name in ("directions_", "eigenvalues_", "pairs_", "offsets_"):
            setattr(self, name, np.concatenate([getattr(gem, name) for gem in gems]))
        self._scale(X, weights)
        return self

    def _refuse_contraction(self) -> None:
        if self.contract is not None:
            raise UserError(
                f"contract={self.contract!r} needs the rows in memory, to cut them into bins. Use "
                "contract=None, or fit a sample of the rows."
            )

    def _scale(self, X: FloatArray, weights: FloatArray | None) -> None:
        if self.alphas is not None:
            powers = half_powers(X @ self.directions_.T - self.offsets_, self.alphas)
            self.scale_ = root_mean_squares(powers, weights)

    def _fit_directions(self, moments: ClassSecondMoments) -> Self:
        self._validate_parameters()
        check_is_fitted(moments)
        self.n_features_in_ = moments.n_features_in_
        self.classes_ = moments.classes_
        _check_classes(self.classes_)
        pairs = SELECTIONS[self.pairs](len(self.classes_), self._stream())
        solved = class_pair_eigenvectors(
            moments,
            pairs,
            gamma=self.gamma,
            n_directions=self.n_directions,
            denominator=self.denominator,
            n_jobs=self.n_jobs,
        )
        self._keep_directions(pairs, solved, moments.means_)
        return self

    def _fit_wide(self, X: FloatArray, y: npt.NDArray[Any], weights: FloatArray | None) -> None:
        """Compute the directions of features so many that their moments do not fit in memory."""
        self._validate_parameters()
        check_classification_targets(y)
        counted = slice(None) if weights is None else weights > 0
        self.classes_ = np.unique(y[counted])
        _check_classes(self.classes_)
        classes = [
            WideClass.of(X[y == label], None if weights is None else weights[y == label])
            for label in self.classes_
        ]
        pairs = SELECTIONS[self.pairs](len(classes), self._stream())
        denominators = {
            code: classes[code].denominator(
                gamma=self.gamma,
                label=self.classes_.tolist()[code],
                is_centered=self.denominator == _COVARIANCE,
            )
            for code in np.unique(pairs[:, 1])
        }
        means = np.stack([of_class.mean for of_class in classes])
        solved = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(wide_eigenvectors)(
                classes[i].rows, means[i], denominators[j], n_directions=self.n_directions
            )
            for i, j in pairs
        )
        self._keep_directions(pairs, solved, means)

    def _keep_directions(
        self,
        pairs: IntArray,
        solved: Sequence[tuple[FloatArray, FloatArray]],
        means: FloatArray,
    ) -> None:
        """Keep the directions that reach theta, and what is subtracted from their projections."""
        codes = self._keep(pairs, solved)
        self.offsets_ = np.zeros(len(self.directions_))
        if self.denominator == _COVARIANCE:
            self.offsets_ = np.sum(self.directions_ * means[codes[:, 1]], axis=1)

    def transform(self, X: Any) -> FloatArray:
        """Projections v'x less their offsets, or their scaled half powers.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_kept), or (n_samples, 2 len(alphas) n_kept)
            A Dask array, not computed yet, if X is a Dask collection; see `half_powers` for the
            order of the columns.
        """
        check_is_fitted(self)
        X = lazy_array(X, self.n_features_in_) if is_lazy(X) else rows_as_fitted(self, X)
        projections: FloatArray = X @ self.directions_.T - self.offsets_
        if self.alphas is None:
            return projections
        powers: FloatArray = half_powers(projections, self.alphas) / self.scale_
        return powers

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return names such as "gem0", or "gem0_pos_0.5": direction, sign and exponent."""
        if self.alphas is None:
            names: npt.NDArray[Any] = super().get_feature_names_out(input_features)
            return names
        super().get_feature_names_out(input_features)  # validates the input names
        directions = (f"gem{number}" for number in range(len(self.directions_)))
        return np.array(half_power_names(directions, self.alphas), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = self.contract == _TARGET
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.directions_) if self.alphas is None else len(self.scale_)

    def _validate_parameters(self) -> None:
        check_gamma(self.gamma)
        check_integer("n_directions", self.n_directions, minimum=1)
        check_positive("theta", self.theta)
        check_choice("pairs", self.pairs, tuple(SELECTIONS))
        check_choice("denominator", self.denominator, DENOMINATORS)
        if self.contract is not None:
            check_choice("contract", self.contract, CONTRACTED)
        if self.alphas is not None:
            check_alphas(self.alphas)

    def _stream(self) -> np.random.Generator:
        seed = drawn_seed(self.random_state)
        return np.random.default_rng(seed)

    def _keep(self, pairs: IntArray, solved: Sequence[tuple[FloatArray, FloatArray]]) -> IntArray:
        """Keep the directions that reach theta, and return the pair of codes of each."""
        eigenvalues, directions, of_pair = _concatenated(solved)
        passing = eigenvalues >= self.theta
        if not passing.any():
            passing = np.arange(len(eigenvalues)) == eigenvalues.argmax()
            warnings.warn(
                f"No eigenvalue reaches theta={self.theta!r}, so only the direction of the largest "
                f"one, {eigenvalues.max():.3g}, is kept. Choose a smaller theta, or a gamma below "
                f"{self.gamma!r}.",
                UserWarning,
                stacklevel=5,
            )
        self.eigenvalues_ = eigenvalues[passing]
        self.directions_ = directions[passing]
        codes: IntArray = pairs[of_pair[passing]]
        self.pairs_ = self.classes_[codes]
        return codes


class GEMPlane(MomentPlaneEstimator):
    """The plane of the GEM directions with the largest eigenvalues over all pairs of classes.

    Eigenvalues far below one need not be considered: they are the reciprocals
    of large ones of the reversed pair (exactly at gamma = 0). Directions in
    the span of earlier ones are skipped. The rows are centered at the mean of
    all rows, so that shifting the data does not change the plane.

    Parameters
    ----------
    n_components : int, default=2
    gamma : float, default=0.05
        Regularization of the denominator, in units of its mean eigenvalue.
        Small values favor directions of small variance in one class, large
        values directions of large variance in the other.
    n_jobs : int or None, default=None
        Number of pairs solved in parallel, through joblib.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows; the first m span the first m directions.
    n_directions_ : int
        Number of rows that come from directions; the others are principal
        components of the residuals.
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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import GEMPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = GEMPlane().fit(X, y)
    >>> plane.components_.shape, plane.n_directions_
    ((2, 4), 2)
    """

    def __init__(
        self, n_components: int = 2, *, gamma: float = 0.05, n_jobs: int | None = None
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_gamma(self.gamma)

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        centered = centered_rows(X, weights)
        space = row_space(centered, self.n_components)
        pairs = all_pairs(len(self.classes_))
        # The leading n_components of each pair suffice, whichever are skipped: they are linearly
        # independent.
        solved = class_pair_eigenvectors(
            ClassSecondMoments().fit(space.rows, self.classes_[y], weights),
            pairs,
            gamma=self._gamma_within(space),
            n_directions=self.n_components,
            n_jobs=self.n_jobs,
        )
        eigenvalues, directions, of_pair = _concatenated(solved)
        order = _descending_order(eigenvalues)
        constants = separating_constants(X, y)
        basis, indices = independent_rows(
            np.vstack([constants, space.lift(directions[order])]), self.n_components
        )
        used = order[[row - len(constants) for row in indices if row >= len(constants)]]
        self.n_directions_ = len(used)
        self.eigenvalues_ = eigenvalues[used]
        self.pairs_ = self.classes_[pairs[of_pair[used]]]
        self.components_ = complete(basis, centered, self.n_components, weights)

    def _gamma_within(self, space: RowSpace) -> float:
        """Gamma in units of the mean eigenvalue over all features, not over the coordinates."""
        if space.basis is None:
            return self.gamma
        return float(self.gamma * space.basis.shape[1] / len(space.basis))


def class_pair_eigenvectors(
    moments: ClassSecondMoments,
    pairs: IntArray,
    *,
    gamma: float,
    n_directions: int,
    denominator: DenominatorKind = "second_moment",
    n_jobs: int | None = None,
) -> list[tuple[FloatArray, FloatArray]]:
    """Leading eigenvalues and eigenvectors of each pair of classes.

    The pairs are solved through joblib, in threads unless
    `joblib.parallel_config` names another backend.

    Parameters
    ----------
    moments : ClassSecondMoments
    pairs : ndarray of shape (n_pairs, 2)
        Codes of numerator and denominator classes.
    gamma : float
    n_directions : int
        Maximum per pair.
    denominator : "second_moment" or "covariance", default="second_moment"
        Of the denominator class.
    n_jobs : int or None, default=None

    Returns
    -------
    list of (ndarray of shape (n_directions,), ndarray of shape (n_features, n_directions))
        Descending eigenvalues, and eigenvectors in columns, for each pair.

    Raises
    ------
    ValueError
        If all rows of a class are zero, a denominator is singular and gamma too small, or the
        covariance of a class is lost to rounding.
    """
    labels = moments.classes_.tolist()
    squares, means = moments.moments_, moments.means_
    for label, moment in zip(labels, squares, strict=True):
        check_not_zero(np.trace(moment), label)
    bottoms = squares if denominator == _SECOND_MOMENT else _covariances(moments)
    denominators = {
        code: Denominator.of(bottoms[code], gamma=gamma, label=labels[code])
        for code in np.unique(pairs[:, 1])
    }
    solved: list[tuple[FloatArray, FloatArray]] = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(leading_eigenvectors)(
            squares[i], means[i], denominators[j], n_directions=n_directions
        )
        for i, j in pairs
    )
    return solved


def _covariances(moments: ClassSecondMoments) -> FloatArray:
    """Compute covariances of the classes, unless one is lost to rounding."""
    covariances = moments.covariances_
    labels = moments.classes_.tolist()
    for label, covariance, moment in zip(labels, covariances, moments.moments_, strict=True):
        if np.trace(covariance) <= _CANCELED * np.trace(moment):
            raise UserError(
                f"The rows of class {label!r} are equal, or very far from the origin compared to "
                "their differences, so they have no covariance as denominator. Subtract the mean "
                "of all rows first, exclude the class, or use denominator='second_moment'."
            )
    return covariances


def _check_classes(classes: npt.NDArray[Any]) -> None:
    if len(classes) < 2:
        raise UserError(
            f"The labels hold only one class ({classes.tolist()[0]!r}), and GEM separates classes; "
            "give rows of at least two classes."
        )


def _concatenated(
    solved: Sequence[tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Concatenate eigenvalues, directions as rows, and the index of the pair of each."""
    eigenvalues = np.concatenate([values for values, _ in solved])
    directions = np.vstack([vectors.T for _, vectors in solved])
    of_pair = np.repeat(np.arange(len(solved)), [len(values) for values, _ in solved])
    return eigenvalues, directions, of_pair


def _descending_order(eigenvalues: FloatArray) -> IntArray:
    """Return the indices of the eigenvalues that are not negligible, the largest first."""
    order = np.argsort(-eigenvalues, kind="stable")
    positive: IntArray = order[eigenvalues[order] > _NEGLIGIBLE * eigenvalues.max()]
    return positive
