"""The contract of a store of talks, the same on every back end."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from melm_studio.configuration.limits import LimitReachedError
from melm_studio.talks import (
    COUNT_VALID_S,
    MOST_TALKS,
    Talk,
    TalkView,
    replaced_by,
)

NOW = 1_000.0


def talk_of(owner: str, talk_id: str = "", address: str = "") -> Talk:
    named = talk_id or f"talk of {owner}"
    return Talk(talk_id=named, owner=owner, address=address, created_s=NOW, expires_s=NOW + 3_600.0)


def view(number: int) -> TalkView:
    return TalkView(number, "scene", b"\x00scene", b"picture %d" % number)


def test_a_talk_comes_back_with_what_it_allows(store):
    store.talks.put(talk_of("ada"))
    store.talks.put(replace(talk_of("ada"), shows_names=True))
    assert store.talks.get("talk of ada") == replace(talk_of("ada"), shows_names=True)
    assert store.talks.of_owner("ada") == store.talks.get("talk of ada")
    assert store.talks.get("another") is store.talks.of_owner("bob") is None


def test_a_presenter_has_one_talk(store):
    store.talks.put(talk_of("ada", "first"))
    store.talks.show("first", view(1))
    store.talks.put(talk_of("ada", "second"))
    assert store.talks.get("first") is store.talks.view("first") is None
    assert store.talks.of_owner("ada").talk_id == "second"


def test_only_what_is_newer_is_read(store):
    store.talks.put(talk_of("ada", "it"))
    assert store.talks.view("it") is None
    assert store.talks.show("it", view(7))
    assert store.talks.view("it") == store.talks.view("it", after=6) == view(7)
    assert store.talks.view("it", after=7) is None


def test_nothing_is_kept_of_a_talk_that_has_ended(store):
    store.talks.put(talk_of("ada", "it"))
    store.talks.end("it")
    assert not store.talks.show("it", view(1))
    store.talks.count_viewers("it", "web", 3, NOW)
    assert store.talks.view("it") is None
    assert store.talks.n_viewers("it", NOW) == 0


def test_viewers_of_all_processes_count_while_they_are_reported(store):
    store.talks.put(talk_of("ada", "it"))
    store.talks.count_viewers("it", "one", 5, NOW)
    store.talks.count_viewers("it", "other", 3, NOW + 1)
    store.talks.count_viewers("it", "other", 4, NOW + 2)
    assert store.talks.n_viewers("it", NOW + 2) == 9
    assert store.talks.n_viewers("it", NOW + COUNT_VALID_S + 1) == 4


def test_talks_that_are_over_are_forgotten(store):
    store.talks.put(talk_of("ada"))
    store.talks.forget_expired(NOW + 3_599.0)
    assert store.talks.of_owner("ada")
    store.talks.forget_expired(NOW + 3_600.0)
    assert store.talks.of_owner("ada") is None


@pytest.mark.parametrize(("is_newcomer", "most"), [(False, MOST_TALKS // 2), (True, 17)])
def test_an_address_cannot_take_all_places_for_talks(is_newcomer, most):
    """Presenters without runs leave places to those of their network who have some."""
    here = [talk_of(f"visitor {n}", address="here") for n in range(most)]
    assert replaced_by(talk_of("last", address="here"), here[1:], is_newcomer=is_newcomer) == []
    with pytest.raises(LimitReachedError, match="from your network"):
        replaced_by(talk_of("one more", address="here"), here, is_newcomer=is_newcomer)
    assert replaced_by(talk_of("visitor 0", "another", address="here"), here) == here[:1]
    assert replaced_by(here[0], here, is_newcomer=is_newcomer) == here[:1]
    assert replaced_by(talk_of("ada", address="there"), here, is_newcomer=is_newcomer) == []
    if is_newcomer:
        assert replaced_by(talk_of("known", address="here"), here) == []


def test_the_number_of_talks_is_limited_until_some_are_over():
    talks = [talk_of(f"visitor {n}", address=str(n)) for n in range(MOST_TALKS)]
    with pytest.raises(LimitReachedError, match="50 talks"):
        replaced_by(talk_of("ada"), talks)
    assert replaced_by(replace(talk_of("ada"), created_s=NOW + 3_600.0), talks) == talks
