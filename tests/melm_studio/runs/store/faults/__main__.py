"""Do what a store does with a fault at the n-th write, for every n: `python -m ... [--every K]`.

A fault is a process that is killed before the n-th operation on a file or in its midst, an
operation that fails, or a disk that is full from then on. Whatever fails is told by an error with a
sentence. After each step the store is as it was without a fault before or after that step: what was
acknowledged is there. Then the fault is over, the rest is done, and all is as without one. Files
keep what was written to them: a machine that loses its power is not tried.

Prints what was tried as JSON. Needs a C compiler on Linux.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from enum import IntEnum
from pathlib import Path
from typing import Any

from melm_studio.configuration.settings import Settings
from melm_studio.runs.store.folder_identity import identify
from melm_studio.runs.store.open_store import open_store
from melm_studio.runs.store.protocol import RunStore
from tests.melm_studio.runs.store import faults
from tests.melm_studio.runs.store.faults.steps import (
    LONG_S,
    STEPS,
    TOLD,
    WrongError,
    finish,
    settled,
    state_of,
    states_of,
)

_SHIM = ctypes.CDLL(None)


class Fault(IntEnum):
    """What goes wrong, as the shim numbers it."""

    COUNTED = 1
    FAILS = 2
    FULL = 3
    KILLED = 4
    TORN = 5


def opened(folder: Path) -> RunStore:
    """Open a studio's store, as its start does."""
    identify(folder)
    return open_store(Settings(data_dir=folder))


def _reference(folder: Path) -> list[Any]:
    with closing(opened(folder)) as store:
        return states_of(store)


def _finish(states: list[Any], n_done: int, store: RunStore) -> None:
    finish(states, n_done, store)
    cache = store._cache  # noqa: SLF001
    cache.remove_orphans(time.time() + LONG_S)
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
        with suppress(*TOLD):
            store = opened(folder)
        if store is None:
            _SHIM.fault_end()
    n_done = 0
    while n_done < len(STEPS):
        try:
            STEPS[n_done](store)
            n_done += 1
        except TOLD:
            if fault is Fault.FULL:
                with suppress(*TOLD):  # still
                    store.probe(1.0)
            _SHIM.fault_end()
            n_done = settled(states, n_done, store)
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
        _finish(states, settled(states, n_done, store), store)

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
    lines, status = _in_child(lambda say: say(json.dumps(_reference(folder))))
    if status != 0:
        raise RuntimeError(lines[-1])
    states: list[Any] = json.loads(lines[0])
    return states


def main() -> int:
    """Print what was tried, by a process that has loaded the shim first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="the distance of places (default 1)")
    options = parser.parse_args()
    if hasattr(_SHIM, "fault_begin"):
        sys.stdout.write(json.dumps(sweep(options.every)) + "\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        library, source = Path(folder) / "faults.so", Path(__file__).with_name("faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        environment = {**os.environ, "LD_PRELOAD": str(library), "TMPDIR": folder}
        command = [sys.executable, "-m", faults.__name__, f"--every={options.every}"]
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
