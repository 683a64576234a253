"""The settings of the search for the best plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_positive
from melm_core.density.information_potentials import Engine
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
