"""Tables as nobody would write them, for tests that throw them at the studio."""

from __future__ import annotations

import csv
import io

from hypothesis import strategies as st

NASTY = (
    "", " ", "\t", "NA", "?", "-", "0", "1", "-1", "1.5", "1,5", "1e308", "-1e308", "1e400",
    "1e-320", "inf", "nan", "1 234", "1,234.5", "1'000'000", "0x1F", "00012", "True", "false",
    "2024-01-31", "31.12.2024", "12:30", "=1+1", "+1", "@SUM(A1)", "-2+3", "%s%n", "{{7*7}}",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "'; DROP TABLE x",
    '"', '""', "a,b", "a;b", "a|b", "line\nbreak", "carriage\rreturn", "#", "# note", "\ufeff",
    "\u202e", "é", "😀", "Ω", "\u00a0", "\x01", "x" * 300, "9" * 400, "constructor", "__proto__",
    "label", "id",
)  # fmt: skip
CLASSES = (
    ("a", "b"),
    ("0", "1", "2"),
    ("1.0", "2.5"),
    ("<b>x</b>", "=1+1"),
    ("yes", "no", "", "NA"),
    ("+", "-"),
    ("only",),
    ("x" * 300, "y"),
    ("a", "b", "c"),
)

KINDS = ("numbers", "numbers", "numbers", "classes", "few", "any", "constant")

_cells = st.sampled_from(NASTY) | st.text(max_size=6)
_numbers = st.floats(allow_nan=False, width=32).map(repr) | st.integers(-99, 99).map(str)
_names = st.sampled_from((*NASTY, "x", "y", "class")) | st.text(max_size=8)
_encodings = st.sampled_from(
    ["utf-8"] * 4 + ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"]
)


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """Bytes that are nearly always a table, of nearly any kind."""
    n_rows = draw(st.integers(6, 24) | st.integers(0, 3))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))
    columns = [draw(_column(kind, n_rows)) for kind in (*kinds, "classes")]
    rows = [list(row) for row in zip(*columns, strict=True)]
    if draw(st.booleans()):
        rows.insert(0, [draw(_names) for _ in columns])
    if rows and draw(st.integers(0, 19)) == 13:
        draw(st.sampled_from(rows)).append("one too many")
    raw = draw(_written(rows))
    return draw(_damaged(raw)) if draw(st.integers(0, 11)) == 7 else raw


@st.composite
def _column(draw: st.DrawFn, kind: str, n_rows: int) -> list[str]:
    if kind == "classes":
        names = draw(st.sampled_from(CLASSES))
        return [names[i % len(names)] for i in range(n_rows)]
    if kind == "constant":
        return [draw(_cells)] * n_rows
    cells = {"numbers": _numbers, "any": _cells | _numbers}.get(kind)
    if cells is None:
        cells = st.sampled_from(draw(st.lists(_cells, min_size=1, max_size=3)))
    return draw(st.lists(cells, min_size=n_rows, max_size=n_rows))


@st.composite
def _written(draw: st.DrawFn, rows: list[list[str]]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(
        file,
        delimiter=draw(st.sampled_from(",;\t|")),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=draw(st.sampled_from(["\n", "\r\n", "\r"])),
    )
    writer.writerows(rows)
    comment = draw(st.sampled_from([""] * 7 + ["# made by a machine\n", "\n\n", "sep=;\n"]))
    return (comment + file.getvalue()).encode(draw(_encodings), errors="ignore")


@st.composite
def _damaged(draw: st.DrawFn, raw: bytes) -> bytes:
    at = draw(st.integers(0, len(raw)))
    inserted = draw(st.sampled_from([b"", b'"', b"\0", b"\xff", b"\n", b",", b"\x80\x81"]))
    dropped = draw(st.integers(0, 3))
    return raw[:at] + inserted + raw[at + dropped :]
