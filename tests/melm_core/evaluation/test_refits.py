"""One set of refits: held-out rows do not know the plane, and one number is read from it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from melm_core import MELMCV, DiscriminantPlane
from melm_core.base import UserError
from melm_core.datasets import pure_noise
from melm_core.density import DensityRule, class_spreads, kernel_classes
from melm_core.diagnostics.calibration import fitted_temperature
from melm_core.diagnostics.feature_importance import Importance
from melm_core.evaluation import KeptFold, Refits, Study, Unchanged, refits
from melm_core.evaluation.fold_frames import Frame
from melm_core.folds.folds import Fold
from melm_core.linalg.planes import principal_angles
from melm_core.melm import divergence
from tests.melm_core.evaluation.honest_examples import Column, Memory, Needs, Recorder, blobs
from tests.melm_core.helpers import EVERY_METHOD, invertible

IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)
QUICK = {"n_init": 2, "max_iter": 30, "random_state": 0}
SEPARATES_NOISE = {"melm", "rotations", "lda", "nca", "sir", "kfd"}


def shares(refits: Refits) -> tuple[float, float]:
    return refits.train_share.balanced_accuracy, refits.share.balanced_accuracy


def wide(n_rows: int, n_features: int, seed: int, distance: float = 1.2):
    """Return rows of two classes that differ in the first two of many features."""
    stream = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = stream.standard_normal((n_rows, n_features))
    X[:, :2] += distance * y[:, None]
    return X, y


# ------------------------------------------------------------------------------ held-out rows alone


@pytest.mark.slow
@pytest.mark.parametrize("is_twice", [False, True], ids=["once", "twice"])
def test_the_share_of_noise_is_that_of_guessing(is_twice):
    found, linear = [], []
    for seed in range(20):
        X, y = pure_noise(100, 20, 2, random_state=seed)
        if is_twice:
            X, y = np.tile(X, (2, 1)), np.tile(y, 2)
        refits = Refits.of(Study("lda", X, y, random_state=seed))
        found.append(refits.share.balanced_accuracy)
        linear.append(refits.linear_share.balanced_accuracy)
    assert np.mean(found) == pytest.approx(0.5, abs=0.03)
    assert np.mean(linear) == pytest.approx(0.5, abs=0.03)


def test_rows_that_are_in_a_table_twice_look_like_an_effect_where_they_are_taken_apart():
    found = []
    for seed in range(4):
        X, y = pure_noise(60, 40, 2, random_state=seed)
        apart = Study("lda", np.tile(X, (2, 1)), np.tile(y, 2), groups=np.arange(120))
        found.append(Refits.of(apart).share.balanced_accuracy)
    assert np.mean(found) > 0.75


def test_the_divergence_of_held_out_rows_is_that_at_the_end_of_each_search():
    refits = Refits.of(Study("melm", *load_iris(return_X_y=True)), 3, follow_search=True)
    gamma = refits.whole.estimator.gamma_
    expected = refits.search_curve.mean[-1]
    assert refits.held_out_divergence(gamma) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_on_noise_the_divergence_of_held_out_rows_is_none_on_average():
    fitted, held_out = [], []
    for seed in range(8):
        X, y = pure_noise(60, 40, 2, random_state=seed)
        refits = Refits.of(Study("lda", X, y))
        rows = kernel_classes(refits.whole.preparation.apply(X), y, n_components=1)
        fitted.append(divergence(rows, refits.whole.components))
        held_out.append(refits.held_out_divergence())
    assert min(fitted) > 0.5
    assert np.mean(held_out) == pytest.approx(0.0, abs=0.1)


def test_one_held_out_row_at_a_time_has_no_divergence():
    X, y = pure_noise(12, 2, 2, random_state=0)
    study = Study("lda", X, y)
    one_by_one = tuple(Fold(np.delete(np.arange(12), row), np.array([row])) for row in range(12))
    assert Refits.of(study, one_by_one).held_out_divergence() is None


@pytest.mark.slow
def test_a_method_that_learns_its_rows_by_heart_is_at_chance():
    found = []
    for seed in range(6):
        X, y = pure_noise(60, 4, 2, random_state=seed)
        train, held_out = shares(Refits.of(Study(Memory(), X, y, preparation=Unchanged())))
        assert train == 1.0
        found.append(held_out)
    assert np.mean(found) == pytest.approx(0.5, abs=0.06)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("method", EVERY_METHOD, ids=lambda method: method.key)
def test_every_method_is_at_chance_on_noise(method):
    found = []
    for seed in range(6):
        X, y = pure_noise(random_state=seed)
        found.append(shares(Refits.of(Study(method.key, X, y, parameters=QUICK))))
    train, held_out = np.array(found).T
    error = max(held_out.std(ddof=1) / np.sqrt(6), 0.01)
    assert abs(held_out.mean() - 1 / 3) < 3 * error
    if method.key in SEPARATES_NOISE:
        assert train.mean() > 0.8


@pytest.fixture
def recorder():
    Recorder.train.clear()
    return Recorder()


def test_each_fold_is_fitted_to_all_rows_but_its_own(recorder):
    X = np.column_stack([np.arange(50.0), np.zeros(50)])
    refits = Refits.of(Study(recorder, X, np.arange(50) % 2, preparation=Unchanged()))
    everything, *folds = [set(rows[:, 0].astype(int)) for rows in recorder.train]
    assert everything == set(range(50))
    left_out = [everything - fold for fold in folds]
    assert left_out == [set(fit.fold.test) for fit in refits.fits]
    assert sorted(row for fold in left_out for row in fold) == list(range(50))


def test_features_are_standardized_by_the_rows_of_the_fit_alone(recorder):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5.0, 3.0, size=(60, 3)), np.full(60, 7.0)])
    Refits.of(Study(recorder, X, np.arange(60) % 2))
    assert len(recorder.train) == 11
    for rows in recorder.train:
        np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(rows.std(axis=0), [1, 1, 1, 0], atol=1e-12)


@pytest.mark.slow
def test_a_kernel_width_is_chosen_by_the_rows_of_the_fold():
    X, y = wide(48, 4, 0)
    chooses = MELMCV(n_init=1, random_state=0).set_search(max_iter=10)
    refits = Refits.of(Study(chooses, X, y, preparation=Unchanged()), 2)
    for fit in refits.fits:
        alone = MELMCV(n_init=1, random_state=0).set_search(max_iter=10)
        alone.fit(X[fit.fold.train], y[fit.fold.train])
        np.testing.assert_array_equal(
            fit.projection.estimator.gamma_path_.accuracies, alone.gamma_path_.accuracies
        )


def test_neither_values_nor_labels_of_held_out_rows_change_the_plane_of_their_fold():
    X, y = wide(60, 10, 0)
    study = Study("lda", X, y)
    folds = study.folds()
    out = folds[0].test
    other_X, other_y = X.copy(), y.copy()
    other_X[out] += 5.0 * np.random.default_rng(1).standard_normal((len(out), 10))
    other_y[out] = 1 - y[out]
    changed = Refits.of(Study("lda", other_X, other_y), folds)
    refits = Refits.of(study, folds)
    for number, (one, other) in enumerate(zip(refits.fits, changed.fits, strict=True)):
        planes = one.projection.components, other.projection.components
        assert np.array_equal(*planes) == (number == 0)
    assert not np.array_equal(refits.whole.components, changed.whole.components)


# ------------------------------------------------------------------------------------------- places


def drawn(X, y):
    """Return mean, scale and axes by which LDA of rows is drawn."""
    mean, scale = X.mean(axis=0), X.std(axis=0)
    prepared = (X - mean) / scale
    components = DiscriminantPlane().fit(prepared, y).components_
    variances, turn = np.linalg.eigh(components @ ledoit_wolf(prepared)[0] @ components.T)
    axes = (turn[:, ::-1] / np.sqrt(variances[::-1])).T @ components
    return mean, scale, axes


def test_a_row_is_placed_by_hand_by_a_plane_that_never_saw_it():
    X, y = wide(60, 30, 2)
    refits = Refits.of(Study("lda", X, y))
    mean, scale, axes = drawn(X, y)
    whole = (X - mean) / scale @ axes.T
    signs = np.sign((whole * refits.fitted).sum(axis=0))
    np.testing.assert_allclose(refits.fitted, whole * signs, atol=1e-9)
    for fit in refits.fits:
        train, test = fit.fold.train, fit.fold.test
        mean, scale, axes = drawn(X[train], y[train])
        own, reference = (X[train] - mean) / scale @ axes.T, refits.fitted[train]
        turn, _ = orthogonal_procrustes(own, reference - reference.mean(axis=0))
        expected = (X[test] - mean) / scale @ axes.T @ turn + reference.mean(axis=0)
        np.testing.assert_allclose(refits.places[test], expected, atol=1e-9)


def test_a_frame_has_unit_spread_as_ledoit_and_wolf_expect_it_of_new_rows():
    spreads, fitted = [], []
    for seed in range(10):
        X, y = wide(1_080, 60, seed, distance=0.0)
        refits = Refits.of(Study("lda", X[:80], y[:80]), 2)
        prepared = refits.whole.preparation.apply(X[:80])
        axes = refits.frame.axes
        np.testing.assert_allclose(axes @ ledoit_wolf(prepared)[0] @ axes.T, np.eye(2), atol=1e-9)
        spreads.append(refits.place(X[80:]).std(axis=0))
        fitted.append(refits.fitted.std(axis=0))
    assert np.mean(spreads) == pytest.approx(1.0, abs=0.15)
    assert np.mean(fitted, axis=0).min() < 0.6  # in whose units new rows would lie far outside


class Turned(DiscriminantPlane):
    """The discriminant plane, turned or mirrored otherwise in every fit."""

    def fit(self, X, y):
        super().fit(X, y)
        basis = np.linalg.qr(np.random.default_rng(int(1e6 * abs(X[0, 0]))).normal(size=(2, 2)))[0]
        self.components_ = basis @ self.components_
        return self


def test_planes_of_folds_that_are_turned_or_mirrored_place_rows_alike():
    X, y = wide(60, 10, 0)
    plain = Refits.of(Study(DiscriminantPlane(), X, y))
    turned = Refits.of(Study(Turned(), X, y), whole=plain.whole)
    assert not np.allclose(
        turned.fits[0].projection.components, plain.fits[0].projection.components
    )
    np.testing.assert_allclose(turned.places, plain.places, atol=1e-9)
    np.testing.assert_allclose(turned.log_densities, plain.log_densities, atol=1e-7)


@pytest.mark.parametrize("method", ["lda", "kpca"])
def test_new_rows_that_are_rows_of_the_table_are_placed_where_they_were_fitted(method):
    refits = Refits.of(Study(method, *WINE), 2)
    np.testing.assert_allclose(refits.place(WINE[0][::9]), refits.fitted[::9], atol=1e-9)


def test_a_nonlinear_map_keeps_its_distances():
    refits = Refits.of(Study("kpca", *WINE), 2)
    points = refits.whole.transform(WINE[0])
    ratio = pdist(refits.fitted) / pdist(points)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    assert np.trace(np.cov(refits.fitted.T, ddof=0)) == pytest.approx(2.0)


class TwoOptima(TransformerMixin, BaseEstimator):
    """All rows find one plane; fewer find another one, a little better, and that one, too."""

    def __init__(self, second: float = 0.97) -> None:
        self.second = second

    def fit(self, X, y):
        noise, signal = np.eye(X.shape[1])[[[2, 3], [0, 1]]]
        results = [SimpleNamespace(components=noise, objective=1.0)]
        results.append(SimpleNamespace(components=signal, objective=self.second))
        self.start_results_ = results
        self.components_ = signal if len(X) == 80 else noise
        return self

    def transform(self, X):
        return X @ self.components_.T


@pytest.mark.parametrize("second", [0.97, 0.94])
def test_the_number_is_of_the_best_plane_of_a_fold_and_the_drawing_of_the_nearest_start(second):
    X, y = wide(80, 4, 0, distance=4.0)
    refits = Refits.of(Study(TwoOptima(second), X, y))
    noise, signal = np.eye(4)[[[2, 3], [0, 1]]]
    for fit in refits.fits:
        assert principal_angles(fit.best.projection.components, noise).max() < 1e-6
        nearest = signal if second > 0.95 else noise
        assert principal_angles(fit.drawn.projection.components, nearest).max() < 1e-6
    assert refits.share.balanced_accuracy < 0.7
    is_right = refits.places @ (refits.places[y == 1] - refits.places[y == 0]).mean(axis=0) > 0
    assert (np.mean(is_right == (y == 1)) > 0.95) == (second > 0.95)


# ------------------------------------------------------------------------------------------- scores


def rule_of_fold(refits: Refits, number: int) -> tuple[Frame, DensityRule]:
    """Return where a fold of two classes places rows, and its class densities, by hand."""
    rows, fit = refits.study.rows, refits.fits[number]
    X, y = rows.X[fit.fold.train], rows.y[fit.fold.train]
    frame = Frame.of(fit.projection, X).aligned(refits.frame, X)
    others = refits.fold_of_rows != number
    spread = class_spreads(refits.places[others], rows.y[others], 2)
    return frame, DensityRule.of(frame.place(X), y, spread, gamma=refits.gamma)


def test_each_fold_is_scored_by_the_rows_that_it_was_fitted_to():
    X, y = wide(60, 10, 3)
    refits = Refits.of(Study("lda", X, y), gamma=0.7)
    for number, fit in enumerate(refits.fits):
        frame, rule = rule_of_fold(refits, number)
        places, test = frame.place(X[fit.fold.test]), fit.fold.test
        by_density, by_line = refits.log_densities[test], refits.linear_log_densities[test]
        np.testing.assert_allclose(by_density, rule.log_densities(places), atol=1e-9)
        np.testing.assert_allclose(by_line, rule.linear.log_densities(places), atol=1e-9)


@pytest.mark.parametrize("method", ["lda", "kpca"])
def test_one_number_is_read_everywhere(method):
    X, y = WINE
    refits = Refits.of(Study(method, X, y))
    named = refits.log_densities.argmax(axis=1)
    of_classes = [np.mean(named[y == code] == code) for code in range(3)]
    assert refits.share.balanced_accuracy == pytest.approx(np.mean(of_classes))
    np.testing.assert_array_equal(refits.right, named == y)
    np.testing.assert_allclose(np.diag(refits.confusion), of_classes)
    np.testing.assert_array_equal(refits.probabilities.argmax(axis=1), named)
    assert refits.reliability.accuracy == np.mean(refits.right)
    np.testing.assert_allclose(refits.overlap, refits.overlap.T)
    assert refits.overlap.sum() / 3 == pytest.approx(1.0 - refits.share.balanced_accuracy)
    folds = [
        np.mean([(named == y)[fit.fold.test][y[fit.fold.test] == code].mean() for code in range(3)])
        for fit in refits.fits
    ]
    np.testing.assert_allclose(refits.fold_shares, folds)


def test_a_split_answers_for_its_held_out_rows_in_their_order():
    X, y = WINE
    refits = Refits.of(Study("lda", X, y), 1)
    (fit,) = refits.fits
    rows = refits.held_out
    np.testing.assert_array_equal(rows, fit.fold.test)
    assert len(rows) == pytest.approx(len(y) / 4, abs=2)
    np.testing.assert_array_equal(refits.y, y[rows])
    assert np.isfinite(refits.places[rows]).all()
    assert np.isnan(np.delete(refits.places, rows, axis=0)).all()
    assert refits.sets().shape == refits.probabilities.shape == (len(rows), 3)
    alone = [refits.p_values(X[[row]])[0] for row in rows[:5]]
    np.testing.assert_allclose(refits.p_values(X[rows])[:5], alone)


def test_a_key_and_its_estimator_say_the_same():
    by_key, by_estimator = (
        Refits.of(Study(each, *IRIS)) for each in ("pca", PCA(2, random_state=0))
    )
    np.testing.assert_allclose(by_key.log_densities, by_estimator.log_densities, atol=1e-9)


def test_a_method_that_separates_noise_is_seen_to_have_seen_its_rows():
    train, held_out = shares(Refits.of(Study("lda", *pure_noise(60, 40, 2))))
    assert train > 0.75
    assert held_out < 0.6


def test_a_projection_that_learns_nothing_knows_no_more_of_the_rows_of_its_fit():
    X, y = blobs(200, 2, distance=2.0)
    refits = Refits.of(Study(Column(), X, y))
    train, held_out = shares(refits)
    assert train == pytest.approx(held_out, abs=0.02)
    assert refits.with_width(0.01).train_share.balanced_accuracy < 0.9  # no row tells itself


@pytest.mark.slow
def test_the_error_covers_what_shares_of_tables_vary_by():
    found = [Refits.of(Study("lda", *wide(80, 20, seed))).share for seed in range(30)]
    spread = np.std([score.balanced_accuracy for score in found], ddof=1)
    said = np.mean([score.standard_error for score in found])
    assert 0.9 * spread < said < 2.0 * spread


def test_a_share_of_all_rows_has_an_error_and_groups_have_a_larger_one():
    X, y = blobs(60, 2, distance=40.0)
    alone = Refits.of(Study(Column(), X, y)).share
    groups = y + 2 * (np.arange(60) // 12)
    together = Refits.of(Study(Column(), X, y, groups=groups)).share
    assert alone.balanced_accuracy == together.balanced_accuracy == 1.0
    assert 0.0 < alone.standard_error < together.standard_error


def test_another_kernel_width_refits_nothing(recorder):
    X, y = blobs(80, 2, distance=1.0)
    refits = Refits.of(Study(recorder, X, y))
    n_fits = len(recorder.train)
    other = refits.with_width(0.3)
    assert not np.allclose(other.log_densities, refits.log_densities)
    expected = Refits.of(Study(Column(), X, y), gamma=0.3)
    np.testing.assert_allclose(other.log_densities, expected.log_densities)
    assert len(recorder.train) == n_fits


# ------------------------------------------------------------------------------------ probabilities


def test_rows_with_exchanged_labels_are_the_least_probable():
    X, y = load_wine(return_X_y=True)
    wrong = [3, 100, 150]
    y[wrong] = (y[wrong] + 1) % 3
    refits = Refits.of(Study("lda", X, y))
    own = refits.probabilities[np.arange(len(y)), y]
    assert sorted(np.argsort(own)[:3].tolist()) == wrong
    assert set(wrong) <= set(refits.suspects().rows)


@pytest.mark.slow
def test_most_wrong_labels_of_classes_far_apart_are_suspect():
    """The floor of the class densities would take them for rows from nowhere, and hide a third."""
    n_found = []
    for seed in range(12):
        X, y = wide(200, 10, seed, distance=5.0 / np.sqrt(2.0))
        labels = np.where(np.arange(200) < 10, 1 - y, y)
        found = Refits.of(Study("lda", X, labels)).suspects()
        n_found.append(np.sum(found.rows < 10))
        assert found.false_share <= 0.25
    assert np.mean(n_found) > 6.0  # of 10


def test_a_row_is_not_calibrated_by_its_fold():
    X, y = wide(100, 5, 0)
    refits = Refits.of(Study("lda", X, y))
    of = refits.fold_of_rows
    for number in range(3):
        own = of == number
        temperature = fitted_temperature(refits.log_densities[~own], y[~own])
        logs = refits.log_densities[own] / temperature
        expected = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
        np.testing.assert_allclose(refits.probabilities[own], expected, atol=1e-12)


@pytest.mark.slow
def test_on_noise_the_mean_confidence_is_the_accuracy():
    found = [Refits.of(Study("lda", *pure_noise(200, 20, 2, seed))) for seed in range(8)]
    calibrated = [refits.reliability for refits in found]
    accuracy = np.mean([each.accuracy for each in calibrated])
    assert np.mean([each.confidence for each in calibrated]) == pytest.approx(accuracy, abs=0.05)
    assert np.mean([each.log_loss for each in calibrated]) == pytest.approx(np.log(2), abs=0.02)
    assert min(refits.temperature for refits in found) > 1.0


def test_new_rows_are_classified_as_those_that_were_held_out():
    X, y = wide(3_080, 20, 0)
    refits = Refits.of(Study("lda", X[:80], y[:80]))
    found = refits.classify(X[80:])
    accuracy = np.mean(found.argmax(axis=1) == y[80:])
    assert accuracy == pytest.approx(refits.share.balanced_accuracy, abs=0.1)
    assert found.max(axis=1).mean() == pytest.approx(accuracy, abs=0.1)
    own = found[np.arange(3_000), y[80:]]
    assert -np.log(own).mean() < np.log(2)


def test_a_rule_along_other_components_says_the_same_and_so_do_its_sets():
    X, y = WINE
    refits = Refits.of(Study("lda", X, y))
    components = invertible(2, 5) @ refits.whole.components
    prepared = refits.whole.preparation.apply(X)
    along = refits.rule_along(components)
    points, places = prepared @ components.T, refits.fitted
    np.testing.assert_allclose(
        along.probabilities(points), refits.rule.probabilities(places), atol=1e-9
    )
    new = X * np.random.default_rng(0).uniform(0.8, 1.3, X.shape)
    apply = refits.whole.preparation.apply
    off = (apply(new) - prepared.mean(axis=0)) @ (
        np.eye(13) - refits.whole.components.T @ refits.whole.components
    )
    residuals = np.square(off).sum(axis=1)
    for coverage in (0.5, 0.9):
        own = refits.set_limits(coverage).sets(
            refits.rule.log_densities(refits.place(new)), residuals
        )
        other = refits.set_limits(coverage, components).sets(
            along.log_densities(apply(new) @ components.T), residuals
        )
        np.testing.assert_array_equal(own, other)
        assert 0.2 < own.mean() < 0.5


@pytest.mark.slow
def test_sets_hold_the_class_of_held_out_rows_as_often_as_promised():
    held = []
    for seed in range(10):
        X, y = wide(100, 10, seed)
        refits = Refits.of(Study("lda", X, y))
        held.append(refits.sets(0.9)[np.arange(100), y].mean())
    assert np.mean(held) == pytest.approx(0.9, abs=0.03)


# --------------------------------------------------------------------------- stops, gaps, refusals


def stops_after(n_folds: int):
    return lambda refits: refits.n_folds == n_folds


def test_refits_that_were_stopped_and_resumed_are_those_of_one_go(recorder):
    study = Study(recorder, *WINE)
    stopped = Refits.of(study, callback=stops_after(3))
    assert (stopped.n_folds, stopped.is_complete) == (3, False)
    assert len(stopped.held_out) < 0.4 * len(WINE[1])
    assert np.isnan(stopped.places).any()
    resumed = Refits.of(study, whole=stopped.whole, fits=stopped.fits)
    assert len(recorder.train) == 11
    at_once = Refits.of(study)
    for name in ("places", "log_densities", "probabilities", "confusion"):
        np.testing.assert_array_equal(getattr(resumed, name), getattr(at_once, name))
    assert resumed.share == at_once.share


@pytest.mark.parametrize("method", ["lda", "melm"])
def test_refits_go_on_from_what_was_kept_of_folds_to_the_last_digit(method, monkeypatch):
    parameters = {"n_init": 2} if method == "melm" else None
    study = Study(method, *WINE, parameters=parameters)
    at_once = Refits.of(study, 5, follow_search=True)
    stopped = Refits.of(study, 5, follow_search=True, callback=stops_after(2))
    known = [tuple(map(np.copy, each.planes)) for each in stopped.kept]
    kept = [KeptFold(own, each.search) for own, each in zip(known, stopped.kept, strict=True)]
    fitted, fitted_to = [], Study.fitted_to
    monkeypatch.setattr(
        Study, "fitted_to", lambda self, rows: fitted.append(rows) or fitted_to(self, rows)
    )
    resumed = Refits.of(study, 5, whole=at_once.whole, fits=kept, follow_search=True)
    assert len(fitted) == 3
    for name in ("places", "log_densities", "probabilities", "fold_train_shares"):
        np.testing.assert_array_equal(getattr(resumed, name), getattr(at_once, name))
    np.testing.assert_array_equal(resumed.left_out.residuals, at_once.left_out.residuals)
    np.testing.assert_array_equal(resumed.importance().loss, at_once.importance().loss)
    assert resumed.share == at_once.share
    if method == "melm":
        assert resumed.search_curve.mean.tolist() == at_once.search_curve.mean.tolist()


def test_no_number_depends_on_which_start_of_a_fold_is_drawn(monkeypatch):
    study = Study("melm", *pure_noise(90, 6, random_state=1))
    nearest = Refits.of(study, 3)
    assert any(fit.best is not fit.drawn for fit in nearest.fits)
    monkeypatch.setattr(refits, "nearest_start", lambda projection, _: projection)
    best = Refits.of(study, 3, whole=nearest.whole)
    np.testing.assert_array_equal(nearest.log_densities, best.log_densities)
    np.testing.assert_array_equal(nearest.linear_log_densities, best.linear_log_densities)
    assert not np.array_equal(nearest.places, best.places)


def test_a_fold_that_failed_is_kept_as_failed_and_a_nonlinear_method_keeps_none(recorder):
    study = Study("lda", *WINE)
    kept = (KeptFold((), failure="no plane"),)
    found = Refits.of(study, 3, fits=kept)
    assert found.notes == ("Fold 1 could not be fitted and is left out: no plane",)
    assert [each.failure for each in found.kept] == ["no plane", "", ""]
    assert Refits.of(Study("kpca", *WINE), 3).kept == ()


def test_refits_so_far_are_handed_over_and_what_is_raised_ends_them():
    seen = []

    def after_fold(refits):
        seen.append((refits.n_folds, len(refits.folds), refits.share.balanced_accuracy))
        if refits.n_folds == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Refits.of(Study("lda", *IRIS), callback=after_fold)
    assert [each[:2] for each in seen] == [(1, 10), (2, 10), (3, 10)]
    assert min(each[2] for each in seen) > 0.9


def test_a_fold_that_cannot_be_fitted_is_named_and_the_others_are_kept():
    X, y = wide(60, 4, 0)
    X[7, 0] = 100.0
    refits = Refits.of(Study(Needs(), X, y, preparation=Unchanged()))
    failed = next(number for number, fold in enumerate(refits.folds) if 7 in fold.test)
    assert refits.notes == (
        f"Fold {failed + 1} could not be fitted and is left out: The largest row is missing.",
    )
    assert refits.is_complete
    assert refits.n_folds == len(refits.fold_shares) == 9
    np.testing.assert_array_equal(
        refits.held_out, np.setdiff1d(np.arange(60), refits.folds[failed].test)
    )
    assert np.isfinite(refits.share.balanced_accuracy)
    assert refits.sets().shape == refits.probabilities.shape == (54, 2)
    assert np.isfinite(refits.p_values(X[:3])).all()


def test_folds_none_of_which_can_be_fitted_raise_the_reason():
    X, y = wide(60, 4, 0)
    whole = Study("lda", X, y, preparation=Unchanged()).fitted()
    study = Study(Needs(1e9), X, y, preparation=Unchanged())
    with pytest.raises(UserError, match=r"No fold could be fitted\. The first one: The largest"):
        Refits.of(study, whole=whole)


def test_a_method_that_cannot_be_fitted_at_all_says_why():
    with pytest.raises(ValueError, match="largest row is missing"):
        Refits.of(Study(Needs(1e9), *IRIS, preparation=Unchanged()))


@pytest.mark.parametrize("n_folds", ["auto", 5])
def test_a_class_with_fewer_rows_than_folds_has_fewer_and_is_named(n_folds):
    X, y = IRIS
    few = np.r_[0:3, 50:150]
    refits = Refits.of(Study("pca", X[few], y[few], groups=np.arange(103)), n_folds)
    wanted = 10 if n_folds == "auto" else 5
    assert refits.n_folds == 3
    assert refits.notes == (f"3 folds instead of {wanted}, because class 0 has only 3 rows.",)


def test_classifiers_place_no_rows_and_have_probabilities_and_sets():
    X, y = WINE
    model = LogisticRegression(max_iter=1_000)
    refits = Refits.of(Study(model, X, y))
    assert refits.frame is None
    for name in ("places", "fitted"):
        with pytest.raises(UserError, match="LogisticRegression predicts classes and places no"):
            getattr(refits, name)
    assert refits.share.balanced_accuracy > 0.95
    assert refits.reliability.log_loss < 0.2
    assert refits.sets()[np.arange(len(y)), y].mean() > 0.85
    found = refits.classify(X)
    whole = model.fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(
        found.argmax(axis=1), whole.predict(StandardScaler().fit_transform(X))
    )


def test_a_plane_that_is_known_is_not_fitted_again(recorder):
    X, y = blobs(60, 2, distance=2.0)
    study = Study(recorder, X, y)
    whole = study.fitted()
    Refits.of(study, 2, whole=whole)
    assert len(recorder.train) == 3


def test_a_curved_picture_has_no_distances_and_features():
    refits = Refits.of(Study("kpca", *WINE), 2)
    for ask in (refits.distances, refits.importance):
        with pytest.raises(UserError, match="is nonlinear"):
            ask()


def test_lines_and_planes_in_two_features_are_judged_as_others():
    X, y = wide(60, 2, 0)
    for n_components in (1, 2):
        refits = Refits.of(Study("lda", X, y, parameters={"n_components": n_components}))
        assert refits.places.shape == (60, n_components)
        assert 0.6 < refits.share.balanced_accuracy < 0.95
        assert refits.sets().shape == (60, 2)


def test_a_table_in_blocks_has_about_the_share_of_the_same_rows_in_memory():
    da = pytest.importorskip("dask.array")
    stream = np.random.default_rng(0)
    y = stream.integers(0, 3, 2_000)
    X = stream.standard_normal((2_000, 4)) * [1.0, 5.0, 0.1, 1.0] + 20.0
    X[:, 0] += 1.5 * y
    exact = Refits.of(Study("lda", X, y), 1)
    done = []
    lazy = Study("lda", da.from_array(X, chunks=(300, 2)), da.from_array(y, chunks=300))
    found = Refits.of(lazy, callback=done.append)
    assert len(done) == found.n_folds == 1
    assert len(found.held_out) == pytest.approx(500, abs=3)
    assert found.share.balanced_accuracy == pytest.approx(exact.share.balanced_accuracy, abs=0.04)
    assert found.train_share.balanced_accuracy == pytest.approx(
        found.share.balanced_accuracy, abs=0.05
    )
    assert found.probabilities.shape == (len(found.held_out), 3)
    assert found.linear_share.balanced_accuracy == pytest.approx(
        exact.linear_share.balanced_accuracy, abs=0.04
    )


@pytest.mark.slow
def test_importance_is_that_of_held_out_rows_in_the_planes_of_their_folds():
    found, none = [], []
    for seed in range(5):
        worth = Refits.of(Study("lda", *wide(100, 12, seed, distance=2.0))).importance()
        found.append(worth.is_seen)
        none.append(Refits.of(Study("lda", *pure_noise(100, 12, 2, seed))).importance().is_seen)
    assert np.mean(found, axis=0)[:2].min() == 1.0
    assert np.mean([own.any() for own in none]) <= 0.3


def test_importance_is_of_calibrated_probabilities_and_errors_allow_for_rows_that_folds_share():
    X, y = wide(60, 10, 3)
    refits = Refits.of(Study("lda", X, y), 2)
    parts = []
    for number, fit in enumerate(refits.fits):
        frame, rule = rule_of_fold(refits, number)
        prepared = fit.projection.preparation.apply(X[fit.fold.test])
        calibrated, of_rows = rule.calibrated(refits.temperature), y[fit.fold.test]
        places = frame.place(X[fit.fold.test])
        parts.append(
            Importance.of(
                calibrated, frame.axes, prepared, of_rows, points=places, random_state=number
            )
        )
    expected = Importance.mean(parts)
    assert not 0.8 < refits.temperature < 1.2
    np.testing.assert_allclose(refits.importance().loss, expected.loss)
    np.testing.assert_allclose(refits.importance().error, 1.25 * expected.error)


def test_groups_are_what_sets_and_regions_count():
    X, y = wide(120, 4, 3)
    refits = Refits.of(Study("lda", X, y, groups=np.arange(120) // 2 % 10 * 2 + y))
    assert refits.conformal.n_units.tolist() == [10, 10]
    most = refits.regions((0.8, 0.95)).log_levels
    assert np.isfinite(most[:, 0]).all()
    assert np.isnan(most[:, 1]).all()  # 95 % needs 19


@pytest.mark.slow
def test_unseen_places_of_noise_overlap_where_fitted_ones_do_not():
    apart = []
    for seed in range(10):
        X, y = pure_noise(60, 40, 2, random_state=seed)
        refits = Refits.of(Study("lda", X, y))
        places = np.stack([refits.fitted, refits.places])
        apart.append(
            np.linalg.norm(places[:, y == 1].mean(axis=1) - places[:, y == 0].mean(axis=1), axis=1)
        )
    fitted, unseen = np.mean(apart, axis=0)
    assert fitted > 1.0
    assert unseen < 0.5  # of 30 rows a class that are alike, about .33


def test_the_plane_of_all_rows_is_that_of_the_method():
    X, y = WINE
    whole = Refits.of(Study("lda", X, y), 2).whole.components
    alone = DiscriminantPlane().fit(StandardScaler().fit_transform(X), y).components_
    assert principal_angles(whole, alone).max() < 1e-7
