"""Checks: whether the structure that a method found is real, as a separate run."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pandas as pd
import pytest

from melm_core import DiscriminantPlane
from melm_core.answers import LABELS_MAY_BE_USED
from melm_core.base import percent
from melm_core.evaluation import Refits, Score, Study, permutation_test
from melm_core.methods.wrappers.neighbor_embedding import TSNEProjection
from melm_core.recipe import MissingValues, Preparation, Recipe, Scaling, Step, StepKind
from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.check import (
    CHECK,
    CLASSIFIER,
    FIRST_ANSWER,
    LINEAR_RULE,
    check_tables,
    with_stability,
)
from melm_studio.runs.records.check_report import CheckReport, FeatureStability
from melm_studio.runs.records.run import FIT, RunState, new_analysis
from melm_studio.runs.store.protocol import RunEndedError
from melm_studio.scores import check_sentence
from melm_studio.tables import Question, Table, Use, prepare
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import SOURCE, blobs, queue_run

DATA = blobs(n_rows=60)


@pytest.fixture(autouse=True)
def few_shuffles(monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 19)
    monkeypatch.setattr("melm_studio.analyses.check._LEAST_WAIT_S", 0.0)
    # Nobody asks here which line of a plane is the best.
    monkeypatch.setattr("melm_core.diagnostics.component_gain._COARSE", 4)
    monkeypatch.setattr("melm_core.diagnostics.component_gain._HALVINGS", 0)


@pytest.fixture
def store(disk_store):
    """One back end: what a check finds does not depend on where it is stored."""
    return disk_store


def checked(store, data=DATA, method="lda", **parameters):
    """The record and report of a check, after it and its fit were executed."""
    fit = queue_run(store, data, method, **parameters)
    record = new_analysis(fit, "check")
    store.create(record)
    execute_queued(store)
    return store.get(record.run_id), CheckReport.from_bytes(store.report(record.run_id))


def study(X=DATA.X, **keywords) -> Study:
    """LDA on rows that are independent."""
    return Study("lda", X, DATA.y, groups=np.arange(len(DATA.y)), **keywords)


def test_a_check_ends_with_a_sentence_its_figures_and_a_p_value(store):
    record, report = checked(store)
    assert (record.state, record.message) == (RunState.DONE, "")
    assert report.fraction == 1.0
    assert check_sentence(report).startswith("Yes.")
    assert check_sentence(report).endswith(f"(p = {report.p_value:.3f}).")
    assert report.answer == "yes"
    train, held_out, error = report.scores[CLASSIFIER]
    assert f"{percent(held_out, error)} of held-out rows" in check_sentence(report)
    assert 0 <= held_out <= train + 0.1 <= 1.1
    assert error >= 0
    overlap = np.array(report.overlap)
    np.testing.assert_array_equal(overlap, overlap.T)
    assert overlap.shape == (3, 3)


def test_the_shares_are_those_of_the_refits_of_all_rows(store):
    _, report = checked(store)
    refits = Refits.of(study())
    train, held_out, error = report.scores[CLASSIFIER]
    assert Score(held_out, error) == refits.share
    assert train == refits.train_share.balanced_accuracy
    np.testing.assert_array_equal(report.overlap, refits.overlap)


@pytest.mark.slow
def test_a_linear_rule_stands_beside_the_class_densities(store):
    _, report = checked(store)
    refits = Refits.of(study())
    assert list(report.scores) == [CLASSIFIER, LINEAR_RULE]
    train, held_out, error = report.scores[LINEAR_RULE]
    assert Score(held_out, error) == refits.linear_share
    assert train == refits.linear_train_share.balanced_accuracy
    scores, _ = check_tables(report, DATA.class_names, is_final=True)
    assert [row[0] for row in scores.rows] == ["Class densities", "Linear rule"]


@pytest.mark.slow
def test_a_fold_that_cannot_be_fitted_is_named_and_the_others_are_kept(store, monkeypatch):
    fit, n_fits = DiscriminantPlane.fit, []

    def fails_once(self, X, y):
        n_fits.append(1)
        if len(n_fits) == 3:  # the run, the first fold
            raise ValueError("no plane")
        return fit(self, X, y)

    monkeypatch.setattr(DiscriminantPlane, "fit", fails_once)
    record, report = checked(store)
    assert record.state is RunState.DONE
    assert report.notes[0] == "Fold 2 could not be fitted and is left out: no plane"
    assert report.answer == "yes"


def test_a_class_of_few_rows_is_named_with_the_folds_that_it_allows(store):
    few = np.concatenate([np.flatnonzero(DATA.y == code)[:n] for code, n in enumerate((20, 20, 4))])
    _, report = checked(store, replace(DATA, X=DATA.X[few], y=DATA.y[few], row_numbers=few + 1))
    name = DATA.class_names[2]
    assert f"4 folds instead of 10, because class {name!r} has only 4 rows." in report.notes


@pytest.mark.slow
def test_the_p_value_is_that_of_the_core(store):
    _, report = checked(store, random_state=4)
    alone = permutation_test(study(random_state=4), statistic="held_out", n_permutations=19)
    assert report.p_value == alone.p_value


def test_rows_that_depend_on_each_other_stay_together(store):
    rows = np.repeat(np.arange(20), 3)
    X = np.random.default_rng(0).normal(size=(20, DATA.X.shape[1]))[rows]
    data = replace(DATA, X=X, y=rows % 3, groups=rows)
    _, report = checked(store, data)
    of_groups = Study("lda", X, data.y, groups=rows)
    alone = permutation_test(of_groups, statistic="held_out", n_permutations=19)
    assert report.p_value == alone.p_value
    assert report.notes[-1] == "Rows with equal values and label stayed together, as one."


@pytest.mark.slow
def test_gaps_are_filled_again_from_the_training_rows_of_each_fold(store):
    is_missing = np.random.default_rng(0).random(DATA.X.shape) < 0.3
    steps = ("9 missing values in 2 columns (a, b) were filled with the median.",)
    data = replace(DATA, is_missing=is_missing, steps=steps)
    _, report = checked(store, data)
    gappy = np.where(is_missing, np.nan, DATA.X * DATA.scale + DATA.center)
    alone = Refits.of(study(gappy, preparation=data.preparation))
    _, held_out, _ = report.scores[CLASSIFIER]
    assert held_out == alone.share.balanced_accuracy
    assert held_out != Refits.of(study()).share.balanced_accuracy
    assert not any("filled" in note for note in report.notes)


@pytest.mark.slow
def test_steps_of_a_recipe_are_repeated_in_each_fold(store):
    recipe = Recipe(steps=(Step(StepKind.ASINH),), scaling=Scaling.ROBUST)
    preparation = Preparation(recipe, DATA.feature_names, tuple(range(DATA.X.shape[1])))
    fitted = preparation.fit(DATA.X)
    data = replace(
        DATA,
        X=fitted.apply(DATA.X),
        center=fitted.center,
        scale=fitted.scale,
        rules=fitted.rules,
        raw=DATA.X,
    )
    _, report = checked(store, data)
    alone = Refits.of(study(preparation=preparation))
    _, held_out, _ = report.scores[CLASSIFIER]
    assert held_out == alone.share.balanced_accuracy


def test_noise_is_told_from_structure(store):
    stream = np.random.default_rng(0)
    noise = replace(DATA, X=stream.normal(size=(60, 30)))
    _, real = checked(store)
    _, false = checked(store, replace(noise, feature_names=tuple(f"x{i}" for i in range(30))))
    assert (real.answer, false.answer) == ("yes", "no")
    assert real.p_value <= 0.05 < false.p_value
    train, held_out, _ = false.scores["KDE"]
    assert train - held_out > 0.3


@pytest.mark.slow
def test_a_map_that_came_with_the_table_is_judged_too_and_never_called_real(store):
    names = ("UMAP_1", "UMAP_2", *DATA.feature_names[2:])
    _, plain = checked(store)
    _, report = checked(store, replace(DATA, feature_names=names))
    assert (plain.answer, report.answer) == ("yes", "unknown")
    of_map, of_run = report.notes[len(plain.notes) :]
    assert of_map.startswith("UMAP_1 and UMAP_2 look like a map that came with the table: ")
    assert "Yes." not in of_map
    assert of_map.endswith(LABELS_MAY_BE_USED)
    assert "Leave them out in Columns" in of_run


@pytest.mark.slow
def test_a_check_has_no_planes_and_says_what_it_is_about(store):
    record, _ = checked(store)
    assert record.kind == "check"
    assert store.n_events(record.run_id) == 0
    fit = store.get(record.of_run)
    assert (fit.kind, fit.method, fit.parameters) == (
        FIT,
        record.method,
        record.parameters,
    )


@pytest.mark.slow
def test_what_is_known_grows_while_it_is_worked(store, monkeypatch):
    known = reports_of(store, monkeypatch)
    checked(store)
    fractions = [report.fraction for report in known]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0 < fractions[-1] == 1
    with_p = [report for report in known if report.p_value is not None]
    assert with_p[0].n_permutations == 1
    assert all(report.scores for report in with_p)
    answered = [report.n_permutations for report in known if report.answer]
    assert answered[0] == FIRST_ANSWER


def test_a_running_check_says_yes_only_once_no_shuffle_can_take_it_back(store, monkeypatch):
    known = reports_of(store, monkeypatch)
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 59)
    monkeypatch.setattr("melm_studio.analyses.check._LEAST_WAIT_S", 0.0)
    _, report = checked(store)
    assert report.answer == "yes"
    running = {one.n_permutations: one for one in known if one.p_value is not None}
    assert running[19].p_value == pytest.approx(0.05)
    assert next(n for n, one in running.items() if one.answer == "yes") == 57


@pytest.mark.slow
def test_folds_at_chance_say_not_shown_before_any_shuffle(store, monkeypatch):
    known = reports_of(store, monkeypatch)
    noise = replace(DATA, X=np.random.default_rng(1).normal(size=DATA.X.shape))
    _, last = checked(store, noise)
    first = next(report for report in known if report.scores)
    assert (first.answer, first.p_value) == ("no", None)
    words = check_sentence(first)
    assert words.startswith("Not shown. ")
    assert f"at most {percent(first.bound)}" in words
    assert (last.answer, last.bound) == ("no", None)
    assert check_sentence(last).startswith("No. ")
    assert all(report.answer == "no" for report in known if report.scores)


@pytest.mark.slow
def test_an_early_not_shown_is_taken_back_only_by_a_settled_p_value(store, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.refits.bound_at_chance", lambda *_: 0.7)
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 59)
    known = [report for report in reports_of(store, monkeypatch, checked) if report.scores]
    unsettled = [report for report in known if 0 < report.n_permutations < 57]
    assert {(report.answer, report.bound) for report in unsettled} == {("no", 0.7)}
    assert {report.p_value for report in unsettled if report.n_permutations == 19} == {0.05}
    assert (known[-1].answer, known[-1].bound) == ("yes", None)


def test_a_yes_waits_for_the_questions_of_the_table(store):
    asked = Question("neighbors", "Do neighbors belong together? They are alike.", ())
    data = replace(DATA, questions=(asked,))
    _, report = checked(store, data)
    assert (report.answer, report.questions) == ("unknown", (asked,))
    words = check_sentence(report)
    assert words.startswith("Cannot be decided yet. ")
    assert "Do neighbors belong together? Answer what the table asks" in words
    assert CheckReport.from_bytes(report.to_bytes()) == report
    answered = replace(data, questions=(msgspec.structs.replace(asked, answer="independent"),))
    assert checked(store, answered)[1].answer == "yes"


@pytest.mark.slow
def test_a_no_waits_for_no_question(store):
    asked = Question("neighbors", "Do neighbors belong together? They are alike.", ())
    noise = replace(DATA, X=np.random.default_rng(1).normal(size=DATA.X.shape), questions=(asked,))
    _, report = checked(store, noise)
    assert (report.answer, report.questions) == ("no", ())


def reports_of(store, monkeypatch, act=None):
    """The reports that are put into the store, from now on or by an act."""
    known = []
    put = store.put_report

    def remember(run_id, raw):
        known.append(CheckReport.from_bytes(raw))
        put(run_id, raw)

    monkeypatch.setattr(store, "put_report", remember)
    if act is not None:
        act(store)
    return known


@pytest.mark.slow
def test_clear_noise_ends_the_shuffles_early(store, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 199)
    _, report = checked(store, replace(DATA, X=np.random.default_rng(0).normal(size=DATA.X.shape)))
    assert report.n_permutations < 150
    assert report.answer == "no"


@pytest.mark.slow
def test_the_stability_of_every_feature_is_reported(store):
    _, report = checked(store)
    found = report.stability
    assert len(found.frequencies) == len(found.lower) == len(found.upper) == 5
    assert sum(found.frequencies) == pytest.approx(found.n_top)
    assert all(low <= high for low, high in zip(found.lower, found.upper, strict=True))
    assert 0 < found.angle <= 90


@pytest.mark.slow
def test_resamples_without_the_gaps_of_a_column_keep_the_feature_that_marks_them(store):
    cells = pd.DataFrame(DATA.X, columns=list("abcde")).assign(
        label=[f"c{code}" for code in DATA.y]
    )
    cells.loc[0, "c"] = np.nan  # about a third of the resamples do not draw this row
    recipe = Recipe(missing=MissingValues(indicator=True))
    data = prepare(Table("with a gap", cells, ()), "label", recipe=recipe)
    _, report = checked(store, data)
    assert len(report.stability.frequencies) == 6


@pytest.mark.slow
def test_a_nonlinear_method_has_no_stability(store):
    _, report = checked(store, method="kfd")
    assert report.stability is None


# Eleven maps of all rows.
@pytest.mark.slow
def test_rows_are_embedded_once_for_all_permutations(store, monkeypatch):
    record, n_fits = queue_run(store, DATA, "tsne"), []
    fit = TSNEProjection.fit
    monkeypatch.setattr(TSNEProjection, "fit", lambda *rows: n_fits.append(1) or fit(*rows))
    check = new_analysis(record, "check")
    store.create(check)
    execute_queued(store)
    report = CheckReport.from_bytes(store.report(check.run_id))
    assert (report.answer, report.n_permutations) == ("yes", 19)
    assert len(n_fits) == 1 + 1 + 10 + 1  # the run, all rows and the folds, the permutations
    assert any("embeds the rows once" in note for note in report.notes)


@pytest.mark.slow
def test_what_the_folds_do_not_repeat_is_said(store):
    fit = queue_run(store, DATA, "lda")
    record = msgspec.structs.replace(
        new_analysis(fit, "check"),
        source=msgspec.structs.replace(SOURCE, roles={"x": Use.IGNORED}),
    )
    store.create(record)
    execute_queued(store)
    notes = " ".join(CheckReport.from_bytes(store.report(record.run_id)).notes)
    assert "Columns were left out by hand." in notes


@pytest.mark.parametrize("n_reports", [2, 8])
def test_a_check_can_be_stopped_and_keeps_what_it_knows(store, monkeypatch, n_reports):
    fit = queue_run(store, DATA, "lda")
    record = new_analysis(fit, "check")
    store.create(record)
    n_told, put = [], store.put_report

    def stop_soon(run_id, raw):
        put(run_id, raw)
        n_told.append(run_id)
        if len(n_told) == n_reports:
            store.cancel(run_id)

    monkeypatch.setattr(store, "put_report", stop_soon)
    execute_queued(store)
    assert store.get(record.run_id).state is RunState.CANCELLED
    assert len(n_told) <= n_reports + 1
    assert CheckReport.from_bytes(store.report(record.run_id)).fraction < 1


@pytest.mark.slow
def test_a_refined_run_is_checked_by_the_whole_method(store):
    plane = np.eye(2, 5)[None].tolist()
    record, report = checked(store, method="melm", n_init=1, init=plane)
    assert record.state is RunState.DONE
    assert report.p_value is not None
    assert "judges the method from fresh starts" in report.notes[0]


@pytest.mark.slow
def test_a_curved_picture_can_be_checked_too(store):
    record, report = checked(store, method="kfd")
    assert record.state is RunState.DONE
    assert report.scores is not None


@pytest.mark.slow
def test_the_columns_of_a_curve_are_one_feature_to_resamples(store):
    record, report = checked(store, curves="curved")
    assert record.state is RunState.DONE
    found, n_features = report.stability, DATA.X.shape[1]
    assert len(found.frequencies) == len(found.lower) == len(found.upper) == n_features
    assert 0.0 < max(found.frequencies) <= 1.0
    assert CHECK.checked(report.to_bytes(), DataShape(len(DATA.y), 3, n_features))


def test_a_report_comes_back_from_its_bytes():
    report = CheckReport(
        problem="so",
        scores={"mean": (1.0, 0.5, 0.1)},
        overlap=((0.0, 0.2), (0.2, 0.0)),
        notes=("n",),
    )
    again = CheckReport.from_bytes(report.to_bytes())
    assert again.overlap == report.overlap
    assert again.notes == report.notes
    assert tuple(again.scores["mean"]) == (1.0, 0.5, 0.1)


@pytest.mark.slow
def test_an_ended_run_takes_no_report(open_store):
    store = open_store()
    record, _ = checked(store)
    with pytest.raises(RunEndedError):
        store.put_report(record.run_id, b"{}")


@pytest.mark.slow
def test_a_report_goes_with_its_run(open_store):
    store = open_store()
    record, _ = checked(store)
    store.delete(record.run_id)
    assert store.report(record.run_id) is None


LISTED = {"features": [{"feature": 2, "name": "c"}, {"feature": 0, "name": "a"}], "of": 3}
FOUND = FeatureStability(8.2, 20, 2, (0.4, 0.65, 0.95), (0.1, 0.2, 0.3), (0.5, 0.6, 0.44))


def test_each_listed_feature_has_its_own_share_and_interval():
    c, a = with_stability(LISTED, FOUND)["features"]
    assert (c["is_stable"], a["is_stable"]) == (True, False)
    assert c["stability"] == (
        "Among the 2 strongest in 95 % of 20 resamples; length of its loadings 0.30 to 0.44"
    )
    assert a["stability"].endswith("0.10 to 0.50")


def test_the_turn_of_the_plane_is_said_beside_the_list():
    said = with_stability(LISTED, FOUND)["stability"]
    assert said == "The plane turns by 8 degrees between resamples."


def test_before_a_check_the_list_is_as_it_was():
    assert with_stability(LISTED, None) == LISTED
