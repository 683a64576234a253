"""One set of refits gives the probabilities, the sets and the limits of the rows of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from melm_core import DiscriminantPlane
from melm_core.diagnostics import in_set
from melm_core.evaluation import Refits
from melm_studio.rows import held_out_probabilities
from melm_studio.rows.held_out_probabilities import HeldOutProbabilities, RefittedProbabilities
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_summaries import judged_out_of_fold
from melm_studio.runs.execution.rows import RunData, prepared_for, split_of, study_of
from tests.melm_studio.runs.helpers import blobs, run_of

RECORD = run_of(method="lda")
HELD_OUT = run_of(method="lda", held_out=0.25)


def made(record=RECORD, **changes: Any) -> tuple[RunData, np.ndarray, RefittedProbabilities]:
    """Data of a run, its plane, and what refits say."""
    data = prepared_for(replace(blobs(n_rows=90), **changes), record)
    train, _ = split_of(data, record)
    components = DiscriminantPlane().fit(train.X, train.y).components_
    found = RefittedProbabilities.of(data, record, components)
    assert found is not None
    return data, components, found


def placer_of(data, components, refits, record=RECORD, **options) -> RowPlacer:
    return RowPlacer(data, record, components, record.density_gamma, refits=refits, **options)


def test_probabilities_sets_and_limits_come_of_one_set_of_refits(monkeypatch):
    of, n_refits = Refits.of, []
    monkeypatch.setattr(Refits, "of", lambda *rows, **kw: n_refits.append(1) or of(*rows, **kw))
    data, components, known = made()
    placer, every = placer_of(data, components, known), np.arange(len(data.y))
    placed = judged_out_of_fold(
        placer.place(placer.rows(data, every), is_new=True), every, ~placer.is_held_out, known
    ).with_sets(known.p_values(every))
    assert len(n_refits) == 1
    alone = of(study_of(data, RECORD))
    np.testing.assert_allclose(placed.probabilities, alone.probabilities)
    np.testing.assert_array_equal(placed.sets, alone.sets(0.9))
    assert placed.n_calibrating == len(data.y)
    distances = alone.distances()
    assert placed.score_limit == pytest.approx(distances.score_limit(is_new=True))
    assert placed.residual_limit == pytest.approx(distances.residual_limit(is_new=True))


def test_new_rows_have_the_probabilities_of_the_refits():
    data, components, known = made()
    new = np.random.default_rng(0).standard_normal((20, data.X.shape[1]))
    placed = placer_of(data, components, known).place(new, is_new=True)
    np.testing.assert_allclose(placed.probabilities, known.refits.classify(new), atol=1e-9)
    np.testing.assert_array_equal(placed.predicted, placed.probabilities.argmax(axis=1))


def test_set_limits_are_those_of_the_densities_along_the_components():
    data, components, known = made()
    turned = np.array([[0.6, 0.8], [-0.8, 0.6]]) @ components
    limits, rule = known.set_limits(turned), known.rule_along(turned)
    points, off = data.X @ turned.T, data.X - data.X.mean(axis=0)
    residuals = np.square(off - off @ components.T @ components).sum(axis=1)
    sets = limits.sets(rule.log_densities(points), residuals)
    refits = known.refits
    own = refits.set_limits(0.9).sets(refits.rule.log_densities(refits.fitted), residuals)
    np.testing.assert_array_equal(sets, own)


@pytest.mark.parametrize("options", [{"refits": None}, {"is_result": False}])
def test_other_planes_name_classes_without_probabilities(options):
    data, components, known = made()
    placed = placer_of(data, components, **{"refits": known, **options}).place(data.X, is_new=True)
    assert (placed.probabilities, placed.n_calibrating) == (None, 0)
    assert np.mean(placed.predicted == data.y) > 0.8


def test_an_edited_plane_keeps_the_limits_of_the_refits():
    data, components, known = made()
    edited = placer_of(data, components, known, is_result=False)
    own, fixed = placer_of(data, components, known), placer_of(data, components, None)
    assert edited.limits.score_limit == own.limits.score_limit != fixed.limits.score_limit


def test_another_width_fits_nothing_anew(monkeypatch):
    _, _, known = made()
    monkeypatch.setattr(Refits, "of", None)
    wider = known.with_width(3.0)
    assert wider.refits.fits is known.refits.fits
    assert known.with_width(RECORD.density_gamma) is known
    assert not np.allclose(wider.of_rows(np.arange(9)), known.of_rows(np.arange(9)))


def test_held_out_rows_and_those_beside_a_sample_are_judged_by_the_folds(monkeypatch):
    monkeypatch.setattr(held_out_probabilities, "MOST_REFITTED_ROWS", 40)
    data, _, known = made(HELD_OUT)
    others = np.setdiff1d(np.arange(len(data.y)), known.refitted)
    assert len(known.refitted) < len(data.y) / 2 < len(others)
    shares, p_values = known.of_rows(others), known.p_values(others)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.mean(shares.argmax(axis=1) == data.y[others]) > 0.8
    holds = in_set(p_values, 0.9)[np.arange(len(others)), data.y[others]]
    assert holds.mean() > 0.8


def test_rows_of_a_group_in_part_are_judged_by_the_fold_without_it(monkeypatch):
    monkeypatch.setattr(held_out_probabilities, "MOST_REFITTED_ROWS", 40)
    groups = np.arange(90) // 3 % 4
    data, _, known = made(groups=groups)
    fold_of = dict(zip(groups[known.refitted], known.refits.fold_of_rows, strict=True))
    others = np.setdiff1d(np.arange(90), known.refitted)
    others = np.array([row for row in others if groups[row] in fold_of])[:5]
    assert len(others) == 5
    expected = [
        known.refits.without_fold(data.X[[row]], fold_of[groups[row]])[0][0] for row in others
    ]
    np.testing.assert_allclose(known.of_rows(others), expected)


def test_of_a_fold_that_failed_nothing_is_said(monkeypatch):
    fit, n_fits = DiscriminantPlane.fit, []

    def fails_once(self, X, y):
        n_fits.append(1)
        if len(n_fits) == 3:
            raise ValueError("no plane")
        return fit(self, X, y)

    monkeypatch.setattr(DiscriminantPlane, "fit", fails_once)
    data, _, known = made()
    missing = np.setdiff1d(np.arange(len(data.y)), known.refits.held_out)
    assert 0 < len(missing) < 15
    np.testing.assert_array_equal(known.of_rows(missing), 1.0 / 3.0)
    np.testing.assert_array_equal(known.p_values(missing), 1.0)
    kept = HeldOutProbabilities.of(known.refits)
    np.testing.assert_array_equal(kept.probabilities[missing], 1.0 / 3.0)
    again = HeldOutProbabilities.checked(kept.to_bytes(), (len(data.y), 3))
    np.testing.assert_allclose(again.probabilities, kept.probabilities, rtol=1e-6)
    assert again.temperature == known.refits.temperature


def test_too_few_rows_and_nonlinear_methods_have_no_refits():
    data = blobs(n_rows=90)
    few = replace(data, X=data.X[:4], y=np.array([0, 0, 1, 2]), row_numbers=np.arange(1, 5))
    assert RefittedProbabilities.of(RunData(few), RECORD, np.eye(2, data.X.shape[1])) is None
    nonlinear = run_of(method="kfd")
    assert RefittedProbabilities.of(RunData(data), nonlinear, np.eye(2, data.X.shape[1])) is None
