"""Reading a table in an isolated process: the request, the answer, and its validation.

A crafted file may have taken over the process that read it, so its answer is not trusted: the
header is typed and bounded, numbers are received into arrays of the announced shape, text is
decoded as UTF-8, and every code of a cell is checked against the list of texts.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Annotated, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Meta, Struct
from msgspec.structs import asdict

from melm_core.base import CellRules, FloatArray
from melm_studio.reading import Channel, ChannelError, FileReader, RefusedError
from melm_studio.tables.above_rows import MOST_PREVIEWED
from melm_studio.tables.formatting import count, number
from melm_studio.tables.frames import assembled
from melm_studio.tables.read import Table, read_table
from melm_studio.tables.readers import DEFAULT_OPTIONS, ReadOptions
from melm_studio.tables.records import MAX_NAME, Form, Limits, max_cells, max_text_bytes
from melm_studio.tables.text import TableError
from melm_studio.tables.uneven_rows import at_places

JOB = f"{__name__}:answer"

_MOST_FILE = 2**40  # the memory of the reader is bounded
_MOST_HEADER = 64 * 2**20
_MOST_STEPS = 1_000
_MOST_WORDS = 100_000  # characters
_MOST_SHEETS = 10_000
# Inserting more would say that it is slow; they are put together at once.
_MISSING_CODE = -1
_BYTES_OF_LENGTH = 5  # that precede a text or a list in a message, at most
_END = b""
# What readers of formats import once there is such a file.
_LAZY = (
    "pyarrow.parquet", "pyarrow.ipc", "h5py", "zoneinfo", "pyreadstat", "rdata", "flowio"
)  # fmt: skip

_TOO_MUCH_TEXT = (
    "The cells of the file hold more than {mb} MB of text, the most that can be read. Remove "
    "columns of text and drop the file again."
)

_Name: TypeAlias = Annotated[str, Meta(max_length=2 * MAX_NAME)]  # with the number of a repeat
_Row: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(max_length=MAX_NAME)], ...], Meta(max_length=MOST_PREVIEWED)
]
_Place: TypeAlias = Annotated[int, Meta(ge=0, lt=2**40)]
_Words: TypeAlias = Annotated[str, Meta(max_length=_MOST_WORDS)]


class _Request(Struct, frozen=True):
    """Request to read the file whose bytes follow."""

    name: str
    max_rows: int
    max_columns: int
    options: ReadOptions


class _Asked(Struct, frozen=True, omit_defaults=True):
    """Readings that could be otherwise, in words; empty where none could."""

    limits: _Words = ""
    words: _Words = ""
    samples: _Words = ""
    header: _Words = ""
    totals: _Words = ""
    blocks: _Words = ""
    label: _Words = ""
    names: _Words = ""
    thousands: _Words = ""
    codes: _Words = ""


class _Header(Struct, frozen=True):
    """The table without its cells."""

    name: _Words
    n_rows: Annotated[int, Meta(ge=1)]
    names: Annotated[tuple[_Name, ...], Meta(min_length=2)]
    is_text: tuple[bool, ...]
    steps: Annotated[tuple[_Words, ...], Meta(max_length=_MOST_STEPS)]
    form: Form
    sheets: Annotated[tuple[_Words, ...], Meta(max_length=_MOST_SHEETS)]
    sheet: _Words
    asked: _Asked
    turned: Annotated[tuple[_Row, ...], Meta(max_length=MOST_PREVIEWED)]
    answers: dict[_Words, _Name]
    descriptions: dict[_Name, _Words]
    encodings: dict[_Words, _Words]
    missing_words: dict[_Name, _Words]
    rules: CellRules
    beside: tuple[_Name, ...]
    embedded: tuple[_Name, ...]
    is_measured: bool
    warnings: Annotated[tuple[_Words, ...], Meta(max_length=_MOST_STEPS)]
    left_out: tuple[_Place, ...]


def read_table_apart(
    reader: FileReader,
    raw: bytes,
    name: str,
    *,
    max_rows: int,
    max_columns: int,
    options: ReadOptions = DEFAULT_OPTIONS,
) -> Table:
    """Read a table by `read_table` in an isolated process.

    Parameters
    ----------
    reader : FileReader
        With `JOB` among its jobs.
    raw : bytes
        Released once it is sent, before the table is received.
    name : str
    max_rows, max_columns : int
    options : ReadOptions, optional
        As those of `read_table`.

    Raises
    ------
    TableError
        If the content is not a table of at least one row and two columns within the limits.
    ReaderFailedError
        If the reader fails.
    """
    request = _Request(name, max_rows, max_columns, options)
    limits = Limits(max_rows, max_columns, max_cells(len(raw)))
    most_text = max_text_bytes(len(raw))
    try:
        with reader.channel(JOB) as channel:
            channel.send_values(request)
            channel.send(raw)
            del raw
            return _received(channel, limits, most_text)
    except RefusedError as error:
        raise TableError(str(error)) from None


def warm_up() -> None:
    """Import what `read_table` imports lazily, so that readers start warm."""
    for name in _LAZY:
        with suppress(ImportError):  # of an extra
            import_module(name)
    read_table(b"x,y,class\n1,2,a\n,4,b\n", "table.csv")


def answer(channel: Channel) -> None:
    """Read the table that the studio sends, and send its cells.

    Raises
    ------
    TableError
        If the content is not a table.
    """
    request = channel.receive_values(_Request)
    raw = bytes(channel.receive(_MOST_FILE))
    table = read_table(
        raw,
        request.name,
        max_rows=request.max_rows,
        max_columns=request.max_columns,
        options=request.options,
    )
    frame = table.frame
    limits = Limits(request.max_rows, request.max_columns, max_cells(len(raw)))
    limits.reject_cells(*frame.shape)
    is_text = tuple(kind != np.float64 for kind in frame.dtypes)
    levels = [pd.factorize(frame.iloc[:, place]) for place, text in enumerate(is_text) if text]
    codes = np.array([column_codes for column_codes, _ in levels], dtype=np.int32).reshape(
        -1, len(frame)
    )
    texts = [list(distinct) for _, distinct in levels]
    if _n_bytes(codes, texts) > max_text_bytes(len(raw)):
        raise TableError(_TOO_MUCH_TEXT.format(mb=number(max_text_bytes(len(raw)) // 2**20)))
    header = _Header(
        name=table.name,
        n_rows=len(frame),
        names=tuple(map(str, frame.columns)),
        is_text=is_text,
        steps=_within(table.steps),
        form=table.form,
        sheets=table.sheets,
        sheet=table.sheet,
        asked=_Asked(**table.asked),
        turned=table.turned,
        answers=dict(table.answers),
        descriptions={name: words[:_MOST_WORDS] for name, words in table.descriptions.items()},
        encodings=dict(table.encodings),
        missing_words=dict(table.missing_words),
        rules=table.rules,
        beside=tuple(table.beside),
        embedded=table.embedded,
        is_measured=table.is_measured,
        warnings=table.warnings,
        left_out=_left_out(table),
    )
    channel.send_values(header)
    channel.send(frame.select_dtypes(np.float64).to_numpy().T.reshape(-1).data)
    channel.send(codes.reshape(-1).data)
    channel.send(msgspec.msgpack.encode(texts))
    channel.send(_END)


def _left_out(table: Table) -> tuple[int, ...]:
    """The places, from 0, of rows of the file that the table lacks between others."""
    return tuple(np.flatnonzero(np.bincount(table.row_numbers - 1) == 0).tolist())


def _within(steps: tuple[str, ...]) -> tuple[str, ...]:
    """Steps, of which no more can be sent than there may be."""
    n_more = len(steps) - _MOST_STEPS + 1
    return steps if n_more < 2 else (*steps[:-n_more], f"And {count(n_more, 'step')} more.")


def _received(channel: Channel, limits: Limits, most_text: int) -> Table:
    header = channel.receive_values(_Header, _MOST_HEADER)
    _check_header(header, limits)
    n_rows, n_texts = header.n_rows, sum(header.is_text)
    numbers = np.empty((len(header.names) - n_texts, n_rows))
    channel.receive_into(numbers.reshape(-1).data)
    codes = np.empty((n_texts, n_rows), dtype=np.int32)
    channel.receive_into(codes.reshape(-1).data)
    most_bytes = most_text + _BYTES_OF_LENGTH * (codes.size + n_texts + 1)
    texts = channel.receive_values(list[list[str]], most_bytes)
    _check_texts(texts, codes, most_text)
    channel.receive(len(_END))  # sent only by a reader that has not failed
    return Table(
        header.name,
        _frame(header, numbers, codes, texts),
        header.steps,
        header.form,
        header.sheets,
        header.sheet,
        answers=header.answers,
        asked={question: answer for question, answer in asdict(header.asked).items() if answer},
        turned=header.turned,
        descriptions=header.descriptions,
        encodings=header.encodings,
        missing_words=header.missing_words,
        rules=header.rules,
        beside=header.beside,
        embedded=header.embedded,
        is_measured=header.is_measured,
        warnings=header.warnings,
    )


def _check_header(header: _Header, limits: Limits) -> None:
    names, n_cells = header.names, header.n_rows * len(header.names)
    is_within = (
        header.n_rows + len(header.left_out) <= limits.n_rows
        and len(names) <= limits.n_columns
        and n_cells <= limits.n_cells
        and len(names) == len(header.is_text) == len(set(names))
    )
    if not is_within:
        raise ChannelError("a table beyond the limits")


def _check_texts(texts: list[list[str]], codes: npt.NDArray[np.int32], most_text: int) -> None:
    """Check that the cells of each column refer to its distinct texts."""
    if len(texts) != len(codes):
        raise ChannelError("texts of other columns")
    for column_codes, distinct in zip(codes, texts, strict=True):
        if column_codes.min() < _MISSING_CODE or column_codes.max() >= len(distinct):
            raise ChannelError("a cell without text")
    if _n_bytes(codes, texts) > most_text:
        raise ChannelError("more text than there may be")


def _n_bytes(codes: npt.NDArray[np.int32], texts: list[list[str]]) -> int:
    """The bytes of all cells of text; a missing one has none."""
    sizes = ([len(text.encode()) for text in distinct] for distinct in texts)
    return sum(
        int(np.array([*size, 0], dtype=np.int64)[cells].sum())
        for size, cells in zip(sizes, codes, strict=True)
    )


def _frame(
    header: _Header, numbers: FloatArray, codes: npt.NDArray[np.int32], texts: list[list[str]]
) -> pd.DataFrame:
    names = (name for name, is_text in zip(header.names, header.is_text, strict=True) if is_text)
    columns = dict(zip(names, map(_texts, codes, texts), strict=True))
    return at_places(assembled(header.names, numbers.T, columns), header.left_out)


def _texts(codes: npt.NDArray[np.int32], distinct: list[str]) -> pd.Series:
    cells = np.array([*distinct, np.nan], dtype=object)  # the code -1 is missing
    return pd.Series(cells[codes], dtype="str")
