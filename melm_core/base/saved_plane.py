"""Planes saved as JSON."""

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
    """A plane found earlier, with the centering and scaling of the features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    center_, scale_ : ndarray of shape (n_features,)
        The coordinates of rows X are (X - center_) / scale_ times components_'.
    feature_names_in_ : ndarray of str, shape (n_features,)

    Examples
    --------
    >>> from melm_core.base import SavedPlane
    >>> plane = SavedPlane.of(
    ...     [[0.6, 0.8]], center=[1.0, 1.0], scale=[1.0, 2.0], feature_names=["width", "height"]
    ... )
    >>> again = SavedPlane.from_json(plane.to_json())
    >>> again.inverse_transform([[1.0]]).round(6)
    array([[1.6, 2.6]])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the rows; the plane does not change.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        """
        check_is_fitted(self)
        validate_data(self, X, dtype=np.float64, reset=False)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Project rows in the original units, returning shape (n_samples, n_components).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        coordinates: FloatArray = ((X - self.center_) / self.scale_) @ self.components_.T
        return coordinates

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Points of the plane in the original units, shape (n_samples, n_features).

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
        """
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
        """A plane with these components.

        Parameters
        ----------
        components : array-like of shape (n_components, n_features)
        center, scale : array-like of shape (n_features,)
        feature_names : sequence of str of length n_features

        Raises
        ------
        ValueError
            If the shapes do not match.
        """
        plane = cls()
        n_features = len(feature_names)
        plane.components_ = check_components(components, n_features)
        plane.center_, plane.scale_ = (np.asarray(v, dtype=np.float64) for v in (center, scale))
        if plane.center_.shape != (n_features,) or plane.scale_.shape != (n_features,):
            raise UserError(
                f"center of shape {plane.center_.shape} and scale of shape {plane.scale_.shape} "
                f"must have one number for each of the {n_features} features."
            )
        plane.mean_ = plane.center_
        plane.feature_names_in_ = np.array(feature_names, dtype=object)
        plane.n_features_in_ = n_features
        return plane

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
        fields = {name: values[name] for name in _FIELDS}
        return cls.of(fields.pop("components"), **fields)

    def to_json(self, **about: Any) -> str:
        """The plane as JSON, with all digits.

        Parameters
        ----------
        **about
            Further JSON values to write into the file.
        """
        check_is_fitted(self)
        values = {
            **about,
            "components": self.components_.tolist(),
            "center": self.center_.tolist(),
            "scale": self.scale_.tolist(),
            "feature_names": list(self.feature_names_in_),
        }
        return json.dumps(values, indent=1, allow_nan=False)
