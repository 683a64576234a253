"""Planes that a person makes of a plane: an arrow moved, or a few features kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray, IntArray, stratified_sample
from melm_core.linalg import orthonormalize
from melm_core.melm import MELM
from melm_studio.tables import LabelledData

# A few steps on a sample take a moment and tell what the features are worth.
CLIMBED_ROWS = 1_000
CLIMBED_STEPS = 40


@dataclass(frozen=True)
class Move:
    """The arrow of a feature, put to another place.

    Attributes
    ----------
    feature : int
    loading : tuple of float, (n_components,)
        Loadings that the feature is given, where the data have unit covariance.
    """

    feature: int
    loading: tuple[float, ...]


def moved(components: FloatArray, move: Move) -> FloatArray:
    """The components with other loadings of one feature; the plane turns towards or away from it.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    move : Move

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Not orthonormal.

    Raises
    ------
    ValueError
        If there is no such feature, or the components become linearly dependent.
    """
    n_components, n_features = components.shape
    if not 0 <= move.feature < n_features:
        raise ValueError(
            f"There is no feature number {move.feature}; the table has {n_features}. Move another."
        )
    if len(move.loading) != n_components:
        raise ValueError(
            f"An arrow of this plane has {n_components} coordinates; {len(move.loading)} were "
            "given. Move it anew."
        )
    changed = components.copy()
    changed[:, move.feature] = move.loading
    if np.linalg.matrix_rank(changed) < n_components:
        raise ValueError(
            "With the arrow there the plane would shrink to a line. Move it a little to the side."
        )
    return changed


def pointing(components: FloatArray, move: Move) -> FloatArray:
    """The same plane turned within itself so that the arrow points where it was put.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    move : Move
    """
    arrow, aim = components[:, move.feature], np.array(move.loading)
    lengths = np.linalg.norm(arrow) * np.linalg.norm(aim)
    if lengths == 0.0 or arrow @ aim <= -lengths:
        return components  # no direction, or no shortest way to it
    arrow, aim = arrow / np.linalg.norm(arrow), aim / np.linalg.norm(aim)
    between = arrow + aim
    turn = (
        np.eye(len(arrow))
        - np.outer(between, between) / (1.0 + arrow @ aim)
        + 2.0 * np.outer(aim, arrow)
    )
    rows: FloatArray = turn @ components
    return rows


def strongest_features(components: FloatArray, n_kept: int) -> IntArray:
    """The features that weigh most in a plane, strongest first, shape (n_kept,)."""
    strengths = np.linalg.norm(components, axis=0)
    return np.argsort(-strengths, kind="stable")[:n_kept]


def plane_of_features(
    data: LabelledData, components: FloatArray, features: Sequence[int] | IntArray, gamma: float
) -> FloatArray:
    """A good plane of these features alone, climbed to from what they are in `components`.

    Parameters
    ----------
    data : LabelledData
    components : ndarray of shape (n_components, n_features)
    features : sequence of int
        At least n_components of them.
    gamma : float
        Kernel width of the divergence that is climbed.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows, zero for every other feature.

    Raises
    ------
    ValueError
        If there are fewer features than components.
    """
    kept = np.asarray(features)
    n_components = len(components)
    if len(kept) < n_components:
        raise ValueError(
            f"{n_components} components need at least {n_components} features; {len(kept)} "
            "would be kept. Keep more."
        )
    share = min(1.0, CLIMBED_ROWS / len(data.y))
    rows = stratified_sample(data.y, share, len(data.class_names))
    begin = components[:, kept]
    is_plane = np.linalg.matrix_rank(begin) == n_components
    climb = MELM(
        n_components,
        gamma=gamma,
        init=[orthonormalize(begin)] if is_plane else "auto",
        n_init=1,
        continuation=None,
        max_iter=CLIMBED_STEPS,
    ).fit(data.X[np.ix_(rows, kept)], data.y[rows])
    found = np.zeros_like(components)
    found[:, kept] = climb.components_
    return found
