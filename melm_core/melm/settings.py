"""The settings of the search for the best plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_positive
from melm_core.density.class_densities import Engine
from melm_core.melm.multiclass import Multiclass


@dataclass(frozen=True)
class SampleSizes:
    """When and how the search begins on a sample of the rows.

    Attributes
    ----------
    max_rows : int
        With more rows than this the starts compete on a sample.
    small : int
        Rows of that sample.
    large : int
        Rows of the sample on which the best few planes are refined; it is
        left out for less than twice as many rows.
    """

    max_rows: int = 10_000
    small: int = 2_000
    large: int = 10_000


@dataclass(frozen=True)
class SearchSettings:
    """The parameters of `MELM` that the search needs.

    Attributes
    ----------
    continuation : tuple of float or None
        None if the continuation factors follow from gamma.
    seed : int
    has_callback : bool
        Whether the steps are reported, which takes evaluations of its own.
    is_penalized : bool
        Whether the solver is "penalty".
    nuisance_weight : float
        Of the divergence of a nuisance, if the classes have cells.
    sample_sizes : SampleSizes
    """

    n_components: int
    n_init: int
    gamma: float
    continuation: tuple[float, ...] | None
    engine: Engine
    multiclass: Multiclass
    max_iter: int
    tol: float
    n_jobs: int | None
    seed: int
    has_callback: bool
    is_penalized: bool
    nuisance_weight: float = 0.0
    sample_sizes: SampleSizes = SampleSizes()


def checked_factors(
    continuation: Literal["auto"] | Sequence[float] | None,
) -> tuple[float, ...] | None:
    """The requested continuation factors; None if they follow from gamma.

    Parameters
    ----------
    continuation : "auto", sequence of float or None

    Raises
    ------
    ValueError
        If they are not decreasing or not above 1.
    """
    if isinstance(continuation, str):
        check_choice("continuation", continuation, ("auto",))
        return None
    factors = tuple(continuation or ())
    for factor in factors:
        check_positive("continuation", factor)
    if any(later >= earlier for earlier, later in pairwise((*factors, 1.0))):
        raise UserError(
            f"continuation={factors} must decrease and stay above 1, the factor at which the "
            "search ends; for example (3.0, 1.7)."
        )
    return factors


def given_planes(init: Any, n_components: int, whitener: FloatArray) -> list[FloatArray] | None:
    """The planes of the parameter `init` in whitened coordinates; None for "auto".

    Parameters
    ----------
    init : "auto" or array-like of shape (n_planes, n_components, n_features)
    n_components : int
    whitener : ndarray of shape (n_features, rank)

    Raises
    ------
    ValueError
        If their shape is another one.
    """
    if isinstance(init, str) and init == "auto":
        return None
    planes = np.asarray(init, dtype=np.float64)
    n_features = len(whitener)
    if planes.ndim != 3 or planes.shape[1:] != (n_components, n_features):
        raise UserError(
            f'init must be "auto" or planes of shape (n_planes, {n_components}, {n_features}); '
            f"its shape is {planes.shape}."
        )
    to_whitened = np.linalg.pinv(whitener).T  # (n_features, rank)
    return [plane @ to_whitened for plane in planes]


def settings_of(estimator: BaseEstimator) -> SearchSettings:
    """The settings that the parameters of `MELM` ask for; draws the seed of the search.

    Parameters
    ----------
    estimator : MELM
        With valid parameters.
    """
    own = estimator.get_params()
    return SearchSettings(
        n_components=own["n_components"],
        n_init=own["n_init"],
        gamma=1.0 if own["gamma"] == "auto" else own["gamma"],
        continuation=checked_factors(own["continuation"]),
        engine=own["engine"],
        multiclass=own["multiclass"],
        max_iter=own["max_iter"],
        tol=own["tol"],
        n_jobs=own["n_jobs"],
        seed=check_random_state(own["random_state"]).randint(np.iinfo(np.int32).max),
        has_callback=own["callback"] is not None,
        is_penalized=own["solver"] == "penalty",
        nuisance_weight=own["nuisance_weight"],
    )


def in_memory_only(estimator: BaseEstimator, arguments: Mapping[str, Any]) -> list[str]:
    """What was asked of `MELM` that needs the rows in memory, as its parameters are written.

    Parameters
    ----------
    estimator : MELM
    arguments : mapping from str
        Arguments of `fit` that need them unless they are None.
    """
    own = estimator.get_params()
    values = {"gamma": "auto", "solver": "penalty", "engine": "direct"}
    given = [name for name, value in arguments.items() if value is not None]
    given += [f'{name}="{value}"' for name, value in values.items() if own[name] == value]
    return [*given, "n_bootstrap"] if own["n_bootstrap"] else given
