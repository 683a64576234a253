"""The refits of a run: what its picture, its share and its features are read from."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from lab.driver.traces import enclosed
from melm_core import DiscriminantPlane
from melm_core.base import percent
from melm_core.evaluation import FittedProjection, Refits, Study, Unchanged
from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.planes.class_outlines import CONTOUR_SHARES
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.types import Places
from melm_studio.planes.view_options import Shown, ViewOptions
from melm_studio.runs.execution.rows import study_of
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.refits_report import (
    CLASSIFIER,
    FoldSoFar,
    RefitsReport,
    refits_id,
)
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.runs.store.attempts import reopen, requeue
from melm_studio.scores import blur_sentence, refits_sentence, refits_verdict
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import blobs, queue_run

DATA = blobs(n_rows=60)


@pytest.fixture
def store(disk_store):
    return disk_store


def refitted(store, method="lda", kind="refits", data=DATA, **parameters):
    """A run, and the report of its refits."""
    fit = queue_run(store, data, method, **parameters)
    store.create(new_analysis(fit, kind))
    execute_queued(store)
    return store.get(fit.run_id), RefitsReport.from_bytes(store.report(refits_id(fit.run_id)))


def noise(n_rows=40, n_features=120):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_rows, n_features))
    return replace(
        DATA,
        X=(X - X.mean(axis=0)) / X.std(axis=0),
        y=np.arange(n_rows) % 2,
        class_names=DATA.class_names[:2],
        feature_names=tuple(f"f{i}" for i in range(n_features)),
        center=np.zeros(n_features),
        scale=np.ones(n_features),
        row_numbers=np.arange(n_rows) + 2,
    )


def test_the_shares_are_those_of_refits_without_each_fold(store):
    fit, report = refitted(store)
    expected = Refits.of(study_of(DATA, fit), gamma=fit.density_gamma)
    assert report.is_complete
    assert report.scores[CLASSIFIER] == pytest.approx(
        (
            expected.train_share.balanced_accuracy,
            expected.share.balanced_accuracy,
            expected.share.standard_error,
        )
    )
    np.testing.assert_allclose(report.overlap, expected.overlap)
    np.testing.assert_array_equal(report.fold_of_rows, expected.fold_of_rows)


def test_every_row_lies_where_a_plane_that_never_saw_it_puts_it(store):
    fit, report = refitted(store)
    components = store.last_event(fit.run_id).components
    whole = FittedProjection.of_plane(components, Unchanged())
    expected = Refits.of(study_of(DATA, fit), whole=whole, gamma=fit.density_gamma)
    fitted = (DATA.X - DATA.X.mean(axis=0)) @ components.T
    rows = np.column_stack([expected.fitted, np.ones(len(fitted))])
    change = np.linalg.lstsq(rows, fitted, rcond=None)[0]
    places = np.column_stack([expected.places, np.ones(len(fitted))]) @ change
    np.testing.assert_allclose(report.unseen, places, atol=1e-5)


@pytest.mark.slow
def test_the_picture_at_rest_has_the_unseen_places_on_axes_that_hold_both(store):
    fit, report = refitted(store)
    renderer, event = PlaneRenderer(store), store.last_event(fit.run_id)
    unseen = renderer.view(Shown.of(fit, event))
    fitted = renderer.view(Shown.of(fit, event, ViewOptions(places=Places.FITTED)))
    assert unseen.moves > 0.0
    assert fitted.moves is None
    np.testing.assert_array_equal(unseen.lower, fitted.lower)
    np.testing.assert_array_equal(unseen.upper, fitted.upper)
    for of_class, as_fitted in zip(unseen.classes, fitted.classes, strict=True):
        np.testing.assert_allclose(of_class.fitted_region, as_fitted.regions[1])
        for rows in (of_class.train, as_fitted.train):
            assert (rows >= unseen.lower).all()
            assert (rows <= unseen.upper).all()
    axes, (rows, _) = renderer.planes.drawn_parts(Shown.of(fit, event, ViewOptions()))
    for code, of_class in enumerate(unseen.classes):
        drawn = rows.X[rows.y == code] @ axes.T
        np.testing.assert_allclose(drawn, of_class.train, atol=1e-9)
    assert unseen.scores.accuracy_held_out == report.share


@pytest.mark.slow
def test_the_shares_of_regions_are_those_of_unseen_places_in_what_is_drawn(store):
    fit = queue_run(store, DATA, "lda")
    execute_queued(store)
    renderer, event = PlaneRenderer(store), store.last_event(fit.run_id)
    before = renderer.regions(Shown.of(store.get(fit.run_id), event))
    assert {one.held_out for one in before} == {None}
    store.create(new_analysis(fit, "refits"))
    execute_queued(store)
    fit = store.get(fit.run_id)
    for found in renderer.regions(Shown.of(fit, event)):
        part = renderer.view(Shown.of(fit, event)).classes[found.code]
        lines = part.regions[CONTOUR_SHARES.index(found.share)]
        # A row that is left out of the density of its class may lie beyond what it draws.
        assert found.held_out <= enclosed(lines, part.train).mean()
        assert found.held_out == pytest.approx(found.share, abs=1.01 / len(part.train))


@pytest.mark.slow
def test_noise_that_a_plane_tells_apart_falls_into_a_heap(store):
    fit, report = refitted(store, data=noise())
    renderer, event = PlaneRenderer(store), store.last_event(fit.run_id)

    def apart(view):
        means = [part.train.mean(axis=0) for part in view.classes]
        spread = np.mean([part.train.std(axis=0) for part in view.classes])
        return np.linalg.norm(means[0] - means[1]) / spread

    fitted = renderer.view(Shown.of(fit, event, ViewOptions(places=Places.FITTED)))
    assert apart(fitted) > 3.0
    assert apart(renderer.view(Shown.of(fit, event))) < 1.0
    assert abs(report.share - 0.5) < 0.2
    assert not renderer.planes.importance(Shown.of(fit, event)).is_seen.any()


@pytest.mark.slow
def test_a_drawing_of_folds_that_disagree_is_said_to_be_blurred(store):
    # Corners of a tetrahedron, of the same variance in all directions: each fold draws two others.
    corners = 5.0 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    rng, y = np.random.default_rng(0), np.arange(60) % 4
    X = corners[y] + rng.normal(size=(60, 3))
    round_rows, _, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    table = replace(noise(60, 3), X=np.sqrt(60) * round_rows, y=y, class_names=tuple("abcd"))
    _, disagreeing = refitted(store, "pca", data=table)
    assert disagreeing.share - disagreeing.drawn_share > 2 * disagreeing.standard_error
    said = blur_sentence(disagreeing)
    assert said.endswith(f"{percent(disagreeing.drawn_share)} are told apart here")
    _, agreeing = refitted(store)
    assert blur_sentence(agreeing) == ""


@pytest.mark.parametrize("n_components", [1, pytest.param(2, marks=pytest.mark.slow), 3])
def test_views_of_any_number_of_components_have_unseen_places(store, n_components):
    fit, report = refitted(store, "pca", n_components=n_components)
    view = PlaneRenderer(store).view(Shown.of(fit, store.last_event(fit.run_id)))
    assert report.unseen.shape == (len(DATA.y), n_components)
    assert view.moves > 0.0
    assert all(np.isfinite(part.train).all() for part in view.classes)


@pytest.mark.slow
def test_a_nonlinear_method_has_places_and_a_map_that_is_made_anew_says_that_it_has_none(store):
    _, kernels = refitted(store, "kpca")
    assert kernels.unseen.shape == (len(DATA.y), 2)
    _, neighbors = refitted(store, "tsne")
    assert neighbors.unseen is None
    assert neighbors.drawn_share is None
    assert neighbors.no_places.startswith("t-SNE makes a new map of every fold")


@pytest.mark.slow
def test_a_view_from_before_the_refits_is_not_shown_after_them(store):
    fit = queue_run(store, DATA, "tsne")
    execute_queued(store)
    fit, renderer = store.get(fit.run_id), PlaneRenderer(store)
    event = store.last_event(fit.run_id)
    assert renderer.view(Shown.of(fit, event)).scores.accuracy_held_out is None
    store.create(new_analysis(fit, "refits"))
    execute_queued(store)
    assert (
        renderer.view(Shown.of(fit, event)).scores.accuracy_held_out
        == renderer.planes.refits(fit).share
    )


@pytest.mark.slow
def test_other_planes_of_the_run_are_drawn_as_fitted(store):
    fit, _ = refitted(store, "melm")
    renderer = PlaneRenderer(store)
    assert renderer.view(Shown.of(fit, store.event(fit.run_id, 0))).moves is None
    left_out = ViewOptions(n_top_features=2)
    assert renderer.view(Shown.of(fit, store.last_event(fit.run_id), left_out)).moves is None


@pytest.mark.slow
def test_the_divergence_of_held_out_rows_is_that_of_the_folds_along_the_search(store):
    fit, report = refitted(store, "melm")
    expected = Refits.of(study_of(DATA, fit), follow_search=True).search_curve
    np.testing.assert_allclose(report.curve.mean, expected.mean, rtol=1e-6)
    np.testing.assert_allclose([report.curve.lower, report.curve.upper], expected.band, rtol=1e-6)
    scores = PlaneRenderer(store).scores(Shown.of(fit, store.last_event(fit.run_id)))
    assert scores.divergence_held_out == report.curve.mean[-1]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lda", "kfd"])
def test_without_a_search_it_is_that_of_the_planes_of_the_folds(store, method):
    fit, report = refitted(store, method)
    expected = Refits.of(study_of(DATA, fit)).held_out_divergence(fit.gamma)
    assert report.divergence == pytest.approx(expected, rel=1e-6)
    scores = PlaneRenderer(store).scores(Shown.of(fit, store.last_event(fit.run_id)))
    assert scores.divergence_held_out == report.divergence


@pytest.mark.slow
def test_what_a_second_component_adds_is_said_by_the_folds(store):
    fit, _ = refitted(store)
    expected = Refits.of(study_of(DATA, fit), gamma=fit.density_gamma).second_component()
    event = store.last_event(fit.run_id)
    found = PlaneRenderer(store).second_component(Shown.of(fit, event))
    assert (found.gain, found.error) == pytest.approx((expected.gain, expected.error))
    assert not found.is_negligible  # three classes in two dimensions
    assert refitted(store, n_components=1)[1].second is None


def test_a_run_that_holds_rows_out_is_refused_and_drawn_as_it_is(store):
    fit = queue_run(store, DATA, "lda", held_out=0.25)
    execute_queued(store)
    assert REFITS_OF_RUN.refusal(store.get(fit.run_id), lambda: DATA).startswith("This run holds")
    assert PlaneRenderer(store).planes.refits(store.get(fit.run_id)) is None


@pytest.mark.slow
def test_a_check_without_refits_keeps_its_own_as_those_of_the_run(store, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 1)
    fit, report = refitted(store, kind="check")
    (check,) = [run for run in store.runs_of(fit.owner) if run.kind == "check"]
    assert report.unseen is not None
    assert CheckReport.from_bytes(store.report(check.run_id)).scores == report.scores
    assert store.get(refits_id(fit.run_id)).state is RunState.DONE


@pytest.mark.slow
def test_a_check_takes_the_refits_that_there_are(store, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 1)
    fit, report = refitted(store)
    store.create(new_analysis(fit, "check"))
    fits, fit_of = [], DiscriminantPlane.fit
    monkeypatch.setattr(
        DiscriminantPlane, "fit", lambda self, X, y: fits.append(len(y)) or fit_of(self, X, y)
    )
    execute_queued(store)
    (check,) = [run for run in store.runs_of(fit.owner) if run.kind == "check"]
    assert CheckReport.from_bytes(store.report(check.run_id)).scores == report.scores
    assert 54 not in fits  # nine of ten folds


@pytest.mark.slow
def test_a_fold_that_fails_is_named_and_its_rows_have_no_place(store, monkeypatch):
    fit_of, fits = DiscriminantPlane.fit, []

    def fails_once(self, X, y):
        fits.append(1)
        if len(fits) == 2:  # after the run, the first fold
            raise ValueError("no plane")
        return fit_of(self, X, y)

    monkeypatch.setattr(DiscriminantPlane, "fit", fails_once)
    fit, report = refitted(store)
    assert report.notes == ("Fold 1 could not be fitted and is left out: no plane",)
    missing = report.fold_of_rows < 0
    assert missing.sum() == 6
    np.testing.assert_array_equal(np.isnan(report.unseen).all(axis=1), missing)
    view = PlaneRenderer(store).view(Shown.of(fit, store.last_event(fit.run_id)))
    assert np.isfinite([view.lower, view.upper, [view.moves] * 2]).all()


class Killed(BaseException):
    """A worker dies."""


@pytest.mark.fault
@pytest.mark.parametrize("method", ["lda", pytest.param("melm", marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_lost", [False, True], ids=["stopped", "lost"])
def test_folds_that_are_done_are_not_fitted_again(store, monkeypatch, method, is_lost):
    _, at_once = refitted(store, method)
    fit = queue_run(store, DATA, method, owner="grace")
    execute_queued(store)
    refits, put_report = new_analysis(store.get(fit.run_id), "refits"), store.put_report
    store.create(refits)

    def put(run_id, raw):
        put_report(run_id, raw)
        if RefitsReport.from_bytes(raw).n_done == 2 and is_lost:
            raise Killed
        if RefitsReport.from_bytes(raw).n_done == 2:
            store.cancel(run_id)

    with monkeypatch.context() as until, pytest.raises(Killed) if is_lost else nullcontext():
        until.setattr(store, "put_report", put)
        execute_queued(store)
    report = RefitsReport.from_bytes(store.report(refits.run_id))
    assert (report.n_done, len(report.so_far)) == (2, 2)
    if is_lost:
        requeue(store, store.get(refits.run_id), n_losses=1)
    else:
        reopen(store, refits.run_id)
    fitted, fitted_to = [], Study.fitted_to
    monkeypatch.setattr(
        Study, "fitted_to", lambda self, rows: fitted.append(rows) or fitted_to(self, rows)
    )
    execute_queued(store)
    assert len(fitted) == 8  # of ten
    report = RefitsReport.from_bytes(store.report(refits.run_id))
    same = msgspec.structs.replace(at_once, fit_s=report.fit_s)
    assert report.is_complete
    assert report == same


@pytest.mark.slow
def test_folds_whose_planes_are_gone_are_fitted_again(store, monkeypatch):
    _, at_once = refitted(store)
    fit = queue_run(store, DATA, "lda", owner="grace")
    execute_queued(store)
    refits = new_analysis(store.get(fit.run_id), "refits")
    gone = RefitsReport(n_done=1, n_folds=10, so_far=(FoldSoFar(planes=(0,)),))
    store.create(refits)
    assert store.claim_looked_at() or store.claim()
    store.transition(refits.run_id, {RunState.QUEUED}, state=RunState.RUNNING)
    store.put_report(refits.run_id, gone.to_bytes())
    requeue(store, store.get(refits.run_id), n_losses=1)
    execute_queued(store)
    report = RefitsReport.from_bytes(store.report(refits.run_id))
    assert report == msgspec.structs.replace(at_once, fit_s=report.fit_s)


def test_while_folds_run_the_strip_says_how_many_there_are():
    report = RefitsReport(n_done=2, n_folds=10, share=0.96, overlap=((0.0, 0.04), (0.04, 0.0)))
    verdict = refits_verdict(report)
    assert verdict.strip.follow == "So far, 2 of 10 folds."
    assert verdict.answer is None
    assert refits_sentence(report).startswith("96 % of held-out rows")
    assert refits_verdict(RefitsReport()) is None


@pytest.mark.slow
def test_a_report_of_other_data_is_refused(store):
    _, report = refitted(store)
    shape = DataShape(n_rows=60, n_classes=3, n_features=len(DATA.feature_names))
    assert RefitsReport.from_bytes(REFITS_OF_RUN.checked(report.to_bytes(), shape)) == report
    for other in (
        msgspec.structs.replace(report, places=report.places[8:]),
        msgspec.structs.replace(report, folds=report.folds[2:]),
        msgspec.structs.replace(report, overlap=report.overlap[:2]),
        msgspec.structs.replace(report, n_done=99),
    ):
        with pytest.raises(ValueError, match=r"does not belong|reshape"):
            REFITS_OF_RUN.checked(other.to_bytes(), shape)
