"""Whatever write of a store fails, or is its last, what was acknowledged is there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from typing import Any

import pytest
import redis
from redis.connection import AbstractConnection

from melm_studio.runs.store.protocol import RunStore
from tests.melm_studio.runs.helpers import plane, started
from tests.melm_studio.runs.store import faults
from tests.melm_studio.runs.store.faults.steps import STEPS, TOLD, finish, settled, states_of

N_FAULTS = 4
LEAST_OPERATIONS = 400
LEAST_COMMANDS = 100


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs a C compiler on Linux"
)
def test_a_fault_at_any_write_loses_nothing_and_is_told():
    command = [sys.executable, "-m", faults.__name__]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["n_operations"] > LEAST_OPERATIONS
    assert found["n_tried"] == N_FAULTS * found["n_operations"]


class Broken:
    """Breaks the connection to a server once: at the n-th command of a step, before or after it.

    Parameters
    ----------
    at : int
    is_done : bool
    """

    def __init__(self, at: int, *, is_done: bool) -> None:
        self._at, self._is_done, self.n_seen = at, is_done, 0
        self.is_in_step = False

    def put_into(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have all connections do so."""
        send, receive = AbstractConnection.send_packed_command, AbstractConnection.read_response

        def sends(connection, *arguments, **options):
            if not self._is_done:
                self._pass(connection)
            return send(connection, *arguments, **options)

        def receives(connection, *arguments, **options):
            answer = receive(connection, *arguments, **options)
            if self._is_done:
                self._pass(connection)
            return answer

        monkeypatch.setattr(AbstractConnection, "send_packed_command", sends)
        monkeypatch.setattr(AbstractConnection, "read_response", receives)

    def _pass(self, connection: AbstractConnection) -> None:
        self.n_seen += self.is_in_step
        if self.is_in_step and self.n_seen == self._at:
            connection.disconnect()
            raise redis.ConnectionError


def work_on(store: RunStore, broken: Broken, states: list[Any]) -> None:
    """Do all steps, each again where it is told that it did not happen."""
    n_done = 0
    while n_done < len(STEPS):
        broken.is_in_step = True
        try:
            STEPS[n_done](store)
            n_done += 1
        except TOLD:
            broken.is_in_step = False
            n_done = settled(states, n_done, store)
    broken.is_in_step = False
    finish(states, n_done, store)


@pytest.mark.fault
@pytest.mark.parametrize("at", [1, 2, 3])
def test_planes_whose_answer_is_lost_are_stored_once(redis_server, tmp_path, monkeypatch, at):
    with closing(redis_server.store(str(tmp_path))) as store:
        run = started(store).run_id
        store.append(run, plane(0.5))
        broken = Broken(at, is_done=True)
        broken.put_into(monkeypatch)
        broken.is_in_step = True
        assert store.append(run, plane(1.0), plane(2.0, seed=1)) == 2
        broken.is_in_step = False
        assert [event.objective for event in store.events(run)] == [0.5, 1.0, 2.0]


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_a_connection_that_breaks_at_any_command_loses_nothing(
    redis_server, tmp_path, monkeypatch, is_done
):
    states = states_of(redis_server.store(f"{tmp_path} reference"))
    at, n_seen = 0, 1
    while at < n_seen:
        at += 1
        broken = Broken(at, is_done=is_done)
        with (
            monkeypatch.context() as patch,
            closing(redis_server.store(f"{tmp_path} {at}")) as store,
        ):
            broken.put_into(patch)
            work_on(store, broken, states)
            n_seen = broken.n_seen
    assert n_seen > LEAST_COMMANDS
