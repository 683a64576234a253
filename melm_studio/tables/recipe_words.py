"""A recipe in words: sentences about the table, and what a title says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from melm_core.recipe import Fill, MissingValues, Recipe, Scaling, Step, StepKind
from melm_studio.tables.formatting import count, listed, number_text

STEP_NAMES = {
    StepKind.LOG: "Logarithm",
    StepKind.LOG_PLUS_ONE: "Logarithm of 1 + x",
    StepKind.ASINH: "Inverse hyperbolic sine",
    StepKind.ROW_SUM: "Division by the row sum",
    StepKind.SNV: "Standard normal variate (SNV)",
    StepKind.DERIVATIVE: "First derivative",
}
SCALING_NAMES = {
    Scaling.UNIT: "Standardize: mean 0, standard deviation 1",
    Scaling.NONE: "Leave as they are",
    Scaling.CENTER: "Center only",
    Scaling.PARETO: "Pareto: divide by the square root of the standard deviation",
    Scaling.ROBUST: "Robust: median and interquartile range",
    Scaling.RANGE: "Range: divide by maximum minus minimum",
}
_SHORT = {
    StepKind.LOG: "log",
    StepKind.LOG_PLUS_ONE: "log(1 + x)",
    StepKind.ASINH: "asinh",
    StepKind.ROW_SUM: "row sum",
    StepKind.SNV: "SNV",
    StepKind.DERIVATIVE: "derivative",
    Scaling.NONE: "not standardized",
    Scaling.CENTER: "centered",
    Scaling.PARETO: "Pareto",
    Scaling.ROBUST: "robust scaling",
    Scaling.RANGE: "range scaling",
}
_SCALED = {
    Scaling.UNIT: "Standardized: mean 0, standard deviation 1.",
    Scaling.CENTER: "Centered: mean 0.",
    Scaling.PARETO: "Pareto scaling: mean 0, divided by the square root of the standard deviation.",
    Scaling.ROBUST: "Robust scaling: median 0, interquartile range 1.",
    Scaling.RANGE: "Range scaling: mean 0, maximum minus minimum 1.",
}


def recipe_caption(recipe: Recipe) -> list[str]:
    """Describe how a recipe differs from the default, in a word or two each.

    Examples
    --------
    >>> from melm_core.recipe import Recipe, Scaling, Step, StepKind
    >>> recipe_caption(Recipe(steps=(Step(StepKind.LOG),), scaling=Scaling.PARETO))
    ['log', 'Pareto']
    """
    filled = "" if recipe.missing == MissingValues() else f"gaps: {_fill_words(recipe.missing)}"
    scaled = "" if recipe.scaling is Scaling.UNIT else _SHORT[recipe.scaling]
    return [
        part for part in (filled, *(_SHORT[step.kind] for step in recipe.steps), scaled) if part
    ]


def step_sentences(recipe: Recipe) -> Iterator[str]:
    """Describe what the steps and the scaling did, a sentence each, in order."""
    for step in recipe.steps:
        yield f"{STEP_NAMES[step.kind]}{_settings(step)}, of {_columns(step)}."
    if recipe.scaling in _SCALED:
        yield _SCALED[recipe.scaling]


def filled_sentences(
    missing: MissingValues, numeric: Mapping[str, int], categorical: Mapping[str, int]
) -> Iterator[str]:
    """Describe how missing cells were filled, given their number in each column that has some."""
    for n_missing, fate in (
        (numeric, f"filled with {fill_source(missing)}"),
        (categorical, "counted as a category"),
    ):
        if n_missing:
            n_cells = sum(n_missing.values())
            columns = f"{count(len(n_missing), 'column')} ({listed([*n_missing])})"
            were = "was" if n_cells == 1 else "were"
            yield f"{count(n_cells, 'missing value')} in {columns} {were} {fate}."
    if missing.indicator and numeric:
        yield "Each of these columns has a further feature that is 1 where its value is missing."


def fill_source(missing: MissingValues) -> str:
    """Name what replaces missing numbers: "the median"."""
    if missing.fill is Fill.NEAREST:
        return f"the mean of the {count(missing.n_neighbors, 'nearest row')}"
    return "the median" if missing.fill is Fill.MEDIAN else number_text(missing.constant)


def _fill_words(missing: MissingValues) -> str:
    filled = {
        Fill.MEDIAN: "median",
        Fill.NEAREST: f"{missing.n_neighbors} nearest",
        Fill.CONSTANT: number_text(missing.constant),
    }[missing.fill]
    return f"{filled} and indicator" if missing.indicator else filled


def _settings(step: Step) -> str:
    if step.kind is StepKind.ASINH and step.cofactor != 1:
        return f" of x / {number_text(step.cofactor)}"
    if step.kind is StepKind.DERIVATIVE:
        return f" by Savitzky and Golay, {step.window} columns, degree {step.degree}"
    return ""


def _columns(step: Step) -> str:
    columns: Sequence[str] = step.columns
    return listed(list(columns)) if columns else "all numeric columns"
