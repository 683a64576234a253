"""The tables below the panels follow the runs of the page."""

from __future__ import annotations

import re
from html import unescape

import pytest

from melm_studio.analyses.check import CHECK
from melm_studio.layout import ids
from tools.driver.visitor import components

MOVED = f"{ids.MOVERS}.children"


@pytest.fixture
def pair(studio, visitor):
    """A visitor in Compare with finished PCA and LDA runs on wine."""
    visitor.choose_sample("wine")
    runs = [visitor.start(method=method) for method in ("pca", "lda")]
    studio.work()
    visitor.values[f"{ids.MODE}.value"] = "compare"
    return visitor, *runs


PAGES = {"table": "scores", "agreement": "agreement.html"}


def page_of(visitor, table: str, *runs: str, **order: str) -> str:
    """The HTML of a table of Compare."""
    answer = visitor.http.get(f"/compare/{PAGES[table]}", query_string={"run": runs, **order})
    assert answer.status_code == 200
    return answer.json["table"] if table == "table" else answer.text


def cells(table: str) -> list[list[str]]:
    """The texts of a table's body, row by row."""
    body = table.partition("<tbody>")[2]
    rows = (re.findall("<t[hd].*?</t[hd]>", row) for row in body.split("</tr>")[:-1])
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in row] for row in rows]


def texts(tree) -> list[list[str]]:
    """The texts of a table that Dash renders, row by row."""
    (body,) = (part for part in components(tree) if part["type"] == "Tbody")
    return [
        [str(cell["props"]["children"]) for cell in row["props"]["children"]]
        for row in body["props"]["children"]
    ]


def test_the_table_has_a_row_for_every_run(studio, pair):
    visitor, pca, lda = pair
    rows = cells(page_of(visitor, "table", pca, lda))
    assert [row[0].split(",")[0] for row in rows] == ["PCA", "LDA"]
    event = studio.store.last_event(pca)
    assert rows[0][1] == f"{event.objective:#.3g}"


def test_the_table_is_ordered_by_a_column_and_says_so(pair):
    visitor, *runs = pair
    for direction, expected, word in [
        ({"descending": ""}, ["LDA", "PCA"], "descending"),
        ({}, ["PCA", "LDA"], "ascending"),
    ]:
        table = page_of(visitor, "table", *runs, sort="divergence-training", **direction)
        assert [row[0].split(",")[0] for row in cells(table)] == expected
        orders = re.findall('aria-sort="([a-z]+)"', table)
        assert [order for order in orders if order != "none"] == [word]


def test_the_table_tells_what_checks_have_found(studio, pair, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 9)
    visitor, *runs = pair
    for run in runs:
        visitor.http.post(f"/runs/{run}/analyses/check", json={})
    checks = [run for run in studio.store.runs_of(visitor.owner) if run.kind == "check"]
    assert [run.of_run for run in checks] == runs
    assert cells(page_of(visitor, "table", *runs))[0][-3] == "0 %"
    studio.work()
    report = CHECK.stored(studio.store, checks[0].run_id)
    row = cells(page_of(visitor, "table", *runs))[0]
    train, held_out, _ = report.scores["KDE"]
    assert row[3:5] == [f"{train:.2f}", f"{held_out:.2f}"]
    assert row[-3] == f"{report.p_value:.3f}"


def test_the_angles_between_the_planes_are_shown(pair):
    visitor, *runs = pair
    rows = cells(page_of(visitor, "agreement", *runs))
    assert rows[0][2] == rows[1][1]
    assert rows[0][2].endswith("°")
    assert rows[0][1] == rows[1][2] == ""


@pytest.mark.parametrize("table", ["table", "agreement"])
def test_the_runs_of_others_are_in_no_table(studio, pair, table):
    _, *runs = pair
    answer = studio.visitor().http.get(f"/compare/{PAGES[table]}", query_string={"run": runs})
    assert answer.status_code == 404


def file_beside(table: str) -> str:
    """The address of the file that a table is saved as."""
    return unescape(re.search('href="([^"]*)"', table)[1])


@pytest.mark.parametrize("table", ["table", "agreement"])
def test_a_table_is_saved_with_all_its_runs(pair, table):
    visitor, *runs = pair
    file = file_beside(page_of(visitor, table, *runs))
    assert re.findall("run=([^&]+)", file) == runs
    assert visitor.http.get(f"/{file}").text.count("\n") == 3


def test_angles_of_one_run_are_no_file(pair):
    visitor, run, _ = pair
    assert "href" not in page_of(visitor, "agreement", run)
    assert "href" in page_of(visitor, "table", run)


def test_a_title_is_text_and_no_markup(pair):
    visitor, *runs = pair
    visitor.http.post(f"/runs/{runs[0]}/rename", data="<b>mine</b>")
    table = page_of(visitor, "table", *runs)
    assert cells(table)[0][0] == "<b>mine</b>"
    assert "<b>" not in table


def test_the_rows_that_move_most_are_listed(pair):
    visitor, pca, lda = pair
    visitor.values[f"{ids.COMPARE_TAB}.value"] = "movers"
    changes = visitor.fire(ids.MOVERS_FROM, "value", None)
    assert changes[f"{ids.MOVERS_FROM}.value"] == pca
    assert changes[f"{ids.MOVERS_TO}.value"] == lda
    labels = [option["label"] for option in changes[f"{ids.MOVERS_FROM}.data"]]
    assert [label.split(",")[0] for label in labels] == ["PCA", "LDA"]
    distances = [float(row[2]) for row in texts(changes[MOVED])]
    assert distances == sorted(distances, reverse=True)
    assert len(distances) == 10
    (link,) = (part["props"] for part in components(changes[MOVED]) if part["type"] == "A")
    assert link["href"] == f"compare/movers.csv?run={pca}&run={lda}"
    assert visitor.http.get(f"/{link['href']}").status_code == 200
    same = visitor.fire(ids.MOVERS_TO, "value", pca)
    assert same[MOVED] == "The two runs are the same, so no row moves. Choose two different runs."


def test_between_fewer_than_two_runs_nothing_moves(studio, visitor):
    visitor.choose_sample("wine")
    visitor.start(method="pca")
    visitor.values[f"{ids.COMPARE_TAB}.value"] = "movers"
    assert (
        "Rows can be compared between two runs"
        in visitor.fire(ids.MOVERS_FROM, "value", None)[MOVED]
    )
