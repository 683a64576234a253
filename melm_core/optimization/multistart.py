"""Maximize from several starts through a sequence of stages.

The objectives depend on the span of the components only. Earlier stages are
smoothed versions of the last one. Starts that have reached the same plane by
the end of a stage are merged.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from msgspec import structs

from melm_core.base.array_types import FloatArray
from melm_core.base.progress import Callback, Progress
from melm_core.base.thread_pools import one_thread_each
from melm_core.linalg.planes import orthonormalize
from melm_core.optimization.lbfgs import Climb, Curvature, LocalOptimum, Objective, lbfgs

# Planes whose largest principal angle, in radians, is below this count as the same plane.
SAME_PLANE = 0.1

# After a stop, this many of the best planes are evaluated by the objective of the last stage.
_MAX_EVALUATED = 3

# A local solver is assumed to be half done after this many steps: their number is
# unknown beforehand, and the reported fraction has to increase.
_STEPS_TO_HALF = 20

# Maximizes an objective from an initial plane, with the arguments of `lbfgs`.
LocalSolver: TypeAlias = Callable[..., LocalOptimum]


@dataclass(frozen=True, eq=False)
class Start:
    """An initial plane.

    Attributes
    ----------
    kind : str
        How the plane was found, such as "random".
    components : ndarray of shape (n_components, n_features)
    stage : int
        The first stage it takes part in, counted from 0.
    """

    kind: str
    components: FloatArray
    stage: int = 0


@dataclass(frozen=True, eq=False)
class Stage:
    """One objective to maximize.

    Attributes
    ----------
    name : str
        Shown with the progress; empty for the only or the last stage.
    objective : callable
        Takes components of shape (n_components, n_features) and returns the
        value and its gradient, of the same shape.
    max_iter : int
        Maximum number of accepted steps per start.
    tol : float
        A local solver stops once a step gains less than this; `lbfgs` takes
        the gain relative to the value, and also stops once the largest entry
        of the gradient falls below the square root of `tol`.
    max_starts : int or None
        Only this many of the best distinct planes enter the stage.
    max_gap : float or None
        Only planes whose objective is below the best one by at most this share
        of it, or this if the best one is less than 1, enter the stage.
    monitor : callable or None
        An objective to report at each step instead of `objective`, where that
        is only a smoothed version of it.
    climb : callable or None
        Optimizes several planes together, possibly in single precision, where the objective
        can: it takes planes and the other arguments of `maximize_batch`.
    batch_size : int
        The largest number of starts whose common step is worth its length.
    continues : bool
        Whether the objective is that of the stage before, perhaps in another precision. Starts that
        are optimized together then go on with the curvature that they know.
    is_parallel : bool
        Whether the objective itself uses all workers, as sums over the blocks of a table do. The
        starts are then optimized in this process, one after the other.
    n_sampled : int
        Rows of the sample that the reported objective sums over; 0 for all rows.
    """

    name: str
    objective: Objective
    max_iter: int
    tol: float
    max_starts: int | None = None
    max_gap: float | None = None
    monitor: Objective | None = None
    climb: Climb | None = None
    batch_size: int = 1
    continues: bool = False
    is_parallel: bool = False
    n_sampled: int = 0

    @property
    def monitored(self) -> Objective:
        """The objective whose values are reported."""
        return self.monitor or self.objective


@dataclass(frozen=True, eq=False)
class StartResult:
    """The result of one start.

    Attributes
    ----------
    kind : str
        How the initial plane was found, such as "random".
    objective : float
        Value in the last stage that the plane reached.
    n_iterations, n_evaluations : int
        Over all stages in which the start was optimized on its own.
    converged : bool
    components : ndarray of shape (n_components, n_features)
    history : tuple of float
        The monitored objective at every accepted step of the last of these stages.
    """

    kind: str
    objective: float
    n_iterations: int
    n_evaluations: int
    converged: bool
    components: FloatArray
    history: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best plane of a search, and the result of every start.

    Attributes
    ----------
    best : StartResult
        Of the starts that reached the last stage; if the search was stopped,
        the best plane so far.
    start_results : tuple of StartResult
        In the order of the starts. A start that was merged into another one
        has the plane that they reached together. Fewer than the starts if the
        search was stopped.
    history : tuple of float
        The monitored objective at every accepted step of the last stage that
        was entered, one start after the other.
    n_evaluations : int
    stopped : bool
        Whether the callback requested the stop.
    """

    best: StartResult
    start_results: tuple[StartResult, ...]
    history: tuple[float, ...]
    n_evaluations: int
    stopped: bool


def in_data_space(results: Sequence[StartResult], basis: FloatArray) -> tuple[StartResult, ...]:
    """Return the results with orthonormal components in the coordinates of the data.

    Parameters
    ----------
    results : sequence of StartResult
    basis : ndarray of shape (n_features, n_coordinates)
        The search ran on the rows X @ basis.
    """
    if not results:
        return ()
    planes = orthonormalize(np.stack([result.components for result in results]) @ basis.T)
    return tuple(
        replace(result, components=plane) for result, plane in zip(results, planes, strict=True)
    )


def random_starts(
    n_starts: int, n_components: int, n_features: int, seed: int | Sequence[int]
) -> list[Start]:
    """Draw planes uniformly (Haar measure), each from its own random stream.

    So start i is the same plane whatever the number of starts.

    Parameters
    ----------
    n_starts, n_components, n_features : int
    seed : int or sequence of int

    Returns
    -------
    list of Start
        With orthonormal components of shape (n_components, n_features).

    Raises
    ------
    ValueError
        If n_components exceeds n_features.

    Examples
    --------
    >>> from melm_core.optimization import random_starts
    >>> [start.components.shape for start in random_starts(3, 2, 5, seed=0)]
    [(2, 5), (2, 5), (2, 5)]
    """
    entropy = seed if isinstance(seed, int) else tuple(seed)
    return [Start("random", plane) for plane in _haar(n_starts, n_components, n_features, entropy)]


@lru_cache(maxsize=16)  # all refits of a study have the same ones
def _haar(
    n_planes: int, n_components: int, n_features: int, seed: int | tuple[int, ...]
) -> FloatArray:
    drawn = [
        np.random.default_rng(stream).standard_normal((n_components, n_features))
        for stream in np.random.SeedSequence(seed).spawn(n_planes)
    ]
    planes = orthonormalize(np.reshape(drawn, (n_planes, n_components, n_features)))
    planes.flags.writeable = False
    return planes


def whole_space(n_features: int) -> list[Start]:
    """Return the only plane with as many components as there are features."""
    return [Start("whole space", np.eye(n_features))]


def maximize(
    stages: Sequence[Stage],
    starts: Sequence[Start] | Callable[[], Sequence[Start]],
    *,
    callback: Callback | None = None,
    solver: LocalSolver = lbfgs,
    n_jobs: int | None = None,
    preview: Progress | None = None,
) -> Outcome:
    """Optimize every start through all stages and return the best plane.

    Parameters
    ----------
    stages : sequence of Stage, at least one
        The last one has the objective to maximize.
    starts : sequence of Start, or a function that returns it
        At least one.
    callback : callable or None
        Given a `Progress` at every accepted step, one at a time, with components in the
        coordinates of the search; a true return value stops the search.
    solver : callable, default=lbfgs
        The local solver, called with the arguments of `lbfgs`.
    n_jobs : int or None
        Number of starts optimized at the same time, as in joblib: in threads,
        or where `joblib.parallel_config` sends them. The outcome does not
        depend on it.
    preview : Progress or None
        A plane to report before a function is called for the starts, evaluated with the
        monitored objective of the first stage. After a stop it may be the best plane.

    Returns
    -------
    Outcome

    Examples
    --------
    The plane that captures most variance is spanned by the leading eigenvectors:

    >>> import numpy as np
    >>> from melm_core.optimization import Stage, maximize, random_starts
    >>> variances = np.array([4.0, 3.0, 2.0, 1.0])
    >>> def captured(components):
    ...     inverse = np.linalg.inv(components @ components.T)
    ...     product = inverse @ (components * variances)
    ...     value = np.trace(product @ components.T)
    ...     return value, 2.0 * (product - product @ components.T @ inverse @ components)
    >>> stage = Stage("", captured, max_iter=100, tol=1e-10)
    >>> starts = random_starts(3, n_components=2, n_features=4, seed=0)
    >>> round(maximize([stage], starts).best.objective, 6)
    7.0
    """
    search = _Search(callback, len(stages))
    if preview is not None:
        search.report(preview, stages[0].monitored)
    states: list[_StartState] = []
    active: list[int] = []
    if not search.stopped:
        states = [_StartState(start) for start in (starts() if callable(starts) else starts)]
    for number, stage in enumerate(stages):
        if search.stopped:
            break
        active = _contenders(states, active, stage)
        active += [i for i, state in enumerate(states) if state.start.stage == number]
        entering = [states[i] for i in active]
        _optimize_all(entering, stage, search, number=number, solver=solver, n_jobs=n_jobs)
    if search.stopped and preview is not None:
        state = _StartState(Start("preview", preview.components), objective=preview.objective)
        state.record(preview.components, preview.objective)
        states.append(state)
        active = [len(states) - 1, *active]
    return _outcome(states, active, stages[-1].objective, search)


@dataclass(eq=False)
class _StartState:
    """The current plane of a start on its way through the stages, and the best it has passed.

    Attributes
    ----------
    start : Start
    merged_with : _StartState or None
        The start that reached the same plane and is optimized for both.
    components, objective : ndarray, float
        The plane after the latest stage, and the objective of that stage.
    best_components, best_value : ndarray, float
        The plane of the largest monitored objective so far.
    n_iterations, n_evaluations : int
        Over all stages.
    history : list of float
        The monitored objective at every accepted step of the latest stage.
    """

    start: Start
    merged_with: _StartState | None = None
    objective: float = -np.inf
    best_value: float = -np.inf
    n_iterations: int = 0
    n_evaluations: int = 0
    converged: bool = False
    has_begun: bool = False
    curvature: Curvature | None = None
    history: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.components = self.best_components = self.start.components

    def record(self, components: FloatArray, value: float) -> None:
        """Add an accepted step to the history."""
        self.has_begun = True
        self.history.append(value)
        if value > self.best_value:
            self.best_value, self.best_components = value, components

    def extend(self, components: FloatArray, values: Sequence[float]) -> None:
        """Add all accepted steps of a climb, whose values increase, to the history."""
        self.has_begun = True
        self.history.extend(values)
        if values[-1] > self.best_value:
            self.best_value, self.best_components = values[-1], components

    def settle(self, objective: Objective) -> None:
        """Take the better of the current plane and the best one, evaluated by `objective`."""
        planes = (self.components, self.best_components)
        values = [objective(plane)[0] for plane in planes]
        best = int(np.argmax(values))
        self.objective, self.components = values[best], planes[best]

    def result(self) -> StartResult:
        """Return the result, with the plane of the start that this one was merged into."""
        final = self
        while final.merged_with is not None:
            final = final.merged_with
        return StartResult(
            kind=self.start.kind,
            objective=final.objective,
            n_iterations=self.n_iterations,
            n_evaluations=self.n_evaluations,
            converged=final.converged,
            components=final.components,
            history=tuple(self.history),
        )


class _Search:
    """The progress over all starts, which may be optimized in several threads.

    Attributes
    ----------
    n_stages, n_evaluations : int
    stopped : bool
    """

    def __init__(self, callback: Callback | None, n_stages: int) -> None:
        self.n_stages = n_stages
        self.n_evaluations = 0
        self.stopped = False
        self._callback = callback
        self._lock = threading.Lock()
        self._began_s = time.perf_counter()
        self._monitored: Objective | None = None
        self._best_value = -np.inf
        self._fraction = 0.0

    @property
    def is_watched(self) -> bool:
        """True if the steps are passed to a callback."""
        return self._callback is not None

    def count_evaluations(self, count: int) -> None:
        with self._lock:
            self.n_evaluations += count

    def report(self, step: Progress, monitored: Objective) -> None:
        """Complete a step with the state of the search and hand it to the callback."""
        if self._callback is None:
            return
        with self._lock:
            if monitored is not self._monitored:  # values on a subsample are not comparable
                self._monitored, self._best_value = monitored, -np.inf
            self._best_value = max(self._best_value, step.objective)
            self._fraction = max(self._fraction, step.fraction)
            completed = structs.replace(
                step,
                n_evaluations=self.n_evaluations,
                best_objective=self._best_value,
                fraction=self._fraction,
                elapsed_s=time.perf_counter() - self._began_s,
            )
            self.stopped = bool(self._callback(completed)) or self.stopped

    def replay(self, steps: Sequence[Progress], n_evaluations: int, monitored: Objective) -> None:
        """Report the steps of a search elsewhere, with its evaluations in between."""
        n_counted = 0
        for step in steps:
            if self.stopped:
                break
            self.count_evaluations(step.n_evaluations - n_counted)
            n_counted = step.n_evaluations
            self.report(step, monitored)
        self.count_evaluations(n_evaluations - n_counted)


@dataclass(eq=False)
class _StartObserver:
    """Records and reports the steps of some of the starts of a stage, one start after the other.

    Starts that are optimized together advance at the same time. The steps of the first one are
    reported as they are taken, those of the others once the start before has ended: so a viewer
    sees every start on its way instead of jumps between them.

    Attributes
    ----------
    states : list of _StartState
    places : list of int
        Of each among the starts that entered the stage.
    n_starts : int
        The number of these.
    stage, stage_number : Stage, int
    search : _Search
    """

    states: list[_StartState]
    places: list[int]
    n_starts: int
    stage: Stage
    stage_number: int
    search: _Search
    current: int = 0
    ended: set[int] = field(default_factory=set)
    waiting: dict[int, list[tuple[FloatArray, float]]] = field(default_factory=dict)

    def count_evaluations(self, number: int, count: int) -> None:
        self.states[number].n_evaluations += count
        self.search.count_evaluations(count)

    @property
    def is_watching(self) -> bool:
        return self.search.is_watched or self.stage.monitor is not None

    def note(
        self, number: int, components: FloatArray, values: list[float], n_evaluations: int
    ) -> None:
        self.count_evaluations(number, n_evaluations)
        self.states[number].extend(components, values)

    def accept(self, number: int, components: FloatArray, value: float) -> bool:
        if number == self.current:
            self._report(components, value)
        else:
            self.waiting.setdefault(number, []).append((components, value))
        return self.search.stopped

    def finish(self, number: int) -> bool:
        self.ended.add(number)
        while self.current in self.ended and not self.search.stopped:
            self.current += 1
            for components, value in self.waiting.pop(self.current, []):
                if not self.search.stopped:
                    self._report(components, value)
        return self.search.stopped

    def _report(self, components: FloatArray, value: float) -> None:
        """Report a step of the current start."""
        if self.stage.monitor is not None:
            value, _ = self.stage.monitor(components)
        state, place = self.states[self.current], self.places[self.current]
        state.record(components, value)
        if not self.search.is_watched:
            return
        iteration = len(state.history) - 1
        within_stage = (place + iteration / (iteration + _STEPS_TO_HALF)) / self.n_starts
        words = f"start {place + 1} of {self.n_starts}"
        step = Progress(
            components=components,
            objective=value,
            best_objective=value,
            start=place + 1,
            n_starts=self.n_starts,
            iteration=iteration,
            n_evaluations=0,
            stage=f"{words}, {self.stage.name}" if self.stage.name else words,
            fraction=(self.stage_number + within_stage) / self.search.n_stages,
            elapsed_s=0.0,
            n_sampled=self.stage.n_sampled,
        )
        self.search.report(step, self.stage.monitored)


def _optimize_all(
    states: Sequence[_StartState],
    stage: Stage,
    search: _Search,
    *,
    number: int,
    solver: LocalSolver,
    n_jobs: int | None,
) -> None:
    """Optimize the starts of a stage: in this process, in threads, or where joblib sends them."""
    n_workers = 1 if stage.is_parallel else effective_n_jobs(n_jobs)
    parts = [[place] for place in range(len(states))]
    if stage.climb is not None:  # as large as the stage wants, or smaller ones for all jobs
        n_parts = max(n_workers, -(-len(states) // stage.batch_size))
        split = np.array_split(np.arange(len(states)), min(len(states), n_parts))
        parts = [part.tolist() for part in split]
    common = partial(_optimize, n_starts=len(states), stage=stage, number=number, solver=solver)
    tasks = [partial(common, states=[states[i] for i in part], places=part) for part in parts]
    if n_workers == 1:
        for task in tasks:
            task(search)
        return
    backend, _ = get_active_backend(prefer="threads")
    if getattr(backend, "supports_sharedmem", False):
        Parallel(n_jobs=n_jobs, prefer="threads")(delayed(task)(search) for task in tasks)
    else:
        remote = (delayed(_optimize_elsewhere)(task, search.n_stages) for task in tasks)
        results = Parallel(n_jobs=n_jobs)(remote)
        for part, (changed, steps, n_evaluations) in zip(parts, results, strict=True):
            for i, state in zip(part, changed, strict=True):
                vars(states[i]).update(vars(state))
            search.replay(steps, n_evaluations, stage.monitored)


def _optimize(
    search: _Search,
    *,
    states: list[_StartState],
    places: list[int],
    n_starts: int,
    stage: Stage,
    number: int,
    solver: LocalSolver,
) -> list[_StartState]:
    """Optimize some of the starts of a stage from their current planes, and change their states."""
    for state in states:
        state.history = []
    if search.stopped:
        return states
    options: dict[str, Any] = {
        "max_iter": stage.max_iter,
        "tol": stage.tol,
        "observer": _StartObserver(
            states=states,
            places=places,
            n_starts=n_starts,
            stage=stage,
            stage_number=number,
            search=search,
        ),
    }
    planes = [state.components for state in states]
    if stage.climb is not None:
        if stage.continues:
            options["curvatures"] = [state.curvature for state in states]
        optima = stage.climb(planes, **options)
    else:
        optima = [solver(stage.objective, plane, **options) for plane in planes]
    for state, optimum in zip(states, optima, strict=True):
        state.components, state.objective = optimum.components, optimum.value
        state.curvature = optimum.curvature
        state.n_iterations += max(len(state.history) - 1, 0)
        state.converged = optimum.converged and not search.stopped
    return states


def _optimize_elsewhere(
    task: Callable[[_Search], list[_StartState]], n_stages: int
) -> tuple[list[_StartState], list[Progress], int]:
    """Run a task; return the changed states, the steps and the number of evaluations."""
    steps: list[Progress] = []
    search = _Search(steps.append, n_stages)
    with one_thread_each("blas"):
        return task(search), steps, search.n_evaluations


def first_alike(planes: Sequence[FloatArray], angle: float = SAME_PLANE) -> list[int]:
    """For each plane the index of the first plane that it equals up to an angle.

    Parameters
    ----------
    planes : sequence of ndarray of shape (n_components, n_features)
    angle : float, default=SAME_PLANE
        Planes with a smaller largest principal angle are equal, in radians.

    Returns
    -------
    list of int
        The index of the plane itself if it equals none before it.
    """
    if len(planes) < 2:
        return list(range(len(planes)))
    frames = orthonormalize(np.stack(planes))
    is_same = (_least_squared_cosines(frames) > np.cos(angle) ** 2).tolist()
    firsts: list[int] = []
    distinct: list[int] = []
    for index in range(len(planes)):
        first = next((i for i in distinct if is_same[i][index]), index)
        firsts.append(first)
        if first == index:
            distinct.append(index)
    return firsts


def _least_squared_cosines(frames: FloatArray) -> FloatArray:
    """Compute the least squared cosine of principal angles of each pair of planes."""
    n_planes, n_components, n_features = frames.shape
    rows = frames.reshape(-1, n_features)
    products = (rows @ rows.T).reshape(n_planes, n_components, n_planes, n_components)
    if n_components == 2:  # in a tenth of the time that an eigenvalue of many small matrices takes
        half = 0.5 * np.square(products).sum(axis=(1, 3))
        determinants = (
            products[:, 0, :, 0] * products[:, 1, :, 1]
            - products[:, 0, :, 1] * products[:, 1, :, 0]
        )
        of_two = half - np.sqrt(np.maximum(half**2 - determinants**2, 0.0))
        return np.asarray(of_two, dtype=np.float64)
    pairs = products.swapaxes(1, 2)
    return np.asarray(np.linalg.eigvalsh(pairs @ pairs.swapaxes(-1, -2))[..., 0], dtype=np.float64)


def _contenders(states: Sequence[_StartState], active: Sequence[int], stage: Stage) -> list[int]:
    """Merge the starts that reached the same plane; return those that enter a stage, best first."""
    ranked = sorted(active, key=lambda i: (-states[i].objective, i))
    firsts = first_alike([states[i].components for i in ranked])
    distinct = []
    for index, first in zip(ranked, firsts, strict=True):
        state, other = states[index], states[ranked[first]]
        if state is other:
            distinct.append(index)
            continue
        state.merged_with = other  # which is optimized for both
        if state.best_value > other.best_value:
            other.best_value, other.best_components = state.best_value, state.best_components
    best = distinct[: stage.max_starts]
    if stage.max_gap is None or not best:
        return best
    leading = states[best[0]].objective
    lowest = leading - stage.max_gap * max(abs(leading), 1.0)
    return [i for i in best if states[i].objective >= lowest]


def _outcome(
    states: Sequence[_StartState], active: Sequence[int], objective: Objective, search: _Search
) -> Outcome:
    finalists = [states[i] for i in active if states[i].has_begun]
    if search.stopped:
        finalists = _settled(finalists, objective)
    results = {id(state): state.result() for state in states if state.has_begun}
    return Outcome(
        best=max((results[id(state)] for state in finalists), key=lambda result: result.objective),
        start_results=tuple(results.values()),
        history=tuple(value for i in active for value in states[i].history),
        n_evaluations=sum(state.n_evaluations for state in states),
        stopped=search.stopped,
    )


def _settled(stopped: Sequence[_StartState], objective: Objective) -> list[_StartState]:
    """Return the best of the stopped starts, each at the best plane that it has passed."""
    ranked = sorted(stopped, key=lambda state: -state.best_value)
    best, others = ranked[:_MAX_EVALUATED], ranked[_MAX_EVALUATED:]
    for state in best:
        state.settle(objective)
    for state in others:
        state.objective, state.components = state.best_value, state.best_components
    return best
