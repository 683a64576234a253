"""Titles, headers of several rows, units and totals around a table, and tables on their side."""

from __future__ import annotations

import pandas as pd
import pytest

from melm_studio.tables import NO_LABEL, ReadOptions, TableError, prepare, read_table

TWO_HEADERS = """sample,abs,,,ref,class
,254 nm,280 nm,320 nm,254 nm,
a,1,2,3,4,x
b,2,3,1,4,y
c,3,1,5,4,x
"""
UNITS = """sample,sugar,acid,class
,[mg/l],(g/l),
a,1,2,x
b,<2,3,y
c,3,1,x
"""
GENES = """gene,s1,s2,s3,s4
arm,ctrl,ctrl,case,case
TP53,1,2,3,4
BRCA,2,3,1,4
EGFR,3,1,5,4
"""
PLAIN = """class,a,b
x,1,2
y,2,3
x,3,4
"""


def read(text, **options):
    return read_table(text.encode(), "t.csv", options=ReadOptions(**options))


def test_the_parts_of_a_header_in_two_rows_are_joined():
    table = read(TWO_HEADERS)
    names = ["sample", "abs 254 nm", "abs 280 nm", "abs 320 nm", "ref 254 nm", "class"]
    assert list(table.frame) == names
    assert table.frame["abs 280 nm"].tolist() == [2, 3, 1]
    assert table.steps[0].startswith("2 header rows were joined: abs 254 nm")


def test_three_rows_of_merged_names_make_one_of_each_column():
    levels = ",Price,,,,Sales,,,\n,low,,high,,low,,high,\nyear,oak,ash,oak,ash,oak,ash,oak,ash\n"
    rows = "".join(
        f"Q{at}" + "".join(f",{at * k % 7}.5" for k in range(8)) + "\n" for at in range(6)
    )
    table = read(levels + rows)
    assert [*table.frame][1:4] == ["Price low oak", "Price low ash", "Price high oak"]
    assert [*table.frame][-1] == "Sales high ash"
    two = "\n".join(["year,,,,,,,,", *levels.split("\n")[1:]])
    assert [*read(two + rows).frame][:3] == ["year", "low oak", "low ash"]


def test_years_beside_a_name_that_is_missing_are_a_header_below_titles_and_above_notes():
    titles = '"Profits"\n"[Billions of dollars]" \n"Line"," ",' + ",".join(
        map(str, range(1987, 1995))
    )
    rows = "".join(f'\n"{at}","  industry {at}"' + f",{at}.5" * 8 for at in range(1, 12))
    notes = '\n"Legend / Footnotes:"\n"Note. Of the industries of 1987."\n'
    table = read(titles + rows + notes)
    assert [*table.frame] == ["Line", "column 2", *map(str, range(1987, 1995))]
    assert len(table.frame) == 11


def test_a_row_of_units_names_the_units_of_the_columns():
    table = read(UNITS)
    assert list(table.frame) == ["sample", "sugar [mg/l]", "acid [g/l]", "class"]
    assert table.frame["sugar [mg/l]"].tolist() == [1, 1, 3]


def test_below_merged_names_what_may_be_units_names_the_columns():
    text = "sample,Control,,Treated,,class\n,N,P,N,P,\na,1,2,3,4,x\nb,2,3,1,4,y\nc,3,1,5,4,x\n"
    names = ["Control N", "Control P", "Treated N", "Treated P"]
    assert [*read(text).frame][1:5] == names


def test_years_above_parts_of_them_are_joined():
    rows = "".join(f"f{at},{at}.5,2,{at}.25,4\n" for at in range(12))
    raw = f"firm,2019,,2020,\n,H1,H2,H1,H2\n{rows}".encode()
    expected = ["firm", "2019 H1", "2019 H2", "2020 H1", "2020 H2"]
    assert [*read_table(raw, "t.csv").frame] == expected
    assert "H1" not in [*read_table(raw.replace(b",H1,H2,H1,H2", b"g,1,2,3,4"), "t.csv").frame]


def test_a_header_under_titles_is_joined_too_and_rows_are_named_by_their_place_in_the_file():
    rows = UNITS.replace("a,1,2,x", "a,1,word,x") + "d,3,1,y\n" * 20
    table = read("Report of spring\n\n" + rows)
    assert "Skipped: 1 title line at the top." in table.steps
    assert any("row 5 (the first line is row 1)" in step for step in table.steps)


@pytest.mark.parametrize("word", ["Total", "SUM:", "Mittelwert"])
def test_a_row_of_totals_at_the_end_is_left_out(word):
    table = read(TWO_HEADERS + f"{word},6,6,9,12,\n")
    assert len(table.frame) == 3
    assert table.steps[-1] == f'Left out: 1 row at the end ("{word}").'


SETTINGS = "stored\n\nFlow cell: 250\nGains:\n,Green: 1.0\nPressure:\n0.00;5.80\n"


def test_settings_below_an_empty_row_are_no_rows():
    rows = "".join(f"{at},{at % 7},{at % 5},{at % 3},4,5,6,kind {at % 2}\n" for at in range(30))
    table = read(f"id,a,b,c,d,e,f,g\n{rows}\n{SETTINGS}")
    assert len(table.frame) == 30
    assert "Left out: 6 lines of notes below the rows." in table.steps
    with pytest.raises(TableError, match="1 field"):
        read(f"id,a,b,c,d,e,f,g\n{rows}0.78\n")


def test_a_class_named_total_is_a_class():
    assert len(read(PLAIN.replace("y,", "total,") + "total,5,6\n").frame) == 4


def test_samples_in_columns_become_rows():
    table = read(GENES)
    assert list(table.frame) == ["gene", "arm", "TP53", "BRCA", "EGFR"]
    assert table.frame["arm"].tolist() == ["ctrl", "ctrl", "case", "case"]
    assert table.frame["EGFR"].tolist() == [3, 1, 5, 4]
    assert table.steps[0].startswith("Turned: the 4 columns of the file are samples")


@pytest.mark.parametrize("samples", ["auto", "rows"])
def test_the_head_of_the_turned_table_is_shown_however_it_is_read(samples):
    assert read(GENES, samples=samples).turned == (
        ("gene", "arm", "TP53", "BRCA", "EGFR"),
        ("s1", "ctrl", "1", "2", "3"),
        ("s2", "ctrl", "2", "3", "1"),
        ("s3", "case", "3", "1", "5"),
        ("s4", "case", "4", "4", "4"),
    )


@pytest.mark.parametrize("place", ["below", "in names"])
def test_the_head_of_the_turned_table_has_the_groups_wherever_they_stand(place):
    names = [f"{'ill' if at % 2 else 'well'}_{at}" for at in range(6)]
    rows = [[f"G{at}", *(str(at + 2 * j) for j in range(6))] for at in range(6)]
    groups = [["kind", *(name[:-2] for name in names)]] if place == "below" else []
    table = read("\n".join(map(",".join, [["gene", *names], *rows, *groups])))
    assert [row[-1] for row in table.turned[1:]] == ["well", "ill", "well", "ill"]
    assert table.turned[0] == ("gene", "G0", "G1", "G2", "kind" if groups else "group")


def matrix(corner, names):
    rows = [[f"g{row}", *((3 * row + at) % 4 for at in range(len(names)))] for row in range(8)]
    return "\n".join(",".join(map(str, line)) for line in ([corner, *names], *rows))


def test_numbers_of_one_kind_without_groups_have_no_label_whichever_way_around():
    text = matrix("", ["s1", "s2", "s3", "s4"])
    for samples, shape in (("auto", (8, 5)), ("rows", (8, 5)), ("columns", (4, 9))):
        table = read(text, samples=samples)
        assert table.frame.shape == shape
        data = prepare(table)
        assert data.label == NO_LABEL
        (said,) = (step for step in data.warnings if "numbers are all of one kind" in step)
        assert "add a row with the group of each, or drop a .zip of this table" in said
        assert "add a column with the class of each" in said


def test_a_label_is_used_although_all_numbers_are_of_one_kind():
    table = read(matrix("", ["s1", "s2", "s3", "s4"]))
    data = prepare(table, answers={"label": "s2"})
    assert data.feature_names == ("s1", "s3", "s4")
    asked = {question.id: question for question in data.questions}["samples"]
    assert asked.default == "rows"
    assert asked.preview[:2] == (("", "g0", "g1", "g2", "g3"), ("s1", "0", "3", "2", "1"))


def far_more(corner, names, things):
    rows = [[thing, *((3 * row + at) % 7 for at in range(len(names)))] for row, thing in things]
    return read("\n".join(",".join(map(str, line)) for line in ([corner, *names], *rows)))


@pytest.mark.parametrize(
    ("groups", "n_rows", "are_samples"),
    [
        (["DLBCL", "DLBCL", "FL", "FL", "CLL", "CLL"], 40, True),
        (["A", "A", "B", "B", "C", "C"], 40, True),
        (["mm", "mm", "kg", "kg", "ml", "ml"], 40, False),
        (["DLBCL", "DLBCL", "FL", "FL", "CLL", "MCL"], 40, False),  # one alone
    ],
)
@pytest.mark.parametrize("first", ["p", "13579"])
def test_groups_between_names_and_many_rows_of_numbers_are_of_samples(
    groups, n_rows, are_samples, first
):
    rows = [
        [f"{first}{at}", *(f"{(at * 7 + j * j) % 11}.5" for j in range(6))] for at in range(n_rows)
    ]
    lines = [["", *(f"DL-{j}" for j in range(6))], ["", *groups], *rows]
    table = read("\n".join(map("\t".join, lines)))
    assert (len(table.frame) == 6) is are_samples
    if are_samples:
        data = prepare(table)
        assert (data.label, len(data.feature_names)) == ("group", n_rows)
        assert "samples" in table.asked


@pytest.mark.parametrize(("first", "is_asked"), [(1, False), (100, False), (7157, True)])
def test_numbers_that_count_the_rows_are_no_ids_of_genes(first, is_asked):
    """Entrez ids do not count up by one."""
    step = 13 if is_asked else 1
    things = [(row, first + step * row) for row in range(60)]
    table = far_more("id", ["y1", "y2", "y3", "y4", "y5"], things)
    assert ("samples" in {question.id for question in prepare(table).questions}) is is_asked


@pytest.mark.parametrize(
    ("name", "words", "are_features"),
    [
        ("DOMAIN", ["VS"], False),
        ("EXDOSU", ["mg"], False),  # milligrams, and no monoglycerides
        ("domain", ["Bacteria", "Archaea"], True),
        ("class", ["MG", "TG", "DG"], True),
    ],
)
def test_one_word_in_all_rows_is_no_taxon_of_these(name, words, are_features):
    rows = [f"r{row},{words[row % len(words)]},{row % 5},{row % 7},{row % 3},{row}"
            for row in range(12)]  # fmt: skip
    table = read("\n".join([f"record,{name},a,b,c,d", *rows]))
    assert (table.asked.get("samples") == f"{name} says what rows are") is are_features


def test_far_more_named_rows_than_alike_columns_are_features_whose_samples_have_groups():
    names = [f"Sample_{at}_Kind{at % 3}_{'AB'[at % 2]}" for at in range(6)]
    table = far_more("", names, [(row, f"p{row}") for row in range(60)])
    data = prepare(table)
    assert (len(data.y), data.label) == (6, "group")
    asked = {question.id: question for question in data.questions}
    assert [choice.value for choice in asked["label"].choices] == ["group", "group 2", NO_LABEL]
    assert asked["samples"].default == "columns"
    few = far_more("", names, [(row, f"p{row}") for row in range(20)])
    assert "samples" not in few.asked


def test_far_more_numbered_rows_than_alike_columns_are_asked_about():
    names = [f"{at}_{at % 2}:0_Rep{at}" for at in range(6)]
    table = far_more("Tag_ID", names, [(row, 6_900_000 + row // 2) for row in range(60)])
    assert table.frame.shape == (60, 7)
    assert "samples" in table.asked


@pytest.mark.parametrize(("last", "is_asked"), [(60, True), (59, True), (20, False)])
def test_genes_of_which_some_have_several_probes_are_asked_about(last, is_asked):
    symbols = [(row, f"GENE{row % last}") for row in range(60)]
    table = far_more("Symbol", [f"T{at}" for at in range(12)], symbols)
    assert ("samples" in table.asked) is is_asked


def test_masses_and_times_beside_far_more_rows_are_of_features():
    names = [f"X2021_neg{at:02}" for at in range(5)]
    things = [(row, f"M{row},{row + 0.5},{row * 7 % 60}") for row in range(60)]
    table = far_more("variable_id,mz,rt", names, things)
    assert table.frame.shape == (5, 61)


@pytest.mark.parametrize(
    "names",
    [["s1", "s2", "s3", "price"], ["x", "y", "z", "u"], ["1.5", "0.5", "2.5", "7", "3", "9"]],
    ids=["another at the end", "names", "no order"],
)
def test_numbers_of_several_kinds_may_have_the_label_among_them(names):
    assert "samples" not in read(matrix("", names)).asked


@pytest.mark.parametrize("corner", ["gene_id", "GeneID", "ID_REF", "probe", "#NAME"])
def test_genes_may_be_named_by_numbers(corner):
    text = matrix(corner, ["liver", "kidney", "spleen", "gut"])
    numbered = "\n".join(line.removeprefix("g") for line in text.splitlines()[1:])
    header = text.splitlines()[0]
    assert "samples" in read(f"{header}\n{numbered}").asked
    assert "samples" not in read(f"{header.replace(corner, 'day')}\n{numbered}").asked


def test_a_table_is_not_turned_against_its_owner():
    assert read(GENES, samples="rows").frame.shape[1] == 5
    turned = read(PLAIN, samples="columns")
    assert next(iter(turned.frame)) == "class"
    assert turned.frame["class"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "x,y\n1,2\n3,4\n",
        "a,b,label\n<0.5,>100,x\n1.5,7,y\n" * 1,
        "a,b,label\nlow,high,x\n1.5,7,y\n2,7,x\n3,8,y\nlow,2,x\n",  # text further below too
        "a,b,label\n,,x\n1.5,7,y\n2,7,x\n",
        "city,2001,2002,2003\nx,1,2,3\ny,2,3,4\nz,3,4,5\n",
        "town,logFC,mean,t,pvalue\na,1,2,3,4\nb,1,5,3,4\nc,1,2,3,7\nd,4,2,3,4\n",
        "town,pvalue,a_1,a_2,b_1,b_2\na,1,2,3,4,5\nb,1,5,3,4,5\nc,1,2,3,7,5\nd,4,2,3,4,6\n",
    ],
)
def test_a_table_with_one_header_is_left_as_it_is(text):
    table = read(text)
    assert list(table.frame) == text.splitlines()[0].split(",")
    assert len(table.frame) == len(text.splitlines()) - 1
    assert not any("joined" in step or "Turned" in step for step in table.steps)


@pytest.mark.parametrize(
    ("years", "row", "is_header"),
    [
        (",,2020,2020,2020", "", True),
        (",,1998,1998,1998", "", True),
        (",,2020,2021,2020", "", False),
        (",,2020,2020,2020", "z,q,7,2020,1\n", False),
        (",,2020,2020,", "", False),
        (",,3020,3020,3020", "", False),
    ],
    ids=["year", "another", "two", "recurs", "incomplete", "no year"],
)
def test_one_year_above_all_numbers_is_no_sample(years, row, is_header):
    rows = "".join(f"t{at},{'pq'[at % 2]},{at}.5,{at * at},{9 - at}\n" for at in range(8))
    table = read(f"town,kind,a,b,c\n{years}\n{rows}{row}")
    assert ("header" in table.asked) == is_header
    n_rows = 8 + bool(row) + (not is_header)
    assert len(table.frame) == n_rows
    assert [*table.frame][2].split()[0] == "a"


QUOTED = "mass,note,kind\n" + "".join(
    f'{at / 7},"a, ""{at % 5}""",{"pq"[at % 2]}\n' for at in range(40)
)


@pytest.mark.parametrize("header", [True, False], ids=["quoted", "plain"])
@pytest.mark.parametrize("behind", ["", ";;", ","])
def test_lines_that_are_one_quoted_cell_each_are_rows(header, behind):
    def as_one_cell(line):
        return '"' + line.replace('"', '""') + '"' + behind

    first, *lines = QUOTED.splitlines()
    wrapped = [as_one_cell(first) if header else first, *map(as_one_cell, lines)]
    found = read("\n".join(wrapped))
    pd.testing.assert_frame_equal(found.frame, read(QUOTED).frame)
    assert found.steps[0].startswith("Each line was quoted")


def test_lines_are_unwrapped_only_where_all_have_as_many_cells():
    some = QUOTED.splitlines()
    some[3] = '"' + some[3].replace('"', '""') + '"'
    assert len(read("\n".join(some)).frame) == 40
    sentences = "text\tkind\n" + '"one, two"\t\n"three, four, five"\ta\n' * 9
    assert read(sentences).frame["text"].nunique() == 2


PEOPLE = "name,work,age,has kids,from,to\n"
PERSONS = "".join(f"p{at},{'ab'[at % 2]},{20 + at},{at % 3 == 0},X{at},Y{at}\n" for at in range(12))


@pytest.mark.parametrize(
    "titles",
    [
        "A list,,,,,\nof persons,,,,see,below\nwith,their,,ages,,\nor,,,,what,\n",
        "as of,,,May 5,,\n",
        "A list\n\nby,,,us,,\n",
        "A list,,,,,\n1990,,,2,,\nand,others,,,,\n",
    ],
)
def test_titles_of_any_number_of_cells_are_skipped(titles):
    table = read(f"{titles}{PEOPLE}{PERSONS}")
    assert [*table.frame] == ["name", "work", "age", "has kids", "from", "to"]
    assert len(table.frame) == 12
    assert table.frame["age"].tolist() == [*range(20, 32)]


def test_names_that_recur_are_not_completed_by_a_title():
    table = read("as of,,,May 5,,\nname,work,age,has kids,to,to\n" + PERSONS)
    assert [*table.frame] == ["name", "work", "age", "has kids", "to", "to (2)"]


@pytest.mark.parametrize("gap", ["", "\n"])
def test_names_of_some_columns_below_titles_are_a_header(gap):
    rows = "".join(f"{at},p{at},{90 - at},{at % 5 - 2},x,y\n" for at in range(1, 13))
    titles = "Contents,,,,,\nTable 1,,,,,England\n"
    table = read(f"{titles},name,count,since 1996,a,b\n{gap}{rows}")
    assert [*table.frame] == ["column 1", "name", "count", "since 1996", "a", "b"]
    assert table.frame["count"].tolist() == [*range(89, 77, -1)]


@pytest.mark.parametrize("title", ["", "scale"])
def test_names_of_what_names_the_rows_may_stand_below_those_of_numbers(title):
    rows = "".join(f"{'mf'[at % 2]},{at},g{at % 3},{at}.5,{at * 7 % 5}\n" for at in range(12))
    table = read(f"{title},,,low,high\nsex,nr,group,,\n{rows}")
    assert [*table.frame] == [
        f"{title} sex".strip(),
        *([f"{title} nr", f"{title} group"] if title else ["nr", "group"]),
        "low",
        "high",
    ]
    assert len(table.frame) == 12


def test_a_first_row_without_numbers_is_no_header():
    rows = "".join(f"{'mf'[at % 2]},g{at % 3},{at}.5,{at * 7 % 5}\n" for at in range(12))
    table = read(f"sex,,low,high\nm,g9,,\n{rows}")
    assert len(table.frame) == 13


def test_a_delimiter_at_the_end_of_each_line_is_no_column_without_a_name():
    years = ";".join(map(str, range(2001, 2009)))
    rows = "".join(f"f{at};" + f"{at}.5;" * 8 + "\n" for at in range(12))
    table = read_table(f"Farms\nRegion:;north\n\n;{years};\n{rows}".encode(), "t.csv")
    assert [*table.frame][1:9] == [*map(str, range(2001, 2009))]


ASIDE = "Some,,,,,\n,also write,,,,\n,,at the,bottom,,\n"


def test_words_aside_below_the_rows_are_notes():
    table = read(f"{PEOPLE}{PERSONS}{ASIDE}")
    assert len(table.frame) == 12
    assert "Left out: 3 lines of notes below the rows." in table.steps


def test_rows_with_few_cells_among_others_are_rows():
    assert len(read(f"{PEOPLE}{PERSONS}{ASIDE}p,a,30,True,X,Y\n{ASIDE}").frame) == 19
    few = "".join(PERSONS.splitlines(keepends=True)[:4])
    assert len(read(f"{PEOPLE}{few}" + "p8,b,,,,\n" * 3).frame) == 7
    sparse = "".join(f"p{at},,,,,\n" for at in range(6))
    assert len(read(f"{PEOPLE}{sparse}{PERSONS}{sparse}").frame) == 24


@pytest.mark.parametrize(
    ("other", "n_columns"),
    [
        (("id", "time", "status"), 3),  # names its own rows
        (("later", "time", "status"), 6),  # more columns of the same rows
    ],
)
def test_tables_side_by_side_that_name_their_rows_alike_are_no_one_table(other, n_columns):
    lines = [["id", "age", "arm", "", *other]]
    lines += [
        [f"a{at}", f"{30 + at}", "xy"[at % 2], "", f"b{at}", f"{at}", "0"] for at in range(12)
    ]
    table = read("\n".join(map(",".join, lines)))
    assert table.frame.notna().any().sum() == n_columns
    assert any("Another table stands beside it" in step for step in table.steps) == (n_columns == 3)


def test_words_beside_numbers_of_the_same_rows_name_these():
    lines = [["", "", "", "low", "high"], ["sex", "group", "", "", ""]]
    lines += [["mf"[at % 2], f"g{at % 3}", "", f"{at}", f"{at % 5}.5"] for at in range(12)]
    table = read("\n".join(map(",".join, lines)))
    assert [*table.frame.dropna(axis=1, how="all")] == ["sex", "group", "low", "high"]
