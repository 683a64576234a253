"""Climbs of the compiled library follow the rules of those in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from melm_core import MELM, principal_angles
from melm_core.compiled import Climbs, CompiledObjective
from melm_core.density import whitened_kernel_classes
from melm_core.melm import MELMObjective
from melm_core.melm.multiclass import SOFTNESS
from melm_core.optimization import climb_compiled, maximize_batch


@pytest.fixture
def climbed(kind):
    X, y = load_iris(return_X_y=True)
    classes, _ = whitened_kernel_classes(X, y, n_components=2, gamma=1.0)
    planes = list(np.random.default_rng(0).standard_normal((4, 2, 4)))
    compiled = CompiledObjective([classes.compiled_term("softmin")], 2, SOFTNESS, kind)
    return compiled, MELMObjective(classes), planes


class Log:
    """What is reported of each search; it stops after so many steps."""

    is_watching = True

    def __init__(self, stop_after: int | None = None) -> None:
        self.values: dict[int, list[float]] = {}
        self.n_evaluations: dict[int, int] = {}
        self.ended: list[int] = []
        self.stop_after = stop_after

    def count_evaluations(self, number, count):
        self.n_evaluations[number] = self.n_evaluations.get(number, 0) + count

    def accept(self, number, components, value):
        assert components.shape == (2, 4)
        self.values.setdefault(number, []).append(value)
        return self.stop_after == sum(map(len, self.values.values()))

    def finish(self, number):
        self.ended.append(number)
        return False


def test_every_step_is_that_of_numpy(climbed):
    """To rounding, which grows from step to step."""
    compiled, in_numpy, planes = climbed
    found, expected = Log(), Log()
    climb_compiled(compiled, planes, max_iter=12, tol=1e-12, observer=found)
    maximize_batch(in_numpy.values_and_gradients, planes, max_iter=12, tol=1e-12, observer=expected)
    assert found.n_evaluations == expected.n_evaluations
    for number, values in expected.values.items():
        np.testing.assert_allclose(found.values[number], values, rtol=1e-6)
        np.testing.assert_allclose(found.values[number][:6], values[:6], rtol=1e-11)


def test_it_converges_to_the_same_optima_and_says_so(climbed):
    compiled, in_numpy, planes = climbed
    found = climb_compiled(compiled, planes, max_iter=500, tol=1e-9)
    expected = maximize_batch(in_numpy.values_and_gradients, planes, max_iter=500, tol=1e-9)
    for own, other in zip(found, expected, strict=True):
        assert own.converged == other.converged
        assert own.value == pytest.approx(other.value, rel=1e-7)
        assert principal_angles(own.components, other.components)[-1] < 1e-2


def test_a_search_goes_on_from_what_is_known_of_the_curvature(climbed):
    compiled, _, planes = climbed
    halfway = climb_compiled(compiled, planes, max_iter=12, tol=1e-12)
    log, anew = Log(), Log()
    reached = [optimum.components for optimum in halfway]
    known = [optimum.curvature for optimum in halfway]
    options = {"max_iter": 500, "tol": 1e-9}
    climb_compiled(compiled, reached, **options, curvatures=known, observer=log)
    climb_compiled(compiled, reached, **options, observer=anew)
    assert sum(log.n_evaluations.values()) < sum(anew.n_evaluations.values())


@pytest.mark.parametrize("n_steps", [1, 3, 100])
def test_slices_change_nothing(climbed, n_steps):
    compiled, _, planes = climbed
    whole = Climbs(compiled, planes, max_iter=60, tol=1e-10)
    values = whole.finish()
    sliced, buffer = Climbs(compiled, planes, max_iter=60, tol=1e-10), compiled.new_buffer()
    for number in range(len(planes)):
        collected = []
        while sliced.is_running(number):
            steps, reached, _ = sliced.go_on(number, n_steps, buffer)
            collected += reached
        assert collected == values[number]
        np.testing.assert_array_equal(sliced.components(number), whole.components(number))
        np.testing.assert_array_equal(steps[-1], whole.components(number))
        assert sliced.n_evaluations(number) == whole.n_evaluations(number)


class Notes(Log):
    """What is told of each search once it has ended."""

    is_watching = False

    def note(self, number, components, values, n_evaluations):
        self.values[number], self.n_evaluations[number] = values, n_evaluations


def test_whoever_does_not_watch_is_told_the_same_at_the_end(climbed):
    compiled, _, planes = climbed
    seen, told = Log(), Notes()
    for log in (seen, told):
        climb_compiled(compiled, planes, max_iter=60, tol=1e-10, observer=log)
    assert told.values == seen.values
    assert told.n_evaluations == seen.n_evaluations


def test_a_stop_ends_all_searches(climbed):
    compiled, _, planes = climbed
    log = Log(stop_after=3)
    found = climb_compiled(compiled, planes, max_iter=500, tol=1e-9, observer=log)
    assert sum(map(len, log.values.values())) == 3
    assert [optimum.converged for optimum in found] == [False] * 4
    assert [optimum.value for optimum in found[1:]] == [-np.inf] * 3


def test_steps_are_bounded(climbed):
    compiled, _, planes = climbed
    log = Log()
    climb_compiled(compiled, planes, max_iter=7, tol=1e-300, observer=log)
    assert [len(values) for values in log.values.values()] == [8] * 4  # and the initial planes


@pytest.mark.parametrize("gamma", [2.0, 0.7])
def test_a_fit_finds_the_plane_that_it_finds_in_numpy(monkeypatch, gamma):
    X, y = load_wine(return_X_y=True)
    found = MELM(gamma=gamma, random_state=0).fit(X, y)
    monkeypatch.setenv("MELM_ENGINE", "numpy")
    expected = MELM(gamma=gamma, random_state=0).fit(X, y)
    assert found.divergence_ == pytest.approx(expected.divergence_, rel=1e-6)
    assert principal_angles(found.components_, expected.components_)[-1] < 1e-2


def test_a_fit_is_the_same_in_threads(monkeypatch):
    X, y = load_iris(return_X_y=True)
    alone = MELM(random_state=0, gamma=0.7).fit(X, y)
    together = MELM(random_state=0, gamma=0.7).set_search(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(together.components_, alone.components_)
