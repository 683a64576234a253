r"""Rows that do not split into as many cells as the others, and \" as a quotation mark."""

from __future__ import annotations

import re

import pytest

from melm_studio.tables import prepare, uneven_rows
from melm_studio.tables.read import Table, TableError, read_table
from melm_studio.tables.readers import ReadOptions
from melm_studio.tables.records import split
from tests.melm_studio.tables.test_read_apart import read as read_there

HEADER = "nest,days,species,notes"
ESCAPED = r'7,4.5,greg,"one egg \"predated\""'
REAL = r'8,3.5,smwh,"a \few days old\"'


def nests(n_rows: int = 300, **changed: str) -> list[str]:
    """The lines of a table, some of them others: by their row of the file."""
    lines = [HEADER]
    lines += [f"{row},{row % 7}.25,{('greg', 'smwh')[row % 2]}," for row in range(2, n_rows + 2)]
    for row, line in changed.items():
        lines[int(row[1:]) - 1] = line
    return lines


def read(lines: list[str], end: str = "\n", **options: bool) -> Table:
    raw = (end.join(lines) + end).encode()
    return read_table(raw, "nests.csv", options=ReadOptions(**options))


# ------------------------------------------------------------------------------- quotation marks


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_backslash_before_quotation_marks_is_left_out_where_a_row_needs_it(end):
    table = read(nests(20, r5=REAL, r9=ESCAPED), end)
    assert table.frame["notes"].dropna().tolist() == [
        "a \\few days old\\",
        'one egg "predated"',
    ]
    assert table.row_numbers.tolist() == [*range(1, 21)]
    assert table.steps == (
        "Backslashes before quotation marks were left out in 1 row, row 9 (the first line is row "
        "1).",
    )
    assert not table.warnings


def test_the_first_of_several_such_rows_is_named():
    steps = read(nests(20, r9=ESCAPED, r6=ESCAPED)).steps
    assert "quotation marks were left out in 2 rows, first row 6 (the" in steps[0]


def test_a_cell_that_ends_in_a_backslash_is_read_as_it_is():
    table = read(nests(20, r5=REAL, r6=r'6,2.5,greg,"\"'))
    assert table.frame["notes"].dropna().tolist() == ["a \\few days old\\", "\\"]
    assert table.steps == ()


def test_a_mark_that_leaves_a_cell_open_ends_with_its_line():
    table = read(nests(20, r5=r'5,2.5,greg,"12\""', r9='9,2.5,greg,"as usual"'))
    assert table.frame["notes"].dropna().tolist() == ['12"', "as usual"]
    assert len(table.frame) == 20


def test_other_rows_with_a_backslash_before_a_mark_are_read_as_they_are():
    others = {"r5": r"5,2.5,greg,5\" long", "r6": '6,2.5,"two\n1,2,3,""",\\"z"'}
    table = read(nests(20, r9=ESCAPED, **others))
    assert table.frame["notes"].dropna().tolist() == [r"5\" long", r'\"z"', 'one egg "predated"']
    assert table.frame["species"][4] == 'two\n1,2,3,"'


def test_a_row_may_have_as_many_cells_by_such_a_mark_alone():
    table = read(nests(20, r9=r'9,4.5,greg,"an egg \", as they say"'))
    assert table.frame["notes"].dropna().tolist() == ['an egg ", as they say']


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_header_may_need_it(mark):
    lines = [r'"the \"nest\"",days,species,notes', *nests(20)[1:]]
    table = read([line.replace(",", mark) for line in lines])
    assert table.frame.columns.tolist() == ['the "nest"', "days", "species", "notes"]
    assert "in 1 row, row 1 (the first line is row 1)." in " ".join(table.steps)
    assert len(table.frame) == 20


@pytest.mark.parametrize(
    "line",
    ['7,4.5,greg,"never closed', r'7,4.5,greg,"\"never closed', '7,4.5,greg,"x"y'],
)
@pytest.mark.parametrize("others", [{}, {"r5": ESCAPED}])
def test_marks_that_do_not_pair_up_otherwise_are_refused(line, others):
    row, is_open = (5, False) if others else (200, line.endswith(',"never closed'))
    why = "its quotation marks do not" if is_open else "text stands behind a quotation mark"
    sentence = rf"^Row {row} \(the first line is row 1\) cannot be split into cells: {why}"
    with pytest.raises(TableError, match=sentence):
        read(nests(r200=line, **others))


# -------------------------------------------------------------------------- too many or few cells


@pytest.mark.parametrize(
    ("line", "many"),
    [("0,1.5,greg,a,b", "more"), ("0,1.5,greg", "fewer"), ("cut o", "fewer"), (r'0,"\"', "fewer")],
)
def test_a_row_of_too_many_or_few_cells_is_left_out_with_a_warning(line, many):
    table = read(nests(r210=line, r250=",,,late"))
    step = f"Left out: 1 row with {many} fields than the others, row 210 (the first line is row 1)."
    assert table.steps == (step,)
    assert table.warnings == (step,)
    assert len(table.frame) == 299
    assert table.row_numbers[table.frame["notes"] == "late"].tolist() == [249]
    data = prepare(table, "species")
    assert step in data.steps
    assert step in data.warnings
    assert data.row_numbers.tolist() == [*range(1, 209), *range(210, 249), *range(250, 301)]


def test_cells_behind_such_a_row_are_named_by_their_row_of_the_file():
    steps = read(nests(r100="1", r200="200,soon,greg,")).steps
    assert any('"soon" in row 200 (the first line' in step for step in steps)


def test_rows_of_both_kinds_are_counted_together():
    table = read(nests(r210="0,1.5,greg,a,b", r90="1", r99=ESCAPED))
    assert table.steps[1].startswith("Left out: 2 rows with more or fewer fields than the others, ")
    assert table.steps[1].endswith(", first row 90 (the first line is row 1).")
    assert table.steps[0].endswith("in 1 row, row 99 (the first line is row 1).")
    assert 'one egg "predated"' in set(table.frame["notes"])


def test_the_last_row_may_be_cut_off():
    assert read(nests(r301="301,1")).row_numbers[-1] == 299


def test_without_a_header_the_first_row_is_row_1():
    assert read(nests(r210="1")[1:]).row_numbers[[207, 208]].tolist() == [208, 210]


def test_rows_keep_their_numbers_where_a_file_is_read_apart():
    raw = "\n".join(nests(r210="1", r212="1")).encode()
    here, there = read_table(raw, "t"), read_there(raw, "t")
    assert there.row_numbers.tolist() == here.row_numbers.tolist()
    assert there.warnings == here.warnings != ()


def refused(n_rows: int, rows: range) -> list[str]:
    return nests(n_rows, **{f"r{row}": "0,1.5,greg,a,b" for row in rows})


@pytest.mark.parametrize(("n_rows", "n_most"), [(99, 0), (100, 1), (199, 1), (200, 2), (3000, 20)])
def test_more_than_a_few_such_rows_are_refused_as_they_were(n_rows, n_most):
    sentence = (
        "Row 50 (the first line is row 1) has 5 fields where the header has 4. Give every row as "
        "many fields as the header, with quotation marks around a cell that contains the "
        "delimiter, and drop the file again."
    )
    assert len(read(refused(n_rows, range(50, 50 + n_most))).frame) == n_rows - n_most
    with pytest.raises(TableError, match=f"^{re.escape(sentence)}$"):
        read(refused(n_rows, range(50, 51 + n_most)))


def test_rows_behind_an_open_mark_are_not_left_out_as_one():
    with pytest.raises(TableError, match=r"Row 20 .* has 5 fields where"):
        read(nests(r20='20,1.5,greg,"open', r90='90,1.5,greg",more'))


def test_a_line_is_split_three_times_at_most_whatever_it_holds(monkeypatch):
    lines = nests(500, **{f"r{row}": r'"\"",' for row in range(2, 400)})
    seen: list[str] = []

    def counted(split_lines, delimiter):
        return split((seen.append(line) or line for line in split_lines), delimiter)

    monkeypatch.setattr(uneven_rows, "split", counted)
    with pytest.raises(TableError, match="Row 2 "):
        read(lines)
    assert 0 < len(seen) <= 3 * len(lines)


def test_further_rows_of_a_table_are_all_read_or_refused():
    with pytest.raises(TableError, match=r"Row 210 .* has 1 field where"):
        read(nests(r210="1"), as_written=True)
    with pytest.raises(TableError, match=r"Row 9 .* text stands behind"):
        read(nests(20, r9=ESCAPED), as_written=True)


@pytest.mark.parametrize("mark", [" ", ",", "\t", ";"])
@pytest.mark.parametrize("has_names", [True, False])
def test_quotation_marks_of_write_table_are_read_beside_names_of_rows(mark, has_names):
    """R has \\" for a quotation mark, and no name above those of the rows."""
    says = ['he said \\"hi\\" to', "plain", '\\"b\\"', "none", r"C:\\dir", "a"]
    cells = [
        [f'"{row}"'] * has_names + [f'"{word}"', f"{row}.5", '"ab"']
        for row, word in enumerate(says)
    ]
    text = "\n".join(map(mark.join, [['"text"', '"x"', '"kind"'], *cells, []]))
    table = read_table(text.encode(), "t.txt")
    assert [*table.frame["text"]] == [word.replace('\\"', '"') for word in says]
    assert "Backslashes before quotation marks were left out" in " ".join(table.steps)


def test_a_file_that_no_backslash_mends_is_refused_as_it_is():
    with pytest.raises(TableError, match=r"Row 2 .* cannot be split"):
        read_table(b'"a","b"\n"x" y,1\n"\\"z\\"",2\n"q",3\n', "t.csv")
