"""Rows that were left out or got another class stay so: in the run, its name, its link."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from melm_core.base import UserError
from melm_studio.planes.captions import title
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables.row_edits import MAX_EDITED_ROWS, Mark, rows_from_text, rows_text
from melm_studio.workspace.view_query import from_query, to_query
from melm_studio.workspace.view_spec import ViewSpec


@pytest.fixture(scope="module")
def finished(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    run = visitor.start(method="lda")
    studio.work()
    return SimpleNamespace(studio=studio, visitor=visitor, run=run)


def again(finished, command: str, **body):
    """The run that a command starts, and its data."""
    answer = finished.visitor.http.post(f"/runs/{finished.run}/{command}", json=body)
    assert answer.status_code == 201, answer.text
    newest = finished.studio.store.runs_of(finished.visitor.owner)[-1]
    finished.studio.work()
    record = finished.studio.store.get(newest.run_id)
    assert record.state == "done", record.message
    return answer.get_json()["choice"], record


def test_rows_left_out_are_missing_and_the_others_keep_their_numbers(finished) -> None:
    choice, record = again(finished, "leave-out", rows=[2, 5, 178])
    assert choice["left_out"] == [2, 5, 178]
    assert "3 rows left out" in title(record)
    answer = finished.visitor.http.get(f"/runs/{record.run_id}/figure").get_json()
    shown = sorted(row for rows in answer["rows"] for row in rows)
    assert shown == [row for row in range(1, 179) if row not in (2, 5, 178)]


def test_a_run_without_rows_says_so_in_its_steps(finished) -> None:
    choice, _ = again(finished, "leave-out", rows=[7])
    finished.visitor.choose(choice)
    data = finished.studio.data_of(finished.visitor)
    assert "Left out as you chose: 1 row (7)." in data.steps


def test_rows_that_are_left_out_later_add_to_those_before(finished) -> None:
    _, record = again(finished, "leave-out", rows=[1, 2])
    second = SimpleNamespace(**{**vars(finished), "run": record.run_id})
    choice, _ = again(second, "leave-out", rows=[3])
    assert choice["left_out"] == [1, 2, 3]


def test_a_column_is_left_out_and_the_same_method_runs_without_it(finished) -> None:
    choice, record = again(finished, "leave-out-columns", columns=["proline", "hue"])
    assert choice["roles"] == {"proline": "ignored", "hue": "ignored"}
    assert record.method == "lda"
    assert record.n_features == 11


def test_a_column_that_the_table_lacks_is_named(finished) -> None:
    address = f"/runs/{finished.run}/leave-out-columns"
    answer = finished.visitor.http.post(address, json={"columns": ["score"]})
    assert answer.status_code == 400
    assert 'no column "score"' in answer.get_json()["words"]


def test_marked_rows_become_a_class_of_their_own(finished) -> None:
    choice, record = again(finished, "new-class", rows=[1, 2, 3, 4], value="odd")
    finished.visitor.choose(choice)
    assert finished.studio.data_of(finished.visitor).class_counts["odd"] == 4
    # Other classes are another table: its runs are not compared with those before.
    assert record.table != finished.studio.store.get(finished.run).table


@pytest.mark.slow
def test_marked_rows_become_a_column_of_information(finished) -> None:
    choice, record = again(finished, "new-column", rows=[5, 7], value="spilled")
    finished.visitor.choose(choice)
    (column,) = finished.studio.data_of(finished.visitor).info
    assert [i + 1 for i, text in enumerate(column.texts) if text] == [5, 7]
    assert title(record).endswith("2 rows as spilled")
    # The classes and features are the same, so the runs are compared.
    assert record.table == finished.studio.store.get(finished.run).table


def test_a_column_that_exists_is_not_overwritten(finished) -> None:
    body = {"rows": [5], "value": "proline"}
    answer = finished.visitor.http.post(f"/runs/{finished.run}/new-column", json=body)
    assert answer.status_code == 400
    assert "Choose another name." in answer.get_json()["words"]


def test_putting_rows_back_returns_to_the_run_of_the_whole_table(finished) -> None:
    _, record = again(finished, "leave-out", rows=[2])
    answer = finished.visitor.http.post(f"/runs/{record.run_id}/put-back", json={}).get_json()
    assert answer["run"] == finished.run
    assert not answer["choice"]["left_out"]


def test_leaving_out_a_class_is_refused_in_a_sentence(finished) -> None:
    rows = list(range(1, 179))
    answer = finished.visitor.http.post(f"/runs/{finished.run}/leave-out", json={"rows": rows})
    assert answer.status_code == 400
    assert answer.get_json()["words"].endswith(".")


def test_a_link_holds_the_edited_rows() -> None:
    source = DataSource(
        kind="sample",
        key="wine",
        label="cultivar",
        left_out=(3, 5, 6, 7),
        marks=(Mark("cultivar", "odd, =1", (9, 10, 12)),),
    )
    spec = ViewSpec(source=source, method="lda")
    assert "left_out=3,5-7" in to_query(spec)
    assert from_query(to_query(spec)).source == source


@pytest.mark.parametrize("text", ["", "4", "1-3", "3,5-7,9"])
def test_rows_are_written_and_read(text) -> None:
    assert rows_text(rows_from_text(text)) == text


@pytest.mark.parametrize("text", ["a", "1-", "1-2-3", "-1", f"1-{MAX_EDITED_ROWS + 1}"])
def test_what_is_no_list_of_rows_is_refused(text) -> None:
    with pytest.raises(UserError, match="list of rows"):
        rows_from_text(text)
