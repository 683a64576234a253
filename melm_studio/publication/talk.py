"""A plane as a talk shows it, and the viewers whose connections this process holds.

The scene that the pictures of a run share, and each picture, are compressed JSON, the same bytes
for the same value. One thread sends each viewer the newest picture. A message is a kind, the length
of what follows, and that; `assets/studio/present/audience/connection.mjs` reads it.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from threading import Event, Lock, Thread
from typing import Annotated, Any, Protocol

import msgspec
import numpy as np
from msgspec import Meta, Struct, field

from melm_studio.configuration.limits import DiskFullError, share_of_address
from melm_studio.planes.captions import axis_titles, title_of_view
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.run_planes import RunPlanes
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import Shown
from melm_studio.rows.details import MAX_INFO
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore, StoreUnavailableError
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

# Half of the connections of the embedded server, so that others find some.
MOST_VIEWERS_HELD = 500
# A picture is sent at most this much later, which nobody notices.
LOOK_EVERY_S = 0.04
COUNT_EVERY_S = 1.0
# Proxies and phones drop connections on which nothing happens for about a minute.
ALIVE_EVERY_S = 10.0
# A viewer that takes nothing of a picture for so long is gone, or holds memory on purpose; the page
# of one that only was slow comes back by itself.
MUTE_FOR_S = 30.0
# Pictures that viewers have yet to take: with more, those who are behind are dropped at once.
MOST_WAITING_BYTES = 64 * 2**20
logger = logging.getLogger(__name__)


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
    scene = former.scene if former and is_same else packed(_scene(renderer.planes, record, talk))
    view, divergence = renderer.view(shown), renderer.divergence(shown)
    is_told = "verdict" not in stage.hidden  # who looks into what is sent finds nothing else
    picture = {
        "number": number,
        "traces": plane_frame(view, compact),
        "limits": limits(view),
        "arrows": {"features": view.arrows.features.tolist(), "names": view.arrows.labels},
        "titles": axis_titles(renderer.planes, shown, view),
        "drawn": stage.arrows,
        "unseen": stage.unseen,
        "run": title_of_view(shown),
        "caption": stage.caption,
        "position": stage.position,
        "lead": f"{verdict.lead}. {verdict.caution}".removesuffix(". ") if is_told else "",
        "follow": verdict.qualifiers if is_told else "",
        "numbers": _divergences(view, divergence) if is_told else [],
        "classes": stage.classes,
        "selected": _places(renderer.planes, record, stage.rows),
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


def _scene(planes: RunPlanes, record: RunRecord, talk: Talk) -> dict[str, Any]:
    """Return what the pictures of a run have in common."""
    viewer = planes.viewer(record)
    style = (viewer.class_names, viewer.n_drawn, viewer.n_components)
    is_read = talk.shows_names or talk.shows_info
    data = planes.data(record) if is_read else None
    return {
        "key": _scene_key(record, talk),
        "figures": {scheme.value: _figure(*style, scheme) for scheme in Scheme},
        "surfaces": {scheme.value: THEMES[scheme].surface for scheme in Scheme},
        "names": viewer.class_names,
        "data": record.data_name,
        "rows": _rows(planes, record, data, talk) if data else None,
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
    planes: RunPlanes, record: RunRecord, data: LabeledData, talk: Talk
) -> list[list[list[str]]]:
    """Return texts of each drawn row, by class: of training, then of held-out rows."""
    positions = {row: i for i, row in enumerate(data.row_numbers.tolist())}
    names = data.row_names if talk.shows_names else None
    info = data.info[:MAX_INFO] if talk.shows_info else ()
    columns = [("", names)] if names else []
    columns += [(f"{column.name}: ", column.texts) for column in info if not column.is_pictures]
    train, held_out = planes.viewer(record).drawn_rows
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
    planes: RunPlanes, record: RunRecord, rows: tuple[int, ...] | None
) -> list[list[int]] | None:
    """Return the places of rows among those that are drawn, by class, as in `_rows`."""
    if rows is None:
        return None
    train, held_out = planes.viewer(record).drawn_rows
    return [np.flatnonzero(np.isin(drawn, rows)).tolist() for drawn in (*train, *held_out)]


def _divergences(view: PlaneView, divergence: float) -> list[tuple[str, str]]:
    divergences = [("Divergence, training rows", divergence)]
    if view.scores.divergence_held_out is not None:
        divergences.append(("Divergence, held-out rows", view.scores.divergence_held_out))
    return [(name, divergence_text(nats, unit=True)) for name, nats in divergences]


def packed(value: Any) -> bytes:
    """Return JSON as gzip, the same bytes for the same value."""
    return gzip.compress(msgspec.json.encode(value), _LEVEL, mtime=0)


class Connection(Protocol):
    """The connection of a viewer."""

    @property
    def is_open(self) -> bool:
        """True if the viewer is still there."""

    @property
    def is_busy(self) -> bool:
        """True if the viewer has yet to take what was sent before."""

    @property
    def n_waiting_bytes(self) -> int:
        """Number of bytes sent before that the viewer has yet to take."""

    def send(self, data: bytes) -> None:
        """Send something, without waiting for the viewer."""

    def end(self) -> None:
        """Close the connection once all is sent."""

    def drop(self) -> None:
        """Close the connection, whatever is still to be sent."""


class Kind(Enum):
    """Kinds of messages."""

    ALIVE = b"a"  # nothing: the connection is there
    SCENE = b"s"
    PICTURE = b"p"
    END = b"e"  # nothing: the talk is over


def message(kind: Kind, content: bytes = b"") -> bytes:
    """Return a message.

    Examples
    --------
    >>> message(Kind.END), message(Kind.PICTURE, b"abc")
    (b'e\\x00\\x00\\x00\\x00', b'p\\x00\\x00\\x00\\x03abc')
    """
    return kind.value + len(content).to_bytes(4, "big") + content


@dataclass(eq=False)
class _Viewer:
    """A connection, where it and its talk come from, and what was sent on it."""

    connection: Connection
    presenter: str
    network: str
    number: int
    scene_key: str
    sent_s: float


@dataclass(eq=False)
class _Room:
    """The viewers of a talk, and what it shows."""

    viewers: list[_Viewer] = dataclasses.field(default_factory=list)
    view: TalkView | None = None
    counted_s: float = float("-inf")


class Audience:
    """The viewers of this process, of all talks.

    Viewers take nothing but bytes that the store has: nothing is computed for them.

    Parameters
    ----------
    store : RunStore
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._process = secrets.token_hex(8)
        self._rooms: dict[str, _Room] = {}
        self._lock = Lock()
        self._is_wanted = Event()
        self._thread: Thread | None = None

    @property
    def n_viewers(self) -> int:
        """The viewers of all talks."""
        with self._lock:
            return sum(len(room.viewers) for room in self._rooms.values())

    def n_viewers_of(self, talk_id: str) -> int:
        """Return the viewers of a talk in this process."""
        with self._lock:
            room = self._rooms.get(talk_id)
            return 0 if room is None else len(room.viewers)

    def has_place(self, presenter: str, network: str) -> bool:
        """Return whether another viewer may come.

        The talks of one network have as many as are free, and so have the viewers of one network:
        the first leaves half to all others, so whoever comes next finds a place.

        Parameters
        ----------
        presenter, network : str
            What stands for the network of the presenter, and for that of the viewer.
        """
        with self._lock:
            viewers = [viewer for room in self._rooms.values() for viewer in room.viewers]
        most = share_of_address(MOST_VIEWERS_HELD, len(viewers))
        n_of_presenter = sum(viewer.presenter == presenter for viewer in viewers)
        n_of_network = sum(viewer.network == network for viewer in viewers)
        return max(n_of_presenter, n_of_network) < most

    def join(
        self,
        talk_id: str,
        connection: Connection,
        number: int = -1,
        scene_key: str = "",
        *,
        presenter: str = "",
        network: str = "",
    ) -> None:
        """Send whatever a talk shows from now on.

        Parameters
        ----------
        talk_id : str
        connection : Connection
        number, scene_key : int, str
            Of what was sent already.
        presenter, network : str
            As `has_place` takes them.
        """
        viewer = _Viewer(connection, presenter, network, number, scene_key, time.monotonic())
        with self._lock:
            self._rooms.setdefault(talk_id, _Room()).viewers.append(viewer)
            if self._thread is None:
                self._thread = Thread(target=self._serve, name="audience", daemon=True)
                self._thread.start()
        self._is_wanted.set()

    def _serve(self) -> None:
        while True:
            self._is_wanted.wait()
            self._is_wanted.clear()
            while self.n_viewers:
                self.look()
                time.sleep(LOOK_EVERY_S)

    def look(self) -> None:
        """Send what is new to every viewer, once."""
        with self._lock:
            rooms = dict(self._rooms)
        self._drop_mute(rooms.values())
        for talk_id, room in rooms.items():
            try:
                self._serve_room(talk_id, room)
            except (StoreUnavailableError, DiskFullError):
                continue  # the connections stay, and the store may come back
            except Exception:  # one talk must not take the others' pictures
                logger.exception("a talk could not be shown")

    def _drop_mute(self, rooms: Iterable[_Room]) -> None:
        """Drop those who take nothing, so that what waits for them stays bounded."""
        with self._lock:
            viewers = [viewer for room in rooms for viewer in room.viewers]
        behind = [viewer for viewer in viewers if viewer.connection.is_busy]
        n_bytes = sum(viewer.connection.n_waiting_bytes for viewer in behind)
        now = time.monotonic()
        for viewer in behind:
            if n_bytes > MOST_WAITING_BYTES or now - viewer.sent_s > MUTE_FOR_S:
                viewer.connection.drop()

    def _serve_room(self, talk_id: str, room: _Room) -> None:
        now = time.monotonic()
        if now - room.counted_s >= COUNT_EVERY_S:
            room.counted_s = now
            if self._has_ended(talk_id):
                self._close(talk_id)
                return
            self._count(talk_id, room)
        after = -1 if room.view is None else room.view.number
        room.view = self._store.talks.view(talk_id, after) or room.view
        with self._lock:
            viewers = list(room.viewers)
        for viewer in viewers:
            _send_news(viewer, room.view, now)

    def _has_ended(self, talk_id: str) -> bool:
        talk = self._store.talks.get(talk_id)
        return talk is None or talk.is_over(time.time())

    def _close(self, talk_id: str) -> None:
        with self._lock:
            room = self._rooms.pop(talk_id)
        for viewer in room.viewers:
            if viewer.connection.is_open:
                viewer.connection.send(message(Kind.END))
                viewer.connection.end()

    def _count(self, talk_id: str, room: _Room) -> None:
        with self._lock:
            room.viewers = [viewer for viewer in room.viewers if viewer.connection.is_open]
            n_viewers = len(room.viewers)
            if not n_viewers:
                del self._rooms[talk_id]
        self._store.talks.count_viewers(talk_id, self._process, n_viewers, time.time())


def news(view: TalkView | None, number: int, scene_key: str) -> bytes:
    """Return the messages that bring a viewer up to date; empty for one who is.

    Parameters
    ----------
    view : TalkView or None
        What the talk shows, if anything.
    number, scene_key : int, str
        Of what the viewer has.
    """
    if view is None or view.number <= number:
        return b""
    scene = b"" if view.scene_key == scene_key else message(Kind.SCENE, view.scene)
    return scene + message(Kind.PICTURE, view.picture)


def _send_news(viewer: _Viewer, view: TalkView | None, now: float) -> None:
    """Send the newest picture, unless an earlier one is still on its way: the newest wins."""
    if not viewer.connection.is_open or viewer.connection.is_busy:
        return
    newest = news(view, viewer.number, viewer.scene_key)
    if view is not None and newest:
        viewer.number, viewer.scene_key = view.number, view.scene_key
    elif now - viewer.sent_s < ALIVE_EVERY_S:
        return
    viewer.connection.send(newest or message(Kind.ALIVE))
    viewer.sent_s = now
