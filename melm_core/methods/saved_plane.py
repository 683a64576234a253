"""Planes saved as JSON."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Self, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray
from melm_core.base.codes import codes_in_order
from melm_core.base.column_encoding import ColumnEncoding, cell_texts
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_components
from melm_core.base.known_types import known_type
from melm_core.base.quantities import decimal_mark, plain_cell
from melm_core.base.row_blocks import is_lazy
from melm_core.base.written_cells import (
    CellRules,
    check_columns,
    check_numbers,
    columns_as_known,
    numbers_as_known,
    sources_of,
)
from melm_core.density.class_densities import ClassDensities
from melm_core.density.class_rules import DensityFloor, DensityRule, NormalDensities
from melm_core.density.classifier import ClassDensityPrediction
from melm_core.density.set_limits import SetLimits
from melm_core.linalg.planes import orthonormalize, score_distances, squared_residuals
from melm_core.recipe import FittedPreparation, RecipeRules, WithinSubjects

VERSION = 1  # of the file
WITHIN_VERSION = 2  # of one that compares within subjects, which earlier packages cannot
_ALONE = (
    "Row {row}, counted from 0, is the only one of its {name}, so that there is no mean to "
    "subtract, or a step of the preparation cannot be computed for it. Add the other rows "
    "of its {name}, or remove it."
)
_NOT_COMPUTED = (
    "A step of the preparation, such as a logarithm, cannot be computed for row {row}, counted "
    "from 0. Correct its numbers or remove the row."
)
_FIELDS = (
    "version",
    "components",
    "center",
    "scale",
    "feature_names",
    "columns",
    "class_names",
    "class_densities",
    "temperature",
    "limits",
    "rules",
)


_Units: TypeAlias = dict[str, dict[str, tuple[float, float]]]
_Kind = TypeVar("_Kind", RecipeRules, WithinSubjects, _Units, CellRules)


@dataclass(frozen=True, eq=False)
class RowLimits:
    """Limits of distance within which rows are like those of a fit.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        Of the fitted rows, standardized as the plane projects them.
    precision : ndarray of shape (n_components, n_components)
        Inverse covariance of their coordinates in an orthonormal basis of the plane, that of
        `melm_core.linalg.planes.orthonormalize`.
    score_limit, residual_limit : float
        The largest T² in the plane and the largest Q off it.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.methods import RowLimits
    >>> limits = RowLimits(np.zeros(2), np.eye(1), score_limit=9.0, residual_limit=4.0)
    >>> limits.are_unlike(np.array([[2.0, 0.0], [0.0, 3.0]]), np.eye(1, 2))
    array([False,  True])
    """

    mean: FloatArray
    precision: FloatArray
    score_limit: float
    residual_limit: float

    def are_unlike(self, X: FloatArray, components: FloatArray) -> npt.NDArray[np.bool_]:
        """Return whether standardized rows, shape (n_rows, n_features), are beyond a limit."""
        basis, centered = orthonormalize(components), X - self.mean
        in_plane = score_distances(centered, basis, self.precision) > self.score_limit
        off: npt.NDArray[np.bool_] = (
            squared_residuals(centered, basis).sum(axis=1) > self.residual_limit
        )
        return in_plane | off


class SavedPlane(ClassDensityPrediction):
    """A plane found earlier, with all that applies it to new rows.

    The input is a table in its original units: its columns are encoded, centered, scaled and
    projected as those of the table to which the plane was fitted. Classes are predicted by their
    kernel densities in the plane, with equal priors; a row that is unlike all those of the table
    has none. It cannot be fitted; in a pipeline it is
    `FunctionTransformer(plane.transform)`.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features)
    center, scale : array-like of shape (n_features,)
    feature_names : sequence of str of length n_features
    encodings : sequence of ColumnEncoding, optional
        With n_features features together. By default every feature is a numeric column
        without missing cells.
    class_names : sequence of str of length n_classes, optional
    rule : DensityRule, optional
        The class densities in the coordinates of the plane.
    is_calibrated : bool, default=False
        Whether rows that the plane was not fitted to gave the rule its temperature; otherwise there
        are no probabilities.
    limits : RowLimits, optional
        Beyond which a row has no class.
    set_limits : SetLimits, optional
        How strange a class may be that is in the set of a row; needs limits.
    rules : RecipeRules, optional
        The fitted recipe of the encoded columns.
    within : WithinSubjects, optional
        That rows are less the mean of those of their subject, in a further column; needs rules.
    units : mapping of str to mapping of str to tuple of (float, float), optional
        To each unit that names of columns have, factor and offset from those in which new rows may
        give it, in the name of the column or in cells.
    cell_rules : CellRules, optional
        How cells of new rows are read, such as <0.5, n.d. and 999.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    center_, scale_ : ndarray of shape (n_features,)
        The coordinates of encoded rows X are (X - center_) / scale_ times components_'.
    feature_names_ : list of str of length n_features
        The features after encoding.
    encodings_ : tuple of ColumnEncoding
        How each column becomes features.
    feature_names_in_ : ndarray of str, shape (n_columns,)
        The columns.
    classes_ : ndarray of str, shape (n_classes,)
    rules_ : RecipeRules or None
        The recipe by which encoded columns become features, if it is more than filling in.
    within_ : WithinSubjects or None
        The column of the subjects within which rows are compared; the input is a DataFrame then.
    rule_ : DensityRule or None
        The class densities in the plane; None if it cannot predict.
    is_calibrated_ : bool
        Whether it has probabilities.
    limits_ : RowLimits or None
        Beyond which a row has no class; None if every row has one.
    set_limits_ : SetLimits or None
        How strange a class may be that is in the set of a row; None if it has no sets.
    units_ : dict of str to dict of str to tuple of (float, float)
        The units that are converted.
    cell_rules_ : CellRules
        How cells are read.

    Examples
    --------
    >>> from melm_core import SavedPlane
    >>> plane = SavedPlane(
    ...     [[0.6, 0.8]], center=[1.0, 1.0], scale=[1.0, 2.0], feature_names=["width", "height"]
    ... )
    >>> again = SavedPlane.from_json(plane.to_json())
    >>> again.transform([[1.6, 2.6]]).round(6)
    array([[1.]])
    >>> again.inverse_transform([[1.0]]).round(6)
    array([[1.6, 2.6]])
    """

    def __init__(
        self,
        components: Any,
        *,
        center: Any,
        scale: Any,
        feature_names: Sequence[str],
        encodings: Sequence[ColumnEncoding] = (),
        class_names: Sequence[str] = (),
        rule: DensityRule | None = None,
        is_calibrated: bool = False,
        limits: RowLimits | None = None,
        set_limits: SetLimits | None = None,
        rules: RecipeRules | None = None,
        within: WithinSubjects | None = None,
        units: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
        cell_rules: CellRules | None = None,
    ) -> None:
        n_features = len(feature_names)
        self.components_ = check_components(components, n_features)
        self.center_, self.scale_ = (np.asarray(v, dtype=np.float64) for v in (center, scale))
        if self.center_.shape != (n_features,) or self.scale_.shape != (n_features,):
            raise UserError(
                f"center of shape {self.center_.shape} and scale of shape {self.scale_.shape} "
                f"must have one number for each of the {n_features} features."
            )
        self.feature_names_ = list(feature_names)
        self.rules_, self.within_ = rules, within
        self.units_ = {unit: dict(conversions) for unit, conversions in (units or {}).items()}
        self.cell_rules_ = cell_rules or CellRules()
        self._set_columns(tuple(encodings) or tuple(map(ColumnEncoding, feature_names)))
        self._set_classes(class_names, rule)
        self.is_calibrated_, self.limits_ = is_calibrated, limits
        self.set_limits_ = set_limits
        if set_limits is not None and (
            limits is None or set_limits.largest.shape != (len(class_names),)
        ):
            raise UserError(
                f"set_limits must have a number for each of the {len(class_names)} classes, and "
                "come with limits, whose mean they are measured from. Use the file as it was saved."
            )

    def transform(self, X: Any) -> FloatArray:
        """Project rows in the original units, returning shape (n_samples, n_components).

        Parameters
        ----------
        X : DataFrame, or array-like of shape (n_samples, n_columns)
            A DataFrame may have its columns in any order, and others beside them; their names may
            differ in case, marks and units. The columns of an array are `feature_names_in_`. None
            and NaN are missing cells, and so are texts among numbers, of which a warning says so.

        Raises
        ------
        ValueError
            If a column is missing, without a number or in a unit that does not convert, or a cell
            is no known category; the message names them.
        """
        return self._coordinates(X)

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Points of the plane in the units of the features, shape (n_samples, n_features).

        The features are those after the steps of a recipe, such as logarithms, and the columns
        of curves.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
        """
        prepared = np.asarray(Z, dtype=np.float64) @ np.linalg.pinv(self.components_).T
        points: FloatArray = prepared * self.scale_ + self.center_
        return points

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class with the largest density, shape (n_samples,); None of rows unlike the table's.

        Parameters
        ----------
        X
            See `transform`.
        """
        labels: npt.NDArray[Any] = self.classes_[
            self._rule_for(X).most_likely(self._coordinates(X))
        ]
        labels[self.are_unlike(X)] = None
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes under equal priors, shape (n_samples, n_classes).

        Calibrated by rows that were left out; nan of rows that are unlike those of the table.

        Parameters
        ----------
        X
            See `transform`.

        Raises
        ------
        ValueError
            If the plane was saved without calibration.
        """
        rule = self._rule_for(X)
        if not self.is_calibrated_:
            raise UserError(
                "This plane was saved without calibrated probabilities: it was edited, is not "
                "the result of its run, or its rows are too few to leave some out. predict names "
                "the class of the largest density."
            )
        shares = rule.probabilities(self._coordinates(X))
        shares[self.are_unlike(X)] = np.nan
        return shares

    def predict_set(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return which classes each row may be of, shape (n_samples, n_classes).

        Of the rows of each class about `set_limits_.coverage` have it in their set; of a row that
        is like no class the set is empty. The limits come of refits without some rows, and the
        plane is that of all, so that this coverage is not proved. `ConformalClassifier` keeps the
        refits.

        Parameters
        ----------
        X
            See `transform`.

        Raises
        ------
        ValueError
            If the plane was saved without sets.
        """
        logs = self._rule_for(X).log_densities(self._coordinates(X))
        if self.set_limits_ is None or self.limits_ is None:
            raise UserError(
                "This plane was saved without sets of classes: it was edited, is not the result "
                "of its run, its rows are too few to leave some out, or the file is of an "
                "earlier version. Download it again, or use predict."
            )
        centered, basis = self._prepared(X) - self.limits_.mean, orthonormalize(self.components_)
        return self.set_limits_.sets(logs, squared_residuals(centered, basis).sum(axis=1))

    def are_unlike(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return whether rows are beyond the limits of those of the table, shape (n_samples,).

        Parameters
        ----------
        X
            See `transform`.
        """
        prepared = self._prepared(X)
        flags: npt.NDArray[np.bool_] = np.zeros(len(prepared), dtype=bool)
        if self.limits_ is not None:
            flags = self.limits_.are_unlike(prepared, self.components_)
        return flags

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read the text that `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is not such a file; the message names what is missing.
        """
        try:
            values = json.loads(text)
        except ValueError as error:
            raise UserError(f"This is not JSON: {error}. Use the file as it was saved.") from error
        missing = [name for name in _FIELDS if not isinstance(values, dict) or name not in values]
        if missing:
            raise UserError(f"The file lacks {', '.join(missing)}; use it as it was saved.")
        _check_version(values["version"])
        return cls(
            values["components"],
            center=values["center"],
            scale=values["scale"],
            feature_names=values["feature_names"],
            encodings=[_encoding(column) for column in values["columns"]],
            class_names=values["class_names"],
            rule=_rule(values["class_densities"], values["temperature"]),
            is_calibrated=values["temperature"] is not None,
            limits=_limits(values["limits"]),
            set_limits=_set_limits(values.get("set_limits")),  # which earlier files lack
            rules=_read(values["rules"], RecipeRules),
            within=_read(values.get("within"), WithinSubjects),
            units=_read(values.get("units"), _Units),  # so do these
            cell_rules=_read(values.get("cell_rules"), CellRules),
        )

    def to_json(self, **about: Any) -> str:
        """The plane as JSON, with all digits.

        Parameters
        ----------
        **about
            Further JSON values to write into the file.
        """
        rule = self.rule_
        values = {
            **about,
            "version": VERSION if self.within_ is None else WITHIN_VERSION,
            **({} if self.within_ is None else {"within": msgspec.to_builtins(self.within_)}),
            "rules": msgspec.to_builtins(self.rules_),
            "components": self.components_.tolist(),
            "center": self.center_.tolist(),
            "scale": self.scale_.tolist(),
            "feature_names": self.feature_names_,
            "columns": [asdict(encoding) for encoding in self.encodings_],
            "class_names": self.classes_.tolist(),
            "class_densities": rule and _rule_values(rule),
            "temperature": rule.temperature if rule and self.is_calibrated_ else None,
            "limits": self.limits_ and _limit_values(self.limits_),
            "set_limits": self.set_limits_ and _set_limit_values(self.set_limits_),
            "units": self.units_,
            "cell_rules": asdict(self.cell_rules_),
        }
        return json.dumps(values, indent=1, allow_nan=False)

    def _set_columns(self, encodings: tuple[ColumnEncoding, ...]) -> None:
        n_features = sum(len(encoding.feature_names) for encoding in encodings)
        if self.rules_ is not None:
            n_features += len(self.rules_.indicators) + self.rules_.n_curve_columns
        if n_features != len(self.feature_names_):
            raise UserError(
                f"The columns are encoded as {n_features} features, but the plane has "
                f"{len(self.feature_names_)}. Use the file as it was saved."
            )
        self.encodings_ = encodings
        self.feature_names_in_ = np.array([encoding.name for encoding in encodings], dtype=object)

    def _set_classes(self, names: Sequence[str], rule: DensityRule | None) -> None:
        shape = (len(names), len(self.components_), len(self.components_))
        if rule is not None and (
            len(rule.classes.rows) != len(names) or rule.classes.covariances.shape != shape
        ):
            raise UserError(
                f"The rule must have rows and a covariance for each of the {len(names)} classes, "
                f"in {len(self.components_)} dimension(s)."
            )
        self.classes_ = np.array(names, dtype=object)
        self.rule_ = rule

    def _encoded(self, X: Any) -> FloatArray:
        parts: list[FloatArray] = []
        for encoding, cells in zip(self.encodings_, self._columns(X), strict=True):
            given = encoding.with_gaps.encode(cells)
            check_numbers(given.ravel(), [""] * len(given), encoding.name)
            parts.append(given if self.rules_ is not None else encoding.encode(cells))
        encoded: FloatArray = np.hstack(parts)
        if self.rules_ is None:
            return encoded
        if self.within_ is not None:
            encoded = self._centered(self.within_, X, encoded)
        features = FittedPreparation(self.rules_, self.center_, self.scale_).features(encoded)
        if not np.isfinite(features).all():
            row = int(np.flatnonzero(~np.isfinite(features).all(axis=1))[0])
            raise UserError(_NOT_COMPUTED.format(row=row))
        return features

    def _centered(self, within: WithinSubjects, X: Any, encoded: FloatArray) -> FloatArray:
        """The encoded rows less the mean of those of their subject."""
        subjects = np.asarray(X[self._given_names(X)[within.column]])
        centered = within.centered(encoded, codes_in_order(subjects))
        is_lost = np.isnan(centered).all(axis=1)
        if is_lost.any():
            raise UserError(_ALONE.format(row=int(is_lost.argmax()), name=within.column))
        return centered

    def _columns(self, X: Any) -> list[Any]:
        """The cells of each column, in its own unit."""
        names = self.feature_names_in_.tolist()
        given = self._given_names(X)
        if self.within_ is not None and self.within_.column not in given:
            raise UserError(
                f"Rows are compared within {self.within_.column}: X must be a DataFrame with that "
                "column and at least two rows of each of its values."
            )
        if hasattr(X, "columns"):
            check_columns([*given], names, self.units_)
            sources = [
                next(given[each] for each in sources_of(name) if each in given) for name in names
            ]
            columns = [np.asarray(X[source]) for source in sources]
            # Of several columns of a name the first.
            columns = [cells if cells.ndim == 1 else cells[:, 0] for cells in columns]
            return self._in_own_units(columns, [*map(str, sources)])
        rows = np.asarray(X) if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if rows.ndim != 2 or rows.shape[1] != len(names):
            raise UserError(
                f"X has shape {rows.shape}; it must be (n_samples, {len(names)}), one column for "
                "each of feature_names_in_."
            )
        return self._in_own_units([*rows.T], names)

    def _given_names(self, X: Any) -> dict[str, Any]:
        """The columns of a table by the names that they have here, of several the first."""
        within = [self.within_.column] if self.within_ is not None else []
        needed = [*self.feature_names_in_.tolist(), *within]
        given = [str(name) for name in getattr(X, "columns", ())]
        is_same = set(needed) <= set(given)
        names = given if is_same else columns_as_known(given, needed, self.units_)
        return dict(reversed([*zip(names, getattr(X, "columns", ()), strict=True)]))

    def _in_own_units(
        self, columns: Sequence[npt.NDArray[Any]], given: Sequence[str]
    ) -> list[npt.NDArray[Any]]:
        """The cells of columns of such names in their own units; texts may name others."""
        of_texts = {
            index: [plain_cell(text or "") for text in cell_texts(cells)]
            for index, (encoding, cells) in enumerate(zip(self.encodings_, columns, strict=True))
            if not encoding.levels and cells.dtype.kind not in "iufb"
        }
        decimal = decimal_mark(Counter(chain(*of_texts.values())), ",")
        converted = [*columns]
        for index, encoding in enumerate(self.encodings_):
            if not encoding.levels:
                converted[index], notes = numbers_as_known(
                    of_texts.get(index, columns[index]),
                    encoding.name,
                    given[index],
                    decimal,
                    self.units_,
                    rules=self.cell_rules_,
                )
                for note in notes:
                    warnings.warn(note, stacklevel=2)
        return converted

    def _coordinates(self, X: Any) -> FloatArray:
        coordinates: FloatArray = self._prepared(X) @ self.components_.T
        return coordinates

    def _prepared(self, X: Any) -> FloatArray:
        """The rows as the plane projects them."""
        prepared: FloatArray = (self._encoded(X) - self.center_) / self.scale_
        return prepared

    def _densities_at(self, X: Any) -> tuple[DensityRule, FloatArray]:
        return self._rule_for(X), self._coordinates(X)

    def _rule_for(self, X: Any) -> DensityRule:
        if is_lazy(X):
            raise UserError(
                "X is a Dask collection, and a saved plane reads tables in memory. Take a part of "
                "it, for example X.partitions[0].compute(), or use X.map_partitions(plane.predict)."
            )
        if self.rule_ is None:
            raise UserError(
                "This plane was saved without class densities, so it cannot predict. Download it "
                "again from the studio."
            )
        return self.rule_


def _check_version(version: Any) -> None:
    if version not in (VERSION, WITHIN_VERSION):
        raise UserError(
            f"The file has version {version!r}, and this package reads version {WITHIN_VERSION}. "
            "Update the package."
        )


def _encoding(column: dict[str, Any]) -> ColumnEncoding:
    levels = tuple(column["levels"])
    return ColumnEncoding(column["name"], column["fill"], levels, column["is_ordered"])


def _read(values: Any, kind: type[_Kind]) -> _Kind | None:
    try:
        return None if values is None else msgspec.convert(values, known_type(kind))
    except msgspec.ValidationError as error:
        raise UserError(f"The file cannot be read: {error}. Use it as it was saved.") from None


def _limit_values(limits: RowLimits) -> dict[str, Any]:
    """The limits as JSON has them, null where nothing is beyond."""
    largest = (limits.score_limit, limits.residual_limit)
    score, residual = (value if np.isfinite(value) else None for value in largest)
    return {
        "mean": limits.mean.tolist(),
        "precision": limits.precision.tolist(),
        "score_limit": score,
        "residual_limit": residual,
    }


def _limits(values: dict[str, Any] | None) -> RowLimits | None:
    if values is None:
        return None
    mean, precision = (np.array(values[name], dtype=np.float64) for name in ("mean", "precision"))
    score, residual = (
        np.inf if values[name] is None else float(values[name])
        for name in ("score_limit", "residual_limit")
    )
    return RowLimits(mean, precision, score, residual)


def _set_limit_values(limits: SetLimits) -> dict[str, Any]:
    """The limits as JSON has them, null for a class that is in every set."""
    largest = [value if np.isfinite(value) else None for value in limits.largest.tolist()]
    return {**asdict(limits), "largest": largest}


def _set_limits(values: dict[str, Any] | None) -> SetLimits | None:
    if values is None:
        return None
    largest = np.array([np.inf if each is None else each for each in values["largest"]], np.float64)
    return SetLimits(**values | {"largest": largest})


def _rule_values(rule: DensityRule) -> dict[str, Any]:
    floor = rule.floor
    return {
        "rows": [rows.tolist() for rows in rule.classes.rows],
        "covariances": rule.classes.covariances.tolist(),
        "normal": {
            "means": rule.normal.means.tolist(),
            "covariance": rule.normal.covariance.tolist(),
        },
        "floor": {
            "center": floor.center.tolist(),
            "covariance": floor.covariance.tolist(),
            "share": floor.share,
        },
    }


def _rule(values: dict[str, Any] | None, temperature: float | None) -> DensityRule | None:
    if values is None:
        return None
    rows = tuple(np.array(block, dtype=np.float64) for block in values["rows"])
    classes = ClassDensities(rows, np.array(values["covariances"], dtype=np.float64))
    means, covariance = (
        np.array(values["normal"][name], dtype=np.float64) for name in ("means", "covariance")
    )
    center, scale = (
        np.array(values["floor"][name], dtype=np.float64) for name in ("center", "covariance")
    )
    floor = DensityFloor(center, scale, float(values["floor"]["share"]))
    normal = NormalDensities(means, covariance)
    rule = DensityRule(classes, normal, floor=floor)
    return rule if temperature is None else rule.calibrated(float(temperature))
