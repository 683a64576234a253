"""L-BFGS on free components: of one plane by scipy, of several by the compiled library or numpy.

An objective that depends on the span of the components only needs no constraint: the
components need not stay orthonormal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.optimize

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.compiled import Climbs, CompiledObjective

# components of shape (n_components, n_features) -> value and gradient of that shape
Objective: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]

# components of several planes, of shape (n_planes, n_components, n_features) -> values of
# shape (n_planes,) and gradients; those of one plane do not depend on the others
BatchObjective: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

BoolArray: TypeAlias = npt.NDArray[np.bool_]

# Steps whose changes of the gradient are remembered.
_MEMORY = 10

# Conditions on a step (weak Wolfe): share of the expected gain, and of the slope that may remain.
_SUFFICIENT_GAIN = 1e-4
_REMAINING_SLOPE = 0.9

# Steps after which a small gain counts as convergence.
_STEPS_TO_LEARN = 5

# A line search accepts any gain after so many trials, and gives up after so many.
_TRIALS_FOR_ANY_GAIN = 8
_MAX_TRIALS = 20

# An observer is told at once of the accepted steps of about so many kernel values, some 10 ms, and
# of at most so many steps.
_VALUES_OF_A_SLICE = 8_000_000
_MOST_STEPS = 32


class Observer(Protocol):
    """Follows a local solver; each plane is named by its number among the initial planes."""

    @property
    def is_watching(self) -> bool:
        """True if it has to see every step when it is taken."""

    def count_evaluations(self, number: int, count: int) -> None:
        """Count evaluations of the objective."""

    def accept(self, number: int, components: FloatArray, value: float) -> bool:
        """Record an accepted step and return whether the solver has to stop.

        The initial plane is the first step. `components` must not be changed afterwards.
        """

    def note(
        self, number: int, components: FloatArray, values: list[float], n_evaluations: int
    ) -> None:
        """Record a search that has ended, of which nothing was told before.

        Parameters
        ----------
        number : int
        components : ndarray of shape (n_components, n_features)
            The last plane.
        values : list of float
            Of all accepted steps.
        n_evaluations : int
        """

    def finish(self, number: int) -> bool:
        """Record that a search has ended; return whether all searches have to stop."""


@dataclass(frozen=True, eq=False)
class Curvature:
    """Curvature of the objective: the latest steps of a search and changes of the gradient.

    Attributes
    ----------
    steps, changes : ndarray of shape (n_remembered, n_entries)
        The latest last; zero where there are fewer. Of the negative objective.
    """

    steps: FloatArray
    changes: FloatArray


@dataclass(frozen=True, eq=False)
class LocalOptimum:
    """The plane that a local solver returns.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
    value : float
        The objective there.
    converged : bool
    curvature : Curvature or None
        For a search that goes on from here with nearly the same objective.
    """

    components: FloatArray
    value: float
    converged: bool
    curvature: Curvature | None = None


# Maximizes its own objective from several planes, with the other arguments of `maximize_batch`.
Climb: TypeAlias = Callable[..., list[LocalOptimum]]


def lbfgs(
    objective: Objective,
    components: FloatArray,
    *,
    max_iter: int,
    tol: float,
    observer: Observer,
) -> LocalOptimum:
    """Maximize an objective that depends on the span of the components, by scipy.

    Parameters
    ----------
    objective : callable
    components : ndarray of shape (n_components, n_features)
        The initial plane.
    max_iter : int
        Maximum number of accepted steps.
    tol : float
        It has converged once a step gains less than this share of the value, or no
        entry of the gradient exceeds the square root of `tol`.
    observer : Observer
        Told of the plane under number 0.

    References
    ----------
    R. H. Byrd, P. Lu, J. Nocedal, C. Zhu: A Limited Memory Algorithm for Bound
    Constrained Optimization, SIAM J. Sci. Comput. 16, 1995.
    """
    shape, initial = components.shape, components.ravel()

    def evaluate(entries: FloatArray) -> tuple[float, FloatArray]:
        observer.count_evaluations(0, 1)
        value, gradient = objective(entries.reshape(shape))
        return -value, -gradient.ravel()

    def accept(intermediate_result: scipy.optimize.OptimizeResult) -> None:
        current = intermediate_result.x.reshape(shape).copy()
        if observer.accept(0, current, -float(intermediate_result.fun)):
            raise StopIteration

    first = evaluate(initial)
    if observer.accept(0, components.copy(), -first[0]):
        return LocalOptimum(components, -first[0], converged=False)
    result: Any = scipy.optimize.minimize(
        # The evaluation of the initial plane has been counted already.
        lambda entries: first if np.array_equal(entries, initial) else evaluate(entries),
        initial,
        jac=True,
        method="L-BFGS-B",
        callback=accept,
        options={"maxiter": max_iter, "ftol": tol, "gtol": tol**0.5},
    )
    return LocalOptimum(result.x.reshape(shape), -float(result.fun), bool(result.success))


def maximize_batch(
    objective: BatchObjective,
    planes: Sequence[FloatArray],
    *,
    max_iter: int,
    tol: float,
    observer: Observer | None = None,
    curvatures: Sequence[Curvature | None] | None = None,
) -> list[LocalOptimum]:
    """Maximize an objective that depends on the span of the components, from several planes.

    Every round evaluates the objective once, at one trial plane of each search that is
    still running, so the work of numpy and Python is shared by all of them. A search
    does not depend on the others that run beside it.

    Parameters
    ----------
    objective : callable
        Takes components of shape (n_planes, n_components, n_features), of those
        planes that are still being optimized, and returns values and gradients.
    planes : sequence of ndarray of shape (n_components, n_features), at least one
    max_iter, tol
        As for `lbfgs`, of each search.
    observer : Observer or None
    curvatures : sequence of Curvature or None
        Of searches that have reached these planes with nearly the same objective, for example in
        another precision: they go on as if they had not stopped.

    Returns
    -------
    list of LocalOptimum
        In the order of the planes.

    References
    ----------
    R. H. Byrd, J. Nocedal, R. B. Schnabel: Representations of Quasi-Newton Matrices
    and Their Use in Limited Memory Methods, Mathematical Programming 63, 1994.
    A. S. Lewis, M. L. Overton: Nonsmooth Optimization via Quasi-Newton Methods,
    Mathematical Programming 141, 2013 (the line search).
    """
    batch = _Batch(objective, np.stack(planes), max_iter, tol, observer)
    if curvatures is not None:
        batch.resume(curvatures)
    return batch.run()


@dataclass(eq=False)
class _Searches:
    """The searches still running, one entry along the first axis of every array.

    The function is minimized: `values` and `gradients` are those of the negative objective.
    """

    numbers: IntArray
    points: FloatArray  # (n_running, n_entries)
    values: FloatArray
    gradients: FloatArray
    directions: FloatArray
    slopes: FloatArray  # of the function along the direction
    lengths: FloatArray  # of the trial step
    lower: FloatArray  # a step known to be too short, and one known to be too long
    upper: FloatArray
    n_trials: IntArray
    n_steps: IntArray
    steps: FloatArray  # (n_running, _MEMORY, n_entries), the latest one last
    changes: FloatArray  # of the gradient over these steps

    @classmethod
    def at(cls, points: FloatArray, values: FloatArray, gradients: FloatArray) -> _Searches:
        count, n_entries = points.shape
        norms = np.sqrt(np.square(gradients).sum(axis=1))
        return cls(
            numbers=np.arange(count),
            points=points,
            values=values,
            gradients=gradients,
            directions=-gradients,
            slopes=-np.square(norms),
            lengths=1.0 / np.maximum(norms, 1.0),
            lower=np.zeros(count),
            upper=np.full(count, np.inf),
            n_trials=np.zeros(count, dtype=np.int64),
            n_steps=np.zeros(count, dtype=np.int64),
            steps=np.zeros((count, _MEMORY, n_entries)),
            changes=np.zeros((count, _MEMORY, n_entries)),
        )

    def keep(self, running: BoolArray) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name)[running])

    def curvature(self, place: int) -> Curvature:
        return Curvature(self.steps[place].copy(), self.changes[place].copy())

    def resume(self, curvatures: Sequence[Curvature | None]) -> None:
        """Start searches with the curvature that others recorded of the same objective."""
        who = np.array([i for i, curvature in enumerate(curvatures) if curvature], dtype=np.int64)
        for place, curvature in enumerate(curvatures):
            if curvature is not None:
                self.steps[place], self.changes[place] = curvature.steps, curvature.changes
        self.n_steps[who] = _STEPS_TO_LEARN  # they have learned
        if len(who):
            self.turn(who)

    def trials(self) -> FloatArray:
        return self.points + self.lengths[:, None] * self.directions

    def move(
        self, who: IntArray, points: FloatArray, values: FloatArray, gradients: FloatArray
    ) -> None:
        """Accept the trials of some searches and remember the curvature along them."""
        steps, changes = points - self.points[who], gradients - self.gradients[who]
        # Where the curvature is not positive, the approximation would not stay positive definite.
        curved = (steps * changes).sum(axis=1) > np.finfo(float).eps * np.square(changes).sum(1)
        all_move = bool(curved.all()) and len(who) == len(self.numbers)
        updated: slice | IntArray = slice(None) if all_move else who[curved]
        for memory, latest in ((self.steps, steps), (self.changes, changes)):
            memory[updated, :-1] = memory[updated, 1:]
            memory[updated, -1] = latest if all_move else latest[curved]
        self.points[who], self.values[who], self.gradients[who] = points, values, gradients
        self.n_steps[who] += 1

    def turn(self, who: IntArray) -> None:
        """Give searches that have moved their next direction and its first trial."""
        gradients = self.gradients[who]
        directions = -quasi_newton(gradients, self.steps[who], self.changes[who])
        slopes = (directions * gradients).sum(axis=1)
        uphill = ~(slopes < 0)
        directions[uphill] = -gradients[uphill]
        slopes[uphill] = -np.square(gradients[uphill]).sum(axis=1)
        self.directions[who], self.slopes[who] = directions, slopes
        self.lengths[who], self.lower[who], self.upper[who] = 1.0, 0.0, np.inf
        self.n_trials[who] = 0

    def adjust(self, values: FloatArray, rejected: BoolArray, too_long: BoolArray) -> None:
        """Shorten or lengthen the steps that were not accepted."""
        lengths = self.lengths
        self.upper = np.where(rejected & too_long, lengths, self.upper)
        self.lower = np.where(rejected & ~too_long, lengths, self.lower)
        curvature = 2.0 * (values - self.values - self.slopes * lengths)
        positive = np.isfinite(curvature) & (curvature > 0)
        parabola = -self.slopes * np.square(lengths) / np.where(positive, curvature, np.inf)
        gap = lengths - self.lower
        shorter = np.clip(parabola, self.lower + 0.1 * gap, self.lower + 0.5 * gap)
        between = 0.5 * (self.lower + self.upper)
        longer = np.where(np.isinf(self.upper), 2.0 * lengths, between)
        self.lengths = np.where(rejected, np.where(too_long, shorter, longer), lengths)


class _Batch:
    """One call of `maximize_batch`."""

    def __init__(
        self,
        objective: BatchObjective,
        planes: FloatArray,
        max_iter: int,
        tol: float,
        observer: Observer | None,
    ) -> None:
        self._objective, self._shape = objective, planes.shape[1:]
        self._max_iter, self._tol, self._observer = max_iter, tol, observer
        self._stopped = False
        count = len(planes)
        self._points = planes.reshape(count, -1).copy()
        self._converged = np.zeros(count, dtype=bool)
        values, gradients = self._evaluate(np.arange(count), self._points)
        self._values = values.copy()
        self._searches = _Searches.at(self._points.copy(), values, gradients)
        self._curvatures: list[Curvature | None] = [None] * count
        self._report(np.arange(count))
        self._end(np.zeros(count, dtype=bool), self._is_flat(gradients))

    def resume(self, curvatures: Sequence[Curvature | None]) -> None:
        """Let the searches that are running go on with what is known of the curvature."""
        self._searches.resume([curvatures[number] for number in self._searches.numbers])

    def run(self) -> list[LocalOptimum]:
        while len(self._searches.numbers) and not self._stopped:
            self._round()
        planes = self._points.reshape(-1, *self._shape)
        optima = zip(
            planes,
            (-self._values).tolist(),
            self._converged.tolist(),
            self._curvatures,
            strict=True,
        )
        return [LocalOptimum(*optimum) for optimum in optima]

    def _round(self) -> None:
        searches = self._searches
        trials = searches.trials()
        values, gradients = self._evaluate(searches.numbers, trials)
        searches.n_trials += 1
        gains = searches.values - values
        expected = -_SUFFICIENT_GAIN * searches.lengths * searches.slopes
        too_long = ~(gains >= expected)  # also where the value is not a number
        slopes = (gradients * searches.directions).sum(axis=1)
        settled = slopes >= _REMAINING_SLOPE * searches.slopes
        accepted = ~too_long & (settled | (searches.n_trials >= _TRIALS_FOR_ANY_GAIN))
        if not accepted.all():
            searches.adjust(values, ~accepted, too_long)
        gave_up = ~accepted & (searches.n_trials >= _MAX_TRIALS)
        converged = np.zeros_like(accepted)
        who = np.flatnonzero(accepted)
        if len(who):
            converged[who] = self._accept(who, trials[who], values[who], gradients[who])
        self._end(gave_up | (searches.n_steps >= self._max_iter), converged)

    def _accept(
        self, who: IntArray, trials: FloatArray, values: FloatArray, gradients: FloatArray
    ) -> BoolArray:
        """Move some searches on, and return which of them have converged."""
        searches = self._searches
        scale = np.maximum(np.maximum(np.abs(searches.values[who]), np.abs(values)), 1.0)
        # Without curvature along enough directions a small gain says nothing of what is left.
        gains_little = searches.values[who] - values <= self._tol * scale
        converged = (gains_little & (searches.n_steps[who] >= _STEPS_TO_LEARN)) | self._is_flat(
            gradients
        )
        searches.move(who, trials, values, gradients)
        numbers = searches.numbers[who]
        self._points[numbers], self._values[numbers] = trials, values
        self._report(numbers)
        goes_on = who[~converged & (searches.n_steps[who] < self._max_iter)]
        if len(goes_on):
            searches.turn(goes_on)
        return converged

    def _evaluate(self, numbers: IntArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self._observer is not None:
            for number in numbers.tolist():
                self._observer.count_evaluations(number, 1)
        values, gradients = self._objective(points.reshape(-1, *self._shape))
        return -values, -gradients.reshape(len(numbers), -1)

    def _is_flat(self, gradients: FloatArray) -> BoolArray:
        flat: BoolArray = np.abs(gradients).max(axis=1) <= self._tol**0.5
        return flat

    def _report(self, numbers: IntArray) -> None:
        for number in numbers.tolist():
            if self._observer is not None and not self._stopped:
                plane = self._points[number].reshape(self._shape).copy()
                self._stopped = self._observer.accept(number, plane, -float(self._values[number]))

    def _end(self, ended: BoolArray, converged: BoolArray) -> None:
        numbers = self._searches.numbers
        self._converged[numbers[converged]] = True
        over = ended | converged
        if self._observer is not None:
            for number in numbers[over].tolist():
                self._stopped = self._observer.finish(number) or self._stopped
        if over.any():
            for place in np.flatnonzero(over).tolist():
                self._curvatures[numbers[place]] = self._searches.curvature(place)
            self._searches.keep(~over)


def quasi_newton(gradients: FloatArray, steps: FloatArray, changes: FloatArray) -> FloatArray:
    """Multiply the gradient by the inverse Hessian of L-BFGS in compact form (equation 3.1).

    Parameters
    ----------
    gradients : ndarray of shape (n_searches, n_entries)
    steps, changes : ndarray of shape (n_searches, n_remembered, n_entries)
        Steps and changes of the gradient, the latest last; zero where there are fewer.

    Returns
    -------
    ndarray of shape (n_searches, n_entries)
    """
    products = steps @ changes.swapaxes(1, 2)  # s_i y_j
    curvatures = np.einsum("sii->si", products)
    squares = changes @ changes.swapaxes(1, 2)
    latest = squares[:, -1, -1]
    scale = np.divide(curvatures[:, -1], latest, out=np.ones_like(latest), where=latest > 0)
    upper = np.triu(products)
    diagonal = np.arange(upper.shape[1])
    upper[:, diagonal, diagonal] += curvatures == 0  # empty places
    inverse = np.linalg.inv(upper)
    column = gradients[..., None]
    along = inverse @ (steps @ column)
    scaled = scale[:, None, None]
    inner = curvatures[..., None] * along + scaled * (squares @ along - changes @ column)
    result: FloatArray = (
        scaled * (column - changes.swapaxes(1, 2) @ along)
        + steps.swapaxes(1, 2) @ (inverse.swapaxes(1, 2) @ inner)
    )[..., 0]
    return result


class _Objective(Protocol):
    def values_and_gradients(self, components: FloatArray) -> tuple[FloatArray, FloatArray]: ...


def climb_of(objective: _Objective | CompiledObjective) -> Climb:
    """Return the ascent of an objective from several planes, called like `maximize_batch`.

    Parameters
    ----------
    objective : CompiledObjective or an object with `values_and_gradients`
    """
    if isinstance(objective, CompiledObjective):
        return partial(climb_compiled, objective)
    return partial(maximize_batch, objective.values_and_gradients)


def climb_compiled(
    objective: CompiledObjective,
    planes: Sequence[FloatArray],
    *,
    max_iter: int,
    tol: float,
    observer: Observer | None = None,
    curvatures: Sequence[Curvature | None] | None = None,
) -> list[LocalOptimum]:
    """Maximize an objective from several planes, one after the other, by the compiled library.

    The rules are those of `melm_core.optimization.maximize_batch`.

    Parameters
    ----------
    objective : CompiledObjective
    planes : sequence of ndarray of shape (n_components, n_features)
    max_iter, tol, observer, curvatures
        As for `maximize_batch`.

    Returns
    -------
    list of LocalOptimum
        In the order of the planes; of those that a stop left untouched the value is -inf.
    """
    pairs = [(each.steps, each.changes) if each else None for each in curvatures or ()]
    climbs = Climbs(objective, planes, max_iter=max_iter, tol=tol, curvatures=pairs)
    if observer is None or not observer.is_watching:
        accepted = climbs.finish()
        optima = [_optimum(climbs, number) for number in range(len(planes))]
        if observer is not None:
            for number, (optimum, values) in enumerate(zip(optima, accepted, strict=True)):
                observer.note(number, optimum.components, values, climbs.n_evaluations(number))
        return optima
    return _climb_watched(climbs, objective, planes, observer)


def _climb_watched(
    climbs: Climbs, objective: CompiledObjective, planes: Sequence[FloatArray], observer: Observer
) -> list[LocalOptimum]:
    """Climb in slices, of whose steps an observer is told as they are taken."""
    n_steps = min(max(_VALUES_OF_A_SLICE // max(objective.n_pairs, 1), 1), _MOST_STEPS)
    buffer = objective.new_buffer()
    optima: list[LocalOptimum] = []
    stopped = False
    for number, plane in enumerate(planes):
        last = LocalOptimum(plane, -np.inf, converged=False)
        n_counted = 0
        while climbs.is_running(number) and not stopped:
            accepted = climbs.go_on(number, n_steps, buffer)
            for components, value, n_evaluations in zip(*accepted, strict=True):
                observer.count_evaluations(number, n_evaluations - n_counted)
                n_counted = n_evaluations
                last = LocalOptimum(components, value, converged=False)
                stopped = observer.accept(number, components, value)
                if stopped:
                    break
        if not stopped:
            observer.count_evaluations(number, climbs.n_evaluations(number) - n_counted)
            stopped = observer.finish(number)
            last = _optimum(climbs, number)
        optima.append(last)
    return optima


def _optimum(climbs: Climbs, number: int) -> LocalOptimum:
    return LocalOptimum(
        climbs.components(number),
        climbs.value(number),
        climbs.has_converged(number),
        Curvature(*climbs.curvature(number)),
    )
