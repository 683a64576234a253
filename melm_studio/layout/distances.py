"""The distances T² and Q of rows from their plane, and what contributes to those of one."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.analyses.content import Block, answer, notes, plot, selects, words
from melm_studio.layout.found import found
from melm_studio.rows.distances import RowContributions, RowDistances

_MOST_LISTED = 200
_EXPLANATION = (
    "T² is the distance from the center within the plane, Q the squared distance from it. One in a "
    "hundred rows like those of the table is beyond each line: dashed for training rows, dotted, "
    "from refits without a tenth of the rows, for held-out rows, which are open. Click a row, or "
    "choose it, to select it and to see why."
)


def distances(
    every: RowDistances, row: int | None, explained: RowContributions | None
) -> list[Component]:
    """All rows, and beside them what moves the chosen one, if one is.

    The figures of both are named "plot" and "contributions".
    """
    said = f"What moves {explained.row} from the center, and off the plane." if explained else ""
    beside = [_rows(every, row), answer(said)]
    if explained:
        beside.append(plot({}, said, name="contributions"))
    return [
        *found([words(every.words)]),
        html.Div(
            [*found([plot({}, every.words)]), html.Div(found(beside))], className="found-columns"
        ),
        *found([notes([_EXPLANATION])]),
    ]


def _rows(every: RowDistances, row: int | None) -> Block:
    """The rows to choose from, the farthest first."""
    places = {int(number): at for at, number in enumerate(every.row_numbers)}
    listed = [int(every.row_numbers[at]) for at in every.farthest(_MOST_LISTED)]
    if row is not None and row not in listed:
        listed = [row, *listed] if row in places else listed
    labels = {"": "Choose a row"} | {str(each): every.label(places[each]) for each in listed}
    return selects([("row", "Row, farthest first", labels, "" if row is None else str(row))])
