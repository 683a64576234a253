"""A plane as a file that anybody can read: JSON, nothing that runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import PlaneEstimator, check_components

_FIELDS = ("components", "center", "scale", "feature_names")


class SavedPlane(PlaneEstimator):
    """A plane with the preparation of its features, found earlier.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    center_, scale_ : ndarray of shape (n_features,)
        Coordinates are (X - center_) / scale_ times the components.
    feature_names_in_ : ndarray of str, shape (n_features,)
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learnt: a saved plane is as it was saved."""
        check_is_fitted(self)
        validate_data(self, X, dtype=np.float64, reset=False)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Coordinates of rows in the units of the table, shape (n_samples, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        coordinates: FloatArray = ((X - self.center_) / self.scale_) @ self.components_.T
        return coordinates

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Points of the plane in the units of the table, shape (n_samples, n_features)."""
        check_is_fitted(self)
        prepared = np.asarray(Z, dtype=np.float64) @ np.linalg.pinv(self.components_).T
        points: FloatArray = prepared * self.scale_ + self.center_
        return points

    @classmethod
    def of(
        cls,
        components: FloatArray,
        *,
        center: FloatArray,
        scale: FloatArray,
        feature_names: Sequence[str],
    ) -> Self:
        """The plane of these components.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        """
        plane = cls()
        n_features = len(feature_names)
        plane.components_ = check_components(components, n_features)
        plane.center_, plane.scale_ = (np.asarray(v, dtype=np.float64) for v in (center, scale))
        if plane.center_.shape != (n_features,) or plane.scale_.shape != (n_features,):
            raise UserError(
                f"center of shape {plane.center_.shape} and scale of shape {plane.scale_.shape} "
                f"must hold a number for each of the {n_features} features."
            )
        plane.mean_ = plane.center_
        plane.feature_names_in_ = np.array(feature_names, dtype=object)
        plane.n_features_in_ = n_features
        return plane

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If it is no such file; the message names what is missing.
        """
        try:
            values = json.loads(text)
        except ValueError as error:
            raise UserError(f"This is no JSON: {error}. Give the file as it was saved.") from error
        missing = [name for name in _FIELDS if not isinstance(values, dict) or name not in values]
        if missing:
            raise UserError(f"The file lacks {', '.join(missing)}; give it as it was saved.")
        fields = {name: values[name] for name in _FIELDS}
        return cls.of(fields.pop("components"), **fields)

    def to_json(self, **about: Any) -> str:
        """The plane as JSON, digit for digit, with whatever else is told about it."""
        check_is_fitted(self)
        values = {
            **about,
            "components": self.components_.tolist(),
            "center": self.center_.tolist(),
            "scale": self.scale_.tolist(),
            "feature_names": list(self.feature_names_in_),
        }
        return json.dumps(values, indent=1, allow_nan=False)
