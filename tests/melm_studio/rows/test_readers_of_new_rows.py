"""The page, a saved plane and the downloaded program read new rows alike, or refuse them alike."""

from __future__ import annotations

import io
import warnings
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from melm_core.base import UserError
from melm_core.methods import SavedPlane
from melm_studio.rows.new_rows import match_rows
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import LabeledData, ReadOptions, conversions_of, prepare, read_table
from melm_studio.workspace.known_runs import second_table
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


def labeled(text: str) -> str:
    labels = ("class", *(line.rpartition(",")[2] for line in FIRST.splitlines()[1:]))
    return "".join(
        f"{line},{label}\n" for line, label in zip(text.splitlines(), labels, strict=True)
    )


def colored(first: str = "red", last: str = "blue") -> str:
    cells = ("color", first, *["blue", "green", "red", "blue", "green", "red"], last)
    return "".join(f"{line},{cell}\n" for line, cell in zip(SAME.splitlines(), cells, strict=True))


def one_row(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[:2])


def commas(_: int, cell: str) -> str:
    return f"{int(cell):,}"


def lasted(at: int, cell: str) -> str:
    return f"0:{6 * int(cell):02}:{17 * at % 60:02}"


def in_minutes(at: int, cell: str) -> str:
    return f"{6 * int(cell) + 17 * at % 60 / 60}"


def arabic(_: int, cell: str) -> str:
    digits = "".join(map(chr, range(0x660, 0x66A)))
    return cell.translate(str.maketrans("0123456789.", f"{digits}\u066b"))


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
    "a unit of another kind in cells": (file(lead=everywhere("{} mM")), NOT_CONVERTED[:-1]),
    "a unit of another kind in a cell": (
        file(lead=once("{} mM")),
        f"{NOT_CONVERTED[:-1]} (row 3, counted from 1).",
    ),
    "signs of typesetters": (file(acid=lambda _, cell: cell.replace("-", "−")), SAME),
    "decimal commas": (file(delimiter=";", acid=lambda _, cell: cell.replace(".", ",")), SAME),
    "decimal points of one column": (
        file(
            delimiter=";",
            lead=everywhere("{},0"),
            count=everywhere("{},0"),
        ),
        SAME,
    ),
    "decimal commas in quotes": (file(acid=lambda _, cell: cell.replace(".", ",")), SAME),
    "thousands": (file(count=commas), SAME),
    "thousands of Switzerland": (
        file(count=lambda _, cell: f"{int(cell):,}".replace(",", "'")),
        SAME,
    ),
    "an uncertainty": (file(acid=everywhere("{} ± 0.2")), SAME),
    "an interval": (file(acid=everywhere("{} [0.1-9.5]")), SAME),
    "a deviation in parentheses": (file(acid=everywhere("{} (0.31)")), SAME),
    "powers of ten": (file(acid=everywhere("{}×10^0")), SAME),
    "NA": (file(acid=once("NA")), EMPTY_FIRST),
    "a question mark": (file(acid=once("?")), EMPTY_FIRST),
    "an error of a spreadsheet": (file(acid=once("#DIV/0!")), EMPTY_FIRST),
    "text among numbers": (file(acid=once("broken")), EMPTY_FIRST),
    "a date among numbers": (file(acid=once("2021-03-05")), EMPTY_FIRST),
    "the number of a date": (file(acid=once("44260")), file(acid=once("44260"))),
    "a column of text": (file(acid=everywhere("broken")), 'No cell of "Total acid" is a number'),
    "an empty column": (file(acid=everywhere("")), '"Total acid" is empty, and a whole column'),
    "a column of words for missing": (file(acid=everywhere("NA")), '"Total acid" is empty'),
    "a column twice": (
        "".join(f"{line},{at or 'count'}\n" for at, line in enumerate(SAME.splitlines())),
        SAME,
    ),
}


# Further ones, of other first tables: that, how it is read, and as above; without anything expected
# the points are those of the first table.
LIMITS = labeled(file(lead={1: "<1", 3: "n.d."}.get))
CODES = labeled(file(count=lambda at, cell: "-99" if at in (1, 4) else cell))
COMMAS = labeled(file(count=commas))
NO_UNIT, CELLS = ["Total acid", "lead", "count"], ["Total acid", "lead [CFU]", "count"]
CLOCK = ["Total acid", "lead [hh:mm:ss]", "count"]
NEVER = 'Column "color" has categories that the plane was not fitted to: '
DURATIONS = labeled(file(NO_UNIT, lead=lasted))
HALF_OF_LIMIT, HALF = file(lead=once("0.5")), file(lead=once("0.25"))
OTHERS = {
    "a category": (labeled(colored()), {}, colored(last="green"), colored(last="green")),
    "an unknown category": (labeled(colored()), {}, colored("pink"), f'{NEVER}"pink" (1 row'),
    "categories never missing": (labeled(colored()), {}, colored("NA"), f'{NEVER}"missing" (1'),
    "a missing category": (labeled(colored("")), {}, colored(last="NA"), colored(last="")),
    **{
        f"{cell} among limits": (LIMITS, {}, file(lead=once(cell)), HALF)
        for cell in ("<0.5", "< 0.5", "<LOD (0.5)", "≤0.5", "<0.0005 g/kg", "<0.5 mg/kg")
    },
    **{
        f"{cell} among limits": (LIMITS, {}, file(lead=once(cell)), HALF_OF_LIMIT)
        for cell in ("n.d.", "N.D.", "LOD", "BDL", "<LOD", "not detected")
    },
    "beyond a limit": (LIMITS, {}, file(lead=once("> 100")), file(lead=once("100"))),
    "n.d. in a single row": (LIMITS, {}, one_row(file(lead=once("n.d.", 0))),
                             one_row(file(lead=once("0.5", 0)))),
    "nothing but limits": (LIMITS, {}, file(lead=everywhere("<0.5")),
                           file(lead=everywhere("0.25"))),
    "limits as they are": (LIMITS, {"limits": "limit"}, file(lead=once("<0.5")), HALF_OF_LIMIT),
    "empty limits": (LIMITS, {"limits": "empty"}, file(lead=once("<0.5")), file(lead=once(""))),
    "limits with a column": (LIMITS, {"limits": "indicator"}, LIMITS, None),
    "limits where none was": (FIRST, {}, file(lead=once("<0.5")), HALF),
    "n.d. where none was": (FIRST, {}, file(lead=once("n.d.")), HALF_OF_LIMIT),
    "limits as text": (FIRST, {"limits": "text"}, file(lead=once("<0.5")), file(lead=once(""))),
    "a code": (CODES, {}, file(count=once("-99")), file(count=once(""))),
    "a code among texts": (CODES, {}, file(count=lambda at, cell: "-99" if at == 2 else f"{cell}*"),
                           file(count=once(""))),
    "a code that is a number": (CODES, {"codes": "numbers"}, file(count=once("-99")),
                                file(count=once("-99"))),
    "an unknown code": (FIRST, {}, file(count=once("99999")), file(count=once(""))),
    "an unknown code below counts": (FIRST, {}, file(lead=once("-9")), file(lead=once(""))),
    "a limit that looks like a code": (FIRST, {}, file(count=once(">99999")),
                                       file(count=once("99999"))),
    "another unit that looks like codes": (
        FIRST, {}, file(lead=lambda at, cell: "999" if at == 2 else f"{1000 + int(cell)}"),
        file(lead=lambda at, cell: "999" if at == 2 else f"{1000 + int(cell)}"),
    ),
    "a column of codes": (CODES, {}, file(count=everywhere("-99")), "a whole column is not filled"),
    "a column of unknown codes": (FIRST, {}, file(count=everywhere("99999")),
                                  file(count=everywhere("99999.0"))),
    "two units where none is known": (
        labeled(file(NO_UNIT)), {},
        file(NO_UNIT, lead=lambda at, cell: f"{cell} mg/kg" if at != 4 else f"{cell} g/kg"),
        '"lead" is given in g/kg, which does not convert to mg/kg (row 5, counted from 1)',
    ),
    "a unit beside one without conversions": (
        labeled(file(CELLS)), {}, file(CELLS, lead=once("{} mg")),
        '"lead [CFU]" is given in mg, which does not convert to CFU (row 3',
    ),
    "commas as decimal marks": (COMMAS, {"thousands": "decimal"}, file(count=commas), None),
    "one of them": (COMMAS, {"thousands": "decimal"}, one_row(file(count=commas)),
                    one_row(file(count=lambda _, cell: f"{int(cell) / 1000}"))),
    "commas as thousands": (COMMAS, {}, file(count=commas), None),
    "commas in doubt": (
        FIRST, {}, file(acid=lambda _, cell: f"{int(1000 * float(cell)):,}"),
        'The comma in the numbers of "Total acid", such as "-1,500", may part thousands or be a',
    ),
    **{
        f"durations {form}": (DURATIONS, {}, file(["Total acid", name, "count"], lead=cell), None)
        for form, name, cell in (
            ("as they are", "lead", lasted),
            ("with minutes first", "lead", lambda at, cell: lasted(at, cell)[2:]),
            ("in minutes", "lead [min]", in_minutes),
        )
    },
    "a single duration": (DURATIONS, {}, one_row(file(NO_UNIT, lead=lasted)),
                          one_row(file(["Total acid", "lead [s]", "count"], lead=once("720", 0)))),
    "durations of a form": (labeled(file(CLOCK, lead=lasted)), {}, file(CLOCK, lead=lasted), None),
    "a duration of no time": (FIRST, {}, file(lead=once("12:30")), file(lead=once(""))),
    "digits of another script": (FIRST, {}, file(acid=arabic), SAME),
    "exponents of Fortran": (FIRST, {}, file(acid=everywhere("{}D+00")), SAME),
}  # fmt: skip
TURNED = COLUMNS.T.to_csv(header=[f"s{row}" for row in range(1, 9)], index_label="sample")
# Files that a saved plane does not read itself.
FILES = {
    "samples in columns": TURNED,
    "with row names": COLUMNS.set_axis([f"s{row}" for row in range(8)]).to_csv(
        index_label="sample"
    ),
    "with row names of R": COLUMNS.to_csv(index_label=False),
    "with bars": SAME.replace(",", "|"),
    "with tabs": SAME.replace(",", "\t"),
    "in UTF-16": SAME.encode("utf-16"),
    "with a mark of its bytes": SAME.encode("utf-8-sig"),
}
ALL = {
    **{name: (FIRST, {}, *case) for name, case in CASES.items()},
    **OTHERS,
    **{name: (FIRST, {}, text, SAME) for name, text in FILES.items()},
}


@cache
def prepared(first: str, **options: str) -> LabeledData:
    table = read_table(first.encode(), "first.csv", options=ReadOptions(**options))
    return prepare(table, "class")


def test_ticked_answers_of_new_rows_are_looked_for_as_the_first_table_has_them():
    eaten = ["eggs", "milk of cows, or goats", "nuts", "eggs, milk of cows, or goats", "eggs, nuts",
             "nuts, milk of cows, or goats"] * 3  # fmt: skip
    rows = [f'{at % 5},{at % 7},"{each}",{"ab"[at % 4 // 2]}' for at, each in enumerate(eaten)]
    first = prepare(read_table("\n".join(["x,y,eaten,kind", *rows]).encode(), "first.csv"))
    assert first.feature_names[2:] == (
        "eaten ticked: eggs", "eaten ticked: milk of cows, or goats", "eaten ticked: nuts",
    )  # fmt: skip
    text = 'x,y,eaten\n1,2,"milk of cows, or goats, fish"\n2,1,nuts\n3,2,\n'
    ticks = np.array([[1.0, 2, 0, 1, 0], [2, 1, 0, 0, 1], [3, 2, 0, 0, 0]])
    expected = first.fitted_preparation.apply(ticks) @ components_for(first).T
    for placed in (
        of_the_page(first, text.encode()),
        of_the_program(first, text.encode()),
        of_a_saved_plane(first, text),
    ):
        np.testing.assert_allclose(placed, expected, atol=1e-9)
    with pytest.raises(UserError, match="lacks"):
        of_the_page(first, text.replace("eaten", "drunk").encode())


@pytest.mark.parametrize("mark", ["1", "Y"])
@pytest.mark.parametrize("ticked", [(0, 1, 0), (0, 0, 0), (1, 1, 1)])
def test_an_empty_box_of_new_rows_was_not_ticked(mark, ticked):
    rows = [f"{at % 5},{at % 7},{mark * (at % 3 > 0)},{'ab'[at % 4 // 2]}" for at in range(18)]
    first = prepare(read_table("\n".join(["x,y,fish,kind", *rows]).encode(), "first.csv"))
    assert first.feature_names == ("x", "y", "fish = missing")
    cells = [f"{at},{at % 2},{mark * is_ticked}" for at, is_ticked in enumerate(ticked)]
    text = "\n".join(["x,y,fish", *cells, ""])
    encoded = np.array([[at, at % 2, not is_ticked] for at, is_ticked in enumerate(ticked)], float)
    expected = first.fitted_preparation.apply(encoded) @ components_for(first).T
    for placed in (
        of_the_page(first, text.encode()),
        of_the_program(first, text.encode()),
        of_a_saved_plane(first, text),
    ):
        np.testing.assert_allclose(placed, expected, atol=1e-9)


def expected_points(first: LabeledData, text: str) -> np.ndarray:
    """The points of a table of plain numbers, without any of the readers; of others, the page's."""
    cells = pd.read_csv(io.StringIO(text))
    if "color" in cells:
        return of_the_page(first, text.encode())
    encoded = cells[[*first.feature_names]].to_numpy(np.float64)
    return first.fitted_preparation.apply(encoded) @ components_for(first).T


def of_the_page(first: LabeledData, raw: bytes, **options) -> np.ndarray:
    source = DataSource("upload", "0" * 64, "table.csv", reading=ReadOptions(**options))
    space = SimpleNamespace(
        table=lambda given: read_table(raw, given.name, options=given.read_options)
    )
    new = match_rows(first, second_table(space, source, DataSource("upload", "1" * 64, "t"), first))
    for note in new.notes:
        if "left out" in note:
            raise UserError(note.partition("left out. ")[2])
    return new.X @ components_for(first).T


def of_the_program(first: LabeledData, raw: bytes) -> np.ndarray:
    try:
        found = computed(program(first), raw)
    except SystemExit as end:
        raise UserError(str(end).removeprefix("table.csv: ")) from None
    return found.to_numpy()


def of_a_saved_plane(first: LabeledData, text: str, **options) -> np.ndarray:
    units, rules = conversions_of(first.feature_names), first.rules_of_new_cells
    plane = saved(first, units=units, cell_rules=rules, rules=first.rules)
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    table = pd.read_csv(io.StringIO(text), sep=delimiter, **options)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* was converted from ")
        return SavedPlane.from_json(plane.to_json()).transform(table)


def answer(read, *arguments, **options) -> np.ndarray | str:
    try:
        return read(*arguments, **options)
    except UserError as refusal:
        return str(refusal)


@pytest.mark.filterwarnings("ignore:Counted as missing")
@pytest.mark.parametrize("name", ALL)
def test_new_rows_are_read_or_refused_alike(name):
    table, options, text, expected = ALL[name]
    first, raw = prepared(table, **options), text if isinstance(text, bytes) else text.encode()
    answers = {
        "page": answer(of_the_page, first, raw, **options),
        "program": answer(of_the_program, first, raw),
    }
    if name not in FILES:
        of_texts = {"dtype": str, "keep_default_na": False}
        answers |= {
            "saved plane": answer(of_a_saved_plane, first, text),
            "saved plane, of texts": answer(of_a_saved_plane, first, text, **of_texts),
        }
    if expected is None or "\n" in expected:
        own = points(first).to_numpy()
        same = own if expected is None else expected_points(first, expected)
        for reader, found in answers.items():
            assert not isinstance(found, str), (reader, found)
            np.testing.assert_allclose(found, same, atol=1e-9, err_msg=reader)
    else:
        for reader, found in answers.items():
            assert isinstance(found, str), (reader, found)
            assert expected in found, reader
        assert len({*answers.values()}) == 1, answers
    if text == SAME:
        np.testing.assert_allclose(answers["page"], points(first), atol=1e-9)
