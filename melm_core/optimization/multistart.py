"""Ascent from several starts through a sequence of objectives: L-BFGS on free components.

The objectives here depend on the span of the components only, so nothing
needs to hold them orthonormal while they are optimised. Earlier stages are
smoother versions of the last one; starts that have met by the end of a stage
go on as one.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from melm_core.base.array_types import FloatArray
from melm_core.linalg.planes import principal_angles
from melm_core.optimization.parallel import Listener, climb_each
from melm_core.optimization.types import Init, Objective, Outcome, Reporter, Stage, Start, Step

# Planes whose largest principal angle is below this are one plane, in radians.
SAME_PLANE = 0.1

# An ascent of about this many steps counts as half done: the number of steps
# is not known beforehand, yet the share of the work has to grow.
_STEPS_TO_HALF = 20

# After a stop, so many of the highest planes are measured by the objective that counts.
_MOST_MEASURED = 3


def maximize(
    stages: Sequence[Stage],
    starts: Sequence[Start],
    *,
    report: Reporter,
    n_jobs: int | None = None,
    reported: Step | None = None,
) -> Outcome:
    """Climb from every start through all stages and keep the best.

    Parameters
    ----------
    stages : sequence of Stage, at least one
        The last one is the objective that counts.
    starts : sequence of Start, at least one
    report : callable
        Given every accepted step, one at a time; a true return stops.
    n_jobs : int or None
        Starts that climb at the same time, as joblib reads it: in threads, or
        where `joblib.parallel_config` sends them. The outcome does not depend
        on it.
    reported : Step or None
        What was reported before the starts were known, measured as the first stage is; after a
        stop it may be the best plane.
    """
    clerk = _Clerk(report, len(stages))
    if reported is not None:
        clerk.take_over(reported, stages[0].measure)
    tracks = [_Track(start) for start in starts]
    leaders: list[int] = []
    for number, stage in enumerate(stages):
        leaders = _merge(tracks, leaders)[: stage.most_starts]
        leaders += [i for i, start in enumerate(starts) if start.stage == number]
        climbs = [
            partial(_Track.climb, stage=stage, place=_Place(number, position, len(leaders)))
            for position in range(len(leaders))
        ]
        climb_each([tracks[leader] for leader in leaders], climbs, clerk, stage.measure, n_jobs)
        if clerk.stopped:
            break
    if clerk.stopped and reported is not None:
        tracks.append(_Track.stopped_at(reported))
        leaders = [len(tracks) - 1, *leaders]
    return _outcome(tracks, leaders, stages[-1].objective, clerk)


def first_alike(planes: Sequence[FloatArray]) -> list[int]:
    """For each plane the index of the first one it repeats: its own if it repeats none."""
    firsts: list[int] = []
    for index, plane in enumerate(planes):
        distinct = (i for i, first in enumerate(firsts) if i == first)
        firsts.append(next((i for i in distinct if _is_same(planes[i], plane)), index))
    return firsts


def _merge(tracks: Sequence[_Track], leaders: Sequence[int]) -> list[int]:
    """The leaders of distinct planes, best first; the others follow the one they met."""
    ranked = sorted(leaders, key=lambda i: (-tracks[i].objective, i))
    firsts = [ranked[i] for i in first_alike([tracks[i].components for i in ranked])]
    for leader, first in zip(ranked, firsts, strict=True):
        if leader != first:
            tracks[leader].follow(tracks[first])
    return [leader for leader, first in zip(ranked, firsts, strict=True) if leader == first]


def _is_same(components: FloatArray, reference: FloatArray) -> bool:
    return bool(principal_angles(components, reference)[-1] < SAME_PLANE)


def _outcome(
    tracks: Sequence[_Track], leaders: Sequence[int], objective: Objective, clerk: _Clerk
) -> Outcome:
    finalists = [tracks[leader] for leader in leaders if tracks[leader].has_climbed]
    if clerk.stopped:
        finalists = _measured(finalists, objective)
    inits = {id(track): track.init() for track in tracks if track.has_climbed}
    return Outcome(
        best=max((inits[id(track)] for track in finalists), key=lambda init: init.objective),
        inits=tuple(inits.values()),
        history=tuple(value for leader in leaders for value in tracks[leader].history),
        n_evaluations=sum(track.n_evaluations for track in tracks),
        stopped=clerk.stopped,
    )


def _measured(stopped: Sequence[_Track], objective: Objective) -> list[_Track]:
    """The highest of the tracks; each of the stopped ones is back at the best plane it passed."""
    highest = sorted(stopped, key=lambda track: -track.peak)[:_MOST_MEASURED]
    for track in highest:
        track.measure(objective)
    for track in stopped:
        if track not in highest:
            track.objective, track.components = track.peak, track.peak_components
    return highest


def _fraction(step: Step) -> float:
    within_start = step.iteration / (step.iteration + _STEPS_TO_HALF)
    within_stage = (step.start + within_start) / step.n_starts
    return (step.stage + within_stage) / step.n_stages


class _Place(NamedTuple):
    """As in a `Step`."""

    stage: int
    start: int
    n_starts: int


class _Clerk:
    """Passes steps on one at a time, and remembers that somebody asked to stop."""

    def __init__(self, report: Reporter, n_stages: int) -> None:
        self.n_stages = n_stages
        self._report = report
        self._lock = threading.Lock()
        self._n_evaluations = 0
        self._measure: Objective | None = None
        self._best = -np.inf
        self._fraction = 0.0
        self.stopped = False

    def count(self) -> None:
        with self._lock:
            self._n_evaluations += 1

    def take_over(self, step: Step, measure: Objective) -> None:
        """Go on from a step that somebody else has reported."""
        self._measure, self._best = measure, step.objective

    def note(self, step: Step, measure: Objective) -> None:
        with self._lock:
            if measure is not self._measure:  # values of a sample do not compare with all rows'
                self._measure, self._best = measure, -np.inf
            self._best = max(self._best, step.objective)
            self._fraction = max(self._fraction, _fraction(step))
            step = replace(
                step,
                n_evaluations=self._n_evaluations,
                best_objective=self._best,
                fraction=self._fraction,
            )
            self.stopped = self._report(step) or self.stopped


@dataclass(eq=False)
class _Track:
    """One start on its way through the stages."""

    start: Start
    leader: _Track | None = None
    objective: float = float("-inf")
    peak: float = float("-inf")  # the highest value reported
    n_iterations: int = 0
    n_evaluations: int = 0
    converged: bool = False
    history: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.components = self.start.components
        self.peak_components = self.start.components
        self.has_climbed = False

    @classmethod
    def stopped_at(cls, step: Step) -> _Track:
        """A track that ended with its first step."""
        track = cls(Start(step.stage_name, step.components), objective=step.objective)
        track.pass_by(step.objective, step.components)
        track.history, track.has_climbed = [step.objective], True
        return track

    def climb(self, clerk: Listener, *, stage: Stage, place: _Place) -> None:
        self.history = []
        if clerk.stopped:
            return
        self.has_climbed = True
        shape = self.components.shape

        def note(components: FloatArray, value: float) -> None:
            if stage.reported is not None:
                value, _ = stage.reported(components)
            self.history.append(value)
            self.pass_by(value, components.copy())
            clerk.note(
                Step(
                    components=components.copy(),
                    objective=value,
                    best_objective=value,
                    stage=place.stage,
                    n_stages=clerk.n_stages,
                    stage_name=stage.name,
                    start=place.start,
                    n_starts=place.n_starts,
                    iteration=len(self.history) - 1,
                ),
                stage.measure,
            )

        def evaluate(components: FloatArray) -> tuple[float, FloatArray]:
            clerk.count()
            self.n_evaluations += 1
            value, gradient = stage.objective(components)
            return -value, -gradient.ravel()

        def accept(intermediate_result: scipy.optimize.OptimizeResult) -> None:
            note(intermediate_result.x.reshape(shape), -float(intermediate_result.fun))
            if clerk.stopped:
                raise StopIteration

        first = evaluate(self.components)
        self.objective = -first[0]
        note(self.components, self.objective)
        if clerk.stopped:
            return
        begin = self.components.ravel()
        result: Any = scipy.optimize.minimize(
            lambda x: first if np.array_equal(x, begin) else evaluate(x.reshape(shape)),
            begin,
            jac=True,
            method="L-BFGS-B",
            callback=accept,
            options={"maxiter": stage.max_iter, "ftol": stage.tol, "gtol": stage.tol**0.5},
        )
        self.components = result.x.reshape(shape)
        self.objective = -float(result.fun)
        self.n_iterations += len(self.history) - 1
        self.converged = bool(result.success) and not clerk.stopped

    def pass_by(self, value: float, components: FloatArray) -> None:
        if value > self.peak:
            self.peak, self.peak_components = value, components

    def follow(self, leader: _Track) -> None:
        self.leader = leader
        leader.pass_by(self.peak, self.peak_components)

    def measure(self, objective: Objective) -> None:
        """The better of where it stands and of its peak, by the objective that counts."""
        planes = (self.components, self.peak_components)
        values = [objective(plane)[0] for plane in planes]
        best = int(np.argmax(values))
        self.objective, self.components = values[best], planes[best]

    def init(self) -> Init:
        reached = self
        while reached.leader is not None:
            reached = reached.leader
        return Init(
            kind=self.start.kind,
            objective=reached.objective,
            n_iterations=self.n_iterations,
            n_evaluations=self.n_evaluations,
            converged=reached.converged,
            components=reached.components,
        )
