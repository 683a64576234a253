from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.data import DATA_SETS
from melm_core.density import class_densities
from melm_core.density.class_densities import ClassDensities, direct_seconds, nufft_seconds
from melm_core.density.engines import nufft as fourier
from melm_core.density.engines.direct_sums import DirectPotentials
from melm_core.density.engines.fourier_series import FourierPotentials, fourier_box
from melm_core.density.kernel_density import kernel_classes
from melm_core.density.whitening import bandwidth_factor
from melm_core.melm.objective import cauchy_schwarz_divergence
from tests.melm_core.helpers import classes, finite_differences, plane

DATA = Path(__file__).parents[4] / "shared" / "data"


def cloud(n_rows: int, k: int, gamma: float = 1.0):
    """Return two classes around one center, and their kernels."""
    rng = np.random.default_rng(k)
    rows = [rng.normal(size=(n_rows, k)) for _ in range(2)]
    kernel = bandwidth_factor(n_rows, k, gamma) ** 2 * np.eye(k)
    return ClassDensities(tuple(rows), np.stack([kernel, kernel]))


def _box(densities):
    return fourier_box(densities.rows, densities.covariances)[2]


def standardized(name: str):
    path = DATA / f"{name}.csv"
    if not path.is_file():
        pytest.skip("The data sets of the paper are not in ../shared/data.")
    frame = pd.read_csv(path)
    X = frame.drop(columns="label").to_numpy(dtype=float)
    widths = X.std(axis=0)
    kept = widths > 0
    return (X[:, kept] - X[:, kept].mean(axis=0)) / widths[kept], (frame["label"] > 0).to_numpy(int)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_weighted_derivatives_agree_with_finite_differences(k):
    X, y = classes(3, k)
    projected = kernel_classes(X, y, n_components=k)
    weights = np.triu(np.random.default_rng(0).normal(size=(3, 3)))

    def weighted_sum(rows, covariances):
        return float((weights * DirectPotentials(rows, covariances).log_values).sum())

    exact = DirectPotentials(projected.rows, projected.covariances)
    by_points, by_covariances = exact.weighted_derivatives(weights)
    for code in range(3):

        def moved(part, code=code):
            rows = list(projected.rows)
            rows[code] = part
            return weighted_sum(rows, projected.covariances)

        def widened(covariance, code=code):
            covariances = projected.covariances.copy()
            covariances[code] = 0.5 * (covariance + covariance.T)
            return weighted_sum(projected.rows, covariances)

        numeric = finite_differences(moved, projected.rows[code])
        np.testing.assert_allclose(by_points[code], numeric, atol=1e-6 * np.abs(numeric).max())
        numeric = finite_differences(widened, projected.covariances[code])
        np.testing.assert_allclose(by_covariances[code], numeric, atol=1e-6 * np.abs(numeric).max())


def test_few_rows_are_summed_directly_and_many_are_transformed():
    assert isinstance(cloud(50, 2).potentials(), DirectPotentials)
    assert isinstance(cloud(5_000, 2).potentials(), FourierPotentials)


def test_kernels_too_narrow_for_their_span_are_summed_directly(monkeypatch):
    densities = cloud(5_000, 2)
    assert densities.engine("potentials") == "transforms"
    monkeypatch.setattr(class_densities, "MOST_MODES", 100)
    assert densities.engine("potentials") == "direct"


def test_an_engine_that_is_asked_for_is_taken():
    assert isinstance(cloud(50, 2).potentials("nufft"), FourierPotentials)
    assert isinstance(cloud(500, 2).potentials("direct"), DirectPotentials)


def test_the_cost_of_both_engines_grows_with_what_they_sum():
    assert direct_seconds([200, 100]) == pytest.approx(4 * direct_seconds([100, 50]))
    narrow, wide = (_box(cloud(500, 2, gamma)) for gamma in (0.1, 1.0))
    assert nufft_seconds([500, 500], narrow) > nufft_seconds([500, 500], wide)
    assert nufft_seconds([10**6, 500], wide) > nufft_seconds([500, 500], wide)


def test_beyond_three_components_only_the_direct_engine_sums():
    densities = cloud(60, 4)
    message = 'engine="nufft" supports at most 3 components, not 4; use engine="auto"'
    with pytest.raises(ValueError, match=message):
        densities.potentials("nufft")
    assert isinstance(densities.potentials(), DirectPotentials)


@pytest.mark.parametrize("gamma", [1e-3, 1e-9])
def test_too_many_modes_are_refused_with_the_way_out(gamma):
    message = f"would need .* modes, more than the limit of {fourier.MOST_MODES:,}: .* gamma"
    with pytest.raises(ValueError, match=message):
        cloud(60, 2, gamma).potentials("nufft")


@pytest.mark.parametrize("k", [1, 2])
def test_the_engines_agree_with_outliers_at_fifty_sigma_and_narrow_kernels(k):
    X, y = classes(2, 5)
    X[[3, 30]] += 50.0 * X.std(axis=0)
    components = plane(k, 5)
    direct, nufft = (
        cauchy_schwarz_divergence(X, y, components, gamma=0.1, engine=engine, return_gradient=True)
        for engine in ("direct", "nufft")
    )
    assert nufft[0] == pytest.approx(direct[0], rel=1e-8)
    np.testing.assert_allclose(nufft[1], direct[1], atol=1e-8 * np.abs(direct[1]).max())


@pytest.mark.parametrize("gamma", [1.0, 0.1])
@pytest.mark.parametrize("name", DATA_SETS)
def test_the_engines_agree_on_the_data_sets_of_the_paper(name, gamma):
    X, y = standardized(name)
    components = plane(min(2, X.shape[1] - 1), X.shape[1])
    direct, nufft = (
        cauchy_schwarz_divergence(
            X, y, components, gamma=gamma, engine=engine, return_gradient=True
        )
        for engine in ("direct", "nufft")
    )
    assert nufft[0] == pytest.approx(direct[0], rel=1e-8)
    np.testing.assert_allclose(nufft[1], direct[1], atol=1e-8 * np.abs(direct[1]).max())
