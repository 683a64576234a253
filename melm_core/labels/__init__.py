"""Labels and columns before any plane: those that are each other in other words."""

from __future__ import annotations

from melm_core.labels.column_twins import ColumnAlone, Twin, label_twins
from melm_core.labels.quantized_labels import are_quantized

__all__ = ["ColumnAlone", "Twin", "are_quantized", "label_twins"]
