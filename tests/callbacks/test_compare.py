"""The tables below the panels follow the runs of the page."""

from __future__ import annotations

import pytest

from melm_studio.analyses.check import CHECK
from melm_studio.layout import ids
from tools.driver.visitor import components

TABLE, ANGLES = f"{ids.COMPARED}.children", f"{ids.AGREEMENT}.children"
CLOCK, MOVED = f"{ids.COMPARE_CLOCK}.disabled", f"{ids.MOVERS}.children"
UNSORTED = {"column": None, "descending": False}


@pytest.fixture
def pair(studio, visitor):
    """A visitor in Compare with finished PCA and LDA runs on wine."""
    visitor.choose_sample("wine")
    runs = [visitor.start(method=method) for method in ("pca", "lda")]
    studio.work()
    visitor.values[f"{ids.MODE}.value"] = "compare"
    return visitor, *runs


def opened(visitor, tab, **order):
    visitor.values[f"{ids.COMPARE_TAB}.value"] = tab
    return visitor.fire(ids.SORT, "data", UNSORTED | order)


def cells(tree) -> list[list[str]]:
    """The texts of a table's body, row by row."""
    (body,) = (part for part in components(tree) if part["type"] == "Tbody")
    return [
        [str(cell["props"]["children"]) for cell in row["props"]["children"]]
        for row in body["props"]["children"]
    ]


def test_the_table_has_a_row_for_every_run(studio, pair):
    visitor, pca, _ = pair
    changes = opened(visitor, "table")
    rows = cells(changes[TABLE])
    assert [row[0].split(",")[0] for row in rows] == ["PCA", "LDA"]
    event = studio.store.last_event(pca)
    assert rows[0][1] == f"{event.objective:#.3g}"
    assert changes[CLOCK] is True


def test_the_table_is_ordered_by_a_column_and_says_so(pair):
    visitor, _, _ = pair
    for descending, expected, word in [
        (True, ["LDA", "PCA"], "descending"),
        (False, ["PCA", "LDA"], "ascending"),
    ]:
        tree = opened(visitor, "table", column="divergence-training", descending=descending)[TABLE]
        assert [row[0].split(",")[0] for row in cells(tree)] == expected
        sorted_by = [
            part["props"]["aria-sort"]
            for part in components(tree)
            if part["props"].get("aria-sort", "none") != "none"
        ]
        assert sorted_by == [word]


def test_the_clock_runs_while_a_run_does(studio, pair):
    visitor, _, _ = pair
    visitor.start(method="gem")
    assert opened(visitor, "table")[CLOCK] is False
    studio.work()
    assert opened(visitor, "table")[CLOCK] is True


def test_all_are_checked_at_once_and_what_they_tell_comes_in(studio, pair, monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 9)
    visitor, *runs = pair
    assert visitor.fire(ids.CHECK_ALL, "n_clicks", 1)[CLOCK] is False
    checks = [run for run in studio.store.runs_of(visitor.owner) if run.kind == "check"]
    assert [run.of_run for run in checks] == runs
    changes = opened(visitor, "table")
    assert cells(changes[TABLE])[0][-3] == "0 %"
    assert changes[CLOCK] is False
    studio.work()
    changes = opened(visitor, "table")
    report = CHECK.stored(studio.store, checks[0].run_id)
    row = cells(changes[TABLE])[0]
    train, held_out, _ = report.scores["KDE"]
    assert row[3:5] == [f"{train:.2f}", f"{held_out:.2f}"]
    assert row[-3] == f"{report.p_value:.3f}"
    assert changes[CLOCK] is True
    visitor.fire(ids.CHECK_ALL, "n_clicks", 1)
    assert len(studio.store.runs_of(visitor.owner)) == 4


def test_the_angles_between_the_planes_are_shown(pair):
    visitor, _, _ = pair
    rows = cells(opened(visitor, "agreement")[ANGLES])
    assert rows[0][2] == rows[1][1]
    assert rows[0][2].endswith("°")
    assert rows[0][1] == rows[1][2] == ""


@pytest.mark.parametrize(("mode", "tab"), [("explore", "table"), ("compare", None)])
def test_nothing_is_computed_that_nobody_sees(pair, mode, tab):
    visitor, _, _ = pair
    visitor.values[f"{ids.MODE}.value"] = mode
    assert opened(visitor, tab) == {CLOCK: True}


def test_the_rows_that_move_most_are_listed(pair):
    visitor, pca, lda = pair
    visitor.values[f"{ids.COMPARE_TAB}.value"] = "movers"
    changes = visitor.fire(ids.MOVERS_FROM, "value", None)
    assert changes[f"{ids.MOVERS_FROM}.value"] == pca
    assert changes[f"{ids.MOVERS_TO}.value"] == lda
    labels = [option["label"] for option in changes[f"{ids.MOVERS_FROM}.data"]]
    assert [label.split(",")[0] for label in labels] == ["PCA", "LDA"]
    distances = [float(row[2]) for row in cells(changes[MOVED])]
    assert distances == sorted(distances, reverse=True)
    assert len(distances) == 10
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
