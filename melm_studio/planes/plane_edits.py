"""Planes that the user makes from a plane: an arrow moved, or only a few features kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from melm_core.base import FloatArray, IntArray, UserError, stratified_sample
from melm_core.density import SmallCellsWarning
from melm_core.linalg import align_components, geodesic, orthonormalize
from melm_core.melm import MELM
from melm_studio.tables import LabeledData
from melm_studio.validation import Coordinate, Count

# A few steps on a sample take a moment, and suffice to show what the features are worth.
REFIT_ROWS = 1_000
REFIT_STEPS = 40

MAX_ARROWS = 8
_LEAST_LENGTH = 1e-3  # of an arrow, of the longest

NO_TARGET = "The run to morph to has no plane yet. Wait for its first plane, or choose another run."
OTHER_DATA = (
    "The two planes differ in their data or in their number of components, so one cannot be "
    "morphed into the other. Choose another run."
)


class LoadingEdit(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The arrow of a feature, moved to another place.

    Attributes
    ----------
    feature : int
    loading : tuple of float, (n_components,)
        New loadings of the feature, in the coordinates in which the data have unit covariance.
    """

    feature: Annotated[Count, Meta(title="The feature number of an arrow")]
    loading: Annotated[tuple[Coordinate, ...], Meta(title="The place of an arrow", min_length=1)]


def set_loading(components: FloatArray, edit: LoadingEdit, arrows: FloatArray) -> FloatArray:
    """Move the arrow of one feature, which tilts the plane toward or away from it.

    A bent feature keeps its bends and gets another slope.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_columns)
    edit : LoadingEdit
    arrows : ndarray of shape (n_components, n_features)
        Of the components; those themselves where no feature bends.

    Returns
    -------
    ndarray of shape (n_components, n_columns)
        Not orthonormal.

    Raises
    ------
    UserError
        If there is no such feature, or the components become linearly dependent.
    """
    n_components, n_features = arrows.shape
    if not 0 <= edit.feature < n_features:
        raise UserError(
            f"There is no feature number {edit.feature}; the table has {n_features}. Move another "
            "arrow."
        )
    if len(edit.loading) != n_components:
        raise UserError(
            f"An arrow of this plane has {n_components} coordinates, not {len(edit.loading)}. "
            "Move it again."
        )
    changed = components.copy()
    changed[:, edit.feature] += edit.loading - arrows[:, edit.feature]
    if np.linalg.matrix_rank(changed) < n_components:
        raise UserError(
            "With the arrow there, the plane would shrink to a line. Move it slightly to the side."
        )
    return changed


def align_loading(components: FloatArray, edit: LoadingEdit, arrows: FloatArray) -> FloatArray:
    """Rotate the components within their plane until the arrow has the direction of the edit.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_columns)
    edit : LoadingEdit
    arrows : ndarray of shape (n_components, n_features)
        Of the components.
    """
    arrow, target = arrows[:, edit.feature], np.array(edit.loading)
    lengths = np.linalg.norm(arrow) * np.linalg.norm(target)
    if lengths == 0.0 or arrow @ target <= -lengths:
        return components  # no direction, or no unique shortest rotation to it
    arrow, target = arrow / np.linalg.norm(arrow), target / np.linalg.norm(target)
    bisector = arrow + target
    rotation = (
        np.eye(len(arrow))
        - np.outer(bisector, bisector) / (1.0 + arrow @ target)
        + 2.0 * np.outer(target, arrow)
    )
    rows: FloatArray = rotation @ components
    return rows


def on_the_way(
    components: FloatArray, target: FloatArray, share: float, origin: FloatArray | None = None
) -> FloatArray:
    """The plane on the shortest way from a run's plane, or from another one, to a target.

    It is rotated within itself to match the run's plane, so that every way ends in the same view.

    Parameters
    ----------
    components, target : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    share : float
    origin : ndarray of shape (n_components, n_features), optional
        Where the way begins; by default `components`.
    """
    if origin is None:
        return geodesic(components, target, share)
    return align_components(geodesic(origin, target, share), components)


def with_edits(
    components: FloatArray,
    edits: Sequence[LoadingEdit],
    standardized: Callable[[FloatArray], FloatArray],
    arrows: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Move arrows one after the other.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    edits : sequence of LoadingEdit
    standardized : callable
        Returns components of the same plane in which the data have unit covariance.
    arrows : callable
        Returns the arrows of components, (n_components, n_features).
    """
    for edit in edits:
        components = standardized(components)
        components = standardized(set_loading(components, edit, arrows(components)))
        components = align_loading(components, edit, arrows(components))
    return components


def plane_of_features(
    data: LabeledData,
    components: FloatArray,
    features: Sequence[int] | IntArray,
    gamma: float,
    batch_weight: float = 0.0,
) -> FloatArray:
    """Fit a plane of these features alone, starting from their loadings in `components`.

    Parameters
    ----------
    data : LabeledData
    components : ndarray of shape (n_components, n_features)
    features : sequence of int
        At least n_components of them.
    gamma : float
        Kernel width of the divergence that is maximized.
    batch_weight : float
        Weight of the divergence of the batches within a class.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows, zero for every other feature.

    Raises
    ------
    UserError
        If there are fewer features than components.
    """
    indices = np.asarray(features)
    n_components = len(components)
    if len(indices) < n_components:
        raise UserError(
            f"{n_components} components need at least {n_components} features, not {len(indices)}. "
            "Keep more."
        )
    start = components[:, indices]
    is_plane = np.linalg.matrix_rank(start) == n_components
    plane = np.zeros_like(components)
    melm = MELM(n_components, gamma=gamma, nuisance_weight=batch_weight)
    plane[:, indices] = _refitted(melm, data, indices, orthonormalize(start) if is_plane else None)
    return plane


def plane_blind_to_batches(
    data: LabeledData, components: FloatArray, gamma: float, batch_weight: float
) -> FloatArray:
    """Refit a plane with another weight of the batches, starting from `components`.

    Parameters
    ----------
    data : LabeledData
        With a Batch column.
    components : ndarray of shape (n_components, n_features)
    gamma : float
        Kernel width of the divergences.
    batch_weight : float

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows.

    Raises
    ------
    UserError
        If there are no batches, or nothing can tell the classes from them.
    """
    if data.batches is None:
        raise UserError(
            "No column of the table has the role Batch. Choose that role for a column in Columns."
        )
    every, start = np.arange(components.shape[1]), orthonormalize(components)
    melm = MELM(len(components), gamma=gamma, nuisance_weight=batch_weight)
    return _refitted(melm, data, every, start)


def _refitted(
    melm: MELM, data: LabeledData, features: IntArray, start: FloatArray | None
) -> FloatArray:
    """The components of a few steps from a plane of some features, on a sample of the rows."""
    share = min(1.0, REFIT_ROWS / len(data.y))
    rows = stratified_sample(data.y, share, len(data.class_names))
    batches = data.batches if melm.nuisance_weight > 0 else None
    melm.set_params(n_init=1).set_search(continuation=None, max_iter=REFIT_STEPS)
    melm.set_search(init="auto" if start is None else [start])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallCellsWarning)  # the notes on the table name them
        melm.fit(
            data.X[np.ix_(rows, features)],
            data.y[rows],
            nuisance=None if batches is None else batches[rows],
        )
    return melm.components_


def strongest_loadings(loadings: FloatArray, lengths: FloatArray) -> tuple[FloatArray, IntArray]:
    """The loadings of the features that move rows farthest, farthest first.

    A feature that is left out of the plane has none, nor has one that moves rows by less than a
    thousandth of the farthest: its arrow would be a name without a length.

    Parameters
    ----------
    loadings : ndarray of shape (n_components, n_features)
        Without features for a nonlinear projection.
    lengths : ndarray of shape (n_features,)

    Returns
    -------
    loadings : ndarray of shape (n_arrows, n_components)
    features : ndarray of shape (n_arrows,)
    """
    features = np.argsort(-lengths, kind="stable")[:MAX_ARROWS]
    features = features[lengths[features] > _LEAST_LENGTH * lengths.max(initial=0.0)]
    return loadings[:, features].T, features
