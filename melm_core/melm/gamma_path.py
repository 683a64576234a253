"""The divergence as a function of gamma."""

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
    """The best divergence at each gamma, with its plane.

    Attributes
    ----------
    gammas : ndarray of shape (n_gammas,)
        Ascending.
    divergences : ndarray of shape (n_gammas,)
    components : ndarray of shape (n_gammas, n_components, n_features)
        Orthonormal rows.
    """

    gammas: FloatArray
    divergences: FloatArray
    components: FloatArray


def divergence_profile(
    X: Any, y: Any, gammas: Sequence[float], **parameters: Any
) -> DivergenceProfile:
    """Follow the best planes from the largest gamma to the smallest.

    At the largest gamma the search is MELM's own; each further gamma begins
    from the distinct planes found at the one before, so the whole profile
    costs little more than one fit.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    gammas : sequence of float, at least one
        In any order.
    **parameters
        Of `MELM`, except gamma and init.

    Raises
    ------
    ValueError
        If there is no gamma, or one is not a finite number above 0.
    """
    ordered = sorted(gammas, reverse=True)
    if not ordered:
        raise UserError("gammas is empty; give at least one kernel width above 0.")
    for gamma in ordered:
        check_positive("gamma", gamma)
    fitted = [MELM(**{**parameters, "gamma": ordered[0]}).fit(X, y)]
    for gamma in ordered[1:]:
        warm = {
            **parameters,
            "gamma": gamma,
            "continuation": (),
            "init": distinct_planes(fitted[-1]),
        }
        fitted.append(MELM(**warm).fit(X, y))
    fitted.reverse()
    return DivergenceProfile(
        gammas=np.array(ordered[::-1], dtype=np.float64),
        divergences=np.array([melm.divergence_ for melm in fitted]),
        components=np.stack([melm.components_ for melm in fitted]),
    )


def distinct_planes(melm: MELM) -> FloatArray:
    """The planes that the starts of a fit came to, each once, best first.

    Returns
    -------
    ndarray of shape (n_planes, n_components, n_features)
    """
    by_value = sorted(melm.start_results_, key=lambda result: -result.objective)
    _, first = np.unique([round(result.objective, 8) for result in by_value], return_index=True)
    return np.stack([by_value[i].components for i in sorted(first)])
