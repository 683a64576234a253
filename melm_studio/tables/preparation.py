"""Preparing a table as labeled data: numeric features and classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import (
    CellRules,
    ColumnEncoding,
    FloatArray,
    IntArray,
    UserError,
    unique_names,
)
from melm_core.recipe import (
    FittedPreparation,
    MissingValues,
    Preparation,
    Recipe,
    Scaling,
    column_medians,
)
from melm_studio.tables.class_questions import (
    class_questions,
    ordered_classes,
    with_one_case,
    without_missing_words,
)
from melm_studio.tables.classes import (
    VALUES_AS_CLASSES,
    Classes,
    ClassRules,
    find_classes,
    sort_key,
)
from melm_studio.tables.column_roles import (
    AS_FEATURES,
    CHOSEN,
    LARGEST,
    LONG_TEXT,
    can_be_used,
    column_roles,
    find_roles,
    without_said,
)
from melm_studio.tables.dependence import (
    AskedRows,
    dependence_notes,
    dependence_questions,
    has_chosen_groups,
    row_groups,
)
from melm_studio.tables.designs import (
    Centering,
    MaybeShared,
    compared_within,
    without_shared,
)
from melm_studio.tables.distinct import distinct_values
from melm_studio.tables.families import beside_spectra
from melm_studio.tables.formatting import count, listed, number, number_text, shortened
from melm_studio.tables.frames import columns_of
from melm_studio.tables.labeled_data import LabeledData, UnlabeledRows, refilled
from melm_studio.tables.labels import (
    guess_label,
    label_candidates,
    likely_labels,
    way_to_a_label,
)
from melm_studio.tables.pixels import grid_question, pixel_grid
from melm_studio.tables.questions import (
    COLUMN,
    EACH_WAY,
    GRID,
    LABEL,
    NEIGHBORS,
    ORDER,
    SHARED,
    SUBJECTS,
    USE,
    Question,
    answered_roles,
    answers_about,
    checked_answers,
)
from melm_studio.tables.read import Table, TableError
from melm_studio.tables.reading_questions import column_questions, label_question, reading_questions
from melm_studio.tables.recipe_words import filled_sentences, step_sentences
from melm_studio.tables.records import MAX_CELLS
from melm_studio.tables.roles import FEATURES, NO_LABEL, SINGLE_USES, USED, Column, Role, Use
from melm_studio.tables.row_columns import row_columns
from melm_studio.tables.rows_beside import without_rows_beside
from melm_studio.tables.scales import ordered_levels
from melm_studio.tables.twin_questions import (
    made_question,
    shown_twins,
    twin_questions,
    without_twins,
)

MOST_SAID, LEAST_REPEATED = 4, 4  # categories of a sheet of samples, and rows of each of them
MOST_SHARED = 0.1  # of the words of more categories, those that several have
TO_JOIN = (
    "If the table only says what samples are, drop a .zip of it and of the one with their numbers."
)

__all__ = ["column_roles", "guess_label", "label_candidates", "prepare"]


def prepare(
    table: Table,
    label: str | None = None,
    *,
    standardize: bool = True,
    recipe: Recipe | None = None,
    roles: Mapping[str, Use | str] | None = None,
    class_rules: ClassRules = VALUES_AS_CLASSES,
    orders: Mapping[str, Sequence[str]] | None = None,
    answers: Mapping[str, str] | None = None,
    max_cells: int = MAX_CELLS,
) -> LabeledData:
    """Turn a table into numeric features and classes.

    Parameters
    ----------
    table : Table
        The table as read from a file.
    label : str, optional
        The column that contains the classes, or `NO_LABEL`; guessed by default.
    standardize : bool, default=True
        Whether to scale every feature to mean 0 and standard deviation 1, without a recipe.
    recipe : Recipe, optional
        Missing numbers, steps and scaling; by default, medians and `standardize`.
    roles : mapping of str to Use, optional
        Columns to use as features or to leave out, whatever would be inferred; never the label.
    class_rules : ClassRules, optional
        How the values of the label become classes; by default each value is one.
    orders : mapping of str to sequence of str, optional
        The categories of ordered columns from low to high, where the user put them in order; of the
        label, its classes in the order in which they are shown.
    answers : mapping of str to str, optional
        Answers to the questions of the table, by their ids; see `Question`. One that does not fit
        this table, as it may where the answers are those of another, is not used: a warning says
        so, and the question is asked again.
    max_cells : int, default=50_000_000
        The largest prepared table, of 8 bytes per cell.

    Raises
    ------
    TableError
        If no class has two rows or more, or there is no feature, or a column
        cannot be used as `roles` or `recipe` says, or there is no such answer.

    Examples
    --------
    >>> from melm_studio.tables import load_sample, prepare
    >>> prepare(load_sample("iris")).X.shape
    (150, 4)
    """
    given, chosen = checked_answers(answers or {}), roles or {}
    answers = answers_about(given, map(str, table.frame.columns))
    preset = answers_about(checked_answers(table.answers), map(str, table.frame.columns))
    preset = _with_classes(table.frame, preset, class_rules)
    if recipe is None:
        recipe = Recipe(scaling=Scaling.UNIT if standardize else Scaling.NONE)
    likely: list[str] = []
    if label is None:
        answers = _with_classes(table.frame, answers, class_rules)
        uses = {**chosen, **answered_roles(answers, chosen), **_beside_features(preset)}
        likely = _said_labels(preset) if LABEL in preset else likely_labels(table, uses)
        label = answers.get(LABEL) or preset.get(LABEL) or likely[0]
    table, missing = without_missing_words(table, label, class_rules, answers)
    joined = with_one_case(class_rules, table.frame, label, answers)
    classes = find_classes(table.frame, label, joined)
    classes, beside, controls = without_rows_beside(
        table.frame, label, classes, {**preset, **answers}, class_rules
    )
    classes, is_unfit = ordered_classes(classes, (orders or {}).get(label, ()), answers)
    if is_unfit:
        answers = {question: answer for question, answer in answers.items() if question != ORDER}
    if likely == [NO_LABEL] and LABEL not in answers:
        classes = replace(classes, steps=(*classes.steps, way_to_a_label(table)))
    answers = _with_uses(table.frame, label, classes, answers)
    classes, answers, subjects = compared_within(table.frame, label, classes, answers)
    by_user = {**chosen, **answered_roles(answers, chosen)}
    by_file = controls | _free_uses(_with_uses(table.frame, label, classes, preset), by_user)
    roles = {**by_file, **by_user}
    columns = without_said(
        find_roles(table, label, classes, roles), table.beside or beside_spectra(table.frame), roles
    )
    labeled = table.frame.iloc[classes.rows]
    twins = twin_questions(labeled, columns, classes, answers, roles)
    columns = without_shared(
        without_twins(columns, twins),
        labeled,
        classes.y,
        subjects=subjects,
        answers=answers,
        roles=roles,
    )
    frame = _with_categories(labeled, columns)
    said = by_file.keys() - by_user.keys()
    encodings = _encodings(frame, columns, orders or {}, max_cells, said)
    row_numbers, cells = table.row_numbers[classes.rows], frame[subjects] if subjects else None
    centering = _centering(recipe, encodings, _encoded(frame, encodings), cells)
    fitted, features = _fitted(centering, row_numbers, max_cells)
    X = (features - fitted.center) / fitted.scale
    kept = row_columns(frame, columns)
    rows = AskedRows(frame, _asked_about(columns, table), centering.rows, encodings, X, classes.y)
    questions = dependence_questions(rows, answers, table.answers)
    shared = MaybeShared.of(
        columns,
        frame,
        classes.y,
        things=_things(columns, questions, answers, subjects),
        roles=roles,
    )
    columns = _as_the_file_says(columns, said)
    sheet, notes = _sheet_of_samples(columns, frame), tuple(dependence_notes(rows, questions))
    unfit = [question for question in given if question not in answers]
    read_questions = (
        *label_question(table, likely, answers.get(LABEL, ""), is_anew=LABEL in unfit),
        *reading_questions(table, answers),
        *beside,
        *missing,
        *class_questions(table.frame, label, classes, answers),
        *column_questions(
            frame,
            rows.columns,
            answers,
            chosen,
            {*_suspected_subjects(questions), *shared.reasons, *table.counted_words},
            numbers=table.numbers,
            embedded=table.recorded_beside,
            are_more=len(rows.columns) < len(columns),
        ),
        *shown_twins(twins),
        *shared.questions(answers),
        *made_question(label, features, classes.y, answers),
    )
    warnings = (*sheet, *(() if has_chosen_groups(columns, questions) else notes))
    unfit_steps = _unfit_steps({question: given[question] for question in unfit})
    unlabeled, unlabeled_steps = _unlabeled_rows(
        table.frame,
        columns,
        encodings,
        fitted,
        centering,
        places=classes.unlabeled,
        max_cells=max_cells - X.size,
    )
    data = LabeledData(
        name=table.name,
        X=X,
        y=classes.y,
        class_names=classes.names,
        feature_names=feature_names(fitted, centering.preparation),
        center=fitted.center,
        scale=fitted.scale,
        row_numbers=row_numbers,
        steps=(
            *table.steps,
            *unfit_steps,
            *classes.steps,
            *_column_steps(columns, frame, encodings, recipe.missing),
            *step_sentences(recipe),
            *unlabeled_steps,
            *sheet,
            *notes,
        ),
        columns=_described(columns, table.descriptions),
        groups=row_groups(kept, rows, answers),
        row_columns=kept,
        unlabeled=unlabeled,
        encodings=tuple(refilled(encodings, fitted.rules.fill) if subjects else encodings),
        form=table.form,
        cell_rules=None if table.rules == CellRules() else table.rules,
        questions=(*questions, *read_questions),
        within=centering.within,
        **_kept_for_refits(centering, fitted),
        # The first step of the classes only names them.
        warnings=(*table.warnings, *unfit_steps, *classes.steps[1:], *unlabeled_steps, *warnings),
    )
    return _with_grid(data, answers.get(GRID, ""))


def _asked_about(columns: Sequence[Column], table: Table) -> list[Column]:
    """The columns without what was measured, of which no name asks for another role."""
    return [c for c in columns if c.name not in table.measured or c.role not in FEATURES]


def _things(
    columns: Sequence[Column],
    questions: Sequence[Question],
    answers: Mapping[str, str],
    subjects: str,
) -> list[str]:
    """The columns whose values say, or may say, of which thing each row is."""
    things = [name.removeprefix(SHARED) for name in answers if name.startswith(SHARED)]
    things += [column.name for column in columns if column.role is Role.GROUP]
    for question in questions:
        if question.id.startswith(SUBJECTS):
            things.append(question.id.removeprefix(SUBJECTS))
        elif question.id == NEIGHBORS:
            offered = (choice.value for choice in question.choices)
            things += [value.removeprefix(COLUMN) for value in offered if value.startswith(COLUMN)]
    return [name for name in dict.fromkeys(things) if name != subjects]


def _suspected_subjects(questions: Sequence[Question]) -> Iterator[str]:
    return (each.id.removeprefix(SUBJECTS) for each in questions if each.default == EACH_WAY)


def _with_grid(data: LabeledData, said: str) -> LabeledData:
    """The data with the question whether the features are pixels, if it is one."""
    unfit: tuple[str, ...] = ()
    if said:
        try:
            pixel_grid(data, said)
        except TableError:
            said, unfit = "", _unfit_steps({GRID: said})
    questions = tuple(grid_question(data, said))
    if not (questions or unfit):
        return data
    return replace(
        data,
        questions=(*data.questions, *questions),
        steps=(*data.steps, *unfit),
        warnings=(*unfit, *data.warnings),
    )


def _with_classes(
    frame: pd.DataFrame, answers: Mapping[str, str], rules: ClassRules
) -> dict[str, str]:
    """The answers, without that about the label if the column that it names has no classes."""
    if LABEL in answers:
        try:
            find_classes(frame, answers[LABEL], rules)
        except TableError:
            return {question: answer for question, answer in answers.items() if question != LABEL}
    return dict(answers)


def _with_uses(
    frame: pd.DataFrame, label: str, classes: Classes, answers: Mapping[str, str]
) -> dict[str, str]:
    """The answers, without those about columns that cannot be used so."""
    names = {
        question: question.removeprefix(USE) for question in answers if question.startswith(USE)
    }
    return {
        question: answer
        for question, answer in answers.items()
        if question not in names
        or (names[question] != label and can_be_used(frame[names[question]], classes, Use(answer)))
    }


def _beside_features(answers: Mapping[str, str]) -> dict[str, str]:
    """The uses of columns that the file says are neither features nor the label."""
    uses = answered_roles(answers, {})
    return {name: use for name, use in uses.items() if use not in AS_FEATURES}


def _said_labels(answers: Mapping[str, str]) -> list[str]:
    """The label, if the file says of it, too, that it is no feature, and what it says so of.

    Or `NO_LABEL`, if it says that it has none.
    """
    label, uses = answers[LABEL], answered_roles(answers, {})
    others = [label] if label == NO_LABEL else [name for name in uses if uses[name] == Use.INFO]
    return sorted(others, key=label.__ne__) if label in others else []


def _free_uses(answers: Mapping[str, str], roles: Mapping[str, Use | str]) -> dict[str, Use]:
    """Return what the file says of columns, where the user has not chosen otherwise."""
    taken = {use for use in roles.values() if use in SINGLE_USES}
    return {name: use for name, use in answered_roles(answers, roles).items() if use not in taken}


def _as_the_file_says(columns: Sequence[Column], names: Collection[str]) -> tuple[Column, ...]:
    """The columns, of which those that the user has not chosen so say that the file does."""
    return tuple(
        msgspec.structs.replace(
            column, reason=f"{column.reason.removesuffix(CHOSEN)}as the file says"
        )
        if column.name in names and column.reason.endswith(CHOSEN)
        else column
        for column in columns
    )


def _described(columns: Sequence[Column], descriptions: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns with what the file says that they are."""
    return tuple(
        msgspec.structs.replace(
            column, reason=f"{column.reason}; {shortened(descriptions[column.name], 200)}"
        )
        if column.name in descriptions
        else column
        for column in columns
    )


def _with_categories(frame: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """The table with numbers that are categories as the texts that name them."""
    texts = {
        column.name: frame[column.name].map(number_text, na_action="ignore").astype(object)
        for column in columns
        if column.role is Role.CATEGORICAL and frame[column.name].dtype.kind == "f"
    }
    return frame.assign(**texts) if texts else frame


def _unfit_steps(answers: Mapping[str, str]) -> tuple[str, ...]:
    """Name the answers that are not used."""
    if not answers:
        return ()
    unused = listed([f"{question} = {answer}" for question, answer in answers.items()])
    return (
        f"Not used, since this table does not fit: {count(len(answers), 'answer')} ({unused}).",
    )


def _encoded(frame: pd.DataFrame, encodings: Sequence[ColumnEncoding]) -> FloatArray:
    """The encoded columns, of shape (n_rows, n_columns), NaN where a number is missing."""
    parts = [
        # At once, since one by one takes long for thousands of columns.
        columns_of(frame, [encoding.name for encoding in run]).to_numpy(np.float64)
        if are_numbers
        else np.hstack([encoding.with_gaps.encode(frame[encoding.name]) for encoding in run])
        for are_numbers, run in _runs_of_numbers(encodings)
    ]
    encoded = np.ascontiguousarray(np.hstack(parts))
    return np.where(np.isinf(encoded), np.nan, encoded) if np.isinf(encoded).any() else encoded


def _runs_of_numbers(
    encodings: Sequence[ColumnEncoding],
) -> Iterator[tuple[bool, list[ColumnEncoding]]]:
    """Encodings that follow each other, all of plain numbers or none."""
    return (
        (are, list(run)) for are, run in groupby(encodings, lambda encoding: not encoding.levels)
    )


def _centering(
    recipe: Recipe,
    encodings: Sequence[ColumnEncoding],
    raw: FloatArray,
    subjects: pd.Series | None,
) -> Centering:
    """The encoded rows less the means of subjects, if there are any to compare within."""
    try:
        return Centering.of(Preparation.of(recipe, encodings), raw, subjects)
    except UserError as refusal:
        raise TableError(str(refusal)) from None


def _fitted(
    centering: Centering, row_numbers: IntArray, max_cells: int
) -> tuple[FittedPreparation, FloatArray]:
    """The recipe fitted to the rows, and their features before scaling."""
    try:
        fitted, features = centering.preparation.fit_features(centering.rows, row_numbers)
    except UserError as refusal:
        raise TableError(str(refusal)) from None
    _reject_too_many(features.shape[1], len(features), max_cells)
    return fitted, features


def feature_names(fitted: FittedPreparation, preparation: Preparation) -> tuple[str, ...]:
    """The names of prepared features, each once."""
    return tuple(unique_names(fitted.rules.feature_names([*preparation.names])))


def _kept_for_refits(centering: Centering, fitted: FittedPreparation) -> dict[str, Any]:
    """Return what folds need to refit the recipe; of a plain one, only with missing numbers."""
    if not centering.preparation.recipe.is_plain:
        return {"rules": fitted.rules, "raw": centering.rows}
    is_missing = np.isnan(centering.rows)
    return {"is_missing": is_missing} if is_missing.any() else {}


def _unlabeled_rows(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    encodings: Sequence[ColumnEncoding],
    fitted: FittedPreparation,
    centering: Centering,
    *,
    places: IntArray,
    max_cells: int,
) -> tuple[UnlabeledRows | None, tuple[str, ...]]:
    """The rows without a label whose categories are known."""
    if not len(places):  # as of most tables
        return None, ()
    rows = _with_categories(frame.iloc[places], columns)
    names = [encoding.name for encoding in encodings]
    has_features = columns_of(rows, names).notna().any(axis=1)
    n_bare = int(rows[~has_features].notna().any(axis=1).sum())  # a row without anything is no row
    bare = (f"Left out: {count(n_bare, 'row')} with neither a label nor a feature.",)
    steps = [*(bare if n_bare else ())]
    rows = rows[has_features]
    n_unlabeled = len(rows)
    if not n_unlabeled:
        return None, tuple(steps)
    is_known = _are_known(rows, encodings)
    n_features = len(fitted.center)
    if n_features * int(is_known.sum()) > max_cells:
        want = f"Left out: {count(n_unlabeled, 'row')} without a label, for want of memory."
        return None, (*steps, want)
    if not is_known.all():
        odd = count(int((~is_known).sum()), "row")
        steps.append(f"Left out: {odd} without a label with categories that no labeled row has.")
    if not is_known.any():
        return None, tuple(steps)
    unknown = count(n_unlabeled, "row")
    steps.insert(0, f"{unknown} without a label: kept as unknown, not used by the fit.")
    encoded = _encoded(rows[is_known], encodings)
    if centering.within is not None:
        encoded = centering.beside(encoded, rows.loc[is_known, centering.within.column])
    with np.errstate(over="ignore"):  # what no labeled row has may be of any size
        X = fitted.apply(encoded)
    is_usable = np.all(np.abs(X) <= LARGEST, axis=1) & ~np.isnan(encoded).all(axis=1)
    if not is_usable.all():
        odd = count(int((~is_usable).sum()), "row")
        steps.append(f"Left out: {odd} without a label for which a step cannot be computed.")
    rows_known = rows.iloc[np.flatnonzero(is_known)[is_usable]]
    is_refitted = not fitted.rules.recipe.is_plain or bool(np.isnan(encoded).any())
    unlabeled = UnlabeledRows(
        X=X[is_usable],
        row_numbers=rows_known.index.to_numpy(np.int64) + 1,
        row_columns=row_columns(rows_known, columns),
        raw=encoded[is_usable] if is_refitted else None,
    )
    return unlabeled, tuple(steps)


def _are_known(rows: pd.DataFrame, encodings: Sequence[ColumnEncoding]) -> npt.NDArray[np.bool_]:
    """Return which rows have what each encoding takes; numbers at once, as those of many genes."""
    whole = [each.name for each in encodings if not each.levels and each.fill is None]
    is_known = np.isfinite(columns_of(rows, whole).to_numpy(np.float64)).all(axis=1)
    for encoding in encodings:
        if encoding.levels:
            is_known &= encoding.can_encode(rows[encoding.name])
    return np.asarray(is_known)


def _encodings(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    orders: Mapping[str, Sequence[str]],
    max_cells: int,
    said: Collection[str],
) -> list[ColumnEncoding]:
    """The encodings of the columns that are features; of `said` the file says what they are."""
    encodings: list[ColumnEncoding] = []
    n_features = 0
    fills = _medians(frame, [column.name for column in columns if column.role is Role.NUMERIC])
    for column in columns:
        if column.role is Role.NUMERIC:
            encodings.append(ColumnEncoding(column.name, fill=fills[column.name]))
            n_features += 1
        elif column.role in FEATURES:
            order = orders.get(column.name, ())
            encodings.append(_encoding(frame[column.name], column, order))
            n_features += len(encodings[-1].feature_names)
            _reject_too_many(n_features, len(frame), max_cells)
    _reject_too_many(n_features, len(frame), max_cells)
    if not encodings:
        raise TableError(_no_feature(_as_the_file_says(columns, said)))
    return encodings


def _medians(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, float]:
    """The median of what is present in each column."""
    numbers = columns_of(frame, names).to_numpy(np.float64)
    return dict(zip(names, column_medians(numbers).tolist(), strict=True))


def _encoding(cells: pd.Series, column: Column, order: Sequence[str]) -> ColumnEncoding:
    levels = sorted(distinct_values(cells), key=_level_key)
    if column.role is Role.ORDERED:
        ordered = _chosen_order(column, levels, order) if order else ordered_levels(levels)
        return _ordered_encoding(cells, ordered or tuple(levels))
    missing = (None,) if cells.isna().any() else ()
    return ColumnEncoding(column.name, levels=(*levels, *missing))


def _level_key(level: str) -> tuple[float, tuple[float | str, float | str]]:
    """Sort key: categories that are numbers by their value."""
    try:
        return float(level), sort_key(level)
    except ValueError:
        return np.inf, sort_key(level)


def _chosen_order(column: Column, levels: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    """The order that the user gave, which must have every category once."""
    lacking = [level for level in levels if level not in order]
    if lacking or len(set(order)) < len(order):
        problem = f"lacks {listed(lacking)}" if lacking else "names a category twice"
        raise TableError(
            f"The order of {shortened(column.name)} {problem}. Name each of its categories once, "
            "from low to high."
        )
    return tuple(order)


def _ordered_encoding(cells: pd.Series, levels: tuple[str, ...]) -> ColumnEncoding:
    codes = pd.Index(levels).get_indexer(pd.Index(cells.dropna()))
    # A category, not a value between two of them.
    fill = float(np.quantile(codes, 0.5, method="lower")) if cells.isna().any() else None
    return ColumnEncoding(str(cells.name), fill=fill, levels=levels, is_ordered=True)


def _reject_too_many(n_features: int, n_rows: int, max_cells: int) -> None:
    if n_features * n_rows > max_cells:
        raise TableError(
            f"The prepared table has {count(n_rows, 'row')} and so many features that it exceeds "
            f"{number(max_cells)} cells. Remove rows or columns and drop the file again."
        )


def _no_feature(columns: Sequence[Column]) -> str:
    others = [column for column in columns if column.role not in (Role.LABEL, *FEATURES)]
    left_out = [f"{shortened(column.name)} ({column.reason})" for column in others]
    why = f" Left out: {'; '.join(left_out[:5])}." if left_out else ""
    is_text = any(column.reason.endswith(LONG_TEXT) for column in others)
    such = ", such as how often it has each word," if is_text else ""
    return (
        f"A picture needs a feature, and the table has none.{why} Add columns with numbers or "
        f"categories{such} and drop the file again.{'' if is_text else f' {TO_JOIN}'}"
    )


def _sheet_of_samples(columns: Sequence[Column], frame: pd.DataFrame) -> tuple[str, ...]:
    """Say that nothing was measured of named rows that categories tell apart.

    A few do, or any number that have hardly a word in common, as genotypes and answers have.
    """
    features = [column for column in columns if column.role in FEATURES]
    are_categories = all(column.role is Role.CATEGORICAL for column in features)
    if not are_categories or not any(column.role is Role.NAME for column in columns):
        return ()
    names = [column.name for column in features]
    are_repeated = LEAST_REPEATED * len(frame[names].drop_duplicates()) <= len(frame)
    if not (are_repeated and len(names) <= MOST_SAID):
        words = Counter(chain.from_iterable(distinct_values(frame[name]) for name in names))
        if sum(n > 1 for n in words.values()) > MOST_SHARED * len(words):
            return ()
    return (f"No feature is a measurement, but a category: {listed(names)}. {TO_JOIN}",)


def _column_steps(
    columns: Sequence[Column],
    frame: pd.DataFrame,
    encodings: Sequence[ColumnEncoding],
    missing: MissingValues,
) -> Iterator[str]:
    numeric = [column.name for column in columns if column.role is Role.NUMERIC]
    categorical = [column.name for column in columns if column.role is Role.CATEGORICAL]
    if numeric:
        are = "is a feature" if len(numeric) == 1 else "are features"
        yield f"{count(len(numeric), 'numeric column')} {are}."
    if categorical:
        are = "is" if len(categorical) == 1 else "are"
        noun = count(len(categorical), "categorical column")
        yield f"{noun} {are} one-hot encoded ({listed(categorical)})."
    for encoding in encodings:
        if encoding.is_ordered:
            levels = [str(level) for level in encoding.levels]
            is_alphabetical = levels == sorted(levels, key=sort_key)
            is_known = ordered_levels(distinct_values(frame[encoding.name])) is not None
            yield _ordered_step(encoding.name, levels if is_known or not is_alphabetical else None)
    yield from _kept_steps(columns)
    left_out: dict[tuple[Role, str], list[str]] = {}
    for column in columns:
        if column.role not in USED:
            left_out.setdefault((column.role, column.reason), []).append(column.name)
    for (role, reason), names in left_out.items():
        yield _left_out_step(role, reason, names, frame)
    gaps = {
        role: {one.name: one.n_missing for one in columns if one.n_missing and one.role is role}
        for role in FEATURES
    }
    numbers = gaps[Role.NUMERIC] | gaps[Role.ORDERED]
    yield from filled_sentences(missing, numbers, gaps[Role.CATEGORICAL])


def _ordered_step(name: str, levels: Sequence[str] | None) -> str:
    order = " < ".join(map(shortened, levels)) if levels else "in alphabetical order"
    return f"{shortened(name)} is an ordered category ({order}): one feature, its position."


def _kept_steps(columns: Sequence[Column]) -> Iterator[str]:
    """The columns that are kept beside the features; groups have notes of their own."""
    for role, what in ((Role.NAME, "Name of the rows"), (Role.INFO, "Kept as information")):
        names = [column.name for column in columns if column.role is role]
        if names:
            yield f"{what}: {listed(names)}."


def _left_out_step(role: Role, reason: str, names: list[str], frame: pd.DataFrame) -> str:
    why = reason.partition(":")[0]
    if role is Role.CONSTANT:
        if len(names) > 1:
            return f"Left out: {number(len(names))} columns of one value each ({listed(names)})."
        value = shortened(str(frame[names[0]].dropna().iloc[0]).removesuffix(".0"))
        return f"Left out: {shortened(names[0])} (always {value})."
    if len(names) == 1:
        return f"{shortened(names[0])} is left out: {why}."
    noun = f"{number(len(names))} columns are"
    return f"{noun} left out ({listed(names)}): {why}."
