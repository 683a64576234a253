"""The largest divergence as a function of gamma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_positive
from melm_core.melm.estimator import MELM


@dataclass(frozen=True, eq=False)
class DivergenceProfile:
    """The largest divergence at each gamma, with its plane; see `divergence_profile`.

    Attributes
    ----------
    gammas : ndarray of shape (n_gammas,)
        Ascending.
    divergences : ndarray of shape (n_gammas,)
        In nats.
    components : ndarray of shape (n_gammas, n_components, n_features)
        Orthonormal rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import divergence_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> divergence_profile(X, y, [1.0], n_init=3, random_state=0).components.shape
    (1, 2, 4)
    """

    gammas: FloatArray
    divergences: FloatArray
    components: FloatArray


def divergence_profile(
    X: Any, y: Any, gammas: Sequence[float], **parameters: Any
) -> DivergenceProfile:
    """Compute the largest divergence for several kernel widths.

    For the largest gamma it is found by a fit of `MELM`. The search for each
    smaller gamma starts from the distinct planes of the gamma before, so a
    profile takes little more time than one fit.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    gammas : sequence of float, at least one
        In any order.
    **parameters
        Parameters of `MELM`, except gamma.

    Returns
    -------
    DivergenceProfile

    Raises
    ------
    ValueError
        If gammas is empty, or one of them is not a finite number above 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import divergence_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> profile = divergence_profile(X, y, [1.0, 0.5, 2.0], n_init=3, random_state=0)
    >>> profile.gammas, profile.divergences.round(1)
    (array([0.5, 1. , 2. ]), array([9.1, 6.7, 4.2]))
    """
    ordered = sorted(gammas, reverse=True)
    if not ordered:
        raise UserError("gammas is empty; use at least one kernel width above 0.")
    for gamma in ordered:
        check_positive("gamma", gamma)
    fitted = [MELM(**{**parameters, "gamma": ordered[0]}).fit(X, y)]
    for gamma in ordered[1:]:
        melm = MELM(**{**parameters, "gamma": gamma})
        fitted.append(melm.set_search(init=distinct_planes(fitted[-1])).fit(X, y))
    fitted.reverse()
    return DivergenceProfile(
        gammas=np.array(ordered[::-1], dtype=np.float64),
        divergences=np.array([melm.divergence_ for melm in fitted]),
        components=np.stack([melm.components_ for melm in fitted]),
    )


def distinct_planes(melm: MELM) -> FloatArray:
    """Return the distinct planes that the starts of a fit reached, best first.

    Parameters
    ----------
    melm : MELM
        Fitted.

    Returns
    -------
    ndarray of shape (n_planes, n_components, n_features)
    """
    by_value = sorted(melm.start_results_, key=lambda result: -result.objective)
    _, first = np.unique([round(result.objective, 8) for result in by_value], return_index=True)
    return np.stack([by_value[i].components for i in sorted(first)])
