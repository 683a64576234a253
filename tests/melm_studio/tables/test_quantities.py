"""Numbers with what people write around them, alone and as columns of a table."""

from __future__ import annotations

import datetime as dt
import io

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from melm_core.base import Quantity, quantity
from melm_studio.tables import Role, prepare, read_table
from melm_studio.tables.quantities import conversion, is_unit, with_unit, without_unit


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("€1,234.50", 1234.5, "€"),
        ("US$ 1,234", 1234.0, "US$"),
        ("-$12", -12, "$"),
        ("$-12", -12, "$"),
        ("12 USD", 12, "USD"),
        ("7'500 CHF", 7500, "CHF"),
        ("12.3%", 12.3, "%"),
        ("12 %", 12, "%"),
        ("18.3 mg/kg", 18.3, "mg/kg"),
        ("1.2e3 µg", 1200, "µg"),
        ("(1,234)", -1234, ""),
        ("−3.1×10^4", -31000, ""),
        ("4.5 x 10-3 mol/l", 0.0045, "mol/l"),
        ("21.5°C", 21.5, "°C"),
        ("2 m²", 2, "m²"),
        ("10 s-1", 10, "s-1"),
        ("5 mm Hg", 5, "mm Hg"),
    ],
)
def test_a_number_is_read_with_what_stands_around_it(cell, value, unit):
    assert quantity(cell, ".") == Quantity(value, unit)


@pytest.mark.parametrize(
    "cell",
    ["12:30", "2020-01-02", "5-10", "5 to 10", "1.2.3", "(5", "5)", "--5", "a5", "1 = low", "7/8",
     "€5 USD", "3 km N of X", "2 mi SSW", "", "%", "5 " + "a" * 17, "1" * 100],
)  # fmt: skip
def test_what_is_no_number_is_left_alone(cell):
    assert quantity(cell, ".") is None


@pytest.mark.parametrize(
    ("cell", "other", "value"),
    [
        ("9,00E+13", "0.5", 9e13),
        ("-1,5e-3", "0.5", -0.0015),
        ("9.00E+13", "0,5", 9e13),
        ("9,00", "0.5", None),
        ("9,00 E", "0.5", None),
    ],
)
def test_a_number_with_an_exponent_has_either_decimal_mark(cell, other, value):
    rows = "".join(f"{at};{cell if at == 3 else at};{other}\n" for at in range(40))
    numbers = read_table(f"id;budget;rate\n{rows}".encode(), "t.csv").frame["budget"]
    assert numbers[3] == value if value else np.isnan(numbers[3])


@given(st.floats(-1e12, 1e12), st.sampled_from(["", " mg", "%", " €", " g/l"]))
def test_a_number_with_a_unit_is_that_number(value, unit):
    assert quantity(f"{value!r}{unit}", ".").value == value


@given(st.text(max_size=80), st.sampled_from(".,"))
def test_no_text_is_too_odd(cell, decimal):
    found = quantity(cell, decimal)
    assert found is None or np.isfinite(found.value) or "e" in cell.casefold() or "10" in cell


@pytest.mark.parametrize(
    ("source", "target", "factor", "offset"),
    [
        ("g/kg", "mg/kg", 1000, 0),
        ("µg/l", "mg/l", 1e-3, 0),
        ("°C", "°F", 1.8, 32),
        ("mmHg", "kPa", 0.133322387415, 0),
    ],
)
def test_units_of_one_kind_are_converted(source, target, factor, offset):
    assert conversion(source, target) == pytest.approx((factor, offset))


@pytest.mark.parametrize(
    ("source", "target"), [("kg", "m"), ("", "%"), ("€", "$"), ("beds", "kg"), ("10**9", "m")]
)
def test_units_of_two_kinds_are_not(source, target):
    assert conversion(source, target) is None


def test_words_are_no_units():
    assert [is_unit(word) for word in ("mg/l", "%", "€", "control", "mean", "")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["sugar", "a b", "x [1] y"])
def test_a_unit_joins_a_name_and_leaves_it(name):
    assert without_unit(with_unit(name, "mg/kg")) == (name, "mg/kg")
    assert with_unit("sugar (MG/KG)", "mg/kg") == "sugar (MG/KG)"


def _column(cells, decimal="."):
    separator = ";" if decimal == "," else "\t"
    rows = [f"{cell}{separator}{'xy'[i % 2]}" for i, cell in enumerate(cells)]
    table = read_table("\n".join([f"v{separator}label", *rows]).encode(), "t.csv")
    return table.frame.iloc[:, 0], table


def test_the_unit_stands_in_the_name_and_is_said():
    column, table = _column(["18,3 mg/kg", "17,2 mg/kg", "16,1 mg/kg"], ",")
    assert column.name == "v [mg/kg]"
    assert column.tolist() == [18.3, 17.2, 16.1]
    assert "Units were read with the numbers: v in mg/kg." in table.steps


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("contact_address", "contact_address"),
        ("Street", "Street"),
        ("streets", "streets [Hill Rd]"),
        ("address size", "address size [Hill Rd]"),
    ],
)
def test_numbers_of_houses_in_a_street_have_no_unit(name, column):
    rows = [f"{at} Hill Rd,{'xy'[at % 2]}" for at in range(12, 32)]
    table = read_table("\n".join([f"{name},label", *rows]).encode(), "t.csv")
    assert table.frame.columns[0] == column


def test_cells_in_another_unit_of_the_kind_are_converted():
    column, table = _column(["18 mg/kg", "17 mg/kg", "0.016 g/kg"])
    assert column.tolist() == [18, 17, 16]
    assert "Converted to the column's unit: 1 cell (v)." in table.steps


def test_a_plain_number_among_percent_may_be_a_share_so_the_column_stays_text():
    column, _ = _column(["12%", "13%", "0.14"])
    assert column.tolist() == ["12%", "13%", "0.14"]


@pytest.mark.parametrize(
    "cells",
    [
        ["1st", "2nd", "3rd"],
        [">50K", "<=50K", ">50K"],  # every cell is a limit: these are classes
        ["<18", "18-30", ">30"],
        ["1 child", "2 children", "3 children"],
        ["12 kg", "12 m", "13 s"],
    ],
)
def test_categories_that_begin_with_numbers_stay_categories(cells):
    column, _ = _column(cells * 4)
    assert column.tolist() == cells * 4


def test_what_was_not_detected_has_the_limit_of_its_column():
    column, _ = _column(["<0.02", "n.d.", "0.5", "0.7", "0.9"])
    assert column.tolist() == [0.01, 0.01, 0.5, 0.7, 0.9]


WEIGHTS = [f"{at}.5" for at in range(20)]


def of_weights(*others: str):
    rows = "".join(f"{cell},k{at % 2}\n" for at, cell in enumerate([*WEIGHTS, *others]))
    return read_table(f"weight,kind\n{rows}".encode(), "t.csv")


@pytest.mark.parametrize("unit", ["g", " mg", " µl"])
def test_a_few_cells_that_say_the_unit_of_a_column_say_it_of_all(unit):
    table = of_weights(f"33{unit}", f"40{unit}", f"7{unit}")
    assert table.frame[f"weight [{unit.strip()}]"].tolist()[-3:] == [33, 40, 7]


@pytest.mark.parametrize("others", [("33g", "40l"), ("33%", "40%"), ("12a", "14b")])
def test_a_few_cells_in_several_units_or_shares_say_none(others):
    assert "weight" in of_weights(*others).frame


@pytest.mark.parametrize("codes", [["0071S", "0072S", "0080S"], ["01 g", "02 g", "10 g"]])
def test_numbers_with_leading_zeros_are_codes_whatever_stands_behind(codes):
    rows = "".join(f"{codes[at % 3]},{at}.5,k{at % 2}\n" for at in range(12))
    assert {*read_table(f"of,x,kind\n{rows}".encode(), "t.csv").frame["of"]} == {*codes}


@pytest.mark.parametrize("phrase", ["below the first horizon", "Undetermined"])
def test_a_phrase_among_numbers_says_why_they_are_missing(phrase):
    table = of_weights(*[phrase] * 9)
    assert table.frame["weight"].isna().sum() == 9
    assert "words" not in table.asked
    assert any("9 cells of weight with text among numbers" in step for step in table.steps)


@pytest.mark.parametrize(
    ("others", "is_number"),
    [
        (["dead"] * 9, True),
        (["not at all"] * 8 + ["on the left"], True),
        (["heavy", "light", "medium"] * 3, False),
    ],
)
def test_words_among_numbers_are_asked_about_and_one_or_two_count_as_missing(others, is_number):
    table = of_weights(*others)
    assert (table.frame["weight"].dtype.kind == "f") == is_number
    assert table.asked["words"].endswith("which count as missing") == is_number


def test_of_words_that_count_as_missing_others_are_asked_about_first():
    masses = ["dead" if at % 5 == 0 else at / 7 for at in range(60)]
    sizes = ["xyz"[at % 3] if at % 4 == 0 else at / 3 for at in range(60)]
    rows = "".join(f"{masses[at]},{sizes[at]},k{at % 2}\n" for at in range(60))
    table = read_table(f"mass,size,kind\n{rows}".encode(), "t.csv")
    assert table.frame.dtypes.map(lambda kind: kind.kind == "f").tolist() == [True, False, False]
    assert table.asked["words"].startswith("size has words")
    assert "mass" not in table.asked["words"]


def test_a_word_beside_few_numbers_is_one_of_several_classes():
    rows = "".join(f"{'none' if at % 5 == 0 else at % 4 + 1},{at / 7}\n" for at in range(60))
    assert read_table(f"stage,x\n{rows}".encode(), "t.csv").frame["stage"].nunique() == 5


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("66.3 [65.3-67.3]", 66.3),
        ("12.1 (10.5\u201314.2)", 12.1),
        ("-0.4 [-0.9, 0.1]", -0.4),
        ("3.21(0.05)", 3.21),
        ("45 (12.5%)", 45.0),
        ("7 mg (5 to 9)", 7.0),
        ("101 (2)", None),
        ("12 (n=5)", None),
        ("12 [5", None),
        ("3 (old)", None),
    ],
)
def test_an_interval_or_a_deviation_behind_a_number_is_no_part_of_it(cell, value):
    found = quantity(cell, ".")
    assert (found and found.value) == value
    rows = "".join(f"{cell};{at % 7};{'ab'[at % 2]}\n" for at in range(12))
    steps = read_table(f"x;y;kind\n{rows}".encode(), "t.csv").steps
    assert any("Left out behind numbers" in step for step in steps) == (value is not None)


def of_numbered(numbers, name="no_of_sample"):
    rows = "".join(f"{number},{at / 7},k{at % 2}\n" for at, number in enumerate(numbers))
    return read_table(f"{name},x,kind\n{rows}".encode(), "t.csv")


def test_a_letter_behind_few_running_numbers_is_a_part_of_their_names():
    numbers = [*map(str, range(101, 160)), "117B", "140b"]
    table = of_numbered(numbers)
    assert table.frame["no_of_sample"].tolist() == numbers
    assert not any("unit" in step.lower() for step in table.steps)
    (column,) = (each for each in prepare(table).columns if each.name == "no_of_sample")
    assert column.role in (Role.ID, Role.NAME)


@pytest.mark.parametrize(
    "numbers",
    [
        [*range(101, 160), *["7g"] * 2],  # equal ones are no names
        [*range(100, 6100, 100), "117g", "140g"],  # measured ones lie apart
        [*range(101, 160), *(f"{at}g" for at in range(3, 30))],  # not few
        [*range(101, 160), "170 g", "172 g"],  # as nobody writes a name
    ],
)
def test_a_letter_behind_other_numbers_is_their_unit(numbers):
    assert of_numbered(numbers, "weight").frame["weight [g]"].dtype.kind == "f"


def of_categories(name: str, *others: str, numbers: range = range(18, 66, 4)):
    cells = [*(str(number) for number in numbers for _ in range(8)), *others]
    rows = "".join(f"{cell},{at / 7},k{at % 2}\n" for at, cell in enumerate(cells))
    return read_table(f"{name},x,kind\n{rows}".encode(), "t.csv")


@pytest.mark.parametrize("name", ["Category", "age class", "types"])
@pytest.mark.parametrize("others", [("Athena",), ("Clydesdale", "Athena") * 10])
def test_words_among_few_numbers_under_the_name_of_a_label_are_classes(name, others):
    table = of_categories(name, *others)
    assert {*others} <= {*table.frame[name]}
    assert not table.asked.get("words", "").endswith("which count as missing")


@pytest.mark.parametrize(
    ("name", "others", "numbers"),
    [
        ("Category", ("unknown",) * 2, range(18, 66, 4)),
        ("response time", ("Athena",), range(18, 66, 4)),
        ("response", ("Athena",), range(60)),
    ],
)
def test_what_is_unknown_and_words_among_measured_numbers_stay_missing(name, others, numbers):
    column = of_categories(name, *others, numbers=numbers).frame[name]
    assert column.isna().sum() == len(others)
    assert column.dtype.kind == "f"


RUN = [f"{45 + at % 20}:{7 * at % 60:02}" for at in range(24)]
SLEPT = [f"0{1 + at % 5}:{13 * at % 60:02}:{7 * at % 60:02}" for at in range(24)]
SWUM = [f"{at % 3}:{7 * at % 60:02}.{at % 10}" for at in range(24)]
DAWN = [f"0{5 + at % 3}:{13 * at % 60:02}:00" for at in range(24)]


def of_clocks(cells, name="run", beside="x"):
    rows = "".join(f"{cell},{at / 7},k{at % 2}\n" for at, cell in enumerate(cells))
    return read_table(f"{name},{beside},kind\n{rows}".encode(), "t.csv")


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (RUN, 2700),
        (SLEPT, 3600),
        (SWUM, 0),
        ([f"{cell}.5" for cell in RUN], 2700.5),
        ([cell.replace("05:", "30:") for cell in SLEPT], 3600),  # more than a day
        ([f"{at % 2} days, {cell}" for at, cell in enumerate(SLEPT)], 3600),
        ([f"0 days {cell}.250000" for cell in SLEPT], 3600.25),
        ([*RUN, *["1:02:03"] * 4], 2700),
        ([*SWUM, "45.3", "", "DNF"], 0),
    ],
)
def test_durations_are_numbers_in_seconds(cells, first):
    table = of_clocks(cells)
    column = table.frame["run [s]"]
    assert column[0] == first
    assert column.notna().sum() == len([cell for cell in cells if cell not in ("", "DNF")])
    assert "Read as durations, not as times of day: run." in table.steps


@pytest.mark.parametrize(
    ("name", "unit", "first"),
    [("run (min)", "run (min)", 45), ("run [mm:ss]", "run [mm:ss] [s]", 2700)],
)
def test_durations_are_in_the_unit_of_their_name(name, unit, first):
    assert of_clocks(RUN, name).frame[unit][0] == pytest.approx(first)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("time", [f"{6 + at % 14:02}:{13 * at % 60:02}" for at in range(24)]),
        ("time", [f"{6 + at % 14:02}:{13 * at % 60:02}:{7 * at % 60:02}" for at in range(24)]),
        ("time", DAWN),  # as workbooks have them
        ("time", sorted(SLEPT)),  # a log
        ("night", [*SLEPT, "23:10:12"]),
        ("start", SLEPT),
        ("time of day", SLEPT),
        ("RA", SLEPT),
        ("seen", [*(f"{6 + at % 14:02}:{13 * at % 60:02}" for at in range(24)), "24:00", "25:10"]),
        ("sets", [f"25:{at % 24:02}" for at in range(24)]),  # scores
        ("allele", [f"{24 + at % 20}:{1 + at % 11:02}:01" for at in range(24)]),
        ("shares", [f"{99 - at}:{1 + at:02}" for at in range(57)]),
        ("dilution", ["1:10", "1:20", "1:50", "1:30", "1:40", "1:15", "1:25"] * 4),
        ("lap", ["30:15", "31:50", "32:05"] * 8),  # classes
    ],
)
def test_times_of_day_scores_and_codes_stay_as_they_are_written(name, cells):
    assert of_clocks(cells, name).frame[name].tolist() == cells


def test_times_of_day_that_strayed_among_durations_are_none():
    cells = [*(f"{at} min" for at in range(10, 60)), *SLEPT]
    assert of_clocks(cells, "duration").frame["duration"].tolist() == cells


def test_beside_dates_a_time_is_one_of_day():
    assert of_clocks(SLEPT, "time", "date").frame["time"].tolist() == SLEPT
    assert "time [s]" in of_clocks(SLEPT, "time").frame


def test_times_that_a_workbook_has_as_such_are_durations_as_well():
    book = openpyxl.Workbook()
    book.active.append(["sleep", "kind"])
    for at in range(24):
        book.active.append([dt.timedelta(minutes=100 * at + 13, seconds=at), "kl"[at % 2]])
        book.active.cell(at + 2, 1).number_format = "[h]:mm:ss"
    book.save(raw := io.BytesIO())
    column = read_table(raw.getvalue(), "t.xlsx").frame["sleep [s]"]
    assert column.tolist() == [60 * (100 * at + 13) + at for at in range(24)]
