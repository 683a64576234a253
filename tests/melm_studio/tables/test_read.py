from __future__ import annotations

import contextlib
import csv
import gzip
import io
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from melm_core.base import unique_names
from melm_studio.tables import Role, prepare, records
from melm_studio.tables.formatting import count, listed, shortened
from melm_studio.tables.read import TableError, read_table
from melm_studio.tables.records import MAX_RECORD

PLAIN = "width,height,label\n1.5,2,small\n3,4.25,large\n"


def read(text: str, encoding: str = "utf-8"):
    return read_table(text.encode(encoding), "data.csv")


def test_plain_commas_are_read_without_a_word():
    table = read(PLAIN)
    assert table.steps == ()
    assert list(table.frame.columns) == ["width", "height", "label"]
    assert table.frame["width"].tolist() == [1.5, 3.0]
    assert table.frame["height"].dtype == np.float64
    assert table.frame["label"].tolist() == ["small", "large"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("flowers.csv", "flowers"),
        ("/home/someone/flowers.2024.csv", "flowers.2024"),
        (r"C:\data\flowers.txt", "flowers"),
        ("", "table"),
    ],
)
def test_the_name_has_neither_folder_nor_ending(path, name):
    assert read_table(PLAIN.encode(), path).name == name


@pytest.mark.parametrize(
    ("encoding", "steps"),
    [
        ("utf-8", ()),
        ("utf-8-sig", ()),
        ("utf-16", ("Read as UTF-16.",)),
        ("latin-1", ("Read as Western European text.",)),
        ("cp1252", ("Read as Western European text.",)),
    ],
)
def test_every_encoding_gives_the_same_table(encoding, steps):
    table = read("größe,label\n1,süß\n2,herb\n", encoding)
    assert list(table.frame.columns) == ["größe", "label"]
    assert table.frame["label"].tolist() == ["süß", "herb"]
    assert table.steps == steps


@pytest.mark.parametrize(("delimiter", "word"), [(";", "semicolon"), ("\t", "tab"), ("|", "bar")])
def test_the_delimiter_is_guessed_and_said(delimiter, word):
    table = read(PLAIN.replace(",", delimiter))
    assert table.frame["height"].tolist() == [2.0, 4.25]
    assert table.steps == (f"Read as {word}-separated.",)


@pytest.mark.parametrize(("delimiter", "word"), [(";", "semicolon"), ("\t", "tab")])
def test_a_decimal_comma_is_guessed_and_said(delimiter, word):
    table = read(delimiter.join(["a", "b"]) + "\n" + delimiter.join(["1,5", "-2,5e1"]) + "\n")
    assert table.frame.to_numpy().tolist() == [[1.5, -25.0]]
    assert table.steps == (f"Read as {word}-separated with decimal comma.",)


def test_points_before_three_digits_are_of_thousands_beside_commas_of_fractions():
    table = read('a;b\n"75.882";0,56\n"1.299";-0,5\n')
    assert table.frame.to_numpy().tolist() == [[75882.0, 0.56], [1299.0, -0.5]]
    table = read("a;b\n75.882;0.56\n1.299;-0.5\n")
    assert table.frame["a"].tolist() == [75.882, 1.299]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["160", "177.5", "149"], [160, 177.5, 149]),
        (["0.9", "1.12", ""], [0.9, 1.12, np.nan]),
        (["1.125", "0.875", "2.5"], [1.125, 0.875, 2.5]),
        (["1.125", "2.875", "3.250"], [1125, 2875, 3250]),
        (["1,5", "2,5", "1.125"], [1.5, 2.5, 1125]),
    ],
)
def test_a_column_with_points_alone_among_decimal_commas_has_decimal_points(cells, numbers):
    rows = [f"{cell};{at},5;{at},25" for at, cell in enumerate(cells)]
    table = read("\n".join(["a;b;c", *rows]))
    np.testing.assert_array_equal(table.frame["a"], numbers)
    is_said = "Read with decimal points: a." in table.steps
    assert is_said == any(number % 1 and "," not in "".join(cells) for number in numbers)


@pytest.mark.parametrize("cells", [["8.15", "17.30", "9.45"], ["24.12", "31.10", "5.5"]])
def test_hours_and_days_among_decimal_commas_are_no_fractions(cells):
    rows = [f"{cell};{at},5;{at},25" for at, cell in enumerate(cells)]
    assert (read("\n".join(["a;b;c", *rows])).frame["a"].dtype == "f8") == ("5.5" in cells)


def test_a_decimal_comma_is_no_delimiter_even_without_a_header():
    table = read("1,5;2,5\n3,5;4,5\n")
    assert table.frame.to_numpy().tolist() == [[1.5, 2.5], [3.5, 4.5]]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_gives_the_same_table(ending):
    assert read(PLAIN.replace("\n", ending)).frame.equals(read(PLAIN).frame)


def test_errors_of_a_spreadsheet_are_missing_and_no_class():
    raw = b"size,part\n1.5,lo\n#DIV/0!,hi\n2.5,#N/A\n3.5,hi\n" + b"4.5,lo\n" * 8
    table = read_table(raw, "t.csv")
    assert np.flatnonzero(table.frame["size"].isna()).tolist() == [1]
    assert np.flatnonzero(table.frame["part"].isna()).tolist() == [2]


def test_single_quotes_around_all_texts_of_a_column_are_no_part_of_them():
    raw = b"part,it's,size\n'lo',isn't,'3'\n'hi',is,'4'\n?,'is',''\n"
    frame = read_table(raw, "t.csv").frame
    assert frame["part"].tolist()[:2] == ["lo", "hi"]
    assert frame["part"].isna().tolist() == [False, False, True]
    assert frame["it's"].tolist() == ["isn't", "is", "'is'"]  # of one text alone
    assert frame["size"].tolist()[:2] == [3.0, 4.0]


def test_quoted_cells_may_hold_delimiters_quotation_marks_and_line_breaks():
    table = read('note,x\n"a, ""b""\nc",1\n"d;e",2\n')
    assert table.frame["note"].tolist() == ['a, "b"\nc', "d;e"]


def test_spaces_around_cells_do_not_matter():
    table = read('x, y ,label\n 1, 2 , "a, b"\n3 , NA , c \n')
    assert list(table.frame.columns) == ["x", "y", "label"]
    assert table.frame["x"].tolist() == [1.0, 3.0]
    assert math.isnan(table.frame["y"][1])
    assert table.frame["label"].tolist() == ["a, b", "c"]


@pytest.mark.parametrize("marker", ["", "NA", "N/A", "NaN", "null", "?", "-"])
def test_missing_markers_are_missing_in_numbers_and_in_text(marker):
    table = read(f"x,label\n1,a\n{marker},{marker}\n3,b\n")
    assert table.frame["x"].isna().tolist() == [False, True, False]
    assert table.frame["x"].dtype == np.float64
    assert table.frame["label"].isna().tolist() == [False, True, False]


def test_plus_and_minus_are_classes():
    assert read("x,sign\n1,+\n2,-\n").frame["sign"].tolist() == ["+", "-"]
    assert read("x,sign\n1,++\n2,--\n").frame["sign"].tolist() == ["++", "--"]
    assert read("x,days\n1,--\n2,30\n").frame["days"].isna().tolist() == [True, False]


def test_truth_values_are_text():
    assert read("x,sick\n1,True\n2,\n3,False\n").frame["sick"].dropna().tolist() == [
        "True",
        "False",
    ]


def test_large_numbers_are_kept_and_infinite_ones_are_missing():
    table = read("a,b\n1e308,inf\n-1e308,1\n123456789012345678901234,-Infinity\n")
    assert table.frame["a"].tolist() == [1e308, -1e308, 123456789012345678901234.0]
    assert table.frame["b"].isna().tolist() == [True, False, True]
    assert table.steps == ("Counted as missing: 2 infinite values (b).",)


def test_numbers_are_read_to_the_last_digit():
    numbers = np.random.default_rng(0).normal(size=1000)
    table = read("a,b\n" + "".join(f"{number!r},1\n" for number in numbers.tolist()))
    assert table.frame["a"].tolist() == numbers.tolist()


def test_a_first_row_of_numbers_is_no_header():
    table = read("1,2\n3,4\n")
    assert list(table.frame.columns) == ["column 1", "column 2"]
    assert len(table.frame) == 2
    assert table.steps == ('There is no header: columns are named "column 1" to "column 2".',)


def test_a_first_row_of_numbers_and_a_class_seen_again_is_no_header():
    assert len(read("5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,versicolor\n").frame) == 3


def test_a_header_may_hold_numbers():
    assert list(read("country,2019,2020\nfr,1,2\nde,3,4\n").frame.columns) == [
        "country",
        "2019",
        "2020",
    ]


def test_repeated_and_empty_headers_get_names_and_are_said():
    table = read("x,x,,x (2)\n1,2,3,4\n")
    assert list(table.frame.columns) == ["x", "x (3)", "column 3", "x (2)"]
    assert table.steps == (
        "Columns without a name are named by their position: column 3.",
        "Columns with repeated names are numbered: x (3).",
    )


def test_html_stays_text():
    table = read('<b onclick="x()">a</b>,label\n1,<script>\n2,&amp;\n')
    assert list(table.frame.columns) == ['<b onclick="x()">a</b>', "label"]
    assert table.frame["label"].tolist() == ["<script>", "&amp;"]


def test_blank_lines_are_skipped():
    assert read("\n\na,b\n\n1,2\n   \n3,4\n\n").frame["b"].tolist() == [2.0, 4.0]


def test_a_few_text_cells_among_numbers_are_missing_and_said():
    rows = [f"{i},{i}" for i in range(100)]
    rows[55] = '7,"12,3x"'
    rows[70] = "7,n.d."
    table = read("\n".join(["a,b", *rows]))
    assert table.frame["b"].isna().sum() == 2
    assert table.steps == (
        'Counted as missing: 2 cells of b with text among numbers, first "12,3x" in row 57 '
        "(the first line is row 1).",
    )


def test_text_in_every_twentieth_cell_makes_a_column_text():
    cells = ["word", *map(str, range(19))]
    table = read("a,b\n" + "".join(f"1,{cell}\n" for cell in cells))
    assert table.frame["b"].tolist() == cells


def test_many_columns_with_text_among_numbers_are_said_briefly():
    header = ",".join(f"c{j}" for j in range(8))
    rows = [",".join([str(i)] * 8) for i in range(30)] + [",".join(["x"] * 8)]
    steps = read("\n".join([header, *rows])).steps
    assert len(steps) == 6
    assert steps[-1] == "The same in 3 further columns."


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "The file is empty"),
        (b"\xef\xbb\xbf \r\n\n", "The file is empty"),
        (b'""\n', "The file is empty"),
        (b"a,b,c\n", "has a header but no rows"),
        (b"a\n1\n2\n", r"Only one column was found \(delimiter comma\). Separate columns with"),
        (b"a:b\n1:2\n", "Only one column was found"),
        (b"\x00\x01\x02\x03", "data.csv is not a text file"),
        (bytes(range(1, 32)) * 9, "data.csv is not a text file"),
        (b"PK\x03\x04...xl/workbook.xml", "is a damaged workbook. Save it again"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "is a workbook that cannot be read"),
        (b"PK\x03\x04mimetype...opendocument.spreadsheet", "is a damaged workbook"),
        (b"PK\x03\x04data.csv", "is a compressed archive"),
        (b"\x1f\x8b\x08", "is a gzip file that is damaged"),
        (b"%PDF-1.7", "is a PDF document"),
        (b"##TITLE= chips\n##JCAMP-DX= 6.00\n1, 2\n", r"is a single spectrum \(JCAMP-DX\)"),
        (b"<Header>\r\nFileVersion,1.7\r\n</Header>\r\n", r"one sample \(NanoString RCC\)"),
        (b'"Program","xPONENT","","Any"\n"Build","4"\n\n"SN"\n', r"report of Luminex .* Median"),
        (b"User: A,Path: C:\\x,Test run no.: 4\nTest name: b\n\n", "is a plate of a BMG reader"),
        ("##BLOCKS= 2\r\nPlate:\tP 1\t1.3\r\n".encode("utf-16"), "a file of plates of SoftMax Pro"),
        (b"\n\nSoftware Version\t3.1\n\n\nExperiment File Path:\tC\n", "is a plate of Gen5"),
        (b"[CEL]\r\nVersion=3\r\n\r\n[HEADER]\r\nCols=5\r\n", r"one chip \(CEL\)"),
        (b"@\0\0\0\4\0\0\0\5\0\0\0", r"one chip \(CEL\)"),
        (b"\x80K\0\x80w\7\0\0", r"spectra of GRAMS \(SPC\)"),
        (b"\n\n\xfe\xfe\0\0\0\0\x1c", r"spectra of Bruker \(OPUS\)"),
        (b"PK\x03\x04..a/s1.RCC", "is an archive of counts of NanoString, a file for each"),
        (b"-- MySQL dump 10.13\n/*!40101 SET NAMES utf8 */;\nDROP TABLE IF EXISTS `t`;\n", "SQL"),
        (b"insert into t values (1,0.5,'x');\ninsert into t values (2,0.7,'y');\n", "SQL"),
        (b"--\n-- PostgreSQL\nSET lock_timeout = 0;\n\nCREATE TABLE t (a int);\n", "SQL"),
        (b"% of the paper\n\\begin{tabular}{lr}\nname & a \\\\\n", "is a LaTeX document"),
        (b"\\documentclass{article}\n", "is a LaTeX document. Copy the cells"),
        (b"LabVIEW Measurement\t\nWriter_Version\t2\n", "is a measurement of LabVIEW"),
        (b'"a"=5.1,"b"=3.5|u\n"a"=4.9,"b"=3.0|v\n', "is a basket of Orange"),
        (b"PK\x03\x04....xdata.json", "is a file of jamovi or JASP"),
        (b"PK\x03\x04..word/document.xml", "is a Word document. Copy the cells"),
        (b"$FL2@(#) SPSS DATA FILE", "is a file of SPSS"),
        (b"<stata_dta><header>", "is a file of Stata"),
        (bytes(12) + b"\xc2\xea\x81\x60", "is a file of SAS"),
        (b"MATLAB 5.0 MAT-file", "is a MATLAB file"),
        (gzip.compress(b"RDX3\nX\n", mtime=0), "is a file of R"),
        (gzip.compress(b"X\n\x00\x00\x00\x03", mtime=0), "is a file of R"),
        (b"Rar!\x1a\x07", "is a compressed archive. Unpack it"),
        (b"\x80\x05\x95", "is a pickle"),
        (b"MZ\x90\x00", "is a program"),
        (b"\x00\x00\x00\x20whatever", "first bytes are 00 00 00 20 77 68"),
        (b"a\tplot of\n" + b"x\tof a thief and a detective in a town\n" * 30 + b"y", "Row 32"),
        (b"Dear all,\nthis is a letter, not a table.\nIt has no columns.\n", "running text"),
        (b"This is one line of text without any columns", "running text"),
        (b"a,b\n1,2\n1,2,3\n", r"Row 3 \(the first line is row 1\) has 3 fields .* header has 2"),
        (b"a,b,c\n\n1,2\n", r"Row 3 .* has 2 fields where the header has 3"),
        (b'a,b\n"x\ny",1\n2\n', r"Row 3 .* has 1 field where"),
        (b'a,b\n1,2\n"open,3\n4,5\n', r"Row 3 .* quotation marks do not pair up"),
        (b'a,b\n"x"y,2\n', r"Row 2 .*: text stands behind a quotation mark that ends one"),
        (b'TABLE "zoo"\n "name" symbolic\na0,1\na1,2\n', r"Row 2 .*: text stands behind"),
    ],
)
def test_what_is_no_table_gets_a_sentence(raw, sentence):
    with pytest.raises(TableError, match=sentence):
        read_table(raw, "data.csv")


@pytest.mark.parametrize("name", ["ID3", "BM", "MZ", "OTTO", "FORM", "ORC", "true", "ftyp"])
def test_a_header_may_begin_as_another_kind_of_file_does(name):
    assert read(f"{name},b\n1,2\n").frame.columns.tolist() == [name, "b"]


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman"])
def test_the_encoding_is_that_in_which_words_have_letters(encoding):
    text = "größe,été,°C\n1,façon,20°\n2,forêt,21°\n"
    table = read_table(text.encode(encoding), "t.csv")
    assert table.frame.columns.tolist() == ["größe", "été", "°C"]
    assert table.frame["été"].tolist() == ["façon", "forêt"]


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("max_columns", "3 columns but at most 2 can be read. Remove some columns"),
        ("max_rows", "more than 2 rows, the most that can be read. Remove some rows"),
    ],
)
@pytest.mark.parametrize("header", ["a,b,c\n", ""])
def test_too_large_a_table_gets_a_sentence(limit, sentence, header):
    with pytest.raises(TableError, match=sentence):
        read_table((header + "1,2,3\n" * 3).encode(), "data.csv", **{limit: 2})


def test_a_table_of_just_the_largest_size_is_read():
    raw = ("a,b,c\n" + "1,2,3\n" * 3).encode()
    assert read_table(raw, "data.csv", max_rows=3, max_columns=3).frame.shape == (3, 3)


def test_what_stands_behind_too_many_rows_is_not_even_looked_at():
    raw = ("a,b\n" + "1,2\n" * 4 + "ragged\n").encode()
    with pytest.raises(TableError, match="more than 3 rows"):
        read_table(raw, "data.csv", max_rows=3)


def test_a_row_number_is_right_beyond_the_lines_that_were_sampled(monkeypatch):
    monkeypatch.setattr(records, "SAMPLE_BYTES", 100)
    with pytest.raises(TableError, match="Row 1,002 "):
        read("first,second\n" + "1.25,2.25\n" * 1000 + "1\n" * 21)


def test_text_beyond_the_lines_that_were_sampled_is_found(monkeypatch):
    monkeypatch.setattr(records, "SAMPLE_BYTES", 100)
    frame = read("x,label\n" + "1,2\n" * 50 + "1,late\n" * 50).frame
    assert frame["label"].tolist() == ["2"] * 50 + ["late"] * 50


def test_levels_of_pandas_are_read_beside_an_empty_line():
    lines = ["kind\ta\tb", "unit\tg\tg", "row\t\t", *(f"r{at}\t{at}\t2.5" for at in range(9))]
    whole = read("\n".join(lines)).frame
    lines.insert(7, "")
    assert [*read("\n".join(lines)).frame] == [*whole] == ["row", "a g", "b g"]


letters = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
fragments = st.lists(st.sampled_from(['"', ",", ";", "\t", "|", "\n", "\r", " ", "1", "x", "é"]))


@pytest.mark.slow
@given(st.binary(max_size=200) | fragments.map("".join).map(str.encode))
def test_no_bytes_raise_anything_but_a_table_error(raw):
    with contextlib.suppress(TableError):
        frame = read_table(raw, "data.csv").frame
        assert frame.shape[1] > 1
        assert frame.columns.is_unique


@given(
    rows=st.lists(st.tuples(letters, st.floats(allow_nan=False, allow_infinity=False)), min_size=1),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
@example([(": ", 0.0)], ",", "utf-8")
@example([(": ", 0.0), (": ", 1.0)], ",", "utf-8")
def test_what_was_written_is_read_back(rows, delimiter, encoding):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerows([["text", "number"], *((f"x<{text}>", repr(x)) for text, x in rows)])
    frame = read(file.getvalue(), encoding).frame
    assert frame["text"].tolist() == [f"x<{text}>" for text, _ in rows]
    assert frame["number"].tolist() == [x for _, x in rows]


def test_repeated_names_are_numbered_past_names_that_are_taken():
    assert unique_names(["x", "x (2)", "x", "x", "y"]) == ["x", "x (2)", "x (3)", "x (4)", "y"]


@given(st.lists(st.sampled_from(["x", "x (2)", "x (3)", "x (2) (2)"])))
def test_unique_names_are_unique(names):
    unique = unique_names(names)
    assert len(set(unique)) == len(names)
    assert unique_names(unique) == unique


def test_sentences_count_and_shorten():
    assert count(1, "row") == "1 row"
    assert count(1797, "row") == "1,797 rows"
    assert count(2, "category", "categories") == "2 categories"
    assert listed(list("abcde")) == "a, b, c, d, e"
    assert listed(list("abcdefg")) == "a, b, c, d, e and 2 more"
    assert shortened("a\nb  c") == "a b c"
    assert len(shortened("word" * 1000)) == 40


def beside(n_left, n_right, *, names=("sex", "age", "dose"), above="", gap=("",)):
    """Two tables beside each other, the left one of four columns."""
    left = [[f"s{at}", at / 7, at % 5, "pq"[at % 2]] for at in range(n_left)]
    right = [["fm"[at % 2], at * 3, at / 9] for at in range(n_right)]
    rows = [[above, "", "", "", *gap, above, "", ""]] if above else []
    rows.append(["id", "mass", "rank", "kind", *gap, *names])
    for at in range(max(n_left, n_right)):
        parts = (left[at] if at < n_left else [""] * 4), (right[at] if at < n_right else [""] * 3)
        rows.append([*parts[0], *gap, *parts[1]])
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


@pytest.mark.parametrize("above", ["", "Table 1"])
@pytest.mark.parametrize("gap", [("",), ("", "")])
def test_of_two_tables_side_by_side_the_larger_is_read_and_the_other_named(above, gap):
    table = read_table(beside(30, 12, above=above, gap=gap), "t.csv")
    assert [*table.frame] == ["id", "mass", "rank", "kind"]
    assert len(table.frame) == 30
    assert any("sex, age, dose" in step for step in table.steps)
    right = read_table(beside(8, 40, above=above, gap=gap), "t.csv")
    assert ([*right.frame], len(right.frame)) == (["sex", "age", "dose"], 40)
    again = read_table(beside(30, 30, names=("id", "mass", "rank"), gap=gap), "t.csv")
    assert [*again.frame] == ["id", "mass", "rank", "kind"]


@pytest.mark.parametrize("n_right", [30, 28])
def test_an_empty_column_within_a_table_parts_it_not(n_right):
    table = read_table(beside(30, n_right), "t.csv")
    assert {"kind", "dose"} <= {*table.frame}
    assert not any("beside" in step for step in table.steps)


@pytest.mark.slow
def test_a_cell_beyond_any_limit_beside_an_empty_column_gets_a_sentence():
    longest = b"x" * (MAX_RECORD + 1)
    rows = b"1,2,,3,k\n" * 20
    with pytest.raises(TableError, match=r"^Row 2 .* is longer than 16,000,000 characters"):
        read_table(b'a,b,,c,kind\n"' + longest + b'",2,,3,k\n' + rows, "wide.csv")


def csv_of(header, rows):
    return "".join(",".join(map(str, row)) + "\n" for row in (header, *rows)).encode()


@pytest.mark.parametrize(
    ("comment", "names"),
    [
        ("#  it  Gata2  Fog1", ["it", "Gata2", "Fog1"]),
        ("# x y z", ["x", "y", "z"]),
        ("# made by a program", ["column 1", "column 2", "column 3"]),
        ("# 0.5 0.25 0.125", ["column 1", "column 2", "column 3"]),
    ],
)
def test_the_last_comment_names_columns_that_spaces_align(comment, names):
    rows = "".join(f" {at}  {at * 7 % 11 / 8:.3f}  {at * 5 % 13 / 8:.3f}\n" for at in range(30))
    table = read_table(f"# tmax = 160\n{comment}\n{rows}".encode(), "simulated.txt")
    assert [*table.frame] == names
    assert len(table.frame) == 30


@pytest.mark.parametrize("first", ["#SampleID", "SampleID", "plant_id"])
@pytest.mark.parametrize("blank", ["Blank8.H8", "7.125"])
def test_ids_with_points_are_names(first, blank):
    ids = [f"{5000 + at * 37 % 100}.{1000 + at}" for at in range(40)]
    ids[9] = blank
    rows = [[one, at * 7 % 11, at * 5 % 13 / 8, "ab"[at % 2]] for at, one in enumerate(ids)]
    data = prepare(read_table(csv_of([first, "size", "mass", "kind"], rows), "map.csv"))
    assert [c.name for c in data.columns if c.role is Role.NAME] == [first]
    assert data.feature_names == ("size", "mass")
    other = prepare(read_table(csv_of(["body mass index", "size", "mass", "kind"], rows), "x.csv"))
    assert other.feature_names == ("body mass index", "size", "mass")


def test_columns_whose_cells_say_what_they_are_are_named_so():
    rows = "".join(f"s{at}\tage: {60 + at}\tarm: {'ab'[at % 2]}\tx\n" for at in range(12))
    table = read(f"sample\tch1\tch1.1\tage\n{rows}")
    assert [*table.frame] == ["sample", "ch1", "arm", "age"]
    table = read(f"sample\tch1\tch1.1\tch2\n{rows}")
    assert table.frame["age"].tolist() == [*range(60, 72)]
    assert table.frame["arm"].tolist() == [*"ab"] * 6
    table = read(f"sample\tmarks\tmarks\tage\n{rows}")
    assert [*table.frame] == ["sample", "marks", "arm", "age"]


@pytest.mark.parametrize("name", ["Which films have you seen?", "film", "favorite (of all)"])
def test_a_name_stays_where_cells_begin_alike(name):
    rows = "".join(f"Star Wars: Episode {'I' * (at % 3 + 1)},{at}.5\n" for at in range(12))
    frame = read(f"{name},score\n{rows}").frame
    assert [*frame] == [name, "score"]
    assert frame[name][0] == "Star Wars: Episode I"


@pytest.mark.parametrize("cells", [("9: 30", "9: 45"), ("GO:0001", "GO:0002"), ("a: 1", "b: 2")])
def test_times_codes_and_several_keys_name_no_column(cells):
    rows = "".join(f"{cells[at % 2]},{at}.5\n" for at in range(12))
    assert [*read(f"of,x\n{rows}").frame] == ["of", "x"]


@pytest.mark.parametrize(
    "header", ["select,b", "created,b", "Create date,b", "drop,b", "-- a,b", "LabVIEW,b"]
)
def test_headers_of_words_that_begin_scripts_are_names(header):
    assert read_table(f"{header}\n1,2\n3,4\n5,7\n".encode(), "t.csv").frame.shape[1] == 2


@pytest.mark.parametrize(
    "raw",
    [
        b"Program,score\nxPONENT,1\nother,2\n",
        b"User,Path,Test run\na,b,1\nc,d,2\n",
        b"Software Version\tsize\n3.1\t4\n3.2\t5\n",
        b"[CEL]\tVersion\n1\t2\n3\t4\n",
        b"OK\tx\ty\n1\t2\t3\n4\t5\t6\n",
        b"<Header>,kind\n1,a\n2,b\n",
    ],
)
def test_tables_that_begin_as_a_file_of_an_instrument_are_read(raw):
    assert len(read_table(raw, "t.txt").frame) >= 2


TEAMS = ["Red,man,yes,7.5", "Blue,sex,no,1.25", "Red,man,no,3.5", "Green,sex,yes,8"]


@pytest.mark.parametrize(
    "names", [("1", "2", "3", "4"), ("0", "1", "2", "3"), ("Al", "Bo", "Cy", "Di")]
)
@pytest.mark.parametrize("corner", ["", '""'])
@pytest.mark.parametrize("n_columns", [1, 3])
def test_names_stand_beside_a_corner_without_one_above_words_alone(names, corner, n_columns):
    """As R and pandas write the names of rows, also where a header looks like the words below."""
    below = [
        ",".join([name, *row.split(",")[:n_columns]])
        for name, row in zip(names, TEAMS, strict=True)
    ]
    header = ",".join([corner, *("Band", "her", "who")[:n_columns]])
    table = read_table("\n".join([header, *below, ""]).encode(), "t.csv")
    assert [*table.frame][1:] == ["Band", "her", "who"][:n_columns]
    assert len(table.frame) == 4


@pytest.mark.parametrize("corner", ["", '""'])
def test_rows_with_an_empty_cell_below_a_corner_without_a_name_are_no_header(corner):
    rows = [f"{row},{row * 7 % 5}.5,{row % 3},{'no' if row > 3 else ''}" for row in range(1, 9)]
    table = read_table("\n".join([f"{corner},wage,educ,sex", *rows, ""]).encode(), "t.csv")
    assert [*table.frame][1:] == ["wage", "educ", "sex"]
    assert (len(table.frame), "header" in table.asked) == (8, False)
