"""Files as spreadsheets, instruments and people with no time write them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from melm_studio.tables import prepare, records
from melm_studio.tables.read import TableError, read_table


def read(text: str, encoding: str = "utf-8"):
    return read_table(text.encode(encoding), "data.csv")


# ----------------------------------------------------------------------------------- text and marks


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_zeros_where_it_has_no_mark(encoding):
    table = read("width,größe\n1,süß\n2,herb\n", encoding)
    assert list(table.frame.columns) == ["width", "größe"]
    assert table.frame["größe"].tolist() == ["süß", "herb"]
    assert table.steps == ("Read as UTF-16.",)


@pytest.mark.parametrize(
    "text", ["\ufeff\ufeffa,b\n1,2\n", "\n\ufeffa,b\n1,2\n", "a,\ufeffb\n1,2\n"]
)
def test_byte_order_marks_inside_do_not_become_part_of_a_name(text):
    assert list(read(text).frame.columns) == ["a", "b"]


def test_a_parquet_file_is_named():
    with pytest.raises(TableError, match="Parquet file"):
        read_table(b"PAR1\x15\x04\x15\x10PAR1", "data.csv")


@pytest.mark.parametrize("position", [0, 5, 40])
def test_a_zero_byte_anywhere_means_that_this_is_no_text(position):
    raw = bytearray(b"width,label\n" + b"1.5,a\n" * 10)
    raw[position] = 0
    with pytest.raises(TableError, match=r"is not a text file: .* Save the table as CSV"):
        read_table(bytes(raw), "data.csv")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_quoted_cell_keeps_its_line_break_whatever_it_is(ending):
    assert read(f'note,x{ending}"a{ending}b",1{ending}').frame["note"].tolist() == ["a\nb"]


# ----------------------------------------------------------------------------------------- comments


@pytest.mark.parametrize(
    "comments", ["# made by a spectrometer\n", "#\n# Monday, 9:30\n", "\n# one\n\n# two\n\n"]
)
def test_comments_at_the_top_are_skipped_and_counted(comments):
    table = read(f"{comments}x,y,label\n1,2,a\n")
    assert list(table.frame.columns) == ["x", "y", "label"]
    n_comments = comments.count("#")
    assert table.steps == (
        f"Skipped: {n_comments} comment line{'s'[: n_comments - 1]} at the top.",
    )


@pytest.mark.parametrize("mark", [",", "\t"])
def test_a_comment_of_several_lines_at_the_top_is_skipped(mark):
    about = (
        "/* DATA DESCRIPTION:\nCitation:\tSomebody (2020), of fish\n\nSize:\t2 data points\n*/\n"
    )
    table = read(f"{about}x{mark}y [mm]\n1{mark}2\n3{mark}4\n")
    assert list(table.frame.columns) == ["x", "y [mm]"]
    assert len(table.frame) == 2
    assert "Skipped: 4 comment lines at the top." in table.steps


def test_a_header_that_begins_a_comment_which_never_ends_is_the_header():
    assert list(read("/* x,y\n1,2\n3,4\n").frame.columns) == ["/* x", "y"]


def test_a_header_that_begins_with_the_comment_sign_is_the_header():
    assert list(read("# x,y\n1,2\n").frame.columns) == ["# x", "y"]
    assert list(read("# of Monday\n# x,y\n1,2\n").frame.columns) == ["# x", "y"]
    assert list(read('#,"x, or z",y\na,1,2\nb,3,4\n').frame.columns) == ["#", "x, or z", "y"]


@pytest.mark.parametrize("delimiter", ",;")
def test_the_line_that_tells_spreadsheets_the_delimiter_is_skipped(delimiter):
    table = read(f"sep={delimiter}\nx{delimiter}y\n1{delimiter}2\n")
    assert list(table.frame.columns) == ["x", "y"]
    assert "Skipped: 1 comment line at the top." in table.steps


def test_settings_above_the_rows_are_skipped():
    rows = "".join(f"0.{at} 0.{at % 3} {at % 2} {1 - at % 2}\n" for at in range(1, 8))
    table = read(f"real_in=2\nbool_out=2\n\nexamples=\n{rows}")
    assert table.frame.shape == (7, 4)
    assert "Skipped: 3 comment lines at the top." in table.steps


@pytest.mark.parametrize("last", ["#STRING,STRING,NUMBER\n", "#STRING,STRING,NUMBER\n#1,1,0\n"])
def test_kinds_and_ranks_of_columns_in_comments_are_no_names(last):
    above = f"#Patient,Type,Age\n#Its id,What it has,In years\n{last}"
    table = read(f"{above}PATIENT_ID,CANCER,AGE\nP1,skin,40\nP2,lung,51\n")
    assert [*table.frame] == ["PATIENT_ID", "CANCER", "AGE"]
    assert f"Skipped: {above.count('#')} comment lines at the top." in table.steps


@pytest.mark.parametrize(
    ("header", "row"), [("#900,901,902", "7,8,9"), ("#id,x,x", "a,1,2"), ("#id,x,y", "a,b,c")]
)
def test_the_last_comment_above_rows_has_their_names(header, row):
    table = read(f"# made today\n{header}\n{row}\n{row}\n")
    assert len(table.frame) == 2
    assert table.frame.columns[1] == header.split(",")[1]


@pytest.mark.parametrize("above", ["", "# made today, of two plots\n"])
@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("#plot tree kind", "1 7 oak\n2 8 elm\n"),
        ("# kind size tree", "oak 1.5 7\nelm 2 8\n"),
        ("% size kind of", "-1.5 oak 7\n2.5 elm 8\n"),
    ],
)
def test_a_comment_of_as_many_words_as_cells_that_spaces_part_has_their_names(above, line, rows):
    table = read(above + line + "\n" + rows)
    assert [*table.frame] == line.strip("#% ").split()
    assert len(table.frame) == 2
    assert any("Skipped: 1 comment" in step for step in table.steps) == bool(above)


@pytest.mark.parametrize(
    ("line", "rows", "first"),
    [
        ("# measured by hand\nkind 2019 2020", "oak 1.5 7\nelm 2 8\n", "kind"),
        ("# plot 7 trees each", "1 7 5 oak\n2 8 6 elm\n", "column 1"),
        ("# two of plots", "1 7 5 oak\n2 8 6 elm\n", "column 1"),
        ("# two trees", "1\toak\n2\telm\n", "column 1"),
    ],
)
def test_other_words_above_cells_that_spaces_part_are_a_comment(line, rows, first):
    table = read(line + "\n" + rows * 6)
    assert next(iter(table.frame)) == first
    assert "Skipped: 1 comment line at the top." in table.steps


def test_rows_are_counted_with_the_comments_above_them():
    with pytest.raises(TableError, match=r"Row 5 .* has 1 field where the header has 2"):
        read("# one\n# two\nx,y\n1,2\n3\n")


def test_a_cell_may_begin_with_the_comment_sign():
    assert read("x,colour\n1,#fff\n#2,#000\n").frame["colour"].tolist() == ["#fff", "#000"]


# ------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize("gap", [" ", "'", "’", "\u00a0", "\u2009", "\u202f"])
def test_thousands_that_are_set_apart_are_numbers(gap):
    table = read(f"x,label\n1{gap}234.5,a\n-12{gap}345{gap}678,b\n7,a\n")
    assert table.frame["x"].tolist() == [1234.5, -12345678.0, 7.0]
    assert table.steps == ("Thousands separators were removed (x).",)


def test_thousands_may_be_set_apart_by_the_other_mark():
    assert read('x,label\n"1,234.5",a\n"1,000,000",b\n').frame["x"].tolist() == [1234.5, 1e6]
    assert read("x;y\n1.234,5;0,5\n1.000.000;1,5\n").frame["x"].tolist() == [1234.5, 1e6]


def test_a_decimal_comma_in_quotation_marks_is_one_between_commas():
    table = read('x,label\n"1,5",a\n"0,123",b\n')
    assert table.frame["x"].tolist() == [1.5, 0.123]
    assert table.steps == ("Read as comma-separated with decimal comma.",)


@pytest.mark.parametrize("cell", ["1,23", "12,34,567", "1,234 567", "0,123", "1,2345"])
def test_commas_elsewhere_part_no_thousands(cell):
    table = read(f'x,y,label\n"{cell}",1.5,a\n"{cell}",2.5,b\n3.5,4.5,a\n4.5,5.5,b\n')
    assert table.frame["x"].tolist()[:1] == [cell]


def test_a_column_that_is_mostly_numbers_says_what_makes_it_text():
    rows = ["1,1", "2,2", "3,3", "4,n/d", "5,5", "6,n/d"]
    table = read("\n".join(["a,b", *rows]))
    assert table.frame["b"].tolist() == ["1", "2", "3", "n/d", "5", "n/d"]
    assert table.steps == (
        'b is read as text: 2 cells of 6 are not numbers, first "n/d" in row 5 (the first line is '
        "row 1). Empty these cells to have numbers.",
    )


def test_a_column_of_words_with_a_number_among_them_needs_no_word():
    assert read("a,b\n1,one\n2,two\n3,3\n").steps == ()


@pytest.mark.parametrize("blank", [" ", "   ", "\t", '" "', '"\u00a0"'])
def test_blank_cells_are_missing(blank):
    frame = read(f"x,y,label\n1,2,a\n{blank},3,{blank}\n4,5,b\n").frame
    assert frame["x"].isna().tolist() == [False, True, False]
    assert frame["label"].isna().tolist() == [False, True, False]


def test_dates_are_text():
    days = ["2024-01-31", "2024-02-01"]
    assert read("day,x\n" + "".join(f"{day},1\n" for day in days)).frame["day"].tolist() == days


# ----------------------------------------------------------------------------------- rows and names


def test_trailing_delimiters_part_no_column_off_unless_a_row_has_a_cell_behind():
    table = read("x,y,\n1,2,\n3,4,\n")
    assert table.frame.to_dict("list") == {"x": [1.0, 3.0], "y": [2.0, 4.0]}
    assert [*read("x,y,\n1,2,\n3,4,5\n").frame] == ["x", "y", "column 3"]
    assert [*read("x;y;;;\n1;2;;; \n\n3;;;;\n").frame] == ["x", "y"]
    assert [*read("x,y,,,\n1,2,,,\n3,4,5,,\n").frame] == ["x", "y", "column 3"]


@pytest.mark.parametrize("last", ["yes", "yes;", "yes; and no", "yes; and no;"])
@pytest.mark.parametrize("quoted", ["x", '"How, and why?"'])
def test_another_delimiter_at_the_ends_of_lines_parts_no_cells(last, quoted):
    """As of forms, where one answer has it within and another lacks it."""
    rows = "".join(f"{at},{at % 7},maybe;\n" for at in range(12))
    table = read(f"id,{quoted},why;\n{rows}12,3,{last}\n")
    assert [*table.frame] == ["id", quoted.strip('"'), "why"]
    assert table.frame["why"].tolist() == ["maybe"] * 12 + [last.removesuffix(";")]
    assert table.frame.iloc[-1, 1] == 3


@pytest.mark.parametrize("n_behind", [1, 3])
def test_delimiters_behind_samples_in_columns_part_no_sample_off(n_behind):
    names = [f"{kind}_{at}" for kind in ("ctrl", "trt") for at in range(4)]
    rows = [["gene", *names], *([f"g{g}", *((g * 7 + n) % 9 for n in range(8))] for g in range(90))]
    raw = "".join(",".join(map(str, row)) + "," * n_behind + "\n" for row in rows)
    assert read(raw).frame["sample"].tolist() == names


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
@pytest.mark.parametrize("words", [2, 3, 4])
def test_words_in_the_names_of_rows_part_no_columns_off_beside_delimiters(words, mark):
    names = [f"S{at}" + " area" * (words - 1) for at in range(8)]
    rows = [["row ID", "x", "kind"], *([name, f"{len(name)}.5", "u"] for name in names)]
    table = read("".join(mark.join(row) + "\n" for row in rows))
    assert [*table.frame] == ["row ID", "x", "kind"]
    assert table.frame["row ID"].tolist() == names


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", " \r\n"])
@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_delimiters_at_the_ends_of_all_rows_but_the_header_part_no_column_off(mark, end):
    rows = "".join(mark.join((f"s{at}", f"{at}.5", "", end)) for at in range(9))
    frame = read(mark.join(("name", "x", "y")) + end + rows).frame
    assert [*frame] == ["name", "x", "y"]
    assert frame["name"].tolist() == [f"s{at}" for at in range(9)]
    assert frame["y"].isna().all()


def test_delimiters_at_the_ends_of_some_rows_alone_get_a_sentence():
    with pytest.raises(TableError, match=r"Row 2 .* has 3 fields where the header has 2\. Give"):
        read("x,y\n1,2,\n3,4\n5,6,\n")


def test_only_empty_headers_are_named_by_their_place():
    assert list(read(",\n1,2\n").frame.columns) == ["column 1", "column 2"]


def test_many_columns_of_one_name_are_told_apart():
    frame = read(",".join(["x"] * 2_000) + "\n" + ",".join(["1"] * 2_000) + "\n").frame
    assert frame.columns.is_unique
    assert frame.columns[-1] == "x (2000)"


def test_a_name_of_a_million_characters_in_a_file_of_a_program_gets_a_sentence():
    with pytest.raises(TableError, match="The name of column 2 has 1,000,000 characters, but at"):
        read(f"x\t{'n' * 1_000_000}\nd\tc\n\tclass\n" + "1\tu\n2\tv\n" * 6)


@pytest.mark.parametrize("n_letters", [250, 1_500])
@pytest.mark.parametrize("kind", ["proteins", "JSON"])
def test_a_long_name_is_cut_as_one_of_text_in_other_formats(kind, n_letters):
    long = "P" * n_letters
    if kind == "JSON":
        raw = str([{"x": at, f"{long}1": at % 3} for at in range(8)]).replace("'", '"')
    else:
        header = ["Protein IDs", *(f"LFQ intensity s{at}" for at in range(4))]
        rows = [[f"{long}{protein}", *(protein + at for at in range(4))] for protein in range(8)]
        raw = "".join("\t".join(map(str, row)) + "\n" for row in [header, *rows])
    table = read(raw)
    name = next(name for name in table.frame if name.endswith("P1"))
    assert len(name) == min(n_letters + 1, 1_000)
    cut = [
        step for step in table.steps if step.startswith("Names of over 1,000 characters are cut")
    ]
    assert len(cut) == (n_letters > 1_000)


def test_a_name_of_a_million_characters_is_cut_in_its_middle_and_the_step_says_so():
    table = read(f"x,a{'n' * 1_000_000}z\n1,2\n")
    (_, name) = table.frame.columns
    assert (len(name), name[0], name[-1]) == (1_000, "a", "z")
    assert any(step.startswith("Names of over 1,000 characters are cut") for step in table.steps)


@pytest.mark.slow
def test_a_cell_of_a_million_characters_is_read():
    frame = read(f"note,x\n{'n' * 1_000_000},1\nshort,2\n").frame
    assert frame["note"].map(len).tolist() == [1_000_000, 5]


# --------------------------------------------------------------------- what would take all there is

LONG = 400_000


@pytest.fixture
def short_records(monkeypatch):
    """Records may be 300,000 characters long, so that files beyond are quickly made."""
    monkeypatch.setattr(records, "MAX_RECORD", 300_000)


@pytest.mark.parametrize(
    ("raw", "row"),
    [
        (b"," * LONG, 1),
        (b"1;" * LONG, 1),
        (b"x" * LONG, 1),
        (b'"' * LONG, 1),
        (b'a,b\n1,2\n"' + b"1,2\n" * LONG, 3),
        (b"a,b\n" + b'"\n",' * LONG, 2),
    ],
    ids=[
        "delimiters",
        "cells",
        "no delimiter",
        "quotes",
        "open quotation",
        "one row of many lines",
    ],
)
def test_a_row_without_end_gets_a_sentence_before_it_is_read(short_records, raw, row):
    expected = f"Row {row} (the first line is row 1) is longer than 300,000 characters. Close a"
    with pytest.raises(TableError) as refusal:
        read_table(raw, "data.csv")
    assert str(refusal.value).startswith(expected)


@pytest.mark.parametrize(
    "raw",
    [
        b"a,b\nx,1\n" + b"9" * LONG + b",2\n",
        b"a,b\nx,1\n1e" + b"9" * LONG + b",2\n",
        b'a,b\nx,1\n"1' + b",234" * (LONG // 4) + b'x",2\n',
        b"a,b\n" + b" " * LONG + b",2\n",
        b"#\n" * LONG + b"a,b\n1,2\n",
        b"\n" * LONG + b"a,b\n1,2\n",
        b"a,b\n" + b"#,1\n" * (LONG // 16),
        b"a,b\n" + b'"",\n' * (LONG // 16),
    ],
    ids=["digits", "exponent", "thousands", "spaces", "comments", "lines", "marks", "quotes"],
)
def test_no_repetition_takes_for_ever(raw):
    assert read_table(raw, "data.csv").frame.shape[1] == 2


def test_numbers_beyond_all_bounds_are_missing():
    table = read(f"a,b\n{'9' * 1000},1\n1e400,2\n5,3\n")
    assert math.isnan(table.frame["a"][0])
    np.testing.assert_array_equal(table.frame["a"].isna(), [True, True, False])
    assert table.steps == ("Counted as missing: 2 infinite values (a).",)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"x": 1, "kind": "a"}', "is JSON without a table"),
        ("^DATABASE = GeoMiame\n^SERIES = GSE1\n", "is a family of GEO"),
        ("ONTOLOGY SOURCE REFERENCE\nTerm Source Name\n", "is an investigation of ISA-Tab"),
        ("<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>", "is a web page"),
        ("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\n1\t5\trs1\n", "is a file of variants"),
        ('<?xml version="1.0"?><rows/>', "is an XML document"),
    ],
)
def test_text_that_is_no_table_is_named_by_how_it_begins(text, what):
    with pytest.raises(TableError, match=what):
        read(text)


def test_empty_rows_at_the_end_are_no_rows():
    table = read("x,y,kind\n1,2,a\n3,4,b\n,,\n,,\n")
    assert len(table.frame) == 2
    assert table.steps == ("Left out: 2 empty rows at the end.",)


def test_a_last_row_that_has_only_a_name_is_no_note():
    table = read("name,x,y\na,1,2\nb,3,4\nc,,\n")
    assert table.frame["name"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("n_told", [12, 30])
def test_asterisks_among_numbers_are_numbers_that_are_not_told_even_if_most_are(n_told):
    """Also right below the header, to which they do not belong."""
    cells = ["**" if at >= n_told else at / 7 for at in range(60)][::-1]
    rows = "".join(f"t{at},{cell},{at * 5 % 7},{'ab'[at % 2]}\n" for at, cell in enumerate(cells))
    table = read_table(f"town,crime,size,kind\n{rows}".encode(), "t.csv")
    assert [*table.frame] == ["town", "crime", "size", "kind"]
    assert table.frame["crime"].isna().sum() == 60 - n_told
    assert any("Counted as missing" in step for step in table.steps)


def test_asterisks_that_stand_beside_one_number_alone_are_words():
    rows = "".join(f"{at / 7},{'*' if at % 3 else 0},{'ab'[at % 2]}\n" for at in range(60))
    data = prepare(read_table(f"x,significant,kind\n{rows}".encode(), "t.csv"))
    assert "significant = *" in data.feature_names
