"""A plane in plain steps, to compare with what the page gets."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_studio.tables.labeled_data import LabeledData


def standardized_by_class(
    components: FloatArray, train: LabeledData, drawn: LabeledData
) -> list[FloatArray]:
    """Rows of every class in the plane, where the training rows have unit covariance."""
    variances, axes = np.linalg.eigh(np.cov(components @ train.X.T, ddof=0))
    inverse_root = axes @ np.diag(variances**-0.5) @ axes.T
    projected = drawn.X @ components.T @ inverse_root
    return [projected[drawn.y == code] for code in range(len(drawn.class_names))]
