"""The rows of a fit and of its refits name batches only for a run that is to be blind to them."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from msgspec import structs

from melm_core import SavedPlane
from melm_core.base import UserError
from melm_core.evaluation import AutoCurves
from melm_core.recipe import CurvedFeatures, MissingValues, Recipe, Step, StepKind
from melm_studio.planes.figure import plane_frame
from melm_studio.planes.plane_edits import LoadingEdit
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import MorphTarget, Shown, ViewOptions
from melm_studio.publication.program import program_of
from melm_studio.rows.details import row_details
from melm_studio.rows.new_rows import match_rows
from melm_studio.rows.placement import RowPlacer, saved_plane
from melm_studio.runs.execution.refusals import applicable, check_data
from melm_studio.runs.execution.rows import (
    judged_rows,
    nuisance_of,
    prepared_for,
    resampled_rows,
    split_of,
)
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.tables import LabeledData, Role, RowColumn, Table, prepare
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import blobs, queue_run, run_of

PLAIN = blobs(n_rows=60)
PLATES = np.arange(60.0) // 2 % 2
DATA = replace(PLAIN, row_columns=(RowColumn("plate", Role.BATCH, PLATES),))
BLIND = run_of(nuisance_weight=2.0)


@pytest.mark.parametrize("rows_of", [judged_rows, resampled_rows])
def test_refits_of_a_blind_run_are_blind(rows_of):
    np.testing.assert_array_equal(rows_of(DATA, record=BLIND)["nuisance"], DATA.batches)
    assert "nuisance" not in rows_of(DATA, record=run_of())
    assert "nuisance" not in rows_of(DATA)


def test_some_rows_have_their_own_batches():
    found = judged_rows(DATA, np.array([0, 2, 4]), BLIND)["nuisance"]
    np.testing.assert_array_equal(found, [0, 1, 0])


def test_without_batches_or_weight_there_is_no_nuisance():
    assert nuisance_of(PLAIN, BLIND) == {}
    assert nuisance_of(DATA, run_of(nuisance_weight=0.0)) == {}
    assert nuisance_of(DATA, run_of()) == {}


def test_rows_without_a_batch_are_one_more_batch():
    plates = np.where(np.arange(60) < 3, np.nan, PLATES)
    data = replace(PLAIN, row_columns=(RowColumn("plate", Role.BATCH, plates),))
    assert sorted(set(data.batches.tolist())) == [0, 1, 2]


def test_a_form_leaves_out_a_weight_that_it_hides():
    given = BLIND.parameters
    assert applicable(given, DATA) == given
    assert applicable(given, PLAIN) == run_of().parameters
    assert run_of(nuisance_weight=0).parameters == run_of().parameters


def test_a_weight_without_batches_is_refused_before_the_run():
    with pytest.raises(UserError, match="no column of the table has the role Batch"):
        check_data("melm", PLAIN, BLIND.parameters)


@pytest.mark.parametrize(
    ("plates", "words"),
    [
        (PLAIN.y.astype(float), "nothing can tell the classes from the batch"),
        (np.zeros(60), "All rows have the same batch"),
        (np.arange(60.0), "No class has 4 rows or more of one batch and as many of another"),
    ],
)
def test_batches_that_no_plane_can_be_blind_to_are_refused_with_the_reason(plates, words):
    data = replace(PLAIN, row_columns=(RowColumn("plate", Role.BATCH, plates),))
    with pytest.raises(UserError, match=words):
        check_data("melm", data, BLIND.parameters)


def gappy(**recipe) -> LabeledData:
    """Two classes of four rows; the number of the last row is missing in column a."""
    a = [1.0, 2.0, 3.0, 1.0, 3.0, 9.0, 9.0, np.nan]
    b = [3.0, 1.0, 2.0, 2.0, 1.0, 2.0, 1.5, np.nan]
    return prepared(pd.DataFrame({"a": a, "b": b}), **recipe)


def prepared(frame: pd.DataFrame, **recipe) -> LabeledData:
    table = Table("t", frame.assign(label=list("xyxyxyxy")), ())
    return prepare(table, "label", recipe=Recipe(**recipe))


FIRST_FIVE = np.arange(8) < 5


def test_a_run_that_holds_out_no_rows_has_the_data_as_they_are_stored():
    assert prepared_for(PLAIN, run_of(held_out=0.0)) is PLAIN


def test_the_rows_held_out_do_not_change_the_features_of_the_others():
    data, record = gappy(), run_of(held_out=0.25)
    _, held_out = split_of(prepared_for(data, record), record)
    others = data.unprepared.copy()
    others[np.isin(data.row_numbers, held_out.row_numbers)] *= 100.0
    changed = prepared(pd.DataFrame(others, columns=["a", "b"]))
    train, _ = split_of(prepared_for(data, record), record)
    again, _ = split_of(prepared_for(changed, record), record)
    np.testing.assert_allclose(train.X, again.X, atol=1e-12)


def test_new_rows_get_the_median_of_the_training_rows():
    found = gappy().prepared_by(FIRST_FIVE)
    assert [one.fill for one in found.encodings] == [2.0, 2.0]
    filled = found.X * found.scale + found.center
    np.testing.assert_allclose(filled[-1], [2.0, 2.0])
    np.testing.assert_allclose(found.fitted_preparation.apply(found.unprepared), found.X)


def test_a_feature_that_marks_missing_numbers_stays_where_training_rows_have_them_all():
    data = gappy(missing=MissingValues(indicator=True))
    found = data.prepared_by(FIRST_FIVE)
    assert found.feature_names == data.feature_names
    assert found.X.shape == data.X.shape
    assert np.isfinite(found.X).all()


def test_a_row_that_training_rows_cannot_prepare_is_named():
    data = gappy(steps=(Step(StepKind.SNV),))
    with pytest.raises(UserError, match="row 8, which is held out"):
        data.prepared_by(FIRST_FIVE)


def ring(n_rows=240):
    """Rows whose class is their distance from zero in the first of three features."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((n_rows, 3)), columns=["dose", "age", "weight"])
    frame["sex"] = np.arange(n_rows) % 2.0
    frame["label"] = np.where(np.abs(frame["dose"]) > 0.7, "out", "in")
    return frame


@pytest.fixture(scope="module")
def data():
    return prepare(Table("ring", ring(), ()), label="label")


def finished(store, data, curves, method="rlda", **parameters):
    record = queue_run(store, data, method, curves=curves, held_out=0.25, **parameters)
    execute_queued(store)
    record = store.get(record.run_id)
    assert record.state == "done", record.message
    return record, store.last_event(record.run_id)


def test_straight_features_are_not_mentioned():
    assert "curves" not in checked_parameters("lda", {}).values
    assert checked_parameters("lda", {"curves": "curved"}).values["curves"] == "curved"


@pytest.mark.slow
def test_knots_are_those_of_the_training_rows(store, data):
    record, event = finished(store, data, "curved")
    train, held_out = split_of(prepared_for(data, record), record)
    straight = structs.replace(
        record, parameters=structs.replace(record.parameters, curves="straight")
    )
    plain, rest = split_of(prepared_for(data, straight), straight)
    own = CurvedFeatures().fit(plain.X)
    np.testing.assert_allclose(train.X[:, 4:], own.transform(plain.X)[:, 4:], atol=1e-9)
    np.testing.assert_allclose(held_out.X[:, 4:], own.transform(rest.X)[:, 4:], atol=1e-9)
    assert event.components.shape == (2, 4 + 3 * 4)


def test_a_curve_tells_held_out_rows_that_no_arrow_does(store, data):
    renderer = PlaneRenderer(store)
    straight, curved = (
        renderer.scores(Shown.of(*finished(store, data, curves))).accuracy_held_out
        for curves in ("straight", "curved")
    )
    assert straight < 0.65
    assert curved > 0.8


@pytest.mark.slow
def test_auto_says_what_it_has_chosen_and_why(store, data):
    record, event = finished(store, data, "auto")
    assert record.is_curved
    assert record.outcome.curves.gain > 0.2
    assert event.components.shape[1] == 16


@pytest.mark.slow
def test_auto_leaves_features_straight_that_tell_the_classes(store, data):
    noise = np.random.default_rng(1).permutation(len(data.y))
    shuffled = replace(data, y=data.y[noise])
    record, event = finished(store, shuffled, "auto")
    assert not record.is_curved
    assert event.components.shape[1] == 4


def test_labels_do_not_bend_the_features_of_a_method_that_ignores_them(store, data):
    record, _ = finished(store, data, "auto", method="pca")
    assert not record.is_curved


@pytest.mark.slow
def test_a_judge_of_auto_chooses_anew_in_each_fold(store, data):
    record, _ = finished(store, data, "auto")
    rows = judged_rows(prepared_for(data, record), record=record)
    assert isinstance(rows["preparation"], AutoCurves)
    assert rows["X"].shape[1] == 4


def test_refits_of_a_curved_run_bend_the_features_of_their_rows(store, data):
    record, _ = finished(store, data, "curved")
    own = prepared_for(data, record)
    for rows in (judged_rows(own, record=record), resampled_rows(own, record=record)):
        fitted = rows["preparation"].fit(rows["X"][:100])
        assert fitted.rules.curves[0].low == pytest.approx(rows["X"][:100, 0].min())


def test_arrows_lists_and_kept_features_are_of_features_not_of_columns(store, data):
    record, event = finished(store, data, "curved")
    renderer = PlaneRenderer(store)
    view = renderer.view(Shown.of(record, event))
    assert renderer.planes.viewer(record).feature_names == ("dose", "age", "weight", "sex")
    assert view.loadings.shape == (4, 2)
    assert view.arrows.names[0] == "dose"  # its curve is long, its arrow is short
    assert view.arrows.labels == ("low and high dose", *view.arrows.names[1:])
    options = ViewOptions(n_top_features=2)
    kept = renderer.planes.components(Shown.of(record, event, options))
    features = renderer.planes.kept_features(Shown.of(record, event, options))
    assert len(features) == 2
    assert features[0] == "dose"
    own = renderer.planes.data(record)
    is_kept = np.isin(own.own_feature_names, features)
    np.testing.assert_array_equal(kept.any(axis=0), is_kept[own.curve_groups])
    assert renderer.planes.importance(Shown.of(record, event)).is_seen[0]


def test_a_bent_arrow_goes_where_it_is_dragged(store, data):
    record, event = finished(store, data, "curved")
    renderer = PlaneRenderer(store)
    edited = renderer.view(
        Shown.of(record, event, ViewOptions(edits=(LoadingEdit(1, (2.0, 1.0)),)))
    )
    x, y = edited.loadings[1]
    assert y / x == pytest.approx(0.5, abs=1e-6)


def test_a_bent_feature_is_drawn_as_its_path_with_three_quartiles(store, data):
    record, event = finished(store, data, "curved")
    view = PlaneRenderer(store).view(Shown.of(record, event))
    (lines,) = (part for part in plane_frame(view, np.asarray)[-2:-1])
    n_arrows = len(view.arrows.tips)
    assert len(lines["x"]) == n_arrows * (3 + 17 + 1 + 3 * 3)
    drawn = [x for x in lines["x"][3:20] if x is not None]
    assert len(drawn) == 17  # of the first arrow, that of the dose, which bends
    assert view.lower[0] <= min(drawn) <= max(drawn) <= view.upper[0]


def test_arrows_bend_on_the_way_from_a_straight_plane_to_a_curved_one(store, data):
    straight, _ = finished(store, data, "straight")
    curved, event = finished(store, data, "curved")
    renderer = PlaneRenderer(store)

    def bends(share):
        morph = MorphTarget(run_id=straight.run_id, share=share)
        return renderer.planes.components(Shown.of(curved, event, ViewOptions(morph=morph)))[:, 4:]

    assert np.abs(bends(1.0)).max() < 1e-9
    assert 0 < np.linalg.norm(bends(0.5)) < np.linalg.norm(bends(0.0))


def test_contributions_are_of_features(store, data):
    record, event = finished(store, data, "curved")
    own = PlaneRenderer(store).planes.data(record)
    placer = RowPlacer(own, record, event.components, 1.0)
    assert placer.contributions(own.X[:5]).shape == (5, 4)
    placed = placer.place(own.X[:5], is_new=False)
    np.testing.assert_allclose(placer.contributions(own.X[:5]).sum(axis=1), placed.score_distances)
    names = {one.feature for one in row_details(own, placer, 0).contributions}
    assert names <= {"dose", "age", "weight", "sex"}


@pytest.mark.slow
def test_a_saved_plane_and_a_program_bend_as_the_run_does(store, data, tmp_path):
    record, event = finished(store, data, "curved")
    own = PlaneRenderer(store).planes.data(record)
    expected = own.X @ event.components.T
    plane = SavedPlane.from_json(saved_plane(own, record, event.components).to_json())
    np.testing.assert_allclose(plane.transform(ring().drop(columns="label")), expected, atol=1e-9)
    (tmp_path / "plane.py").write_text(program_of(record, event, own))
    ring().to_csv(tmp_path / "ring.csv", index=False)
    made = subprocess.run(
        [sys.executable, "plane.py", "ring.csv"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    points = pd.read_csv(io.StringIO(made.stdout)).iloc[:, 1:].to_numpy()
    np.testing.assert_allclose(points, expected, atol=1e-9)


def test_new_rows_beyond_the_range_are_marked_and_placed(store, data):
    record, _ = finished(store, data, "curved")
    own = PlaneRenderer(store).planes.data(record)
    far = ring().head(3).assign(dose=[0.0, 50.0, -50.0])
    matched = match_rows(own, Table("new", far, ()))
    assert any("2 rows beyond the range" in note and "dose" in note for note in matched.notes)
    assert np.isfinite(matched.X).all()


@pytest.mark.slow
def test_a_run_that_is_queued_again_keeps_its_choice(store, data):
    record, _ = finished(store, data, "auto")
    assert structs.replace(record, attempt=2).is_curved
