"""From the progress of a fit to the history of a run."""

from __future__ import annotations

from dataclasses import fields, replace

from melm_core._typing import FloatArray
from melm_core.geometry import align_components
from melm_core.progress import Progress
from worker.clock import Clock
from worker.records import PlaneEvent
from worker.store import RunStore

# So many planes replay smoothly and fill a slider; a usual run has fewer and keeps them all.
N_KEPT_ALL = 2_000
# Beyond them, as many as the eye follows: a run of hours must not fill the disk.
LATER_EVENTS_PER_S = 20


class Recorder:
    """The callback of a fit: appends planes to the run and passes on a request to stop.

    Each plane is turned within itself to follow the one before, so that the picture turns
    smoothly.

    Attributes
    ----------
    best : Progress or None
        The step with the best plane so far.
    stopped : bool
        Whether the fit was told to stop.
    """

    def __init__(self, store: RunStore, run_id: str, clock: Clock) -> None:
        self.best: Progress | None = None
        self.stopped = False
        self._store = store
        self._run_id = run_id
        self._clock = clock
        self._began_s = clock.monotonic()
        self._last: Progress | None = None
        self._shown: PlaneEvent | None = None
        self._shown_s = self._began_s

    def __call__(self, progress: Progress) -> bool:
        self._last = progress
        if self.best is None or progress.objective > self.best.objective:
            self.best = progress
        if self._is_due():
            self._append(_event(progress, is_final=False))
        self.stopped = self._store.cancel_requested(self._run_id)
        return self.stopped

    def conclude(self, components: FloatArray, objective: float, *, is_complete: bool) -> None:
        """End the history with this plane, the best of a fit that came to its end or did not."""
        last = self._last or _only_step(components, objective)
        final = replace(
            last,
            components=components,
            objective=objective,
            best_objective=objective,
            fraction=1.0 if is_complete else last.fraction,
            elapsed_s=self._clock.monotonic() - self._began_s,
        )
        self._append(_event(final, is_final=True))

    def _is_due(self) -> bool:
        if self._shown is None or self._shown.sequence + 1 < N_KEPT_ALL:
            return True
        return self._clock.monotonic() - self._shown_s >= 1 / LATER_EVENTS_PER_S

    def _append(self, event: PlaneEvent) -> None:
        if self._shown is not None:
            components = align_components(event.components, self._shown.components)
            event = replace(event, components=components)
        sequence = self._store.append(self._run_id, event)
        self._shown = replace(event, sequence=sequence)
        self._shown_s = self._clock.monotonic()


def _event(progress: Progress, *, is_final: bool) -> PlaneEvent:
    values = {field.name: getattr(progress, field.name) for field in fields(progress)}
    return PlaneEvent(sequence=0, is_final=is_final, **values)


def _only_step(components: FloatArray, objective: float) -> Progress:
    """What a method would have told that finds its plane in one step."""
    return Progress(
        components=components,
        objective=objective,
        best_objective=objective,
        start=1,
        n_starts=1,
        iteration=0,
        n_evaluations=1,
        stage="found in one step",
        fraction=1.0,
        elapsed_s=0.0,
    )
