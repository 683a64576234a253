from __future__ import annotations

import threading
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config

from melm_core.linalg.planes import principal_angles
from melm_core.optimization.lbfgs import maximize_batch
from melm_core.optimization.multistart import Stage, Start, first_alike, maximize
from tests.melm_core.helpers import finite_differences, plane

VARIANCES = np.array([9.0, 7.0, 3.0, 2.0, 1.0, 0.5])


def captured_variance(components):
    """Return trace((VV')^-1 V A V') and its derivative: it depends on the span of V only."""
    gram = np.linalg.inv(components @ components.T)
    product = gram @ (components * VARIANCES)
    value = float(np.trace(product @ components.T))
    return value, 2 * (product - product @ components.T @ gram @ components)


def two_hills(components):
    """Return a function of one number with its higher hill near 1 and its lower one near -1."""
    x = components[0, 0]
    return float(-((x**2 - 1) ** 2) + 0.3 * x), np.array([[-4 * x * (x**2 - 1) + 0.3]])


def starts(n: int, n_features: int = 6) -> list[Start]:
    return [Start("random", plane(2, n_features, seed)) for seed in range(n)]


def at(x: float, stage: int = 0) -> Start:
    return Start("given", np.array([[x]]), stage)


def one_hill(components):
    """Return a smooth function of one number with its only hill at 0.9."""
    x = components[0, 0]
    return float(-((x - 0.9) ** 2)), np.array([[-2 * (x - 0.9)]])


def continuation(**of_the_last) -> list[Stage]:
    """Return two stages: one hill first, reported as the two hills that count after it."""
    return [
        Stage("smooth", one_hill, max_iter=50, tol=1e-12, monitor=two_hills),
        Stage("", two_hills, max_iter=200, tol=1e-12, **of_the_last),
    ]


def maximized(objective, from_starts, *, max_iter=200, tol=1e-12, stop_when=lambda step: False):
    stage = Stage("", objective, max_iter, tol)
    return maximized_through([stage], from_starts, stop_when=stop_when)


def maximized_through(stages, from_starts, *, stop_when=lambda step: False, n_jobs=None):
    steps = []

    def report(step):
        steps.append(step)
        return stop_when(step)

    return maximize(stages, from_starts, callback=report, n_jobs=n_jobs), steps


def of_stage(name, steps):
    """Return the steps of the stage of this name."""
    return [step for step in steps if step.stage.partition(", ")[2] == name]


def test_the_gradient_of_the_example_is_right():
    components = plane(2, 6)
    numeric = finite_differences(lambda V: captured_variance(V)[0], components)
    np.testing.assert_allclose(captured_variance(components)[1], numeric, atol=1e-7)


def test_the_search_ends_in_the_span_of_the_leading_eigenvectors():
    outcome, _ = maximized(captured_variance, starts(3))
    for result in outcome.start_results:
        assert result.converged
        assert result.objective == pytest.approx(16, rel=1e-9)
        assert principal_angles(result.components, np.eye(6)[:2]).max() < 1e-4


def test_the_best_start_wins_at_any_position():
    for order in ([-1.2, 1.2, -0.8], [1.2, -0.8], [-1.2, -0.8, 0.8]):
        outcome, _ = maximized(two_hills, [at(x) for x in order])
        assert outcome.best.components[0, 0] > 0
        assert outcome.best.objective == max(result.objective for result in outcome.start_results)
        assert (
            min(result.objective for result in outcome.start_results) < 0 < outcome.best.objective
        )


def test_the_value_of_every_start_belongs_to_its_components():
    outcome, _ = maximized(captured_variance, starts(3), max_iter=3)
    for result in outcome.start_results:
        assert captured_variance(result.components)[0] == pytest.approx(result.objective, rel=1e-12)


def test_every_accepted_step_is_reported_and_kept_in_the_history():
    outcome, steps = maximized(captured_variance, starts(3))
    assert outcome.history == tuple(step.objective for step in steps)
    for index, result in enumerate(outcome.start_results):
        own = [step for step in steps if step.start == index + 1]
        assert [step.iteration for step in own] == list(range(result.n_iterations + 1))
        values = [step.objective for step in own]
        assert values == sorted(values)
        assert values[-1] == result.objective
        np.testing.assert_array_equal(own[-1].components, result.components)


def test_the_best_value_is_reset_when_another_objective_is_monitored():
    low = Stage(
        "on a sample", lambda components: (two_hills(components)[0] + 9, np.zeros((1, 1))), 1, 1
    )
    _, steps = maximized_through([low, *continuation()], [at(-1.2), at(1.2)])
    on_sample = of_stage("on a sample", steps)
    assert min(step.best_objective for step in on_sample) > 8
    later = [step for step in steps if "sample" not in step.stage]
    values = [step.objective for step in later]
    best = [step.best_objective for step in later]
    assert best == np.maximum.accumulate(values).tolist()
    assert max(best) < 1


def test_the_fraction_never_decreases_and_grows_within_a_start():
    _, steps = maximized(captured_variance, starts(2))
    shares = [step.fraction for step in steps]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] < 1
    within_first = [step.fraction for step in steps if step.start == 1]
    assert len(set(within_first)) == len(within_first)


def test_evaluations_are_counted_once_each():
    calls = []

    def counted(components):
        calls.append(components)
        return captured_variance(components)

    outcome, steps = maximized(counted, starts(3))
    assert outcome.n_evaluations == len(calls)
    assert sum(result.n_evaluations for result in outcome.start_results) == len(calls)
    counts = [step.n_evaluations for step in steps]
    assert counts == sorted(counts)
    assert counts[-1] <= len(calls)


def test_a_reported_step_is_not_changed_later():
    kept = []

    def keep(step):
        kept.append((step.components, step.components.copy()))
        return False

    maximize([Stage("", captured_variance, 50, 1e-12)], starts(2), callback=keep)
    for components, copy in kept:
        np.testing.assert_array_equal(components, copy)


def test_stopping_keeps_the_best_so_far():
    def in_the_second_start(step):
        return step.start == 2 and step.iteration == 2

    outcome, steps = maximized(
        two_hills, [at(1.5), at(-1.5), at(0.5)], stop_when=in_the_second_start
    )
    assert outcome.stopped
    assert len(outcome.start_results) == 2
    assert not outcome.start_results[1].converged
    assert outcome.start_results[1].n_iterations == 2
    assert outcome.best is outcome.start_results[0]
    assert outcome.best.objective == max(step.objective for step in steps)


def test_stopping_within_the_first_start_keeps_its_last_step():
    outcome, steps = maximized(
        captured_variance, starts(3), stop_when=lambda step: step.iteration == 2
    )
    assert outcome.stopped
    assert len(outcome.start_results) == 1
    assert outcome.best.objective == steps[-1].objective
    np.testing.assert_array_equal(outcome.best.components, steps[-1].components)


def test_stopping_at_once_keeps_the_plane_of_the_start():
    (first, *others) = starts(3)
    outcome, steps = maximized(captured_variance, [first, *others], stop_when=lambda step: True)
    assert len(steps) == 1
    assert outcome.n_evaluations == 1
    assert outcome.best.n_iterations == 0
    assert outcome.best.kind == "random"
    assert not outcome.best.converged
    np.testing.assert_array_equal(outcome.best.components, first.components)


def test_the_search_takes_at_most_max_iter_steps():
    outcome, _ = maximized(captured_variance, starts(2), max_iter=2)
    assert [result.n_iterations for result in outcome.start_results] == [2, 2]
    assert not any(result.converged for result in outcome.start_results)
    assert not outcome.stopped


def test_a_start_at_the_optimum_does_not_move():
    optimum = Start("optimum", np.eye(6)[:2])
    outcome, _ = maximized(captured_variance, [optimum])
    assert outcome.best.n_iterations == 0
    assert outcome.best.converged
    np.testing.assert_array_equal(outcome.best.components, optimum.components)


def test_a_smooth_stage_leads_all_starts_to_the_higher_hill():
    lower, _ = maximized(two_hills, [at(-1.2)])
    outcome, _ = maximized_through(continuation(), [at(-1.2)])
    assert lower.best.objective < 0 < outcome.best.objective
    assert outcome.best.components[0, 0] > 0


def test_starts_at_the_same_plane_are_merged_and_share_the_result():
    outcome, steps = maximized_through(
        [
            Stage("first", captured_variance, 200, 1e-12),
            Stage("second", captured_variance, 200, 1e-12),
        ],
        starts(3),
    )
    assert {step.n_starts for step in of_stage("first", steps)} == {3}
    assert {step.n_starts for step in of_stage("second", steps)} == {1}
    assert len(outcome.start_results) == 3
    for result in outcome.start_results:
        np.testing.assert_array_equal(result.components, outcome.best.components)
        assert result.objective == outcome.best.objective
        assert result.converged


def test_starts_at_distinct_planes_enter_the_next_stage_best_first():
    other = np.eye(6)[[2, 4]]
    stages = [Stage(name, captured_variance, 1, 1e-12) for name in ("first", "second")]
    outcome, steps = maximized_through(stages, [Start("low", other), Start("top", np.eye(6)[:2])])
    entries = [step for step in of_stage("second", steps) if step.iteration == 0]
    assert [step.n_starts for step in entries] == [2, 2]
    np.testing.assert_array_equal(entries[0].components, np.eye(6)[:2])
    assert [result.kind for result in outcome.start_results] == ["low", "top"]


def test_a_start_joins_at_its_own_stage():
    outcome, steps = maximized_through(continuation(), [at(-1.2), at(-1.3, stage=1)])
    assert {step.n_starts for step in of_stage("smooth", steps)} == {1}
    assert {step.n_starts for step in of_stage("", steps)} == {2}
    assert outcome.start_results[0].components[0, 0] > 0 > outcome.start_results[1].components[0, 0]


def test_the_history_is_that_of_the_last_stage():
    outcome, steps = maximized_through(continuation(), [at(-1.2), at(-1.3, stage=1)])
    assert outcome.history == tuple(step.objective for step in of_stage("", steps))


def test_an_early_stage_reports_the_objective_that_counts():
    _, steps = maximized_through(continuation(), [at(-1.2)])
    assert {step.stage for step in steps} == {"start 1 of 1, smooth", "start 1 of 1"}
    for step in steps:
        assert step.objective == two_hills(step.components)[0]


def test_stopping_in_an_early_stage_keeps_the_best_plane_so_far():
    def past_the_hill(step):
        return "smooth" in step.stage and step.start == 2 and step.iteration == 1

    outcome, steps = maximized_through(
        continuation(), [at(1.03), at(-1.2), at(2.0)], stop_when=past_the_hill
    )
    assert outcome.stopped
    assert len(outcome.start_results) == 2
    assert outcome.history == tuple(step.objective for step in steps)
    assert outcome.best.objective == max(step.objective for step in steps)
    assert outcome.best.objective == two_hills(outcome.best.components)[0]
    assert outcome.best.objective > two_hills(np.array([[0.9]]))[0]


def test_the_best_plane_of_a_merged_start_is_kept_after_a_stop():
    outcome, steps = maximized_through(
        continuation(), [at(1.03), at(0.5)], stop_when=lambda step: "smooth" not in step.stage
    )
    assert {step.n_starts for step in of_stage("", steps)} == {1}
    assert outcome.best.objective == max(step.objective for step in steps)
    assert len({result.objective for result in outcome.start_results}) == 1


def test_a_start_far_below_the_best_stays_out_of_a_stage_that_wants_contenders_only():
    def value_of_direction(components):
        x = components[0] / np.linalg.norm(components[0])
        return float(x[0] ** 2), np.zeros_like(components)

    planes = [Start("top", np.array([[1.0, 0.0]])), Start("low", np.array([[0.6, 0.8]]))]
    for max_gap, names in ((0.7, ["top", "low"]), (0.5, ["top"])):
        stages = [
            Stage("first", value_of_direction, 5, 1e-12),
            Stage("last", value_of_direction, 5, 1e-12, max_gap=max_gap),
        ]
        outcome, steps = maximized_through(stages, planes)
        assert {step.n_starts for step in of_stage("last", steps)} == {len(names)}
        assert [result.kind for result in outcome.start_results] == ["top", "low"]
        assert outcome.best.kind == "top"


def test_values_of_eliminated_starts_are_not_compared_with_the_last_stage():
    def exaggerated(components):
        value, gradient = captured_variance(components)
        return value + 100.0, gradient

    outcome, _ = maximized_through(
        [
            Stage("sample", exaggerated, 200, 1e-12),
            Stage("all", captured_variance, 200, 1e-12, max_starts=1),
        ],
        [Start("low", np.eye(6)[[2, 4]]), Start("top", np.eye(6)[:2])],
    )
    assert len(outcome.start_results) == 2
    assert outcome.best.kind == "top"
    assert outcome.best.objective == pytest.approx(16)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_number_of_jobs_does_not_change_the_outcome(n_jobs):
    alone, _ = maximized(captured_variance, starts(3), max_iter=3)
    stages = [Stage("", captured_variance, 3, 1e-12)]
    outcome, _ = maximized_through(stages, starts(3), n_jobs=n_jobs)
    assert outcome.history == alone.history
    np.testing.assert_array_equal(outcome.best.components, alone.best.components)


def test_starts_of_an_objective_that_is_parallel_itself_follow_each_other_here():
    threads = set()

    def noted(components):
        threads.add(threading.get_ident())
        return captured_variance(components)

    stage = Stage("", noted, max_iter=20, tol=1e-8, is_parallel=True)
    with parallel_config("threading", n_jobs=2):
        maximize([stage], starts(4))
    assert threads == {threading.get_ident()}


def test_the_first_evaluation_of_a_stage_is_not_repeated():
    entered = []

    def counted(components):
        entered.append(components[0, 0])
        return two_hills(components)

    maximized(counted, [at(1.5)])
    assert entered.count(1.5) == 1


class BatchVariance:
    """The captured variance of several planes, and how many it was given at once."""

    def __init__(self) -> None:
        self.n_planes: list[int] = []

    def __call__(self, components):
        self.n_planes.append(len(components))
        values, gradients = zip(*map(captured_variance, components), strict=True)
        return np.array(values), np.array(gradients)


@pytest.mark.parametrize("batch_size", [1, 4, 16])
def test_no_step_waits_for_more_planes_than_a_batch_has(batch_size):
    batch = BatchVariance()
    stage = Stage(
        "",
        captured_variance,
        max_iter=200,
        tol=1e-12,
        climb=partial(maximize_batch, batch),
        batch_size=batch_size,
    )
    outcome = maximize([stage], starts(10))
    assert max(batch.n_planes) == min(batch_size, 10)
    assert outcome.best.objective == pytest.approx(16.0)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_planes_are_alike_up_to_their_largest_principal_angle(n_components):
    stream = np.random.default_rng(n_components)
    base = stream.normal(size=(n_components, 8))
    planes = [base + scale * stream.normal(size=base.shape) for scale in np.geomspace(1e-3, 1, 12)]
    angles = [principal_angles(plane, planes[0])[-1] for plane in planes]
    for angle in (0.01, 0.1, 0.3):
        found = first_alike(planes, angle)
        is_first = [first == 0 for first in found]
        assert is_first == [own < angle for own in angles]
