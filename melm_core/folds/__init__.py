"""Rows that depend on each other, and folds that keep these together."""

from __future__ import annotations

from melm_core.folds.folds import (
    CodedRows,
    Fold,
    group_strata,
    label_runs,
    sampled_rows,
    stratified_folds,
)
from melm_core.folds.row_dependence import (
    DuplicateRows,
    dependence_length,
    duplicate_rows,
    group_dependence,
    near_doubles,
    serial_dependence,
    share_owed_to_neighbors,
    stretches,
)

__all__ = [
    "CodedRows",
    "DuplicateRows",
    "Fold",
    "dependence_length",
    "duplicate_rows",
    "group_dependence",
    "group_strata",
    "label_runs",
    "near_doubles",
    "sampled_rows",
    "serial_dependence",
    "share_owed_to_neighbors",
    "stratified_folds",
    "stretches",
]
