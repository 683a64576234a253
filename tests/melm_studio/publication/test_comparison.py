"""Runs beside each other: figures, agreement of planes, rows that moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from melm_core.linalg.planes import principal_angles
from melm_studio.analyses.check import CHECK, standing_checks
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown
from melm_studio.publication.comparison import (
    ComparedRun,
    agreement,
    beside_the_best,
    biggest_movers,
    compared,
    ordered,
)
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.refits_report import REFITS, RefitsReport, refits_id
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import blobs, run_of

UNITS = np.array([1.0, 50.0, 0.1, 3.0, 20.0])
RAW = replace(blobs(), X=blobs().X * UNITS + 7.0)
STANDARD = replace(RAW, X=(RAW.X - RAW.X.mean(0)) / RAW.X.std(0), scale=RAW.X.std(0))
SOURCE = DataSource(kind="sample", key="iris", label="species")


@pytest.fixture
def renderer(store):
    return PlaneRenderer(store)


@pytest.fixture
def start(store):
    """Queue a run on the table, standardized or not."""

    def start(method="pca", *, data=STANDARD, **parameters):
        store.put_file("ada", FileKind.DATA, data.content_hash, data.to_bytes())
        record = run_of("ada", data.content_hash, method, **{"held_out": 0.2} | parameters)
        source = structs.replace(SOURCE, standardize=data is STANDARD)
        store.create(structs.replace(record, source=source))
        return store.get(record.run_id)

    return start


@pytest.fixture
def finish(store, start):
    """Work a run to its end."""

    def finish(*args, **options):
        record = start(*args, **options)
        execute_queued(store)
        return store.get(record.run_id)

    return finish


def row_of(store, renderer, record):
    (row,) = compared(store, renderer, [record], standing_checks(store.runs_of("ada")))
    return row


def test_a_run_that_has_not_begun_has_no_figures_yet(store, renderer, start):
    row = row_of(store, renderer, start())
    assert {name for name, value in row.figures.items() if value is not None} == set()


def test_before_a_check_the_figures_are_those_of_the_panel(store, renderer, finish):
    record = finish("lda")
    event = store.last_event(record.run_id)
    shown = renderer.view(Shown.of(record, event)).scores
    row = row_of(store, renderer, record)
    assert row.figures["divergence-training"] == renderer.divergence(Shown.of(record, event))
    assert row.figures["divergence-held-out"] == shown.divergence_held_out
    assert row.figures["accuracy-training"] == shown.accuracy_train
    assert row.figures["accuracy-held-out"] == shown.accuracy_held_out
    assert row.figures["seconds"] == event.elapsed_s
    assert row.figures["p"] is None
    assert (row.is_checked, row.checked_share) == (False, None)


@pytest.mark.slow
def test_a_check_replaces_the_accuracies_of_the_split(store, renderer, finish, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 9)
    record = finish("lda")
    asked = new_analysis(record, "check")
    store.create(asked)
    waiting = row_of(store, renderer, record)
    assert waiting.checked_share == 0.0
    execute_queued(store)
    row, report = row_of(store, renderer, record), CHECK.stored(store, asked.run_id)
    train, held_out, _ = report.scores["KDE"]
    assert (row.figures["accuracy-training"], row.figures["accuracy-held-out"]) == (train, held_out)
    assert row.figures["p"] == report.p_value
    assert (row.is_checked, row.checked_share) == (True, None)


@pytest.mark.slow
def test_runs_are_compared_in_pairs_of_equal_folds(store, renderer, finish):
    """With a method that is as good, and one that a split judges, which has no folds."""
    records = [finish(method, held_out=0.0) for method in ("lda", "pca")]
    for record in records:
        store.create(new_analysis(record, REFITS))
    execute_queued(store)
    first, second = (renderer.planes.refits(record) for record in records)
    lda, pca, other = compared(store, renderer, [*records, finish("gem")], {})
    apart = np.array(first.fold_shares) - second.fold_shares
    assert apart.any()
    best, behind = (lda, pca) if first.share > second.share else (pca, lda)
    assert (best.figures["ahead"], best.figures["ahead-error"]) == (0.0, 0.0)
    assert behind.figures["ahead"] == -abs(first.share - second.share)
    n_folds = len(apart)
    corrected = np.var(apart, ddof=1) * (1 / n_folds + 1 / (n_folds - 1))
    assert behind.figures["ahead-error"] == pytest.approx(np.sqrt(corrected))
    assert other.figures.get("ahead") is None


def test_the_share_of_the_first_folds_is_known_before_the_others_are_done(store, renderer, finish):
    """As the strip above the picture says it, and as unfinished; nothing is said of the best."""
    lda, pca = (finish(method, held_out=0.0) for method in ("lda", "pca"))
    store.create(new_analysis(lda, REFITS))
    part = RefitsReport(n_done=2, n_folds=5, share=0.75, standard_error=0.05)
    store.put_report(refits_id(lda.run_id), part.to_bytes())
    shown, other = compared(store, renderer, [lda, pca], {})
    assert (shown.figures["accuracy-held-out"], shown.figures["accuracy-error"]) == (0.75, 0.05)
    assert not shown.is_checked
    assert shown.figures.get("ahead") is other.figures.get("ahead") is None


def test_no_run_is_best_whose_share_is_lower():
    """Though the mean of its folds is higher, which count equally whatever classes they hold."""
    lower = RefitsReport(share=0.47, fold_shares=(0.2, 0.8), folds=bytes(10))
    higher = RefitsReport(share=0.53, fold_shares=(0.5, 0.4), folds=bytes(10))
    rows = [ComparedRun(title, title, {}, True, None) for title in ("LDA", "PCA")]
    first, second = beside_the_best(rows, [lower, higher])
    assert (first.figures["ahead"], second.figures["ahead"]) == (pytest.approx(-0.06), 0.0)


def test_a_stopped_check_is_as_none(store, renderer, finish):
    record = finish()
    asked = new_analysis(record, "check")
    store.create(asked)
    store.cancel(asked.run_id)
    assert store.get(asked.run_id).state is RunState.CANCELLED
    assert row_of(store, renderer, record).checked_share is None


def test_the_features_used_are_those_of_the_same_projection_in_any_units(store, renderer, finish):
    used = [
        row_of(store, renderer, finish("lda", data=data)).figures["features"]
        for data in (STANDARD, RAW)
    ]
    assert used[0] == pytest.approx(used[1])
    assert 1 < used[0] < 5


def test_rows_are_ordered_by_a_figure_and_those_without_it_come_last():
    rows = [
        ComparedRun(name, name, {"p": p}, is_checked=False, checked_share=None)
        for name, p in [("a", 0.2), ("b", None), ("c", 0.1)]
    ]

    def names(column, *, descending):
        return "".join(row.title for row in ordered(rows, column, descending=descending))

    assert names("p", descending=False) == "cab"
    assert names("p", descending=True) == "acb"
    assert names("nothing of theirs", descending=False) == "abc"


def test_planes_agree_by_their_largest_principal_angle(store, renderer, finish):
    runs = [finish("pca"), finish("lda")]
    planes = [store.last_event(run.run_id).components for run in runs]
    found = agreement(store, renderer.planes, runs)
    expected = np.degrees(principal_angles(*planes).max())
    np.testing.assert_allclose(found.degrees, [[0, expected], [expected, 0]], atol=1e-6)
    assert found.notes == ()


def test_the_same_plane_found_in_other_units_agrees(store, renderer, finish):
    runs = [finish("lda"), finish("lda", data=RAW), finish("pca", data=RAW)]
    found = agreement(store, renderer.planes, runs)
    assert found.degrees[0][1] == pytest.approx(0, abs=1e-5)
    assert found.degrees[0][2] > 1
    assert "differently scaled" in found.notes[0]
    assert "not standardized" in found.titles[1]


def test_a_line_agrees_with_a_plane_that_holds_it(store, renderer, finish):
    runs = [finish("pca", n_components=1), finish("pca"), finish("pca", n_components=3)]
    np.testing.assert_allclose(agreement(store, renderer.planes, runs).degrees, 0, atol=1e-6)


def test_a_curved_picture_has_no_plane_and_the_note_says_so(store, renderer, finish):
    runs = [finish("pca"), finish("kpca")]
    found = agreement(store, renderer.planes, runs)
    assert found.degrees[0][1] is None
    assert found.degrees[1] == (None, None)
    assert "is a nonlinear projection, so it has no plane." in found.notes[0]


def test_nothing_moves_between_two_pictures_of_one_plane(store, renderer, finish):
    one, other = finish("lda"), finish("lda", data=RAW)
    movers = biggest_movers(store, renderer, one, other)
    assert [mover.distance for mover in movers] == pytest.approx([0] * 10, abs=1e-6)


def test_the_row_that_moves_most_is_named_first(store, renderer, finish):
    one, other = finish("pca"), finish("lda")
    first, *others = biggest_movers(store, renderer, one, other)
    assert len(others) == 9
    assert all(first.distance >= mover.distance > 0 for mover in others)
    assert first.class_name == RAW.class_names[RAW.y[first.row - 1]]
    shares = [
        renderer.planes.viewer(run).coordinates(store.last_event(run.run_id).components)
        for run in (one, other)
    ]
    centered = [share - share.mean(axis=0) for share in shares]
    left, _, right = np.linalg.svd(centered[1].T @ centered[0])
    moved = np.linalg.norm(shares[0] - shares[1] @ left @ right, axis=1)
    assert first.row == 1 + moved.argmax()
    assert first.distance == pytest.approx(moved.max())


def test_what_cannot_move_is_said(store, renderer, finish, start):
    one, line = finish("pca"), finish("pca", n_components=1)
    waiting = start("lda")
    for other, sentence in [
        (one, "Choose two different runs"),
        (line, "differ in their number of components"),
        (waiting, "LDA.* has no plane yet"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            biggest_movers(store, renderer, one, other)
