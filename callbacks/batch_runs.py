"""Starting several runs at once, to stand beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.data import chosen_table, prepared
from callbacks.panels import MOST_PANELS, newest_revision, runs_shown, source_of
from callbacks.routes.session import owner
from callbacks.runs import NO_DATA, check_data
from callbacks.services import Studio
from callbacks.sidebar import RAIL, Rail
from melm_studio.layout import ids
from melm_studio.worker.records.limits import LimitReachedError
from melm_studio.worker.records.run import RunRecord, new_run

_NOTHING_CHOSEN = "Choose at least one method and one γ to run side by side."
_TOO_MANY = (
    "These are {n_runs} runs; the page holds {most} panels and shows {n_shown}. Choose fewer, or "
    "remove some panels."
)


def register(app: Dash, studio: Studio) -> None:
    """Connect the button that starts every method at every γ in every preparation chosen."""

    @app.callback(
        Output(ids.REVISION, "data", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children", allow_duplicate=True),
        Input(ids.RUN_SEVERAL, "n_clicks"),
        State(ids.DATA, "data"),
        State(ids.SEVERAL_METHODS, "value"),
        State(ids.SEVERAL_GAMMAS, "value"),
        State(ids.SEVERAL_BOTH, "checked"),
        *RAIL,
        prevent_initial_call=True,
    )
    def run_these(
        clicks: int | None,
        data: dict[str, Any] | None,
        methods: Sequence[str] | None,
        gammas: Sequence[str] | None,
        both: bool,
        *held: Any,
    ) -> tuple[Any, str | None]:
        if data is None:
            return no_update, NO_DATA
        try:
            asked = list(product(methods or (), map(_number, gammas or ()), _ways(data, both=both)))
            _check_room(studio, data, len(asked))
            return _created(studio, _new_runs(studio, data, asked, Rail(*held)))
        except ValueError as error:
            return no_update, str(error)


def _number(text: str) -> Any:
    """The number that was typed; what is none stays as it is, to be refused."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _ways(data: Mapping[str, Any], *, both: bool) -> list[bool]:
    """Whether the features are standardised: as chosen, or either way."""
    chosen = source_of(data).get("standardise", True)
    return [chosen, not chosen] if both else [chosen]


def _check_room(studio: Studio, data: Mapping[str, Any], n_runs: int) -> None:
    if n_runs == 0:
        raise ValueError(_NOTHING_CHOSEN)
    n_shown = len(runs_shown(studio, data))
    if n_shown + n_runs > MOST_PANELS:
        raise ValueError(_TOO_MANY.format(n_runs=n_runs, most=MOST_PANELS, n_shown=n_shown))


def _new_runs(
    studio: Studio,
    data: Mapping[str, Any],
    asked: Sequence[tuple[str, Any, bool]],
    rail: Rail,
) -> list[RunRecord]:
    """The runs, none of them queued yet; all are checked before the first one starts."""
    source = source_of(data)
    table = chosen_table(studio, source)
    ways = {way: prepared(studio, table, {**source, "standardise": way}) for _, _, way in asked}
    runs = []
    for method, gamma, way in asked:
        parameters = rail.parameters(method, gamma)
        check_data(method, ways[way], parameters)
        runs.append(
            new_run(
                owner(),
                ways[way].content_hash,
                ways[way].name,
                method,
                parameters,
                source={**source, "standardise": way},
            )
        )
    return runs


def _created(studio: Studio, runs: Iterable[RunRecord]) -> tuple[Any, str | None]:
    """Queue the runs; where a limit is reached, those that fit are kept."""
    try:
        for run in runs:
            studio.store.create(run)
    except LimitReachedError as error:
        return newest_revision(studio), str(error)
    return newest_revision(studio), None
