"""The downloaded program: the studio's points, for any rows in any order, from any such file."""

from __future__ import annotations

import ast
import csv
import gzip
import io
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import CodeType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from msgspec import structs

from melm_core.density import DensityRule, SetLimits
from melm_core.methods import RowLimits, SavedPlane
from melm_core.recipe import Fill, MissingValues, Recipe, Scaling, Step, StepKind
from melm_studio.publication.program import program_of
from melm_studio.tables import (
    SAMPLES,
    LabeledData,
    TableError,
    conversions_of,
    load_sample,
    prepare,
    read_table,
)
from tests.melm_studio.runs.helpers import plane, run_of

PACKAGES = Path(np.__file__).parents[1]
# What a virtual environment has after "pip install numpy pandas", without its metadata.
# pytz, since pandas 2 needs it
INSTALLED = (
    "numpy", "numpy.libs", "pandas", "pandas.libs", "dateutil", "pytz", "six.py", "tzdata",
)  # fmt: skip


def components_for(data: LabeledData) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(2, len(data.feature_names)))


def program(data: LabeledData, saved: SavedPlane | None = None) -> str:
    event = structs.replace(plane(), components=components_for(data))
    record = structs.replace(run_of("ada", "data", "pca"), data_name=data.name)
    return program_of(record, event, data, saved)


def saved(data: LabeledData, temperature: float = 1.0, **known: object) -> SavedPlane:
    """The plane of `program` with the densities of the classes in it."""
    components = components_for(data)
    rule = DensityRule.of(data.X @ components.T, data.y).calibrated(temperature)
    return SavedPlane(
        components,
        center=data.center,
        scale=data.scale,
        feature_names=data.feature_names,
        encodings=data.encodings,
        class_names=data.class_names,
        rule=rule,
        **known,
    )


def run(text: str, raw: bytes) -> tuple[pd.DataFrame, str]:
    """What a program prints for a file, and what it notes, in this process."""
    values: dict = {"__name__": "plane"}
    exec(compiled(text), values)  # noqa: S102 - the program is what is tested
    output, notes = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda _: raw)
        patch.setattr(sys, "argv", ["plane.py", "table.csv"])
        patch.setattr(sys, "stdout", output)
        patch.setattr(sys, "stderr", notes)
        values["main"]()
    return pd.read_csv(io.StringIO(output.getvalue()), index_col="row"), notes.getvalue()


@cache
def compiled(text: str) -> CodeType:
    return compile(text, "plane.py", "exec")


def computed(text: str, raw: bytes) -> pd.DataFrame:
    return run(text, raw)[0]


def points(data: LabeledData) -> pd.DataFrame:
    names = ["component_1", "component_2"]
    coordinates = data.X @ components_for(data).T
    return pd.DataFrame(coordinates, index=pd.Index(data.row_numbers, name="row"), columns=names)


def assert_alike(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found, expected, rtol=0, atol=1e-9, check_index_type=False)


def written(rows: list[list[str]], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


NUMBERS = st.one_of(
    st.floats(-1e6, 1e6).map(repr),
    st.integers(-9999, 9999).map(str),
    st.sampled_from(["1,234", "12,345.5", " 7 ", "1e3", "+.5", "4."]),
)
MISSING = st.sampled_from(["", "NA", "?", "-", "inf"])
LEVELS = st.sampled_from(["red", "Green", "deep blue", "ä", "true", "x, y", 'a "b"'])
N_ROWS = 40


@st.composite
def tables(draw) -> list[list[str]]:
    """A header and rows: numbers with gaps and text, categories, truth values, a constant."""

    def column(cells, gaps: int) -> list[str]:
        values = draw(st.lists(cells, min_size=N_ROWS, max_size=N_ROWS))
        for place in draw(st.lists(st.integers(0, N_ROWS - 1), max_size=gaps)):
            values[place] = draw(MISSING)
        return values

    numeric = column(NUMBERS, gaps=5)
    if draw(st.booleans()):
        numeric[draw(st.integers(0, N_ROWS - 1))] = "not measured"
    columns = {
        "first": numeric,
        "second": column(NUMBERS, gaps=0),
        "kind": column(LEVELS, gaps=3),
        "side": column(st.sampled_from(["left", "right"]), gaps=0),
        "is new": column(st.sampled_from(["TRUE", "false"]), gaps=0),
        "batch": ["7"] * N_ROWS,
        "class": ["a", "b"] * (N_ROWS // 2),
    }
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


@pytest.mark.slow
@settings(max_examples=20)
@given(table=tables(), data=st.data())
def test_any_rows_and_columns_in_any_order_get_the_points_of_the_studio(table, data):
    raw = written(table)
    try:
        fitted = prepare(read_table(raw, "table.csv"), "class")
    except TableError:
        reject()
    header, rows = table[0], table[1:]
    chosen = data.draw(st.lists(st.integers(0, N_ROWS - 1), min_size=1, unique=True))
    order = data.draw(st.permutations(range(len(header) - 1)))  # without the labels
    subset = [[row[j] for j in order] for row in [header, *(rows[i] for i in chosen)]]
    expected = points(fitted).to_numpy()
    try:
        found = computed(program(fitted), written(subset))
    except SystemExit as refused:  # where nothing but "1,234" says what its comma is
        if "may part thousands" not in str(refused):
            raise
        reject()
    np.testing.assert_allclose(found, expected[chosen], rtol=0, atol=1e-9)


def test_whole_numbers_that_are_categories_are_known_however_they_are_written():
    header, *rows = gappy_table()
    table = read_table(written([header, *rows]), "table.csv")
    fitted = prepare(table, "class", roles={"p": "category"})
    assert "p = 3" in fitted.feature_names
    expected = points(fitted).to_numpy()
    subset = written([header, *([f"{row[0]}.0" if row[0] else "", *row[1:]] for row in rows)])
    np.testing.assert_allclose(computed(program(fitted), subset), expected, rtol=0, atol=1e-9)


RECIPES = (
    Recipe(),
    Recipe(
        missing=MissingValues(fill=Fill.NEAREST, n_neighbors=2, indicator=True),
        steps=(Step(StepKind.ASINH, cofactor=5.0), Step(StepKind.DERIVATIVE, window=3)),
        scaling=Scaling.PARETO,
    ),
    Recipe(
        missing=MissingValues(fill=Fill.CONSTANT, constant=0.5),
        steps=(Step(StepKind.ROW_SUM), Step(StepKind.LOG, columns=("p", "q")), Step(StepKind.SNV)),
        scaling=Scaling.ROBUST,
    ),
    Recipe(steps=(Step(StepKind.LOG_PLUS_ONE),), scaling=Scaling.NONE),
)


def gappy_table() -> list[list[str]]:
    """Few different numbers, so that many rows are equally near; gaps; two kinds of categories."""
    rng = np.random.default_rng(2)
    cells = rng.integers(1, 5, size=(N_ROWS, 4)).astype(str)
    cells[rng.random(cells.shape) < 0.15] = ""
    dose = rng.choice(["low", "medium", "high", ""], N_ROWS)
    kind = rng.choice(["red", "green", ""], N_ROWS)
    rows = np.column_stack([cells, dose, kind, ["a", "b"] * (N_ROWS // 2)])
    return [["p", "q", "r", "s", "dose", "kind", "class"], *rows.tolist()]


@pytest.mark.parametrize("recipe", RECIPES)
def test_any_recipe_gives_any_rows_the_points_of_the_studio(recipe):
    header, *rows = gappy_table()
    table = read_table(written([header, *rows]), "table.csv")
    fitted = prepare(table, "class", recipe=recipe)
    chosen = [17, 3, 30, 4]
    expected = points(fitted).to_numpy()[chosen]
    subset = written([header, *(rows[i] for i in chosen)])
    np.testing.assert_allclose(computed(program(fitted), subset), expected, rtol=0, atol=1e-9)
    saved = SavedPlane(
        components_for(fitted),
        center=fitted.center,
        scale=fitted.scale,
        feature_names=fitted.feature_names,
        encodings=fitted.encodings,
        rules=fitted.rules,
    )
    found = SavedPlane.from_json(saved.to_json()).transform(table.frame.iloc[chosen])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    stored = LabeledData.from_bytes(fitted.to_bytes())
    assert stored.content_hash == fitted.content_hash
    again = stored.fitted_preparation.apply(stored.unprepared)
    np.testing.assert_allclose(again, fitted.X, rtol=0, atol=1e-12)


def test_a_row_that_a_step_cannot_change_has_no_coordinates():
    raw = b"a,b,class\n1,5,u\n2,1,v\n4,2,u\n3,9,v\n"
    recipe = Recipe(steps=(Step(StepKind.LOG),))
    data = prepare(read_table(raw, "table.csv"), "class", recipe=recipe)
    found, notes = run(program(data), b"a,b\n1,5\n-1,5\n")
    np.testing.assert_allclose(found.iloc[0], points(data).iloc[0], rtol=0, atol=1e-9)
    assert found.iloc[1].isna().all()
    assert "cannot be computed: 1 row(s), first row 2." in notes


@pytest.mark.slow
@pytest.mark.parametrize("key", SAMPLES)
@pytest.mark.parametrize("standardize", [True, False])
def test_a_sample_saved_as_csv_gets_its_points(key, standardize):
    table = load_sample(key)
    data = prepare(table, standardize=standardize)
    raw = table.frame.to_csv(index=False).encode()
    assert_alike(computed(program(data), raw), points(data))


BODY = "1,5;ä;u;1.000,5\n2;ö;v;2\n-;ä;u;3\n4,25;ö;v;4\n"
FILES = {
    "semicolons and decimal commas": f"größe;art;class;w\n{BODY}".encode(),
    "Western European text": f"größe;art;class;w\n{BODY}".encode("cp1252"),
    "UTF-16": f"größe;art;class;w\n{BODY}".encode("utf-16"),
    "UTF-16 without a mark": f"groesse;art;class;w\n{BODY}".encode("utf-16-le"),
    "big-endian UTF-16 without a mark": f"groesse;art;class;w\n{BODY}".encode("utf-16-be"),
    "a byte order mark": f"größe;art;class;w\n{BODY}".encode("utf-8-sig"),
    "comments": f"# by hand\nsep=;\n\ngröße;art;class;w\n{BODY}".encode(),
    "a header like a comment": f"# by hand\n#größe;art;class;w\n{BODY}".encode(),
    "repeated and empty names": f"a;;class;a\n{BODY}".encode(),
    "Windows line ends": f"größe;art;class;w\n{BODY}".replace("\n", "\r\n").encode(),
    "blank lines": f"größe;art;class;w\n\n{BODY}\n\n".encode(),
    "a minus as a category": b"a,b,class\n1,+,u\n2,-,v\n4,+,u\n3,-,v\n",
    "no header": b"1,5,u\n2,1,v\n4,2,u\n3,9,v\n",
    "tabs": b"a\tb\tclass\n1\t5\tu\n2\t1\tv\n4\t2\tu\n3\t9\tv\n",
    "a cell of two lines": b'"a\nb",c,class\n1,5,u\n2,1,v\n4,2,u\n3,9,v\n',
}


@pytest.mark.parametrize("raw", FILES.values(), ids=FILES)
def test_a_file_is_read_as_the_studio_reads_it(raw):
    table = read_table(raw, "table.csv")
    data = prepare(table, "column 3" if b"class" not in raw.replace(b"\0", b"") else "class")
    assert_alike(computed(program(data), raw), points(data))


def test_the_same_table_written_with_other_marks_gets_the_same_points():
    rows = "1.5,10,u\n2.25,20,v\n3.125,40,u\n4,30,v\n"
    data = prepare(read_table(f"a,b,class\n{rows}".encode(), "table.csv"), "class")
    other = f"a,b,class\n{rows}".replace(",", ";").replace(".", ",").encode()
    assert_alike(computed(program(data), other), points(data))


def test_rows_without_a_label_are_projected_too():
    raw = b"a,b,class\n1,5,u\n2,1,v\n4,2,u\n3,9,v\n8,8,\n"
    found = computed(program(prepare(read_table(raw, "table.csv"), "class")), raw)
    assert list(found.index) == [1, 2, 3, 4, 5]


def test_text_among_numbers_is_filled_and_reported():
    raw = b"a,b,class\n1,5,u\n2,1,v\n4,2,u\n3,9,v\n"
    data = prepare(read_table(raw, "table.csv"), "class")
    new, notes = run(program(data), b"a,b\n2.5,7\nbroken,7\n")
    np.testing.assert_allclose(new.iloc[1], new.iloc[0], rtol=0, atol=1e-12)  # the median is 2.5
    assert 'Counted as missing: 1 cell(s) of "a"' in notes
    assert 'the first "broken" in row 2' in notes


MIXED = b"a,b,kind,class\n1,5,red,u\n2,1,blue,v\n4,2,red,u\n3,9,blue,v\n"


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (
            b"a,kind\n1,red\n",
            'table.csv: The table lacks "b". All 3 columns of the plane are needed',
        ),
        (b"", "table.csv is empty or not text."),
        (b"PK\x03\x04\0\0", "table.csv is empty or not text."),
        (b"once upon a time\n", 'table.csv: The table lacks "a", "b", "kind".'),
        (b"a,b,kind\n", "table.csv has no rows below its header."),
        (b"a,b,kind\n1,2,red\n1,2,red,4,5\n", "table.csv cannot be split into rows and columns"),
        (
            b"a,b,kind\n1,2,red\n1,2,pink\n",
            'Column "kind" has categories that the plane was not fitted to: "pink" (1 row(s), first'
            ' row 2). Known are "blue", "red".',
        ),
        (b"a,b,kind\n1,2,\n", 'not fitted to: "missing" (1 row(s), first row 1)'),
    ],
)
def test_a_file_that_does_not_fit_gets_a_sentence(raw, sentence):
    text = program(prepare(read_table(MIXED, "table.csv"), "class"))
    with pytest.raises(SystemExit) as end:
        run(text, raw)
    assert sentence in str(end.value)


def test_names_appear_in_the_program_as_literals_only():
    name = '"""\nimport os\nos.abort()\n"""'
    raw = written([[name, "b", "kind", "class"], ["1", "2", name, "u"], ["2", "1", "x", "v"]])
    raw += written([["3", "9", name, "u"], ["4", "5", "x", "v"]])
    data = replace(prepare(read_table(raw, "table.csv"), "class"), name=name)
    tree = ast.parse(program(data))
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert imported == {
        "csv", "gzip", "io", "math", "re", "sys", "numpy", "numpy.typing", "pandas",
    }  # fmt: skip
    assert name in {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Path:
    """Packages of an environment with numpy and pandas only."""
    folder = tmp_path_factory.mktemp("packages")
    for name in INSTALLED:
        if (PACKAGES / name).exists():
            (folder / name).symlink_to(PACKAGES / name)
    return folder


def isolated(environment: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a program with these packages and the standard library."""
    start = (
        "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); del sys.argv[0]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", start, environment, *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def test_it_runs_with_numpy_and_pandas_only(environment, tmp_path):
    data = prepare(read_table(MIXED, "table.csv"), "class")
    script, table = tmp_path / "plane.py", tmp_path / "table.csv"
    script.write_text(program(data), encoding="utf-8")
    table.write_bytes(MIXED)
    done = isolated(environment, script, table)
    assert done.returncode == 0, done.stderr
    assert_alike(pd.read_csv(io.StringIO(done.stdout), index_col="row"), points(data))
    refused = isolated(environment, script)
    assert refused.returncode == 1
    assert refused.stderr == "Name the table: python plane.py TABLE.csv > points.csv\n"
    refused = isolated(environment, script, tmp_path / "other.csv")
    assert "other.csv cannot be read: No such file or directory." in refused.stderr


def test_the_environment_of_the_test_lacks_the_studio_and_its_packages(environment, tmp_path):
    script = tmp_path / "imports.py"
    for package in ("melm_core", "melm_studio", "scipy", "sklearn"):
        script.write_text(f"import {package}\n")
        assert "ModuleNotFoundError" in isolated(environment, script).stderr


def test_rows_get_the_classes_and_probabilities_of_the_saved_plane():
    table = load_sample("iris")
    data = prepare(table)
    limits = RowLimits(np.zeros(4), np.eye(2), score_limit=9.0, residual_limit=7.0)
    sets = SetLimits(0.9, np.array([1.5, 1.0, 1.0]), -6.0, 0.9, 0.2)
    one = saved(data, 1.5, is_calibrated=True, limits=limits, set_limits=sets)
    found, notes = run(program(data, one), table.frame.to_csv(index=False).encode())
    unlike = one.are_unlike(table.frame)
    assert 0 < unlike.sum() < 75
    assert found["class"].isna().tolist() == unlike.tolist()
    predicted = one.predict(table.frame)
    assert found["class"][~unlike].tolist() == predicted[~unlike].tolist()
    shares = found[[f"probability of {name}" for name in data.class_names]]
    np.testing.assert_allclose(shares, one.predict_proba(table.frame), atol=1e-12)
    names = np.array(data.class_names)
    said = [" or ".join(names[own]) or "no class" for own in one.predict_set(table.frame)]
    assert found["classes at 90 %"].tolist() == said
    assert {"no class", "versicolor or virginica", "setosa"} <= set(said)
    assert notes == ""


def test_far_from_all_rows_the_program_names_the_class_and_is_as_unsure_as_the_saved_plane():
    table = load_sample("iris")
    data = prepare(table)
    one = saved(data, 1.5, is_calibrated=True)
    factors = np.geomspace(0.2, 1_000.0, len(table.frame))
    far = table.frame.assign(**{name: factors * table.frame[name] for name in data.feature_names})
    found, _ = run(program(data, one), far.to_csv(index=False).encode())
    assert found["class"].tolist() == one.predict(far).tolist()
    expected = one.predict_proba(far)
    shares = found[[f"probability of {name}" for name in data.class_names]]
    np.testing.assert_allclose(shares, expected, atol=1e-9)
    assert expected[-1].max() < 0.34


def test_no_classes_are_printed_where_most_rows_are_unlike():
    table = load_sample("iris")
    data = prepare(table)
    limits = RowLimits(np.zeros(4), np.eye(2), score_limit=9.0, residual_limit=7.0)
    grams = table.frame.assign(**{name: 1_000 * table.frame[name] for name in data.feature_names})
    found, notes = run(program(data, saved(data, limits=limits)), grams.to_csv().encode())
    assert found["class"].isna().all()
    assert notes.startswith("No classes are given: 150 of 150 rows are unlike")


def lead() -> tuple[LabeledData, list[list[str]]]:
    """A table with a unit in the name of a column, and its rows."""
    rows = [["1.5", "2"], ["2.5", "1"], ["3.5", "9"], ["4.5", "5"]]
    header = ["Total acid", "lead [mg/kg]", "class"]
    raw = written([header, *([*row, "ab"[at % 2]] for at, row in enumerate(rows))])
    return prepare(read_table(raw, "table.csv"), "class"), rows


def test_names_may_differ_in_case_marks_and_a_unit():
    data, rows = lead()
    other = written([["LEAD", "x", "total_acid"], *([b, "7", a] for a, b in rows)])
    assert_alike(computed(program(data), other), points(data))


@pytest.mark.parametrize("name", ["lead [g/kg]", "lead (g/kg)", "lead"])
def test_numbers_in_another_unit_of_the_header_or_of_their_cells_are_converted(name):
    data, rows = lead()
    unit = " g/kg" if name == "lead" else ""
    grams = [[f"{float(b) / 1000:g}{unit}", a] for a, b in rows]
    found, notes = run(program(data), written([[name, "Total acid"], *grams]))
    assert_alike(found, points(data))
    plane = saved(data, units=conversions_of(data.feature_names))
    again = SavedPlane.from_json(plane.to_json())
    given = pd.DataFrame(grams, columns=[name, "Total acid"])
    with pytest.warns(UserWarning, match="was converted from g/kg"):
        np.testing.assert_allclose(again.transform(given), points(data), atol=1e-9)
    assert notes == "lead [mg/kg] was converted from g/kg.\n"


@pytest.mark.parametrize(
    ("header", "cell", "said"),
    [
        ("lead [mg/kg]", "n.d.", r'No cell of "lead \[mg/kg\]" is a number'),
        ("lead [mg/kg]", "", r'"lead \[mg/kg\]" is empty, and a whole column is not filled'),
    ],
)
def test_no_column_is_filled_because_none_of_its_cells_can_be_read(header, cell, said):
    data, rows = lead()
    other = written([[header, "Total acid"], *([cell, a] for a, _ in rows)])
    with pytest.raises(SystemExit, match=said):
        run(program(data), other)


def test_ordered_categories_title_lines_and_gzip_are_read_as_in_the_studio():
    doses = ["high", "", "low", "medium"] * 10
    rows = [
        [f"{i * 7 % 11}.5", f"{i * i % 13}", dose, "aab"[i % 3]] for i, dose in enumerate(doses)
    ]
    raw = b"A title, of mine\n" + written([["width", "height", "dose", "label"], *rows])
    data = prepare(read_table(raw, "doses.csv"))
    assert data.feature_names == ("width", "height", "dose")
    for file in (raw, gzip.compress(raw)):
        assert_alike(computed(program(data), file), points(data))
