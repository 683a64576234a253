"""Cells: the rows of one class that share one value of a nuisance, such as the batch.

A nuisance is compared within each class: where it is unbalanced between the classes, its
values differ even if they have no effect. A class whose rows share one value says nothing
about the nuisance, and where that holds for every class, nothing can tell the two apart.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import WeightedRows
from melm_core.density.class_densities import ClassDensities
from melm_core.density.covariances import DEFAULT_SHRINKAGE, Shrinkage
from melm_core.density.kernel_density import kernel_classes

# Cells that a message names; it counts the others.
_MOST_NAMED = 3


class SmallCellsWarning(UserWarning):
    """Some cells have too few rows for a density and were left out."""


@dataclass(frozen=True, eq=False)
class NuisanceCells:
    """The cells that have rows enough for a density, of classes with two or more of them.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        Cell of each row, -1 for rows in none of them.
    class_codes : ndarray of shape (n_cells,)
        Class of each cell; ascending.
    nuisance_codes : ndarray of shape (n_cells,)
        Value of the nuisance in each cell.
    small : tuple of (int, int, int)
        Class, value and rows of each cell that was left out because it has too few.
    """

    codes: IntArray
    class_codes: IntArray
    nuisance_codes: IntArray
    small: tuple[tuple[int, int, int], ...]

    @property
    def is_confounded(self) -> bool:
        """True if no class has two cells, so that class and nuisance cannot be separated."""
        return len(self.class_codes) == 0

    def cells_of(self, code: int) -> IntArray:
        """Return the cells of a class."""
        return np.flatnonzero(self.class_codes == code)


def nuisance_cells(
    y: IntArray, nuisance: IntArray, *, n_components: int, weights: FloatArray | None = None
) -> NuisanceCells:
    """Form the cells of class codes and codes of a nuisance.

    Parameters
    ----------
    y, nuisance : ndarray of shape (n_samples,)
        Codes from 0.
    n_components : int
        Dimension of the plane; a cell needs two rows more.
    weights : ndarray of shape (n_samples,) or None
        A row of weight 2 counts as two rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import nuisance_cells
    >>> y, batch = np.repeat([0, 1], 8), np.tile([0, 1], 8)
    >>> cells = nuisance_cells(y, batch, n_components=2)
    >>> cells.class_codes, cells.nuisance_codes
    (array([0, 0, 1, 1]), array([0, 1, 0, 1]))
    """
    counts = _table(y, nuisance)
    if weights is not None:
        counts = np.maximum(counts, _table(y, nuisance, weights))
    is_large = counts >= n_components + 2
    small = tuple(
        (int(code), int(value), int(counts[code, value]))
        for code, value in np.argwhere((counts > 0) & ~is_large)
    )
    is_large &= is_large.sum(axis=1, keepdims=True) >= 2
    number = np.where(is_large, np.cumsum(is_large).reshape(is_large.shape) - 1, -1)
    class_codes, nuisance_codes = np.nonzero(is_large)
    return NuisanceCells(number[y, nuisance], class_codes, nuisance_codes, small)


def _table(y: IntArray, nuisance: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Return rows, or their weights, by class and value of the nuisance."""
    n_values = int(nuisance.max()) + 1
    n_classes = int(y.max()) + 1
    sums = np.bincount(y * n_values + nuisance, weights, minlength=n_classes * n_values)
    return sums.reshape(n_classes, n_values).astype(np.float64)


def checked_cells(
    data: WeightedRows,
    classes: npt.NDArray[Any],
    names: npt.NDArray[Any],
    *,
    n_components: int,
) -> NuisanceCells:
    """Return the cells of a fit; warn of those that have too few rows.

    Parameters
    ----------
    data : WeightedRows
        With a nuisance.
    classes : ndarray of shape (n_classes,)
        Labels, by code.
    names : ndarray of shape (n_samples,)
        The value of the nuisance in each row.
    n_components : int

    Raises
    ------
    ValueError
        If no class has two cells.

    Warns
    -----
    SmallCellsWarning
        If cells were left out.
    """
    nuisance = np.zeros(len(data.y), dtype=np.int64) if data.nuisance is None else data.nuisance
    values, first = np.unique(nuisance, return_index=True)
    named = dict(zip(values.tolist(), names[first].tolist(), strict=True))
    cells = nuisance_cells(data.y, nuisance, n_components=n_components, weights=data.weights)
    left_out = small_cells_in_words(cells, classes.tolist(), named, n_components)
    if cells.is_confounded:
        why = confounded_in_words(cells, len(values), n_components)
        raise UserError(f"{why} {left_out}".strip())
    if left_out:
        warnings.warn(left_out, SmallCellsWarning, stacklevel=3)
    return cells


def confounded_in_words(
    cells: NuisanceCells, n_values: int, n_components: int, name: str = "nuisance"
) -> str:
    """Explain why a plane cannot be blind to a nuisance of which no class has two cells.

    Parameters
    ----------
    cells : NuisanceCells
    n_values : int
        Of the nuisance, in all rows.
    n_components : int
    name : str
        What the nuisance is called.
    """
    if n_values < 2:
        return (
            f"All rows have the same {name}, so there is nothing to be blind to; "
            f"leave the {name} out."
        )
    if cells.small:
        return (
            f"No class has {n_components + 2} rows or more of one {name} and as many of another, "
            f"which their densities need, so nothing can tell the classes from the {name}. Add "
            "rows, or merge values."
        )
    return (
        f"Every class has rows of one {name} only, so nothing can tell the classes from the "
        f"{name}: what separates the classes may be the {name}. Add rows of at least one class "
        f"from a second {name}."
    )


def small_cells_in_words(
    cells: NuisanceCells, classes: Sequence[Any], values: Mapping[int, Any], n_components: int
) -> str:
    """Name the cells that have too few rows; empty if none has.

    Parameters
    ----------
    cells : NuisanceCells
    classes : sequence
        Names, by code.
    values : mapping
        Names of the values of the nuisance, by code.
    n_components : int
    """
    if not cells.small:
        return ""
    named = ", ".join(
        f"{count} of {classes[code]!r} in {values[value]!r}"
        for code, value, count in cells.small[:_MOST_NAMED]
    )
    n_others = len(cells.small) - _MOST_NAMED
    others = f" and {n_others} more" if n_others > 0 else ""
    return (
        f"A density needs at least {n_components + 2} rows of a class from one value of the "
        f"nuisance; left out there: {named}{others}."
    )


def kernel_cells(
    X: FloatArray,
    cells: NuisanceCells,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
    weights: FloatArray | None = None,
) -> tuple[ClassDensities, ...]:
    """Estimate the kernels of the cells like those of classes, one `ClassDensities` a class.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    cells : NuisanceCells
        At least two.
    n_components, gamma, shrinkage, weights
        As for `kernel_classes`.

    Returns
    -------
    tuple of ClassDensities
        Of the classes that have cells, in the order of their codes; what they call
        classes are the cells.
    """
    used = cells.codes >= 0
    of_rows = None if weights is None else weights[used]
    all_cells = kernel_classes(
        X[used],
        cells.codes[used],
        n_components=n_components,
        gamma=gamma,
        shrinkage=shrinkage,
        weights=of_rows,
    )
    return tuple(_part(all_cells, cells.cells_of(code)) for code in np.unique(cells.class_codes))


def _part(classes: ClassDensities, codes: IntArray) -> ClassDensities:
    weights = classes.weights
    return ClassDensities(
        tuple(classes.rows[i] for i in codes),
        classes.covariances[codes],
        classes.basis,
        None if weights is None else tuple(weights[i] for i in codes),
    )


@dataclass(frozen=True)
class NuisanceAccuracy:
    """Accuracy of predicting a nuisance from the position in a plane, within the classes.

    Attributes
    ----------
    accuracy : float
        Balanced over the values within a class, then averaged over the classes.
    chance : float
        The same of guessing.
    n_rows : int
        How many rows were classified.
    standard_error : float
        Of the accuracy, from the numbers of rows of the cells.
    """

    accuracy: float
    chance: float
    n_rows: int
    standard_error: float


def nuisance_accuracy(
    points: FloatArray,
    y: IntArray,
    nuisance: IntArray,
    cells: NuisanceCells,
    kernels: tuple[ClassDensities, ...],
    *,
    leave_out: bool = False,
) -> NuisanceAccuracy | None:
    """Compute the accuracy of predicting a nuisance by the densities of the cells.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
        Rows in the plane, those of the cells or held-out ones.
    y, nuisance : ndarray of shape (n_points,)
        Their class codes and codes of the nuisance.
    cells : NuisanceCells
        Of the rows that the kernels are of.
    kernels : tuple of ClassDensities
        See `kernel_cells`, projected into the plane.
    leave_out : bool, default=False
        Whether the points are rows of the cells, each of which is left out of its own density.

    Returns
    -------
    NuisanceAccuracy or None
        None if none of the rows lies in a cell.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import kernel_cells, nuisance_accuracy, nuisance_cells
    >>> X = np.random.default_rng(0).standard_normal((80, 2))
    >>> y, batch = np.repeat([0, 1], 40), np.tile([0, 1], 40)
    >>> X[:, 0] += 6.0 * batch
    >>> cells = nuisance_cells(y, batch, n_components=2)
    >>> told = nuisance_accuracy(X, y, batch, cells, kernel_cells(X, cells, n_components=2))
    >>> told.accuracy, told.chance
    (1.0, 0.5)
    """
    accuracies, chances, variances, n_rows = [], [], [], 0
    for code, cell_densities in zip(np.unique(cells.class_codes), kernels, strict=True):
        values = cells.nuisance_codes[cells.cells_of(code)]
        scored = (y == code) & np.isin(nuisance, values)
        truth = np.searchsorted(values, nuisance[scored])
        if not len(truth):
            continue
        is_right = cell_densities.most_likely(points[scored], truth if leave_out else None) == truth
        counts = np.bincount(truth, minlength=len(values))
        present = counts > 0
        recalls = np.bincount(truth, is_right, minlength=len(values))[present] / counts[present]
        accuracies.append(recalls.mean())
        chances.append(1.0 / len(values))
        variances.append(np.mean(recalls * (1.0 - recalls) / counts[present]) / present.sum())
        n_rows += len(truth)
    if not accuracies:
        return None
    return NuisanceAccuracy(
        accuracy=float(np.mean(accuracies)),
        chance=float(np.mean(chances)),
        n_rows=n_rows,
        standard_error=float(np.sqrt(np.mean(variances) / len(variances))),
    )
