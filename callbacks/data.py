"""The choice of data: a sample or an uploaded file, its label column, its preparation."""

from __future__ import annotations

from typing import Any

import msgspec
from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.development.base_component import Component

from callbacks.page_state import connect_choice, connect_script
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
    SAMPLES,
    recipe_caption,
)
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData, recent_data, remembered_sources
from melm_studio.workspace.map_comparison import map_fits
from melm_studio.workspace.table_choices import answered, with_feature, with_label

_UNREADABLE = "The last choice of data cannot be read. Choose a sample or drop a CSV file."
_N_COLORS = len(THEMES[Scheme.LIGHT].class_colors)


def register(app: Dash) -> None:
    """Connect the data part of the page."""
    connect_choice(app, choose_label, Input(ids.LABEL, "value"))
    answers = Input({"type": "answer", "question": ALL, "choice": ALL}, "n_clicks")
    connect_choice(app, answer_question, answers)
    features = Input({"type": "feature", "column": ALL}, "n_clicks")
    connect_choice(app, choose_feature, features)
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
    # A file with a map is compared with planes when it is shown for the first time.
    app.callback(
        Output(ids.MODE, "value", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children", allow_duplicate=True),
        Input(ids.DATA, "data"),
        State(ids.REQUESTED, "data"),
        prevent_initial_call=True,
    )(compare_map)
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


def choose_label(label: str | None, data: Any) -> DataSource | None:
    """Choose another label column."""
    shown = ShownData.from_json(data)
    # The page fills in a label that was inferred, or answered: that is not a choice.
    if label is None or label == shown.label:
        return None
    return with_label(shown.source, label)


def answer_question(clicks: list[int | None], data: Any) -> DataSource | None:
    """Answer a question of the table."""
    if not (pressed := _pressed(clicks)):
        return None
    shown = ShownData.from_json(data)
    questions = workspace().data(shown).questions
    place, number = pressed["question"], pressed["choice"]
    if place >= len(questions) or number >= len(questions[place].choices):
        return None  # the table has changed meanwhile
    question = questions[place]
    return answered(shown.source, question.id, question.choices[number].value)


def choose_feature(clicks: list[int | None], data: Any) -> DataSource | None:
    """Make a column information, or a feature."""
    if not (pressed := _pressed(clicks)):
        return None
    shown = ShownData.from_json(data)
    columns = services().tables.describe(workspace(), shown.source).columns
    place = pressed["column"]
    return with_feature(shown, columns[place]) if place < len(columns) else None


def _pressed(clicks: list[int | None]) -> dict[str, Any]:
    """Return the id of the button that was pressed; empty where buttons were drawn alone."""
    pressed = ctx.triggered_id
    return pressed if any(clicks) and isinstance(pressed, dict) else {}


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


def compare_map(data: Any, requested: Any) -> tuple[Any, Any]:
    """Run the map and its comparisons, and ask whether the map is real; nothing of other tables.

    Nor of a table that is chosen for a view of a link or a story, which is `requested`.
    """
    space = workspace()
    shown = None if data is None or requested else ShownData.from_json(data)
    if shown is None or shown.source.kind != "upload" or space.shown_fits(shown):
        return no_update, no_update
    try:
        fits = map_fits(space, shown)
        if not fits:
            return no_update, no_update
        space.queue(*fits)
        if fits[0].n_classes > 1:
            space.check(fits[0])
    except UserError as error:  # what was queued before stays
        return no_update, str(error)
    return "compare", None
