"""Ascent from several planes, by the compiled library or in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.compiled import Climbs, CompiledObjective
from melm_core.optimization.lbfgs import Curvature, LocalOptimum, Observer, maximize_batch
from melm_core.optimization.multistart import Climb

# An observer is told at once of the accepted steps of about so many kernel values, some 10 ms, and
# of at most so many steps.
_VALUES_OF_A_SLICE = 8_000_000
_MOST_STEPS = 32


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
