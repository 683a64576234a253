"""The class of every row, from the values of the label column."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Meta

from melm_core.base import FloatArray, IntArray
from melm_studio.tables.distinct import distinct_values, value_counts
from melm_studio.tables.formatting import count, listed, number, number_text, shortened
from melm_studio.tables.readers import is_picture
from melm_studio.tables.roles import ALL_ROWS, NO_LABEL
from melm_studio.tables.scales import ordered_names
from melm_studio.tables.text import TableError

MAX_CLASSES = 50
MOST_SHARED = 0.2  # of fractions, for each to be measured rather than a class
MAX_VALUES = 20  # of a fractional number, for its values to be classes by default
DISTINCT_SHARE = 0.9  # text that differs in more than this share of the rows is an identifier
MAX_CLASS_NAME = 200  # characters, since legends show it
MAX_RENAMED = 1_000
DEFAULT_QUANTILES = 3
ROUNDING = 1e-9  # of the largest number, below which others do not differ from it
CLASSES_SHOWN = 20
OTHER = "other"
DIGITS = re.compile(r"([0-9]+)")
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")  # soft hyphens, zero-width spaces and marks
LONGEST_NUMBER = 20  # digits, of those that are sorted by value
LEFT_OUT = ""  # the class of values that are left out

_ClassName = Annotated[str, Meta(title="The name of a class", max_length=MAX_CLASS_NAME)]
_Cut = Annotated[float, Meta(title="A cut", ge=-1e150, le=1e150)]


class ClassRules(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Rules by which values of a label become classes, if not each value is one.

    Attributes
    ----------
    quantiles : int
        Number of classes with equally many rows into which numbers are cut; 0 for none.
    cuts : tuple of float
        Where numbers are cut instead, ascending; a value at a cut is below it.
    names : mapping of str to str
        The class of a value where it is not the value itself: another name, the name of another
        class to merge with, or an empty name to leave its rows out.
    min_rows : int
        Classes with fewer rows are rare.
    rare : str
        Whether rare classes are left out, or merged as one class, "other".
    """

    quantiles: Annotated[int, Meta(title="The number of classes", ge=0, le=MAX_CLASSES)] = 0
    cuts: Annotated[tuple[_Cut, ...], Meta(title="The cuts", max_length=MAX_CLASSES - 1)] = ()
    names: Annotated[
        dict[str, _ClassName], Meta(title="The names of classes", max_length=MAX_RENAMED)
    ] = msgspec.field(default_factory=dict)
    min_rows: Annotated[int, Meta(title="The fewest rows of a class", ge=2, le=1_000_000)] = 2
    rare: Annotated[Literal["leave out", "merge"], Meta(title="What becomes of rare classes")] = (
        "leave out"
    )

    @property
    def is_cut(self) -> bool:
        """True if the rules cut numbers into ranges."""
        return bool(self.quantiles or self.cuts)


VALUES_AS_CLASSES = ClassRules()


@dataclass(frozen=True, eq=False)
class Classes:
    """Class names, the rows that have one of them, and their codes.

    Attributes
    ----------
    names : tuple of str, (n_classes,)
    rows : ndarray of int64, (n_samples,)
        Positions in the table, ascending.
    y : ndarray of int64, (n_samples,)
    unlabeled : ndarray of int64, (n_unlabeled,)
        Positions of the rows without a label, ascending.
    steps : tuple of str
        What was found and excluded, a sentence each.
    """

    names: tuple[str, ...]
    rows: IntArray
    y: IntArray
    unlabeled: IntArray
    steps: tuple[str, ...]


def find_classes(frame: pd.DataFrame, label: str, rules: ClassRules = VALUES_AS_CLASSES) -> Classes:
    """Find the classes with two rows or more in a column.

    Raises
    ------
    TableError
        If the column does not exist, the rules cannot be applied to it, or fewer than two of
        its values are classes; a column of a single value is one class.
    """
    if label == NO_LABEL and label not in frame.columns:
        return _all_rows(len(frame))
    if label not in frame.columns:
        raise TableError(no_such_column(frame, label))
    cells = _names_in_one_form(frame[label])
    if cells.dtype.kind != "f" and any(map(is_picture, distinct_values(cells)[:1])):
        raise TableError(
            f'"{shortened(label)}" has pictures, which are not classes. Choose another label.'
        )
    ranges = _ranges(label, cells, rules)
    classes = _named(cells, rules) if ranges is None else ranges
    classes = _merged(classes, rules)
    return _classes(label, classes, cells)


@dataclass(frozen=True, eq=False)
class _Found:
    """Class names in order, the code of each row (-1 without one), and what was done."""

    names: tuple[str, ...]
    codes: IntArray
    steps: tuple[str, ...] = ()

    @property
    def sizes(self) -> IntArray:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))


def _all_rows(n_rows: int) -> Classes:
    if n_rows < 2:
        raise TableError(
            f"The table has {count(n_rows, 'row')} and no column that could be the label. Add "
            "rows, or a column with the class of each, and drop the file again."
        )
    step = f"No label: all {count(n_rows, 'row')} are one class, for methods that ignore labels."
    nothing = np.empty(0, dtype=np.int64)
    return Classes((ALL_ROWS,), np.arange(n_rows), np.zeros(n_rows, np.int64), nothing, (step,))


def _classes(label: str, found: _Found, cells: pd.Series) -> Classes:
    n_values = len(distinct_values(cells))
    is_constant = len(found.names) == n_values == 1 and found.sizes[0] > 1
    if len(found.names) < 2 and not is_constant:
        raise TableError(_too_few(label, cells))
    longest = max(map(len, found.names))
    if longest > MAX_CLASS_NAME:
        raise TableError(
            f'The label column "{shortened(label)}" has a value of {number(longest)} characters, '
            f"but at most {MAX_CLASS_NAME} can be shown. Shorten it, or choose another label."
        )
    rows = np.flatnonzero(found.codes >= 0)
    sizes = dict(zip(found.names, found.sizes.tolist(), strict=True))
    unlabeled = np.flatnonzero(cells.isna().to_numpy())
    return Classes(
        found.names,
        rows,
        found.codes[rows],
        unlabeled,
        (_class_step(label, sizes), *found.steps),
    )


def in_order(classes: Classes, names: Sequence[str]) -> Classes:
    """The same classes in another order."""
    places = np.array([names.index(name) for name in classes.names], dtype=np.int64)
    return Classes(tuple(names), classes.rows, places[classes.y], classes.unlabeled, classes.steps)


def without_rows(classes: Classes, label: str, is_out: npt.NDArray[np.bool_], step: str) -> Classes:
    """The classes without some of their rows, and without those of fewer than two that are left.

    Parameters
    ----------
    classes : Classes
    label : str
    is_out : ndarray of bool, (n_samples,)
    step : str
        Why they are left out, a sentence.
    """
    sizes = np.bincount(classes.y[~is_out], minlength=len(classes.names))
    remaining = np.flatnonzero(sizes > 1)
    places = np.full(len(classes.names), -1)
    places[remaining] = np.arange(len(remaining))
    is_in = ~is_out & (places[classes.y] >= 0)
    names = tuple(classes.names[index] for index in remaining.tolist())
    named = _class_step(label, dict(zip(names, sizes[remaining].tolist(), strict=True)))
    return Classes(
        names,
        classes.rows[is_in],
        places[classes.y[is_in]],
        classes.unlabeled,
        (named, *classes.steps[1:], step),
    )


def no_such_column(frame: pd.DataFrame, name: str) -> str:
    """Return the message that a column does not exist."""
    columns = listed([str(column) for column in frame.columns])
    return f'There is no column "{shortened(name)}". The columns are {columns}.'


def sort_key(value: float | str) -> tuple[Any, ...]:
    """Sort key: numbers by value, text alphabetically, with the numbers in it by value.

    Examples
    --------
    >>> sorted(["week 10", "Week 2", "week 1"], key=sort_key)
    ['week 1', 'Week 2', 'week 10']
    """
    if not isinstance(value, str):
        return value, value
    parts = DIGITS.split(value.casefold())  # text and digits by turns
    parts[1::2] = [part.zfill(LONGEST_NUMBER) for part in parts[1::2]]
    return (*parts, value)


def one_form(text: str) -> str:
    """A text as all that look like it: composed, without what is invisible, with single spaces.

    Examples
    --------
    >>> one_form("cafe\u0301\u00a0 noir\u200b") == "caf\u00e9 noir"
    True
    """
    if text.isascii() and "  " not in text and "\t" not in text:
        return text  # nearly all
    composed = unicodedata.normalize("NFC", INVISIBLE.sub("", text))
    return " ".join(composed.split())


def _names_in_one_form(cells: pd.Series) -> pd.Series:
    if cells.dtype.kind in "fiub":
        return cells
    forms = {text: one_form(text) for text in distinct_values(cells)}
    changed = {text: form for text, form in forms.items() if form != text}
    return cells.replace(changed) if changed else cells


def is_measure(cells: pd.Series) -> bool:
    """Return whether a column is a number whose values are no classes.

    It has too many of them, or is of fractions of which few are those of several rows. Numbers that
    differ by rounding alone are none.
    """
    if cells.dtype.kind != "f":
        return False
    present = cells.dropna()
    values, n_rows = np.unique(present.to_numpy(), return_counts=True)
    halves = values / 2  # which differ by no more than the largest number
    if len(values) == 0 or np.ptp(halves) <= ROUNDING * np.abs(halves).max():
        return False
    if bool((values % 1 == 0).all()):
        return len(values) > MAX_CLASSES
    n_shared = int((n_rows > 1).sum())
    is_cut = len(present) >= 2 * DEFAULT_QUANTILES and n_shared < max(2, MOST_SHARED * len(values))
    return len(values) > MAX_VALUES or is_cut


def _ranges(label: str, cells: pd.Series, rules: ClassRules) -> _Found | None:
    """The classes of a number that is cut; None where values are classes."""
    if cells.dtype.kind != "f":
        if rules.is_cut:
            raise TableError(
                f'"{shortened(label)}" is text, which cannot be cut into ranges. Choose its values '
                "as classes, or a numeric label."
            )
        return None
    if not rules.is_cut and (rules.names or not is_measure(cells)):
        return None
    numbers = cells.to_numpy(np.float64)
    cuts = np.unique(rules.cuts or _quantiles(numbers, rules.quantiles or DEFAULT_QUANTILES))
    codes = np.where(np.isnan(numbers), -1, np.searchsorted(cuts, numbers, side="left"))
    names = _range_names(cuts)
    filled = [code for code in range(len(names)) if (codes == code).any()]
    places = np.full(len(names) + 1, -1)
    places[filled] = np.arange(len(filled))
    renamed = tuple(rules.names.get(names[code], names[code]) for code in filled)
    equal = "" if rules.cuts else " with about equally many rows"
    at_cuts = ", ".join(number_text(float(f"{cut:.6g}")) for cut in cuts[:CLASSES_SHOWN])
    step = f"{shortened(label)} is cut into {number(len(filled))} ranges{equal}, at {at_cuts}."
    return _as_classes(renamed, places[codes], (step,))


def _quantiles(numbers: FloatArray, n_classes: int) -> FloatArray:
    present = numbers[~np.isnan(numbers)]
    if len(present) == 0:
        return np.empty(0)
    shares = np.arange(1, n_classes) / n_classes
    cuts = np.quantile(present, shares, method="lower")
    highest = present.max()
    below: FloatArray = cuts[cuts < highest]  # otherwise nothing would be above
    if len(below) == 0:  # most rows have the highest
        below = present[present < highest]
        below = below.max(keepdims=True) if len(below) else below
    return below


def _range_names(cuts: FloatArray) -> list[str]:
    texts = [number_text(float(f"{cut:.6g}")) for cut in cuts]
    if not texts:
        return ["all"]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return [f"up to {texts[0]}", *between, f"above {texts[-1]}"]


def _named(cells: pd.Series, rules: ClassRules) -> _Found:
    """One class for each value, unless the rules give it another name."""
    codes, distinct = pd.factorize(cells)
    values = distinct.tolist()
    order = sorted(range(len(values)), key=lambda i: sort_key(values[i]))
    scale = ordered_names([value for value in values if isinstance(value, str)])
    if scale is not None and len(scale) == len(values):
        order = [values.index(level) for level in scale]
    ranks = np.full(len(values) + 1, -1)
    ranks[order] = np.arange(len(order))
    texts = [value_name(values[i]) for i in order]
    names = tuple(rules.names.get(text, text) for text in texts)
    left_out = [text for text, name in zip(texts, names, strict=True) if name == LEFT_OUT]
    n_rows = int(
        np.isin(cells, [values[i] for i, n in zip(order, names, strict=True) if not n]).sum()
    )
    steps = (
        (f"Left out, as you chose: {listed(left_out)} ({count(n_rows, 'row')}).",)
        if left_out
        else ()
    )
    return _as_classes(names, ranks[codes].astype(np.int64), steps)


def _as_classes(names: Sequence[str], codes: IntArray, steps: tuple[str, ...]) -> _Found:
    """Merge classes of one name, in the order of their first value."""
    distinct = tuple(dict.fromkeys(name for name in names if name != LEFT_OUT))
    places = {name: place for place, name in enumerate(distinct)}
    of_each = np.array([*(places.get(name, -1) for name in names), -1], dtype=np.int64)
    return _Found(distinct, of_each[codes], steps)


def value_name(value: float | str) -> str:
    """The name of the class of a value."""
    return one_form(value) if isinstance(value, str) else number_text(value)


def _merged(classes: _Found, rules: ClassRules) -> _Found:
    """Leave out or merge rare classes, and merge the smallest of too many."""
    sizes = classes.sizes
    is_rare = sizes < rules.min_rows
    if len(sizes) > max(MAX_CLASSES, DISTINCT_SHARE * sizes.sum()):
        return _Found((), np.full(len(classes.codes), -1), classes.steps)
    steps = list(classes.steps)
    destiny = np.where(is_rare, _fate(rules), np.arange(len(sizes)))
    rare = [classes.names[code] for code in np.flatnonzero(is_rare)]
    if rare:
        steps.append(_rare_step(rare, rules))
    frequent = np.flatnonzero(~is_rare)
    if len(frequent) > MAX_CLASSES:
        smallest = frequent[np.argsort(-sizes[frequent], kind="stable")][MAX_CLASSES - 1 :]
        destiny[smallest] = -2
        steps.append(
            f"Merged as {OTHER}: the {number(len(smallest))} smallest classes, since at most "
            f"{MAX_CLASSES} can be told apart on screen."
        )
    return _renumbered(classes, destiny, tuple(steps))


def _fate(rules: ClassRules) -> int:
    return -2 if rules.rare == "merge" else -1


def _renumbered(classes: _Found, destiny: IntArray, steps: tuple[str, ...]) -> _Found:
    """Classes by their new code: -1 is left out, and -2 the class "other"."""
    names = [classes.names[code] for code in range(len(destiny)) if destiny[code] >= 0]
    other = int((classes.sizes * (destiny == -2)).sum())
    if other == 1:
        steps = (*steps, f"Left out: the one row of {OTHER}.")
    if other > 1:
        taken = OTHER in names
        names = [*names, f"{OTHER} (rest)" if taken else OTHER]
    places = np.full(len(destiny) + 1, -1, dtype=np.int64)
    places[:-1][destiny >= 0] = np.arange(int((destiny >= 0).sum()))
    places[:-1][destiny == -2] = len(names) - 1 if other > 1 else -1
    return _Found(tuple(names), places[classes.codes], steps)


def _rare_step(rare: Sequence[str], rules: ClassRules) -> str:
    noun = count(len(rare), "class", "classes")
    rows = "a single row" if rules.min_rows == 2 else f"fewer than {number(rules.min_rows)} rows"
    did = f"Merged as {OTHER}" if rules.rare == "merge" else "Left out"
    return f"{did}: {noun} with {rows} ({listed(rare)})."


def _too_few(label: str, cells: pd.Series) -> str:
    n_values = int(cells.nunique())
    has = f'The label column "{shortened(label)}" has {count(n_values, "different value")}'
    way_out = "Choose a label with 2 or more different values and several rows of each."
    n_present = int(cells.notna().sum())
    if n_values > max(MAX_CLASSES, DISTINCT_SHARE * n_present):
        return f"{has} in {count(n_present, 'row')}: they identify rows. {way_out}"
    if n_values >= 2:
        return f"{has}, but fewer than two classes have several rows. {way_out}"
    return f"{has}. {way_out}"


def _class_step(label: str, sizes: Mapping[str, int]) -> str:
    shown = list(sizes.items())[:CLASSES_SHOWN]
    shares = ", ".join(
        f"{shortened(name)}{':' if name[-1:].isdigit() else ''} {number(size)}"
        for name, size in shown
    )
    more = f" and {number(len(sizes) - len(shown))} more" if len(sizes) > len(shown) else ""
    classes = count(len(sizes), "class", "classes")
    return f"Label: {shortened(label)}, {classes} ({shares}{more})."


def class_values(
    frame: pd.DataFrame, label: str, rules: ClassRules = VALUES_AS_CLASSES
) -> list[tuple[str, int]]:
    """The values of a label, or the ranges of a number that is cut, with their number of rows."""
    cells = _names_in_one_form(frame[label])
    ranges = _ranges(label, cells, msgspec.structs.replace(rules, names={}))
    if ranges is not None:
        return list(zip(ranges.names, ranges.sizes.tolist(), strict=True))
    in_order = sorted(value_counts(cells).items(), key=lambda pair: sort_key(pair[0]))
    return [(value_name(value), size) for value, size in in_order]
