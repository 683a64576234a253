"""Stability of a plane under resampling."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import f, t
from sklearn.base import clone

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_members
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.evaluation.refitting import (
    FailedFit,
    Preparation,
    fit_or_failure,
    fit_projection,
    map_in_order,
)
from melm_core.evaluation.study import Study
from melm_core.folds.folds import CodedRows, group_strata
from melm_core.linalg.planes import align_components, features_used, principal_angles
from melm_core.melm import MELM

_FEWEST_RESAMPLES = 2
_ROUNDING = 1e-9  # 3.0000000000000004 is 3

# Of loadings that all resamples agree on, so that their interval is a point.
_NEGLIGIBLE_VARIANCE = 1e-18
# Of the largest variance of the columns of a curve: below it, they add no direction.
_COLLINEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Stability:
    """The plane fitted to all rows, and the planes fitted to resamples.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        The plane fitted to all rows: orthonormal rows in the prepared features.
    planes : ndarray of shape (n_resamples, n_components, n_features)
        The plane of each resample that could be fitted, rotated within itself to match
        `components`.
    angles : ndarray of shape (n_resamples, n_components)
        Principal angles between each of them and `components`, in radians,
        ascending.
    lower, upper : ndarray of shape (n_components, n_features)
        Symmetric bootstrap interval of every loading about its value in
        `components`, clipped to -1 and 1.
    confidence : float
        Share of the resamples within the interval of a loading.
    curves : CurveSteps or None
        What features do, where some bend; None if each column is a feature.
    notes : tuple of str
        Sentences about resamples that could not be fitted, which are left out.

    Notes
    -----
    A plane that hardly turns is well determined by the rows; that does not make it tell the
    classes, as the planes of PCA on noise with one large variance show. Nor does one that turns
    tell nothing: of features that are alike any may carry the plane. Bootstrap samples repeat rows,
    which sparse and neighbor methods take for structure. Intervals are of one feature each.

    References
    ----------
    B. Efron, R. J. Tibshirani: An Introduction to the Bootstrap, 1993 (resamples).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import Study, stability
    >>> result = stability(Study("pca", *load_iris(return_X_y=True)), n_resamples=4)
    >>> result.planes.shape
    (4, 2, 4)
    """

    components: FloatArray
    planes: FloatArray
    angles: FloatArray
    lower: FloatArray
    upper: FloatArray
    confidence: float
    curves: CurveSteps | None = None
    notes: tuple[str, ...] = ()

    @property
    def largest_angle(self) -> float:
        """Median over the resamples of the largest principal angle to `components`, in radians."""
        return float(np.median(self.angles[:, -1]))

    @property
    def n_features_used(self) -> int:
        """`features_used` of the plane of all rows, rounded up."""
        if self.curves is None:
            return math.ceil(features_used(self.components) - _ROUNDING)
        lengths = self.curves.lengths(self.components[None])
        return math.ceil(features_used(lengths / np.linalg.norm(lengths)) - _ROUNDING)

    def selection_frequencies(self, n_features: int) -> FloatArray:
        """Share of the resamples in which a feature is among those with the largest loadings.

        Parameters
        ----------
        n_features : int
            Number of features that count as selected in each resample.

        Returns
        -------
        ndarray of shape (n_features_of_the_data,)

        References
        ----------
        N. Meinshausen, P. Bühlmann: Stability Selection, Journal of the Royal
        Statistical Society B 72, 2010.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from melm_core.evaluation import Study, stability
        >>> result = stability(Study("pca", *load_iris(return_X_y=True)), n_resamples=5)
        >>> result.selection_frequencies(2)
        array([1., 1., 0., 0.])
        """
        if self.curves is None:
            lengths = np.linalg.norm(self.planes, axis=1)  # (n_resamples, n_features)
        else:
            lengths = self.curves.lengths(self.planes)
        ranks = np.argsort(np.argsort(-lengths, axis=1, kind="stable"), axis=1)
        frequencies: FloatArray = (ranks < n_features).mean(axis=0)
        return frequencies

    @property
    def length_interval(self) -> tuple[FloatArray, FloatArray]:
        """Interval of the length of the loadings of each feature, within 0 and 1.

        Lengths of resamples are never 0, so that their quantiles exclude every feature without
        effect. The interval is that of the loadings as a vector in the plane: it reaches to 0
        unless the vector differs from 0 (Hotelling's T2 at `confidence`), and otherwise extends by
        a t quantile of the standard error along the vector. Resamples are shorter along the plane
        of all rows than that plane is along the true one by about the same factor, which is
        taken back. The length does not depend on the basis of the plane.

        Returns
        -------
        lower, upper : ndarray of shape (n_features,)
            0 and 1 where there are no more resamples than components.

        References
        ----------
        H. Hotelling: The generalization of Student's ratio, Annals of Mathematical Statistics 2,
        1931. B. Efron, R. J. Tibshirani: An Introduction to the Bootstrap, 1993, chapter 10 (bias).
        """
        if self.curves is None:
            return _length_interval(self.planes, self.components, self.confidence)
        planes, components = self.curves.of(self.planes), self.curves.of(self.components)
        # What resamples agree on, of the whole plane, for every feature.
        factor = np.vdot(planes.mean(axis=0), components) / np.vdot(components, components)
        lower, upper = np.empty((2, self.curves.n_features))
        for feature in range(self.curves.n_features):
            is_own = self.curves.features == feature
            loadings = planes[:, :, is_own].reshape(len(planes), -1, 1)
            vector = components[:, is_own].reshape(-1, 1)
            lower[feature], upper[feature] = np.ravel(
                _length_interval(loadings, vector, self.confidence, factor)
            )
        return lower, upper

    @property
    def mean_plane(self) -> FloatArray:
        """The plane that the resamples agree on, shape (n_components, n_features).

        The leading eigenvectors of the mean of their projectors, rotated to match `components`.
        """
        n_components, n_features = self.components.shape
        stacked = self.planes.reshape(-1, n_features)
        leading = np.linalg.svd(stacked, full_matrices=False)[2][:n_components]
        return align_components(leading, self.components)


@dataclass(frozen=True, eq=False)
class CurveSteps:
    """Planes as the steps that their features make.

    The columns of one curve are collinear, so that no loading of theirs means anything alone; the
    steps along the curve over the rows do.

    Attributes
    ----------
    root : ndarray of shape (n_columns, n_coordinates)
        Of the covariance of the columns of each feature.
    features : ndarray of int, shape (n_coordinates,)
        The feature of each coordinate; a constant feature has none.
    n_features : int
    """

    root: FloatArray
    features: IntArray
    n_features: int

    @classmethod
    def over(cls, X: FloatArray, groups: IntArray) -> CurveSteps:
        """The steps over prepared rows, given the feature of each column."""
        roots, features = [], []
        for feature in np.unique(groups).tolist():
            columns = np.where(groups == feature, X - X.mean(axis=0), 0.0)
            values, vectors = np.linalg.eigh(columns.T @ columns / len(X))
            is_free = values > _COLLINEAR * max(values[-1], np.finfo(np.float64).tiny)
            roots.append(vectors[:, is_free] * np.sqrt(values[is_free]))
            features.extend([feature] * int(is_free.sum()))
        return cls(np.concatenate(roots, axis=1), np.array(features), int(groups.max()) + 1)

    def of(self, planes: FloatArray) -> FloatArray:
        """Steps, (..., n_components, n_coordinates), whose squares add up to 1 in each plane."""
        steps = planes @ self.root
        norms: FloatArray = np.sqrt(np.square(steps).sum(axis=(-2, -1), keepdims=True))
        return steps / np.where(norms > 0, norms, 1.0)

    def lengths(self, planes: FloatArray) -> FloatArray:
        """Root mean squares of the steps of each feature, (n_planes, n_features)."""
        squares = np.square(self.of(planes)).sum(axis=1)
        is_of_feature = self.features[:, None] == np.arange(self.n_features)
        lengths: FloatArray = np.sqrt(squares @ is_of_feature)
        return lengths


# Given the plane of a resample, rotated to match that of all rows, how many resamples are done, and
# how many there are.
ResampleCallback: TypeAlias = Callable[[FloatArray, int, int], object]


def stability(
    study: Study,
    *,
    n_resamples: int = 50,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    start: FloatArray | None = None,
    column_groups: IntArray | None = None,
    callback: ResampleCallback | None = None,
) -> Stability:
    """Refit a linear method to bootstrap samples of the rows and compare the planes.

    Parameters
    ----------
    study : Study
        Rows in memory. Its preparation makes the same features of any rows: loadings are per unit
        of these.
    n_resamples : int, default=50
        Draws of as many rows, with replacement, within each class; groups are drawn as a whole.
    confidence : float in (0, 1), default=0.95
        Confidence level of the intervals of the loadings and of their lengths.
    n_jobs : int or None, default=None
        Number of resamples processed in parallel. The result does not depend
        on it.
    start : ndarray of shape (n_components, n_features) or None, default=None
        The plane of all rows, where it is known: orthonormal rows in the prepared features.
        Methods that search begin there in every resample, which takes a fraction of the time
        and finds no optimum far from it.
    column_groups : ndarray of int, shape (n_columns,), or None, default=None
        The feature of each prepared column, see `CurvedFeatures.groups_`, which all resamples
        must have alike: lengths and selections are those of features. None for a feature each.
    callback : callable, default=None
        Called after every resample that is fitted with its plane, rotated to match that of all
        rows, the number done and the total. An exception it raises ends the computation.

    Returns
    -------
    Stability

    Raises
    ------
    ValueError
        If a parameter or the data are invalid, the method is nonlinear, or fewer than two resamples
        can be fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import Study, stability
    >>> result = stability(Study("lda", *load_iris(return_X_y=True)), n_resamples=5)
    >>> result.angles.shape
    (5, 2)
    """
    check_integer("n_resamples", n_resamples, minimum=_FEWEST_RESAMPLES)
    if not 0 < confidence < 1:
        raise UserError(f"confidence={confidence!r} must be between 0 and 1.")
    rows, estimator, preparation = study.rows_in_memory, study.estimator, study.preparation
    if start is not None and isinstance(estimator, MELM):
        estimator = clone(estimator).set_search(init=start[None]).set_params(n_init=1)
    refit = partial(_plane, estimator, preparation, rows)
    reference = refit(np.arange(len(rows.y))) if start is None else start
    resamples = _resamples(rows, n_resamples, study.random_state)
    planes, failed = list[FloatArray](), list[FailedFit]()
    refitted = partial(fit_or_failure, refit, "Resample")
    for plane_or_failure in map_in_order(refitted, enumerate(resamples, 1), n_jobs):
        if isinstance(plane_or_failure, FailedFit):
            failed.append(plane_or_failure)
            continue
        planes.append(align_components(plane_or_failure, reference))
        if callback is not None:
            callback(planes[-1], len(planes) + len(failed), len(resamples))
    if len(planes) < _FEWEST_RESAMPLES:
        raise UserError(
            f"{len(planes)} of {len(resamples)} resamples could be fitted, and "
            f"{_FEWEST_RESAMPLES} are needed. Resample {failed[0].number}: {failed[0].reason}"
        )
    curves = None
    if column_groups is not None and len(np.unique(column_groups)) < len(column_groups):
        curves = CurveSteps.over(preparation.fit(rows.X).apply(rows.X), column_groups)
    all_planes = np.stack(planes)
    reach = np.quantile(np.abs(all_planes - reference), confidence, axis=0)
    return Stability(
        components=reference,
        planes=all_planes,
        angles=np.stack([principal_angles(plane, reference) for plane in planes]),
        lower=np.maximum(reference - reach, -1.0),
        upper=np.minimum(reference + reach, 1.0),
        confidence=confidence,
        curves=curves,
        notes=tuple(each.sentence for each in failed),
    )


def _length_interval(
    planes: FloatArray, components: FloatArray, confidence: float, factor: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """See `Stability.length_interval`; `factor` is the factor that is taken back."""
    n_resamples, n_components, n_features = planes.shape
    if n_resamples <= n_components:
        return np.zeros(n_features), np.ones(n_features)
    if factor is None:
        factor = np.einsum("bkf,kf->", planes, components) / (n_resamples * n_components)
    vectors = (components / factor).T  # (n_features, n_components)
    away = planes - planes.mean(axis=0)
    covariances = np.einsum("bkf,blf->fkl", away, away) / ((n_resamples - 1) * factor**2)
    lengths = np.linalg.norm(vectors, axis=1)
    directions = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]
    along = np.einsum("fk,fkl,fl->f", directions, covariances, directions)
    across = np.trace(covariances, axis1=1, axis2=2) - along
    # Errors across a vector lengthen it.
    centers = np.sqrt(np.maximum(np.square(lengths) - across, 0.0))
    solid = covariances + _NEGLIGIBLE_VARIANCE * np.eye(n_components)
    solved = np.linalg.solve(solid, vectors[:, :, None])[:, :, 0]
    left = n_resamples - n_components
    limit = f.ppf(confidence, n_components, left) * n_components * (n_resamples - 1) / left
    differs = np.einsum("fk,fk->f", vectors, solved) > limit
    reach = t.ppf(0.5 * (1.0 + confidence), n_resamples - 1) * np.sqrt(along)
    lower = np.where(differs, np.maximum(centers - reach, 0.0), 0.0)
    return np.minimum(lower, 1.0), np.minimum(lengths + reach, 1.0)


def _resamples(rows: CodedRows, n_resamples: int, random_state: int) -> list[IntArray]:
    """Draws of rows of a class or, with groups, of groups that contain the same classes."""
    y, groups = rows.y, rows.groups
    members = group_members(np.arange(len(y)) if groups is None else groups)
    alike = group_members(y if groups is None else group_strata(y, groups))
    seeds = np.random.SeedSequence(random_state).spawn(n_resamples)
    return [_drawn(members, alike, np.random.default_rng(seed)) for seed in seeds]


def _drawn(members: list[IntArray], alike: list[IntArray], stream: np.random.Generator) -> IntArray:
    units = np.concatenate([stream.choice(stratum, size=len(stratum)) for stratum in alike])
    return np.concatenate([members[unit] for unit in units])


def _plane(
    estimator: Any, preparation: Preparation, rows: CodedRows, resample: IntArray
) -> FloatArray:
    return fit_projection(estimator, rows.take(resample), preparation).components
