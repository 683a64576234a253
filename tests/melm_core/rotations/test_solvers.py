from __future__ import annotations

import numpy as np
import pytest

from melm_core.linalg.planes import principal_angles
from melm_core.optimization.multistart import Start
from melm_core.rotations.density_models import gaussian_per_class
from melm_core.rotations.objective import PosteriorObjective, checked_priors
from melm_core.rotations.solvers import PAPER_EPSILON, SOLVERS, maximize_over_planes
from tests.melm_core.helpers import assert_orthonormal, classes, plane


def problem():
    X, y = classes(3, 6)
    return PosteriorObjective(gaussian_per_class(X, y), y, checked_priors(None, y))


def maximized(solver, *, n_starts=1, max_iter=400, tol=1e-10, stop_after=None, n_jobs=None):
    steps = []

    def report(step):
        steps.append(step)
        return len(steps) == stop_after

    starts = [Start("random", plane(2, 6, seed)) for seed in range(n_starts)]
    outcome = maximize_over_planes(
        problem(),
        starts,
        solver=solver,
        max_iter=max_iter,
        tol=tol,
        callback=report,
        n_jobs=n_jobs,
    )
    return outcome, steps


def test_armijo_never_steps_down_and_ends_where_the_gradient_vanishes():
    outcome, steps = maximized("armijo", max_iter=5000, tol=1e-13)
    assert (np.diff([step.objective for step in steps]) >= 0).all()
    assert outcome.best.converged
    _, gradient = problem()(outcome.best.components)
    np.testing.assert_allclose(gradient, 0, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_best_start_on_record_is_what_comes_back(solver):
    outcome, steps = maximized(solver, n_starts=3, max_iter=30)
    assert [result.kind for result in outcome.start_results] == ["random"] * 3
    assert outcome.best.objective == max(result.objective for result in outcome.start_results)
    assert outcome.best.objective == pytest.approx(max(step.objective for step in steps))
    assert problem()(outcome.best.components)[0] == pytest.approx(outcome.best.objective)
    assert (
        len(outcome.history) == len(steps) == sum(i.n_iterations + 1 for i in outcome.start_results)
    )


def test_armijo_and_lbfgs_reach_the_same_maximum():
    one, _ = maximized("armijo", n_starts=8, max_iter=2000, tol=1e-11)
    other, _ = maximized("lbfgs", n_starts=8, tol=1e-8)
    assert one.best.objective == pytest.approx(other.best.objective, abs=1e-6)
    angles = principal_angles(one.best.components, other.best.components)
    assert angles.max() < 0.01


def test_the_printed_rule_steps_down_and_its_best_plane_is_kept():
    outcome, steps = maximized("paper", max_iter=300)
    values = np.array([step.objective for step in steps])
    assert (np.diff(values[-100:]) < 0).any()
    assert outcome.best.objective == values.max()
    assert not outcome.best.converged
    assert outcome.best.n_iterations == 300


def test_the_printed_rule_steps_by_its_own_length():
    _, steps = maximized("paper", max_iter=1)
    _, gradient = problem()(steps[0].components)
    norm = np.linalg.norm(gradient)
    angles = principal_angles(steps[0].components, steps[1].components)
    expected = PAPER_EPSILON * np.sqrt(norm / (norm + PAPER_EPSILON**2))
    assert np.linalg.norm(angles) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("solver", ["armijo", "paper"])
def test_the_frame_stays_orthonormal(solver):
    _, steps = maximized(solver, max_iter=300)
    assert_orthonormal(steps[-1].components)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("stop_after", [1, 3, 7])
def test_a_true_return_stops_at_once(solver, stop_after):
    outcome, steps = maximized(solver, n_starts=3, stop_after=stop_after, max_iter=4)
    assert outcome.stopped
    assert len(steps) == stop_after
    assert outcome.best.objective == pytest.approx(max(step.objective for step in steps))


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_do_not_change_the_outcome(solver):
    one, _ = maximized(solver, n_starts=4, max_iter=20, n_jobs=1)
    two, _ = maximized(solver, n_starts=4, max_iter=20, n_jobs=2)
    assert one.history == two.history
    np.testing.assert_array_equal(one.best.components, two.best.components)


def test_steps_are_numbered_and_counted():
    outcome, steps = maximized("armijo", n_starts=2, max_iter=5)
    assert [step.iteration for step in steps if step.start == 2] == list(range(6))
    assert {step.n_starts for step in steps} == {2}
    counts = [step.n_evaluations for step in steps]
    assert counts == sorted(counts)
    assert counts[-1] == outcome.n_evaluations
