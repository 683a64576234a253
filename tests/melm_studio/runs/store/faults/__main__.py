"""Do what a store does with a fault at the n-th write, for every n: `python -m ... [--every K]`.

A fault is a process that is killed before the n-th operation on a file or in its midst, an
operation that fails, or a disk that is full from then on. Whatever fails is told by an error with a
sentence. After each step the store is as it was without a fault before or after that step: what was
acknowledged is there. Then the fault is over, the rest is done, and all is as without one. Files
keep what was written to them: a machine that loses its power is not tried.

Prints what was tried as JSON.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

from melm_core.base import UserError
from melm_studio.configuration.settings import Settings
from melm_studio.runs.records.grant import Grant, GrantKind
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.disk_cache import SMALLEST_FILE_BYTES
from melm_studio.runs.store.folder_identity import identify
from melm_studio.runs.store.open_store import open_store
from melm_studio.runs.store.protocol import Listing, RunStore, StoreUnavailableError
from tests.melm_studio.runs.helpers import plane, run_of

_TOLD = UserError, StoreUnavailableError
_LONG_S = 10 * 86_400.0
_SHIM = ctypes.CDLL(None)

OWNER, LARGE = "ada", bytes(SMALLEST_FILE_BYTES + 7)
FIT, OTHER, GONE = (run_of(OWNER, seed) for seed in ("a", "b", "c"))
CHECK = new_analysis(FIT, "check")


class Fault(IntEnum):
    """What goes wrong, as the shim numbers it."""

    COUNTED = 1
    FAILS = 2
    FULL = 3
    KILLED = 4
    TORN = 5


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
    expires_s=time.time() + _LONG_S,
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


def opened(folder: Path) -> RunStore:
    """Open a studio's store, as its start does."""
    identify(folder)
    return open_store(Settings(data_dir=folder))


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


def reference(folder: Path) -> list[Any]:
    """What a store without a fault says before the first step and after each."""
    store = opened(folder)
    states = [state_of(store)]
    for step in STEPS:
        step(store)
        states.append(state_of(store))
    store.close()
    return states


class WrongError(Exception):
    """A promise that was not kept."""


def _settled(states: list[Any], n_done: int, store: RunStore) -> int:
    """How many steps are done: of the one at work all or nothing."""
    now = state_of(store)
    for n in (n_done, n_done + 1):
        if n < len(states) and states[n] == now:
            return n
    known = states[n_done]
    changed = [(name, known[name], now[name]) for name in now if now[name] != known[name]]
    raise WrongError(f"step {n_done}: {changed}")


def _finish(states: list[Any], n_done: int, store: RunStore) -> None:
    for step in STEPS[n_done:]:
        step(store)
    if state_of(store) != states[-1]:
        raise WrongError("it does not end as without a fault")
    cache = store._cache  # type: ignore[attr-defined] # noqa: SLF001
    cache.remove_orphans(time.time() + _LONG_S)
    left = {*cache._folder.rglob("*.val")} - cache._known_files()  # noqa: SLF001
    if left or state_of(store) != states[-1]:
        raise WrongError("files are left, or gone")


def work(
    folder: Path, fault: Fault, at: int, states: list[Any], done: Callable[[int], None]
) -> int:
    """Do all steps with a fault; return how many operations there were."""
    _SHIM.fault_begin(int(fault), ctypes.c_long(at))
    store = None
    while store is None:
        with suppress(*_TOLD):
            store = opened(folder)
        if store is None:
            _SHIM.fault_end()
    n_done = 0
    while n_done < len(STEPS):
        try:
            STEPS[n_done](store)
            n_done += 1
        except _TOLD:
            if fault is Fault.FULL:
                with suppress(*_TOLD):  # still
                    store.probe(1.0)
            _SHIM.fault_end()
            n_done = _settled(states, n_done, store)
        done(n_done)
    n_operations = int(_SHIM.fault_end())
    _finish(states, n_done, store)
    store.close()
    return n_operations


def _in_child(act: Callable[[Callable[[str], None]], None]) -> tuple[list[str], int]:
    """Call something in a process of its own; return what it said, and how it ended."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            act(lambda line: os.write(writes, f"{line}\n".encode()))
            status = 0
        except BaseException:  # noqa: BLE001 - told to the parent
            _SHIM.fault_end()
            os.write(writes, f"! {json.dumps(traceback.format_exc()[-3_000:])}\n".encode())
        os._exit(status)
    os.close(writes)
    with os.fdopen(reads) as file:
        lines = file.read().split("\n")[:-1]
    return lines, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def tried(folder: Path, fault: Fault, at: int, states: list[Any]) -> str:
    """Try a fault in a new folder; return what went wrong."""
    lines, status = _in_child(lambda say: _said(say, folder, fault, at, states))
    if status == 1 or (lines and lines[-1].startswith("!")):
        return lines[-1] if lines else "it ended without a word"
    if status == 0:
        return ""
    n_done = int(lines[-1]) if lines else 0

    def open_again(_: Callable[[str], None]) -> None:
        store = opened(folder)
        _finish(states, _settled(states, n_done, store), store)

    lines, status = _in_child(open_again)
    return "" if status == 0 else lines[-1]


def _said(
    say: Callable[[str], None], folder: Path, fault: Fault, at: int, states: list[Any]
) -> None:
    n_operations = work(folder, fault, at, states, lambda n: say(str(n)))
    if fault is Fault.COUNTED:
        say(f"={n_operations}")


def sweep(every: int) -> dict[str, Any]:
    """Try every fault at every n-th place."""
    wrong: list[str] = []
    n_tried = 0
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        states = _of_reference(root / "reference")
        lines, _ = _in_child(lambda say: _said(say, root / "counted", Fault.COUNTED, 0, states))
        if not lines[-1].startswith("="):
            return {"n_operations": 0, "n_tried": 0, "wrong": lines[-1:]}
        n_operations = int(lines[-1][1:])
        faults: Iterable[Fault] = [fault for fault in Fault if fault is not Fault.COUNTED]
        for shift, fault in enumerate(faults):
            for at in range(shift % every, n_operations, every):
                folder = root / "tried"
                folder.mkdir()
                if found := tried(folder, fault, at, states):
                    wrong.append(f"{fault.name} at {at}: {found}")
                n_tried += 1
                shutil.rmtree(folder)
    return {"n_operations": n_operations, "n_tried": n_tried, "wrong": wrong}


def _of_reference(folder: Path) -> list[Any]:
    folder.mkdir()
    (folder.parent / "counted").mkdir()
    lines, status = _in_child(lambda say: say(json.dumps(reference(folder))))
    if status != 0:
        raise RuntimeError(lines[-1])
    states: list[Any] = json.loads(lines[0])
    return states


def main() -> int:
    """Print what was tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="the distance of places (default 1)")
    sys.stdout.write(json.dumps(sweep(parser.parse_args().every)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
