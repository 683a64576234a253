"""The contract of a store of grants, the same on every back end."""

from __future__ import annotations

import threading

import pytest
from msgspec.structs import replace

from melm_studio.configuration.limits import LimitReachedError
from melm_studio.runs.records.grant import (
    MARKED_EVERY_S,
    MOST_OF_ADDRESS,
    MOST_OF_VISITOR,
    Grant,
    GrantKind,
    id_of,
    replaced_by,
)

NOW = 1_000.0
FOR_GOOD = [GrantKind.TOKEN, GrantKind.RECOVERY]


def grant_of(owner: str, secret: str = "", kind: GrantKind = GrantKind.TOKEN, **more) -> Grant:
    known = {"address": "here", "created_s": NOW, "expires_s": NOW + 3_600.0} | more
    return Grant(grant_id=id_of(secret or f"secret of {owner}"), owner=owner, kind=kind, **known)


def several(n: int, owner: str = "ada", **more) -> list[Grant]:
    return [grant_of(owner, f"{owner} {i}", created_s=NOW + i, **more) for i in range(n)]


def test_a_grant_comes_back_as_it_was_stored(store, open_store):
    first, second = several(2, via="recovery x", content='{"a": 1}')
    store.grants.put(second)
    store.grants.put(first)
    other = open_store()
    assert other.grants.get(first.grant_id) == first
    assert other.grants.of_owner("ada") == [first, second]
    assert other.grants.of_owner("bob") == []
    assert other.grants.get("unknown") is None


def test_the_store_keeps_no_secret(store):
    assert "the secret" not in grant_of("ada", "the secret").to_bytes().decode()
    assert id_of("the secret") != id_of("the secret ")


def test_a_mark_of_use_does_not_undo_a_revocation(store, open_store):
    grant = grant_of("ada")
    store.grants.put(grant)
    other, n = open_store(), 20

    def mark():
        for i in range(n):
            store.grants.change(grant.grant_id, lambda known, i=i: replace(known, used_s=NOW + i))

    marking = threading.Thread(target=mark)
    marking.start()
    other.grants.change(grant.grant_id, lambda known: replace(known, is_revoked=True))
    marking.join()
    known = store.grants.get(grant.grant_id)
    assert (known.is_revoked, known.used_s) == (True, NOW + n - 1)


def test_an_unknown_grant_is_not_changed(store):
    store.grants.change("unknown", lambda known: replace(known, is_revoked=True))
    assert store.grants.get("unknown") is None


def test_grants_that_have_expired_are_swept_and_others_stay(store):
    short = grant_of("ada", "short")
    long = grant_of("ada", "long", created_s=NOW + 1, expires_s=NOW + 9_999.0)
    store.grants.put(short)
    store.grants.put(long)
    store.tidy(NOW + 3_599.0)
    assert store.grants.of_owner("ada") == [short, long]
    store.tidy(NOW + 3_600.0)
    assert store.grants.of_owner("ada") == [long]
    assert store.grants.get(short.grant_id) is None


def test_a_visitor_without_runs_keeps_a_token(store):
    store.grants.put(grant_of("ada"))
    store.tidy(NOW)
    assert store.grants.of_owner("ada")


@pytest.mark.parametrize("kind", FOR_GOOD)
def test_a_visitor_has_so_many_links_and_tokens_and_none_goes_unasked(store, kind):
    most = several(MOST_OF_VISITOR[kind], kind=kind)
    for grant in most:
        store.grants.put(grant)
    with pytest.raises(LimitReachedError, match="Revoke one in Help"):
        store.grants.put(grant_of("ada", "one more", kind))
    store.grants.put(grant_of("bob", "of another", kind))
    store.grants.change(most[3].grant_id, lambda known: replace(known, is_revoked=True))
    store.grants.put(grant_of("ada", "one more", kind))
    assert {grant.grant_id for grant in most} < {
        grant.grant_id for grant in store.grants.of_owner("ada")
    }


def test_of_tickets_the_longest_unused_goes(store):
    kind = GrantKind.TICKET
    tickets = several(MOST_OF_VISITOR[kind], kind=kind)
    for ticket in tickets:
        store.grants.put(ticket)
    store.grants.change(tickets[0].grant_id, lambda known: replace(known, used_s=NOW + 99))
    new = grant_of("ada", "one more", kind, created_s=NOW + 100)
    store.grants.put(new)
    assert store.grants.of_owner("ada") == [
        replace(tickets[0], used_s=NOW + 99),
        *tickets[2:],
        new,
    ]


@pytest.mark.parametrize(
    ("kind", "most"), [(GrantKind.TOKEN, 20), (GrantKind.RECOVERY, 10), (GrantKind.TICKET, 20)]
)
def test_a_visitor_has_as_many_as_the_page_on_security_says(kind, most):
    replaced_by(grant_of("ada", kind=kind), several(most - 1, kind=kind), 0, list)
    if kind in FOR_GOOD:
        with pytest.raises(LimitReachedError, match=f"{most} "):
            replaced_by(grant_of("ada", kind=kind), several(most, kind=kind), 0, list)
    else:
        gone = replaced_by(grant_of("ada", kind=kind), several(most, kind=kind), 0, list)
        assert gone == several(1, kind=kind)


def test_of_what_was_revoked_no_more_is_kept_than_may_be_valid():
    most = MOST_OF_VISITOR[GrantKind.TOKEN]
    revoked = [
        replace(grant, is_revoked=True, expires_s=NOW + i)
        for i, grant in enumerate(several(most + 2))
    ]
    assert replaced_by(grant_of("ada"), revoked, 0, list) == revoked[:2]


@pytest.mark.parametrize("kind", GrantKind)
@pytest.mark.parametrize(("is_newcomer", "most"), [(False, 500), (True, 250)])
def test_an_address_has_500_of_a_kind_and_leaves_half_to_visitors_with_runs(
    kind, is_newcomer, most
):
    """However many cookies it has: what others of it have stays."""
    assert MOST_OF_ADDRESS == 500
    here = [grant_of(f"visitor {i}", kind=kind) for i in range(most)]
    new = grant_of("ada", kind=kind)
    more = {"is_newcomer": is_newcomer}
    assert replaced_by(new, [], most - 1, here[1:].copy, **more) == []
    with pytest.raises(LimitReachedError, match=f"{most} .* made from your network"):
        replaced_by(new, [], most, here.copy, **more)
    here[0] = replace(here[0], expires_s=NOW)
    assert replaced_by(new, [], most, here.copy, **more) == []
    assert replaced_by(replace(new, address=""), [], most, list, **more) == []


def test_who_has_the_most_tickets_at_a_full_address_loses_an_own_one():
    kind, most = GrantKind.TICKET, MOST_OF_ADDRESS
    own = several(MOST_OF_VISITOR[kind], kind=kind)
    others = [grant_of(f"visitor {i}", kind=kind) for i in range(most - len(own))]
    assert replaced_by(grant_of("ada", "new", kind), own, most, [*own, *others].copy) == own[:1]


def test_no_grant_of_another_goes_when_an_address_is_full(store, monkeypatch):
    monkeypatch.setattr("melm_studio.runs.records.grant.MOST_OF_ADDRESS", 4)
    used = grant_of("ada", "in use")
    store.grants.put(used)
    store.grants.put(grant_of("stranger"), is_newcomer=True)
    for i in range(9):
        with pytest.raises(LimitReachedError, match="Start a run first"):
            store.grants.put(grant_of(f"cookie {i}"), is_newcomer=True)
    store.grants.put(grant_of("ada", "another"))
    store.grants.put(grant_of("far", address="there"), is_newcomer=True)
    store.grants.put(grant_of("ticket", kind=GrantKind.TICKET), is_newcomer=True)
    assert store.grants.get(used.grant_id) == used


@pytest.mark.parametrize(
    ("after_s", "is_marked"), [(0, True), (59, True), (61, False), (-1, False)]
)
def test_a_use_is_known_to_a_minute(after_s, is_marked):
    assert MARKED_EVERY_S == 60
    assert replace(grant_of("ada"), used_s=NOW).is_marked(NOW + after_s) is is_marked
    assert not grant_of("ada").is_marked(NOW)
