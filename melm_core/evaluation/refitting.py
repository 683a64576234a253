"""A method fitted again and again: to folds, to shuffled labels, to resampled rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice
from melm_core.linalg.planes import orthonormalize
from melm_core.methods.registry import METHODS

# A key of METHODS, or an unfitted estimator with fit(X, y) and transform(X).
MethodLike: TypeAlias = Any

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class FittedProjection:
    """A fitted estimator with the standardization of the rows it was fitted to.

    Attributes
    ----------
    estimator : estimator
    mean, scale : ndarray of shape (n_features,)
    """

    estimator: Any
    mean: FloatArray
    scale: FloatArray

    def transform(self, X: FloatArray) -> FloatArray:
        """Coordinates of any rows, shape (n_samples, n_components)."""
        projected: FloatArray = self.estimator.transform((X - self.mean) / self.scale)
        return projected

    @property
    def components(self) -> FloatArray:
        """Orthonormal rows in the standardized features, shape (n_components, n_features).

        Raises
        ------
        ValueError
            If the estimator is not a linear map.
        """
        if not hasattr(self.estimator, "components_"):
            raise UserError(
                f"{type(self.estimator).__name__} gives a curved picture, which has no plane and "
                "no loadings to compare. Choose a linear method."
            )
        return orthonormalize(self.estimator.components_)


def make_estimator(
    method: MethodLike, parameters: Mapping[str, Any] | None, random_state: int
) -> Any:
    """The estimator that a key stands for, or a copy of the estimator that was given.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an estimator.
    parameters : mapping or None
        What to set. A key takes what its method knows and leaves the rest; an
        estimator must know all of it.
    random_state : int
        Seed of an estimator that takes one and was given none: every refit
        has to be the same function of its rows.

    Raises
    ------
    ValueError
        If there is no method of this key, or the estimator does not know a parameter.
    """
    given = dict(parameters or {})
    if isinstance(method, str):
        check_choice("method", method, tuple(METHODS))
        estimator = METHODS[method].estimator({"n_components": 2, **given})
    else:
        estimator = clone(method).set_params(**given)
    if estimator.get_params().get("random_state", random_state) is None:
        estimator.set_params(random_state=random_state)
    return estimator


def fit_projection(
    estimator: Any, X: FloatArray, y: IntArray, *, standardize: bool
) -> FittedProjection:
    """A copy of the estimator fitted to these rows and no others.

    Parameters
    ----------
    estimator : estimator
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    standardize : bool
        Whether to bring every feature to mean 0 and standard deviation 1, by
        these rows; a feature that is constant in them stays as it is.
    """
    n_features = X.shape[1]
    mean, scale = np.zeros(n_features), np.ones(n_features)
    if standardize:
        mean, scale = X.mean(axis=0), X.std(axis=0)
        is_constant = np.ptp(X, axis=0) == 0
        scale = np.where(is_constant, 1.0, scale)
    return FittedProjection(clone(estimator).fit((X - mean) / scale, y), mean, scale)


def map_in_order(
    function: Callable[[Item], Answer], items: Iterable[Item], n_jobs: int | None
) -> Iterator[Answer]:
    """The function of every item, in the order of the items, as they are asked for.

    At most a block of `n_jobs` items is computed ahead, each in one thread, so
    whoever stops asking stops the work, and what comes does not depend on `n_jobs`.
    """
    n_workers = effective_n_jobs(n_jobs)
    controller = ThreadpoolController()
    remaining = iter(items)
    while block := list(islice(remaining, n_workers)):
        with controller.limit(limits=1):
            answers = _block_answers(function, block, n_workers)
        yield from answers


def _block_answers(
    function: Callable[[Item], Answer], block: list[Item], n_workers: int
) -> list[Answer]:
    if n_workers == 1:
        return [function(item) for item in block]
    with parallel_config(backend="loky", inner_max_num_threads=1):
        answers: list[Answer] = Parallel(n_jobs=n_workers)(delayed(function)(i) for i in block)
    return answers
