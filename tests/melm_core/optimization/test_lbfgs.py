from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from melm_core.optimization.lbfgs import maximize_batch, quasi_newton


def rosenbrock(planes):
    """Minus the Rosenbrock function of the entries of each plane."""
    flat = planes.reshape(len(planes), -1)
    gradients = np.stack([-rosen_der(x) for x in flat])
    return np.array([-rosen(x) for x in flat]), gradients.reshape(planes.shape)


def starts(count: int = 4):
    return list(np.random.default_rng(0).normal(size=(count, 2, 3)))


class Log:
    """Records what the searches report; stops after so many planes."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.values: dict[int, list[float]] = {}
        self.n_evaluations = 0
        self.ended: list[int] = []
        self.stop_after = stop_after

    def count_evaluations(self, number, count):
        self.n_evaluations += count

    def accept(self, number, components, value):
        self.values.setdefault(number, []).append(value)
        return self.stop_after == sum(map(len, self.values.values()))

    def finish(self, number):
        self.ended.append(number)
        return False


def test_every_search_ends_where_scipy_does():
    found = maximize_batch(rosenbrock, starts(), max_iter=500, tol=1e-12)
    for start, optimum in zip(starts(), found, strict=True):
        assert optimum.converged
        other = minimize(rosen, start.ravel(), jac=rosen_der, method="L-BFGS-B", tol=1e-12)
        assert optimum.value == pytest.approx(-other.fun, abs=1e-6)
        np.testing.assert_allclose(optimum.components.ravel(), other.x, atol=1e-3)


def test_it_takes_about_as_many_evaluations_as_scipy_does():
    log = Log()
    maximize_batch(rosenbrock, starts(), max_iter=500, tol=1e-9, observer=log)
    others = [
        minimize(rosen, start.ravel(), jac=rosen_der, method="L-BFGS-B", options={"ftol": 1e-9})
        for start in starts()
    ]
    assert log.n_evaluations < 1.5 * sum(other.nfev for other in others)


def test_a_search_does_not_depend_on_those_beside_it():
    together = maximize_batch(rosenbrock, starts(), max_iter=30, tol=1e-9)
    alone = maximize_batch(rosenbrock, starts()[2:3], max_iter=30, tol=1e-9)
    np.testing.assert_array_equal(together[2].components, alone[0].components)


def test_values_rise_and_no_search_takes_more_steps_than_it_may():
    log = Log()
    found = maximize_batch(rosenbrock, starts(), max_iter=7, tol=1e-12, observer=log)
    assert not any(optimum.converged for optimum in found)
    assert sorted(log.ended) == [0, 1, 2, 3]
    for number, values in log.values.items():
        assert len(values) == 8
        assert (np.diff(values) > 0).all()
        assert values[-1] == found[number].value


def test_all_searches_stop_where_the_observer_says_so():
    log = Log(stop_after=6)
    maximize_batch(rosenbrock, starts(), max_iter=100, tol=1e-9, observer=log)
    assert sum(map(len, log.values.values())) == 6


def test_values_that_are_no_numbers_shorten_the_step():
    def logarithm(planes):
        with np.errstate(invalid="ignore"):
            entries = planes[:, 0, 0]
            return np.log(entries) - entries, (1.0 / entries - 1.0).reshape(planes.shape)

    found = maximize_batch(logarithm, [np.array([[1e-3]])], max_iter=100, tol=1e-12)
    assert found[0].components[0, 0] == pytest.approx(1.0, abs=1e-5)


def test_the_compact_form_is_the_recursion_of_updates():
    rng = np.random.default_rng(3)
    steps = rng.normal(size=(4, 6))
    hessian = np.diag([1.0, 2, 3, 4, 5, 6])
    changes = steps @ hessian
    inverse = np.eye(6) * (steps[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
    for s, y in zip(steps, changes, strict=True):
        left = np.eye(6) - np.outer(s, y) / (s @ y)
        inverse = left @ inverse @ left.T + np.outer(s, s) / (s @ y)
    gradient = rng.normal(size=6)
    padded = [np.vstack([np.zeros((2, 6)), rows])[None] for rows in (steps, changes)]
    np.testing.assert_allclose(quasi_newton(gradient[None], *padded)[0], inverse @ gradient)


def test_a_search_that_goes_on_from_what_it_knows_takes_fewer_evaluations():
    halfway = maximize_batch(rosenbrock, starts(), max_iter=25, tol=1e-12)
    planes = [optimum.components for optimum in halfway]
    anew, resumed = Log(), Log()
    maximize_batch(rosenbrock, planes, max_iter=500, tol=1e-12, observer=anew)
    found = maximize_batch(
        rosenbrock,
        planes,
        max_iter=500,
        tol=1e-12,
        observer=resumed,
        curvatures=[optimum.curvature for optimum in halfway],
    )
    assert all(optimum.converged for optimum in found)
    assert resumed.n_evaluations < 0.9 * anew.n_evaluations
