"""scikit-learn's check of rows and labels, and its tags, where each of its versions has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn.utils
from sklearn.utils import validation

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError

__all__ = ["allows_nan", "checked_rows", "validate_data"]

if hasattr(validation, "validate_data"):  # from scikit-learn 1.6
    validate_data = validation.validate_data

    def allows_nan(estimator: Any) -> bool:
        """Return whether an estimator takes missing values."""
        return bool(sklearn.utils.get_tags(estimator).input_tags.allow_nan)

else:

    def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """Check rows and labels, and set or compare the features of an estimator."""
        if "ensure_all_finite" in options:
            options["force_all_finite"] = options.pop("ensure_all_finite")
        return estimator._validate_data(X, y, **options)  # noqa: SLF001 - public from 1.6

    def allows_nan(estimator: Any) -> bool:
        """Return whether an estimator takes missing values."""
        return bool(estimator._get_tags()["allow_nan"])  # noqa: SLF001 - public from 1.6


_FINITE = "ensure_all_finite" if hasattr(validation, "validate_data") else "force_all_finite"


def checked_rows(X: Any, y: Any, *, may_miss: bool) -> tuple[FloatArray, npt.NDArray[Any]]:
    """Check rows as numbers and their labels, of one length; missing values may pass."""
    X, y = validation.check_X_y(X, y, dtype=np.float64, **{_FINITE: "allow-nan"})
    is_missing = np.isnan(X)
    if is_missing.any() and not may_miss:
        n_rows = int(is_missing.any(axis=1).sum())
        raise UserError(
            f"X has {is_missing.sum():,} missing values (NaN), in {n_rows:,} rows. Fill them, as "
            "by a preparation that learns from the training rows, or leave these rows out."
        )
    return X, y
