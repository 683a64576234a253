"""Where a fit holds still while its run is paused."""

from __future__ import annotations

from melm_studio.worker.records.clock import Clock
from melm_studio.worker.records.control import Control, Order
from melm_studio.worker.records.run import RunState
from melm_studio.worker.store.protocol import RunEndedError, RunStore

# How soon a run that holds still sees what is asked of it.
POLL_S = 0.05
# A pause keeps a process and its memory: after an hour the run goes on by itself.
LONGEST_S = 3_600.0


class PausePoint:
    """A point that a fit passes at every step, and waits at while its run is paused.

    Attributes
    ----------
    is_held : bool
        Whether the run is paused; a single step does not end a pause.
    waited_s : float
        Seconds spent here so far.
    """

    def __init__(self, store: RunStore, run_id: str, clock: Clock) -> None:
        self.is_held = False
        self.waited_s = 0.0
        self._store, self._run_id, self._clock = store, run_id, clock
        self._n_steps = 0

    def passed(self) -> Control:
        """Return what is asked of the run, once it need not wait.

        Raises
        ------
        RunEndedError
            If somebody else ended the run meanwhile.
        """
        control = self._store.control(self._run_id)
        if control.is_paused:
            control = self._waited(control)
        if control.order is Order.GO:
            self._go_on(control)
        return control

    def _waited(self, control: Control) -> Control:
        began_s = self._clock.monotonic()
        self._hold()
        while control.is_paused and control.n_steps <= self._n_steps:
            if self._clock.monotonic() - began_s > LONGEST_S:
                self._store.request_resume(self._run_id)
            self._clock.sleep(POLL_S)
            control = self._asked()
        self._n_steps += 1
        self.waited_s += self._clock.monotonic() - began_s
        return control

    def _hold(self) -> None:
        self.is_held = True
        self._store.transition(self._run_id, {RunState.RUNNING}, state=RunState.PAUSED)

    def _go_on(self, control: Control) -> None:
        self._n_steps = control.n_steps
        if self.is_held:
            self.is_held = False
            self._store.transition(self._run_id, {RunState.PAUSED}, state=RunState.RUNNING)

    def _asked(self) -> Control:
        record = self._store.get(self._run_id)
        if record is None or record.state.is_final:
            raise RunEndedError(self._run_id)
        return self._store.control(self._run_id)
