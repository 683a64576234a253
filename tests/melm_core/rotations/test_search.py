from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from melm_core.linalg.planes import principal_angles
from melm_core.optimization.multistart import Start
from melm_core.rotations.density_models import gaussian_per_class
from melm_core.rotations.objective import PosteriorObjective, checked_priors
from melm_core.rotations.search import PAPER_EPSILON, SOLVERS, maximize_over_planes, rotate
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


@pytest.mark.slow
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


SHAPES = [(m, q) for m in range(1, 6) for q in range(1, 6)]


def skew(S):
    m, q = S.shape
    return np.block([[np.zeros((m, m)), S], [-S.T, np.zeros((q, q))]])


def angles(m, q, size=1.0):
    return size * np.random.default_rng(10 * m + q).normal(size=(m, q))


def turned(S):
    """Return the first axes, turned by the angles."""
    m, q = S.shape
    return rotate(np.eye(m, m + q), np.hstack([np.zeros((m, m)), S]))


@pytest.mark.parametrize(("m", "q"), SHAPES)
def test_it_is_the_exponential_of_the_skew_matrix_in_any_frame(m, q):
    frame, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(m + q, m + q)))
    S = angles(m, q)
    expected = (expm(skew(S)) @ frame)[:m]
    np.testing.assert_allclose(rotate(frame[:m], S @ frame[m:]), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("m", "q"), SHAPES)
def test_rows_stay_orthonormal_however_large_the_angles(m, q):
    assert_orthonormal(turned(angles(m, q, size=10.0)))


def test_no_angle_is_no_rotation():
    np.testing.assert_array_equal(turned(np.zeros((2, 3))), np.eye(2, 5))


def test_one_angle_is_the_rotation_of_the_plane():
    np.testing.assert_allclose(turned(np.array([[0.3]])), [[np.cos(0.3), np.sin(0.3)]], rtol=1e-14)


@pytest.mark.parametrize("size", [1e-9, 1e-5])
def test_small_angles_keep_their_digits(size):
    S = angles(2, 3, size)
    lost = np.eye(2) - turned(S)[:, :2]
    # The identity swallows the digits below 1e-16 of either.
    np.testing.assert_allclose(lost, 0.5 * S @ S.T, rtol=1e-8, atol=3e-16)
