"""Tables read in a process of their own are those that are read here, or a sentence."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import fields
from datetime import UTC, datetime

import msgspec
import numpy as np
import pandas as pd
import pytest

from lab.driver.crafted_files import CRAFTED, many_constants
from lab.driver.visitor import shared_reader
from melm_studio.reading import FileReader, ReaderFailedError, ReadingLimits
from melm_studio.tables import ReadOptions, TableError, read_apart, read_table, read_table_apart
from melm_studio.tables.records import MAX_TEXT_BYTES
from tests.melm_studio.tables.programs import PROGRAMS
from tests.melm_studio.tables.test_readers import FRAME, KINDS, packed, workbook
from tests.messy_tables import MESSY

MOST = {"max_rows": 2_000_000, "max_columns": 10_000}


def read(raw: bytes, name: str = "table", **options):
    return read_table_apart(shared_reader(), raw, name, **MOST, options=ReadOptions(**options))


def assert_alike(raw: bytes, name: str = "table") -> None:
    apart, here = read(raw, name), read_table(raw, name)
    pd.testing.assert_frame_equal(apart.frame, here.frame)
    assert apart.frame.columns.dtype == here.frame.columns.dtype
    for each in fields(apart):
        if each.name not in ("frame", "beside"):
            assert getattr(apart, each.name) == getattr(here, each.name)
    assert [*apart.beside] == [*here.beside]
    np.testing.assert_array_equal(apart.row_numbers, here.row_numbers)


@pytest.mark.parametrize("kind", [*KINDS, "csv"])
def test_every_format_gives_the_table_that_it_gives_here(kind):
    raw = FRAME.to_csv(index=False).encode() if kind == "csv" else packed(kind, FRAME)
    assert_alike(raw, f"folder/shapes.{kind}")


@pytest.mark.parametrize(
    "raw",
    [
        b"a,b\n1,2\n",
        b"a,b\nx,y\n,z\n",
        b"a;b;c\n1,5;x;\n2,5;;y\n",
        "größe,Ω\n1,ä\n2,\U0001f600\n".encode(),
        b"# note\na,b\n1,<0.5\n2,3\n",
        b"id,a,b,c,d\ndiet,fat,lean,fat,lean\n" + b"".join(b"k__%c,1,2,3,4\n" % c for c in b"pqrs"),
        b"x (mg),class\n1 mg,a\n2 mg,b\n3 K,a\n4 mg,b\n5 mg,a\n",
        b"id,sex,hb\n" + b"".join(b"%d,f,\n%d,,3\n%d,,4\n" % (i, i, i) for i in range(30)),
        b",".join(b"c%d" % i for i in range(99)) + b"\n" + b",".join([b"x"] * 99) + b"\n",
        b",".join(b"c%d" % i for i in range(99)) + b"\n" + b",".join([b"1"] * 50 + [b"x"] * 49),
        PROGRAMS["rows of words above metabolites"].raw,
        PROGRAMS["Qualtrics"].raw,
        MESSY["other_unit_in_name"]().raw,
    ],
)
def test_odd_tables_are_the_same_there(raw):
    assert_alike(raw)


def test_a_refusal_is_the_same_sentence_there():
    raw = b"a,b\n1,2\n1,2,3\n"
    with pytest.raises(TableError) as here:
        read_table(raw, "t")
    with pytest.raises(TableError, match=re.escape(str(here.value))):
        read(raw, "t")


@pytest.mark.slow
def test_of_more_steps_than_may_be_sent_the_first_are(monkeypatch):
    names = [f"v{at}" for at in range(1_010)]
    rows = [";".join(cells) for cells in (names, *[["[1, 2]"] * len(names)] * 3)]
    raw = "\n".join(rows).encode()
    steps = read(raw).steps
    assert (len(steps), steps[-1]) == (
        1_000,
        f"And {len(read_table(raw, 't').steps) - 999} steps more.",
    )


def test_of_a_long_question_of_a_survey_as_much_as_may_be_sent_is():
    raw = PROGRAMS["Qualtrics"].raw
    question = read(raw).descriptions.popitem()[1].encode()
    long = read(raw.replace(question, question * 20_000)).descriptions
    assert max(map(len, long.values())) == 100_000


def test_options_reach_the_reader():
    book = workbook(one=[["a", "b"], [1, 2]], two=[["c", "d"], [3, 4]])
    assert list(read(book, sheet="two").frame.columns) == ["c", "d"]


@pytest.mark.attack
@pytest.mark.parametrize("kind", CRAFTED)
def test_a_file_that_is_made_to_hurt_gets_a_sentence(kind):
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    crafted = CRAFTED[kind]
    with pytest.raises(TableError, match=crafted.sentence):
        read(crafted.make(), "hostile")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "sentence"),  # that of a file which says its size first, and of one read by and by
    [
        ("parquet", "more than 50,000,000 cells"),
        ("feather", "more than 8,000,000, the most of so small a file"),
    ],
)
def test_a_small_file_of_many_cells_gets_a_sentence(kind, sentence):
    pytest.importorskip("pyarrow")
    with pytest.raises(TableError, match=sentence):
        read(many_constants(kind), "hostile")


CONSTANTS = {"number": 0.0, "truth": True, "date": datetime(2026, 1, 1, tzinfo=UTC), "text": "a"}


@pytest.mark.parametrize("constant", CONSTANTS.values(), ids=CONSTANTS)
def test_a_small_file_holds_so_many_equal_cells_and_no_more(constant):
    """A file of 200 kB would otherwise fill more than a gigabyte."""
    pytest.importorskip("pyarrow")
    raw = many_constants("parquet", 8_000_001, 25, constant)
    assert len(raw) < 300_000
    with pytest.raises(TableError, match="more than 8,000,000, the most of so small a file"):
        read(raw, "hostile")


def test_a_file_that_needs_more_memory_than_there_is_gets_a_sentence():
    raw = b"a,b\n" + b"0.123456789,0.987654321\n" * 800_000
    own = FileReader({read_apart.JOB: 2}, ReadingLimits(memory_mb=16, seconds=60))
    with closing(own), pytest.raises(TableError, match="more than 16 MB of memory"):
        read_table_apart(own, raw, "t", **MOST)


# ---------------------------------------------------------------- readers that were taken over

FORGE = "tests.melm_studio.reading.jobs:repeat"
HEADER = {
    "name": "t",
    "n_rows": 2,
    "names": ["x", "y"],
    "is_text": [False, True],
    "steps": [],
    "form": {"delimiter": ",", "decimal": ".", "has_header": True},
    "sheets": [],
    "sheet": "",
    "asked": {},
    "turned": [],
    "answers": {},
    "descriptions": {},
    "encodings": {},
    "missing_words": {},
    "rules": {},
    "beside": [],
    "is_measured": False,
    "embedded": [],
    "warnings": [],
    "left_out": [],
}
NUMBERS, CODES = np.zeros(2).tobytes(), np.array([0, -1], np.int32).tobytes()
TEXTS = msgspec.msgpack.encode([["a"]])


@pytest.fixture(scope="module")
def forger():
    with closing(FileReader({FORGE: 2}, ReadingLimits(memory_mb=256, seconds=60))) as reader:
        yield reader


@pytest.fixture
def said(forger, monkeypatch):
    """Read from a reader that says given messages."""
    monkeypatch.setattr(read_apart, "JOB", FORGE)

    def read(*messages):
        raw = msgspec.msgpack.encode(messages)
        return read_table_apart(forger, raw, "t", max_rows=10, max_columns=3)

    return read


def head(**changes) -> bytes:
    return msgspec.msgpack.encode(HEADER | changes)


def test_what_an_honest_reader_says_is_a_table(said):
    frame = said(head(), NUMBERS, CODES, TEXTS, b"").frame
    expected = pd.DataFrame({"x": [0.0, 0.0], "y": pd.Series(["a", None], dtype="str")})
    pd.testing.assert_frame_equal(frame, expected, check_column_type=False)


@pytest.mark.parametrize(
    "messages",
    [
        (b"no header", NUMBERS, CODES, TEXTS, b""),
        (head(n_rows=11), bytes(88), bytes(44), TEXTS, b""),
        (head(left_out=[*range(2, 11)]), NUMBERS, CODES, TEXTS, b""),
        (head(n_rows=2**62), NUMBERS, CODES, TEXTS, b""),
        (head(n_rows=0), b"", b"", TEXTS, b""),
        (head(names=["x", "x"]), NUMBERS, CODES, TEXTS, b""),
        (head(names=["x", "y", "z"]), NUMBERS, CODES, TEXTS, b""),
        (head(names=["a", "b", "c", "d"], is_text=[False] * 4), bytes(64), b"", b"\x90", b""),
        (head(names=["x", "y" * 10_000]), NUMBERS, CODES, TEXTS, b""),
        (head(steps=["!"] * 2_000), NUMBERS, CODES, TEXTS, b""),
        (head(left_out=[-1]), NUMBERS, CODES, TEXTS, b""),
        (head(left_out=[*range(21)]), NUMBERS, CODES, TEXTS, b""),
        (head(), NUMBERS[:8], CODES, TEXTS, b""),
        (head(), NUMBERS, CODES + CODES, TEXTS, b""),
        (head(), NUMBERS, np.array([0, 1], np.int32).tobytes(), TEXTS, b""),
        (head(), NUMBERS, np.array([0, -2], np.int32).tobytes(), TEXTS, b""),
        (head(), NUMBERS, CODES, msgspec.msgpack.encode([]), b""),
        (head(), NUMBERS, CODES, msgspec.msgpack.encode([["a"], ["b"]]), b""),
        (head(), NUMBERS, CODES, msgspec.msgpack.encode([[1]]), b""),
        (head(), NUMBERS, CODES, msgspec.msgpack.encode([[b"\xff"]]), b""),
        (head(), NUMBERS, CODES, b"\x91\x91\xa1\xff", b""),
        (head(), NUMBERS, CODES, TEXTS, b"more"),
        (head(), NUMBERS, CODES, TEXTS),
        (head(), NUMBERS),
    ],
)
def test_an_invalid_answer_of_a_reader_is_refused(said, messages):
    with pytest.raises(ReaderFailedError):
        said(*messages)


@pytest.mark.slow
def test_the_cells_of_a_reader_may_hold_no_more_text_than_a_file(said):
    cells = np.zeros(10, np.int32).tobytes()
    long = msgspec.msgpack.encode([["x" * (MAX_TEXT_BYTES // 9)]])
    with pytest.raises(ReaderFailedError):
        said(head(n_rows=10), bytes(80), cells, long, b"")
