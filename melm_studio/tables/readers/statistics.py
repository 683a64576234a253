"""Tables of statistical programs: Stata and SAS by pandas, SPSS and R by packages of an extra."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice, product
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.io.sas.sas_constants import sas_date_formats, sas_datetime_formats

from melm_core.base import FloatArray, unique_names
from melm_studio.installation import install_command
from melm_studio.tables.formatting import listed, number_text
from melm_studio.tables.frames import BESIDE, TABLES, TEXTS
from melm_studio.tables.readers.arrays import (
    LEAST_OF_CLASS,
    are_classes,
    names_labels,
    with_samples_in_rows,
)
from melm_studio.tables.records import Limits
from melm_studio.tables.scales import UNKNOWN, is_among, plain
from melm_studio.tables.text import TableError

ROW_NAMES = "row"  # the column of the names of the rows of R
_SAS7BDAT = bytes(12) + b"\xc2\xea\x81\x60"
_TRANSPORT = b"HEADER RECORD*"
_EIGHTH = b"LIBV8"  # of transport files, which pandas does not know
_HEAD = 80
_EPOCH = pd.Timestamp(1970, 1, 1) - pd.Timestamp(1960, 1, 1)  # since when SAS counts
LEAST_DRAWS = 10  # tables of the same rows and columns, which fewer may measure again
LEAST_ROWS = 10  # of another table in a list, which is offered
TWICE = 2  # as many samples as have a row of a data frame, or than have different classes
MOST_PAIRS = 100  # of tables of a file of R that are compared by their names
FEW_BESIDE = 10  # numbers measured of each row for each that says what it is
STEP = "step"  # of a frame: what else was decided
MOST_LEVELS = 200  # of a factor whose numbers are words: treatments 1 to 6, judges 101 to 147
LEAST_OF_LEVEL = 5  # rows of each of many more, on average, such as places and years
FEW_LEVELS = 20  # of one that may have each in a single row
FIRST = "column 1"  # of a matrix without names
MARKERS, UNMARKED = "markers", "unknown"  # organelles of proteins, of pRoloc
LEAST_NUMBERS = 2  # different ones, beside a label that says why there is none
_NO_ANSWERS = UNKNOWN.union(map(plain, [
    "don't know", "do not know", "refused", "refusal", "skipped", "not asked", "no response",
]))  # fmt: skip
_CODE = re.compile(r"^[-+]?\d+[.:)]?\s")
_LOOKS = {"colors", "sym", "alt.sym"}  # how a program of spectra draws each sample
_STATA = b"<stata_dta>"
_SPSS = (b"$FL2", b"$FL3")
_PORTABLE, _PORTABLE_HEAD = b"ASCII SPSS PORT FILE", 300
_R = (b"X\n\0\0\0", b"RDX2\n", b"RDX3\n")
_MISSING_PACKAGE = (
    "To read files of {program}, the studio needs {package}: {install}. Until then, save the table "
    "as CSV and drop that."
)
_NO_TABLE = "The file of R {}. Save the table as CSV (write.csv) and drop that."


def is_statistics(raw: bytes) -> bool:
    """Return whether these are the bytes of a .dta, .xpt, .sas7bdat, .sav, .por or .rda file."""
    return _program(raw) != ""


def _program(raw: bytes) -> str:
    if raw.startswith(_STATA) or (raw[:1] in _VERSIONS and raw[1:3] in _OLD_STATA):
        return "Stata"
    if raw.startswith((_SAS7BDAT, _TRANSPORT)):
        return "SAS"
    if raw.startswith(_SPSS) or _PORTABLE in raw[:_PORTABLE_HEAD]:
        return "SPSS"
    return "R" if raw.startswith(_R) else ""


_VERSIONS = [bytes([version]) for version in (108, 110, 111, 113, 114, 115)]  # of Stata 6 to 12
_OLD_STATA = (b"\1\1", b"\2\1")  # order of bytes behind these


def statistics_cells(
    raw: bytes, file: str, limits: Limits, wanted: str = ""
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a table; coded values get their labels.

    Of several tables in a file of R, that which is wanted by its name, or the first.

    Raises
    ------
    TableError
        If the file cannot be read or is too large, or its package is missing.
    """
    program = _program(raw)
    read: dict[str, Callable[[bytes], Any]] = {
        "Stata": _stata, "SAS": _sas, "SPSS": _spss, "R": partial(_r, wanted=wanted),
    }  # fmt: skip
    try:
        frame = read[program](raw)
    except ImportError:
        package = "rdata" if program == "R" else "pyreadstat"
        raise TableError(
            _MISSING_PACKAGE.format(
                program=program, package=package, install=install_command("statistics")
            )
        ) from None
    except (TableError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 (damaged files raise any type)
        why = "it may be cut off" + (", or hold compiled functions" if program == "R" else "")
        raise TableError(
            f"{file} is a file of {program} that cannot be read: {why}. Save it again, or the "
            "table as CSV, and drop that."
        ) from None
    limits.reject(*frame.shape)
    attrs, frame.attrs = frame.attrs, {}  # which each of thousands of columns would copy
    columns = enumerate(column for _, column in frame.items())
    cells = pd.DataFrame({place: _cells(column) for place, column in columns})
    cells.columns = pd.Index(unique_names([*map(str, frame)]), dtype=object)
    if program == "R":
        texts = (
            name
            for name, (_, column) in zip(cells, frame.items(), strict=True)
            if _is_factor(column) or (name == ROW_NAMES and cells[name].dtype == object)
        )
        cells.attrs = {**attrs, TEXTS: tuple(texts)}
    step = f"Read as a file of {program}."
    return cells, (step, *([attrs[STEP]] if STEP in attrs else []))


def _is_factor(column: pd.Series) -> bool:
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return False
    n_levels = len(column.dtype.categories)
    most = max(min(MOST_LEVELS, len(column) / 2), len(column) / LEAST_OF_LEVEL)
    return n_levels <= max(FEW_LEVELS, most)


def _stata(raw: bytes) -> pd.DataFrame:
    codes = pd.read_stata(io.BytesIO(raw), convert_categoricals=False)
    try:
        return _with_labels(codes, pd.read_stata(io.BytesIO(raw)))
    except ValueError:  # labels of values that are not unique
        return codes


def _with_labels(codes: pd.DataFrame, labeled: pd.DataFrame) -> pd.DataFrame:
    """Coded values with their labels; numbers of which only some have one stay numbers."""
    numbers = {
        str(name): as_numbers
        for name, cells in labeled.items()
        if isinstance(cells.dtype, pd.CategoricalDtype)
        and (as_numbers := _as_numbers(codes[name], cells)) is not None
    }
    return _saying_what_is_missing(codes, labeled, labeled.assign(**numbers))


def _as_numbers(codes: pd.Series, labels: pd.Series) -> pd.Series | None:
    """The steps of a scale or, beside labels that say why there is no number, the others."""
    if _are_steps(codes, labels):
        return _on_scale(codes, labels)
    is_label = np.array([isinstance(label, str) for label in labels])
    others = codes[~is_label].dropna().unique()
    is_number = codes.dtype.kind in "iuf" and len(others) >= LEAST_NUMBERS
    if not is_number or not all(map(_says_nothing, labels[is_label].unique())):
        return None
    return codes.where(~is_label)


def _says_nothing(label: str) -> bool:
    """Return whether a label says why there is no answer: "-9. Refused (by proxy)"."""
    return is_among(_CODE.sub("", label).partition("(")[0], _NO_ANSWERS)


def _are_steps(codes: pd.Series, labels: pd.Series) -> bool:
    """Return whether a number without a label lies between two that have one."""
    has_label = np.array([isinstance(label, str) for label in labels])
    labeled, others = codes[has_label], codes[~has_label]
    is_number = codes.dtype.kind in "iuf"
    return is_number and bool(others.between(labeled.min(), labeled.max()).any())


def _on_scale(codes: pd.Series, labels: pd.Series) -> pd.Series:
    """The steps of a scale, without codes apart from it whose labels say why there is none.

    Of 1 "Never" to 5 "Always", where 2 to 4 have no label, 9 "No answer" is further from the next
    step than these are from each other.
    """
    has_label = np.array([isinstance(label, str) for label in labels])
    steps = np.unique(codes[~has_label].dropna())
    values = np.unique(codes.dropna())
    widest = np.diff(steps if len(steps) > 1 else values).max()
    gaps = np.flatnonzero(np.diff(values) > widest)
    above, below = values[gaps + 1], values[gaps]  # each gap, behind which there is no step
    lowest = above[above <= steps[0]].max(initial=-np.inf)
    highest = below[below >= steps[-1]].min(initial=np.inf)
    return codes.where(codes.between(lowest, highest))


def _saying_what_is_missing(
    codes: pd.DataFrame, labeled: pd.DataFrame, cells: pd.DataFrame
) -> pd.DataFrame:
    """Cells with a step that names the codes which their scales have no more."""
    texts: dict[str, None] = {}
    for name, column in cells.items():
        is_taken = (codes[name].notna() & column.isna()).to_numpy()
        for code in codes[name][is_taken].unique():
            label = labeled[name][codes[name] == code].iloc[0]
            texts[f"{number_text(code)} ({label})"] = None
    if texts:
        cells.attrs[STEP] = f"Taken as missing, apart from their scales: {listed([*texts])}."
    return cells


_READ_FOR_ZERO = 16.0**-65  # by pandas, of transport files


def _sas(raw: bytes) -> pd.DataFrame:
    with suppress(UnicodeDecodeError):
        return _sas_in(raw, None)
    return _sas_in(raw, "cp1252")  # as older programs write, and do not say


def _sas_in(raw: bytes, encoding: str | None) -> pd.DataFrame:
    """The table with its texts in an encoding, in UTF-8 by default."""
    code = encoding or "utf-8"
    if _EIGHTH in raw[:_HEAD]:
        import pyreadstat  # noqa: PLC0415 (an extra)

        frame: pd.DataFrame = pyreadstat.read_xport(io.BytesIO(raw), encoding=encoding)[0]
        return frame
    if raw.startswith(_SAS7BDAT):
        return pd.read_sas(io.BytesIO(raw), format="sas7bdat", encoding=code)
    with pd.read_sas(io.BytesIO(raw), format="xport", encoding=code, iterator=True) as reader:
        frame, fields = reader.read(), getattr(reader, "fields", ())
    numbers = frame.select_dtypes(np.float64)
    frame[numbers.columns] = numbers.mask(numbers.abs() == _READ_FOR_ZERO, 0.0)
    for name, field in zip(frame, fields, strict=True):
        written = field["nform"].decode()
        if written in sas_date_formats:
            frame[name] = dates(frame[name].to_numpy() - _EPOCH.days, None, unit="D")
        elif written in sas_datetime_formats:
            seconds = frame[name].to_numpy() - _EPOCH.total_seconds()
            frame[name] = dates(seconds, None, unit="s")
    return frame


def _spss(raw: bytes) -> pd.DataFrame:
    import pyreadstat  # noqa: PLC0415 (an extra)

    read = pyreadstat.read_sav if raw.startswith(_SPSS) else pyreadstat.read_por
    codes, meta = read(io.BytesIO(raw))
    labels: Mapping[Any, Mapping[Any, str]] = meta.variable_value_labels
    # Its own way to set them takes a time that is quadratic in columns.
    names = {name: _names_of(codes[name], labels[name]) for name in codes if labels.get(name)}
    cells = pd.DataFrame(
        {
            name: _labeled(codes[name], names[name]) if name in names else codes[name]
            for name in codes
        }
    )
    return _saying_what_is_missing(codes, pd.DataFrame(names), cells)


def _names_of(codes: pd.Series, labels: Mapping[Any, str]) -> pd.Series:
    """The labels of codes; those without one as they are."""
    return codes.map(lambda code: labels.get(code, code), na_action="ignore")


def _labeled(codes: pd.Series, names: pd.Series) -> pd.Series:
    """Codes by their labels; numbers of which only some have one stay numbers."""
    numbers = _as_numbers(codes, names)
    return names.astype("category") if numbers is None else numbers


def _r(raw: bytes, wanted: str) -> pd.DataFrame:
    import rdata  # noqa: PLC0415 (an extra)

    extension = ".rds" if raw.startswith(_R[0]) else ".rda"
    try:
        classes: dict[str | bytes, Any] = {**rdata.conversion.DEFAULT_CLASS_MAP}
        classes |= {"data.frame": data_frame, "factor": factor, "ordered": factor}
        classes |= {"value.labels": value_labels, **dict.fromkeys(_LABELED, labeled)}
        classes |= {kind: partial(dates, unit=unit) for kind, unit in _UNITS_OF_DATES.items()}
        tree = rdata.parser.parse_data(raw, extension=extension)
        content: Any = {}
        for encoding, is_forced in _ENCODINGS:
            with suppress(UnicodeDecodeError):
                content = rdata.conversion.convert(
                    tree,
                    constructor_dict=classes,
                    default_encoding=encoding,
                    force_default_encoding=is_forced,
                )
                break
    except NotImplementedError:
        raise TableError(_NO_TABLE.format("has objects of a kind that cannot be read")) from None
    members = content if isinstance(content, dict) and _R[0] != raw[:5] else {"": content}
    tables = _tables(members)
    if not tables:
        kinds = {str(kind) for member in members.values() for kind in getattr(member, "class", ())}
        but = f", but objects of the class {listed(sorted(kinds))}" if kinds else ""
        raise TableError(_NO_TABLE.format(f"is without a data frame or matrix{but}"))
    name = wanted if wanted in tables else next(iter(tables))
    frame = tables[name]
    frame.attrs[TABLES] = tuple(dict.fromkeys((name, *tables)))
    return frame


def _tables(members: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """The tables among objects of R by their names, that which is read by itself first."""
    lengths = {len(member) for member in members.values() if getattr(member, "ndim", 0) == 1}
    shapes = [member.shape for member in members.values() if getattr(member, "ndim", 0) == 2]
    if not all(map(lengths.isdisjoint, shapes)):  # a table that has none of its classes, and these
        return _of_list("", members)
    tables = _with_their_samples(members)
    others: dict[str, Any] = {}
    for name, each in members.items():
        if name in tables:
            continue
        member = _of_samples(each) if isinstance(each, SimpleNamespace) else each
        if isinstance(member, (dict, list)):
            tables |= _of_list(name, member)
        elif isinstance(member, pd.DataFrame | np.ndarray):
            tables |= _of_list("", {name: member})
        else:
            others[name] = member
    return tables | _of_list("", others)


def _with_their_samples(members: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Numbers with what a data frame says of their samples, by the names of rows that it has."""
    tables = {name: member for name, member in members.items() if getattr(member, "ndim", 0) == 2}
    frames = {
        name: table.set_axis([*map(str, table.index)])
        for name, table in tables.items()
        if isinstance(table, pd.DataFrame) and len({*_names_of_rows(table)}) == len(table)
    }
    joined: dict[str, pd.DataFrame] = {}
    pairs = islice(product(tables.items(), frames.items()), MOST_PAIRS)
    for (name, table), (other, frame) in pairs:
        if name == other or np.asarray(table).dtype.kind not in "biuf":
            continue
        numbers = _named(table).set_axis(_names_of_rows(table) or range(len(table)))
        for samples, which in ((numbers.T, "columns"), (numbers, "rows")):
            if TWICE * int(samples.index.isin(frame.index).sum()) < len(samples):
                continue
            said = frame.reindex(samples.index)
            if _says_of(said, *samples.shape, TWICE):
                columns = {str(key): cells for key, cells in said.items() if key != name}
                joined |= _of_list("", {name: samples, **columns})
                step = f"Joined: {name} with what {other} says of its {which}, by their names."
                joined[name].attrs[STEP] = step
                break
    return joined


def _of_list(name: str, members: dict[str, Any] | list[Any]) -> dict[str, pd.DataFrame]:
    """The table that a list is read as, and others in it that have other rows."""
    parts = _flat(members)
    joined = _joined(parts)
    if joined is None:
        return {}
    tables = {part: table for part, table in parts.items() if getattr(table, "ndim", 0) == 2}
    first = next((part for part, table in tables.items() if len(joined) in table.shape), "")
    others = {
        part: _named(table)
        for part, table in tables.items()
        if len(joined) not in table.shape and len(table) >= LEAST_ROWS and table.shape[1] > 1
    }
    list_name = f"{name}$" if name else ""
    return {f"{list_name}{part}": table for part, table in {first: joined, **others}.items()}


# As the file says, else of texts of R before 4, which it does not mark: of Unix, and of Windows.
# Or which it marks as ASCII, though they are not.
_ENCODINGS = ((None, False), *product(("utf-8", "cp1252"), (False, True)))
_UNITS_OF_DATES: dict[str, Literal["D", "s"]] = {"Date": "D", "POSIXct": "s"}
_LABELED = ("double.item", "integer.item", "haven_labelled", "haven_labelled_spss", "labelled")


def value_labels(names: Any, attributes: Any) -> dict[float, str]:
    """The labels of codes, as memisc has them."""
    return dict(zip(attributes["values"], names, strict=True))


def labeled(codes: Any, attributes: Any) -> Any:
    """Codes of memisc or haven by their labels, without those that say what is missing."""
    if codes.dtype.kind not in "biuf":
        return codes
    labels = attributes.get("value.labels", {})
    if hasattr(named := attributes.get("labels"), "coords"):
        labels = dict(zip(np.asarray(named), np.asarray(named["dim_0"]), strict=True))
    missing = getattr(attributes.get("value.filter"), "__dict__", {})
    cells = pd.Series(np.ma.MaskedArray(codes, dtype=np.float64).filled(np.nan))
    for values in (attributes.get("na_values"), missing.get("filter")):
        cells = cells.mask(cells.isin(values)) if isinstance(values, np.ndarray) else cells
    for ends in (attributes.get("na_range"), missing.get("range")):
        cells = cells.mask(cells.between(*ends)) if isinstance(ends, np.ndarray) else cells
    named = _labeled(cells, _names_of(cells, labels)) if labels else cells
    return named.to_numpy() if named.dtype.kind in "iuf" else named.array


def dates(numbers: Any, _: Any, unit: Literal["D", "s"]) -> Any:
    """Days, or seconds, since 1970 as dates, or times in UTC; a list of fields is none."""
    if getattr(numbers, "ndim", 0) != 1 or numbers.dtype.kind not in "iuf":
        return numbers
    cells = np.ma.MaskedArray(numbers, dtype=np.float64).filled(np.nan)
    times = pd.to_datetime(pd.Series(cells), unit=unit, errors="coerce")
    return times.dt.strftime("%Y-%m-%d" if unit == "D" else "%Y-%m-%d %H:%M:%S").to_numpy(object)


def data_frame(parts: dict[str, Any], attributes: Any) -> Any:
    """A data frame, of which a column may be a matrix, as spectra often are."""
    from rdata.conversion import dataframe_constructor  # noqa: PLC0415 (an extra)

    flat: dict[str, Any] = {}
    for name, part in parts.items():
        if getattr(part, "ndim", 1) == 2:
            block = _named(part)
            is_named = block.columns[0] != FIRST
            if not is_named:
                block.columns = pd.Index(range(1, block.shape[1] + 1)).astype(str)
            is_own = is_named and {*block}.isdisjoint(parts)
            block = block if is_own else block.add_prefix(f"{name} ")
            flat |= {str(key): column.to_numpy() for key, column in block.items()}
        else:
            flat[name] = part
    return dataframe_constructor(flat, attributes)


def factor(codes: Any, attributes: Any) -> pd.Categorical:
    """A factor, whose levels of the same name are one; missing ones are none."""
    levels = attributes["levels"]
    names = [name for name in dict.fromkeys(levels) if name is not None]
    return pd.Categorical([levels[code - 1] if code > 0 else None for code in codes], names)


def _of_samples(study: SimpleNamespace) -> dict[str, Any]:
    """Return the measurements of the samples of an object of Bioconductor.

    Samples are the columns of an ExpressionSet or a SummarizedExperiment, or one like it, unless
    markers of organelles say that they are proteins; of a phyloseq, as many as its table of them
    has.
    """
    parts = vars(study)
    features: Any = {}
    if "otu_table" in parts:
        measured, about = parts["otu_table"], parts.get("sam_data")
        samples = about if isinstance(about, dict) else {}
        n_samples = len(next(iter(samples.values()), ()))
        is_turned = len(measured) != n_samples
    elif "exprs" in (assays := _of_environment(parts.get("assayData"))):
        measured, samples = assays["exprs"], dict(parts["phenoData"].data)
        features = getattr(parts.get("featureData"), "data", {})
        is_turned = True
    elif "assays" in parts and "colData" in parts:
        assays = parts["assays"].data.listData
        measured = next(iter(assays.values() if isinstance(assays, dict) else assays))
        samples = dict(parts["colData"].listData)
        features = getattr(parts.get("elementMetadata"), "listData", {})
        is_turned = True
    else:
        return {}
    if MARKERS in features:
        markers = [None if marker == UNMARKED else marker for marker in features[MARKERS]]
        return {"measured": measured, MARKERS: np.array(markers, dtype=object)}
    return {"measured": measured.T if is_turned else measured, **samples}


def _of_environment(members: Any) -> dict[str, Any]:
    """The objects of an environment of R, hashed or not, or of a list."""
    return {**dict(members or {}), **(getattr(members, "frame", None) or {})}


def _joined(parts: dict[str, Any]) -> pd.DataFrame | None:
    """Members of R with tables of the same rows and what else is known of these: x and y."""
    members = {name: member for name, member in parts.items() if name not in _LOOKS}
    members, turned = with_samples_in_rows(_with_vectors(members))
    tables = {name: member for name, member in members.items() if getattr(member, "ndim", 0) == 2}
    vectors = {name: member for name, member in members.items() if getattr(member, "ndim", 0) == 1}
    labeled = {len(vector) for vector in vectors.values() if are_classes(vector)}
    of_labeled = [table for table in tables.values() if len(table) in labeled]
    n_rows = len(max(of_labeled or tables.values(), key=lambda table: table.size, default=()))
    blocks = {name: _named(member) for name, member in tables.items() if len(member) == n_rows}
    if not n_rows:
        is_table = len(vectors) > 1 and len({*map(len, vectors.values())}) == 1
        return pd.DataFrame(vectors) if is_table else None
    n_draws = len(blocks) if len({tuple(block.columns) for block in blocks.values()}) == 1 else 1
    first, block = next(iter(blocks.items()))
    if n_draws >= LEAST_DRAWS and block.columns[0] != FIRST:
        block.attrs[STEP] = f"Read: {first}, the first of {n_draws} tables of the same columns."
        return block
    if len(blocks) > 1:
        blocks = {
            name: block if name.isdigit() else block.add_prefix(f"{name} ")
            for name, block in blocks.items()
        }
    else:
        for name, block in blocks.items():
            axes = [axis for axis in vectors.values() if len(axis) == block.shape[1] != n_rows]
            is_axis = len(axes) == 1 and np.asarray(axes[0]).dtype.kind in "iuf"
            if is_axis and block.columns[0] == FIRST:  # without names: wavelengths of spectra
                blocks[name] = block.set_axis([f"{place:g}" for place in axes[0]], axis=1)
    beside = {
        name: np.asarray(vector, dtype=object)
        for name, vector in vectors.items()
        if len(vector) == n_rows
    }
    joined = pd.concat([*blocks.values(), pd.DataFrame(beside)], axis=1)
    rows = _names_of_rows(tables[first])
    if len(blocks) == 1 and rows:
        joined.insert(0, ROW_NAMES, rows, allow_duplicates=True)
    others = [block for name, block in blocks.items() if not names_labels(name)]
    labels = () if len(others) in (0, len(blocks)) else (*filter(names_labels, blocks),)
    of_samples = [*(column for name in labels for column in blocks[name]), *map(str, beside)]
    said = {BESIDE: tuple(of_samples)} if of_samples else {}
    joined.attrs = {**said, **({STEP: turned[0]} if turned else {})}
    return joined


def _with_vectors(members: dict[str, Any]) -> dict[str, Any]:
    """Members of R, with vectors for a data frame that says what the rows of a wider table are."""
    shapes = {member.shape for member in members.values() if getattr(member, "ndim", 0) == 2}
    parts: dict[str, Any] = {}
    for name, member in members.items():
        if isinstance(member, pd.DataFrame) and any(_says_of(member, *shape) for shape in shapes):
            for column, cells in member.items():
                is_taken = column in {*members, *parts}
                parts[f"{name}.{column}" if is_taken else str(column)] = cells
        else:
            parts[name] = member
    return parts


def _says_of(frame: pd.DataFrame, n_rows: int, n_columns: int, least: int = LEAST_OF_CLASS) -> bool:
    """Return whether columns beside more have classes of the rows, words unless they are few."""
    are_few = FEW_BESIDE * frame.shape[1] <= n_columns
    is_beside = n_rows == len(frame) and frame.shape[1] < n_columns
    return is_beside and any(
        are_classes(cells, least)
        for _, cells in frame.items()
        if are_few or cells.dtype.kind not in "iuf"
    )


def _flat(parts: dict[str, Any] | list[Any], before: str = "") -> dict[str, Any]:
    """The members of a list, and those of lists in it, by their numbers if they have no names."""
    if isinstance(parts, list):
        parts = {str(place): part for place, part in enumerate(parts, start=1)}
    members: dict[str, Any] = {}
    for name, member in parts.items():
        members |= (
            _flat(member, f"{before}{name}.")
            if isinstance(member, (dict, list))
            else {f"{before}{name}": member}
        )
    return members


def _named(table: Any) -> pd.DataFrame:
    """A table with the names of its columns, or their numbers from 1."""
    named = getattr(table, "coords", {})
    frame = pd.DataFrame(np.asarray(table) if hasattr(table, "coords") else table)
    if hasattr(table, "dims") and table.dims[1] in named:
        frame.columns = pd.Index([str(name) for name in np.asarray(named[table.dims[1]])])
    names = [
        f"column {number}" if isinstance(name, int) else str(name)
        for number, name in enumerate(frame.columns, start=1)
    ]
    frame.columns = pd.Index(unique_names(names), dtype=object)
    return frame.reset_index(drop=True)


def _names_of_rows(table: Any) -> list[str]:
    """The names of the rows of a table; none if it has none, or some of a matrix recur."""
    if isinstance(table, pd.DataFrame):
        return [] if table.index.dtype.kind in "iu" else [*map(str, table.index)]
    named = getattr(table, "coords", {}).get(getattr(table, "dims", (0,))[0], ())
    names = [str(name) for name in np.asarray(named)]
    return names if len({*names}) == len(names) and not all(map(str.isdigit, names)) else []


def _cells(column: pd.Series) -> pd.Series | FloatArray:
    if column.dtype.kind == "b":  # a category, as in the CSV that R writes
        return column.astype(object).map({True: "TRUE", False: "FALSE"})
    if column.dtype.kind in "iuf":
        numbers: FloatArray = column.to_numpy(np.float64, na_value=np.nan, copy=True)
        numbers[np.isnan(numbers)] = np.nan  # NA of R is one that warns of every comparison
        return numbers
    texts = [
        None if missing else str(cell) for cell, missing in zip(column, column.isna(), strict=True)
    ]
    return pd.Series(texts, dtype=object)
