"""A plane as a talk shows it: the scene that the pictures of a run share, and each picture.

Both are compressed JSON, the same bytes for the same value.
`assets/studio/present/audience/connection.mjs` reads them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct, field

from melm_studio.planes.captions import axis_titles, title_of_view
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import Shown
from melm_studio.rows.details import MAX_INFO
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import Verdict, divergence_text
from melm_studio.tables import LabeledData, shortened
from melm_studio.talks import Talk, TalkView
from melm_studio.validation import Coordinate, Count, Text
from melm_studio.workspace.view_spec import Hidden, Layers

# Of the rows that are drawn, no more can be selected.
MOST_ROWS = 10_000
MOST_CLASSES = 1_000
MOST_ARROWS = 1_000
_LONGEST_CELL = 60
_MOST_FIGURES = 16
Range = tuple[Coordinate, Coordinate]
_LEVEL = 6  # of compression


class OnStage(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plane as a presenter shows it; its view options are in the query.

    Attributes
    ----------
    run : str
    plane : int
        The number of the plane in the history of the run.
    caption, position : str
        The title of Present, and where in the story that is.
    rows : tuple of int or None
        The rows that are selected, of those that are drawn.
    classes : tuple of int or None
        The classes that alone are shown.
    arrows : tuple of int or None
        The features whose arrows are drawn: a phone draws the same ones. By default those for whose
        names it has room.
    unseen : tuple of int
        The features of which it is not sure that they matter.
    hidden, layers : tuple of str
        Switches that are off, and further layers that are on.
    axes : tuple of Range or None
        Those that the presenter has zoomed to.
    is_blank : bool
        Whether the presenter has blanked the screen, and so the viewers' too. JSON: ``isBlank``.
    is_live : bool
        Whether the run still searches. JSON: ``isLive``.
    """

    run: Text
    plane: Count
    caption: Text = ""
    position: Annotated[str, Meta(max_length=40)] = ""
    rows: Annotated[tuple[Count, ...], Meta(title="The rows", max_length=MOST_ROWS)] | None = None
    classes: (
        Annotated[tuple[Count, ...], Meta(title="The classes", max_length=MOST_CLASSES)] | None
    ) = None
    arrows: Annotated[tuple[Count, ...], Meta(max_length=MOST_ARROWS)] | None = None
    unseen: Annotated[tuple[Count, ...], Meta(max_length=MOST_ARROWS)] = ()
    hidden: Hidden = ()
    layers: Layers = ()
    axes: tuple[Range, Range] | None = None
    is_blank: bool = field(default=False, name="isBlank")
    is_live: bool = field(default=False, name="isLive")


def talk_view(
    renderer: PlaneRenderer,
    shown: Shown,
    stage: OnStage,
    *,
    verdict: Verdict,
    talk: Talk,
    number: int,
    former: TalkView | None,
) -> TalkView:
    """Return the bytes of what is shown.

    Parameters
    ----------
    renderer : PlaneRenderer
    shown : Shown
    stage : OnStage
    verdict : Verdict
        On what is shown.
    talk : Talk
        Says what viewers may see besides.
    number : int
        Of the view.
    former : TalkView or None
        What the talk has shown before: its scene is used again where it is the same.
    """
    record = shown.record
    key = _scene_key(record, talk)
    is_same = former is not None and former.scene_key == key
    scene = former.scene if former and is_same else packed(_scene(renderer, record, talk))
    view, divergence = renderer.view(shown), renderer.divergence(shown)
    is_told = "verdict" not in stage.hidden  # who looks into what is sent finds nothing else
    picture = {
        "number": number,
        "traces": plane_frame(view, compact),
        "limits": limits(view),
        "arrows": {"features": view.arrows.features.tolist(), "names": view.arrows.labels},
        "titles": axis_titles(renderer, shown, view),
        "drawn": stage.arrows,
        "unseen": stage.unseen,
        "run": title_of_view(shown),
        "caption": stage.caption,
        "position": stage.position,
        "lead": f"{verdict.lead}. {verdict.caution}".removesuffix(". ") if is_told else "",
        "follow": verdict.qualifiers if is_told else "",
        "numbers": _divergences(view, divergence) if is_told else [],
        "classes": stage.classes,
        "selected": _places(renderer, record, stage.rows),
        "hidden": stage.hidden,
        "layers": stage.layers,
        "axes": stage.axes,
        "isBlank": stage.is_blank,
        "isLive": stage.is_live,
    }
    return TalkView(number, key, scene, packed(picture))


def _scene_key(record: RunRecord, talk: Talk) -> str:
    """Name all that the scene depends on: a run never changes its data or class names."""
    parts = (record.run_id, talk.shows_names, talk.shows_info, talk.allows_downloads)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _scene(renderer: PlaneRenderer, record: RunRecord, talk: Talk) -> dict[str, Any]:
    """Return what the pictures of a run have in common."""
    viewer = renderer.viewer(record)
    style = (viewer.class_names, viewer.n_drawn, viewer.n_components)
    is_read = talk.shows_names or talk.shows_info
    data = renderer.data(record) if is_read else None
    return {
        "key": _scene_key(record, talk),
        "figures": {scheme.value: _figure(*style, scheme) for scheme in Scheme},
        "surfaces": {scheme.value: THEMES[scheme].surface for scheme in Scheme},
        "names": viewer.class_names,
        "data": record.data_name,
        "rows": _rows(renderer, record, data, talk) if data else None,
        "downloads": talk.allows_downloads,
        "drawn": viewer.n_drawn,
        "of": viewer.n_rows,
    }


@lru_cache(maxsize=_MOST_FIGURES)
def _figure(
    class_names: tuple[str, ...], n_drawn: int, n_components: int, scheme: Scheme
) -> dict[str, Any]:
    figure = empty_figure(class_names, n_drawn, scheme, n_components=n_components)
    values: dict[str, Any] = json.loads(figure.to_json())
    return values


def _rows(
    renderer: PlaneRenderer, record: RunRecord, data: LabeledData, talk: Talk
) -> list[list[list[str]]]:
    """Return texts of each drawn row, by class: of training, then of held-out rows."""
    positions = {row: i for i, row in enumerate(data.row_numbers.tolist())}
    names = data.row_names if talk.shows_names else None
    info = data.info[:MAX_INFO] if talk.shows_info else ()
    columns = [("", names)] if names else []
    columns += [(f"{column.name}: ", column.texts) for column in info if not column.is_pictures]
    train, held_out = renderer.viewer(record).drawn_rows
    return [
        [_cells(columns, positions[row]) for row in rows.tolist()] for rows in (*train, *held_out)
    ]


def _cells(columns: Iterable[tuple[str, list[str]]], position: int) -> list[str]:
    return [
        f"{head}{shortened(texts[position], _LONGEST_CELL)}"
        for head, texts in columns
        if texts[position]
    ]


def _places(
    renderer: PlaneRenderer, record: RunRecord, rows: tuple[int, ...] | None
) -> list[list[int]] | None:
    """Return the places of rows among those that are drawn, by class, as in `_rows`."""
    if rows is None:
        return None
    train, held_out = renderer.viewer(record).drawn_rows
    return [np.flatnonzero(np.isin(drawn, rows)).tolist() for drawn in (*train, *held_out)]


def _divergences(view: PlaneView, divergence: float) -> list[tuple[str, str]]:
    divergences = [("Divergence, training rows", divergence)]
    if view.scores.divergence_held_out is not None:
        divergences.append(("Divergence, held-out rows", view.scores.divergence_held_out))
    return [(name, divergence_text(nats, unit=True)) for name, nats in divergences]


def packed(value: Any) -> bytes:
    """Return JSON as gzip, the same bytes for the same value."""
    return gzip.compress(msgspec.json.encode(value), _LEVEL, mtime=0)
