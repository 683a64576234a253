"""Whatever file arrives, it works or a sentence says why not."""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from lab.driver.visitor import components, opened_studio
from melm_studio.layout import ids
from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import read_table
from melm_studio.tables.roles import NO_LABEL
from tests.callbacks.tables import blobs, breast_cancer, csv, large_csv
from tests.melm_studio.layout.trees import parts, texts

SUMMARY, ERROR, DATA = (f"{ids.DATA_SUMMARY}.children", f"{ids.DATA_ERROR}.children", "data.data")
SENTENCE = re.compile(r"\S[^<>{}\n]+\.")
MARKUP = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(1)</script>"


def zipped(member: str, content: bytes = b"x") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
    return file.getvalue()


def words(changes) -> list[str]:
    """Every text of the name, the size and the summary."""
    shown = [
        changes[f"{part}.children"] for part in (ids.DATA_NAME, ids.DATA_SIZE, ids.DATA_SUMMARY)
    ]
    return texts(*shown)


BAD = {
    "empty": (b"", "empty"),
    "blank": (b" \n\n", "empty"),
    "header only": (b"x,y,label\n", "no rows"),
    "one column": (b"x\n1\n2\n3\n4\n", "one column"),
    "prose": (
        b"It was the best of times, it was the worst of times.\nIt was the age of wisdom.\n",
        "running text",
    ),
    "PNG": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8, "is a picture"),
    "zip": (zipped("script.py"), "compressed archive"),
    "xlsx": (zipped("xl/workbook.xml"), "workbook"),
    "bomb": (gzip.compress(bytes(6_000_000)) * 100, "more than 512 MB"),
    "half a gzip": (gzip.compress(csv(blobs()))[:-20], "damaged or incomplete"),
    "Parquet": (b"PAR1" + bytes(100) + b"PAR1", "Parquet file"),
    "zero bytes": (csv(blobs()).replace(b"a", b"\0"), "not a text file"),
    "one row": (b"x,y,label\n1,2,a\n", "has 1 different value"),
    "open quotation": (csv(blobs()) + b'"1,2,a\n', "Row 62 (the first line is row 1)"),
    "ragged": (csv(blobs()) + b"1,2\n", "Row 62 (the first line is row 1) has 2 fields"),
    "nothing but words": (csv(blobs(x="a", y="b").assign(a="u", b="v")), "every value is the same"),
    "wrong delimiter": (csv(blobs()).replace(b",", b"~"), "delimiter"),
}
GOOD = {
    "semicolon and decimal comma": csv(blobs(), sep=";", decimal=","),
    "tab": csv(blobs(), sep="\t"),
    "byte order mark": csv(blobs(), encoding="utf-8-sig"),
    "UTF-16": csv(blobs(), encoding="utf-16"),
    "UTF-16 without a mark": csv(blobs(), encoding="utf-16-be"),
    "two byte order marks": b"\xef\xbb\xbf" + csv(blobs(), encoding="utf-8-sig"),
    "Windows line ends": csv(blobs(), lineterminator="\r\n"),
    "old line ends": csv(blobs(), lineterminator="\r"),
    "gzip": gzip.compress(csv(blobs())),
    "zip": zipped("folder/table.csv", csv(blobs())),
    "title lines": b"Two blobs\nof points\n" + csv(blobs()),
    "comments": b"# one\n# two\n" + csv(blobs()),
    "spaces": csv(blobs()).replace(b",", b" , "),
    "everything in quotation marks": csv(blobs(), quoting=1),
    "blank cells beside": csv(blobs().assign(empty=" ", gone="")),
}


# The most memory that a process takes to read and prepare a file, in bytes.
_MEASURED = """
import pathlib, resource, sys
from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import read_table
prepare(read_table(pathlib.Path(sys.argv[1]).read_bytes(), "large.csv"))
print(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_breast_cancer_written_as_csv_is_described_and_stored(studio, visitor):
    raw = csv(breast_cancer())
    changes = visitor.choose_file(raw, "breast cancer.csv")
    expected = prepare(read_table(raw, "breast cancer.csv"))
    assert changes[ERROR] is None
    assert changes["label.value"] == "diagnosis"
    assert changes[DATA]["id"] == expected.content_hash
    assert changes[DATA]["name"] == "breast cancer"
    assert changes[DATA]["label"] == "diagnosis"
    assert changes[f"{ids.DATA_SIZE}.children"] == "569 rows, 30 features, 2 classes"
    assert {"malignant", "212", "benign", "357", *expected.steps} <= set(words(changes))
    np.testing.assert_array_equal(studio.data_of(visitor).X, expected.X)


@pytest.mark.parametrize(("raw", "reason"), BAD.values(), ids=BAD)
def test_a_bad_file_gets_a_sentence_and_changes_nothing_else(visitor, raw, reason):
    changes = visitor.choose_file(raw)
    assert list(changes) == [ERROR]
    assert reason in changes[ERROR]
    assert SENTENCE.fullmatch(changes[ERROR])


@pytest.mark.parametrize("raw", GOOD.values(), ids=GOOD)
def test_every_dialect_gives_the_same_numbers(studio, visitor, raw):
    expected = prepare(read_table(csv(blobs()), "table.csv"))
    assert visitor.choose_file(raw)[ERROR] is None
    found = studio.data_of(visitor)
    np.testing.assert_allclose(found.X, expected.X)
    assert (found.class_names, found.feature_names) == (("a", "b"), ("x", "y"))


def test_markup_in_headers_labels_and_file_names_stays_text(visitor):
    table = blobs(labels=(SCRIPT, "b"), x=MARKUP, label=f"label {MARKUP}")
    changes = visitor.choose_file(csv(table), "<u>name<u>.csv")
    assert {SCRIPT, "<u>name<u>"} <= set(words(changes))
    rendered = {part["type"] for part in components(changes[SUMMARY])}
    assert rendered.isdisjoint({"Markdown", "Iframe", "Script"})
    for props in parts(*changes[SUMMARY]):
        props.pop("data-markup", None)  # its parts follow
        shown = {name for name, text in props.items() if isinstance(text, str) and "<" in text}
        assert shown <= {"children", "title", "data-question", "data-name"}  # read as text
    assert changes["label.value"] == f"label {MARKUP}"


def test_a_label_that_is_none_gets_the_way_out(visitor):
    raw = csv(blobs().assign(target=[f"c{i}" for i in range(60)]))
    changes = visitor.choose_file(raw, label="target")
    assert list(changes) == [ERROR]
    assert "60 different values in 60 rows: they identify rows. Choose" in changes[ERROR]


@pytest.mark.slow
def test_a_label_of_a_thousand_values_is_not_guessed_and_merged_if_chosen(studio, visitor):
    table = blobs(2000).assign(target=[f"c{i % 1000}" for i in range(2000)])
    changes = visitor.choose_file(csv(table))
    assert [option["value"] for option in changes["label.data"]] == [
        "label",
        "x",
        "y",
        "target",
        NO_LABEL,
    ]
    assert visitor.choose_file(csv(table), label="target")[ERROR] is None
    assert len(studio.data_of(visitor).class_names) == 50


def test_a_number_as_label_is_cut_into_ranges(studio, visitor):
    raw = csv(blobs().assign(target=np.arange(60) * 0.37))
    assert visitor.choose_file(raw, label="target")[ERROR] is None
    assert len(studio.data_of(visitor).class_names) == 3


def test_a_file_that_is_refused_is_named_and_the_data_before_it_stay(visitor):
    visitor.choose_file(csv(blobs()), "good.csv")
    changes = visitor.choose_file(b"only one column\n1\n2\n", "bad.csv")
    assert list(changes) == [ERROR]
    assert changes[ERROR].startswith("bad.csv: ")


@pytest.mark.slow
def test_dates_truth_values_and_long_texts_do_no_harm(studio, visitor):
    table = blobs().assign(
        day=[f"2024-01-{1 + i % 28:02d}" for i in range(60)],
        sick=["True", "False", ""] * 20,
        note=["n" * 100_000, "short"] * 30,
        extreme=[1e308, -1e308, float("inf")] * 20,
    )
    assert visitor.choose_file(csv(table))[ERROR] is None
    names = studio.data_of(visitor).feature_names
    assert names == ("x", "y", "sick = False", "sick = True", "sick = missing")


def test_text_among_numbers_is_told_with_its_row_and_its_column(visitor):
    table = blobs().astype({"x": "str"})
    table.loc[7, "x"] = "broken"
    steps = words(visitor.choose_file(csv(table)))
    expected = 'Counted as missing: 1 cell of x with text among numbers, first "broken" in row 9'
    assert any(step.startswith(expected) for step in steps)


@pytest.mark.slow
def test_ten_thousand_columns_work(studio, visitor):
    table = np.random.default_rng(0).integers(0, 99, size=(12, 9_999)).astype(str)
    rows = [",".join([*row, "ab"[at % 2]]) for at, row in enumerate(table)]
    header = ",".join([*(f"g{column}" for column in range(9_999)), "label"])
    changes = visitor.choose_file("\n".join([header, *rows]).encode())
    assert changes[ERROR] is None
    assert studio.data_of(visitor).X.shape == (12, 9_999)


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ({"max_rows": 59}, "The file has more than 59 rows, the most that can be read."),
        ({"max_columns": 2}, "The file has 3 columns but at most 2 can be read."),
    ],
    ids=["rows", "columns"],
)
def test_a_table_above_a_limit_is_refused_with_a_sentence(tmp_path, limit, sentence):
    with opened_studio(tmp_path, **limit) as studio:
        changes = studio.visitor().choose_file(csv(blobs()))
        assert list(changes) == [ERROR]
        assert changes[ERROR].startswith(f"table.csv: {sentence}")


@pytest.mark.slow
def test_a_table_of_200_mb_works_where_that_is_allowed(tmp_path):
    with opened_studio(tmp_path, max_upload_mb=256, max_session_mb=2000) as studio:
        visitor = studio.visitor()
        raw = large_csv(1_000_000, 20)
        assert len(raw) > 200e6
        changes = visitor.choose_file(raw, "large.csv")
        assert changes[ERROR] is None
        assert studio.data_of(visitor).X.shape == (1_000_000, 20)


@pytest.mark.slow
def test_reading_takes_a_bounded_multiple_of_the_file_in_memory(tmp_path):
    file = tmp_path / "large.csv"
    file.write_bytes(large_csv(1_000_000, 20))
    ran = subprocess.run(
        [sys.executable, "-c", _MEASURED, file], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) < 9 * file.stat().st_size


@pytest.mark.slow
def test_a_table_of_50_mb_works(studio, visitor):
    raw = large_csv(250_000, 20)
    assert len(raw) > 50e6
    changes = visitor.choose_file(raw, "large.csv")
    assert changes[ERROR] is None
    said = list(words(changes))
    assert "20 numeric columns are features." in said
    assert said.count("125,000") == 2  # of each class


def test_a_file_above_the_limit_is_refused_with_a_sentence(tmp_path):
    with opened_studio(tmp_path, max_upload_mb=1) as studio:
        answer = studio.visitor().send(bytes(2**21), "big.csv")
        assert answer.status_code == 413
        assert "larger than 1 MB" in answer.json["error"]
        assert SENTENCE.fullmatch(answer.json["error"])


def test_a_name_that_no_record_can_hold_is_refused_before_the_file_is_stored(studio, visitor):
    assert visitor.send(b"a,b\n1,x\n", f"{'é' * 1_996}.csv").status_code == 200
    answer = visitor.send(b"a,b\n2,x\n", f"{'é' * 1_997}.csv")
    assert answer.status_code == 400
    assert answer.json["error"].startswith("The name of the file has 2,001 characters, and at most")
    assert SENTENCE.fullmatch(answer.json["error"])
    assert len(studio.store.files_of(visitor.owner)) == 1


def test_a_file_of_exactly_the_limit_is_taken(tmp_path):
    with opened_studio(tmp_path, max_upload_mb=1) as studio:
        assert studio.visitor().upload(b"x" * 2**20)["name"] == "table.csv"


@pytest.mark.parametrize(
    "body",
    [
        {"data": {}},
        {"data": {"file": "text in place of a file"}},
        {"data": {"other": (io.BytesIO(b"x,y"), "table.csv")}},
        {"data": b"x,y\n1,2\n", "content_type": "text/csv"},
        {"data": b"--broken", "content_type": "multipart/form-data; boundary=other"},
        {"data": b"--broken", "content_type": "multipart/form-data"},
        {"json": {"file": "x"}},
    ],
    ids=["nothing", "field", "other field", "no form", "broken form", "no boundary", "JSON"],
)
def test_a_request_without_a_file_gets_a_sentence(visitor, body):
    answer = visitor.http.post("/upload", **body)
    assert answer.status_code == 400
    assert answer.json["error"].startswith("No file arrived.")


def test_an_upload_is_unreadable_to_another_visitor(studio, visitor):
    sent = visitor.upload(csv(blobs()), "mine.csv")
    changes = studio.visitor().choose({"kind": "upload", **sent})
    assert list(changes) == [ERROR]
    assert changes[ERROR].startswith("mine.csv is no longer stored here.")


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\tables\\t.csv", "größe ☃.csv", "."])
def test_any_file_name_will_do(visitor, name):
    assert visitor.choose_file(csv(blobs()), name)[ERROR] is None
