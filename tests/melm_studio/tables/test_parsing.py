"""Many columns of numbers are read at once, and as they are read one by one."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import parsing, read_table
from melm_studio.tables.records import Limits, find_records

N_COLUMNS = 120


def wide(mark: str = ",", decimal: str = ".", **columns: list[str]) -> bytes:
    """Three rows of numbers of all forms, and other columns among them."""
    rng = np.random.default_rng(0)
    forms = ["3", "-0.25", "1e-3", "12345678901234567", "0.1234567890123456789", "NA", "", " 7"]
    cells = {f"x{at}": rng.choice(forms, 3).tolist() for at in range(N_COLUMNS)}
    cells = {"first": ["1", "2", "3"], **columns, **cells, "last": ["", "4", ""]}
    rows = [*zip(*cells.values(), strict=True)]
    lines = [cells.keys(), *([cell.replace(".", decimal) for cell in row] for row in rows)]
    return "\n".join(mark.join(line) for line in lines).encode()


@pytest.mark.parametrize(
    "raw",
    [
        wide(),
        wide(kind=["a", "b", "NA"], name=["x 1", "y", "z"]),
        wide("\t", kind=["a", "b", ""]),
        wide(";", ",", kind=["a", "b", "c"]),
        wide(kind=['"a,b"', "b", "c"]),
        wide(late=["1", "word", "3"]),
        wide(kind=["a", "b", "c"]).replace(b"\n", b"\n\n") + b"\n",
    ],
)
def test_many_columns_are_read_as_one_by_one(raw, monkeypatch):
    at_once = read_table(raw, "t.csv")
    monkeypatch.setattr(parsing, "LEAST_WIDE", 10_000)
    pd.testing.assert_frame_equal(at_once.frame, read_table(raw, "t.csv").frame)
    assert at_once.frame.shape[1] >= N_COLUMNS + 2


def test_pandas_reads_the_numbers_of_many_columns_as_one(monkeypatch):
    widths: list[int] = []
    read_csv = pd.read_csv

    def counted(*given, **options):
        cells = read_csv(*given, **options)
        widths.append(cells.shape[1])
        return cells

    monkeypatch.setattr(pd, "read_csv", counted)
    read_table(wide(kind=["a", "b", "c"]), "t.csv")
    assert widths == [1, 1]


@pytest.mark.parametrize(
    "raw",
    [
        b"a,b,c\n1,2,x\n3,4,last\n",
        b"\n \na, b,c\n\n1, 2,x\n\t\n3,4,last",
        b"\xc3\xa4;b\n1;x\n2;last\n\n",
    ],
)
def test_lines_without_quotes_have_the_records_of_those_with(raw):
    plain, quoted = (
        find_records(data, Limits(math.inf, math.inf))
        for data in (raw, raw.replace(b"last", b'"last"'))
    )
    assert plain.first == quoted.first
    assert plain.file_rows.tolist() == quoted.file_rows.tolist()


def test_delimiters_within_quoted_names_leave_columns_that_blanks_part():
    header = 'id "sex (0=male, 1=female)" "NYHA; class" age'
    rows = [f"p{at} {at % 2} {1 + at % 3} {40 + at * 7 % 31}" for at in range(30)]
    read = read_table("\n".join([header, *rows]).encode(), "t.csv")
    assert [*read.frame] == ["id", "sex (0=male, 1=female)", "NYHA; class", "age"]
    assert read.frame["age"].tolist() == [40.0 + at * 7 % 31 for at in range(30)]
