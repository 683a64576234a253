"""The choices of a recipe, the same for every set of rows."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from melm_core.base.errors import UserError

MAX_STEPS = 8
MAX_NEIGHBORS = 50
MAX_WINDOW = 101
_MAX_COLUMNS = 1_000


class Fill(StrEnum):
    """Values that replace missing numbers."""

    MEDIAN = "median"
    NEAREST = "nearest"
    CONSTANT = "constant"


class StepKind(StrEnum):
    """Transformations of the numeric features of a row."""

    LOG = "log"
    LOG_PLUS_ONE = "log1p"
    ASINH = "asinh"
    ROW_SUM = "row_sum"
    SNV = "snv"
    DERIVATIVE = "derivative"


class Scaling(StrEnum):
    """Centering and scaling of each feature, the last step."""

    UNIT = "unit"
    NONE = "none"
    CENTER = "center"
    PARETO = "pareto"
    ROBUST = "robust"
    RANGE = "range"


class MissingValues(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Replacement of missing numbers; missing categories stay a category of their own.

    Attributes
    ----------
    fill : Fill
        The median of the column; the mean of the nearest rows that have a number there; or a
        constant.
    n_neighbors : int
        The number of nearest rows.
    constant : float
    indicator : bool
        Whether each column with missing numbers gets a further feature that is 1 where they are.
    """

    fill: Annotated[Fill, Meta(title="What replaces missing numbers")] = Fill.MEDIAN
    n_neighbors: Annotated[
        int, Meta(title="The number of nearest rows", ge=1, le=MAX_NEIGHBORS)
    ] = 5
    constant: Annotated[
        float, Meta(title="The constant for missing numbers", ge=-1e150, le=1e150)
    ] = 0.0
    indicator: Annotated[bool, Meta(title="The indicator of missing numbers")] = False


MEDIANS = MissingValues()


class Step(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One step.

    Attributes
    ----------
    kind : StepKind
    columns : tuple of str
        The numeric columns that it changes; all of them if empty.
    cofactor : float
        Of the inverse hyperbolic sine: ``asinh(x / cofactor)``.
    window : int
        Columns, an odd number, to which the derivative fits each polynomial.
    degree : int
        Of these polynomials.
    """

    kind: Annotated[StepKind, Meta(title="The kind of a step")]
    columns: Annotated[
        tuple[Annotated[str, Meta(max_length=2_000)], ...],
        Meta(title="The list of columns", max_length=_MAX_COLUMNS),
    ] = ()
    cofactor: Annotated[float, Meta(title="The cofactor", gt=0, le=1e150)] = 1.0
    window: Annotated[int, Meta(title="The window", ge=3, le=MAX_WINDOW)] = 7
    degree: Annotated[int, Meta(title="The degree", ge=1, le=6)] = 2

    def __post_init__(self) -> None:
        if self.window % 2 == 0:
            raise UserError(f"The window must be an odd number of columns; it is {self.window}.")
        if self.degree >= self.window:
            raise UserError(
                f"The window must be larger than the degree; they are {self.window} and "
                f"{self.degree}."
            )


class Recipe(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Preparation of features: missing values, then steps in order, then scaling.

    Attributes
    ----------
    missing : MissingValues
    steps : tuple of Step
    scaling : Scaling

    Examples
    --------
    >>> from melm_core.recipe import Recipe, Scaling, Step, StepKind
    >>> Recipe(steps=(Step(StepKind.LOG),), scaling=Scaling.PARETO).is_plain
    False
    """

    missing: Annotated[MissingValues, Meta(title="The rule for missing numbers")] = MEDIANS
    steps: Annotated[tuple[Step, ...], Meta(title="The list of steps", max_length=MAX_STEPS)] = ()
    scaling: Annotated[Scaling, Meta(title="The scaling")] = Scaling.UNIT

    def __post_init__(self) -> None:
        # Values that do not count are dropped, so that equal recipes are equal.
        missing = MissingValues(
            fill=self.missing.fill,
            n_neighbors=self.missing.n_neighbors if self.missing.fill is Fill.NEAREST else 5,
            constant=self.missing.constant if self.missing.fill is Fill.CONSTANT else 0.0,
            indicator=self.missing.indicator,
        )
        # The very default is left out of JSON.
        force_setattr(self, "missing", MEDIANS if missing == MEDIANS else missing)

    @property
    def is_plain(self) -> bool:
        """True if medians replace missing numbers and features are at most standardized."""
        is_simple = not self.steps and self.missing == MEDIANS
        return is_simple and self.scaling in (Scaling.UNIT, Scaling.NONE)
