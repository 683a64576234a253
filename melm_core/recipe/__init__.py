"""Preparing features by a recipe: missing values, named steps, scaling; fitted to training rows."""

from __future__ import annotations

from melm_core.recipe.choices import (
    MAX_STEPS,
    Fill,
    MissingValues,
    Recipe,
    Scaling,
    Step,
    StepKind,
)
from melm_core.recipe.curved_features import (
    MOST_CURVED,
    Curve,
    CurvedFeatures,
    beyond_curves,
    curve_groups,
    curve_literals,
    curve_names,
)
from melm_core.recipe.fitting import (
    FittedPreparation,
    Preparation,
    RecipeRules,
    WithinSubjects,
    column_medians,
)
from melm_core.recipe.row_arithmetic import (
    centered_within,
    prepared_features,
    rows_within,
    with_curves,
)

__all__ = [
    "MAX_STEPS",
    "MOST_CURVED",
    "Curve",
    "CurvedFeatures",
    "Fill",
    "FittedPreparation",
    "MissingValues",
    "Preparation",
    "Recipe",
    "RecipeRules",
    "Scaling",
    "Step",
    "StepKind",
    "WithinSubjects",
    "beyond_curves",
    "centered_within",
    "column_medians",
    "curve_groups",
    "curve_literals",
    "curve_names",
    "prepared_features",
    "rows_within",
    "with_curves",
]
