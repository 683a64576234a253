"""Rows that the model of each class accepts, by models that never saw them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import units_of_classes
from melm_core.base.errors import UserError
from melm_core.evaluation.class_model import ClassModel
from melm_core.evaluation.refitting import Preparation, Standardization
from melm_core.folds.folds import Fold, stratified_folds

_N_FOLDS = 10
_NONE = (
    "A class model that is judged by rows it never saw needs {least} rows or groups of a class; "
    "the largest class has {n}. Add rows."
)


@dataclass(frozen=True, eq=False)
class ClassAcceptance:
    """Distances of rows from the model of each class that was fitted without them.

    Attributes
    ----------
    y : ndarray of int of shape (n_rows,)
        Class codes.
    parts : ndarray of shape (n_rows, n_classes, 2)
        See `ClassModel.distances`; nan of rows that no fold has judged, and of classes without a
        model.
    n_done, n_folds : int

    Notes
    -----
    Of the rows of its own class a model is to accept 1 - alpha, of n rows within about the square
    root of alpha (1 - alpha) / n. How many others it accepts depends on which classes the table
    has: a kind of rows that it lacks may be accepted by all models.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import ClassAcceptance
    >>> found = ClassAcceptance.of(*load_iris(return_X_y=True))
    >>> found.counts(found.accepted)[0].tolist()  # by models of setosa
    [48, 0, 0]
    """

    y: IntArray
    parts: FloatArray
    n_done: int
    n_folds: int

    @classmethod
    def of(
        cls,
        X: FloatArray,
        y: IntArray,
        groups: IntArray | None = None,
        *,
        preparation: Preparation | None = None,
        scale: bool = True,
        alpha: float = 0.05,
        random_state: int = 0,
        callback: Callable[[Self], object] | None = None,
    ) -> Self:
        """Judge every row by models of the classes that were fitted without it and its group.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        y : ndarray of int of shape (n_rows,)
            Class codes 0 .. n_classes-1; one class is enough.
        groups : ndarray of shape (n_rows,) or None, default=None
            Groups of rows that depend on each other.
        preparation : Preparation or None, default=None
            Fitted to the training rows of each fold; by default features are standardized.
        scale, alpha, random_state
            See `ClassModel`.
        callback : callable, optional
            Given what is known after every fold.

        Raises
        ------
        ValueError
            If no class has enough rows.
        """
        modeled = cls.modeled(y, groups)
        prepares: Preparation = Standardization if preparation is None else preparation
        folds = _folds(y, groups, modeled, random_state)
        parts = np.full((len(y), int(y.max()) + 1, 2), np.nan)
        acceptance = cls(y, parts, 0, len(folds))
        for number, fold in enumerate(folds, 1):
            prepared = prepares.fit(X[fold.train])
            test = prepared.apply(X[fold.test])
            for code in modeled:
                members = fold.train[y[fold.train] == code]
                model = ClassModel(alpha, scale=scale, random_state=random_state)
                own_groups = None if groups is None else groups[members]
                try:
                    model.fit(prepared.apply(X[members]), groups=own_groups)
                except UserError:  # equal rows, or too few groups: this class is not judged
                    continue
                parts[fold.test, code] = model.distances(test)
            acceptance = replace(acceptance, n_done=number)
            if callback is not None:
                callback(acceptance)
        return acceptance

    @staticmethod
    def modeled(y: IntArray, groups: IntArray | None = None) -> IntArray:
        """The codes of the classes with enough rows, or groups, for models that never saw some.

        Raises
        ------
        ValueError
            If there are none.
        """
        n_units = units_of_classes(y, groups)
        modeled = np.flatnonzero(n_units > ClassModel.FEWEST_ROWS)
        if not len(modeled):
            raise UserError(_NONE.format(least=ClassModel.FEWEST_ROWS + 1, n=n_units.max()))
        return modeled

    @property
    def is_judged(self) -> npt.NDArray[np.bool_]:
        """True where a model of each class has judged a row, shape (n_rows, n_classes)."""
        return np.isfinite(self.parts[:, :, 0])

    @property
    def accepted(self) -> npt.NDArray[np.bool_]:
        """True where the model of each class accepts a row, shape (n_rows, n_classes)."""
        accepted: npt.NDArray[np.bool_] = self.parts.sum(axis=2) <= 1.0
        return accepted

    def counts(self, of: npt.NDArray[np.bool_]) -> IntArray:
        """Rows of each class (second) that something is true of with each model (first)."""
        is_of = self.y[:, None] == np.arange(of.shape[1])
        counts: IntArray = of.T.astype(np.int64) @ is_of.astype(np.int64)
        return counts


def _folds(
    y: IntArray, groups: IntArray | None, modeled: IntArray, random_state: int
) -> tuple[Fold, ...]:
    """Folds of the classes that have a model; rows of the others are judged by the first."""
    rows = np.flatnonzero(np.isin(y, modeled))
    others = np.setdiff1d(np.arange(len(y)), rows)
    own_groups = None if groups is None else groups[rows]
    codes = np.searchsorted(modeled, y[rows])
    folds = [
        Fold(rows[fold.train], rows[fold.test])
        for fold in stratified_folds(codes, _N_FOLDS, random_state, own_groups)
    ]
    folds[0] = Fold(folds[0].train, np.concatenate([folds[0].test, others]))
    return tuple(folds)
