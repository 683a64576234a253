"""The type of each column, numeric or text, and its missing cells."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import (
    BEHIND,
    BEYOND_LIMIT,
    CODES,
    LIMIT,
    MISSING,
    ONE_COMMA,
    THOUSANDS,
    CellRules,
    FloatArray,
    IntArray,
    is_far,
    mark_of_column,
    measured,
    plain_number,
    seconds_of,
)
from melm_studio.tables.durations import are_durations
from melm_studio.tables.formatting import (
    NAMES_SHOWN,
    count,
    listed,
    number,
    place,
    shortened,
    words_of,
)
from melm_studio.tables.frames import assembled
from melm_studio.tables.identifiers import CHROMOSOMES, STREETS, names_identifier, names_label
from melm_studio.tables.quantities import in_one_unit, with_unit, without_unit
from melm_studio.tables.readers import ReadOptions
from melm_studio.tables.scales import UNKNOWN, is_among

MAX_TEXT_SHARE = 0.05  # below this share of non-numeric text, a column is numeric
PHRASE = 3  # words, of what is said instead of a number
LEAST_SAID = 2  # rows
MOST_MARKS = 2  # words among numbers, for these to be the ones that are missing
LEAST_BESIDE_MARKS = 12  # different numbers, for this to be so without an answer
MOST_CLASSES = 30  # different whole numbers, for these to be classes by the name of the column
LEAST_OF_CLASS = 5  # rows, for each of them on average
COUNTED_AS_MISSING = "which count as missing"
MOSTLY = 0.5  # above this share of numbers, non-numeric text is reported

# Has pandas read numbers to the last digit; from 3.1 on it always does, and warns if asked to.
_IS_EXACT = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
EXACT: dict[str, Any] = {} if _IS_EXACT else {"float_precision": "round_trip"}
SAMPLED_LEVELS = 200  # distinct texts of a column that tell whether they are quantities
LIMITS_READ = {
    "half": "read as half the limit if below, else as the limit",
    "limit": "read as the limit",
    "empty": "left empty",
    "indicator": "read as half the limit if below, else as the limit, with a column that says so",
}
LIMITS_SHOWN = 3
_UNDETERMINED = {"nd", "n.d", "n.d."}  # or not detected
FAR = 0.2  # of the median, for the smallest number not to lie near a limit of detection
# Beside yes and no, a code of one digit, too, says that neither is known.
_THIRD_VALUES = CODES - {-1.0} | {8.0, 9.0}
_YES_AND_NO = ((0.0, 1.0), (1.0, 2.0))
_BELOW_ANSWERS, _MOST_ANSWERS = range(-9, 0), 11  # codes, and the highest of a scale from 1 on
_FEW = {0.0, 1.0, 2.0} | _THIRD_VALUES
LEAST_ALIKE = 3  # columns with the same third value beside those
NEARLY_ALL = 0.9  # of the columns that end with it
ASTERISKS = r"[*†‡]+"
LEAST_VALUES = 4  # beside it
LEAST_WORDS = 2  # beside such a number among words
_INTEGER = re.compile("-?[0-9]+")
LEAST_CODED = 2  # rows
LEAST_MEASURED = 3  # different numbers, among more cells beyond a limit: others are classes
_LEADING_ZERO = re.compile("0[0-9]")
_NUMBER_AND_LETTER = re.compile("[0-9]+[A-Za-z]")
DENSE = 2  # at most so many times as many whole numbers between the ends of running ones as are had
NONE = "None"  # as Python writes what is missing, and others a class
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def infer_columns(
    cells: pd.DataFrame,
    decimal: str,
    file_rows: IntArray,
    options: ReadOptions,
    texts: Collection[str] = (),
) -> tuple[pd.DataFrame, list[str], dict[str, str], CellRules]:
    """Convert every column to float64 or text.

    Parameters
    ----------
    cells : pandas.DataFrame, (n_rows, n_columns)
        As pandas inferred them.
    decimal : str
        The decimal mark, a point or a comma.
    file_rows : ndarray of int64, (n_rows,)
        The row of the file that each row is.
    options : ReadOptions
        How cells beyond a limit, and words among numbers, are read.
    texts : collection of str, optional
        The columns that are text whatever their cells look like.

    Returns
    -------
    frame : pandas.DataFrame, (n_rows, n_columns)
    steps : list of str
        Which cells became missing, a sentence each.
    asked : dict of str to str
        What could have been read otherwise, by the ids of questions: "limits", "words",
        "thousands" and "codes".
    rules : CellRules
        How the cells of further rows are read alike.
    """
    limits = "half" if options.limits == "auto" else options.limits
    names = [str(name) for name in cells.columns.tolist()]
    is_number = np.array(
        [
            kind.kind in "iuf" and one not in texts
            for one, kind in zip(names, cells.dtypes, strict=True)
        ]
    )
    # Numbers at once, since pandas is slow for each of ten thousand columns.
    numbers = cells.select_dtypes("number")
    if codes := [one for one in texts if one in numbers.columns]:
        numbers = numbers.drop(columns=codes)
    plain = numbers.to_numpy(np.float64)
    is_dated = not is_number.all() and any("date" in name.lower() for name in names)
    inferred = {
        names[index]: _Inferred(cells.iloc[:, index].astype("str"))
        if names[index] in texts
        else _infer(cells.iloc[:, index], decimal, options, is_dated=is_dated)
        for index in np.flatnonzero(~is_number).tolist()
    }
    undetermined = _undetermined(inferred) if options.limits == "auto" else {}
    inferred |= undetermined
    coded = {} if options.as_written else _codes_of_missing(names, is_number, plain, inferred)
    among_words = {name: column.code for name, column in inferred.items() if column.code}
    if options.codes == "missing":
        inferred |= {name: inferred[name].without_code() for name in among_words}
    if coded and options.codes == "missing":
        plain = plain.copy()
        for index, name in enumerate(itertools.compress(names, is_number)):
            if name in coded:
                plain[:, index] = _without(plain[:, index], coded[name])
        inferred |= {
            name: replace(inferred[name], cells=_without(inferred[name].cells, coded[name]))
            for name in coded
            if name in inferred
        }
    shown, others = _named(names, inferred, limits)
    frame = assembled(shown, plain, others, cells.index)
    infinity_steps = _infinity_steps(frame)
    if infinity_steps:
        frame = frame.replace([np.inf, -np.inf], np.nan)
    beyond = _cells_beyond(inferred)
    is_missing = undetermined and _cells_beyond(undetermined) == beyond
    are_missing = f", {COUNTED_AS_MISSING}" if is_missing else ""
    steps = [
        *_text_steps(inferred, file_rows),
        *_unit_steps(inferred),
        *_limit_steps({n: inferred[n] for n in inferred if n not in undetermined}, limits),
        *_undetermined_steps(undetermined),
        *_thousands_steps(inferred),
        *_behind_steps(inferred),
        *infinity_steps,
        *_code_steps(coded, among_words, options),
    ]
    asked = {
        "limits": f"{beyond}{are_missing}",
        "words": _words_among_numbers(inferred, file_rows),
        "thousands": _ambiguous_commas(inferred),
        "codes": _listed_codes(coded, among_words),
    }
    rules = CellRules(
        limits,
        {
            with_unit(name, column.unit): column.limit
            for name, column in inferred.items()
            if not math.isnan(column.limit)
        },
        coded if options.codes == "missing" else {},
        keeps_codes=options.codes != "missing",
        commas={name: options.thousands for name, each in inferred.items() if each.is_ambiguous},
    )
    return frame, steps, asked, rules


def _named(
    names: Sequence[str], inferred: Mapping[str, _Inferred], limits: str
) -> tuple[list[str], dict[str, FloatArray | pd.Series]]:
    """All names with units, and the cells of columns that are not plain numbers by these.

    Behind a column may stand which of its cells lay beyond a limit.
    """
    taken, shown = {*names}, [*names]
    others: dict[str, FloatArray | pd.Series] = {}
    places = {name: index for index, name in enumerate(names)} if inferred else {}
    for name, column in reversed([*inferred.items()]):  # so that places hold
        with_own = with_unit(name, column.unit)
        with_own = name if with_own in taken else with_own
        taken.add(with_own)
        shown[places[name]] = with_own
        others[with_own] = column.cells
        if limits == "indicator" and column.is_beyond is not None and column.n_limits:
            beyond = f"{with_own}{BEYOND_LIMIT}"
            shown.insert(places[name] + 1, beyond)
            others[beyond] = column.is_beyond.astype(np.float64)
    return shown, others


@dataclass(frozen=True)
class _NonNumericText:
    """Cells of text in a column with numbers: their number, and the first of them.

    If they all are one phrase, it says why numbers are missing; so may one or two words.
    """

    n_cells: int
    n_present: int
    first: str
    position: int
    is_phrase: bool
    are_few: bool  # one or two words that recur, beside some numbers
    are_marks: bool  # such words in less than half of the cells, beside many numbers
    are_classes: bool  # as the numbers are, by the name of the column
    are_asterisks: bool  # or the like, as of offices that leave out what is too few


@dataclass(frozen=True, eq=False)
class _Inferred:
    """A column, its non-numeric text, and how its numbers were written."""

    cells: FloatArray | pd.Series
    text: _NonNumericText | None = None
    has_thousands: bool = False
    has_behind: bool = False  # uncertainties or marks of footnotes
    has_durations: bool = False
    has_points: bool = False  # as decimal marks, where others have commas
    unit: str = ""
    n_converted: int = 0  # cells in another unit than the column's
    is_beyond: npt.NDArray[np.bool_] | None = None  # cells such as <0.5 and n.d.
    beyond: tuple[str, ...] = ()  # what these say, each once
    unnamed: tuple[str, ...] = ()  # limits that none of them says: smallest, largest
    is_ambiguous: bool = False  # every number has one comma before three digits
    limit: float = math.nan  # of cells such as n.d.
    code: str = ""  # of what is missing, such as -99, among words

    @property
    def n_limits(self) -> int:
        return 0 if self.is_beyond is None else int(np.count_nonzero(self.is_beyond))

    def without_code(self) -> _Inferred:
        """The column, whose cells with the code are missing."""
        cells = pd.Series(self.cells)
        return replace(self, cells=cells.mask(cells == self.code))


def _infer(column: pd.Series, decimal: str, options: ReadOptions, *, is_dated: bool) -> _Inferred:
    codes, distinct = column.astype("str").array.factorize()
    levels = _unquoted([level.strip() for level in distinct])
    is_ambiguous = decimal == "." and _have_one_comma(levels)
    mark_of_table, decimal = decimal, mark_of_column(levels, decimal)
    if is_ambiguous and options.thousands == "decimal":
        levels = [level.replace(",", ".") for level in levels]
    markers = set(MISSING) - ({"-", "--"} if {"+", "++"} & {*levels} else set())
    if _is_none_missing(levels, decimal):
        markers.add(NONE)
    is_missing = [level in markers or level.casefold() == "null" for level in levels]
    missing = np.array([*is_missing, True])  # code -1 is missing
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    name = str(column.name)
    written = levels
    others = [level for level, gone in zip(levels, is_missing, strict=True) if not gone]
    if has_durations := are_durations(name, others, is_dated=is_dated):
        levels = [_duration(level, decimal) for level in levels]
    read = _read_levels(levels, decimal, options.limits, counts, missing[:-1], name=name)
    is_text = (np.isnan(read.values) & ~missing & ~read.is_beyond)[codes]
    n_present = int(np.count_nonzero(~missing[codes]))
    numbers = read.values[np.isfinite(read.values)]
    text = _non_numeric_text(column, is_text, n_present, numbers)
    is_numeric = text is None or text.n_cells < _most_text(text, options.words) * text.n_present
    if is_box := text is not None and _is_box(text, numbers):
        is_numeric = False
    is_of_ids = text is not None and name.lower().endswith("id") and names_identifier(name)
    if len(levels) == len(codes) and (is_of_ids or _are_running_numbers(levels, missing[:-1])):
        is_numeric = False  # a word is no number that is missing, but a name as the others
    if text is not None and not CHROMOSOMES.isdisjoint(words_of(name)[-1:]):
        is_numeric = False  # X and Y are chromosomes as 1 and 2 are
    if is_numeric and not options.as_written:
        return _Inferred(
            read.values[codes],
            text,
            has_thousands=any(THOUSANDS[decimal].fullmatch(level) for level in levels),
            has_behind=any(map(BEHIND.search, levels)),
            has_durations=has_durations,
            has_points=decimal != mark_of_table,
            unit=read.unit,
            n_converted=int(counts[read.is_converted].sum()),
            is_beyond=read.is_beyond[codes],
            beyond=tuple(np.array([*levels, ""], dtype=object)[read.is_beyond]),
            unnamed=_unnamed_limits(levels, decimal) if read.is_beyond.any() else (),
            is_ambiguous=is_ambiguous,
            limit=read.limit,
        )
    texts = np.array([*written, ""], dtype=object)
    texts[missing] = np.nan
    is_mixed = text is not None and text.n_cells <= (1 - MOSTLY) * text.n_present
    cells = pd.Series(texts[codes], column.index, dtype="str")
    is_said = text is not None and not is_box and (is_mixed or text.are_few)
    code = "" if options.as_written else _code_among_words(others, counts[~missing[:-1]])
    return _Inferred(cells, text if is_said else None, code=code)


def _is_box(text: _NonNumericText, numbers: FloatArray) -> bool:
    """Return whether words stand beside one number alone, and maybe one below 0 that is a code.

    A box of a survey has the words of those who ticked it, and 0 of all others.
    """
    recur = text.n_cells >= LEAST_SAID and not is_among(text.first, UNKNOWN)
    recur &= not text.are_asterisks
    return recur and 0 < len(numbers) <= 1 + int(numbers.min() < 0 <= numbers.max())


def _most_text(text: _NonNumericText, words: str) -> float:
    """The share of non-numeric text below which a column is numeric, as the question is answered.

    See `ReadOptions.words`.
    """
    if words == "empty" and text.are_few:
        return 1.0
    if words != "empty" and text.are_classes:
        return 0.0
    if words == "auto" and text.are_asterisks:
        return 1.0
    are_gaps = words == "empty" or text.is_phrase or (words == "auto" and text.are_marks)
    return 1 - MOSTLY if are_gaps else MAX_TEXT_SHARE


def _are_running_numbers(levels: list[str], missing: npt.NDArray[np.bool_]) -> bool:
    """Return whether distinct cells number the rows, a few with a letter behind: 617, 617B, 618."""
    present = list(itertools.compress(levels, ~missing))
    numbers = [float(level) for level in present if level.isdecimal()]
    others = [level for level in present if not level.isdecimal()]
    if not 0 < len(others) < MAX_TEXT_SHARE * len(present):
        return False
    are_dense = max(numbers) - min(numbers) < DENSE * len(numbers)
    return are_dense and all(map(_NUMBER_AND_LETTER.fullmatch, others))


def _duration(cell: str, decimal: str) -> str:
    """A duration such as 1:25:57 as a quantity, other cells as they are."""
    seconds = seconds_of(cell)
    return cell if math.isnan(seconds) else f"{seconds:.12g} s".replace(".", decimal)


def _unquoted(levels: list[str]) -> list[str]:
    """Texts without the single quotes that all of them are in, which pandas leaves."""
    present = [level for level in levels if level not in MISSING]
    if not present or not all(re.fullmatch("'.*'", level, re.DOTALL) for level in present):
        return levels
    return [level if level in MISSING else level[1:-1].strip() for level in levels]


def _is_none_missing(levels: list[str], decimal: str) -> bool:
    """Return whether Python wrote None among fractions; among a few doses, say, it is one."""
    if NONE not in levels:
        return False
    others = [level for level in levels if level not in {NONE, *MISSING}]
    are_numbers = not any(math.isnan(plain_number(level, decimal)) for level in others)
    return are_numbers and len(others) >= LEAST_VALUES and any(decimal in cell for cell in others)


def _have_one_comma(levels: list[str]) -> bool:
    """Return whether all numbers are such as 5,126, which may be thousands or fractions."""
    present = [level for level in levels if level not in MISSING]
    return bool(present) and all(map(ONE_COMMA.fullmatch, present))


def _ambiguous_commas(inferred: dict[str, _Inferred]) -> str:
    names = [name for name, column in inferred.items() if column.is_ambiguous]
    return f"All numbers of {listed(names)} have a comma before three digits" if names else ""


def _codes_of_missing(
    names: list[str],
    is_number: npt.NDArray[np.bool_],
    plain: FloatArray,
    inferred: dict[str, _Inferred],
) -> dict[str, list[float]]:
    """The numbers that stand for what is missing, by the columns that have them.

    Such a number is often written so, such as 999 or -9; several rows have it, or it is one of
    another column; and it is farther from all others than these are from each other, or below zero
    among counts. Or it is the third value of several columns whose others are 0 and 1, or 1 and 2,
    or below zero in several columns of answers from 1 on.
    """
    # Before what costs more: hardly a column has one at its ends.
    ends = np.stack([np.fmin.reduce(plain, axis=0), np.fmax.reduce(plain, axis=0)])
    is_end = np.isin(ends, [*_THIRD_VALUES]).any(axis=0)
    may_have = np.isin(ends, [*CODES]).any(axis=0)
    third = np.flatnonzero(is_end & ~may_have)
    few = plain[:, third]  # of counts, most of which go on
    third = third[(np.isnan(few) | np.isin(few, [*_FEW])).all(axis=0)]
    below = np.flatnonzero(np.isin(ends[0], [*_BELOW_ANSWERS]) & ~may_have)
    numeric = np.array(names, dtype=object)[is_number]
    indices = {*np.flatnonzero(may_have).tolist(), *third.tolist(), *below.tolist()}
    suspects = {numeric[index]: plain[:, index] for index in indices}
    suspects |= {
        name: np.asarray(column.cells)
        for name, column in inferred.items()
        if column.cells.dtype.kind == "f"
    }
    distinct = {
        name: np.unique(cells[np.isfinite(cells)], return_counts=True)
        for name in names
        if (cells := suspects.get(name)) is not None
    }
    n_ending = Counter(ends[:, is_end].ravel().tolist())
    n_ending.update(
        end
        for name, (values, _) in distinct.items()
        if name in inferred and len(values)
        for end in values[[0, -1]].tolist()
    )
    coded = {name: _far_codes(*pair) for name, pair in distinct.items()}
    coded |= _third_values(distinct, n_ending)
    for name, codes in _below_answers(distinct).items():
        coded[name] = sorted({*coded[name], *codes})
    certain = {code for codes in coded.values() for code in codes}
    if certain:  # elsewhere, one such row is enough
        coded = {name: coded[name] or _far_codes(*pair, certain) for name, pair in distinct.items()}
    return {name: codes for name, codes in coded.items() if codes}


def _third_values(
    distinct: Mapping[str, tuple[FloatArray, IntArray]], n_ending: Mapping[float, int]
) -> dict[str, list[float]]:
    """The values beside yes and no that say that neither is known, by the columns with these.

    Such a value is that of several columns, and of hardly any other, of all that end with it:
    counts may reach it, too.
    """
    third: dict[float, list[str]] = {}
    for name, (values, _) in distinct.items():
        for code, others in ((values[-1:], values[:-1]), (values[:1], values[1:])):
            if tuple(others) in _YES_AND_NO and code[0] in _THIRD_VALUES:
                third.setdefault(float(code[0]), []).append(name)
    return {
        name: [code]
        for code, names in third.items()
        if len(names) >= max(LEAST_ALIKE, NEARLY_ALL * n_ending[code])
        for name in names
    }


def _below_answers(
    distinct: Mapping[str, tuple[FloatArray, IntArray]],
) -> dict[str, list[float]]:
    """The few values below zero that several columns of answers have, none of which is 0.

    As -1 of who did not answer and -3 of who broke off, beside 1 to 5; others that have these among
    answers from 0 on have them so, too. Where other columns go below zero, numbers mean that.
    """
    below = {name: values[values < 0] for name, (values, _) in distinct.items()}
    below = {name: codes for name, codes in below.items() if len(codes)}
    of_answers = {
        name: codes.tolist()
        for name, codes in below.items()
        if np.isin(codes, [*_BELOW_ANSWERS]).all() and _are_answers(distinct[name][0][len(codes) :])
    }
    n_columns = Counter(code for codes in of_answers.values() for code in codes)
    certain = {code for code, n_such in n_columns.items() if n_such >= LEAST_ALIKE}
    also = {name: codes.tolist() for name, codes in below.items() if certain.issuperset(codes)}
    are_all = len(also) >= NEARLY_ALL * len(below)
    return also if certain and are_all else {}


def _are_answers(values: FloatArray) -> bool:
    """Return whether values are whole numbers of a scale from 1 on."""
    return len(values) > 1 and values[0] == 1 and values[-1] <= _MOST_ANSWERS and _are_whole(values)


def _are_whole(values: FloatArray) -> bool:
    return bool((values == np.round(values)).all())


def _far_codes(
    values: FloatArray, counts: IntArray, certain: Collection[float] = ()
) -> list[float]:
    """The codes that are far from all values which are none: -99 as well beside -88."""
    recurs = (counts >= LEAST_CODED) | np.isin(values, [*certain])
    is_code = recurs & np.isin(values, [*CODES])
    others = values[~is_code]
    return far_from(others, values[is_code].tolist()) if len(others) >= LEAST_VALUES else []


def far_from(others: Sequence[float] | FloatArray, codes: Iterable[float]) -> list[float]:
    """Return the codes that are far from all of the others."""
    numbers = np.asarray(others)
    low, high = float(numbers.min()), float(numbers.max())
    are_whole = _are_whole(numbers)
    return [code for code in codes if is_far(code, low, high, are_whole=are_whole)]


def _without(cells: FloatArray | pd.Series, codes: list[float]) -> FloatArray:
    numbers = np.asarray(cells, dtype=np.float64)
    return np.where(np.isin(numbers, codes), np.nan, numbers)


def _code_among_words(levels: Sequence[str], counts: IntArray) -> str:
    """The code among cells that are words, or 0 of a box; empty without one."""
    sizes = dict(zip(levels, counts.tolist(), strict=True))
    numbers = [text for text in levels if text != "0" and _INTEGER.fullmatch(text)]
    code = numbers[0] if len(numbers) == 1 and len(levels) > LEAST_WORDS else ""
    return code if code and float(code) in CODES and sizes[code] >= LEAST_CODED else ""


def _listed_codes(coded: dict[str, list[float]], among_words: Mapping[str, str]) -> str:
    far = dict.fromkeys(f"{code:.10g}" for codes in coded.values() for code in codes)
    words = dict.fromkeys(among_words.values())
    return "; ".join(
        f"{listed([*codes])} in {listed([*names])} {where}"
        for codes, names, where in (
            (far, coded, "lies far outside all others"),
            (words, among_words, "stands among words"),
        )
        if codes
    )


def _code_steps(
    coded: dict[str, list[float]],
    among_words: Mapping[str, str],
    options: ReadOptions,
) -> list[str]:
    said = _listed_codes(coded, among_words)
    return [f"Counted as missing: {said}."] if said and options.codes == "missing" else []


def _unnamed_limits(levels: list[str], decimal: str) -> tuple[str, ...]:
    """Name the ends of the column beyond which cells lie, where no cell says the limit."""
    readings = [reading for level in levels if (reading := measured(level, decimal))]
    beyond = {
        end: [reading.quantity for reading in readings if reading.sign == sign]
        for end, sign in (("smallest", -1), ("largest", 1))
    }
    return tuple(
        end for end, limits in beyond.items() if limits and all(limit is None for limit in limits)
    )


@dataclass(frozen=True, eq=False)
class _Levels:
    """The distinct cells of a column as numbers, NaN for text; the last one is missing."""

    values: FloatArray
    unit: str
    is_beyond: npt.NDArray[np.bool_]
    is_converted: npt.NDArray[np.bool_]  # (n_levels,), without the last
    limit: float = math.nan


def _read_levels(
    levels: list[str],
    decimal: str,
    limits: str,
    counts: IntArray,
    missing: npt.NDArray[np.bool_],
    *,
    name: str,
) -> _Levels:
    plain = np.array([_number(level, decimal) for level in levels])
    none = np.zeros(len(levels), dtype=np.bool_)
    others = np.flatnonzero(np.isnan(plain) & ~missing)
    are_addresses = not STREETS.isdisjoint(words_of(name)[-1:])  # 12 Hill Rd
    if are_addresses or not _are_quantities(
        [levels[index] for index in others[:SAMPLED_LEVELS]], decimal
    ):
        return _Levels(np.append(plain, math.nan), "", np.append(none, False), none)
    readings = [measured(level, decimal) for level in levels]
    signs = np.array([0 if reading is None else reading.sign for reading in readings])
    quantities = [None if reading is None else reading.quantity for reading in readings]
    values, unit = in_one_unit(quantities, counts, without_unit(name)[1])
    values = np.where(np.isinf(plain), plain, values)
    is_beyond = signs != 0
    is_measured, limit = ~is_beyond & ~np.isnan(values), math.nan
    are_classes = counts[is_beyond].sum() > counts[is_measured].sum()
    are_classes = are_classes and not _are_measured(values[is_measured], counts[is_measured], signs)
    if limits == "text" or are_classes:
        values, is_beyond = np.where(is_beyond, math.nan, values), none
    else:
        values, limit = _beyond(values, signs, counts, limits)
    is_converted = np.array(
        [reading is not None and reading.unit not in (unit, "") for reading in quantities]
    )
    return _Levels(
        np.append(values, math.nan),
        unit,
        np.append(is_beyond, False),
        is_converted & ~np.isnan(values),
        limit,
    )


def _are_measured(numbers: FloatArray, counts: IntArray, signs: IntArray) -> bool:
    """Return whether different numbers among more cells beyond a limit were measured.

    Few have fractions, or recur less than classes do, beside limits of one side.
    """
    if len(numbers) >= LEAST_MEASURED:
        return True
    are_fractions = len(numbers) > 1 and bool((numbers % 1 != 0).any())
    are_rare = len(numbers) > 0 and counts.max() < LEAST_OF_CLASS
    return len({*signs[signs != 0].tolist()}) == 1 and (are_fractions or are_rare)


def _are_quantities(texts: list[str], decimal: str) -> bool:
    """Return whether most of these cells, none a plain number, are numbers in another form."""
    if any(map(_LEADING_ZERO.match, texts)):  # as codes have
        return False
    n_measured = sum(measured(text, decimal) is not None for text in texts)
    return n_measured > MOSTLY * len(texts)


def _beyond(
    values: FloatArray, signs: IntArray, counts: IntArray, limits: str
) -> tuple[FloatArray, float]:
    """The values with those of cells beyond a limit, as chosen, and the limit of n.d. and such."""
    is_below = (signs < 0) & ~np.isnan(values)
    is_measured = (signs == 0) & (values > 0)
    usual = math.nan
    if is_below.any():  # a cell such as n.d. has the limit that most others have
        usual = values[np.argmax(np.where(is_below, counts, -1))]
    elif is_measured.any() and (signs < 0).any():  # the median, as of missing cells, is far above
        usual = values[is_measured].min()
    highest = np.max(values, where=~np.isnan(values), initial=-np.inf)
    is_unnamed = np.isnan(values)
    values = np.where((signs < 0) & is_unnamed, usual, values)
    if np.isfinite(highest):  # a cell such as OOR > is beyond all others
        values = np.where((signs > 0) & is_unnamed, highest, values)
    if limits == "empty":
        return np.where(signs == 0, values, math.nan), float(usual)
    return np.where((signs < 0) & (limits != "limit"), values / 2, values), float(usual)


def _non_numeric_text(
    column: pd.Series, is_text: npt.NDArray[np.bool_], n_present: int, numbers: FloatArray
) -> _NonNumericText | None:
    """The text in a column of such different numbers, if any."""
    positions = np.flatnonzero(is_text)
    if len(positions) == 0:
        return None
    first = int(positions[0])
    cells = column.iloc[positions]
    text = str(cells.iloc[0])
    are_asterisks = len({*numbers.tolist()}) > 1 and bool(cells.str.fullmatch(ASTERISKS).all())
    is_said = len(text.split()) >= PHRASE or is_among(text, UNKNOWN) or are_asterisks
    is_phrase = is_said and len(cells) >= LEAST_SAID
    is_phrase = is_phrase and bool((cells == text).all())
    are_classes = not is_phrase and _are_classes(str(column.name), numbers, n_present)
    are_few = len(numbers) >= LEAST_VALUES and cells.nunique() <= MOST_MARKS < len(cells)
    are_marks = are_few and len(numbers) >= LEAST_BESIDE_MARKS and not are_classes
    are_marks = are_marks and len(cells) < (1 - MOSTLY) * n_present
    are_asterisks &= is_phrase
    return _NonNumericText(
        len(cells),
        n_present,
        text,
        first,
        is_phrase,
        are_few,
        are_marks,
        are_classes,
        are_asterisks,
    )


def _are_classes(name: str, numbers: FloatArray, n_present: int) -> bool:
    """Return whether few whole numbers of many cells have a name as the label's."""
    are_few = len(numbers) <= min(MOST_CLASSES, n_present / LEAST_OF_CLASS)
    are_whole = bool((numbers == np.floor(numbers)).all())
    return are_few and are_whole and any(map(names_label, words_of(name)[-1:]))


def _text_steps(inferred: dict[str, _Inferred], file_rows: IntArray) -> list[str]:
    steps = [
        _text_step(name, column.text, file_rows, is_numeric=column.cells.dtype.kind == "f")
        for name, column in inferred.items()
        if column.text is not None
    ]
    unnamed = len(steps[NAMES_SHOWN:])
    rest = [f"The same in {count(unnamed, 'further column')}."] if unnamed else []
    return [*steps[:NAMES_SHOWN], *rest]


def _text_step(name: str, text: _NonNumericText, file_rows: IntArray, *, is_numeric: bool) -> str:
    cells = count(text.n_cells, "cell")
    first = f'first "{shortened(text.first)}" in {place(int(file_rows[text.position]))}'
    if is_numeric:
        return f"Counted as missing: {cells} of {shortened(name)} with text among numbers, {first}."
    return (
        f"{shortened(name)} is read as text: {cells} of {number(text.n_present)} are not numbers, "
        f"{first}. Empty these cells to have numbers."
    )


def _words_among_numbers(inferred: dict[str, _Inferred], file_rows: IntArray) -> str:
    """Return which columns have so many words among their numbers that they may be text.

    Those of a few words that count as missing are asked about where there are no others.
    """
    texts = {
        name: column.text
        for name, column in inferred.items()
        if column.text
        and not (column.text.is_phrase or names_identifier(name))
        and column.text.n_cells >= MAX_TEXT_SHARE * column.text.n_present
    }
    if not texts:
        return ""
    are_marks = all(text.are_marks for text in texts.values())
    texts = {name: text for name, text in texts.items() if are_marks or not text.are_marks}
    name, text = next(iter(texts.items()))
    cells = f"{count(text.n_cells, 'cell')} of {number(text.n_present)}"
    where = place(int(file_rows[text.position]))
    others = f"; so has {listed([*texts][1:])}" if len(texts) > 1 else ""
    first = f'first "{shortened(text.first)}" in {where}'
    meaning = f", {COUNTED_AS_MISSING}" if are_marks else ""
    return f"{shortened(name)} has words in {cells}, {first}{others}{meaning}"


def _unit_steps(inferred: dict[str, _Inferred]) -> list[str]:
    units = [f"{name} in {column.unit}" for name, column in inferred.items() if column.unit]
    durations = [name for name, column in inferred.items() if column.has_durations]
    points = [name for name, column in inferred.items() if column.has_points]
    converted = [name for name, column in inferred.items() if column.n_converted]
    n_cells = sum(column.n_converted for column in inferred.values())
    return [
        *([f"Units were read with the numbers: {listed(units)}."] if units else []),
        *([f"Read with decimal points: {listed(points)}."] if points else []),
        *([f"Read as durations, not as times of day: {listed(durations)}."] if durations else []),
        *([f"Converted to the column's unit: {count(n_cells, 'cell')} ({listed(converted)})."]
          if converted else []),
    ]  # fmt: skip


def _undetermined(inferred: dict[str, _Inferred]) -> dict[str, _Inferred]:
    """Columns without cells beyond a limit that may not have been determined, as weights.

    All such cells say ND, and in no column that has these is a number near 0.
    """
    undetermined: dict[str, _Inferred] = {}
    for name, column in inferred.items():
        texts = {text.replace(" ", "").casefold() for text in column.beyond}
        if column.is_beyond is None or math.isnan(column.limit) or not texts <= _UNDETERMINED:
            continue
        cells = np.asarray(column.cells, np.float64)
        numbers = cells[~column.is_beyond]
        if np.nanmin(numbers) <= FAR * np.nanmedian(numbers):
            return {}
        cells = np.where(column.is_beyond, math.nan, cells)
        undetermined[name] = replace(column, cells=cells, limit=0.0)
    return undetermined


def _undetermined_steps(undetermined: dict[str, _Inferred]) -> list[str]:
    cells = count(sum(column.n_limits for column in undetermined.values()), "cell")
    texts = dict.fromkeys(text for column in undetermined.values() for text in column.beyond)
    such = f"{cells} such as {listed([*texts])} ({listed([*undetermined])})"
    why = "no number there is near 0, as one near a limit of detection is"
    return [f"Counted as missing: {such}, since {why}."] if undetermined else []


def _cells_beyond(inferred: dict[str, _Inferred]) -> str:
    names = [name for name, column in inferred.items() if column.n_limits]
    cells = count(sum(inferred[name].n_limits for name in names), "cell")
    texts = dict.fromkeys(text for name in names for text in inferred[name].beyond)
    # Words first: they may mean something else.
    such = sorted(texts, key=lambda text: LIMIT.fullmatch(text) is not None)[:LIMITS_SHOWN]
    said = f"{cells} beyond a limit of detection, such as {listed(such)}"
    return f"{said} ({listed(names)})" if names else ""


def _limit_steps(inferred: dict[str, _Inferred], limits: str) -> list[str]:
    beyond = _cells_beyond(inferred)
    if not beyond:
        return []
    names = [name for name, column in inferred.items() if column.n_limits]
    rest = ""
    for end in ("smallest", "largest") if limits != "empty" else ():
        if unnamed := [name for name in names if end in inferred[name].unnamed]:
            rest += f"; the limit of {listed(unnamed)} is the {end} number there"
    return [f"{beyond}: {LIMITS_READ[limits]}{rest}."]


def _thousands_steps(inferred: dict[str, _Inferred]) -> list[str]:
    names = [name for name, column in inferred.items() if column.has_thousands]
    return [f"Thousands separators were removed ({listed(names)})."] if names else []


def _behind_steps(inferred: dict[str, _Inferred]) -> list[str]:
    names = [name for name, column in inferred.items() if column.has_behind]
    what = "Left out behind numbers: uncertainties and marks of footnotes"
    return [f"{what} ({listed(names)})."] if names else []


def _infinity_steps(frame: pd.DataFrame) -> list[str]:
    numbers = frame.select_dtypes(np.float64)
    counts = np.isinf(numbers.to_numpy()).sum(axis=0)
    names = list(numbers.columns[counts > 0])
    infinite = count(int(counts.sum()), "infinite value")
    return [f"Counted as missing: {infinite} ({listed(names)})."] if names else []


def _number(cell: str, decimal: str) -> float:
    number = plain_number(cell, decimal)
    return float(cell) if math.isnan(number) and INFINITY.fullmatch(cell) else number
