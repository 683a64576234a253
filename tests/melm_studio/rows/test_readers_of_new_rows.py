"""The page, a saved plane and the downloaded program read new rows alike, or refuse them alike."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from melm_core.base import UserError
from melm_core.methods import SavedPlane
from melm_studio.rows.new_rows import match_rows
from melm_studio.tables import LabeledData, conversions_of, prepare, read_table
from tests.melm_studio.publication.test_program import (
    components_for,
    computed,
    points,
    program,
    saved,
)

FIRST = """Total acid,lead [mg/kg],count,class
-1.5,2,1200,a
2.5,1,1310,b
3.5,9,1190,a
4.5,5,2450,b
-2.25,4,1800,a
6.5,7,1500,b
7.5,3,2100,a
8.5,8,1700,b
"""
HEADER, *ROWS = (line.rpartition(",")[0].split(",") for line in FIRST.splitlines())


def file(header=(), delimiter=",", **cells) -> str:
    """The table without its labels: with other names, or cells of a column changed by a function.

    A column is `acid`, `lead` or `count`; its function takes the row and the cell.
    """
    change = [cells.get(name, lambda _, cell: cell) for name in ("acid", "lead", "count")]
    rows = [
        [one(at, cell) for one, cell in zip(change, row, strict=True)]
        for at, row in enumerate(ROWS)
    ]
    quoted = [
        [f'"{cell}"' if delimiter in cell else cell for cell in row]
        for row in (header or HEADER, *rows)
    ]
    return "".join(f"{delimiter.join(row)}\n" for row in quoted)


def grams(_: int, cell: str) -> str:
    return f"{float(cell) / 1000:g}"


def everywhere(text: str):
    return lambda _, cell: text.format(cell)


def once(text: str, row: int = 2):
    return lambda at, cell: text.format(cell) if at == row else cell


SAME = file()
NOT_CONVERTED = '"lead [mg/kg]" is given in mM, which does not convert to mg/kg.'
LACKS = 'The table lacks "count". All 3 columns of the plane are needed'
EMPTY_FIRST = file(acid=once(""))
COLUMNS = pd.read_csv(io.StringIO(SAME), dtype=str)
# A file, and another whose points it has, or what is said of it.
CASES = {
    "as it is": (SAME, SAME),
    "its label beside": (FIRST, SAME),
    "columns in another order": (COLUMNS[COLUMNS.columns[::-1]].to_csv(index=False), SAME),
    "further columns": (COLUMNS.assign(x="y", z=7).to_csv(index=False), SAME),
    "a missing column": (COLUMNS.drop(columns="count").to_csv(index=False), LACKS),
    "other spelling": (file(["TOTAL_ACID", "Lead (mg/kg)", "Count "]), SAME),
    "no unit in the header": (file(["Total acid", "lead", "count"]), SAME),
    "another unit in the header": (file(["Total acid", "lead [g/kg]", "count"], lead=grams), SAME),
    "in parentheses": (file(["Total acid", "Lead (g/kg)", "count"], lead=grams), SAME),
    "units in cells": (file(lead=everywhere("{} mg/kg")), SAME),
    "another unit in cells": (file(lead=lambda at, cell: f"{grams(at, cell)} g/kg"), SAME),
    "units in cells alone": (
        file(["Total acid", "lead", "count"], lead=lambda at, cell: f"{grams(at, cell)} g/kg"),
        SAME,
    ),
    "some cells in another unit": (
        file(lead=lambda at, cell: f"{grams(at, cell)} g/kg" if at % 2 else cell),
        SAME,
    ),
    "a unit of another kind in the header": (
        file(["Total acid", "lead [mM]", "count"]),
        NOT_CONVERTED,
    ),
    "the same in parentheses": (file(["Total acid", "lead (mM)", "count"]), NOT_CONVERTED),
    "a unit of another kind in cells": (file(lead=everywhere("{} mM")), NOT_CONVERTED),
    "a unit of another kind in a cell": (file(lead=once("{} mM")), NOT_CONVERTED),
    "signs of typesetters": (file(acid=lambda _, cell: cell.replace("-", "−")), SAME),
    "decimal commas": (file(delimiter=";", acid=lambda _, cell: cell.replace(".", ",")), SAME),
    "decimal commas in quotes": (file(acid=lambda _, cell: cell.replace(".", ",")), SAME),
    "thousands": (file(count=lambda _, cell: f"{int(cell):,}"), SAME),
    "thousands of Switzerland": (
        file(count=lambda _, cell: f"{int(cell):,}".replace(",", "'")),
        SAME,
    ),
    "an uncertainty": (file(acid=everywhere("{} ± 0.2")), SAME),
    "powers of ten": (file(acid=everywhere("{}×10^0")), SAME),
    "NA": (file(acid=once("NA")), EMPTY_FIRST),
    "a question mark": (file(acid=once("?")), EMPTY_FIRST),
    "an error of a spreadsheet": (file(acid=once("#DIV/0!")), EMPTY_FIRST),
    "text among numbers": (file(acid=once("broken")), EMPTY_FIRST),
    "a date among numbers": (file(acid=once("2021-03-05")), EMPTY_FIRST),
    "the number of a date": (file(acid=once("44260")), file(acid=once("4.426e4"))),
    "a column of text": (file(acid=everywhere("broken")), 'No cell of "Total acid" is a number'),
    "an empty column": (file(acid=everywhere("")), '"Total acid" is empty, and a whole column'),
    "a column of words for missing": (file(acid=everywhere("NA")), '"Total acid" is empty'),
    "a column twice": (
        "".join(f"{line},{at or 'count'}\n" for at, line in enumerate(SAME.splitlines())),
        SAME,
    ),
}


@pytest.fixture(scope="module")
def first() -> LabeledData:
    return prepare(read_table(FIRST.encode(), "first.csv"), "class")


def of_the_page(first: LabeledData, text: str) -> np.ndarray:
    new = match_rows(first, read_table(text.encode(), "table.csv"))
    return new.X @ components_for(first).T


def of_the_program(first: LabeledData, text: str) -> np.ndarray:
    try:
        found = computed(program(first), text.encode())
    except SystemExit as end:
        raise UserError(str(end).removeprefix("table.csv: ")) from None
    return found.to_numpy()


def of_a_saved_plane(first: LabeledData, text: str, **options) -> np.ndarray:
    plane = saved(first, units=conversions_of(first.feature_names))
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    table = pd.read_csv(io.StringIO(text), sep=delimiter, **options)
    return SavedPlane.from_json(plane.to_json()).transform(table)


def answer(read, *arguments, **options) -> np.ndarray | str:
    try:
        return read(*arguments, **options)
    except UserError as refusal:
        return str(refusal)


@pytest.mark.filterwarnings("ignore:Counted as missing")
@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_new_rows_are_read_or_refused_alike(first, text, expected):
    answers = {
        "page": answer(of_the_page, first, text),
        "program": answer(of_the_program, first, text),
        "saved plane": answer(of_a_saved_plane, first, text),
        "saved plane, of texts": answer(
            of_a_saved_plane, first, text, dtype=str, keep_default_na=False
        ),
    }
    if expected.startswith("Total"):
        same = of_the_page(first, expected)
        for name, found in answers.items():
            assert not isinstance(found, str), (name, found)
            np.testing.assert_allclose(found, same, atol=1e-9, err_msg=name)
    else:
        for name, found in answers.items():
            assert isinstance(found, str), (name, found)
            assert expected in found, name
        assert len({*answers.values()}) == 1, answers
    if text == SAME:
        np.testing.assert_allclose(answers["page"], points(first), atol=1e-9)
