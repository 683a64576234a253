"""Labeled data, the input of every method."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from melm_core.base import (
    CellRules,
    ColumnEncoding,
    FloatArray,
    IntArray,
    UserError,
    known_type,
    range_of,
    unpacked_arrays,
)
from melm_core.folds import group_strata
from melm_core.recipe import (
    FittedPreparation,
    Preparation,
    Recipe,
    RecipeRules,
    Scaling,
    WithinSubjects,
    curve_groups,
    curve_literals,
    curve_names,
    with_curves,
)
from melm_studio.tables.formatting import shortened
from melm_studio.tables.questions import Question, open_questions, suspicions
from melm_studio.tables.records import COMMA_SEPARATED, Form
from melm_studio.tables.roles import NO_LABEL, Column, Role
from melm_studio.tables.row_columns import RowColumn, pack, unpack

ARRAYS = ("X", "y", "center", "scale", "row_numbers")
MIN_TRAIN = 2  # rows of every class that are never held out: a density needs two

_NOT_COMPUTED = (
    "The preparation that the training rows give cannot be computed for row {row}, which is held "
    "out. Hold out no rows, choose another seed, or leave out the step."
)


@dataclass(frozen=True, eq=False)
class UnlabeledRows:
    """Rows without a class, prepared as those that have one.

    Attributes
    ----------
    X : ndarray of float64, (n_unlabeled, n_features)
    row_numbers : ndarray of int64, (n_unlabeled,)
    row_columns : tuple of RowColumn
        As those of `LabeledData`.
    raw : ndarray of float64, (n_unlabeled, n_columns), or None
        The encoded rows before the recipe, NaN where a number is missing; None if the recipe only
        standardizes and no number is missing.
    """

    X: FloatArray
    row_numbers: IntArray
    row_columns: tuple[RowColumn, ...] = ()
    raw: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class LabeledData:
    """A numeric table with a class for every row.

    As it is stored, its preparation is fitted to all rows, whatever is held out; a run has its own,
    see `prepared_by`.

    Attributes
    ----------
    name : str
        The name of the table.
    X : ndarray of float64, (n_samples, n_features)
        The prepared table: ``(encoded table - center) / scale``, finite.
    y : ndarray of int64, (n_samples,)
        The class of each row, 0 to n_classes - 1.
    class_names : tuple of str, (n_classes,)
    feature_names : tuple of str, (n_features,)
    center, scale : ndarray of float64, (n_features,)
        In the units of the encoded table.
    row_numbers : ndarray of int64, (n_samples,)
        The row of the file that each sample is, counted from 1 without the header.
    steps : tuple of str
        What was done to the table, a sentence each.
    encodings : tuple of ColumnEncoding
        How columns became the features, in order.
    columns : tuple of Column
        The columns of the table, in order.
    groups : ndarray of int64, (n_samples,), or None
        Rows with the same number depend on each other and stay together. None if all rows are
        independent.
    form : Form
        How the file was split into cells.
    cell_rules : CellRules or None
        How cells were read, for new rows; None without limits, codes and the like.
    row_columns : tuple of RowColumn
        The columns with the roles Name, Info, Group, Batch and Order.
    unlabeled : UnlabeledRows or None
        The rows without a class; the same of any part of the data.
    warnings : tuple of str
        Those of the steps that may change what a score means; not packed.
    questions : tuple of Question
        What is asked of the table before anything in it is called real, with the answers.
    within : WithinSubjects or None
        That rows are compared within their groups: the encoded table has them less the mean of
        their group.
    rules : RecipeRules or None
        The fitted recipe, if it is more than medians and standardizing.
    raw : ndarray of float64, (n_samples, n_columns), or None
        The encoded table before the recipe, NaN where a number is missing; only with `rules`.
    is_missing : ndarray of bool, (n_samples, n_features), or None
        Which cells were filled; without `rules`, and None if none were. Not part of the hash.
    """

    name: str
    X: FloatArray
    y: IntArray
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    center: FloatArray
    scale: FloatArray
    row_numbers: IntArray
    steps: tuple[str, ...]
    encodings: tuple[ColumnEncoding, ...]
    columns: tuple[Column, ...] = ()
    groups: IntArray | None = None
    form: Form = COMMA_SEPARATED
    cell_rules: CellRules | None = None
    row_columns: tuple[RowColumn, ...] = ()
    unlabeled: UnlabeledRows | None = None
    warnings: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    within: WithinSubjects | None = None
    rules: RecipeRules | None = None
    raw: FloatArray | None = None
    is_missing: npt.NDArray[np.bool_] | None = None

    @property
    def label(self) -> str:
        """The column whose values are the classes, or `NO_LABEL`; empty if no columns are named."""
        named = (column.name for column in self.columns if column.role is Role.LABEL)
        return next(named, NO_LABEL if self.columns else "")

    @property
    def own_feature_names(self) -> tuple[str, ...]:
        """The names of the features themselves, without the columns of their curves."""
        return self.feature_names[: len(self.feature_names) - self._n_curve_columns]

    @property
    def curve_groups(self) -> IntArray:
        """The feature that each column of X belongs to, see `CurvedFeatures`."""
        curves = () if self.rules is None or not self.feature_names else self.rules.curves
        return curve_groups(len(self.own_feature_names), curves)

    @property
    def has_curves(self) -> bool:
        """True if features bend."""
        return self._n_curve_columns > 0

    @property
    def _n_curve_columns(self) -> int:
        # The coordinates of a nonlinear method are no features.
        rules = self.rules if self.feature_names else None
        return 0 if rules is None else rules.n_curve_columns

    @property
    def feature_groups(self) -> IntArray:
        """A number for each column of X.

        Indicators of the categories of one column share theirs, and so do a feature and its curve.
        """
        columns = {
            name: column
            for column, encoding in enumerate(self.encodings)
            for name in encoding.feature_names
        }
        n_columns = len(self.encodings)
        names_of_curves = np.array(
            [
                columns.get(name, n_columns + index)
                for index, name in enumerate(self.own_feature_names)
            ],
            dtype=np.int64,
        )
        return names_of_curves[self.curve_groups]

    def to_bytes(self) -> bytes:
        """Pack as npz; equal content gives equal bytes."""
        arrays = self._arrays()
        if self.is_missing is not None:
            arrays["is_missing"] = np.ascontiguousarray(self.is_missing)
        return _npz(arrays)

    def _arrays(self) -> dict[str, Any]:
        """Arrays that are packed and tell the data from others."""
        header = _Header(**{name: getattr(self, name) for name in _Header.__struct_fields__})
        arrays = {key: np.ascontiguousarray(getattr(self, key)) for key in ARRAYS}
        if self.groups is not None:
            arrays["groups"] = np.ascontiguousarray(self.groups)
        arrays |= pack(self.row_columns, "row_columns") | _packed(self.unlabeled)
        arrays["words"] = np.frombuffer(msgspec.json.encode(header), np.uint8)
        if self.rules is not None and self.raw is not None:
            arrays["rules"] = np.frombuffer(msgspec.json.encode(self.rules), np.uint8)
            arrays["raw"] = np.ascontiguousarray(self.raw)
        return arrays

    @classmethod
    def from_bytes(cls, raw: bytes) -> LabeledData:
        """Unpack what `to_bytes` packed."""
        arrays: dict[str, Any] = unpacked_arrays(raw)
        header = msgspec.json.decode(arrays.pop("words").tobytes(), type=known_type(_Header))
        columns, unlabeled = unpack(arrays, "row_columns"), _unpacked(arrays)
        if "rules" in arrays:
            arrays["rules"] = msgspec.json.decode(
                arrays["rules"].tobytes(), type=known_type(RecipeRules)
            )
        return cls(
            **arrays, **msgspec.structs.asdict(header), row_columns=columns, unlabeled=unlabeled
        )

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the packed bytes but `is_missing`, in hexadecimal."""
        return hashlib.sha256(_npz(self._arrays())).hexdigest()

    @property
    def recipe(self) -> Recipe:
        """Preparation of the features."""
        if self.rules is not None:
            return self.rules.recipe
        is_scaled = bool((self.scale != 1.0).any())
        return Recipe(scaling=Scaling.UNIT if is_scaled else Scaling.NONE)

    @property
    def preparation(self) -> Preparation:
        """The recipe, to be fitted to some rows of `unprepared` and applied to others."""
        preparation = Preparation.of(self.recipe, self.encodings)
        return replace(preparation, curves=self.has_curves)

    @property
    def fitted_preparation(self) -> FittedPreparation:
        """The recipe as it was fitted to the rows, for others."""
        rules = self.rules
        if rules is None:
            preparation = self.preparation
            fills = [
                [encoding.fill or 0.0] * len(encoding.feature_names) for encoding in self.encodings
            ]
            rules = RecipeRules(
                recipe=self.recipe,
                numeric=preparation.numeric,
                fill=tuple(chain.from_iterable(fills)) or (0.0,) * len(self.center),
            )
        return FittedPreparation(rules, self.center, self.scale)

    def with_curves(self, train: LabeledData) -> LabeledData:
        """Return the data with features that bend, as those of the training rows do.

        Parameters
        ----------
        train : LabeledData
            Those of these rows that a method is fitted to.
        """
        fitted = self.fitted_preparation.with_curves(train.X * train.scale + train.center)
        literals = curve_literals(fitted.rules.curves)
        n_own = len(self.center)

        def bent(X: FloatArray) -> FloatArray:
            columns = with_curves(X * self.scale + self.center, literals)[:, n_own:]
            return np.hstack([X, (columns - fitted.center[n_own:]) / fitted.scale[n_own:]])

        others = self.unlabeled
        return replace(
            self,
            X=bent(self.X),
            feature_names=(
                *self.feature_names,
                *curve_names(self.feature_names, fitted.rules.curves),
            ),
            center=fitted.center,
            scale=fitted.scale,
            unlabeled=others and replace(others, X=bent(others.X)),
            rules=fitted.rules,
            raw=self.unprepared,
            is_missing=None,
        )

    @property
    def unprepared(self) -> FloatArray:
        """The encoded rows before the recipe, (n_samples, n_columns), NaN where one is missing."""
        if self.raw is not None:
            return self.raw
        encoded: FloatArray = self.X * self.scale + self.center
        return encoded if self.is_missing is None else np.where(self.is_missing, np.nan, encoded)

    @property
    def rules_of_new_cells(self) -> CellRules:
        """How cells of new rows are read: as those of the table, with the range of its numbers.

        Of columns compared within subjects, only the differences are known.
        """
        rules, ranges, first = self.cell_rules or CellRules(), {}, 0
        rows = self.unprepared
        for encoding in () if self.within else self.encodings:
            if not encoding.levels:
                ranges[encoding.name] = range_of(rows[:, first])
            first += len(encoding.feature_names)
        return replace(rules, ranges=ranges)

    @property
    def row_names(self) -> list[str] | None:
        """The name of each row, empty where it is missing; None without a Name column."""
        column = self.row_column(Role.NAME)
        return None if column is None else column.texts

    @property
    def info(self) -> tuple[RowColumn, ...]:
        """Further columns about the rows: all `row_columns` but their name."""
        return tuple(column for column in self.row_columns if column.role is not Role.NAME)

    def row_column(self, role: Role) -> RowColumn | None:
        """The first column with a role that is kept beside the features."""
        return next((column for column in self.row_columns if column.role is role), None)

    @property
    def compared_within(self) -> str:
        """The column within whose values rows are compared, in words; empty without one."""
        return shortened(self.within.column) if self.within else ""

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """Those of the questions that have neither an answer nor a default."""
        return open_questions(self.questions)

    @property
    def suspicions(self) -> tuple[Question, ...]:
        """Suspicions that rows depend on each other, which nobody has answered; see `readings`."""
        return suspicions(self.questions)

    @property
    def batches(self) -> IntArray | None:
        """Codes of the batch of each row; None without a Batch column."""
        column = self.row_column(Role.BATCH)
        return None if column is None else column.codes

    @property
    def class_counts(self) -> dict[str, int]:
        """The number of rows of each class, by its name."""
        counts = np.bincount(self.y, minlength=len(self.class_names))
        return dict(zip(self.class_names, counts.tolist(), strict=True))

    def split(self, held_out: float, random_state: int) -> tuple[LabeledData, LabeledData]:
        """Hold out a share of the rows of each class, or of the groups with the same classes.

        Parameters
        ----------
        held_out : float
            Share of each class to hold out, 0 <= held_out < 1. Two rows of each class always stay,
            or two groups of those with the same classes.
        random_state : int
            Seed of the draw.

        Returns
        -------
        train, held_out : LabeledData
            Rows keep their order. With ``held_out=0``, all are training rows.

        Raises
        ------
        ValueError
            If `held_out` is not such a share.
        """
        is_held_out = self.held_out_rows(held_out, random_state)
        if not is_held_out.any():
            return self, self._rows(is_held_out)
        return self._rows(~is_held_out), self._rows(is_held_out)

    def held_out_rows(self, held_out: float, random_state: int) -> npt.NDArray[np.bool_]:
        """Return whether `split` holds out each row; raises as it does."""
        if not 0 <= held_out < 1:
            raise ValueError(f"Need 0 <= held_out < 1. The value supplied was {held_out}.")
        if self.groups is None:
            return _drawn(self.y, held_out, random_state)
        drawn = _drawn(group_strata(self.y, self.groups), held_out, random_state)
        is_held_out: npt.NDArray[np.bool_] = drawn[np.unique(self.groups, return_inverse=True)[1]]
        return is_held_out

    def prepared_by(self, chosen: npt.NDArray[np.bool_]) -> LabeledData:
        """Return the same rows and features, prepared as some of the rows say.

        What replaces missing numbers, the steps, and center and scale are fitted to these rows and
        applied to all, those without a class among them.

        Parameters
        ----------
        chosen : ndarray of bool, (n_samples,)

        Raises
        ------
        UserError
            If a step cannot be computed; says for which row.
        """
        if chosen.all():
            return self
        preparation, encoded = self.preparation, self.unprepared
        if self.rules is not None:  # a feature that marks missing numbers stays one
            preparation = replace(preparation, indicators=self.rules.indicators)
        fitted = preparation.fit(encoded[chosen], self.row_numbers[chosen])
        X = fitted.apply(encoded)
        if not np.isfinite(X).all():
            row = self.row_numbers[~np.isfinite(X).all(axis=1)][0]
            raise UserError(_NOT_COMPUTED.format(row=row))
        return replace(
            self,
            X=X,
            center=fitted.center,
            scale=fitted.scale,
            encodings=tuple(refilled(self.encodings, fitted.rules.fill)),
            unlabeled=self._unlabeled_by(fitted),
            rules=None if self.rules is None else fitted.rules,
        )

    def _unlabeled_by(self, fitted: FittedPreparation) -> UnlabeledRows | None:
        rows = self.unlabeled
        if rows is None:
            return None
        encoded = rows.X * self.scale + self.center if rows.raw is None else rows.raw
        return replace(rows, X=fitted.apply(encoded))

    def by_class(self) -> LabeledData:
        """Return the rows sorted by class, within a class in their order; itself if they are."""
        if (np.diff(self.y) >= 0).all():
            return self
        return self._rows(np.argsort(self.y, kind="stable"))

    def _rows(self, rows: IntArray | npt.NDArray[np.bool_]) -> LabeledData:
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            row_numbers=self.row_numbers[rows],
            groups=None if self.groups is None else self.groups[rows],
            row_columns=tuple(column.rows(rows) for column in self.row_columns),
            raw=None if self.raw is None else self.raw[rows],
            is_missing=None if self.is_missing is None else self.is_missing[rows],
        )


def _npz(arrays: Mapping[str, Any]) -> bytes:
    """Pack arrays as numpy.savez does, in bytes that no version of Python or numpy changes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # without a time
            values = np.asanyarray(array)
            # About its size: headers of 64 bits, which differ between versions, are for more than
            # 2 GB. savez refuses to pickle only from numpy 2.1 on.
            entry.file_size = values.nbytes
            with archive.open(entry, "w") as packed:
                np.lib.format.write_array(packed, values, allow_pickle=False)
    return file.getvalue()


def _packed(rows: UnlabeledRows | None) -> dict[str, Any]:
    if rows is None:
        return {}
    arrays = {"unlabeled_X": rows.X, "unlabeled_row_numbers": rows.row_numbers}
    if rows.raw is not None:
        arrays["unlabeled_raw"] = rows.raw
    return arrays | pack(rows.row_columns, "unlabeled_columns")


def _unpacked(arrays: dict[str, Any]) -> UnlabeledRows | None:
    """Take the rows that `_packed` packed out of the arrays."""
    if "unlabeled_X" not in arrays:
        return None
    return UnlabeledRows(
        X=arrays.pop("unlabeled_X"),
        row_numbers=arrays.pop("unlabeled_row_numbers"),
        row_columns=unpack(arrays, "unlabeled_columns"),
        raw=arrays.pop("unlabeled_raw", None),
    )


def refilled(
    encodings: Sequence[ColumnEncoding], fill: Sequence[float]
) -> Iterator[ColumnEncoding]:
    """The encodings with other values for missing numbers, which are given by encoded column."""
    index = 0
    for encoding in encodings:
        yield encoding if encoding.fill is None else replace(encoding, fill=fill[index])
        index += len(encoding.feature_names)


def _drawn(strata: IntArray, share: float, random_state: int) -> npt.NDArray[np.bool_]:
    """Return whether each unit, a row or a group, is in a random share of its stratum."""
    drawn = np.zeros(len(strata), dtype=bool)
    rng = np.random.default_rng(random_state)
    for code in range(int(strata.max()) + 1):
        units = rng.permutation(np.flatnonzero(strata == code))
        n_drawn = min(round(share * len(units)), len(units) - MIN_TRAIN)
        drawn[units[: max(n_drawn, 0)]] = True
    return drawn


class _Header(msgspec.Struct, omit_defaults=True):
    """Header of packed data: what `LabeledData` has besides its arrays, as JSON."""

    name: str
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    steps: tuple[str, ...]
    columns: tuple[Column, ...]
    encodings: tuple[ColumnEncoding, ...]
    form: Form
    questions: tuple[Question, ...] = ()
    within: WithinSubjects | None = None
    cell_rules: CellRules | None = None
