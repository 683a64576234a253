from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from melm_core.density.kernel_density import whitened_kernel_classes
from melm_core.linalg.planes import principal_angles
from melm_core.melm.estimator import MELM
from melm_core.melm.objective import divergence_and_gradient
from melm_core.melm.search import (
    SampleSizes,
    SearchSettings,
    competition_rows,
    continuation_factors,
    plan_stages,
    plan_starts,
    search,
    subsample,
)
from tests.melm_core.helpers import classes, plane

SETTINGS = SearchSettings(
    n_components=2,
    n_init=10,
    gamma=1.0,
    continuation=(3.0, 1.7),
    multiclass="mean",
    max_iter=100,
    tol=1e-8,
    n_jobs=None,
    seed=0,
    has_callback=True,
)


def many_rows(n_rows: int = 600):
    """Return two classes that differ in the spread along two of four features."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_rows, 4)), (np.arange(n_rows) % 3 == 0).astype(int)
    X[y == 1, :2] = 3.0 * X[y == 1, :2] + [2.0, 0.0]
    return X, y


def prepared():
    return whitened_kernel_classes(*many_rows(), n_components=2)[0]


# With these sizes, six hundred rows count as very many.
SAMPLED = replace(SETTINGS, sample_sizes=SampleSizes(max_rows=300, small=100, large=200))


def stages_of(settings, planes=None):
    rows = prepared()
    return plan_stages(rows, competition_rows(rows, settings), settings, planes)


def first_starts(settings):
    """The starts of the first stage."""
    return [start for start in plan_starts(prepared(), settings) if start.stage == 0]


def searched(*, stop_after=None, **changes):
    """Return the rows, the outcome of a sampled search on them, and its steps."""
    rows, steps = prepared(), []

    def report(step):
        steps.append(step)
        return len(steps) == stop_after

    settings = replace(SAMPLED, continuation="auto", n_init=9, max_iter=500, tol=1e-9)
    return rows, search(rows, replace(settings, **changes), report), steps


def test_the_kernels_narrow_to_the_target_and_the_best_planes_are_polished():
    stages, starts = stages_of(SETTINGS), first_starts(SETTINGS)
    assert [stage.name for stage in stages] == ["γ × 3", "γ × 1.7", "", *["polishing"] * 2]
    assert [stage.max_starts for stage in stages] == [None, None, None, 3, 3]
    kinds = [start.kind for start in starts]
    assert len(kinds) == 10
    n_wide = kinds.count("wide kernels")
    assert 1 <= n_wide <= 6
    assert kinds == ["wide kernels"] * n_wide + ["random"] * (10 - n_wide)


def test_a_start_does_not_depend_on_how_many_there_are():
    many = first_starts(replace(SETTINGS, n_init=12))
    for n_init in (1, 2, 8, 10):
        few = first_starts(replace(SETTINGS, n_init=n_init))
        assert len(few) == n_init
        for one, same in zip(few, many[:n_init], strict=True):
            assert one.kind == same.kind
            np.testing.assert_array_equal(one.components, same.components)


def test_another_seed_draws_other_random_planes():
    one = plan_starts(prepared(), SETTINGS)
    other = plan_starts(prepared(), replace(SETTINGS, seed=1))
    random = [(a, b) for a, b in zip(one, other, strict=True) if a.kind == b.kind == "random"]
    assert random
    for a, b in random:
        assert principal_angles(a.components, b.components).max() > 1e-3


def test_few_starts_all_enter_the_last_stage():
    stages = stages_of(replace(SETTINGS, n_init=3))
    assert [stage.name for stage in stages] == ["γ × 3", "γ × 1.7", ""]


def test_given_planes_all_enter_the_last_stage():
    planes = [plane(2, 4, seed) for seed in range(9)]
    stages, starts = stages_of(SETTINGS, planes), plan_starts(prepared(), SETTINGS, planes)
    assert [stage.name for stage in stages] == ["γ × 3", "γ × 1.7", ""]
    assert [start.kind for start in starts] == ["given"] * 9


@pytest.mark.parametrize(
    ("gamma", "n_init", "joining"), [(1.0, 10, []), (0.5, 10, [1] * 4), (0.25, 7, [1, 2])]
)
def test_random_planes_join_at_the_stages_between_the_widest_kernels_and_gamma(
    gamma, n_init, joining
):
    settings = replace(SETTINGS, gamma=gamma, continuation="auto", n_init=n_init)
    later = plan_starts(prepared(), settings)[n_init:]
    assert [start.stage for start in later] == joining
    planes = np.array([start.components for start in later])
    assert len(np.unique(planes.round(9), axis=0)) == len(joining)
    assert all(start.kind == "random" for start in later)


@pytest.mark.parametrize("gamma", [0.1, 0.25, 0.5, 1.0, 1.3, 2.0, 10.0])
def test_the_automatic_continuation_narrows_from_one_width_whatever_gamma_is(gamma):
    factors = np.array(continuation_factors(gamma))
    if gamma >= 1.3:
        assert len(factors) == 0
        return
    assert factors[0] * gamma == pytest.approx(1.5)
    np.testing.assert_allclose(factors[:-1] / factors[1:], 1.75)
    assert 1.2 < factors[-1] <= 1.2 * 1.75


def test_without_a_continuation_the_search_follows_gamma():
    stages = stages_of(replace(SETTINGS, continuation="auto", gamma=0.5))
    assert [stage.name for stage in stages] == ["γ × 3", "γ × 1.7", "", *["polishing"] * 2]


def test_every_stage_reports_the_divergence_at_gamma_itself():
    stages = stages_of(SETTINGS)
    components = plane(2, 4)
    value, _ = divergence_and_gradient(prepared(), components, multiclass="mean")
    for stage in stages:
        assert stage.monitored(components)[0] == pytest.approx(value, rel=1e-10)
    wide, _ = stages[0].objective(components)
    assert wide < value


def test_very_many_rows_compete_on_a_sample_first():
    stages = stages_of(SAMPLED)
    names = ["", "polishing", "200 rows", "200 rows", "all rows"]
    assert [stage.name for stage in stages][2:] == names
    assert [stage.max_starts for stage in stages] == [None, None, None, 3, 3, 1, 1]
    assert stages[-3].max_iter < stages[-2].max_iter
    value, _ = divergence_and_gradient(prepared(), plane(2, 4), multiclass="mean")
    assert stages[-1].objective(plane(2, 4))[0] == pytest.approx(value, rel=1e-10)


def test_the_finalists_compete_on_all_rows_where_these_are_few():
    sizes = replace(SAMPLED.sample_sizes, large=300)
    stages = stages_of(replace(SAMPLED, sample_sizes=sizes))
    assert [(stage.name, stage.max_starts) for stage in stages][4:] == [
        ("all rows", 3),
        ("all rows", 1),
    ]


def test_the_name_of_a_large_sample_has_a_comma_for_thousands():
    sizes = SampleSizes(max_rows=300, small=1_000, large=2_000)
    rows, _ = whitened_kernel_classes(*many_rows(4_500), n_components=2)
    settings = replace(SETTINGS, sample_sizes=sizes)
    stages = plan_stages(rows, competition_rows(rows, settings), settings)
    assert stages[-2].name == "2,000 rows"


def test_a_sample_keeps_the_shares_of_the_classes_and_widens_their_kernels():
    whole = prepared()
    sample = subsample(whole, 60, SETTINGS)
    assert sample.counts.tolist() == [40, 20]
    for few, rows, narrow, wide in zip(
        sample.rows, whole.rows, whole.covariances, sample.covariances, strict=True
    ):
        assert {tuple(row) for row in few} <= {tuple(row) for row in rows}
        np.testing.assert_allclose(wide / narrow, (10 ** (1 / 6)) ** 2, rtol=1e-10)


def test_a_sample_holds_a_few_rows_of_the_smallest_class():
    X, y = many_rows()
    y[:] = 0
    y[:5] = 1
    rare, _ = whitened_kernel_classes(X, y, n_components=2)
    assert subsample(rare, 60, SETTINGS).counts.tolist() == [60, 4]


def test_a_sampled_search_ends_at_an_optimum_of_all_rows():
    rows, outcome, _ = searched()
    refined = search(
        rows,
        replace(SETTINGS, continuation=(), max_iter=500, tol=1e-9),
        planes=[outcome.best.components],
    )
    assert outcome.best.objective == pytest.approx(refined.best.objective, rel=1e-3)


def test_a_sampled_search_finds_the_plane_of_a_search_on_all_rows():
    _, sampled, _ = searched()
    _, whole, _ = searched(sample_sizes=SampleSizes())
    assert principal_angles(sampled.best.components, whole.best.components)[-1] < 0.02
    assert sampled.best.objective == pytest.approx(whole.best.objective, rel=1e-3)
    assert sampled.best.objective == pytest.approx(max(sampled.history), rel=1e-9)


def test_a_sampled_search_does_not_depend_on_the_number_of_jobs():
    _, one, _ = searched(n_jobs=1)
    _, two, _ = searched(n_jobs=2)
    np.testing.assert_array_equal(one.best.components, two.best.components)
    assert one.best.objective == two.best.objective
    values = [[result.objective for result in each.start_results] for each in (one, two)]
    assert values[0] == values[1]


def test_steps_say_which_rows_they_are_judged_by():
    _, _, steps = searched()
    rows_of_stages = {step.stage.partition(", ")[2]: step.n_sampled for step in steps}
    assert rows_of_stages == {
        "wide kernels first": 100,
        "γ × 1.5": 100,
        "": 100,
        "polishing": 100,
        "200 rows": 200,
        "all rows": 0,
    }


@pytest.mark.slow
def test_the_plane_of_many_rows_is_polished_on_all_of_them():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60_000)
    X = rng.normal(size=(len(y), 12))
    X[:, :2] += np.outer(y, (1.03, 0.66))
    X /= X.std(axis=0)
    direction = np.linalg.solve(np.cov(X.T), X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    direction /= np.linalg.norm(direction)
    found = MELM(random_state=0).fit(X, y).components_
    assert np.degrees(np.arccos(np.linalg.norm(found @ direction))) < 2.0


def test_steps_name_their_stage_and_the_fraction_never_decreases():
    _, _, steps = searched()
    names = [step.stage.partition(", ")[2] for step in steps]
    stages = ["wide kernels first", "γ × 1.5", "", "polishing", "200 rows", "all rows"]
    assert list(dict.fromkeys(names)) == stages
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)
    assert 0 == fractions[0] < fractions[-1] <= 1


@pytest.mark.parametrize("stop_after", [3, 30])
def test_a_stop_on_the_sample_keeps_a_plane_and_its_divergence_on_all_rows(stop_after):
    rows, outcome, steps = searched(stop_after=stop_after)
    assert outcome.stopped
    assert len(steps) == stop_after
    value, _ = divergence_and_gradient(rows, outcome.best.components, multiclass="mean")
    assert outcome.best.objective == pytest.approx(value, rel=1e-8)


def test_the_penalized_search_starts_from_random_planes_only():
    settings = replace(SETTINGS, solver="penalty", n_init=3, continuation="auto")
    stages, starts = stages_of(settings), plan_starts(prepared(), settings)
    assert [start.kind for start in starts] == ["random"] * 3
    assert [stage.name for stage in stages] == [""]


def test_the_whole_space_is_one_stage_and_one_start():
    X, y = classes(2, 2)
    rows = whitened_kernel_classes(X, y, n_components=2)[0]
    stages, starts = plan_stages(rows, rows, SETTINGS), plan_starts(rows, SETTINGS)
    assert [stage.name for stage in stages] == [""]
    assert [start.kind for start in starts] == ["whole space"]
