"""Rows in the plane of a run: coordinates, probabilities, distances; and the plane as a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray, stratified_sample
from melm_core.density import DensityRule, SetLimits
from melm_core.diagnostics import DEFAULT_COVERAGE, PlaneDistances, in_set
from melm_core.methods import METHODS, RowLimits, SavedPlane
from melm_studio.rows.held_out_probabilities import RefittedProbabilities
from melm_studio.runs.execution.rows import RunData, embedded, rows_of, split_of
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, conversions_of

# A kernel at each of these rows: the file stays below a megabyte. Kernels of a sample have the
# widths of all rows.
MAX_KERNELS = 10_000


@dataclass(frozen=True, eq=False)
class Placement:
    """Rows placed in a plane.

    Attributes
    ----------
    coordinates : ndarray of shape (n_rows, n_components)
    predicted : ndarray of int, shape (n_rows,)
        The code of the class with the largest density.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        With equal priors, calibrated by rows that the plane was not fitted to; None where no
        such rows are known, as densities by themselves are too sure.
    n_calibrating : int
        The number of these rows; 0 without any.
    score_distances, residuals : ndarray of shape (n_rows,)
        T² in the plane and Q off it, see `PlaneDistances`.
    score_limit, residual_limit : float
        One row in a hundred like those of the table exceeds each; infinite of a nonlinear
        projection.
    sets : ndarray of bool, shape (n_rows, n_classes), or None
        Which classes each row may be of: of the rows of a class, 90 % have it in their set. None
        where no refits say so.
    """

    coordinates: FloatArray
    predicted: IntArray
    probabilities: FloatArray | None
    n_calibrating: int
    score_distances: FloatArray
    residuals: FloatArray
    score_limit: float
    residual_limit: float
    sets: npt.NDArray[np.bool_] | None = None

    def with_sets(self, p_values: FloatArray | None) -> Placement:
        """Return the placement with sets of classes by their p-values; without them if unknown."""
        sets = None if p_values is None else in_set(p_values, DEFAULT_COVERAGE)
        return replace(self, sets=sets)

    @property
    def is_unlike(self) -> npt.NDArray[np.bool_]:
        """True for each row that exceeds one of the limits."""
        flags: npt.NDArray[np.bool_] = self.excess > 1
        return flags

    @property
    def excess(self) -> FloatArray:
        """The larger ratio of a distance to its limit, shape (n_rows,)."""
        ratios = self.score_distances / self.score_limit, self.residuals / self.residual_limit
        largest: FloatArray = np.maximum(*ratios)
        return largest


class RowPlacer:
    """Places rows of the table of a run, and others, in a plane of the run.

    Parameters
    ----------
    data : LabeledData
        Of the run.
    record : RunRecord
    components : ndarray of shape (n_components, n_features)
        The plane, in the coordinates that the run's method projects.
    gamma : float
        Kernel width of the class densities.
    embedding : ndarray of shape (n_embedded, n_components), optional
        What the run kept, see `kept_embedding`.
    refits : RefittedProbabilities, optional
        Of the run, at the kernel width; None of a plane on the way to its result, which has not
        adapted itself to the rows, and where there are none. They set the limits of new rows.
    is_result : bool, default=True
        Whether the plane is that of the refits, which then give its class densities and their
        probabilities; an edited one has those of the rows as fitted.

    Attributes
    ----------
    is_held_out : ndarray of bool, shape (n_samples,)
        Which rows of the data the plane was not fitted to.
    has_distances : bool
        Whether T² and Q have a meaning: a nonlinear projection has neither, and no row is unlike
        the others by them.
    """

    def __init__(
        self,
        data: RunData,
        record: RunRecord,
        components: FloatArray,
        gamma: float,
        embedding: FloatArray | None = None,
        *,
        refits: RefittedProbabilities | None = None,
        is_result: bool = True,
    ) -> None:
        train, held_out = rows_of(data, record, embedding)
        self._groups: IntArray = train.curve_groups
        is_held_out = np.isin(data.row_numbers, held_out.row_numbers)
        self.is_held_out: npt.NDArray[np.bool_] = is_held_out
        self._record, self._components, self._embedding = record, components, embedding
        self._refits, self._is_calibrated = refits, refits is not None and is_result
        self._train, self._gamma = train, gamma
        others = train.unlabeled
        self._unlabeled: FloatArray | None = None if others is None else others.X
        self._embedded: FloatArray | None = None
        self.has_distances = METHODS[record.method].is_linear
        if not self.has_distances:
            self._embedded = np.empty((len(data.y), train.X.shape[1]))
            self._embedded[~is_held_out], self._embedded[is_held_out] = train.X, held_out.X

    @cached_property
    def _distances(self) -> PlaneDistances:
        left_out = None if self._refits is None else self._refits.left_out
        return PlaneDistances.of(self._train.X, self._components, left_out)

    @cached_property
    def _rule(self) -> DensityRule:
        if self._refits is not None and self._is_calibrated:
            return self._refits.rule_along(self._components)
        return class_rule(self._train, self._components, self._gamma)

    @property
    def is_extrapolated(self) -> bool:
        """True if few rows make the limits of new rows rest on the form of the tail."""
        left_out = self._distances.left_out
        return left_out is not None and left_out.is_extrapolated

    def rows(self, data: LabeledData, indices: IntArray) -> FloatArray:
        """Return rows of the table, by index, in the coordinates that the plane projects."""
        rows: FloatArray = (data.X if self._embedded is None else self._embedded)[indices]
        return rows

    def unlabeled_rows(self, indices: IntArray) -> FloatArray:
        """Return rows of the table without a class, by index, in the same coordinates.

        Raises
        ------
        ValueError
            If every row of the table has a class.
        """
        if self._unlabeled is None:
            raise ValueError("Every row of the table has a class.")
        rows: FloatArray = self._unlabeled[indices]
        return rows

    def new_rows(self, data: RunData, X: FloatArray) -> FloatArray:
        """Return other rows, prepared as `data` are, in the coordinates that the plane projects.

        A nonlinear method whose run kept no embedding is fitted again, which gives the same.
        """
        method, parameters = METHODS[self._record.method], self._record.parameters.values
        if method.is_linear:
            return X
        data = RunData(replace(data, unlabeled=None))  # which are not to be placed once more
        train, _ = split_of(data, self._record)
        return embedded(method, parameters, train, replace(data, X=X), self._embedding)[1].X

    @property
    def limits(self) -> RowLimits | None:
        """The limits of distances of new rows; None of a nonlinear projection."""
        if not self.has_distances:
            return None
        distances = self._distances
        score, residual = distances.score_limit(is_new=True), distances.residual_limit(is_new=True)
        return RowLimits(distances.mean, distances.precision, score, residual)

    def contributions(self, rows: FloatArray) -> FloatArray:
        """Return what each feature contributes to the T² of rows, shape (n_rows, n_features)."""
        return self._by_feature(self._distances.contributions(rows))

    def residual_contributions(self, rows: FloatArray) -> FloatArray:
        """Return what each feature contributes to the Q of rows, shape (n_rows, n_features)."""
        return self._by_feature(self._distances.residual_contributions(rows))

    def _by_feature(self, shares: FloatArray) -> FloatArray:
        """Add the share of each column to that of its feature."""
        n_features = int(self._groups.max(initial=-1)) + 1
        if len(self._groups) == n_features:
            return shares
        totals = np.zeros((len(shares), n_features))
        np.add.at(totals.T, self._groups, shares.T)
        return totals

    def place(self, rows: FloatArray, *, is_new: bool) -> Placement:
        """Place rows, in the coordinates that the plane projects.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_features)
        is_new : bool
            Whether the limits are those for rows that the plane was not fitted to.
        """
        coordinates = rows @ self._components.T
        n_calibrating = self._refits.n_rows if self._refits and self._is_calibrated else 0
        return Placement(
            coordinates,
            self._rule.most_likely(coordinates),
            self._rule.probabilities(coordinates) if n_calibrating else None,
            n_calibrating,
            self._distances.score_distance(rows),
            self._distances.residual(rows),
            self._distances.score_limit(is_new=is_new) if self.has_distances else np.inf,
            self._distances.residual_limit(is_new=is_new) if self.has_distances else np.inf,
        )


def model_text(record: RunRecord, plane: SavedPlane) -> str:
    """Return a plane of a run as JSON for `SavedPlane`, with how it was found."""
    return plane.to_json(
        method=record.method,
        parameters=record.parameters.values,
        data={"name": record.data_name, "sha256": record.data_id},
    )


def saved_plane(
    data: RunData,
    record: RunRecord,
    components: FloatArray,
    gamma: float | None = None,
    *,
    rule: DensityRule | None = None,
    limits: RowLimits | None = None,
    set_limits: SetLimits | None = None,
) -> SavedPlane:
    """Return a plane of a run with all that applies it to new rows.

    Parameters
    ----------
    data : LabeledData
    record : RunRecord
    components : ndarray of shape (n_components, n_features)
    gamma : float, optional
        Kernel width of the class densities; by default that of the densities of the run.
    rule : DensityRule, optional
        The class densities of refits, calibrated; by default those of the rows as fitted, without
        probabilities.
    limits : RowLimits, optional
        Beyond which a row has no class.
    set_limits : SetLimits, optional
        How strange a class may be that is in the set of a row.
    """
    train, _ = rows_of(data, record)
    width = record.density_gamma if gamma is None else gamma
    return SavedPlane(
        components,
        center=data.center,
        scale=data.scale,
        feature_names=data.feature_names,
        encodings=data.encodings,
        class_names=data.class_names,
        rule=class_rule(train, components, width) if rule is None else _sampled(rule),
        is_calibrated=rule is not None,
        limits=limits,
        set_limits=set_limits,
        rules=data.rules if data.within is None else data.fitted_preparation.rules,
        within=data.within,
        units=conversions_of(column.name for column in data.encodings if not column.levels),
        cell_rules=data.rules_of_new_cells,
    )


def class_rule(train: LabeledData, components: FloatArray, gamma: float) -> DensityRule:
    """Return the class densities in a plane as fitted, with kernels at a sample of many rows.

    Parameters
    ----------
    train : LabeledData
    components : ndarray of shape (n_components, n_features)
    gamma : float
        Kernel width relative to Silverman's rule.
    """
    return _sampled(DensityRule.of(train.X @ components.T, train.y, gamma=gamma))


def _sampled(rule: DensityRule) -> DensityRule:
    """The same kernels at MAX_KERNELS rows at most."""
    classes = rule.classes
    share = MAX_KERNELS / float(classes.counts.sum())
    rows = tuple(
        block[stratified_sample(np.zeros(len(block), int), share, 1)] for block in classes.rows
    )
    return replace(rule, classes=replace(classes, rows=rows))
