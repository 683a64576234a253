"""NumPy's files, .npy and .npz: numbers and text, never pickled objects."""

from __future__ import annotations

import io
import math
import sys
import tokenize
import zipfile
import zlib
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_studio.tables.formatting import count, listed, number, words_of
from melm_studio.tables.frames import BESIDE, TABLES
from melm_studio.tables.readers.unpack import MAX_UNPACKED
from melm_studio.tables.records import Limits
from melm_studio.tables.text import ZIP, TableError

LEAST_OF_CLASS = 5  # members of a vector with each value, on average
LEAST_OF_AXIS = 10  # numbers or names, which stand behind each other by chance if they are few
MOST_FACTORS = 5  # columns of a block that says of which levels the rows of another are
NPY = b"\x93NUMPY"
_FIRST_NAME = slice(0, 300)  # of an archive
_NAMES = ("feature_names", "features_names", "columns", "var_names", "names")
_CLASS_NAMES = ("target_names", "class_names", "label_names", "classes")
_CODES = ("y", "target", "targets", "label", "labels", "class", "gnd")
_LABELS = {*_CODES, "classes"}
_FEATURES = ("X", "x", "data", "features", "embeddings", "embedding")
_HALVES = 0xD800, 0xDFFF  # of characters beyond 16 bits, the codes from, to
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError,
    tokenize.TokenError,  # of a header that does not end
)  # fmt: skip


def is_arrays(raw: bytes) -> bool:
    """Return whether these are the bytes of a .npy or .npz file."""
    return raw.startswith(NPY) or (raw.startswith(ZIP) and b".npy" in raw[_FIRST_NAME])


def array_cells(
    raw: bytes, file: str, limits: Limits, wanted: str = "", max_bytes: int = MAX_UNPACKED
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the arrays of a file as columns: those with as many rows as most have.

    Arrays of several dimensions, such as embeddings and images, are a block of columns for each
    row. Names of the columns may be an array of their own. Of several blocks that have labels of
    their own, that which is wanted by its name is read, or the one of the most rows.

    Returns
    -------
    cells : pandas.DataFrame
        Numbers as float64, everything else as text.
    steps : tuple of str
        Which arrays were left out, a sentence each.

    Raises
    ------
    TableError
        If the file cannot be read or is too large.
    """
    try:
        arrays, objects = _arrays(raw, file, max_bytes)
    except _UNREADABLE:
        raise TableError(
            f"{file} has arrays that cannot be read, such as objects, which could run code. Save "
            "numbers and text, or a CSV, and drop that."
        ) from None
    cells, steps = columns_of_arrays(arrays, file, limits, wanted)
    are_left_out = f"Left out: {count(len(objects), 'array')} of objects, which could run code"
    return cells, (*steps, f"{are_left_out} ({listed(objects)}).") if objects else steps


def columns_of_arrays(
    arrays: dict[str, npt.NDArray[Any]], file: str, limits: Limits, wanted: str = ""
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Arrays as columns: those with as many rows as most have; see `array_cells`.

    Raises
    ------
    TableError
        If they are too large or empty, or their texts have codes that are no characters.
    """
    if not all(map(_are_characters, arrays.values())):
        raise TableError(
            f"{file} has texts that are damaged: some of their codes are no characters. Save it "
            "again, or as CSV, and drop that."
        )
    arrays, turned = with_samples_in_rows(arrays)
    sizes = Counter(len(array) for array in arrays.values() if array.ndim)
    tables = _labeled_blocks(arrays)
    n_rows = len(arrays[wanted]) if wanted in tables else max(tables.values() or sizes, default=0)
    names = _column_names(arrays)
    arrays, named = _with_class_names(arrays)
    fitting = {k: a for k, a in arrays.items() if a.ndim and len(a) == n_rows and k not in names}
    n_columns = sum(math.prod(array.shape[1:]) for array in fitting.values())
    if not n_rows * n_columns:
        raise TableError(
            f"{file} has no array with a row and a column. Save one with a row for each sample and "
            "drop that."
        )
    if n_columns > limits.n_columns or n_rows > limits.n_rows:
        raise TableError(
            f"{file} has {number(n_rows)} rows and {number(n_columns)} columns, and at most "
            f"{number(int(limits.n_rows))} and {number(int(limits.n_columns))} can be read. Save "
            "fewer and drop the file again."
        )
    limits.reject_cells(n_rows, n_columns)
    # The label last, where it is looked for first.
    ordered = sorted(fitting, key=lambda name: fitting[name].ndim == 1)
    labels = _labels(fitting)
    are_beside = {*labels, *(name for name in ordered if fitting[name].ndim == 1)}
    columns, beside = {}, []
    for name in ordered:
        block = _block(name, fitting[name], names)
        columns.update(block)
        beside += [*block] if name in are_beside else []
    frame = pd.DataFrame(columns)
    if sum(_n_labels(fitting[name]) for name in labels) > 1:
        frame.attrs[BESIDE] = tuple(beside)
    read = [name for name, n in tables.items() if n == n_rows]
    frame.attrs[TABLES] = tuple(dict.fromkeys((*read, *tables)))
    others = [name for name in arrays if name not in fitting and name not in names]
    left = f"Left out: {count(len(others), 'array')} without {number(n_rows)} rows"
    steps = (f"{left} ({listed(others)}).",) if others else ()
    return frame, (*turned, *named, *steps)


def _labeled_blocks(arrays: dict[str, npt.NDArray[Any]]) -> dict[str, int]:
    """The numbers of rows of blocks beside labels of their own, by the widest one of each."""
    of_rows: dict[int, dict[str, npt.NDArray[Any]]] = {}
    for name, array in arrays.items():
        if array.ndim:
            of_rows.setdefault(len(array), {})[name] = array
    tables: dict[str, int] = {}
    for n_rows, fitting in of_rows.items():
        labels = _labels(fitting)
        blocks = [name for name, a in fitting.items() if a.ndim > 1 and name not in labels]
        if blocks and (labels or any(array.ndim == 1 for array in fitting.values())):
            tables[max(blocks, key=lambda name: fitting[name].size)] = n_rows
    return dict(sorted(tables.items(), key=lambda table: -table[1]))


def _labels(arrays: dict[str, npt.NDArray[Any]]) -> list[str]:
    """The arrays that say what the rows of a block are: by their names, or as factors of an X."""
    blocks = [name for name, array in arrays.items() if array.ndim > 1]
    named = [*filter(names_labels, arrays)]
    if named or not any(map(_names_features, blocks)):
        return named if {*blocks} - {*named} else []
    return [name for name in blocks if not _names_features(name) and _are_factors(arrays[name])]


def _n_labels(array: npt.NDArray[Any]) -> int:
    """The number of labels that an array has: one where each row has a 1 in that of its class."""
    if array.ndim == 2 and array.dtype.kind in "biuf":
        are_marks = bool(np.isin(array, (0, 1)).all() and (array.sum(axis=1) == 1).all())
        return 1 if are_marks else array.shape[1]
    return math.prod(array.shape[1:])


def names_labels(name: str) -> bool:
    """Return whether the name of an array begins or ends with a word for labels.

    Examples
    --------
    >>> names_labels("y_age"), names_labels("fine_labels"), names_labels("yield")
    (True, True, False)
    """
    words = words_of(name)
    return name not in _CLASS_NAMES and not _LABELS.isdisjoint({*words[:1], *words[-1:]})


def _names_features(name: str) -> bool:
    return name in _FEATURES or words_of(name)[:1] == ("x",)


def _are_factors(block: npt.NDArray[Any]) -> bool:
    """Return whether the few columns of a block have whole numbers or texts that recur."""
    if block.ndim > 2 or block.shape[1] > MOST_FACTORS or block.dtype.kind == "c":
        return False
    is_whole = block.dtype.kind != "f" or bool(np.equal(block, np.floor(block)).all())
    return is_whole and all(are_classes(column) for column in block.T)


def with_samples_in_rows(arrays: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Arrays whose last axis are samples, as a vector of classes tells, with these in rows.

    So do names of the columns, where the rows are steps of an axis, such as wavelengths. None is
    turned where an array has as many rows as the vector has values, or as another one of classes
    has. Several vectors tell of blocks of the same features, such as those to train and to test
    with.

    Returns
    -------
    arrays : dict of str to array
    steps : tuple of str
        Which were turned, a sentence.

    Examples
    --------
    >>> genes = {"genes": np.zeros((3, 10)), "kind": np.array(["a", "b"] * 5)}
    >>> with_samples_in_rows(genes)[0]["genes"].shape
    (10, 3)
    """
    classes = {
        len(array): name
        for name, array in sorted(arrays.items(), key=lambda item: names_labels(item[0]))
        if getattr(array, "ndim", 0) == 1 and are_classes(array)
    } or _named_beside_axis(arrays)
    blocks = {name: array for name, array in arrays.items() if getattr(array, "ndim", 0) > 1}
    turned = {
        name: array.T if array.ndim == 2 else np.moveaxis(array, -1, 0)
        for name, array in blocks.items()
        if array.shape[-1] in classes and len(array) not in classes
    }
    beside = {len(array): classes[len(array)] for array in turned.values()}
    n_kinds = min(len(beside), len({array.shape[1:] for array in turned.values()}))
    if n_kinds != 1 or not beside.keys().isdisjoint(map(len, blocks.values())):
        return arrays, ()
    tell = "tells" if len(beside) == 1 else "tell"
    vectors = listed([*beside.values()])
    axes = {"last axis" if array.ndim > 2 else "columns" for array in turned.values()}
    axis, verb = ("columns", "are") if axes == {"columns"} else ("last axis", "has the")
    step = f"Turned: the {axis} of {listed([*turned])} {verb} samples, as {vectors} {tell}."
    return {**arrays, **turned}, (step,)


def _named_beside_axis(arrays: dict[str, Any]) -> dict[int, str]:
    """The vector of names of as many samples as the only block has columns, on an axis of rows."""
    blocks = [array for array in arrays.values() if getattr(array, "ndim", 0) > 1]
    if len(blocks) != 1 or blocks[0].ndim != 2:
        return {}
    has_axis = any(len(blocks[0]) == len(each) for each in arrays.values() if _is_axis(each))
    return {
        len(array): name
        for name, array in arrays.items()
        if has_axis
        and getattr(array, "ndim", 0) == 1
        and array.dtype.kind == "U"
        and name not in _NAMES
        and len(array) == blocks[0].shape[1]
    }


def _is_axis(vector: Any) -> bool:
    """Return whether numbers rise or fall throughout, and do not merely count rows.

    Examples
    --------
    >>> _is_axis(np.linspace(900.0, 1100.0, 21)), _is_axis(np.arange(21.0))
    (True, False)
    """
    if getattr(vector, "ndim", 0) != 1 or vector.dtype.kind not in "iuf":
        return False
    steps = np.diff(vector.astype(np.float64))
    is_counting = bool((steps == 1).all()) and vector[:1].tolist() in ([0], [1])
    rises_or_falls = bool((steps > 0).all() or (steps < 0).all())
    return len(vector) >= LEAST_OF_AXIS and rises_or_falls and not is_counting


def are_classes(vector: Any, least: int = LEAST_OF_CLASS) -> bool:
    """Return whether the values of a vector recur, as classes do."""
    return 2 <= len({*np.asarray(vector).tolist()}) <= len(vector) / least


def _arrays(raw: bytes, file: str, max_bytes: int) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """The arrays by their names, and the names of those that hold objects, if others do not."""
    if raw.startswith(NPY):
        return {"": _array(raw)}, []
    arrays: dict[str, npt.NDArray[Any]] = {}
    objects: list[str] = []
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = [part for part in archive.infolist() if part.filename.endswith(".npy")]
        if sum(part.file_size for part in parts) > max_bytes:
            raise TableError(
                f"{file} holds more than {number(max_bytes // 2**20)} MB when it is unpacked. Save "
                "fewer rows or columns and drop the file again."
            )
        for part in parts:
            name = part.filename.removesuffix(".npy")
            try:
                arrays[name] = _array(archive.read(part))
            except _ObjectsError:
                objects.append(name)
    if not arrays:
        raise _ObjectsError
    return arrays, objects


class _ObjectsError(ValueError):
    """What unpickling would read, which is never done."""


def _array(raw: bytes) -> npt.NDArray[Any]:
    """The array in a .npy file whose size is what its header says, before it is allocated."""
    file = io.BytesIO(raw)
    version = np.lib.format.read_magic(file)
    read_header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read_header(file)
    if dtype.hasobject:
        raise _ObjectsError
    fields = [dtype[name] for name in dtype.names] if dtype.names and len(shape) == 1 else [dtype]
    is_plain = not any(field.kind == "V" for field in fields)
    if not is_plain or math.prod(shape) * dtype.itemsize != len(raw) - file.tell():
        raise ValueError(raw[: file.tell()])
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def _are_characters(array: npt.NDArray[Any]) -> bool:
    """Return whether an array has no code that is half of a character, or beyond all."""
    if array.dtype.names:
        return all(_are_characters(array[name]) for name in array.dtype.names)
    if array.dtype.kind != "U" or not array.size or not array.dtype.itemsize:
        return True
    codes = array.astype(array.dtype.newbyteorder("=")).reshape(-1).view(np.uint32)
    is_half = (codes >= _HALVES[0]) & (codes <= _HALVES[1])
    return not (is_half | (codes > sys.maxunicode)).any()


def _column_names(arrays: dict[str, npt.NDArray[Any]]) -> dict[str, list[str]]:
    """The names of the columns of a block, by the array that has them, such as X_labels of X.

    Many texts that all differ name those of the only block that has as many, and so does an axis.
    """
    blocks = {name: array.shape for name, array in arrays.items() if array.ndim == 2}
    widths = {width for _, width in blocks.values()}
    vectors = {name: array for name, array in arrays.items() if array.ndim == 1}
    named = [name for name in _NAMES if name in vectors and len(vectors[name]) in widths]
    named += [
        name
        for name, array in vectors.items()
        if name not in named
        and (_is_axis(array) or (array.dtype.kind == "U" and len({*array.tolist()}) == len(array)))
        and any(
            (_are_of(name, block) or (len(blocks) == 1 and len(array) >= LEAST_OF_AXIS))
            and len(array) == width != n_rows
            for block, (n_rows, width) in blocks.items()
        )
    ]
    return {
        name: [
            f"{each:.10g}" if isinstance(each, float) else str(each)
            for each in vectors[name].tolist()
        ]
        for name in named
    }


def _are_of(name: str, block: str) -> bool:
    """Return whether names are of the columns of a block: of any, or of one that they are called.

    Examples
    --------
    >>> [_are_of(name, "X_train") for name in ("feature_names", "X_labels", "y_labels")]
    [True, True, False]
    """
    return name in _NAMES or (name != block and words_of(name)[:1] == words_of(block)[:1] != ())


def _with_class_names(
    arrays: dict[str, npt.NDArray[Any]],
) -> tuple[dict[str, npt.NDArray[Any]], tuple[str, ...]]:
    """The arrays with the names of classes in place of codes from 0, as scikit-learn has them."""
    for name in _CLASS_NAMES:
        if name not in arrays or arrays[name].ndim != 1 or arrays[name].dtype.kind not in "US":
            continue
        classes = arrays[name]
        for codes in _CODES:
            if codes in arrays and _are_codes(arrays[codes], len(classes)):
                others = {key: array for key, array in arrays.items() if key != name}
                texts = {codes: classes[arrays[codes].astype(np.int64)]}
                return {**others, **texts}, (f"{codes} is named by {name}.",)
    return arrays, ()


def _are_codes(array: npt.NDArray[Any], n_classes: int) -> bool:
    """Return whether an array has whole numbers from 0 for so many classes."""
    if array.ndim != 1 or array.dtype.kind not in "iuf" or len(array) <= n_classes:
        return False
    present = np.isin(array, np.arange(n_classes))
    return n_classes > 1 and bool(present.all())


def _block(
    name: str, array: npt.NDArray[Any], given: dict[str, list[str]]
) -> dict[str, npt.NDArray[Any] | pd.Series]:
    """The columns of one array."""
    if array.dtype.names:
        return {str(field): _cells(array[field]) for field in array.dtype.names}
    if array.ndim == 1:
        return {name or "column 1": _cells(array)}
    rows = array.reshape(len(array), -1)
    fitting = [given[each] for each in given if _are_of(each, name)] or [*given.values()]
    names = next((each for each in fitting if len(each) == rows.shape[1]), None)
    if names is None:
        prefix = f"{name} " if name and name not in _FEATURES else "x"
        names = [f"{prefix}{place}" for place in _places(array.shape[1:])]
    return {each: _cells(rows[:, column]) for column, each in enumerate(names)}


def _places(shape: tuple[int, ...]) -> list[str]:
    """Return what tells the columns of a block apart: of images, row and column of the pixel."""
    if len(shape) == 2 and min(shape) > 1:
        return [f"{row}_{column}" for row, column in np.ndindex(shape)]
    return [str(index) for index in range(math.prod(shape))]


def _cells(column: npt.NDArray[Any]) -> npt.NDArray[Any] | pd.Series:
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    if column.dtype.kind == "S":
        column = np.char.decode(column, "utf-8", "replace")
    return pd.Series(column.astype(str), dtype="str")
