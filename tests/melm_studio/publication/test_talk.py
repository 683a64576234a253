"""Every viewer gets the newest picture, and nobody waits for a slow one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pytest

from melm_studio.publication.talk import (
    ALIVE_EVERY_S,
    MOST_WAITING_BYTES,
    MUTE_FOR_S,
    Audience,
)
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.talks import Talk, TalkView


@dataclass
class Connection:
    """A viewer who is as slow as is said."""

    is_open: bool = True
    is_busy: bool = False
    n_waiting_bytes: int = 0
    sent: list[bytes] = field(default_factory=list)
    has_ended: bool = False

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def end(self) -> None:
        self.has_ended = True
        self.is_open = False

    def drop(self) -> None:
        self.is_open = False

    @property
    def kinds(self) -> str:
        return "".join(part[:1].decode() for part in self.sent)


@pytest.fixture
def store(tmp_path):
    store = DiskRunStore(tmp_path)
    now = time.time()
    store.talks.put(
        Talk(talk_id="it", owner="ada", address="", created_s=now, expires_s=now + 3_600)
    )
    yield store
    store.close()


@pytest.fixture
def audience(store, monkeypatch):
    """One that looks when the test says so."""
    monkeypatch.setattr(Audience, "_serve", lambda self: None)
    return Audience(store)


def view(number: int, scene: str = "scene") -> TalkView:
    return TalkView(number, scene, scene.encode(), b"picture %d" % number)


def test_each_picture_is_sent_once_and_its_scene_before_it(store, audience):
    viewer = Connection()
    audience.join("it", viewer)
    for number, scene in ((1, "a"), (2, "a"), (3, "b")):
        store.talks.show("it", view(number, scene))
        audience.look()
        audience.look()
    assert viewer.kinds == "sps"
    assert [part.count(b"picture") for part in viewer.sent] == [1, 1, 1]
    assert viewer.sent[1].startswith(b"p")


def test_a_slow_viewer_delays_nobody_and_gets_the_newest(store, audience):
    slow, quick = Connection(is_busy=True), Connection()
    for viewer in (slow, quick):
        audience.join("it", viewer)
    for number in (1, 2, 3):
        store.talks.show("it", view(number))
        audience.look()
    assert len(quick.sent) == 3
    assert slow.sent == []
    slow.is_busy = False
    audience.look()
    assert slow.sent == [slow.sent[0]]
    assert slow.sent[0].endswith(b"picture 3")


@pytest.mark.attack
def test_a_viewer_that_takes_nothing_is_dropped_after_a_while(store, audience, monkeypatch):
    mute, slow = Connection(is_busy=True, n_waiting_bytes=9), Connection()
    for viewer in (mute, slow):
        audience.join("it", viewer)
    audience.look()
    assert mute.is_open
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + MUTE_FOR_S + 1)
    audience.look()
    assert (mute.is_open, slow.is_open) == (False, True)
    assert audience.n_viewers_of("it") == 1


@pytest.mark.attack
def test_what_waits_for_viewers_is_bounded(store, audience):
    half = MOST_WAITING_BYTES // 2
    behind = [Connection(is_busy=True, n_waiting_bytes=half) for _ in range(2)]
    reading = Connection()
    for viewer in (*behind, reading):
        audience.join("it", viewer)
    audience.look()
    assert all(viewer.is_open for viewer in behind)
    behind[0].n_waiting_bytes += 1
    audience.look()
    assert not any(viewer.is_open for viewer in behind)
    assert reading.is_open


def test_a_viewer_who_has_it_gets_nothing_but_signs_of_life(store, audience, monkeypatch):
    store.talks.show("it", view(5))
    viewer = Connection()
    audience.join("it", viewer, 5, "scene")
    audience.look()
    assert viewer.sent == []
    later = time.monotonic() + ALIVE_EVERY_S
    monkeypatch.setattr(time, "monotonic", lambda: later)
    audience.look()
    assert viewer.kinds == "a"


def test_viewers_are_counted_until_they_leave(store, audience):
    viewers = [Connection(), Connection()]
    for viewer in viewers:
        audience.join("it", viewer)
    audience.look()
    assert store.talks.n_viewers("it", time.time()) == audience.n_viewers_of("it") == 2
    for viewer in viewers:
        viewer.is_open = False
    Audience.look(audience)
    assert [viewer.sent for viewer in viewers] == [[], []]


def test_the_end_of_a_talk_is_told(store, audience):
    viewer = Connection()
    audience.join("it", viewer)
    store.talks.end("it")
    audience.look()
    assert viewer.kinds == "e"
    assert viewer.has_ended
    assert audience.n_viewers == 0


def test_a_store_that_is_away_costs_nobody_the_connection(store, audience, monkeypatch):
    viewer = Connection()
    audience.join("it", viewer)

    def fail(*_):
        raise OSError("away")

    with monkeypatch.context() as broken:
        broken.setattr(store.talks, "get", fail)
        audience.look()
    assert viewer.is_open
    store.talks.show("it", view(1))
    audience.look()
    assert viewer.kinds == "s"


@pytest.mark.attack
def test_whoever_comes_from_elsewhere_finds_a_place(audience):
    """However many talks and viewers one address has, and the next one after it."""
    for name in ("first", "second", "third"):
        assert audience.has_place(name, name)
        while audience.has_place(name, name):
            audience.join(name, Connection(), presenter=name, network=name)
    assert [audience.n_viewers_of(name) for name in ("first", "second", "third")] == [250, 125, 63]
    assert not audience.has_place("new", "first")
    assert not audience.has_place("first", "new")
