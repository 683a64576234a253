"""What a store does, step by step, and what it says after each."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from melm_core.base import UserError
from melm_studio.runs.records.grant import Grant, GrantKind
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.disk_cache import SMALLEST_FILE_BYTES
from melm_studio.runs.store.protocol import Listing, RunStore, StoreUnavailableError
from tests.melm_studio.runs.helpers import plane, run_of

# Errors with a sentence for whoever asked.
TOLD = UserError, StoreUnavailableError
LONG_S = 10 * 86_400.0

OWNER, LARGE = "ada", bytes(SMALLEST_FILE_BYTES + 7)
FIT, OTHER, GONE = (run_of(OWNER, seed) for seed in ("a", "b", "c"))
CHECK = new_analysis(FIT, "check")


Step = Callable[[RunStore], object]


def _start(record: Any) -> Step:
    return lambda store: store.transition(
        record.run_id, {RunState.QUEUED}, state=RunState.RUNNING, started_s=1.0
    )


def _end(record: Any) -> Step:
    return lambda store: store.transition(
        record.run_id, {RunState.RUNNING}, state=RunState.DONE, finished_s=2.0
    )


TOKEN = Grant(
    grant_id="g" * 64,
    owner=OWNER,
    address="network",
    kind=GrantKind.TOKEN,
    created_s=time.time(),
    expires_s=time.time() + LONG_S,
)

STEPS: tuple[Step, ...] = (
    lambda store: store.secret(),
    lambda store: store.set_address(OWNER, "network"),
    lambda store: store.put_file(OWNER, FileKind.UPLOAD, "small", b"x,y\n1,2\n"),
    lambda store: store.put_file(OWNER, FileKind.DATA, "large", LARGE),
    lambda store: store.create(FIT),
    lambda store: store.create(OTHER),
    lambda store: store.create(GONE),
    lambda store: store.claim(),
    _start(FIT),
    lambda store: store.append(FIT.run_id, plane(1.0), plane(2.0, seed=1)),
    lambda store: store.create(CHECK),
    _start(CHECK),
    lambda store: store.put_report(CHECK.run_id, LARGE),
    lambda store: store.cancel(OTHER.run_id),
    lambda store: store.annotate(FIT.run_id, name="the good one"),
    _end(FIT),
    _end(CHECK),
    lambda store: store.delete(GONE.run_id),
    lambda store: store.grants.put(TOKEN),
    lambda store: store.put_file(OWNER, FileKind.DATA, "large", LARGE[::-1] + b"1"),
    lambda store: store.tidy(time.time()),
)


def state_of(store: RunStore) -> Any:
    """Everything that a store says, but for times."""
    runs = store.runs_of(OWNER)
    return json.loads(
        json.dumps(
            {
                "runs": {
                    run.run_id: [run.state, run.name, store.n_events(run.run_id)] for run in runs
                },
                "planes": [event.objective for run in runs for event in store.events(run.run_id)],
                "reports": [_digest(store.report(run.run_id)) for run in runs],
                "cancelled": [store.request(run.run_id).is_cancelled for run in runs],
                "lists": {listing.name: store.run_ids(listing) for listing in Listing},
                "owners": store.owners(),
                "address": store.address_of(OWNER),
                "ended": {state: ended.n_runs for state, ended in store.ended().items()},
                "files": sorted(
                    [
                        file.kind,
                        file.key,
                        file.digest,
                        _digest(store.get_file(OWNER, file.kind, file.key)),
                    ]
                    for file in store.files_of(OWNER)
                ),
                "tokens": [grant.grant_id for grant in store.grants.of_owner(OWNER)],
            }
        )
    )


def _digest(raw: bytes | None) -> str:
    return "" if raw is None else sha256(raw).hexdigest()


def states_of(store: RunStore) -> list[Any]:
    """Return what a store says before the first step and after each."""
    states = [state_of(store)]
    for step in STEPS:
        step(store)
        states.append(state_of(store))
    return states


class WrongError(Exception):
    """A promise that was not kept."""


def settled(states: list[Any], n_done: int, store: RunStore) -> int:
    """Return how many steps are done: of the one at work all or nothing."""
    now = state_of(store)
    for n in (n_done, n_done + 1):
        if n < len(states) and states[n] == now:
            return n
    known = states[n_done]
    changed = [(name, known[name], now[name]) for name in now if now[name] != known[name]]
    raise WrongError(f"step {n_done}: {changed}")


def finish(states: list[Any], n_done: int, store: RunStore) -> None:
    """Do the rest, and compare what comes of it."""
    for step in STEPS[n_done:]:
        step(store)
    if state_of(store) != states[-1]:
        raise WrongError("it does not end as without a fault")
