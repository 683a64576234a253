"""The whole check keeps its level on dependent rows whose roles are set, and finds differences."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from melm_core.evaluation import Study, permutation_test
from melm_core.folds import label_runs
from melm_studio.analyses.analysis import Work
from melm_studio.analyses.check import CHECK
from melm_studio.tables import Table, Use, prepare
from tests.melm_studio.analyses.reports import Reports
from tests.melm_studio.runs.helpers import run_of

REPEATS = 100
N_FEATURES = 5
N_UNITS = 48
N_SUBJECTS = 24
METHODS = ("lda", "pca")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


@pytest.fixture(autouse=True)
def quick_checks(monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 39)
    monkeypatch.setattr("melm_studio.analyses.check.MOST_RESAMPLED_ROWS", 0)


def independent(rng, shift):
    y = np.arange(N_UNITS) % 2
    return shifted(rng.normal(size=(N_UNITS, N_FEATURES)), y, shift), y, {}


def duplicated(rng, shift):
    X, y, _ = independent(rng, shift)
    return np.repeat(X, 2, axis=0), np.repeat(y, 2), {}


def grouped(rng, shift):
    """Subjects with one class and five rows each, which resemble each other."""
    subject = np.repeat(np.arange(N_SUBJECTS), 5)
    y = subject % 2
    X = 2.0 * rng.normal(size=(N_SUBJECTS, N_FEATURES))[subject]
    X += rng.normal(size=X.shape)
    return shifted(X, y, 2.0 * shift), y, {"subject": subject}


def paired(rng, shift):
    """Subjects with rows of both classes."""
    subject = np.repeat(np.arange(N_SUBJECTS // 2), 4)
    y = np.arange(len(subject)) % 2
    X = 0.5 * rng.normal(size=(N_SUBJECTS // 2, N_FEATURES))[subject]
    X += rng.normal(size=X.shape)
    return shifted(X, y, shift), y, {"subject": subject}


def serial(rng, shift):
    """Blocks of a time series, each row like the one before it."""
    lengths = rng.integers(6, 13, size=N_SUBJECTS)
    y = np.repeat(np.arange(N_SUBJECTS) % 2, lengths)
    X = rng.normal(size=(len(y), N_FEATURES))
    for row in range(1, len(X)):
        X[row] += 0.8 * X[row - 1]
    return shifted(X, y, shift), y, {"block": label_runs(y)}


DESIGNS = (independent, duplicated, grouped, paired, serial)
GROUPS = ("subject", "block")


def shifted(X, y, shift):
    X[:, 0] += shift * y
    return X


def table_of(X, y, columns) -> Table:
    numbers = {f"x{place}": values for place, values in enumerate(X.T)}
    cells = {name: [f"{name} {code}" for code in codes] for name, codes in columns.items()}
    label = np.where(y == 1, "ill", "healthy")
    return Table("simulated", pd.DataFrame({**numbers, **cells, "label": label}), ())


def answer(method, X, y, columns, seed) -> str:
    """The answer of the check of a table whose columns of groups have their role."""
    roles = {name: Use.GROUP for name in columns if name in GROUPS}
    data = prepare(table_of(X, y, columns), "label", roles=roles)
    store = Reports()
    CHECK.compute(Work(store, run_of(method=method, random_state=seed), data, time))
    return store.known[-1].answer


def drawn(design, repeat, shift=0.0):
    """Rows, and a seed for their check that shares no stream with them."""
    rows, shuffles = np.random.SeedSequence([1515, repeat]).spawn(2)
    return *design(np.random.default_rng(rows), shift), int(shuffles.generate_state(1)[0])


def n_certified(method, design, shift=0.0, repeats=REPEATS) -> int:
    """Checks that say yes or partly."""
    return sum(
        answer(method, *drawn(design, repeat, shift)) in ("yes", "partly")
        for repeat in range(repeats)
    )


def n_found_in_units(method, design, shift, repeats=REPEATS) -> int:
    """Differences that plain shuffles find in the means of the independent units."""
    found = 0
    for repeat in range(repeats):
        X, y, columns, seed = drawn(design, repeat, shift)
        units = next(iter(columns.values()), np.unique(X, axis=0, return_inverse=True)[1])
        means = pd.DataFrame(X).groupby(units.ravel()).mean().to_numpy()
        labels = pd.Series(y).groupby(units.ravel()).first().to_numpy()
        study = Study(method, means, labels, random_state=seed)
        test = permutation_test(study, n_permutations=39)
        found += test.p_value <= 0.05
    return found


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("method", METHODS)
def test_noise_is_certified_in_at_most_one_case_of_twenty(method, design):
    hits = n_certified(method, design)
    assert binomtest(hits, REPEATS, 0.05, alternative="greater").pvalue > 0.005


@pytest.mark.parametrize("design", [grouped, paired])
def test_a_column_of_subjects_keeps_its_rows_together_without_being_asked(design):
    for repeat in range(REPEATS):
        X, y, columns, _ = drawn(design, repeat)
        data = prepare(table_of(X, y, columns), "label")
        np.testing.assert_array_equal(data.groups, columns["subject"])


@pytest.mark.parametrize(
    ("design", "name", "question"),
    [(grouped, "session", "subjects:session"), (serial, None, "neighbors")],
)
def test_other_dependent_rows_without_their_role_are_asked_about(design, name, question):
    for repeat in range(REPEATS):
        X, y, columns, _ = drawn(design, repeat)
        cells = {name: next(iter(columns.values()))} if name else {}
        asked = prepare(table_of(X, y, cells), "label").questions
        assert question in [one.id for one in asked]


def test_pairs_that_nobody_declared_need_no_question():
    certified = 0
    for repeat in range(REPEATS):
        X, y, _, seed = drawn(paired, repeat)
        certified += answer("lda", X, y, {}, seed) in ("yes", "partly")
    assert binomtest(certified, REPEATS, 0.05, alternative="greater").pvalue > 0.005


def test_equal_rows_are_kept_together_without_being_asked():
    for repeat in range(REPEATS):
        data = prepare(table_of(*drawn(duplicated, repeat)[:3]), "label")
        assert len(np.unique(data.groups)) == N_UNITS


@pytest.mark.parametrize("design", [duplicated, grouped, serial])
def test_groups_cost_no_more_power_than_the_loss_of_independent_rows(design):
    found, in_units = n_certified("lda", design, 1.2), n_found_in_units("lda", design, 1.2)
    error = np.sqrt(REPEATS * 0.25 * 2)
    assert found >= in_units - 3 * error


def test_pairs_find_what_plain_shuffles_of_as_many_independent_rows_find():
    found, independently = (n_certified("lda", design, 1.2) for design in (paired, independent))
    assert found >= independently - 3 * np.sqrt(REPEATS * 0.25 * 2)
