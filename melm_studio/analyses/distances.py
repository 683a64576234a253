"""T² and Q of the rows of a run, drawn, and what moves the one that is chosen."""

from __future__ import annotations

import json

from melm_studio.analyses.content import Block, answer, notes, plot, selects
from melm_studio.planes.theme import Scheme
from melm_studio.rows.distances import RowContributions, RowDistances
from melm_studio.rows.distances_figure import contributions_figure, distances_figure
from melm_studio.tables import LabeledData

_MOST_LISTED = 200
_EXPLANATION = (
    "T² is the distance from the center within the plane, Q the squared distance from it. One in a "
    "hundred rows like those of the table is beyond each line: dashed for training rows, dotted, "
    "from refits without a tenth of the rows, for held-out rows, which are open. Click a row, or "
    "choose it, to select it and to see why."
)


def distances_shown(
    data: LabeledData,
    every: RowDistances,
    row: int | None,
    explained: RowContributions | None,
    scheme: Scheme = Scheme.LIGHT,
) -> list[Block]:
    """All rows, a way to choose one, and what moves the chosen one, if one is.

    Parameters
    ----------
    data : LabeledData
    every : RowDistances
    row : int or None
        The number of the chosen row.
    explained : RowContributions or None
        Of the chosen row.
    scheme : Scheme
    """
    figure = distances_figure(every, data.class_names, scheme, named=row)
    said = f"What moves {explained.row} from the center, and off the plane." if explained else ""
    shown = [
        plot(json.loads(figure.to_json()), every.words),
        selects([("row", "Row, farthest first", *_rows(every, row))]),
        answer(said),
    ]
    if explained:
        bars = json.loads(contributions_figure(explained, scheme).to_json())
        shown.append(plot(bars, said, name="contributions"))
    return [*shown, notes([_EXPLANATION])]


def _rows(every: RowDistances, row: int | None) -> tuple[dict[str, str], str]:
    """The rows to choose from by number, the farthest first, and the number of the chosen one."""
    places = {int(number): at for at, number in enumerate(every.row_numbers)}
    listed = [int(every.row_numbers[at]) for at in every.farthest(_MOST_LISTED)]
    if row in places and row not in listed:
        listed = [row, *listed]
    labels = {"": "Choose a row"} | {str(each): every.label(places[each]) for each in listed}
    return labels, "" if row is None else str(row)
