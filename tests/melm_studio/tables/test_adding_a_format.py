"""docs/adding-a-format.md, carried out: one function and a line, and the studio reads it."""

from __future__ import annotations

import re

import pytest

from melm_studio.installation import APPLICATION_FOLDER
from melm_studio.tables import Role, prepare, read_table
from melm_studio.tables.grammars import GRAMMARS

WELLS = "Plate 7\nread at 450 nm\n[Wells]\nwell;od;dose\n" + "".join(
    f"A{at};0.{at * 7 % 11};{'low' if at % 2 else 'high'}\n" for at in range(12)
)


@pytest.fixture
def plate_reader():
    """The function on the page."""
    page = (APPLICATION_FOLDER / "docs" / "adding-a-format.md").read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, object] = {}
    exec(code[1], names)  # noqa: S102 (a page of this project)
    return names["plate_reader"]


def test_a_format_is_a_function_and_a_line(plate_reader, monkeypatch):
    monkeypatch.setitem(GRAMMARS, "plate reader", plate_reader)
    table = read_table(WELLS.encode(), "plate.txt")
    roles = {column.role: column.name for column in prepare(table).columns}
    assert roles == {Role.NAME: "well", Role.NUMERIC: "od", Role.LABEL: "dose"}
    assert "Read as wells." in table.steps
    assert table.row_numbers[0] == 1


def test_without_the_line_it_is_another_table(plate_reader):
    assert plate_reader not in GRAMMARS.values()
    assert "Read as wells." not in read_table(WELLS.encode(), "plate.txt").steps
