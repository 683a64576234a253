"""All methods on held-out rows of the same folds, as a run that can be stopped and continued."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace as replace_record

from melm_core import DiscriminantPlane
from melm_core.evaluation import Refits, Score, Study
from melm_core.methods import METHODS
from melm_studio.analyses import ranking
from melm_studio.analyses.analysis import DataShape, Subject, Work
from melm_studio.analyses.ranking import (
    RANKING,
    RankedMethod,
    RankingReport,
    Winner,
    ranked,
    refusals,
)
from melm_studio.runs.records.refits_report import RefitsReport
from melm_studio.runs.records.run import RunState, new_ranking
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.scores import is_level
from melm_studio.tables import Role, RowColumn
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import SOURCE, ManualClock, blobs, run_of

DATA = blobs(n_rows=60)
FEW = ("lda", "pca", "kfd")


@pytest.fixture(autouse=True)
def few_methods(monkeypatch):
    monkeypatch.setattr(ranking, "_installed", lambda: list(FEW))


def queued(store, data=DATA):
    store.put_file("ada", FileKind.DATA, data.content_hash, data.to_bytes())
    record = new_ranking("ada", data.content_hash, "blobs", SOURCE)
    store.create(record)
    return record


def worked(store, data=DATA):
    record = queued(store, data)
    execute_queued(store)
    return store.get(record.run_id), RANKING.stored(store, record.run_id)


@pytest.mark.slow
def test_every_method_is_scored_on_the_same_folds(store):
    record, report = worked(store)
    assert record.state is RunState.DONE
    assert [method.method for method in report.methods] == list(FEW)
    assert (report.n_methods, report.current) == (3, "")
    alone = Refits.of(Study("lda", DATA.X, DATA.y, groups=np.arange(60)))
    assert report.methods[0].score == alone.share
    assert report.methods[0].held_out == tuple(alone.fold_shares)
    assert {len(method.held_out) for method in report.methods} == {10}


@pytest.mark.slow
def test_with_batches_every_method_says_how_well_they_are_told_apart(store):
    plates = RowColumn("plate", Role.BATCH, (np.arange(len(DATA.y)) // 2 % 2).astype(float))
    _, report = worked(store, replace(DATA, row_columns=(plates,)))
    assert report.batch_chance == 0.5
    assert all(0.0 <= method.batch <= 1.0 for method in report.methods)
    _, without = worked(store)
    assert without.batch_chance is None
    assert [method.held_out for method in without.methods] == [
        method.held_out for method in report.methods
    ]


def test_a_method_that_does_not_fit_says_why(store):
    one_feature = replace(DATA, X=DATA.X[:, :1])
    _, report = worked(store, one_feature)
    assert "the data have 1 feature" in report.methods[0].refusal
    assert report.methods[0].held_out == ()


@pytest.mark.slow
def test_a_stopped_comparison_is_continued_where_it_was(store, monkeypatch):
    record = queued(store)
    put, reports = store.put_report, []

    def stop_soon(run_id, raw):
        put(run_id, raw)
        reports.append(raw)
        if len(reports) == 3:  # LDA, its scores, PCA
            store.cancel(run_id)

    monkeypatch.setattr(store, "put_report", stop_soon)
    execute_queued(store)
    assert store.get(record.run_id).state is RunState.CANCELLED
    first = RANKING.stored(store, record.run_id)
    assert [method.method for method in first.methods] == ["lda"]

    scored = []

    def noted(study, **options):
        scored.append(type(study.estimator))
        return Refits.of(study, **options)

    monkeypatch.setattr(store, "put_report", put)
    monkeypatch.setattr(ranking, "Refits", SimpleNamespace(of=noted))
    again, report = worked(store)
    assert again.state is RunState.DONE
    assert scored == [type(METHODS[key].estimator({"n_components": 2})) for key in ("pca", "kfd")]
    assert report.methods[0] == first.methods[0]


@pytest.mark.slow
def test_what_an_earlier_version_scored_in_other_folds_is_scored_again(store):
    record = queued(store)
    earlier = RankingReport(methods=(RankedMethod("lda", (0.1,) * 5),), n_classes=3)
    store.put_report(record.run_id, earlier.to_bytes())
    store.cancel(record.run_id)
    _, report = worked(store)
    assert len(report.methods[0].held_out) == 10


@pytest.mark.slow
def test_a_method_without_one_of_the_folds_is_not_compared(store, monkeypatch):
    fit, n_fits = DiscriminantPlane.fit, []

    def fails_once(self, X, y):
        n_fits.append(1)
        if len(n_fits) == 2:  # all rows, the first fold
            raise ValueError("no plane")
        return fit(self, X, y)

    monkeypatch.setattr(DiscriminantPlane, "fit", fails_once)
    _, report = worked(store)
    assert report.methods[0].refusal == "Fold 1 could not be fitted and is left out: no plane"
    assert report.winner is not None


def test_a_slow_method_is_left_behind(store, monkeypatch):
    clock = ManualClock()
    record = queued(store)

    def slow(study, *, callback):
        clock.sleep(1_000)
        callback(SimpleNamespace(is_complete=False))

    monkeypatch.setattr(ranking, "Refits", SimpleNamespace(of=slow))
    RANKING.compute(Work(store, record, DATA, clock))
    methods = RANKING.stored(store, record.run_id).methods
    assert {method.refusal for method in methods} == {"Took longer than 120 s."}


REPORT = RankingReport(
    methods=(
        RankedMethod("pca", (0.5, 0.6, 0.5, 0.6, 0.5), 0.7, 1.0),
        RankedMethod("lda", (0.9, 1.0, 0.9, 1.0, 0.9), 1.0, 1.0),
        RankedMethod("kfd", (1.0, 0.9, 0.9, 0.9, 0.9), 1.0, 1.0),
        RankedMethod("nca", refusal="Took longer than 120 s."),
    ),
    n_methods=5,
    n_classes=2,
    current="gem",
)


def test_the_best_is_first_and_ties_are_called_ties():
    rows = ranked(REPORT)
    assert [row.label for row in rows] == ["LDA", "Kernel Fisher", "PCA"]
    assert [row.is_tied for row in rows] == [True, True, False]


def test_methods_are_tied_where_compare_calls_runs_level():
    first, other = (0.9, 1.0, 0.9, 1.0, 0.9), (0.88, 0.94, 0.87, 0.91, 0.90)
    report = RankingReport((RankedMethod("lda", first), RankedMethod("pca", other)), 2, 2)
    runs = [
        RefitsReport(share=sum(shares) / 5, fold_shares=shares, folds=bytes(10))
        for shares in (first, other)
    ]
    ahead = runs[1].ahead_of(runs[0])
    assert is_level(ahead.balanced_accuracy, ahead.standard_error)
    assert ranked(report)[1].is_tied
    gap = np.subtract(first, other)  # folds that share rows are no independent ones
    assert gap.mean() > 2.0 * gap.std(ddof=1) / np.sqrt(5)


def test_the_sentence_names_the_first_chance_and_ties():
    assert RANKING.sentence(REPORT) == (
        "LDA tells most held-out rows apart in cross-validation: 94 ± 4 %, chosen among 3 methods "
        "and so too favorable; guessing gives 50 %. "
        "It is tied with 1 other method."
    )
    assert RANKING.sentence(RankingReport()) == ""


def test_methods_that_were_not_scored_say_why():
    assert refusals(REPORT) == ["NCA: Took longer than 120 s."]


@pytest.fixture
def guessing(monkeypatch):
    """Thirteen methods that guess."""
    stream = np.random.default_rng(0)
    keys = list(METHODS)[:13]
    monkeypatch.setattr(ranking, "METHODS", dict.fromkeys(keys, METHODS["pca"]))
    monkeypatch.setattr(ranking, "_installed", lambda: keys)

    def guessed(study, **_):
        y = study.rows.y
        right = stream.random(len(y)) < 0.5
        score = Score(np.mean([right[y == code].mean() for code in (0, 1)]), 0.05)
        return SimpleNamespace(
            fold_shares=np.full(2, score.balanced_accuracy),
            share=score,
            train_share=score,
            right=right,
            nuisance=(),
            folds=(None, None),
            n_folds=2,
        )

    monkeypatch.setattr(ranking, "Refits", SimpleNamespace(of=guessed))


@pytest.mark.slow
@pytest.mark.usefixtures("guessing")
def test_the_best_of_thirteen_that_guess_is_not_said_to_tell_anything(store):
    data = blobs(n_rows=100, n_classes=2)
    _, report = worked(store, data)
    winner, rows = report.winner, ranked(report)
    best = next(one for one in report.methods if one.method == winner.method)
    assert np.mean(best.held_out) == max(np.mean(one.held_out) for one in report.methods) > 0.58
    assert winner.share < 0.55
    assert winner.n_choices == rows[0].chosen_among == 13
    assert (rows[0].held_out, rows[0].standard_error) == (winner.share, winner.standard_error)
    sentence = RANKING.sentence(report)
    assert sentence.startswith("No method is clearly better than guessing, which gives 50 %.")
    assert f"{100 * winner.share:.0f} ± " in sentence
    assert "chosen among 13 methods." in sentence


def test_a_choice_that_cannot_be_repeated_is_called_too_favorable():
    assert "chosen among 3 methods and so too favorable" in RANKING.sentence(REPORT)


def test_a_project_keeps_no_winner_that_was_not_scored():
    shape = DataShape(n_rows=60, n_classes=2, n_features=5)
    good = replace_record(REPORT, winner=Winner("lda", 0.9, 0.02, n_choices=3))
    assert RANKING.read(RANKING.checked(good.to_bytes(), shape)) == good
    for bad in (Winner("nca", 0.9, 0.02, 3), Winner("lda", 1.2, 0.02, 3), Winner("lda", 0.9, 0, 9)):
        with pytest.raises(ValueError, match="belong"):
            RANKING.checked(replace_record(REPORT, winner=bad).to_bytes(), shape)


def test_the_first_says_why_its_share_may_be_below_that_of_the_next():
    winner = Winner("lda", 0.5, 0.02, n_choices=3)
    first, second, _ = tables_of(replace_record(REPORT, winner=winner))[0]["rows"]
    assert (first[-1], second[-1]) == ("first, less its luck", "tied")
    assert float(first[1].split()[0]) < float(second[1].split()[0])
    assert tables_of(REPORT)[0]["rows"][0][-1] == "first"


def tables_of(report):
    run = run_of()
    shown = RANKING.shown(report, Subject(run, run, feature_names=(), class_names=()), {})
    return [block for block in shown["content"] if block["kind"] == "table"]


def test_methods_of_the_papers_alone_are_folded_unless_they_are_level_with_the_first():
    folds = {"lda": (0.9, 0.8, 0.9), "cpca": (0.8, 0.9, 0.9), "2epca": (0.5, 0.5, 0.5)}
    report = RankingReport(tuple(RankedMethod(key, own, own[0]) for key, own in folds.items()))
    in_sight, folded = tables_of(report)
    assert [row[0] for row in in_sight["rows"]] == [METHODS[key].label for key in ("lda", "cpca")]
    assert [row[0] for row in folded["rows"]] == [METHODS["2epca"].label]
    assert (in_sight["folded"], folded["folded"]) == ("", "1 method from the papers")
