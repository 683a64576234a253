"""Cost of blindness to a nuisance: both divergences and accuracies by its weight."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes, nuisance_codes
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    WeightedRows,
    check_class_sizes,
    check_integer,
    check_not_negative,
)
from melm_core.density.class_densities import ClassDensities
from melm_core.density.kernel_density import kernel_classes
from melm_core.density.nuisance import (
    NuisanceCells,
    SmallCellsWarning,
    checked_cells,
    kernel_cells,
    nuisance_accuracy,
    nuisance_cells,
)
from melm_core.linalg.class_moments import rows_by_class
from melm_core.melm.choosing import distinct_planes
from melm_core.melm.class_overlap import held_out_divergence
from melm_core.melm.estimator import MELM
from melm_core.melm.multiclass import NUISANCE_AGGREGATE

DEFAULT_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

# The values of a fold, in the order in which `_Judge` returns them.
_MEASURED = (
    "divergences",
    "nuisance_divergences",
    "held_out_divergences",
    "held_out_nuisance_divergences",
    "accuracies",
    "nuisance_accuracies",
    "held_out_accuracies",
    "held_out_nuisance_accuracies",
)

CHOSEN_BY_EYE = (
    "The rows are held out of each plane, but not of the choice of a weight from this curve: held "
    "out, but chosen by eye. The accuracy at the chosen weight is higher than that on new rows."
)

# Most distinct planes of one weight from which the search at the next one begins.
_PLANES_FOLLOWED = 3


@dataclass(frozen=True, eq=False)
class TradeOff:
    """Separation of the classes and of a nuisance by the weight of the nuisance.

    Every value is a mean over the folds; within a fold the plane is fitted to the training
    rows, whose densities classify.

    Attributes
    ----------
    weights : ndarray of shape (n_weights,)
        Ascending.
    divergences, nuisance_divergences : ndarray of shape (n_weights,)
        Of the training rows, in nats.
    held_out_divergences, held_out_nuisance_divergences : ndarray of shape (n_weights,)
        Between the densities of training and held-out rows, see `held_out_divergence`; not
        bounded below by 0.
    accuracies, nuisance_accuracies : ndarray of shape (n_weights,)
        Balanced accuracy of the classes, and of the values of the nuisance within the
        classes, at the training rows.
    held_out_accuracies, held_out_nuisance_accuracies : ndarray of shape (n_weights,)
        The same at the held-out rows.
    chance, nuisance_chance : float
        The accuracies of guessing.
    n_groups : int or None
        Number of groups that stayed in one fold; None without groups.
    caveat : str
        What a weight that is chosen from the curve does not promise.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.datasets import batches
    >>> from melm_core.melm import trade_off
    >>> X, y, batch = batches(0, n_rows=300)
    >>> curve = trade_off(X, y, batch, [0.0, 4.0], n_folds=2, n_init=2, random_state=0)
    >>> lost, gained = -np.diff(curve.divergences), -np.diff(curve.nuisance_divergences)
    >>> bool(0 < lost[0]), bool(0 < gained[0])
    (True, True)
    """

    weights: FloatArray
    divergences: FloatArray
    nuisance_divergences: FloatArray
    held_out_divergences: FloatArray
    held_out_nuisance_divergences: FloatArray
    accuracies: FloatArray
    nuisance_accuracies: FloatArray
    held_out_accuracies: FloatArray
    held_out_nuisance_accuracies: FloatArray
    chance: float
    nuisance_chance: float
    n_groups: int | None
    caveat: str = CHOSEN_BY_EYE


def trade_off(
    X: Any,
    y: Any,
    nuisance: Any,
    weights: Sequence[float] = DEFAULT_WEIGHTS,
    *,
    groups: Any = None,
    n_folds: int = 5,
    random_state: int = 0,
    **parameters: Any,
) -> TradeOff:
    """Fit `MELM` with several weights of a nuisance, and judge the planes on held-out rows.

    In each fold the smallest weight is searched for anew; each larger one begins at the
    distinct planes of the weight before, so a curve takes little more time than one fit.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y, nuisance : array-like of shape (n_samples,)
        Labels, and the value of the nuisance of each row.
    weights : sequence of float, at least one
        In any order.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of rows that depend on each other, such as the rows of a patient. They stay in
        one fold.
    n_folds : int, default=5
        Stratified by class and value of the nuisance together; fewer where one of these has
        fewer rows, or groups.
    random_state : int, default=0
        Of the folds and the search.
    **parameters
        Parameters of `MELM`, except nuisance_weight.

    Returns
    -------
    TradeOff

    Raises
    ------
    ValueError
        If weights is empty or one is below 0, or no class has two values of the nuisance
        with rows enough, or groups has a missing value or holds all rows of a class with a value
        of the nuisance in one group.

    Examples
    --------
    >>> from melm_core.datasets import batches
    >>> from melm_core.melm import trade_off
    >>> curve = trade_off(*batches(0, n_rows=300), [1.0], n_folds=2, n_init=2)
    >>> curve.nuisance_chance
    0.333...
    """
    ordered = sorted(weights)
    if not ordered:
        raise UserError("weights is empty; use at least one weight of 0 or more.")
    for weight in ordered:
        check_not_negative("weights", weight)
    check_integer("n_folds", n_folds, minimum=2)
    X, y = check_X_y(X, y, dtype=np.float64)
    labels, codes = np.unique(y, return_inverse=True)
    check_class_sizes(labels, codes)
    values = nuisance_codes(nuisance, len(y))
    data = WeightedRows(X, codes.astype(np.int64), None, np.ones(len(y), bool), values)
    melm = MELM(**parameters, random_state=random_state)
    cells = checked_cells(data, labels, np.asarray(nuisance), n_components=melm.n_components)
    strata = np.where(cells.codes < 0, -1 - data.y, cells.codes)
    kept_together = None if groups is None else group_codes(groups, len(y))
    folds = [
        _fold_values(melm, data.part(train), data.part(test), ordered)
        for train, test in _folds(strata, kept_together, n_folds, random_state)
    ]
    means = np.nanmean(np.array(folds), axis=0).T  # (n_values, n_weights)
    sizes = np.unique(cells.class_codes, return_counts=True)[1]
    return TradeOff(
        weights=np.array(ordered),
        **dict(zip(_MEASURED, means, strict=True)),
        chance=1.0 / len(labels),
        nuisance_chance=float(np.mean(1.0 / sizes)),
        n_groups=None if kept_together is None else int(kept_together.max()) + 1,
    )


def _folds(
    strata: IntArray, groups: IntArray | None, n_folds: int, random_state: int
) -> list[tuple[IntArray, IntArray]]:
    """Training and held-out rows of each fold; no group has rows in both."""
    units = np.arange(len(strata)) if groups is None else groups
    pairs = np.unique(np.stack([strata, units]), axis=1)
    fewest = int(np.unique(pairs[0], return_counts=True)[1].min())
    if groups is not None and fewest < 2:
        raise UserError(
            "groups has all rows of a class with one value of the nuisance in one group; at least "
            "two are needed to hold one out. Leave these rows out, or give smaller groups."
        )
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(max(min(n_folds, fewest), 2), shuffle=True, random_state=random_state)
    return list(splitter.split(strata, strata, groups))


def _fold_values(
    melm: MELM, train: WeightedRows, test: WeightedRows, weights: Sequence[float]
) -> list[list[float]]:
    """Compute the values of `TradeOff` at each weight."""
    judge = _Judge.of(melm, train, test)
    values: list[list[float]] = []
    parameters: dict[str, Any] = melm.get_params()
    warm: dict[str, Any] = {}
    for weight in weights:
        fit = MELM(**parameters | {"nuisance_weight": weight}).set_search(**warm)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallCellsWarning)  # given for all rows
            fit.fit(train.X, train.y, nuisance=train.nuisance)
        values.append(judge.values(fit))
        planes = distinct_planes(fit)[:_PLANES_FOLLOWED]
        warm = {"init": planes}
    return values


@dataclass(frozen=True, eq=False)
class _Judge:
    """The kernels of the training rows of a fold, in all features, and its rows.

    Those that classify are `widening` times as wide as those of the divergence.
    """

    train: WeightedRows
    test: WeightedRows
    classes: ClassDensities
    cells: NuisanceCells
    kernels: tuple[ClassDensities, ...]
    widening: float

    @classmethod
    def of(cls, melm: MELM, train: WeightedRows, test: WeightedRows) -> _Judge:
        kernels: dict[str, Any] = {
            "n_components": melm.n_components,
            "gamma": melm.gamma,
            "shrinkage": melm.shrinkage,
        }
        cells = nuisance_cells(train.y, _nuisance(train), n_components=melm.n_components)
        return cls(
            train,
            test,
            kernel_classes(train.X, train.y, **kernels),
            cells,
            kernel_cells(train.X, cells, **kernels),
            melm.density_gamma / melm.gamma,
        )

    def values(self, fit: MELM) -> list[float]:
        plane = fit.components_
        classes = self.classes.project(plane)
        kernels = tuple(cells.project(plane) for cells in self.kernels)
        densities = classes.widened(self.widening)
        of_cells = tuple(cells.widened(self.widening) for cells in kernels)
        by_class = rows_by_class(self.test.X @ plane.T, self.test.y)
        accuracies = [
            (
                _accuracy(rows, plane, densities, leave_out=rows is self.train),
                self._nuisance_accuracy(rows, plane, of_cells),
            )
            for rows in (self.train, self.test)
        ]
        return [
            fit.divergence_,
            fit.nuisance_divergence_,
            held_out_divergence(classes, by_class, multiclass=fit.multiclass),
            self._held_out_nuisance_divergence(plane, kernels),
            *accuracies[0],
            *accuracies[1],
        ]

    def _nuisance_accuracy(
        self, rows: WeightedRows, plane: FloatArray, kernels: tuple[ClassDensities, ...]
    ) -> float:
        told = nuisance_accuracy(
            rows.X @ plane.T,
            rows.y,
            _nuisance(rows),
            self.cells,
            kernels,
            leave_out=rows is self.train,
        )
        return np.nan if told is None else told.accuracy

    def _held_out_nuisance_divergence(
        self, plane: FloatArray, kernels: tuple[ClassDensities, ...]
    ) -> float:
        """Average over the classes whose cells all have held-out rows; NaN without one."""
        points, divergences = self.test.X @ plane.T, []
        for code, cells in zip(np.unique(self.cells.class_codes), kernels, strict=True):
            values = self.cells.nuisance_codes[self.cells.cells_of(code)]
            rows = [
                points[(self.test.y == code) & (_nuisance(self.test) == value)] for value in values
            ]
            if min(map(len, rows)) > 0:
                divergences.append(held_out_divergence(cells, rows, multiclass=NUISANCE_AGGREGATE))
        return float(np.mean(divergences)) if divergences else np.nan


def _nuisance(rows: WeightedRows) -> IntArray:
    if rows.nuisance is None:
        raise ValueError("The rows have no nuisance.")
    return rows.nuisance


def _accuracy(
    rows: WeightedRows, plane: FloatArray, classes: ClassDensities, *, leave_out: bool
) -> float:
    predicted = classes.most_likely(rows.X @ plane.T, rows.y if leave_out else None)
    return float(balanced_accuracy_score(rows.y, predicted))
