"""Recording the progress of a fit as the history of a run."""

from __future__ import annotations

from msgspec import structs

from melm_core.base import FloatArray, GammaPath, GammaProgress, Progress
from melm_core.linalg import align_components, align_planes
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.giving_way import PausePoint
from melm_studio.runs.records.outcome import NO_OUTCOME
from melm_studio.runs.records.outcome import GammaPath as GammaPathRecord
from melm_studio.runs.records.run import AT_WORK, PlaneEvent
from melm_studio.runs.store.protocol import RunStore
from melm_studio.runs.store.quota import planes_left

# This many planes replay smoothly and fill a slider; a usual run has fewer and all are kept.
N_KEPT_ALL = 2_000
# After them, so many that a page finds a new one as often as it asks, and fewer the longer the run:
# one per thousandth of its elapsed time, so that a run of days stores no more than one of hours.
LATER_EVENTS_PER_S = 30
LATER_GAP = 1e-3
# The quota that is left changes with the owner's other runs: how often it is computed again.
N_BETWEEN_QUOTAS = 100
# This many rows show how a plane is turned.
N_ORIENTING = 500


class Recorder:
    """The callback of a fit: appends planes to the run and forwards requests to the fit.

    Each plane is rotated and reflected within itself so that its picture is closest to the previous
    one: the view changes smoothly, and restarts do not mirror it. While the run is paused, a step
    waits here; that time is not counted. The planes of fits that only choose gamma are not kept,
    but their held-out accuracies are, in the record.

    A run that is continued repeats its search, which its seed determines, up to where it was cut
    short; those planes are in the history already.

    Parameters
    ----------
    store : RunStore
    run_id : str
    clock : Clock
    attempt : int
        Which attempt at the run the fit is.
    n_kept_all : int
        The number of planes all of which are kept; fewer are kept of those after them.

    Attributes
    ----------
    best : Progress or None
        The step with the best plane so far, over the most rows that the fit has come to.
    stopped : bool
        Whether the fit was requested to stop.
    outcome : FitOutcome
        With what the record has of the choice of gamma.
    """

    def __init__(
        self,
        store: RunStore,
        run_id: str,
        clock: Clock,
        *,
        attempt: int = 0,
        n_kept_all: int = N_KEPT_ALL,
    ) -> None:
        self.best: Progress | None = None
        self.stopped = False
        self.outcome = NO_OUTCOME
        self._store = store
        self._run_id = run_id
        self._clock = clock
        self._n_kept_all = n_kept_all
        self._began_s = clock.monotonic()
        self._last: Progress | None = None
        self._appended: PlaneEvent | None = store.last_event(run_id)
        self._n_repeated = -1 if self._appended is None else self._appended.n_evaluations
        self._appended_s = self._began_s
        self._quota_due_at = self._most_planes = 0
        self._pause = PausePoint(store, run_id, clock, attempt=attempt)
        self._drawn: FloatArray | None = None

    def orient_by(self, rows: FloatArray) -> None:
        """Align the pictures of planes by training rows, shape (n_rows, n_features).

        Without them, their loadings are aligned.
        """
        step = max(1, len(rows) // N_ORIENTING)
        self._drawn = rows[::step]

    def __call__(self, progress: Progress) -> bool:
        if isinstance(progress, GammaProgress):
            self._keep_path(progress)
        if not (isinstance(progress, GammaProgress) and progress.is_choosing):
            self._keep(progress)
        self.stopped = self._pause.passed().is_cancelled
        return self.stopped

    def _keep_path(self, progress: GammaProgress) -> None:
        path = progress.gamma_path
        if path is None or len(path.fold_accuracies) < 2:  # a single fold has no standard error
            return
        outcome = structs.replace(self.outcome, gamma_path=_gamma_path(path, progress.is_choosing))
        if outcome != self.outcome:
            self.outcome = outcome
            self._store.transition(self._run_id, AT_WORK, outcome=outcome)

    def _keep(self, progress: Progress) -> None:
        self._last = progress
        if progress.is_better(self.best):
            self.best = progress
        if progress.n_evaluations > self._n_repeated and self._is_due():
            self._append(self._event(progress, is_final=False))

    def conclude(
        self, components: FloatArray, objective: float, *, is_complete: bool, n_sampled: int = 0
    ) -> None:
        """Append the last plane of the history, the best of a fit, whether complete or not.

        A run that is continued may have found a better one before it was cut short. Where this is
        the last plane already, since its worker was taken for dead at the end, it stays the last.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
        objective : float
            Over all rows, or over `n_sampled` of them.
        is_complete : bool
        n_sampled : int
        """
        last = self._last or _only_step(components, objective)
        final = structs.replace(
            last,
            components=components,
            objective=objective,
            best_objective=objective,
            fraction=1.0 if is_complete else last.fraction,
            elapsed_s=self._clock.monotonic() - self._began_s,
            n_sampled=n_sampled,
        )
        earlier = None if is_complete else self._better_earlier(final)
        if earlier is not None:
            final = structs.replace(
                final,
                components=earlier.components,
                objective=earlier.objective,
                best_objective=earlier.objective,
                n_sampled=earlier.n_sampled,
            )
        if self._appended is None or not _is_same_end(self._appended, final):
            self._append(self._event(final, is_final=True))

    def _better_earlier(self, final: Progress) -> PlaneEvent | None:
        """Return the best plane of an earlier attempt, if it is better than this attempt's."""
        earlier = self._store.best_event(self._run_id) if self._n_repeated >= 0 else None
        if earlier is None:
            return None
        # The plane of a fit that was stopped on a sample is evaluated over all rows in the end;
        # with one that was not, it compares by what it was on the sample.
        compared = self.best if earlier.n_sampled and self.best is not None else final
        return earlier if earlier.is_better(compared) else None

    def _is_due(self) -> bool:
        if self._appended is None:
            return True
        return self._has_room(self._appended) and (
            self._pause.is_held
            or self._appended.sequence + 1 < self._n_kept_all
            or self._has_waited()
        )

    def _has_waited(self) -> bool:
        now_s = self._clock.monotonic()
        gap_s = max(1 / LATER_EVENTS_PER_S, LATER_GAP * (now_s - self._began_s))
        return now_s - self._appended_s >= gap_s

    def _has_room(self, appended: PlaneEvent) -> bool:
        """Return whether the owner's quota has room for another plane and the last one after it."""
        n_kept = appended.sequence + 1
        if n_kept >= self._quota_due_at:
            self._quota_due_at = n_kept + N_BETWEEN_QUOTAS
            size = len(appended.to_bytes())
            self._most_planes = n_kept + planes_left(self._store, self._run_id, size)
        return n_kept + 1 < min(self._most_planes, self._store.limits.run_planes)

    def _event(self, progress: Progress, *, is_final: bool) -> PlaneEvent:
        step = {name: getattr(progress, name) for name in Progress.__struct_fields__}
        step["elapsed_s"] -= self._pause.waited_s
        return PlaneEvent(sequence=0, is_final=is_final, **step)

    def _append(self, event: PlaneEvent) -> None:
        if self._appended is not None:
            event = structs.replace(event, components=self._aligned(event, self._appended))
        sequence = self._store.append(self._run_id, event)
        self._appended = structs.replace(event, sequence=sequence)
        self._appended_s = self._clock.monotonic()

    def _aligned(self, event: PlaneEvent, before: PlaneEvent) -> FloatArray:
        if self._drawn is None:
            return align_components(event.components, before.components)
        return align_planes(event.components, before.components, self._drawn)


def _gamma_path(path: GammaPath, is_choosing: bool) -> GammaPathRecord:
    return GammaPathRecord(
        gammas=tuple(path.gammas.tolist()),
        accuracies=tuple(path.accuracies.tolist()),
        standard_errors=tuple(path.standard_errors.tolist()),
        n_folds=len(path.fold_accuracies),
        chosen=None if is_choosing else path.chosen,
        level=tuple(path.level.tolist()),
    )


def _is_same_end(last: PlaneEvent, final: Progress) -> bool:
    stored, reported = ((step.objective, step.n_sampled, step.fraction) for step in (last, final))
    return last.is_final and stored == reported


def _only_step(components: FloatArray, objective: float) -> Progress:
    """Return the progress of a method that finds its plane in one step and reports none."""
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
