"""Models of single classes: published distances, the promise, and what cannot be modeled."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris, load_wine

from melm_core.evaluation import ClassAcceptance, ClassModel

X, Y = load_iris(return_X_y=True)

# By the package ddsimca 1.1.0 of S. Kucheryavskiy, O. Rodionova and A. Pomerantsev, on wines that
# are standardized by their first class: limits of extremes and of outliers, accepted rows of the
# class and of others, and full distances of some rows.
PUBLISHED = {
    1: (15.507, 30.529, 54, 1),
    2: (19.675, 35.983, 55, 1),
    3: (21.026, 37.724, 57, 1),
    4: (23.685, 41.120, 54, 1),
    5: (22.362, 39.435, 57, 1),
    6: (22.362, 39.435, 58, 1),
}
FULL_DISTANCES = {0: 15.160107, 1: 16.872270, 2: 17.934355, 60: 109.089766, 170: 129.098459}


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((400, 4)) @ np.diag([3.0, 2.0, 1.0, 0.5])


@pytest.mark.parametrize("n_components", PUBLISHED)
def test_the_authors_own_program_has_the_same_limits_distances_and_rows(n_components):
    wines, y = load_wine(return_X_y=True)
    model = ClassModel(n_components=n_components).fit(wines[y == 0])
    full = -model.score_samples(wines) * model.limit_
    accepted = full <= model.chi2_limit_
    found = accepted[y == 0].sum(), accepted[y != 0].sum()
    limits = model.chi2_limit_, model.outlier_limit_
    assert (*limits, *found) == pytest.approx(PUBLISHED[n_components], abs=5e-4)
    if n_components == 4:
        assert full[list(FULL_DISTANCES)] == pytest.approx(list(FULL_DISTANCES.values()), abs=1e-6)


def test_distances_are_those_of_principal_components(rows):
    model = ClassModel(n_components=2, scale=False).fit(rows)
    centered = rows - rows.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(rows, rowvar=False))
    scores = centered @ vectors[:, :1:-1]
    h = np.square(scores / np.sqrt(values[:1:-1])).sum(axis=1)
    q = np.square(centered).sum(axis=1) - np.square(scores).sum(axis=1)
    freedom = [round(2 * (d.mean() / d.std(ddof=1)) ** 2) for d in (h, q)]
    assert model.degrees_ == tuple(freedom)
    full = freedom[0] * h / h.mean() + freedom[1] * q / q.mean()
    np.testing.assert_allclose(-model.score_samples(rows) * model.limit_, full)
    assert model.chi2_limit_ == pytest.approx(stats.chi2.ppf(0.95, sum(freedom)))


def test_new_rows_are_accepted_as_often_as_promised_where_the_chi_squared_limit_fails():
    stream, accepted, by_form = np.random.default_rng(1), [], []
    new = stream.standard_t(3, (2_000, 10))
    for _ in range(12):
        model = ClassModel().fit(stream.standard_t(3, (40, 10)))
        distances = -model.score_samples(new)
        accepted.append((distances <= 1.0).mean())
        by_form.append((distances * model.limit_ <= model.chi2_limit_).mean())
    assert 0.92 < np.mean(accepted) < 0.98
    assert np.mean(by_form) < 0.8


@pytest.mark.slow
def test_a_class_of_a_wide_table_is_accepted_as_promised_where_each_fold_standardizes_it():
    table = np.random.default_rng(4).standard_normal((60, 1_200))
    found = ClassAcceptance.of(table, np.arange(60) % 2)
    assert 54 <= np.diag(found.counts(found.accepted)).sum() <= 60


def test_more_features_than_rows_and_constant_features_are_no_obstacle():
    stream = np.random.default_rng(2)
    wide = np.hstack([stream.standard_normal((30, 200)), np.ones((30, 3))])
    model = ClassModel().fit(wide[:29])
    assert model.components_.shape[1] == 203
    other = wide[29:].copy()
    other[:, -1] = 40.0  # where the class is constant
    assert model.predict(wide[29:]).tolist() == [1]
    assert model.predict(other).tolist() == [-1]


def test_a_row_off_a_class_that_is_flat_is_refused():
    line = np.outer(np.linspace(-1.0, 1.0, 20), [1.0, 2.0, 3.0])
    assert ClassModel().fit(line).predict([[0.1, 0.2, 0.3], [0.1, 0.2, 0.31]]).tolist() == [1, -1]


def test_whole_groups_are_left_out():
    stream = np.random.default_rng(3)
    patients = np.repeat(np.arange(12), 8)
    table = stream.standard_normal((12, 4))[patients] + 0.1 * stream.standard_normal((96, 4))
    assert ClassModel().fit(table, groups=patients).limit_ > 1.5 * ClassModel().fit(table).limit_


@pytest.mark.parametrize(
    ("table", "parameters", "words"),
    [
        (X[:4], {}, "at least 5 rows; there are 4. Add"),
        (np.ones((9, 2)), {}, "All 9 rows are equal"),
        (X[:50], {"alpha": 1.0}, "alpha=1.0 must be between 0 and 1"),
        (X[:50], {"n_components": 0}, "n_components"),
        (np.where(X[:50] == X[3, 0], np.nan, X[:50]), {}, "NaN"),
    ],
)
def test_what_cannot_be_modeled_is_said(table, parameters, words):
    with pytest.raises(ValueError, match=words):
        ClassModel(**parameters).fit(table)


def test_groups_too_few_to_leave_out_are_said():
    with pytest.raises(ValueError, match="at least 5 groups; there are 2"):
        ClassModel().fit(X[:50], groups=np.arange(50) % 2)


def test_every_row_is_judged_once_by_models_that_never_saw_it():
    seen = []
    found = ClassAcceptance.of(X, Y, callback=seen.append)
    assert [each.n_done for each in seen] == list(range(1, 11))
    assert found.counts(found.is_judged).tolist() == [[50, 50, 50]] * 3
    own = np.diag(found.counts(found.accepted))
    assert (own >= 45).all()
    assert found.counts(found.accepted)[0].tolist()[1:] == [0, 0]
    # A row that is moved far away is refused: no model was fitted to it.
    moved = X.copy()
    moved[0] += 100.0
    assert not ClassAcceptance.of(moved, Y).accepted[0].any()


def test_a_class_of_two_rows_has_no_model_and_its_rows_are_judged_by_others():
    kept = np.r_[:50, 50:52]
    found = ClassAcceptance.of(X[kept], Y[kept])
    assert found.counts(found.is_judged).tolist() == [[50, 2], [0, 0]]
    with pytest.raises(ValueError, match="needs 6 rows or groups of a class"):
        ClassAcceptance.of(X[48:52], Y[48:52])


def test_one_class_is_enough():
    assert ClassAcceptance.of(X[:50], Y[:50]).accepted.sum() > 43
