"""How much of a plane stays when the rows change, and how much methods agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer
from melm_core.evaluation.folds import CodedRows, coded_rows, stratified_folds
from melm_core.evaluation.refitting import MethodLike, fit_projection, make_estimator, map_in_order
from melm_core.linalg.planes import align_components, principal_angles

Resampling: TypeAlias = Literal["bootstrap", "folds"]
RESAMPLINGS = ("bootstrap", "folds")


@dataclass(frozen=True, eq=False)
class Stability:
    """The plane of all rows and the planes of resampled ones.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        The plane of all rows, orthonormal rows in the standardized features.
    planes : ndarray of shape (n_resamples, n_components, n_features)
        The plane of each resample, turned within itself to lie closest to `components`.
    angles : ndarray of shape (n_resamples, n_components)
        Principal angles between each of them and the plane of all rows, in
        radians, ascending.
    lower, upper : ndarray of shape (n_components, n_features)
        Symmetric bootstrap interval of every loading: as far to both sides of
        the loading in `components` as the given share of the resamples stays
        within, and never beyond -1 and 1.
    confidence : float
        That share.
    """

    components: FloatArray
    planes: FloatArray
    angles: FloatArray
    lower: FloatArray
    upper: FloatArray
    confidence: float

    @property
    def largest_angle(self) -> float:
        """Median over the resamples of the largest principal angle, in radians."""
        return float(np.median(self.angles[:, -1]))

    @property
    def pairwise_angles(self) -> FloatArray:
        """Largest principal angle between each two resamples, shape (n_resamples, n_resamples)."""
        return pairwise_angles(self.planes)


# Given how many resamples are done and how many there are.
ResampleCallback: TypeAlias = Callable[[int, int], object]


def stability(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    resampling: Resampling = "bootstrap",
    n_resamples: int = 50,
    confidence: float = 0.95,
    parameters: Mapping[str, Any] | None = None,
    standardize: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    callback: ResampleCallback | None = None,
) -> Stability:
    """Refit a linear method to resampled rows and compare the planes.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an unfitted estimator that has `components_` once fitted.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    resampling : "bootstrap" or "folds", default="bootstrap"
        Rows drawn with replacement within each class, or all rows but those of a fold.
    n_resamples : int, default=50
        Draws, or folds; no more folds than the smallest class has rows.
    confidence : float in (0, 1), default=0.95
        Of the intervals of the loadings.
    parameters : mapping or None
        Of the method.
    standardize : bool, default=True
        Whether to standardize the features, by all rows once, so that the
        loadings of all planes share their units.
    random_state : int, default=0
    n_jobs : int or None, default=None
        Resamples at the same time, in processes. The result does not depend on it.
    callback : callable, default=None
        Given the number of resamples done and of all, after each. What it
        raises ends the work.

    Raises
    ------
    ValueError
        If a parameter or the data break a rule, or the method is not a linear map.
    """
    check_choice("resampling", resampling, RESAMPLINGS)
    check_integer("n_resamples", n_resamples, minimum=2)
    if not 0 < confidence < 1:
        raise UserError(f"confidence={confidence!r} must lie between 0 and 1.")
    rows = coded_rows(X, y)
    estimator = make_estimator(method, parameters, random_state)
    whole = fit_projection(estimator, rows.X, rows.y, standardize=standardize)
    reference = whole.components
    units = CodedRows((rows.X - whole.mean) / whole.scale, rows.y, rows.classes)
    resamples = _resamples(rows.y, resampling, n_resamples, random_state)
    planes = []
    for plane in map_in_order(partial(_plane, estimator, units), resamples, n_jobs):
        planes.append(align_components(plane, reference))
        if callback is not None:
            callback(len(planes), len(resamples))
    return _stability(reference, np.stack(planes), confidence)


def pairwise_angles(planes: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Largest principal angle between each two planes, in radians.

    Parameters
    ----------
    planes : sequence of ndarray of shape (n_components, n_features)
        In the same features, in the same units.

    Returns
    -------
    ndarray of shape (n_planes, n_planes)
        Symmetric with zero diagonal; 0 for the same plane, pi/2 where a
        direction of one is perpendicular to all of the other.

    Raises
    ------
    ValueError
        If the planes differ in their dimension or their features.
    """
    shapes = {np.shape(plane) for plane in planes}
    if len(shapes) > 1:
        raise UserError(
            f"The planes have shapes {sorted(shapes)}; only planes of one dimension in the same "
            "features can be compared."
        )
    angles = np.zeros((len(planes), len(planes)))
    for first, second in combinations(range(len(planes)), 2):
        angles[first, second] = principal_angles(planes[first], planes[second])[-1]
    return angles + angles.T


def _resamples(
    y: IntArray, resampling: Resampling, n_resamples: int, random_state: int
) -> list[IntArray]:
    if resampling == "folds":
        return [fold.train for fold in stratified_folds(y, n_resamples, random_state)]
    streams = np.random.SeedSequence(random_state).spawn(n_resamples)
    members = [np.flatnonzero(y == code) for code in range(int(y.max()) + 1)]
    return [_bootstrap(members, np.random.default_rng(stream)) for stream in streams]


def _bootstrap(members: list[IntArray], stream: np.random.Generator) -> IntArray:
    return np.concatenate([stream.choice(rows, size=len(rows)) for rows in members])


def _plane(estimator: Any, rows: CodedRows, resample: IntArray) -> FloatArray:
    return fit_projection(
        estimator, rows.X[resample], rows.y[resample], standardize=False
    ).components


def _stability(reference: FloatArray, planes: FloatArray, confidence: float) -> Stability:
    reach = np.quantile(np.abs(planes - reference), confidence, axis=0)
    return Stability(
        components=reference,
        planes=planes,
        angles=np.stack([principal_angles(plane, reference) for plane in planes]),
        lower=np.maximum(reference - reach, -1.0),
        upper=np.minimum(reference + reach, 1.0),
        confidence=confidence,
    )
