"""The queue of runs that wait for a worker, the same on every back end."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import pytest
from msgspec.structs import replace

from melm_studio.runs.records.refits_report import REFITS
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.attempts import requeue
from melm_studio.runs.store.fair_queue import MOST_REMEMBERED, after_looking
from melm_studio.runs.store.protocol import Listing
from tests.melm_studio.runs.helpers import created, run_of, started

QUEUED, RUNNING = RunState.QUEUED, RunState.RUNNING


def test_one_owner_s_runs_are_claimed_in_the_order_they_came(store):
    records = [created(store) for _ in range(3)]
    assert [store.claim() for _ in range(4)] == [*records, None]


def test_the_owner_with_the_fewest_claimed_runs_goes_first(store):
    ada = [created(store, "ada") for _ in range(3)]
    bob = [created(store, "bob") for _ in range(2)]
    assert [store.claim() for _ in range(5)] == [ada[0], bob[0], ada[1], bob[1], ada[2]]


@pytest.mark.fault
def test_nine_runs_of_one_owner_let_the_one_of_another_go_before_their_second(store):
    ada = [created(store, "ada") for _ in range(9)]
    bob = created(store, "bob")
    assert [store.claim() for _ in range(10)] == [ada[0], bob, *ada[1:]]


def test_with_one_worker_as_well_owners_take_turns(store):
    ada = [created(store, "ada") for _ in range(3)]
    bob = [created(store, "bob") for _ in range(2)]
    order = []
    while (record := store.claim()) is not None:
        order.append(record)
        store.transition(record.run_id, {RunState.QUEUED}, state=RunState.RUNNING)
        store.transition(record.run_id, {RunState.RUNNING}, state=RunState.DONE)
    assert order == [ada[0], bob[0], ada[1], bob[1], ada[2]]


def test_a_late_run_of_another_owner_goes_before_all_that_still_wait(store):
    ada = [created(store, "ada") for _ in range(9)]
    started_first = [store.claim() for _ in range(4)]
    bob = created(store, "bob")
    assert started_first == ada[:4]
    assert [store.claim(), store.claim()] == [bob, ada[4]]


def test_the_queue_is_as_long_as_what_was_not_claimed(store):
    first, *_ = [created(store) for _ in range(3)]
    store.claim()
    assert store.n_queued() == 2
    store.release(first.run_id)
    assert store.n_queued() == 3


def test_a_run_that_ended_no_longer_counts_against_its_owner(store):
    ada, bob = ([created(store, owner) for _ in range(2)] for owner in ("ada", "bob"))
    assert [store.claim(), store.claim()] == [ada[0], bob[0]]
    store.transition(ada[0].run_id, {QUEUED}, state=RunState.DONE)
    assert [store.claim(), store.claim()] == [ada[1], bob[1]]


def test_a_claimed_run_stays_queued_until_somebody_starts_it(store):
    record = created(store)
    store.claim()
    assert store.get(record.run_id).state is QUEUED
    assert store.unfinished() == [record]


def test_a_released_run_is_claimed_again_once(store):
    record = created(store)
    store.claim()
    store.release(record.run_id)
    store.release(record.run_id)
    assert [store.claim(), store.claim()] == [record, None]


def test_a_running_run_is_not_released(store):
    record = started(store)
    store.release(record.run_id)
    assert store.claim() is None


def test_several_threads_never_claim_the_same_run(open_store):
    first = open_store()
    records = [created(first, owner) for owner in "abcd" for _ in range(5)]

    def claim_all(_):
        mine = open_store()
        try:
            return [record.run_id for record in iter(mine.claim, None)]
        finally:
            mine.close()

    with ThreadPoolExecutor(4) as pool:
        claimed = list(chain.from_iterable(pool.map(claim_all, range(4))))
    assert sorted(claimed) == sorted(record.run_id for record in records)


def test_the_places_that_owners_take_in_the_queue_are_counted_until_a_run_is_claimed(store):
    created(store, "ada"), created(store, "bob"), created(store, "ada")
    assert store.places_taken() == {"ada": 2, "bob": 1}
    claimed = store.claim()
    others = {"ada": 2, "bob": 1}
    others[claimed.owner] -= 1
    assert +store.places_taken() == +Counter(others)


# ------------------------------------------------------------------------- what is looked at


def looked_at(store, owner="ada", **changes):
    """Queue a run that somebody looks at."""
    record = replace(run_of(owner), from_page=True, **changes)
    store.create(record)
    return record


def all_looked_at(store, n_claims, *args):
    return [store.claim_looked_at(*args) for _ in range(n_claims)]


def test_what_somebody_looks_at_waits_apart_from_all_else(store):
    other, looked = created(store), looked_at(store)
    assert (store.n_queued(), store.n_looked_at()) == (2, 1)
    assert +store.places_taken() == Counter(ada=2)
    assert [store.claim(), store.claim()] == [other, None]
    assert all_looked_at(store, 2) == [looked, None]
    assert (store.n_queued(), store.n_looked_at()) == (0, 0)


@pytest.mark.attack
@pytest.mark.fault
def test_the_folds_of_twenty_neighbors_let_a_first_plane_go_before_them(store):
    for number in range(20):
        looked_at(store, f"neighbor {number}", kind=REFITS)
    plane = looked_at(store)
    assert all_looked_at(store, 2) == [plane, None]
    assert store.claim().kind == REFITS


@pytest.mark.fault
def test_nine_runs_that_a_visitor_looks_at_let_that_of_another_go_before_their_second(store):
    ada = [looked_at(store, "ada") for _ in range(9)]
    bob = looked_at(store, "bob")
    assert all_looked_at(store, 10) == [ada[0], bob, *ada[1:]]


def test_what_is_found_in_one_step_goes_before_the_searches_of_others(store):
    searches = [looked_at(store, owner) for owner in "abc"]
    step = looked_at(store, "d", method="pca")
    assert all_looked_at(store, 4) == [step, *searches]


@pytest.mark.fault
def test_many_cookies_of_an_address_wait_as_one_for_what_they_look_at(store):
    for cookie in "abcd":
        store.set_address(cookie, "crowd")
    crowd = [looked_at(store, cookie) for cookie in "abcd"]
    newcomers = [looked_at(store, "newcomer") for _ in range(2)]
    expected = [crowd[0], newcomers[0], crowd[1], newcomers[1], *crowd[2:]]
    assert all_looked_at(store, 6) == expected


@pytest.mark.fault
def test_a_visitor_with_runs_at_work_waits_no_longer_for_what_they_look_at(store):
    for _ in range(3):
        started(store, "ada")
    looked_at(store, "ada")
    store.claim_looked_at()
    looked_at(store, "bob")
    store.claim_looked_at()
    # Served longer ago than bob, whose runs have ended.
    bob, ada = looked_at(store, "bob"), looked_at(store, "ada")
    assert all_looked_at(store, 2) == [ada, bob]


def test_of_what_is_looked_at_only_what_is_admitted_is_claimed(store):
    ada, bob = looked_at(store, "ada"), looked_at(store, "bob")
    assert all_looked_at(store, 2, lambda record: record.owner != "ada") == [bob, None]
    assert store.claim_looked_at() == ada


def test_what_is_looked_at_waits_where_it_did_once_it_is_released_or_queued_again(store):
    record = looked_at(store)
    store.claim_looked_at()
    store.release(record.run_id)
    store.release(record.run_id)
    assert all_looked_at(store, 2) == [record, None]
    requeue(store, record, n_losses=0)
    assert store.claim_looked_at().run_id == record.run_id
    requeue(store, store.get(record.run_id), n_losses=1)  # it took its worker down
    assert store.claim_looked_at() is None
    assert store.claim().run_id == record.run_id


def test_what_is_looked_at_leaves_its_queue_when_it_is_stopped_or_deleted(store):
    stopped, deleted = looked_at(store), looked_at(store)
    store.cancel(stopped.run_id)
    store.delete(deleted.run_id)
    assert (store.n_looked_at(), store.claim_looked_at()) == (0, None)


def test_who_was_served_long_ago_is_forgotten():
    served = []
    for n in range(MOST_REMEMBERED):
        served = after_looking(served, f"cookie {n}", f"address {n}")
    assert len(served) == MOST_REMEMBERED
    assert served[-1] == f"cookie {MOST_REMEMBERED - 1}"


def test_a_choice_is_made_again_where_others_took_a_run_meanwhile(open_store):
    mine, other = open_store(), open_store()
    first, second = created(mine), created(mine)
    seen = []

    def choose(waiting, served):
        seen.append(list(waiting))
        if len(seen) == 1:
            other.claim()
        return mine.get(waiting[0]), [*served, "ada"]

    assert mine.take(Listing.QUEUED, choose) == second
    assert seen == [[first.run_id, second.run_id], [second.run_id]]
    assert mine.take(Listing.QUEUED, choose) is None
    other.close()
