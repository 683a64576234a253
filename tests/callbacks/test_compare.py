"""What stands beside the panels follows the runs of the page."""

from __future__ import annotations

import re
from html import unescape

import pytest

from melm_studio.analyses.check import CHECK
from melm_studio.layout import ids


@pytest.fixture
def pair(studio, visitor):
    """A visitor in Compare with finished PCA and LDA runs on wine."""
    visitor.choose_sample("wine")
    runs = [visitor.start(method=method) for method in ("pca", "lda")]
    studio.work()
    visitor.values[f"{ids.MODE}.value"] = "compare"
    return visitor, *runs


def numbers_of(visitor, *runs: str, **order: str) -> str:
    """The HTML of the table of Compare."""
    answer = visitor.http.get("/compare/scores", query_string={"run": runs, **order})
    assert answer.status_code == 200
    return answer.json["table"]


def pair_of(visitor, *runs: str):
    """The answer about two runs."""
    return visitor.http.get("/compare/pair.html", query_string={"run": runs})


def cells(table: str) -> list[list[str]]:
    """The texts of each run, its name first."""
    runs = (re.findall("<t[hd].*?</t[hd]>", run) for run in re.split("<tbody.*?>", table)[1:])
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in run] for run in runs]


def test_the_table_has_a_row_for_every_run(studio, pair):
    visitor, pca, lda = pair
    rows = cells(numbers_of(visitor, pca, lda))
    assert [row[0].split(",")[0] for row in rows] == ["PCA", "LDA"]
    event = studio.store.last_event(pca)
    assert rows[0][1] == f"{event.objective:#.3g}"


def test_the_table_is_ordered_by_a_column_and_says_so(pair):
    visitor, *runs = pair
    for direction, expected, word in [
        ({"descending": ""}, ["LDA", "PCA"], "descending"),
        ({}, ["PCA", "LDA"], "ascending"),
    ]:
        table = numbers_of(visitor, *runs, sort="divergence-training", **direction)
        assert [row[0].split(",")[0] for row in cells(table)] == expected
        orders = re.findall('aria-sort="([a-z]+)"', table)
        assert [order for order in orders if order != "none"] == [word]


@pytest.mark.slow
def test_the_table_tells_what_checks_have_found(studio, pair, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 9)
    visitor, *runs = pair
    for run in runs:
        visitor.http.post(f"/runs/{run}/analyses/check", json={})
    checks = [run for run in studio.store.runs_of(visitor.owner) if run.kind == "check"]
    assert [run.of_run for run in checks] == runs
    assert cells(numbers_of(visitor, *runs))[0][-3] == "0 %"
    studio.work()
    report = CHECK.stored(studio.store, checks[0].run_id)
    row = cells(numbers_of(visitor, *runs))[0]
    train, held_out, _ = report.scores["KDE"]
    assert row[3:5] == [f"{train:.2f}", f"{held_out:.2f}"]
    assert row[-3] == f"{report.p_value:.3f}"


def test_two_runs_have_an_angle_and_rows_that_move_most(pair):
    visitor, *runs = pair
    answer = pair_of(visitor, *runs)
    assert answer.status_code == 200
    assert re.search(r"<h3>PCA and LDA</h3>", answer.text)
    assert re.search(r">\d+° apart\.<", answer.text)
    marked = re.findall(r'data-mark="(\d+)"', answer.text)
    movers = visitor.http.get(f"/{file_beside(answer.text)}").text.splitlines()
    assert marked == [line.split(",")[0] for line in movers[1:4]]
    for end, run in zip(("from", "to"), runs, strict=True):
        assert f'data-morph-{end}="{run}"' in answer.text


def test_what_cannot_be_compared_is_said_and_has_no_morph(studio, pair):
    visitor, pca, _ = pair
    line = visitor.start(method="lda", n_components=1)
    studio.work()
    text = pair_of(visitor, pca, line).text
    assert "differ in their number of components" in text
    assert "data-morph" not in text


@pytest.mark.parametrize("path", ["scores", "pair.html"])
def test_the_runs_of_others_are_in_no_table(studio, pair, path):
    _, *runs = pair
    answer = studio.visitor().http.get(f"/compare/{path}", query_string={"run": runs})
    assert answer.status_code == 404


def test_one_run_is_no_pair(pair):
    visitor, run, _ = pair
    assert pair_of(visitor, run).status_code == 404


def file_beside(table: str) -> str:
    """The address of the file that a table is saved as."""
    return unescape(re.search('href="([^"]*)"', table)[1])


def test_the_table_is_saved_with_all_its_runs(pair):
    visitor, *runs = pair
    file = file_beside(numbers_of(visitor, *runs))
    assert re.findall("run=([^&]+)", file) == runs
    assert visitor.http.get(f"/{file}").text.count("\n") == 3


def test_a_title_is_text_and_no_markup(pair):
    visitor, *runs = pair
    visitor.http.post(f"/runs/{runs[0]}/rename", data="<b>mine</b>")
    table = numbers_of(visitor, *runs)
    assert cells(table)[0][0] == "<b>mine</b>"
    assert "<b>" not in table
