"""The tables of Compare as CSV."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from melm_studio.analyses.ranking import RankedMethod, RankingReport
from melm_studio.layout import ids


@pytest.fixture
def pair(studio, visitor):
    """Finished PCA and LDA runs on wine."""
    visitor.choose_sample("wine")
    runs = [visitor.start(method=method) for method in ("pca", "lda")]
    studio.work()
    return runs


@pytest.fixture
def read(visitor, decoded):
    def read(path, *runs):
        answer = visitor.http.get(path, query_string={"run": runs})
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"].startswith("attachment")
        return pd.read_csv(io.StringIO(decoded(answer)))

    return read


def test_the_scores_are_those_of_the_runs_unrounded(studio, pair, read):
    table = read("/compare/table.csv", *pair)
    assert [name.split(",")[0] for name in table["run"]] == ["PCA", "LDA"]
    found = [studio.store.last_event(run).objective for run in pair]
    assert table["divergence_training"].tolist() == pytest.approx(found, rel=1e-12)
    assert table["p"].isna().all()
    assert not table["checked"].any()


def test_the_movers_are_the_farthest_first(pair, read):
    table = read("/compare/movers.csv", *pair)
    assert list(table.columns) == ["row", "class", "distance"]
    assert table["distance"].is_monotonic_decreasing


@pytest.mark.slow
def test_the_confusion_of_a_check_has_a_row_for_every_class(
    studio, visitor, pair, read, monkeypatch
):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 3)
    visitor.http.post(f"/runs/{pair[1]}/analyses/check")
    (check,) = (r for r in studio.store.runs_of(visitor.owner) if r.kind == "check")
    assert visitor.http.get(f"/runs/{check.run_id}/overlap.csv").status_code == 404
    studio.work()
    table = read(f"/runs/{check.run_id}/overlap.csv")
    names = list(studio.data_of(visitor).class_names)
    assert table["class"].tolist() == names
    assert list(table.columns) == ["class", *names]


def test_the_ranking_is_a_file_once_a_method_is_scored(studio, visitor, read):
    visitor.choose_sample("wine")
    data = visitor.values[f"{ids.DATA}.data"]
    visitor.http.post(f"/rankings/{data['id']}", json=data)
    (ranking,) = (r for r in studio.store.runs_of(visitor.owner) if r.kind == "ranking")
    assert visitor.http.get(f"/runs/{ranking.run_id}/ranking.csv").status_code == 404
    report = RankingReport((RankedMethod("pca", (0.5, 0.6)), RankedMethod("lda", (0.9, 1.0))))
    studio.store.put_report(ranking.run_id, report.to_bytes())
    table = read(f"/runs/{ranking.run_id}/ranking.csv")
    assert table["method"].tolist() == ["LDA", "PCA"]
    assert table["held_out"].tolist() == pytest.approx([0.95, 0.55])
    studio.store.delete(ranking.run_id)  # which later tests would work off


@pytest.mark.parametrize("path", ["table", "movers"])
def test_runs_of_others_are_unknown(studio, pair, path):
    other = studio.visitor()
    answer = other.http.get(f"/compare/{path}.csv", query_string={"run": pair})
    assert answer.status_code == 404


@pytest.mark.parametrize("path", ["table", "movers"])
def test_no_run_has_no_table(visitor, path):
    assert visitor.http.get(f"/compare/{path}.csv").status_code == 404
