"""Planes that the user makes from a plane: an arrow moved, or only a few features kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from melm_core.base import FloatArray, IntArray, UserError, stratified_sample
from melm_core.linalg import align_components, geodesic, orthonormalize
from melm_core.melm import MELM
from melm_studio.tables import LabeledData
from melm_studio.views.validation import Coordinate, Count

# A few steps on a sample take a moment, and suffice to show what the features are worth.
REFIT_ROWS = 1_000
REFIT_STEPS = 40

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


def set_loading(components: FloatArray, edit: LoadingEdit) -> FloatArray:
    """Replace the loadings of one feature, which tilts the plane toward or away from it.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    edit : LoadingEdit

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Not orthonormal.

    Raises
    ------
    UserError
        If there is no such feature, or the components become linearly dependent.
    """
    n_components, n_features = components.shape
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
    changed[:, edit.feature] = edit.loading
    if np.linalg.matrix_rank(changed) < n_components:
        raise UserError(
            "With the arrow there, the plane would shrink to a line. Move it slightly to the side."
        )
    return changed


def align_loading(components: FloatArray, edit: LoadingEdit) -> FloatArray:
    """Rotate the components within their plane until the arrow has the direction of the edit.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    edit : LoadingEdit
    """
    arrow, target = components[:, edit.feature], np.array(edit.loading)
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


def strongest_features(components: FloatArray, n_features: int) -> IntArray:
    """The features with the largest loadings, largest first, shape (n_features,)."""
    strengths = np.linalg.norm(components, axis=0)
    return np.argsort(-strengths, kind="stable")[:n_features]


def plane_of_features(
    data: LabeledData, components: FloatArray, features: Sequence[int] | IntArray, gamma: float
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

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows, zero for every other feature.

    Raises
    ------
    UserError
        If there are fewer features than components.
    """
    kept = np.asarray(features)
    n_components = len(components)
    if len(kept) < n_components:
        raise UserError(
            f"{n_components} components need at least {n_components} features, not {len(kept)}. "
            "Keep more."
        )
    share = min(1.0, REFIT_ROWS / len(data.y))
    rows = stratified_sample(data.y, share, len(data.class_names))
    start = components[:, kept]
    is_plane = np.linalg.matrix_rank(start) == n_components
    fit = MELM(
        n_components,
        gamma=gamma,
        init=[orthonormalize(start)] if is_plane else "auto",
        n_init=1,
        continuation=None,
        max_iter=REFIT_STEPS,
    ).fit(data.X[np.ix_(rows, kept)], data.y[rows])
    found = np.zeros_like(components)
    found[:, kept] = fit.components_
    return found
