"""The viewers whose connections this process holds: one thread sends each the newest picture.

A message to a viewer is a kind, the length of what follows, and compressed JSON.
`assets/studio/present/audience/connection.mjs` reads it.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from threading import Event, Lock, Thread
from typing import Protocol

from melm_studio.configuration.limits import DiskFullError, share_of_address
from melm_studio.runs.store.protocol import RunStore, StoreUnavailableError
from melm_studio.talks import TalkView

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

    viewers: list[_Viewer] = field(default_factory=list)
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
