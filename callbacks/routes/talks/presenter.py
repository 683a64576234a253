"""The routes of a presenter: begin a talk, say what its audience may see, show, end."""

from __future__ import annotations

import hashlib
import io
import json
import secrets
import socket
import time
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from typing import Annotated, Any

import flask
import numpy as np
import segno
from dash import Dash
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.keys.grants import is_newcomer
from callbacks.routes.requested_view import requested_event, requested_options, shown_verdict
from callbacks.routes.talks.messages import packed
from callbacks.services import services
from callbacks.session import address, own_run, owner
from melm_core.base import UserError
from melm_studio.planes.captions import axis_titles, title_of_view
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import ViewOptions
from melm_studio.rows.details import MAX_INFO
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.scores import Verdict, divergence_text
from melm_studio.tables import LabeledData, shortened
from melm_studio.talks.talk import Talk, Talks, TalkView, code_of
from melm_studio.validation import Coordinate, Count, Text, read
from melm_studio.workspace.view_spec import MORE_LAYERS, SWITCHES, MoreLayer, Switch

SECONDS_PER_HOUR = 3_600.0
# Of a picture, which is sent to every viewer.
MOST_BYTES = 2 * 2**20
_OFF = "Talks are not shared by this studio. Its administrator allows them by MELM_TALK_HOURS."
_NO_TALK = "This talk has ended. Press Share to begin another."
_TOO_LARGE = (
    "This picture is too large to be shown to an audience. Show fewer classes or rows, or no "
    "further columns."
)
# Of the rows that are drawn, no more can be selected.
MOST_ROWS = 10_000
MOST_CLASSES = 1_000
MOST_ARROWS = 1_000
_LONGEST_CELL = 60
_MOST_FIGURES = 16
Range = tuple[Coordinate, Coordinate]
_ID_BYTES = 16  # 128 random bits
_ANY_ADDRESS = {"0.0.0.0", "::", ""}  # noqa: S104 - compared with, not bound to
# For documentation (RFC 5737): no packet is ever sent there.
_ELSEWHERE = ("192.0.2.1", 9)


class Allowed(Struct, frozen=True, forbid_unknown_fields=True):
    """Information that an audience may see besides the picture; nothing at first."""

    names: bool = False
    info: bool = False
    downloads: bool = False


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/talk")(talk_now)
    app.server.post("/talk", body=Body.SETTINGS)(begin_talk)
    app.server.post("/talk/allowed", body=Body.SETTINGS)(allow)
    app.server.post("/talk/shown", body=Body.SETTINGS)(show)
    app.server.post("/talk/end")(end_talk)


def talk_now() -> dict[str, Any]:
    """Return the talk of the visitor: its link, what it allows, and how many follow."""
    talk = _talk()
    if talk is None:  # which link one would have
        return {"talk": None, "is_only_here": is_only_here(talk_link(""))}
    return {"talk": _described(talk)}


def begin_talk() -> dict[str, Any]:
    """Begin a talk, or return the one that goes on."""
    hours = services().settings.talk_hours
    if not hours:
        raise UserError(_OFF)
    allowed = _allowed()
    now = time.time()
    talk = _talk() or Talk(
        talk_id=new_talk_id(),
        owner=owner(),
        address=address(),
        created_s=now,
        expires_s=now + hours * SECONDS_PER_HOUR,
    )
    return {"talk": _described(_put(talk, allowed))}


def allow() -> dict[str, Any] | tuple[dict[str, str], int]:
    """Change what the audience may see from the next picture on."""
    talk, allowed = _talk(), _allowed()
    return _ended() if talk is None else {"talk": _described(_put(talk, allowed))}


def show() -> dict[str, Any] | tuple[dict[str, str], int]:
    """Show the audience a plane under the view options in the query."""
    talk = _talk()
    if talk is None:
        return _ended()
    shown = read(flask.request.get_json(silent=True), Shown, "What is shown")
    record, event = own_run(shown.run), requested_event(shown.run, shown.plane)
    former = _talks().view(talk.talk_id)
    options = requested_options()
    view = talk_view(
        services().renderer,
        record,
        event,
        options,
        shown,
        verdict=shown_verdict(record, event, options),
        talk=talk,
        number=_next_number(former),
        former=former,
    )
    if len(view.scene) + len(view.picture) > MOST_BYTES:
        raise UserError(_TOO_LARGE)
    if not _talks().show(talk.talk_id, view):
        return _ended()
    return {"viewers": _talks().n_viewers(talk.talk_id, time.time())}


def end_talk() -> dict[str, Any]:
    """End the talk of the visitor; its link no longer leads anywhere."""
    talk = _talks().of_owner(owner())
    if talk is not None:
        _talks().end(talk.talk_id)
    return {"talk": None}


def _put(talk: Talk, allowed: Allowed) -> Talk:
    changed = replace(
        talk,
        shows_names=allowed.names,
        shows_info=allowed.info,
        allows_downloads=allowed.downloads,
    )
    _talks().put(changed, is_newcomer=is_newcomer(talk.owner))
    return changed


def _allowed() -> Allowed:
    return read(flask.request.get_json(silent=True), Allowed, "What the audience may see")


def _talk() -> Talk | None:
    """Return the visitor's talk, unless it is over."""
    talk = _talks().of_owner(owner())
    return None if talk is None or talk.is_over(time.time()) else talk


def _talks() -> Talks:
    return services().store.talks


def _described(talk: Talk) -> dict[str, Any]:
    link = talk_link(talk.talk_id)
    return {
        "link": link,
        "code": qr_code(link),
        "typed": code_of(talk.talk_id),
        "is_only_here": is_only_here(link),
        "expires_s": talk.expires_s,
        "viewers": _talks().n_viewers(talk.talk_id, time.time()),
        "names": talk.shows_names,
        "info": talk.shows_info,
        "downloads": talk.allows_downloads,
    }


def _next_number(former: TalkView | None) -> int:
    """Larger than all before, also where a talk's first views are no longer known."""
    now_ms = int(1_000 * time.time())
    return now_ms if former is None else max(former.number + 1, now_ms)


def _ended() -> tuple[dict[str, str], int]:
    return sentence(_NO_TALK), 410


class Shown(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
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
    hidden: Annotated[tuple[Switch, ...], Meta(max_length=len(SWITCHES))] = ()
    layers: Annotated[tuple[MoreLayer, ...], Meta(max_length=len(MORE_LAYERS))] = ()
    axes: tuple[Range, Range] | None = None
    is_blank: bool = field(default=False, name="isBlank")
    is_live: bool = field(default=False, name="isLive")


def talk_view(
    renderer: PlaneRenderer,
    record: RunRecord,
    event: PlaneEvent,
    options: ViewOptions,
    shown: Shown,
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
    record, event : RunRecord, PlaneEvent
        The plane.
    options : ViewOptions
    shown : Shown
    verdict : Verdict
        On what is shown.
    talk : Talk
        Says what viewers may see besides.
    number : int
        Of the view.
    former : TalkView or None
        What the talk has shown before: its scene is used again where it is the same.
    """
    key = _scene_key(record, talk)
    is_same = former is not None and former.scene_key == key
    scene = former.scene if former and is_same else packed(_scene(renderer, record, talk))
    view = renderer.view(record, event, options)
    divergence = renderer.divergence(record, event, options)
    is_told = "verdict" not in shown.hidden  # who looks into what is sent finds nothing else
    picture = {
        "number": number,
        "traces": plane_frame(view, compact),
        "limits": limits(view),
        "arrows": {"features": view.arrows.features.tolist(), "names": view.arrows.labels},
        "titles": axis_titles(renderer, record, view, options),
        "drawn": shown.arrows,
        "unseen": shown.unseen,
        "run": title_of_view(record, options),
        "caption": shown.caption,
        "position": shown.position,
        "lead": f"{verdict.lead}. {verdict.caution}".removesuffix(". ") if is_told else "",
        "follow": verdict.qualifiers if is_told else "",
        "numbers": _divergences(view, divergence) if is_told else [],
        "classes": shown.classes,
        "selected": _places(renderer, record, shown.rows),
        "hidden": shown.hidden,
        "layers": shown.layers,
        "axes": shown.axes,
        "isBlank": shown.is_blank,
        "isLive": shown.is_live,
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


def new_talk_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_urlsafe(_ID_BYTES)


def talk_link(talk_id: str) -> str:
    """Return the address that the audience opens.

    A presenter who has opened the studio as localhost gets the address of this computer, if the
    studio listens there.
    """
    link = flask.url_for("talk_page", talk_id=talk_id, _external=True)
    own_host = _own_address() if _is_of_this_computer() and _is_reachable() else None
    return link.replace(f"//{_host()}", f"//{own_host}", 1) if own_host else link


def is_only_here(link: str) -> bool:
    """Return whether this computer alone can open a link."""
    return _is_of_this_computer() and f"//{_host()}" in link


def qr_code(link: str) -> str:
    """Return a link as the markup of an SVG image, black on white, which all cameras read."""
    written = io.BytesIO()
    code = segno.make(link, error="m", micro=False)
    code.save(written, kind="svg", xmldecl=False, svgns=True, border=4, light="#fff", omitsize=True)
    return written.getvalue().decode()


def _host() -> str:
    """Return the name of the host in the address of this request, without the port."""
    host = flask.request.host
    return host if host.endswith("]") else host.rpartition(":")[0] or host


def _is_of_this_computer() -> bool:
    host = _host().strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_reachable() -> bool:
    settings = services().settings
    return settings.host in _ANY_ADDRESS and not settings.proxies and not settings.hosts


def _own_address() -> str | None:
    """Return the address by which this computer reaches others; None without a network."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            return str(probe.getsockname()[0])
    except OSError:
        return None
