"""Workbooks, Parquet, Feather, ARFF, gzip, title lines, and cells beyond a limit."""

from __future__ import annotations

import bz2
import dataclasses
import datetime as dt
import gzip
import io
import lzma
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from melm_core.base import numbers_as_known, range_of
from melm_studio.tables import ReadOptions, TableError, prepare, read_table
from melm_studio.tables.readers import excel, excel_text, unpack, unpacked
from melm_studio.tables.roles import NO_LABEL

FRAME = pd.DataFrame(
    {
        "width": [1.5, 2.25, np.nan, 1e-12],
        "kind": ["red, dark", 'say "x"', "red, dark", "b"],
        "n": [1.0, 2.0, 3.0, 4.0],
    }
).astype({"kind": "str"})


HEADS = [b"PK\x03\x04xl/workbook", b"PAR1", b"ARROW1", b"\x1f\x8b", b"@relation x\n"]


def workbook(**sheets) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def open_document(rows: list[list[str]], before: str = "") -> bytes:
    """A workbook of LibreOffice, with text before its first element."""
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    body = "".join(
        f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>" for row in rows
    )
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    names = "".join(f' xmlns:{name}="{space}{name}:1.0"' for name in ("office", "table", "text"))
    content = (
        f'<?xml version="1.0"?>{before}<office:document-content{names}><office:body>'
        f'<office:spreadsheet><table:table table:name="t">{body}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("META-INF/manifest.xml", "<manifest:manifest/>")
        book.writestr("content.xml", content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def rows_of(frame: pd.DataFrame) -> list[list]:
    cells = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return [list(frame.columns), *cells]


def arrow_file(frame: pd.DataFrame, kind: str) -> bytes:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(
        {name: pa.array(cells.tolist(), from_pandas=True) for name, cells in frame.items()}
    )
    file = io.BytesIO()
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, file)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(table, file)
    return file.getvalue()


def test_a_damaged_sheet_keeps_no_other_from_being_read():
    whole, damaged = workbook(good=rows_of(FRAME), bad=rows_of(FRAME)), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as parts, zipfile.ZipFile(damaged, "w") as book:
        for name in parts.namelist():
            part = parts.read(name)
            book.writestr(name, part[:200] if name.endswith("sheet2.xml") else part)
    table = read_table(damaged.getvalue(), "t.xlsx")
    assert (table.sheet, table.sheets) == ("good", ("good", "bad"))
    with pytest.raises(TableError, match="damaged"):
        read_table(damaged.getvalue(), "t.xlsx", options=ReadOptions(sheet="bad"))


@pytest.mark.parametrize(
    ("few", "other", "is_read"),
    [(5, "measured", True), (5, "codebook", False), (12, "measured", False)],
    ids=["summed up", "explained", "not far longer"],
)
def test_a_far_longer_sheet_is_read_before_one_that_sums_it_up(few, other, is_read):
    summary = [["goal", "share"], *([f"up to {at}", at / few] for at in range(1, few))]
    rows = [["a", "b", "kind"], *([at, at * at, "xy"[at % 2]] for at in range(60))]
    table = read_table(workbook(**{"summary": summary, other: rows}), "book.xlsx")
    assert table.sheet == (other if is_read else "summary")
    assert {*table.sheets} == {"summary", other}


def test_a_sheet_of_more_rows_than_may_be_read_keeps_no_other_from_being_read():
    summary, rows = [["a", "b"], [1, 2.5], [2, 3.5]], [["a", "b"], *([at, at] for at in range(60))]
    raw = workbook(summary=summary, measured=rows)
    assert read_table(raw, "book.xlsx").sheet == "measured"
    assert read_table(raw, "book.xlsx", max_rows=40).sheet == "summary"


def test_sheets_are_offered_with_notes_last_and_without_those_that_are_hidden():
    openpyxl = pytest.importorskip("openpyxl")
    rows = rows_of(FRAME)
    names = ["first", "Notes", "old", *(f"part {at}" for at in range(5))]
    book = openpyxl.load_workbook(io.BytesIO(workbook(**dict.fromkeys(names, rows))))
    book["old"].sheet_state = "hidden"
    file = io.BytesIO()
    book.save(file)
    table = read_table(file.getvalue(), "book.xlsx")
    (asked,) = [one for one in prepare(table).questions if one.id == "sheet"]
    shown = ["first", *names[3:], "Notes"]
    assert [choice.value for choice in asked.choices] == shown


def test_sheets_without_cells_are_not_asked_about():
    table = read_table(workbook(Sheet1=rows_of(FRAME), Sheet2=[], Sheet3=[]), "t.xlsx")
    assert table.sheets == ("Sheet1",)
    assert not [one for one in prepare(table).questions if one.id == "sheet"]


def test_words_beside_numbers_of_a_nominal_attribute_are_words():
    head = (
        "@relation r\n@attribute {} {}\n@attribute mass numeric\n@attribute kind {{p,q}}\n@data\n"
    )
    rows = [f"{at % 3},{at},{'pq'[at % 2]}" for at in range(60)]
    raw = head.format("doors", "{0, 1, 2, many}") + "\n".join([*rows, "many,1,p"])
    table = read_table(raw.encode(), "t.arff")
    assert {*table.frame["doors"]} == {"0", "1", "2", "many"}
    assert "words" not in table.asked
    numbers = head.format("doors", "{0, 1, 2}") + "\n".join(rows)
    assert read_table(numbers.encode(), "t.arff").frame["doors"].dtype.kind == "f"


def test_what_rows_of_sparse_arff_lack_is_zero_or_the_first_value():
    head = "@relation x\n@attribute 'w 1' numeric\n@attribute w2 numeric\n"
    kinds = "@attribute kind {ham, 'spam, or so'}\n@data\n"
    rows = "{0 2.5, 2 'spam, or so'}\n{1 ?}\n{ }\n{2 'spam, or so', 1 7}\n"
    frame = read_table(f"{head}{kinds}{rows}".encode(), "t.arff").frame
    assert frame["w 1"].tolist() == [2.5, 0, 0, 0]
    np.testing.assert_array_equal(frame["w2"], [0, np.nan, 0, 7])
    assert frame["kind"].tolist() == ["spam, or so", "ham", "ham", "spam, or so"]


@pytest.mark.parametrize("form", ["{},{},{},", "{} {}  {}", "{},,{},{}", ",{},{},{}"])
def test_rows_of_arff_have_values_apart_by_blanks_or_empty_ones_too_many(form):
    head = "@relation t\n@attribute a numeric\n@attribute b numeric\n@attribute c {p,q}\n@data\n"
    rows = [(at / 7, at * 5 % 11, "pq"[at % 2]) for at in range(20)]
    text = head + "".join(f"{form.format(*row)}\n" for row in rows)
    assert read_table(text.encode(), "t.arff").frame.to_numpy().tolist() == [[*r] for r in rows]


def arff_file(frame: pd.DataFrame) -> bytes:
    lines = ["% made by a test", "@RELATION 'a b'", ""]
    for name, cells in frame.items():
        kind = "numeric" if cells.dtype.kind == "f" else "string"
        lines.append(f"@attribute '{name}' {kind}")
    lines.append("@DATA")
    for row in frame.itertuples(index=False):
        cells = [
            "?"
            if pd.isna(cell)
            else repr(cell)
            if isinstance(cell, float)
            else "'" + cell.replace("\\", "\\\\").replace("'", "\\'") + "'"
            for cell in row
        ]
        lines.append(",".join(cells))
    return "\n".join(lines).encode()


def packed(kind: str, frame: pd.DataFrame) -> bytes:
    if kind == "xlsx":
        return workbook(data=rows_of(frame))
    if kind == "arff":
        return arff_file(frame)
    if kind == "csv.gz":
        return gzip.compress(frame.to_csv(index=False).encode())
    return arrow_file(frame, kind)


KINDS = ["xlsx", "parquet", "feather", "arff", "csv.gz"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_comes_back_from_every_format(kind):
    table = read_table(packed(kind, FRAME), f"folder/shapes.{kind}")
    assert table.name.partition(".")[0] == "shapes"
    pd.testing.assert_frame_equal(table.frame, FRAME, check_column_type=False)
    assert not any("separated" in step for step in table.steps)


texts = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=8
).map(lambda text: f"t{text.strip()}")
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
samples = st.lists(st.tuples(numbers, texts, numbers), min_size=1, max_size=12)


@settings(max_examples=15)
@pytest.mark.parametrize("kind", KINDS)
@given(samples)
def test_whatever_the_cells_they_come_back(kind, rows):
    if kind == "arff":
        rows = [(a, " ".join(b.replace('"', "").split()), c) for a, b, c in rows]
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    frame = frame.astype({"a": np.float64, "b": "str", "c": np.float64})
    frame["b"] = frame["b"].map(lambda text: " ".join(text.split()))
    found = read_table(packed(kind, frame), "t").frame
    numbers = found.astype({"a": float, "c": float})
    pd.testing.assert_frame_equal(numbers, frame, check_column_type=False)


@settings(max_examples=20)
@given(st.sampled_from(HEADS), st.binary(max_size=200))
def test_whatever_the_bytes_there_is_a_table_or_a_sentence(head, rest):
    try:
        read_table(head + rest, "file")
    except TableError as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017


def test_another_sheet_is_read_if_it_is_chosen():
    raw = workbook(notes=[], first=[["a", "b"], [1, 2]], second=[["x", "y", "z"], [1, 2, 3]])
    table = read_table(raw, "book.xlsx")
    assert (list(table.frame), table.sheets) == (["a", "b"], ("first", "second"))
    assert "Read from the sheet first." in table.steps
    other = read_table(raw, "book.xlsx", options=ReadOptions(sheet="second"))
    assert list(other.frame) == ["x", "y", "z"]
    with pytest.raises(TableError, match='no sheet "third"'):
        read_table(raw, "book.xlsx", options=ReadOptions(sheet="third"))


@pytest.mark.parametrize(
    ("cells", "columns"),
    [
        (["[1, 2]", "", "[3.5 -4e2]"], ["e 0", "e 1"]),
        (["[1, 2]", "[3, 4, 5]", "[6, 7]"], ["e"]),
        (["[1, 2]", "[3, four]", "[6, 7]"], ["e"]),
        (["[1]", "[2]", "[3]"], ["e"]),
        (["[a]", "[b]", "[c]"], ["e"]),
    ],
    ids=["vectors", "of several lengths", "with a word", "of one number", "words"],
)
def test_vectors_of_one_length_in_text_are_columns(cells, columns):
    text = "e;x\n" + "".join(f"{cell};{at}\n" for at, cell in enumerate(cells))
    table = read_table(text.encode(), "t.csv")
    assert list(table.frame.columns) == [*columns, "x"]
    if len(columns) == 2:
        np.testing.assert_array_equal(table.frame["e 1"], [2, np.nan, -400])


def test_more_numbers_in_vectors_than_columns_can_be_read_are_refused():
    cell = "[" + " ".join("1" for _ in range(50)) + "]"
    with pytest.raises(TableError, match="make 51 columns, and at most 20"):
        read_table(f"e;x\n{cell};1\n{cell};2\n".encode(), "t.csv", max_columns=20)


def test_the_first_sheet_that_holds_a_table_is_read_before_pages_of_explanations():
    about = [["About"], ["This workbook holds what was measured."], ["It is ours."]]
    raw = workbook(about=about, first=[["a", "b"], [1, 2]], second=[["x", "y"], [1, 2]])
    assert read_table(raw, "book.xlsx").sheet == "first"
    assert read_table(raw, "book.xlsx", options=ReadOptions(preferred_sheet="second")).sheet == (
        "second"
    )
    assert read_table(raw, "book.xlsx", options=ReadOptions(preferred_sheet="third")).sheet == (
        "first"
    )


def test_empty_rows_above_a_table_of_a_workbook_are_no_answers_of_a_survey():
    rows = [["a", "b", "kind"], *([at, at * at, "xy"[at % 2]] for at in range(8))]
    table = read_table(workbook(sheet=[[], [], [], *rows]), "book.xlsx")
    assert [*table.frame] == ["a", "b", "kind"]
    assert not any("Qualtrics" in step for step in table.steps)


@pytest.mark.parametrize(
    ("name", "is_first"),
    [("README", False), ("Read me", False), ("Title", False), ("Readings", True)],
)
def test_a_sheet_that_explains_the_others_is_read_only_where_there_is_no_other(name, is_first):
    about = [["column", "what"], ["a", "length"], ["b", "width"]]
    raw = workbook(**{name: about, "measured": [["a", "b"], [1, 2]]})
    assert read_table(raw, "book.xlsx").sheet == (name if is_first else "measured")
    assert read_table(workbook(**{name: about}), "book.xlsx").frame.shape == (2, 2)


def test_a_workbook_without_any_table_is_refused_for_its_first_page():
    raw = workbook(about=[["This workbook holds nothing."], ["It is ours."]], empty=[])
    with pytest.raises(TableError, match="running text"):
        read_table(raw, "book.xlsx")


def test_dates_truth_values_errors_and_formulas_of_a_workbook_are_values():
    rows = [
        ["day", "ok", "bad", "sum"],
        [dt.datetime(2024, 5, 1), True, "#N/A", "=1+1"],  # noqa: DTZ001
        [dt.date(2024, 5, 2), False, 3, "=WEBSERVICE(A1)"],
    ]
    frame = read_table(workbook(data=rows), "t.xlsx").frame
    assert frame["day"].tolist() == ["2024-05-01", "2024-05-02"]
    assert frame["ok"].tolist() == ["True", "False"]
    assert frame["bad"].isna().tolist() == [True, False]
    assert frame["sum"].isna().all()


def test_a_workbook_that_would_unpack_to_too_much_is_refused_before():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", b"<x/>")
        book.writestr("xl/worksheets/sheet1.xml", b" " * 3_000_000)
    assert len(file.getvalue()) < 10_000
    with pytest.raises(TableError, match="2 MB when it is unpacked, and at most 1 MB"):
        excel_text(file.getvalue(), "t", max_rows=9, max_columns=9, max_bytes=2**20)


@pytest.mark.parametrize("parts", [["t.csv"], ["xl/worksheets/sheet1.xml", "xl/workbook.xml"]])
def test_a_part_that_would_begin_before_its_archive_gets_a_sentence(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for part in parts:
            archive.writestr(part, b"a,b\n1,2\n" * 9)
    raw = file.getvalue()
    with pytest.raises(TableError):
        read_table(raw[:50] + raw[70:], "t.xlsx")


@pytest.mark.parametrize("name", ["x.csv", "x.npy"])
def test_a_part_of_an_archive_without_a_name_gets_a_sentence(name):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, b"a,b\n1,2\n")
        archive.writestr("@y", b"a,b\n1,2\n")
    with pytest.raises(TableError):
        read_table(file.getvalue().replace(b"@y", b"\0y"), "t.zip")


def test_a_picture_in_letters_that_are_none_of_its_code_is_missing():
    rows = "".join(f'"data:image/png;base64,é{row}",{"ab"[row % 2]},{row}\n' for row in range(4))
    with suppress(TableError):
        assert len(read_table(f"icon,label,n\n{rows}".encode(), "icons.csv").frame) == 4


def test_entities_of_a_workbook_are_not_expanded():
    raw = workbook(data=[["a", "b"], [1, 2]])
    bomb = b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 10_000 + b'">]>'
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.infolist():
            content = old.read(part)
            if part.filename.endswith("sheet1.xml"):
                content = bomb + content.partition(b"?>")[2]
            new.writestr(part.filename, content)
    with pytest.raises(TableError, match="cannot be read"):
        read_table(file.getvalue(), "t.xlsx")


@pytest.mark.parametrize("as_pandas", [False, True], ids=["plain", "texts with a value"])
@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_open_document_is_read_as_any_program_packs_it(packing, as_pandas):
    written = open_document([["a", "kind"], ["1.5", "x"], ["2.5", "y 2"]])
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(written)) as old, zipfile.ZipFile(file, "w", packing) as new:
        for name in old.namelist():
            part = old.read(name)
            said = b'="string" office:value="y" office:display="z">' if as_pandas else b'="string">'
            new.writestr(name, part.replace(b'="string">', said))
    table = read_table(file.getvalue(), "t.ods")
    assert table.frame["a"].tolist() == [1.5, 2.5]
    assert table.frame["kind"].tolist() == ["x", "y 2"]


def elsewhere(raw: bytes, folder: str = "", of: bytes = b"spreadsheetml.sheet.main") -> bytes:
    """A workbook whose parts lie in another folder than xl, or a document of another kind."""
    file, inside = io.BytesIO(), folder.encode()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.namelist():
            content = old.read(part).replace(b"/xl/", b"/" + inside)
            content = content.replace(b"spreadsheetml.sheet.main", of)
            new.writestr(part.replace("xl/", folder), content.replace(b'"xl/', b'"' + inside))
    return file.getvalue()


@pytest.mark.parametrize("folder", ["", "book/"])
def test_a_workbook_whose_parts_lie_elsewhere_is_read(folder):
    raw = elsewhere(workbook(data=rows_of(FRAME), about=[["a"], ["b"]]), folder)
    table = read_table(raw, "t.xlsx")
    assert (table.sheets, table.frame.shape) == (("data", "about"), FRAME.shape)


def test_a_document_of_office_that_is_no_workbook_is_none():
    raw = elsewhere(workbook(data=rows_of(FRAME)), of=b"wordprocessingml.document.main")
    assert not excel.is_excel(raw)


@pytest.mark.parametrize("is_moved", [False, True])
@pytest.mark.parametrize(
    ("far", "is_read"),
    [
        (b'<row r="1048576" ht="12.8" hidden="false"></row>', True),
        (b'<row r="1048576"/>', True),
        (b'<row r="1048576"><c r="A1048576" s="1"/><c r="XFD1048576" s="1"></c></row>', True),
        (b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', False),
    ],
)
def test_heights_and_colors_far_from_the_table_are_no_cells(far, is_read, is_moved):
    raw = workbook(data=[["a", "b"], [1, 2], [3, 4]])
    raw = elsewhere(raw) if is_moved else raw
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.infolist():
            sheet = old.read(part)
            new.writestr(part.filename, sheet.replace(b"</sheetData>", far + b"</sheetData>"))
    if is_read:
        assert read_table(file.getvalue(), "t.xlsx").frame["b"].tolist() == [2, 4]
    else:
        with pytest.raises(TableError, match="Delete what is far"):
            read_table(file.getvalue(), "t.xlsx")


def test_a_gzip_file_that_would_unpack_to_too_much_is_refused_in_time():
    raw = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
    with pytest.raises(TableError, match="holds more than 1 MB"):
        unpacked(raw, "t.csv.gz", max_bytes=2**20)
    with pytest.raises(TableError, match="damaged or incomplete"):
        unpacked(raw[:-20], "t.csv.gz")


@pytest.mark.parametrize("package", [gzip, bz2, lzma])
def test_packed_files_one_behind_the_other_are_one(package, monkeypatch):
    monkeypatch.setattr(unpack, "_PIECE", 7)  # of several files, or of one
    raw = package.compress(b"") + package.compress(b"a,b\n1,2\n") + package.compress(b"3,4\n") * 9
    assert unpacked(raw, "t") == (b"a,b\n1,2\n" + b"3,4\n" * 9, "t")
    with pytest.raises(TableError, match="damaged or incomplete"):
        unpacked(raw[:-3], "t")


def test_a_workbook_with_more_sheets_or_longer_names_than_may_be_is_refused(monkeypatch):
    raw = workbook(first=[["a", "b"], [1, 2]], second=[["c", "d"], [3, 4]])
    for limit, most in (("MAX_SHEETS", 1), ("MAX_SHEET_NAME", 5)):
        with monkeypatch.context() as patch:
            patch.setattr(excel, limit, most)
            with pytest.raises(TableError, match="sheets, or one whose name has more than"):
                read_table(raw, "book.xlsx")
    assert read_table(raw, "book.xlsx").sheets == ("first", "second")


@pytest.mark.parametrize("above", [[], [["Month", "May"], []]], ids=["at once", "below a filter"])
def test_the_sheet_that_pivot_tables_sum_up_is_read(above):
    pivot = [*above, ["Row Labels", "Average of n"], ["red", 2.5], ["b", 4.0], ["Grand Total", 3.0]]
    raw = workbook(Sheet1=pivot, Sheet2=pivot, data=rows_of(FRAME))
    assert read_table(raw, "t.xlsx").sheet == "data"
    assert read_table(workbook(Sheet1=pivot, Sheet2=pivot), "t.xlsx").sheet == "Sheet1"


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "feather", "arff"])
def test_limits_hold_for_every_format(kind):
    raw = packed(kind, FRAME)
    with pytest.raises(TableError, match="more than 3 rows"):
        read_table(raw, "t", max_rows=3)
    with pytest.raises(TableError, match="3 columns but at most 2"):
        read_table(raw, "t", max_columns=2)
    assert len(read_table(raw, "t", max_rows=4, max_columns=3).frame) == 4


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n{2 1}\n", "is sparse"),
        (b"@relation x\n@attribute a numeric\n", "has no @data"),
        (
            b"@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n1\n",
            "has 1 value for 2",
        ),
        (b"@relation x\n@attribute a relational\n@data\n", "cannot be read"),
        (b"\x80\x04\x95abc", "a pickle, which could run code"),
        (b"\xd0\xcf\x11\xe0abc", "is a workbook that cannot be read"),
        (b"PK\x03\x04abc", "a compressed archive"),
    ],
)
def test_what_is_not_read_gets_a_plain_sentence(raw, sentence):
    with pytest.raises(TableError, match=sentence):
        read_table(raw, "file.bin")


@pytest.mark.parametrize(
    "above",
    [
        "Wine data of 2024\n\n",
        "Wine data, measured by hand\nSee the notes\n",
        "Wine data,,,\n,,,\n",
    ],
)
def test_title_lines_above_the_header_are_skipped_and_rows_keep_their_numbers(above):
    body = "name,alcohol,ash,label\n" + "".join(f"w{i},{i}.5,{i * i},x\n" for i in range(6))
    table = read_table((above + body + "bad,zz,1,x\n").encode(), "t.csv")
    assert list(table.frame) == ["name", "alcohol", "ash", "label"]
    n_titles = sum(bool(line.strip(",")) for line in above.splitlines())
    assert any(step.startswith(f"Skipped: {n_titles}") for step in table.steps)
    place = above.count("\n") + 8
    assert any(f"row {place} (the first line is row 1)" in step for step in table.steps)


def test_years_in_a_header_below_titles_are_names():
    titles = "Migration\n\nsource: a census\nkind,,counts,,,,,,\n"
    years = ",".join(map(str, range(1980, 1987)))
    body = "".join(f"land {at},p{at % 2}" + f",{at}" * 7 + "\n" for at in range(8))
    table = read_table(f"{titles}land,part,{years}\n{body}".encode(), "t.csv")
    assert [*table.frame] == ["land", "part", *years.split(",")]


@pytest.mark.parametrize(
    "text", ["a,b\n1,2,3\n4,5,6\n", "a,b\nx,y,z\np,q,r\n", 'a,b,c\n1,"x\ny",2\n']
)
def test_what_is_no_title_is_not_skipped(text):
    try:
        steps = read_table(text.encode(), "t.csv").steps
    except TableError:
        return
    assert not any("title" in step for step in steps)


@pytest.mark.parametrize(
    ("limits", "lead", "zinc"),
    [("half", 0.25, 100), ("limit", 0.5, 100), ("empty", np.nan, np.nan), ("text", "<0.5", ">100")],
)
def test_cells_beyond_a_limit_are_read_as_the_user_says(limits, lead, zinc):
    raw = ("lead,zinc,label\n" + "<0.5,>100,x\n1.5,7,y\n" * 20).encode()
    frame = read_table(raw, "t.csv", options=ReadOptions(limits=limits)).frame
    assert frame.iloc[0].tolist() == pytest.approx([lead, zinc, "x"], nan_ok=True)
    assert frame.shape[1] == 3


@pytest.mark.parametrize(
    ("limit", "half"), [("<0,5", 0.25), ("<0,125", 0.0625), ("< 0,02", 0.01), ("<1,000", 500)]
)
def test_a_limit_with_a_comma_is_read_among_numbers_with_points(limit, half):
    rows = "".join(f"{limit if at % 4 else at + 0.5};x{at % 2}\n" for at in range(1, 40))
    frame = read_table(f"lead;label\n{rows}".encode(), "t.csv").frame
    assert frame["lead"].tolist()[:4] == [half, half, half, 4.5]


@pytest.mark.parametrize("mark", ["<0.1", "< LOD", "n.d.", "b.d.l", "B.D."])
def test_a_measurement_that_most_rows_lie_below_is_no_class(mark):
    rows = "".join(f"{mark if at % 8 else at / 4},{at},{'xy'[at % 2]}\n" for at in range(1, 40))
    table = read_table(f"lead,zinc,kind\n{rows}".encode(), "t.csv")
    assert table.frame["lead"].dtype == np.float64
    assert "limits" in table.asked
    of_money = "".join(f"{at},{('<=50K', '>50K')[at % 2]}\n" for at in range(40))
    frame = read_table(f"age,income\n{of_money}".encode(), "t.csv").frame
    assert sorted({*frame["income"]}) == ["<=50K", ">50K"]


@pytest.mark.parametrize(
    ("measured", "mark", "is_number"),
    [
        ([0.31, 1.95, 1.95], "<0.05", True),
        ([0.31], "n.d.", True),
        ([20, 40], "<10", True),
        ([1.1, 0.12] * 8, "<0.05", True),
        ([10, 20] * 8, "<10", False),  # classes, of many rows each
        ([2.5] * 15, "<2.5", False),
        ([45.5, ">60"], "<30", False),
        ([">60"] * 9, "<30", False),
    ],
)
def test_the_few_numbers_above_a_limit_were_measured_unless_they_are_classes(
    measured, mark, is_number
):
    cells = [*measured, *[mark] * (40 - len(measured))]
    rows = "".join(f"{cell},{at % 7},{'xy'[at % 2]}\n" for at, cell in enumerate(cells))
    table = read_table(f"lead,zinc,kind\n{rows}".encode(), "t.csv")
    assert (table.frame["lead"].dtype == np.float64) == is_number
    assert ("limits" in table.asked) == is_number


def with_nd(others, mark="ND"):
    """Weights of which some were not determined, beside another column with such cells."""
    cells = [[mark if at % 4 == 0 else 2.5 + at % 9, others[at % len(others)]] for at in range(40)]
    rows = "".join(f"{weight},{other},{'xy'[at % 2]}\n" for at, (weight, other) in enumerate(cells))
    return f"weight,lead,kind\n{rows}".encode()


@pytest.mark.parametrize(
    ("others", "mark", "is_empty"),
    [
        ([3, 5, 7], "ND", True),
        ([3, 5, 7], "n.d.", True),
        (["<0.5", 5, 7], "ND", True),
        (["ND", 0.1, 5, 7, 9], "ND", False),  # elsewhere it is below a limit
        ([3, 5, 7], "bdl", False),
        ([3, 5, 7], "<2", False),
    ],
)
def test_what_was_not_determined_is_empty_unless_the_user_says_otherwise(others, mark, is_empty):
    raw = with_nd(others, mark)
    table = read_table(raw, "t.csv")
    assert np.isnan(table.frame["weight"][0]) == is_empty
    assert any(f"such as {mark} (weight)" in step for step in table.steps) == (
        is_empty or others == [3, 5, 7]
    )
    half = read_table(raw, "t.csv", options=ReadOptions(limits="half"))
    assert half.frame["weight"][0] < 2
    (asked,) = (one for one in prepare(table).questions if one.id == "limits")
    assert asked.default == ("empty" if is_empty and "<0.5" not in others else "half")


def test_what_was_not_determined_in_new_rows_is_missing_as_in_the_table():
    table = read_table(with_nd([3, 5, 7]), "t.csv")
    read = numbers_as_known(["ND", "4.5"], "weight", "weight", ".", {}, rules=table.rules)[0]
    np.testing.assert_array_equal(read, [np.nan, 4.5])


@pytest.mark.slow
def test_cells_beyond_a_limit_are_half_of_it_unless_the_user_says_otherwise():
    raw = ("lead,zinc,label\n" + "<0.5,>100,x\n1.5,7,y\n" * 20).encode()
    half = read_table(raw, "t.csv")
    assert half.frame["lead"][0] == 0.25
    assert "40 cells beyond a limit of detection" in " ".join(half.steps)
    marked = read_table(raw, "t.csv", options=ReadOptions(limits="indicator"))
    assert marked.frame["lead beyond limit"].tolist() == [1.0, 0.0] * 20
    assert prepare(half).feature_names == ("lead", "zinc")


@pytest.mark.parametrize(("below", "above"), [("OOR <", "OOR >"), ("BLQ", ">ULOQ")])
def test_cells_beyond_limits_that_no_cell_names_are_the_least_and_the_largest_number(below, above):
    raw = (f"lead,label\n{below},x\n{above},y\n" + "1.5,x\n7,y\n" * 20).encode()
    read = read_table(raw, "t.csv")
    assert read.frame["lead"].tolist()[:3] == [0.75, 7, 1.5]
    assert "lead is the smallest number there; the limit of lead is the largest" in read.steps[0]
    cells = [below, above, "1.5"]
    rules = dataclasses.replace(
        read.rules, ranges={"lead": range_of(read.frame["lead"].to_numpy())}
    )
    known, _ = numbers_as_known(cells, "lead", "lead", ".", {}, rules=rules)
    assert known.tolist() == [0.75, 7, 1.5]


@pytest.mark.parametrize("missing", ["<null>", "<NA>"])
def test_words_of_programs_for_what_is_missing_are_no_text(missing):
    raw = (f"age,kind,label\n{missing},{missing},x\n" + "30,a,y\n41,b,x\n" * 5).encode()
    frame = read_table(raw, "t.csv").frame
    assert frame["age"].dtype == np.float64
    assert frame.isna().sum().tolist() == [1, 1, 0]


def test_what_was_read_as_beyond_a_limit_is_said_words_first():
    raw = ("lead,zinc,label\n" + "<0.5,7,x\n1.5,n.b.,y\n" + "1.5,7,y\n" * 20).encode()
    (step,) = read_table(raw, "t.csv").steps
    assert step.startswith("2 cells beyond a limit of detection, such as n.b., <0.5 (lead, zinc): ")


def arrays(**parts) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **parts)
    return file.getvalue()


X = np.random.default_rng(0).normal(size=(20, 4))
Y = np.array(["a", "b"] * 10)


def test_arrays_of_features_names_and_labels_are_a_table():
    raw = arrays(X=X, y=Y, feature_names=np.array(list("uvwx")), seed=np.array(3))
    table = read_table(raw, "t.npz")
    assert list(table.frame) == [*"uvwx", "y"]
    np.testing.assert_array_equal(table.frame[list("uvwx")], X)
    assert table.frame["y"].tolist() == Y.tolist()
    assert table.steps == ("Left out: 1 array without 20 rows (seed).",)


@pytest.mark.parametrize(
    ("parts", "features"),
    [
        ({"X": X, "y": Y, "X_labels": np.array(list("uvwx"))}, "uvwx"),
        ({"X_train": X, "y_train": Y, "x_columns": np.array(list("uvwx"))}, "uvwx"),
        ({"X": X, "y": Y, "y_labels": np.array(list("uvwx"))}, ""),
        ({"X": X, "y": Y, "X_labels": np.array(list("uvw"))}, ""),
        ({"X": X, "y": Y, "X_labels": np.array(list("uvvx"))}, ""),
        ({"X": X, "y": Y, "X_scales": np.arange(4)}, ""),
    ],
)
def test_as_many_names_as_the_block_that_they_are_called_by_has_columns_name_these(parts, features):
    data = prepare(read_table(arrays(**parts), "t.npz"))
    assert data.feature_names == (*features,) or not features
    assert any("Left out" in step for step in data.steps) == (not features)


def test_pictures_in_an_array_are_a_feature_for_each_pixel():
    raw = arrays(x_train=X.reshape(20, 2, 2), y_train=np.arange(20) % 2, x_test=X[:5])
    frame = read_table(raw, "t.npz").frame
    assert frame.shape == (20, 5)
    np.testing.assert_array_equal(frame.iloc[:, :4], X)


MANY = np.random.default_rng(1).normal(size=(60, 4))
TWO, THREE = np.arange(60) % 2, np.arange(60) // 2 % 3
WORDS, OTHER = np.array(["a", "b", "c"])[THREE], np.array(["a", "b"])[np.arange(60) // 7 % 2]


@pytest.mark.parametrize(
    ("parts", "labels"),
    [
        ({"X": MANY, "y_age": THREE, "y_sex": TWO}, {"y_age", "y_sex"}),
        ({"X": MANY, "y": np.stack([MANY[:, 0] ** 2, MANY[:, 1] ** 2], axis=1)}, {"y 0", "y 1"}),
        ({"X": np.round(MANY), "y": MANY[:, :3] ** 2}, {"y 0", "y 1", "y 2"}),
        ({"embeddings": MANY, "fine_labels": WORDS, "coarse_labels": TWO, "age": MANY[:, 0]},
         {"fine_labels", "coarse_labels"}),
        ({"X": MANY, "d": np.stack([TWO, THREE], axis=1)}, {"d 0", "d 1"}),
    ],
    ids=["vectors", "a matrix", "of numbers", "beside another", "factors"],
)  # fmt: skip
def test_several_labels_beside_features_are_choices_and_no_features(parts, labels):
    data = prepare(read_table(arrays(**parts), "t.npz"))
    (question,) = (question for question in data.questions if question.id == "label")
    assert {choice.value for choice in question.choices} - {NO_LABEL} == labels
    assert data.feature_names == ("x0", "x1", "x2", "x3")


@pytest.mark.parametrize(
    ("parts", "features"),
    [
        ({"X": MANY, "y": np.eye(3)[THREE], "age": MANY[:, 0] ** 2},
         (*(f"x{at}" for at in range(4)), "age")),
        ({"X": MANY, "y": TWO, "age": MANY[:, 0] ** 2}, (*(f"x{at}" for at in range(4)), "age")),
        ({"X_numbers": MANY[:, :2], "X_codes": np.stack([TWO, THREE], axis=1), "y": OTHER},
         ("X_numbers 0", "X_numbers 1", "X_codes 0", "X_codes 1")),
        ({"x1": MANY[:, 0], "y1": MANY[:, 1], "y2": MANY[:, 2], "kind": WORDS}, ("x1", "y1", "y2")),
    ],
    ids=["classes in columns", "one label", "codes of an X", "no block"],
)  # fmt: skip
def test_what_is_no_label_beside_arrays_is_a_feature(parts, features):
    assert prepare(read_table(arrays(**parts), "t.npz")).feature_names == features


def test_another_block_with_labels_of_its_own_can_be_chosen():
    parts = {"X": MANY, "d": np.stack([TWO, THREE], axis=1), "X_new": MANY[:12], "d_new": TWO[:12]}
    raw = arrays(**parts, axis=np.arange(4.0))
    first = read_table(raw, "t.npz")
    assert (first.sheets, first.sheet, first.frame.shape) == (("X", "X_new"), "X", (60, 6))
    other = read_table(raw, "t.npz", options=ReadOptions(sheet="X_new"))
    assert (other.sheets, other.sheet) == (("X_new", "X"), "X_new")
    assert [*other.frame] == [*(f"X_new {at}" for at in range(4)), "d_new"]
    assert read_table(arrays(X=MANY, y=WORDS, Z=MANY[:12]), "t.npz").sheets == ()


def test_one_array_is_a_table_of_numbers():
    file = io.BytesIO()
    np.save(file, X)
    assert list(read_table(file.getvalue(), "t.npy").frame) == ["x0", "x1", "x2", "x3"]


def test_arrays_of_objects_beside_others_are_left_out_unread_and_said():
    class Harm:
        def __reduce__(self):
            return pytest.fail, ("it was unpickled",)

    objects = np.array([Harm()] * 20, dtype=object)
    table = read_table(arrays(X=X, y=Y, meta=objects, more=objects), "t.npz")
    assert table.frame.shape == (20, 5)
    assert table.steps == ("Left out: 2 arrays of objects, which could run code (meta, more).",)


@pytest.mark.parametrize(
    "raw",
    [
        arrays(X=np.array([{}], dtype=object)),
        b"\x93NUMPY\x01\x00",
        arrays(X=X)[:300],
        b"\x93NUMPY\x01\x00v\x00"
        + b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999,), }".ljust(118)
        + b"12345678",
    ],
)
def test_arrays_that_are_objects_or_damaged_get_a_sentence(raw):
    with pytest.raises(TableError, match="arrays that cannot be read"):
        read_table(raw, "t.npz")


@pytest.mark.parametrize(
    "parts",
    [
        {"X": np.array(3)},
        {"X": np.zeros((5, 0))},
        {"X": np.zeros((0, 3)), "y": np.zeros(0)},
        {"X": np.zeros((0, 3)), "y": np.zeros((0, 2))},
    ],
)
def test_arrays_without_a_row_or_a_column_get_a_sentence(parts):
    with pytest.raises(TableError, match="no array with a row and a column"):
        read_table(arrays(**parts), "t.npz")


def test_vectors_in_a_column_become_a_feature_for_each_number():
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet  # noqa: PLC0415

    lists = [row.tolist() for row in X]
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 4)
    gaps = [None, *lists[1:]]
    table = pa.table({"label": Y, "e": lists, "f": fixed, "g": gaps, "h": [[1], *lists[1:]]})
    file = io.BytesIO()
    parquet.write_table(table, file)
    read = read_table(file.getvalue(), "t.parquet")
    np.testing.assert_array_equal(read.frame[[f"e {at}" for at in range(4)]], X)
    np.testing.assert_array_equal(read.frame[[f"f {at}" for at in range(4)]], X)
    np.testing.assert_array_equal(read.frame[[f"g {at}" for at in range(4)]][1:], X[1:])
    assert read.frame["g 0"].isna().tolist() == [True] + [False] * 19
    assert read.steps[0] == "Left out: nested columns (h)."


def test_an_archive_of_one_file_is_unpacked():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("folder/inside.csv", "a,b\n1,x\n2,y\n")
        archive.writestr("__MACOSX/inside.csv", "junk")
    table = read_table(file.getvalue(), "t.zip")
    assert table.name == "inside"
    assert table.frame["a"].tolist() == [1, 2]


def test_documents_beside_the_table_of_an_archive_are_no_tables():
    table = "a,b\n1,x\n2,y\n"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("set/wheat.data", table)
        for name in (
            "README.txt", "wheat.names", "wheat-names.txt", "Index", "LICENSE", ".Rhistory",
            "data_description.txt",
        ):  # fmt: skip
            archive.writestr(f"set/{name}", "Kernels of wheat, measured by hand.\n")
    assert read_table(file.getvalue(), "t.zip").name == "wheat"
    alone = io.BytesIO()
    with zipfile.ZipFile(alone, "w") as archive:
        archive.writestr("notes.txt", table)
    assert read_table(alone.getvalue(), "t.zip").frame["a"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("codes", "names"),
    [([1, 2, 3] * 4, ["a", "b", "c"]), ([0, 0.5] * 6, ["a", "b"]), ([0] * 12, ["a"])],
    ids=["from 1", "no whole numbers", "one class"],
)
def test_numbers_that_are_no_codes_of_named_classes_stay(codes, names):
    file = io.BytesIO()
    np.savez(file, X=np.eye(12), y=np.array(codes), target_names=np.array(names))
    table = read_table(file.getvalue(), "t.npz")
    assert table.frame["y"].tolist() == codes
