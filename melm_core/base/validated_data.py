"""scikit-learn's check of rows and labels, where each of its versions has it."""

from __future__ import annotations

from typing import Any

from sklearn.utils import validation

__all__ = ["validate_data"]

if hasattr(validation, "validate_data"):  # from scikit-learn 1.6
    validate_data = validation.validate_data
else:

    def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """Check rows and labels, and set or compare the features of an estimator."""
        return estimator._validate_data(X, y, **options)  # noqa: SLF001 - public from 1.6
