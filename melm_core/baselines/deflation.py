"""Components that are found one by one, each in what those before it leave of the features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray


@dataclass(frozen=True, eq=False)
class Deflation:
    """The components that were removed from some features.

    Attributes
    ----------
    weights : ndarray of shape (n_found, n_features)
        The direction of each component, in the features that were left for it.
    rotations : ndarray of shape (n_found, n_features)
        The same directions in the original features X: the scores are X rotations'.
    remover : ndarray of shape (n_features, n_features)
        X remover are the features without the components.
    """

    weights: FloatArray
    rotations: FloatArray
    remover: FloatArray


def deflate(
    X: FloatArray, next_direction: Callable[[FloatArray], FloatArray | None], most: int
) -> Deflation:
    """Remove components from features.

    The score of a component is what is left of the features times its direction; the
    regression of the features on the score is removed before the next component.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centered.
    next_direction : callable
        Takes the features that are left, in the shape of X, and returns a direction of
        shape (n_features,), or None if there is no further component.
    most : int
        Maximum number of components.
    """
    weights: list[FloatArray] = []
    rotations: list[FloatArray] = []
    remover, rest = np.eye(X.shape[1]), X
    for _ in range(most):
        direction = next_direction(rest)
        if direction is None:
            break
        score = rest @ direction
        loading = score @ rest / (score @ score)
        weights.append(direction)
        rotations.append(remover @ direction)
        rest = rest - np.outer(score, loading)
        remover = remover - np.outer(rotations[-1], loading)
    shape = (len(weights), X.shape[1])
    return Deflation(np.reshape(weights, shape), np.reshape(rotations, shape), remover)
