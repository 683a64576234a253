"""The choice of data: a sample or an uploaded file, its label column, its preparation."""

from __future__ import annotations

from typing import Any

import msgspec
from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.development.base_component import Component
from msgspec.structs import replace

from callbacks.page_state import connect_script
from callbacks.services import services
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.layout.elements import named
from melm_studio.layout.header import open_project_item, recent_list
from melm_studio.layout.table_sheet import data_notes, data_size, data_summary, table_items
from melm_studio.planes.theme import THEMES, Scheme, class_shape
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import (
    LABEL,
    OTHER_COLUMNS,
    SAMPLES,
    SHEET,
    ClassRules,
    answers_about_file,
    answers_without,
    recipe_caption,
)
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData, recent_data, remembered_sources

_UNREADABLE = "The last choice of data cannot be read. Choose a sample or drop a CSV file."
_N_COLORS = len(THEMES[Scheme.LIGHT].class_colors)


def register(app: Dash) -> None:
    """Connect the data part of the page."""
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input(ids.LABEL, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(choose_label)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "answer", "question": ALL, "choice": ALL}, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(answer_question)
    app.callback(
        Output(ids.DATA_NAME, "children"),
        Output(ids.DATA_SIZE, "children"),
        Output(ids.DATA_NOTES, "children"),
        Output(ids.DATA_SUMMARY, "children"),
        Output(ids.LABEL, "data"),
        Output(ids.LABEL, "value"),
        Output(ids.RECIPE_OPEN, "children"),
        Output(ids.DATA, "data"),
        Output(ids.SOURCE, "data"),
        Output(ids.DATA_ERROR, "children"),
        Input(ids.CHOICE, "data"),
        Input(ids.SOURCE, "data"),
        State(ids.DATA, "data"),
    )(show_data)
    if services().settings.tables:
        app.callback(
            Output(ids.SAMPLES_OPEN, "children"),
            Output(ids.TABLES, "children"),
            Input(ids.SAMPLES_OPEN, "n_clicks"),
        )(list_tables)
    connect_script(
        app,
        "rememberData",
        Output(ids.RECENT, "data"),
        Input(ids.DATA, "data"),
        State(ids.RECENT, "data"),
    )
    app.callback(
        Output(ids.RECENT_LIST, "children"),
        Input(ids.RECENT_OPEN, "n_clicks"),
        State(ids.RECENT, "data"),
        prevent_initial_call=True,
    )(list_recent)


def list_tables(clicks: int | None) -> tuple[Any, Any]:
    """List the tables of the operator above the samples, as the menu opens."""
    tables = workspace().files.tables()
    return named("Tables" if tables else "Samples"), table_items(tables)


def choose_label(label: str | None, data: Any) -> Any:
    """Choose another label column."""
    shown = None if data is None else ShownData.from_json(data)
    # The page fills in a label that was inferred, or answered: that is not a choice.
    if label is None or shown is None or label == shown.label:
        return no_update
    return msgspec.to_builtins(replace(_for_label(shown.source, label), label=label))


def answer_question(clicks: list[int | None], data: Any) -> Any:
    """Answer a question of the table."""
    pressed = ctx.triggered_id
    if not any(clicks) or not isinstance(pressed, dict) or data is None:
        return no_update
    shown = ShownData.from_json(data)
    questions = workspace().data(shown).questions
    place, number = pressed["question"], pressed["choice"]
    if place >= len(questions) or number >= len(questions[place].choices):
        return no_update  # the table has changed meanwhile
    question = questions[place]
    answer, source = question.choices[number].value, shown.source
    answers = {**source.answers, question.id: answer}
    if question.id in OTHER_COLUMNS:  # what was chosen is of those that the table had
        about = answers_about_file(answers)
        sheet = "" if question.id == SHEET else source.reading.sheet
        reading = replace(source.reading, sheet=sheet)
        reopened = DataSource(source.kind, source.key, source.name, reading=reading, answers=about)
        return msgspec.to_builtins(reopened)
    if question.id == LABEL:
        source = _for_label(source, answer)
        answers = {**source.answers, LABEL: answer}
    return msgspec.to_builtins(replace(source, answers=answers))


def _for_label(source: DataSource, label: str) -> DataSource:
    """Without what was chosen of a column as something else, and of the classes of another."""
    roles = {column: use for column, use in source.roles.items() if column != label}
    answers = answers_without(source.answers, label)
    return replace(source, roles=roles, classes=ClassRules(), answers=answers)


def show_data(choice: Any, remembered: Any, shown: Any) -> tuple[Any, ...]:
    """Prepare the chosen data and describe them; the browser remembers a choice that succeeded."""
    is_new = ctx.triggered_id == ids.CHOICE
    file = ""
    try:
        source = _source(choice if is_new else remembered)
        file = "" if source.label or source.roles else source.name
        registered = workspace().files.registered(source)
        table = services().tables.describe(workspace(), source)
    except UserError as error:
        return *[no_update] * 9, _refusal(str(error), file, shown)
    note = SAMPLES[source.key].explanation if source.kind == "sample" else ""
    return (
        named(table.name),
        data_size(table.summary, registered.n_rows if registered else 0),
        data_notes(table),
        data_summary(
            table, _swatches(len(table.class_names)), registered.note if registered else note
        ),
        [{"value": name, "label": name} for name in table.labels],
        table.label,
        ", ".join(recipe_caption(source.full_recipe)) or "Standardized",
        msgspec.to_builtins(
            ShownData(
                table.id,
                table.name,
                table.label,
                source,
                registered.sampled_version if registered else "",
            )
        ),
        msgspec.to_builtins(source) if is_new else no_update,
        None,
    )


def _refusal(reason: str, file: str, shown: Any) -> str:
    """Say why data are not shown; of a new file also its name, and what the page still shows."""
    named_reason = reason if file in reason else f"{file}: {reason}"
    if not file or shown is None:
        return named_reason
    return f"{named_reason} {ShownData.from_json(shown).name} is still shown."


def _source(choice: Any) -> DataSource:
    try:
        return read(choice, DataSource, "The choice of data")
    except InputError:
        raise InputError(_UNREADABLE) from None


def _swatches(n_classes: int) -> list[tuple[str, str]]:
    return [(f"var(--class-{code % _N_COLORS})", class_shape(code)) for code in range(n_classes)]


def list_recent(clicks: int | None, remembered: Any) -> list[Component]:
    """List the data sets with their runs, as the menu opens, and what opens a project."""
    recent = recent_data(remembered_sources(remembered), workspace().panels())
    return [*recent_list(recent), open_project_item()]
