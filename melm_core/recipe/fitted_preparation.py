"""A recipe fitted to rows, with all that applies it to others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.recipe.choices import Recipe, StepKind
from melm_core.recipe.row_arithmetic import prepared_features


class FittedStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step with the columns that it changes, by position, and its numbers."""

    kind: StepKind
    at: tuple[int, ...]
    cofactor: float = 1.0
    filter: tuple[tuple[float, ...], ...] = ()


class RecipeRules(msgspec.Struct, frozen=True):
    """What a recipe learned from rows, but for center and scale.

    Attributes
    ----------
    recipe : Recipe
    numeric : tuple of int
        Positions of the numeric columns among the encoded ones.
    fill : tuple of float
        What replaces a missing value, by encoded column.
    indicators : tuple of int
        The columns with a further feature that marks missing values.
    steps : tuple of FittedStep
    neighbors : tuple of tuples of (float or None)
        Rows, of the numeric columns, from which missing values are taken.
    widths : tuple of float
        Of the numeric columns, in distances from `neighbors`.
    n_neighbors : int
    """

    recipe: Recipe
    numeric: tuple[int, ...]
    fill: tuple[float, ...]
    indicators: tuple[int, ...] = ()
    steps: tuple[FittedStep, ...] = ()
    neighbors: tuple[tuple[float | None, ...], ...] = ()
    widths: tuple[float, ...] = ()
    n_neighbors: int = 0

    @property
    def literals(self) -> dict[str, Any]:
        """The rules as `prepared_features` reads them: lists, numbers and texts."""
        values: dict[str, Any] = json.loads(msgspec.json.encode(self))
        del values["recipe"]
        return values

    def feature_names(self, encoded: list[str]) -> list[str]:
        """The names of the features, given those of the encoded columns."""
        return [*encoded, *(f"{encoded[at]} missing" for at in self.indicators)]


@dataclass(frozen=True, eq=False)
class FittedPreparation:
    """A recipe fitted to rows.

    Attributes
    ----------
    rules : RecipeRules
    center, scale : ndarray of shape (n_features,)
        Of the features that the rules make.
    """

    rules: RecipeRules
    center: FloatArray
    scale: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Prepare encoded rows, whether or not the recipe was fitted to them.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            Encoded; NaN where a value is missing.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            NaN where a step cannot be computed, such as the logarithm of a negative number.
        """
        prepared: FloatArray = (self.features(X) - self.center) / self.scale
        return prepared

    def features(self, X: FloatArray) -> FloatArray:
        """The features before they are centered and scaled; see `apply`."""
        features: FloatArray = prepared_features(
            np.asarray(X, dtype=np.float64), self.rules.literals
        )
        return features
