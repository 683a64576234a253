"""Planes saved as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Self

import msgspec
import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.column_encoding import ColumnEncoding, listed
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_components
from melm_core.base.row_blocks import is_lazy
from melm_core.density.class_densities import ClassDensities
from melm_core.density.classifier import ClassDensityPrediction
from melm_core.recipe import FittedPreparation, RecipeRules

VERSION = 1  # of the file
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
    "rules",
)


class SavedPlane(ClassDensityPrediction):
    """A plane found earlier, with all that applies it to new rows.

    The input is a table in its original units: its columns are encoded, centered, scaled and
    projected as those of the table to which the plane was fitted. Classes are predicted by their
    kernel densities in the plane, with equal priors. It cannot be fitted; in a pipeline it is
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
    class_densities : ClassDensities, optional
        Projected into the plane.
    rules : RecipeRules, optional
        The fitted recipe of the encoded columns.

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
    class_densities_ : ClassDensities or None
        The kernel densities of the classes in the plane; None if it cannot predict.

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
        class_densities: ClassDensities | None = None,
        rules: RecipeRules | None = None,
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
        self.rules_ = rules
        self._set_columns(tuple(encodings) or tuple(map(ColumnEncoding, feature_names)))
        self._set_classes(class_names, class_densities)

    def transform(self, X: Any) -> FloatArray:
        """Project rows in the original units, returning shape (n_samples, n_components).

        Parameters
        ----------
        X : DataFrame, or array-like of shape (n_samples, n_columns)
            A DataFrame may have its columns in any order, and others beside them. The columns of
            an array are `feature_names_in_`. None and NaN are missing cells.

        Raises
        ------
        ValueError
            If a column is missing, or a cell cannot be encoded; the message names them.
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
            class_densities=_densities(values["class_densities"]),
            rules=_rules(values["rules"]),
        )

    def to_json(self, **about: Any) -> str:
        """The plane as JSON, with all digits.

        Parameters
        ----------
        **about
            Further JSON values to write into the file.
        """
        densities = self.class_densities_
        values = {
            **about,
            "version": VERSION,
            "rules": msgspec.to_builtins(self.rules_),
            "components": self.components_.tolist(),
            "center": self.center_.tolist(),
            "scale": self.scale_.tolist(),
            "feature_names": self.feature_names_,
            "columns": [asdict(encoding) for encoding in self.encodings_],
            "class_names": self.classes_.tolist(),
            "class_densities": densities
            and {
                "rows": [rows.tolist() for rows in densities.rows],
                "covariances": densities.covariances.tolist(),
                "weights": densities.weights and [own.tolist() for own in densities.weights],
            },
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
        self.feature_names_in_ = np.array([one.name for one in encodings], dtype=object)

    def _set_classes(self, names: Sequence[str], densities: ClassDensities | None) -> None:
        shape = (len(names), len(self.components_), len(self.components_))
        if densities is not None and (
            len(densities.rows) != len(names) or densities.covariances.shape != shape
        ):
            raise UserError(
                f"class_densities must have rows and a covariance for each of the {len(names)} "
                f"classes, in {len(self.components_)} dimension(s)."
            )
        self.classes_ = np.array(names, dtype=object)
        self.class_densities_ = densities

    def _encoded(self, X: Any) -> FloatArray:
        pairs = zip(self.encodings_, self._columns(X), strict=True)
        if self.rules_ is None:
            return np.hstack([one.encode(cells) for one, cells in pairs])
        encoded = np.hstack([one.with_gaps.encode(cells) for one, cells in pairs])
        features = FittedPreparation(self.rules_, self.center_, self.scale_).features(encoded)
        if not np.isfinite(features).all():
            row = int(np.flatnonzero(~np.isfinite(features).all(axis=1))[0])
            raise UserError(_NOT_COMPUTED.format(row=row))
        return features

    def _columns(self, X: Any) -> list[Any]:
        """The cells of each column."""
        names = self.feature_names_in_.tolist()
        if hasattr(X, "columns"):
            missing = [name for name in names if name not in X.columns]
            if missing:
                raise UserError(
                    f"The table lacks {listed(missing)}. Its columns must include all "
                    f"{len(names)} of feature_names_in_."
                )
            return [X[name] for name in names]
        rows = np.asarray(X) if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if rows.ndim != 2 or rows.shape[1] != len(names):
            raise UserError(
                f"X has shape {rows.shape}; it must be (n_samples, {len(names)}), one column for "
                "each of feature_names_in_."
            )
        return list(rows.T)

    def _coordinates(self, X: Any) -> FloatArray:
        coordinates: FloatArray = (
            (self._encoded(X) - self.center_) / self.scale_
        ) @ self.components_.T
        return coordinates

    def _log_densities(self, X: Any) -> FloatArray:
        if is_lazy(X):
            raise UserError(
                "X is a Dask collection, and a saved plane reads tables in memory. Take a part of "
                "it, for example X.partitions[0].compute(), or use X.map_partitions(plane.predict)."
            )
        if self.class_densities_ is None:
            raise UserError(
                "This plane was saved without class densities, so it cannot predict. Download it "
                "again from the studio."
            )
        logs: FloatArray = self.class_densities_.log_densities(self._coordinates(X))
        return logs


def _check_version(version: Any) -> None:
    if version != VERSION:
        raise UserError(
            f"The file has version {version!r}, and this package reads version {VERSION}. Update "
            "the package."
        )


def _encoding(column: dict[str, Any]) -> ColumnEncoding:
    levels = tuple(column["levels"])
    return ColumnEncoding(column["name"], column["fill"], levels, column["is_ordered"])


def _rules(values: Any) -> RecipeRules | None:
    try:
        return None if values is None else msgspec.convert(values, RecipeRules)
    except msgspec.ValidationError as error:
        raise UserError(
            f"The recipe in the file cannot be read: {error}. Use the file as it was saved."
        ) from None


def _densities(values: dict[str, Any] | None) -> ClassDensities | None:
    if values is None:
        return None
    rows = tuple(np.array(block, dtype=np.float64) for block in values["rows"])
    weights = values["weights"]
    if weights is not None:
        weights = tuple(np.array(own, dtype=np.float64) for own in weights)
    return ClassDensities(rows, np.array(values["covariances"], dtype=np.float64), weights=weights)
