"""The page says how a messy table is read, and has a button for every answer."""

from __future__ import annotations

import pytest

from melm_studio.layout.table_sheet import data_summary
from melm_studio.tables import prepare, read_table
from melm_studio.workspace.described_tables import TableDescription
from tests.melm_studio.layout.trees import parts
from tests.messy_tables import MESSY

# How each is read is asserted of the reader itself; here every third shows that the page says it.
SOME_IN_THE_GATE = [
    pytest.param(name, marks=[pytest.mark.slow] if number % 3 else [])
    for number, name in enumerate(MESSY)
]


@pytest.mark.parametrize("name", SOME_IN_THE_GATE)
def test_the_page_says_how_a_messy_table_is_read_and_asks_by_buttons(name):
    expected = MESSY[name]()
    table = read_table(expected.raw, expected.file)
    data = prepare(table)
    swatches = [("red", "circle")] * len(data.class_names)
    shown = parts(*data_summary(TableDescription.of(table, data), swatches))
    texts = [props["children"] for props in shown if isinstance(props.get("children"), str)]
    said = " ".join(texts)
    assert all(words in said for words in expected.shown), said
    for question in data.questions:
        assert question.sentence in texts
        assert {choice.label for choice in question.choices} <= set(texts)
        assert {cell for row in question.preview for cell in row} <= set(texts)
