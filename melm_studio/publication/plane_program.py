"""Computes the coordinates and classes of the rows of a table in a plane, one line for each row.

    python PROGRAM.py TABLE.csv > points.csv

It needs numpy and pandas. The table may have its columns in any order, and others beside them;
names may differ in case and marks, and labels are not needed. Numbers in another unit of the same
kind, which the header or a cell names, are converted. Rows are numbered from 1, without the header.
The class is the one of the largest density in the plane; a row that is unlike those of the fit has
none, and none has one where most are unlike. "classes at 90 %" are those that the row may be of: of
the rows of each class about 90 % have it there. That is estimated from rows that were left out of
fits like this one, and not proved. A row of "no class" is like none.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections import Counter
from itertools import islice, zip_longest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

# <arithmetic>: `program_of` writes these functions in place of the imports.
from melm_core.base import (
    MISSING,
    UserError,
    check_columns,
    check_numbers,
    columns_as_known,
    decimal_mark,
    numbers_as_known,
    plain_cell,
    sources_of,
    unique_names,
    unknown_categories,
)
from melm_core.density import nonconformity
from melm_core.linalg import score_distances, squared_residuals
from melm_core.recipe import prepared_features, rows_within

# </arithmetic>
# <values>: `program_of` writes the values in place of these lines.
# The columns, in order: what replaces a missing number; or the categories, with None for missing;
# or ordered categories with their positions, and under an empty name that of a missing one.
COLUMNS: dict[str, float | list[str | None] | dict[str, float | None] | None] = {}
# To each unit of a column, factor and offset from those in which it may be given.
UNITS: dict[str, dict[str, tuple[float, float]]] = {}
CENTER: list[float] = []
SCALE: list[float] = []
COMPONENTS: list[list[float]] = []
# How missing numbers are filled and which steps follow; empty if COLUMNS has what replaces them.
RULES: dict[str, Any] = {}
# The column within whose values rows are compared: each less the mean of those with its value.
WITHIN: dict[str, Any] = {}
# The classes, and what their densities are summed from: a root of the inverse covariance of the
# kernel, the rows of the class times this root, and the logarithm of the kernel's peak.
CLASSES: dict[str, dict[str, Any]] = {}
NORMAL: dict[str, Any] = {}  # the normal densities of the classes, which are mixed with those
FLOOR: dict[str, Any] = {}  # of all densities: a Cauchy density around all rows, and its share
TEMPERATURE: float | None = None  # of their probabilities; None without any
LIMITS: dict[str, Any] = {}  # beyond which a row has no class
SETS: dict[str, Any] = {}  # how strange a class may be that a row may be of
# How the table was written to which the plane was fitted.
HAS_HEADER = True
DELIMITERS: list[str] = []  # its own first
CELL_RULES: Any = SimpleNamespace()  # how its cells were read
# </values>
NEEDED = [*COLUMNS, *([WITHIN["column"]] if WITHIN else [])]

MOST_TITLES = 40  # lines above the header
LONGEST_HEADER = 10_000_000  # characters
ROWS_AT_ONCE = 200  # so that the kernels at them fit into the memory


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"Name the table: python {Path(sys.argv[0]).name} TABLE.csv > points.csv")
    file = Path(sys.argv[1])
    try:
        print_points(*read(file))
    except UserError as error:
        sys.exit(f"{file.name}: {error}")


def print_points(cells: pd.DataFrame, decimal: str, given: dict[str, str]) -> None:
    """Print the coordinates and classes of rows, whose columns had other names in the file."""
    encoded = np.hstack([encode(cells[name], decimal, given[name]) for name in COLUMNS])
    features = less_own_mean(encoded, cells) if WITHIN else encoded
    lost = np.isnan(features).all(axis=1) & bool(WITHIN)
    features = prepared_features(features, RULES) if RULES else features
    features[lost] = np.nan
    note_uncomputable(features)
    prepared = (features - np.array(CENTER)) / np.array(SCALE)
    coordinates = prepared @ np.array(COMPONENTS).T
    names = [f"component_{i + 1}" for i in range(len(COMPONENTS))]
    points = pd.DataFrame(coordinates, columns=names)
    points.insert(0, "row", range(1, len(points) + 1))
    if CLASSES:
        points = points.assign(**class_columns(prepared, coordinates))
    points.to_csv(sys.stdout, index=False)


def less_own_mean(encoded: npt.NDArray[np.float64], cells: pd.DataFrame) -> Any:
    """Subtract from rows the mean of their subject; NaN without another such row."""
    names = cells[WITHIN["column"]]
    subjects = pd.factorize(names.mask(names.isin(MISSING)))[0]
    centered = rows_within(encoded, subjects, WITHIN)
    alone = np.asarray(np.isnan(centered).all(axis=1))
    if alone.any():
        sys.stderr.write(
            f'Without another row of the same "{WITHIN["column"]}", from whose mean a difference '
            f"could be taken: {place(alone)}.\n"
        )
    return centered


def class_columns(
    prepared: npt.NDArray[np.float64], coordinates: npt.NDArray[np.float64]
) -> dict[str, npt.NDArray[Any]]:
    """Return the class of each row, and calibrated probabilities; none of rows unlike."""
    has_none: npt.NDArray[np.bool_] = np.asarray(np.isnan(coordinates).any(axis=1))
    has_none[~has_none] = are_unlike(prepared[~has_none])
    n_without = int(np.count_nonzero(has_none))
    if 2 * n_without > len(has_none):
        sys.stderr.write(
            f"No classes are given: {n_without} of {len(has_none)} rows are unlike those that the "
            "plane was fitted to. Check their units.\n"
        )
        has_none[:] = True
    kernels = np.column_stack([log_density(coordinates, **each) for each in CLASSES.values()])
    mixed = with_normal(coordinates, kernels)
    likeliest = np.where(np.isnan(mixed), -np.inf, mixed).argmax(axis=1)
    logs = with_floor(coordinates, mixed)
    names = np.array([*CLASSES], dtype=object)[likeliest]
    columns: dict[str, npt.NDArray[Any]] = {"class": np.where(has_none, "", names)}
    if TEMPERATURE is not None:
        shares = np.exp((logs - logs.max(axis=1, keepdims=True)) / TEMPERATURE)
        shares = shares / shares.sum(axis=1, keepdims=True)
        shares[has_none] = np.nan
        columns |= {f"probability of {name}": shares[:, i] for i, name in enumerate(CLASSES)}
    if SETS:
        words = np.array(set_words(prepared, logs), dtype=object)
        hides = has_none.all() | np.isnan(coordinates).any(axis=1)
        columns[f"classes at {100 * SETS['coverage']:g} %"] = np.where(hides, "", words)
    return columns


def set_words(prepared: npt.NDArray[np.float64], logs: npt.NDArray[np.float64]) -> list[str]:
    """List the classes that each row may be of, as in "Barolo or Grignolino"."""
    centered, basis = prepared - np.array(LIMITS["mean"]), np.array(LIMITS["basis"])
    off = squared_residuals(centered, basis).sum(axis=1)
    rules = (SETS[name] for name in ("background", "residual_mean", "residual_spread"))
    # Sums of the same terms in another order differ by rounding.
    sets = nonconformity(logs, off, *rules) <= np.array(SETS["largest"]) + 1e-9
    names = np.array([*CLASSES], dtype=object)
    return [" or ".join(names[members]) if members.any() else "no class" for members in sets]


def are_unlike(prepared: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return whether rows are farther from the plane's than one in a hundred of these."""
    if not LIMITS:
        return np.zeros(len(prepared), dtype=bool)
    centered, basis = prepared - np.array(LIMITS["mean"]), np.array(LIMITS["basis"])
    in_plane = score_distances(centered, basis, np.array(LIMITS["precision"]))
    off = squared_residuals(centered, basis).sum(axis=1)
    flags: npt.NDArray[np.bool_] = in_plane > LIMITS["score_limit"]
    flags |= off > LIMITS["residual_limit"]
    return flags


def log_density(
    points: npt.NDArray[np.float64],
    root: list[list[float]],
    rows: list[list[float]],
    log_peak: float,
) -> npt.NDArray[np.float64]:
    """Compute the logarithm of the density of a class, NaN where a point is."""
    u, v = points @ np.array(root), np.array(rows)
    logs: npt.NDArray[np.float64] = np.empty(len(u))
    for i in range(0, len(u), ROWS_AT_ONCE):
        block = slice(i, i + ROWS_AT_ONCE)
        exponents = -0.5 * ((u[block, None] - v) ** 2).sum(axis=2)
        largest = exponents.max(axis=1)
        logs[block] = largest + np.log(np.exp(exponents - largest[:, None]).sum(axis=1))
    logs += log_peak - np.log(len(v))
    return logs


def with_normal(
    points: npt.NDArray[np.float64], logs: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Mix log class densities with their normal part, which is alone far from all rows."""
    root, shares = np.array(NORMAL["root"]), np.array(NORMAL["shares"])
    away = points[:, None] @ root - np.array(NORMAL["means"]) @ root
    normal = NORMAL["log_peak"] - 0.5 * (away**2).sum(axis=2)
    kernels = np.where(logs <= NORMAL["least"], -np.inf, logs)
    mixed: npt.NDArray[np.float64] = np.logaddexp(
        kernels + np.log1p(-shares), normal + np.log(shares)
    )
    return mixed


def with_floor(
    points: npt.NDArray[np.float64], logs: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Mix log class densities with their floor, below which no class is likelier."""
    share, n_components = FLOOR["share"], points.shape[1]
    squares = (((points - np.array(FLOOR["center"])) @ np.array(FLOOR["root"])) ** 2).sum(axis=1)
    floor = FLOOR["log_peak"] - 0.5 * (n_components + 1) * np.log1p(squares) + np.log(share)
    mixed: npt.NDArray[np.float64] = np.logaddexp(logs + np.log1p(-share), floor[:, None])
    return mixed


def read(file: Path) -> tuple[pd.DataFrame, str, dict[str, str]]:
    """Read every cell as text, the decimal mark, and the names in the file by the known ones."""
    text = text_of(file)
    try:
        delimiter, start, names, given = find_columns(text)
    except UserError:
        text = samples_in_rows(text)
        if not text:
            raise
        delimiter, start, names, given = find_columns(text)
    try:
        cells = pd.read_csv(
            io.StringIO(text[start:]),
            sep=delimiter,
            header=0 if HAS_HEADER else None,
            names=names,
            index_col=False,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
        )
    except ValueError as error:
        sys.exit(f"{file.name} cannot be split into rows and columns: {error}")
    if cells.empty:
        sys.exit(f"{file.name} has no rows below its header. Add rows.")
    sources = {name: next(each for each in sources_of(name) if each in given) for name in NEEDED}
    given = {name: given[source] for name, source in sources.items()}
    cells = cells[[*sources.values()]].set_axis(NEEDED, axis=1).fillna("")
    cells = cells.apply(lambda column: column.str.strip().map(plain_cell))
    return cells, decimal_mark(Counter(cells.to_numpy().ravel()), delimiter), given


def samples_in_rows(text: str) -> str:
    """Return a table whose samples are columns with these in rows; empty if it is no such table."""
    for mark in DELIMITERS:
        records = [*csv.reader(io.StringIO(text), delimiter=mark, skipinitialspace=True)]
        records = [record for record in records if len(record) > 1]
        names = columns_as_known([record[0].strip() for record in records], NEEDED, UNITS)
        if all(not {*names}.isdisjoint(sources_of(name)) for name in NEEDED):
            turned = io.StringIO()
            csv.writer(turned, delimiter=mark).writerows(zip_longest(*records, fillvalue=""))
            return turned.getvalue()
    return ""


def note_uncomputable(features: npt.NDArray[np.float64]) -> None:
    is_lost = np.asarray(np.isnan(features).any(axis=1))
    if is_lost.any():
        sys.stderr.write(
            "Without coordinates, since a step of the preparation, such as a logarithm, cannot be "
            f"computed: {place(is_lost)}.\n"
        )


def text_of(file: Path) -> str:
    try:
        raw = file.read_bytes()
    except OSError as error:
        sys.exit(f"{file} cannot be read: {error.strerror}. Name a CSV file.")
    text = decoded(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    if "\0" in text or not text.strip():
        sys.exit(f"{file.name} is empty or not text. Save the table as CSV and name that file.")
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")


def decoded(raw: bytes) -> str:
    encodings = ["utf-8", "cp1252", "latin-1"]
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encodings = ["utf-16", *encodings]
    elif b"\0" in raw[:2]:
        encodings = ["utf-16-be" if raw[0] == 0 else "utf-16-le", *encodings]
    for encoding in encodings:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 has a character for every byte.")


def find_columns(text: str) -> tuple[str, int, list[str], dict[str, str]]:
    """Return delimiter, start of the header or the first row, columns and their given names."""
    headers = [
        (mark, start, columns_as_known(given, NEEDED, UNITS), given)
        for mark in DELIMITERS
        for start, given in candidates(text, mark)
    ]
    mark, start, names, given = max(
        headers, key=lambda header: len({*NEEDED} & {*header[2]}), default=("", 0, [], [])
    )
    check_columns(names, NEEDED, UNITS)
    return mark, start, names, dict(zip(reversed(names), reversed(given), strict=True))


def candidates(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """List where the header may begin: at the first line, or below comments or titles."""
    headers, start = [], 0
    for line in islice(io.StringIO(text), MOST_TITLES):
        is_comment = not line.strip() or line.startswith(("#", "sep="))
        if line.strip() and (HAS_HEADER or not is_comment):
            names = column_names(text[start : start + LONGEST_HEADER], delimiter)
            headers.append((start, names))
        if not is_comment and not HAS_HEADER:
            break
        start += len(line)
    return headers


def column_names(text: str, delimiter: str) -> list[str]:
    """Return the names in the first record, with repeated ones numbered: x, x (2).

    Where it is one short, as R writes it, the first column has the names of the rows.
    """
    records = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    try:
        first = next(records)
        second = next(records, first)
    except csv.Error:
        return []
    if HAS_HEADER and len(second) == len(first) + 1:
        first = ["", *first]
    numbered = [f"column {i + 1}" for i in range(len(first))]
    if not HAS_HEADER:
        return numbered
    given = [cell.strip() or place for cell, place in zip(first, numbered, strict=True)]
    return unique_names(given)


def encode(cells: pd.Series[str], decimal: str, given: str) -> npt.NDArray[np.float64]:
    """Encode a column of a given name as features, shape (n_rows, n_features)."""
    values = COLUMNS[str(cells.name)]
    if isinstance(values, dict):
        return positions(cells, values)
    if isinstance(values, list):
        return indicators(cells, values)
    return numbers(cells, values, decimal, given)


def numbers(
    cells: pd.Series[str], fill: float | None, decimal: str, given: str
) -> npt.NDArray[np.float64]:
    name = str(cells.name)
    values, notes = numbers_as_known(cells.tolist(), name, given, decimal, UNITS, rules=CELL_RULES)
    is_missing = ~np.isfinite(values)
    sys.stderr.writelines(f"{note}\n" for note in notes)
    if RULES:
        return np.where(is_missing, np.nan, values)[:, None]
    if fill is None and is_missing.any():
        raise UserError(
            f'Column "{name}" has missing values ({place(is_missing)}), and no value to replace '
            "them is known. Fill them in or remove their rows."
        )
    return np.where(is_missing, fill or 0.0, values)[:, None]


def indicators(cells: pd.Series[str], levels: list[str | None]) -> npt.NDArray[np.float64]:
    """Return an indicator for each category; of two, only for the second."""
    return np.eye(len(levels))[places_of(cells, levels), int(len(levels) == 2) :]


def positions(cells: pd.Series[str], by_level: dict[str, float | None]) -> npt.NDArray[np.float64]:
    """Return the position of each ordered category."""
    fill = np.nan if RULES else by_level[""]
    levels = [level or None for level in by_level if level or fill is not None]
    filled = {**by_level, "": fill}
    values = np.array([filled[level or ""] for level in levels], dtype=np.float64)
    is_missing = cells.isin(MISSING) & ~cells.isin(levels)
    check_numbers(np.where(is_missing, np.nan, 0.0), cells.tolist(), str(cells.name))
    return values[places_of(cells, levels)][:, None]


def places_of(cells: pd.Series[str], levels: list[str | None]) -> npt.NDArray[np.intp]:
    """Return the position of each category among the known ones."""
    codes, texts = pd.factorize(cells)
    places = np.array([place_of(text, levels) for text in texts])[codes]
    given = [levels[at] if at >= 0 else cell for cell, at in zip(cells, places, strict=True)]
    known = [None if cell in MISSING and cell not in levels else cell for cell in given]
    if unknown := unknown_categories(known, str(cells.name), levels):
        raise UserError(unknown)
    return places


def place_of(text: str, levels: list[str | None]) -> int:
    """Return the position of a category, or -1."""
    # A column of true and false, however written, was read as True and False.
    as_read = [text, *([text.capitalize()] if text.lower() in ("true", "false") else [])]
    # So was a whole number that is a category: 3.0 as 3.
    as_read += [text.partition(".")[0]] if re.fullmatch(r"-?[0-9]+\.0+", text) else []
    spellings = [spelling for spelling in as_read if spelling in levels]
    if spellings:
        return levels.index(spellings[0])
    return levels.index(None) if text in MISSING and None in levels else -1


def place(is_there: npt.NDArray[np.bool_]) -> str:
    rows = np.flatnonzero(is_there) + 1
    return f"{len(rows)} row(s), first row {rows[0]}"


if __name__ == "__main__":
    main()
