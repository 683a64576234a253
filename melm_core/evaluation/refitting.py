"""Repeated fits of a preparation and a method: to folds, permuted labels and resampled rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import islice
from typing import Any, Protocol, Self, TypeAlias, TypeVar, cast, runtime_checkable

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice
from melm_core.base.row_blocks import BlockSource, added, class_rows, reduce_rows
from melm_core.base.thread_pools import one_thread_each
from melm_core.density.nuisance import SmallCellsWarning, nuisance_cells
from melm_core.folds.folds import CodedRows
from melm_core.linalg.class_moments import Moments
from melm_core.linalg.planes import orthonormalize
from melm_core.methods.registry import METHODS

# A key of METHODS, or an unfitted estimator with fit(X, y) and transform(X).
MethodLike: TypeAlias = Any

Item = TypeVar("Item")
Result = TypeVar("Result")


class FittedPreparation(Protocol):
    """A preparation with what it learned from the rows that it was fitted to."""

    def apply(self, X: FloatArray, /) -> FloatArray:
        """The features of any rows, shape (n_samples, n_features)."""


class Preparation(Protocol):
    """Preparation of features, learned from some rows and applied to others."""

    def fit(self, X: FloatArray, /) -> FittedPreparation:
        """Learn from the rows that a method is fitted to."""


@runtime_checkable
class ChosenPreparation(Protocol):
    """A preparation that is chosen by the labels of the training rows, in each refit anew."""

    def chosen(self, X: FloatArray, y: IntArray, groups: IntArray | None) -> Preparation:
        """The preparation for these training rows."""


@dataclass(frozen=True, eq=False)
class Standardization:
    """The mean and standard deviation of the rows that it was fitted to.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_features,)
        Constant features have scale 1: they are only centered.
    """

    mean: FloatArray
    scale: FloatArray

    @classmethod
    def fit(cls, X: FloatArray, /) -> Standardization:
        """Mean and standard deviation of each feature."""
        is_constant = np.ptp(X, axis=0) == 0
        return cls(X.mean(axis=0), np.where(is_constant, 1.0, X.std(axis=0)))

    @classmethod
    def of_blocks(cls, table: BlockSource) -> Standardization:
        """The same of rows that need not be in memory."""
        moments = reduce(added, reduce_rows(Moments.of, added, class_rows(table)))
        deviations = np.sqrt(np.diag(moments.products) / moments.count)
        return cls(moments.mean, np.where(deviations == 0.0, 1.0, deviations))

    def apply(self, X: FloatArray, /) -> FloatArray:
        """The features in standard deviations from the mean."""
        standardized: FloatArray = (X - self.mean) / self.scale
        return standardized


class Unchanged:
    """No preparation: for features that are in one unit, or that a pipeline prepares itself.

    Notes
    -----
    Methods that look at variances, such as PCA, then see the features of the largest ones: of
    spectra those that matter, of columns in several units those with the smallest unit.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import Unchanged
    >>> Unchanged().fit(np.ones((2, 1))).apply(np.array([[3.0]]))
    array([[3.]])
    """

    def fit(self, _: FloatArray, /) -> Unchanged:
        """Learn nothing."""
        return self

    def apply(self, X: FloatArray, /) -> FloatArray:
        """The features as they are."""
        return X


@dataclass(frozen=True, eq=False)
class FittedProjection:
    """A fitted estimator, with the preparation of its training rows.

    Attributes
    ----------
    estimator : estimator
    preparation : FittedPreparation

    Notes
    -----
    Coordinates of the rows of the fit lie closer together than those of new rows of the same class:
    no share, region or distance should be read from them; see `Refits.places`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> from melm_core.evaluation import FittedProjection, Unchanged
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> plane = FittedProjection(PCA(1).fit(X), Unchanged())
    >>> plane.components.round(1).tolist()
    [[0.6, 0.8]]
    """

    estimator: Any
    preparation: FittedPreparation

    @classmethod
    def of_plane(cls, components: FloatArray, preparation: FittedPreparation) -> Self:
        """A plane that was found elsewhere.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
            Linearly independent rows in the prepared features; those that are orthonormal are kept
            to the last digit.
        preparation : FittedPreparation

        Examples
        --------
        >>> import numpy as np
        >>> from melm_core.evaluation import FittedProjection, Unchanged
        >>> axes = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
        >>> plane = FittedProjection.of_plane(axes, Unchanged())
        >>> plane.transform(np.array([[1.0, 2.0, 3.0]])).round(3).tolist()
        [[1.0, 3.0]]
        """
        plane = _Plane(components)
        return cls(plane if is_plane(plane) else _Plane(orthonormalize(components)), preparation)

    def transform(self, X: FloatArray) -> FloatArray:
        """Coordinates of any rows before preparation, shape (n_samples, n_components).

        Not finite where the projection gives a row no place, see `is_placed`.
        """
        prepared = self.preparation.apply(X)
        if is_plane(self.estimator):
            return prepared @ self.components.T
        return dense_rows(self.estimator.transform(prepared))

    def predict(self, X: FloatArray) -> npt.NDArray[Any]:
        """Return what a classifier or a regressor says of rows before preparation, (n_samples,)."""
        return np.asarray(self.estimator.predict(self.preparation.apply(X)))

    @cached_property
    def components(self) -> FloatArray:
        """Orthonormal rows in the prepared features, shape (n_components, n_features).

        Raises
        ------
        ValueError
            If the estimator is nonlinear.
        """
        if not hasattr(self.estimator, "components_"):
            raise UserError(
                f"{type(self.estimator).__name__} is nonlinear, so it has no plane and no loadings "
                "to compare. Choose a linear method."
            )
        return orthonormalize(self.estimator.components_)


@dataclass(frozen=True, eq=False)
class _Plane:
    """A plane that is known by its components."""

    components_: FloatArray


def feature_groups(fitted: FittedPreparation, n_columns: int) -> IntArray:
    """The feature that each prepared column belongs to, from 0, shape (n_columns,).

    Columns are features of their own, unless the preparation bends features.
    """
    groups: IntArray = getattr(fitted, "groups", np.arange(n_columns))
    return groups


def make_estimator(
    method: MethodLike, parameters: Mapping[str, Any] | None, random_state: int
) -> Any:
    """The estimator of a method key, or a clone of a given estimator.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an estimator.
    parameters : mapping or None
        Parameters to set. With a key, parameters that the method does not have
        are ignored; an estimator must accept all of them.
    random_state : int
        Seed of an estimator, or of steps of a pipeline, whose `random_state` is None, so that every
        refit is a deterministic function of its rows.

    Raises
    ------
    ValueError
        If the key or a parameter of the estimator is unknown.
    """
    values = dict(parameters or {})
    if isinstance(method, str):
        check_choice("method", method, tuple(METHODS))
        estimator = METHODS[method].estimator({"n_components": 2, **values})
    else:
        estimator = clone(method).set_params(**values)
    names = (name for name, value in estimator.get_params().items() if value is None)
    unset = {name: random_state for name in names if name.split("__")[-1] == "random_state"}
    return estimator.set_params(**unset)


def fit_projection(estimator: Any, rows: CodedRows, preparation: Preparation) -> FittedProjection:
    """Fit a preparation, and a copy of the estimator, to the given rows.

    Parameters
    ----------
    estimator : estimator
        Unfitted. Groups and nuisance of the rows are passed to one whose fit takes them; a nuisance
        not where no class has two values of it.
    rows : CodedRows
        Before preparation.
    preparation : Preparation
        One that is a `ChosenPreparation` is chosen by these rows.
    """
    X, y, groups, nuisance = rows.X, rows.y, rows.groups, rows.nuisance
    if isinstance(preparation, ChosenPreparation):
        preparation = preparation.chosen(X, y, groups)
    fitted = preparation.fit(X)
    keywords = {"groups": groups} if fit_takes(estimator, "groups") else {}
    if nuisance is not None and fit_takes(estimator, "nuisance"):
        n_components = estimator.get_params()["n_components"]
        cells = nuisance_cells(y, nuisance, n_components=n_components)
        keywords |= {"nuisance": None if cells.is_confounded else nuisance}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallCellsWarning)  # given for all rows
        # Of an unfitted estimator a copy is a clone, made in a seventh of the time.
        return _as_plane(deepcopy(estimator).fit(fitted.apply(X), y, **keywords), fitted)


@dataclass(frozen=True)
class FailedFit:
    """A part of the rows, such as all but a fold, to which nothing could be fitted.

    Attributes
    ----------
    number : int
        From 1.
    reason : str
    name : str
        Of such parts.
    """

    number: int
    reason: str
    name: str = "Fold"

    @property
    def sentence(self) -> str:
        """Name the missing one, and say why."""
        return f"{self.name} {self.number} could not be fitted and is left out: {self.reason}"


def fit_or_failure(
    fit: Callable[[Item], Result], name: str, numbered: tuple[int, Item]
) -> Result | FailedFit:
    """Return the fit to a numbered part of the rows, or why there is none."""
    number, part = numbered
    try:
        return fit(part)
    except ValueError as error:
        return FailedFit(number, str(error), name)


def fit_takes(estimator: Any, name: str) -> bool:
    """Return whether an estimator is fitted with an argument of that name."""
    return _fits_take(cast("Hashable", type(estimator)), name)


@cache
def _fits_take(kind: Hashable, name: str) -> bool:
    """Looking it up takes as long as a small fit."""
    return bool(has_fit_parameter(kind, name))


class Chained:
    """A preparation and what is done with its features, as one preparation."""

    def __init__(self, first: FittedPreparation, then: Callable[[FloatArray], Any]) -> None:
        self._first, self._then = first, then

    def apply(self, X: FloatArray, /) -> FloatArray:
        """The features of any rows, shape (n_samples, n_features)."""
        return np.asarray(self._then(self._first.apply(X)), dtype=np.float64)


def _as_plane(estimator: Any, preparation: FittedPreparation) -> FittedProjection:
    """A pipeline that ends in a plane as that plane, with the other steps as its preparation."""
    if isinstance(estimator, Pipeline) and len(estimator) > 1 and is_plane(estimator[-1]):
        return FittedProjection(estimator[-1], Chained(preparation, estimator[:-1].transform))
    return FittedProjection(estimator, preparation)


def is_plane(estimator: Any) -> bool:
    """Return whether a fitted estimator has orthonormal directions."""
    components = getattr(estimator, "components_", None)
    if components is None or np.ndim(components) != 2:
        return False
    return bool(np.abs(components @ components.T - np.eye(len(components))).max() <= 1e-6)


def dense_rows(coordinates: Any) -> FloatArray:
    """Return the output of a transformer as an array, of shape (n_rows, n_components)."""
    dense = coordinates.toarray() if issparse(coordinates) else coordinates
    rows = np.asarray(dense, dtype=np.float64)
    return rows.reshape(len(rows), -1)


def is_placed(points: FloatArray) -> npt.NDArray[np.bool_]:
    """Return whether each row has a place: UMAP, say, gives nan to rows far from all others."""
    return np.asarray(np.isfinite(points).all(axis=1))


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None
) -> Iterator[Result]:
    """Apply a function to every item in parallel, and yield the results lazily in order.

    Items are processed in blocks of `n_jobs`, each in one thread, so that
    ending the iteration ends the work, and results do not depend on `n_jobs`.
    """
    n_workers = effective_n_jobs(n_jobs)
    remaining = iter(items)
    while block := list(islice(remaining, n_workers)):
        with one_thread_each():
            results = _block_results(function, block, n_workers)
        yield from results


def _block_results(
    function: Callable[[Item], Result], block: list[Item], n_workers: int
) -> list[Result]:
    if n_workers == 1:
        return [function(item) for item in block]
    with parallel_config(backend="loky", inner_max_num_threads=1):
        results: list[Result] = Parallel(n_jobs=n_workers)(delayed(function)(i) for i in block)
    return results
