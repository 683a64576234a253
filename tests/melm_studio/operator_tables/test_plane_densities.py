"""The densities of all rows that a run keeps are those of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base.block_sources import ArrayBlocks
from melm_core.density import DensityRule
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.objective import divergence_in_plane
from melm_studio.operator_tables import plane_densities
from melm_studio.operator_tables.plane_densities import PlaneDensities
from tests.melm_core.helpers import classes, plane

STREAM = np.random.default_rng(0)
X, Y = (np.repeat(part, 6, axis=0) for part in classes(3, 5))
X = X + 0.3 * STREAM.standard_normal(X.shape)
ORDER = STREAM.permutation(len(X))
X, Y = X[ORDER], Y[ORDER]
ORIGIN = X[::7].mean(axis=0)
SAMPLE = np.arange(len(X)) % 6 == 0


def densities(n_components=2, gamma=1.0):
    components = plane(n_components, 5)
    found = PlaneDensities.of(ArrayBlocks(X, Y, 250), components, gamma, X[SAMPLE])
    return components, found and PlaneDensities.from_bytes(found.to_bytes())


def in_memory(components, gamma):
    rows = X - ORIGIN
    classes = kernel_classes(rows, Y, n_components=len(components), gamma=gamma)
    return classes.project(components)


def sample_of(components):
    rows, codes = (X - ORIGIN)[SAMPLE] @ components.T, Y[SAMPLE]
    return [rows[codes == code] for code in range(3)]


@pytest.mark.parametrize("n_components", [1, 2])
def test_they_are_those_of_all_rows_in_any_coordinates_of_the_plane(n_components):
    components, found = densities(n_components)
    change = np.array([[0.3, -1.1], [2.0, 0.4]])[:n_components, :n_components]
    drawn = change @ components
    points = np.concatenate([*sample_of(drawn), 1.3 * sample_of(drawn)[1]])
    for gamma in (0.75, 1.0, 2.0):
        expected = in_memory(drawn, gamma)
        seen = found.seen_in(drawn, ORIGIN)
        own = seen.search_densities(sample_of(drawn), gamma)
        assert divergence_in_plane(own) == pytest.approx(divergence_in_plane(expected), abs=1e-9)
        rule = seen.class_rule(sample_of(drawn), gamma)
        whole = DensityRule.of((X - ORIGIN) @ drawn.T, Y, gamma=gamma)
        logs, exact = rule.log_mixtures(points), whole.log_mixtures(points)
        near = exact > exact.max() - 10.0
        np.testing.assert_allclose(logs[near], exact[near], atol=1e-6)
        np.testing.assert_array_equal(rule.most_likely(points), whole.most_likely(points))
        shares = rule.probabilities(points), whole.probabilities(points)
        np.testing.assert_allclose(*shares, atol=1e-5)
    assert found.divergence == pytest.approx(divergence_in_plane(in_memory(components, 1.0)))
    assert found.counts == tuple(np.bincount(Y))


@pytest.mark.slow
def test_far_from_all_rows_the_sample_stands_for_them():
    components, found = densities()
    own = found.seen_in(components, ORIGIN).search_densities(sample_of(components), 1.0)
    far = 50.0 * sample_of(components)[2]
    logs = own.log_densities(far)
    assert np.isfinite(logs).all()
    expected = in_memory(components, 1.0).log_densities(far)
    assert (logs.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.9


@pytest.mark.slow
def test_far_from_all_rows_classes_are_told_by_the_moments_of_all():
    components, found = densities()
    rule = found.seen_in(components, ORIGIN).class_rule(sample_of(components), 1.0)
    whole = DensityRule.of((X - ORIGIN) @ components.T, Y)
    far = 50.0 * np.concatenate(sample_of(components))
    np.testing.assert_array_equal(rule.most_likely(far), whole.most_likely(far))


@pytest.mark.slow
def test_moments_are_those_of_the_rows_as_they_are_drawn():
    components, found = densities()
    seen = found.seen_in(3.0 * components, ORIGIN)
    for code in range(3):
        points = (X - ORIGIN)[code == Y] @ (3.0 * components).T
        np.testing.assert_allclose(seen.means[code], points.mean(axis=0), atol=1e-10)
        np.testing.assert_allclose(seen.covariances[code], np.cov(points.T, ddof=0), atol=1e-10)


@pytest.mark.slow
def test_another_plane_and_other_kernels_are_not_served(monkeypatch):
    components, found = densities()
    assert found.seen_in(plane(2, 5, seed=7), ORIGIN) is None
    assert found.seen_in(components[:1], ORIGIN) is None
    monkeypatch.setattr(plane_densities, "MOST_SERIES_BYTES", 2**23)
    _, narrow = densities(gamma=2.0)
    seen = narrow.seen_in(components, ORIGIN)
    assert len(seen.series) > 1
    for gamma in (2.0, 10.0):
        own = seen.search_densities(sample_of(components), gamma)
        assert seen.class_rule(sample_of(components), gamma) is not None
        expected = divergence_in_plane(in_memory(components, gamma))
        assert divergence_in_plane(own) == pytest.approx(expected, abs=1e-9)
    assert seen.search_densities(sample_of(components), 0.1) is None
    assert seen.class_rule(sample_of(components), 0.1) is None
    monkeypatch.setattr(plane_densities, "MOST_SERIES_BYTES", 1_000)
    assert densities()[1] is None
    assert densities(n_components=3)[1] is None


@pytest.mark.slow
def test_damaged_densities_are_refused():
    _, found = densities()
    raw = found.to_bytes()
    for damaged in (raw.replace(b"bounds", b"boards"), raw[:-1], b""):
        with pytest.raises(ValueError, match=r"damaged|truncated|trailing|malformed"):
            PlaneDensities.from_bytes(damaged)
