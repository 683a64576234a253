"""The role of every column of a table, inferred or chosen by the user."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, product
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import BEYOND_LIMIT, CODES, FloatArray, IntArray, percent
from melm_studio.tables.classes import Classes, find_classes, no_such_column
from melm_studio.tables.designs import MOST_LEVELS, factors, is_nested
from melm_studio.tables.distinct import (
    COUNTING,
    Numbers,
    distinct_values,
    fewest_values,
    n_equal_pairs,
    numbered_parts,
)
from melm_studio.tables.durations import CLOCKS, runs_along, says_event, says_follow_up
from melm_studio.tables.formatting import DAY, count, listed, number, shortened, words_of
from melm_studio.tables.frames import columns_of
from melm_studio.tables.identifiers import (
    CLERK_WORDS,
    GROUP_WORDS,
    LEAST_STEM,
    STREETS,
    THINGS_NUMBERED,
    are_uuids,
    ends_as_id,
    is_id_of_thing,
    is_of_each,
    names_clerk,
    names_identifier,
)
from melm_studio.tables.labels import (
    ABOUT_ROWS,
    FEW_TEXTS,
    LEAST_CODE,
    OCCASION_WORDS,
    REPORTER,
    SELECTED,
    TIME_WORDS,
    WORDS_OF_MODELS,
    names_prediction,
    numbers_say_split,
    says_imputed,
    says_split,
    says_the_same,
)
from melm_studio.tables.maps import (
    coordinates,
    map_columns,
    names_place,
    says_setting,
    says_site,
    says_size_of_sample,
    says_work,
)
from melm_studio.tables.read import Table, TableError
from melm_studio.tables.readers import is_picture, names_picture
from melm_studio.tables.roles import (
    FEATURES,
    FIRST_UNNAMED,
    PICTURES,
    SECOND_UNNAMED,
    SINGLE_USES,
    Column,
    Role,
    Use,
)
from melm_studio.tables.row_columns import times_of
from melm_studio.tables.scales import ordered_levels

NEARLY_EMPTY = 0.95  # share of missing cells above which a column says little
MOST_GAPS = 0.05  # for each cell with the only word of a column, for them to be no other word
MAX_LEVELS = 20  # of a text column, for it to be a feature by default
MAX_CHOSEN_LEVELS = 200
LEAST_OF_COMMON, LEAST_IN_COMMON = 5, 0.8  # rows of a common answer, and share of rows with any
MAX_LEVEL_LENGTH = 200  # characters, since every level becomes part of a feature name
LARGEST = 1e150  # squares of larger values overflow
SMALLEST_SPREAD = 1e-150  # squares of smaller ones vanish
RESOLUTION = 1e-13  # a spread below this share of the values is rounding error
DISTINCT_SHARE = 0.9  # text that differs in more than this share of the rows is an identifier
ID_SHARE = 0.8  # of the values of a number with such a name are different, where some repeat
FIRST_DAY, LAST_DAY = 19_000_101, 21_000_101  # as whole numbers
LEAST_METERS = 10_000  # of a place on a map in meters
LEAST_ID = 1_000  # of a first column without a header whose whole numbers are nearly all different
CHOSEN = "as you chose"
AS_FEATURES = (Use.FEATURE, Use.CATEGORY, Use.ORDERED)
MOST_AGAIN = 0.05  # share of the rows whose name an occasion has had already
LEAST_MEETINGS = 12  # expected of random numbers or pairs, for it to be no chance that none occurs
_RANKS = {"rank", "ranking"}
# What is counted along a file and says where, when or how much.
_SCALES = TIME_WORDS | OCCASION_WORDS | _RANKS | {
    "age", "angle", "depth", "distance", "dose", "height", "horizon", "layer", "length", "level",
    "position", "ring", "size", "stage", "step",
}  # fmt: skip
BEGINS_AGAIN = "it numbers the rows of each part of the file"
MOST_COUNTERS = 20  # columns
MOST_PAIRED = 30  # columns of things, and as many of times
SAYS_A_NUMBER = {"code", "id", "ids", "identifier", "no", "nr", "num", "number"}
_WORDS_OF_IDS = SAYS_A_NUMBER | THINGS_NUMBERED | GROUP_WORDS | {"plant", "plot", "tree"}
_LEAST_LONG = 50  # numbers: fewer intensities may have equally many digits
_OF_ROW_NAMES = re.compile(r"X(?:\.\d+)?|V1|\.\.\.\d+")  # as R calls a column without a name
_INDEX = re.compile(r"[Uu]nnamed(?:: |[._]{1,2})\d+(?:\.\d+)*")  # as pandas does
_NUMBERS_OF_IDS = {"idno", "idnum"}
_TAGS = {"band", "passcode", "ring", "tag"}  # by which animals and persons are known
_DIGITS_OF_ID = 9  # of whole numbers that differ, all of as many
_CODES = {f"{code:.10g}" for code in CODES}  # of missing cells
_DIGIT = re.compile(r"\d")
_NUMBERED = re.compile(r"([^\W\d][^\d]{0,19})([0-9]{1,9})")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?: ?[AaPp]\.?[Mm]\.?)?")
_NAME_OF_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[.]?"
# Of a year or a day, which tell no more of a row than a date does: 2010-01, Jan-17, 17 March.
_MONTH = re.compile(
    rf"\d{{4}}-(?:0\d|1[0-2])|\d{{1,4}}[-/ ]{_NAME_OF_MONTH}|{_NAME_OF_MONTH}[-/ ]\d{{1,4}}",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\[[^\[\]]+\]$")
LEAST_NUMBERED, MOST_SHARING = 10, 20  # values, and rows for each on average
NAME_WORDS = {"id", "identifier", "key", "name", "names", "sample", "specimen", "title", "uuid"}
BATCH_WORDS = {"batch", "bloc", "block", "bloco", "bloque", "lot", "plate"}
_OF_THINGS = SAYS_A_NUMBER | {"key", "label", "name"}
_OF_BATCH = {"barcode", "code", "id", "identifier", "name", "no", "nr", "number"}
_OF_LAND = {"a", "acre", "acres", "area", "feet", "ft", "m", "parking", "size", "sq", "sqft", "sqm"}
ORDER_WORDS = {"date", "datetime", "datum", "injection", "order", "time", "timestamp"}
_COUNTERS = {
    ("batch",), ("replicate",), ("rep",), ("biorep",), ("techrep",), ("bio", "rep"),
    ("tech", "rep"), ("biological", "replicate"), ("technical", "replicate"), ("parallel",),
    ("trial",), ("tube",), ("vial",),
}  # fmt: skip
_NUMBERS_OF_IMAGES = {("image", "number"), ("image", "id")}  # of whose cells each is a row
_ROLE_WORDS = (
    {word for words in _COUNTERS | _NUMBERS_OF_IMAGES for word in words}
    | GROUP_WORDS
    | BATCH_WORDS
    | CLERK_WORDS
    | {"by"}
    | ORDER_WORDS
)
LONGEST_NAME = 60  # characters of most names
NAMES_PROBED = 1_000  # rows
LONG_TEXT = "long text, which is no feature as it is"
PICTURES_PROBED = 100  # rows
MOSTLY_DAYS = 0.8  # of texts, some of which may be years or months, or slips
MAX_INFO = 30  # columns kept by a guess: hovering shows them all
# Names of the weights of the rows of surveys: of Stata, of censuses, of the General and of the
# European Social Survey, of NHANES and of BRFSS.
_WEIGHTS = {
    "anweight", "dweight", "finalwgt", "finalwt", "fnlwgt", "hhwt", "houwgt", "llcpwt", "perwt",
    "pspwght", "pweight", "pweights", "pwt", "senwgt", "tcindwt", "totwgt", "totwgts", "wgt",
    "wtfinl", "wtint2yr", "wtint4yr", "wtmec2yr", "wtmec4yr", "wtsaf2yr", "wtss", "wtssall",
}  # fmt: skip
_DRAWN = {"psu", "sdmvpsu", "sdmvstra", "ststr"}  # how surveys drew rows: their units and strata
_WEIGHT_WORDS = ("weight", "weights", "wgt")
_OF_WEIGHTS = {  # of which rows and of which wave they are, as in W1_WEIGHT2
    "adj", "adjusted", "analysis", "base", "case", "cross", "design", "final", "full", "norm",
    "normalized", "panel", "person", "pop", "population", "post", "poststrat", "resp", "respondent",
    "sample", "sampling", "sectional", "stratified", "survey", "trimmed", "w", "wave",
}  # fmt: skip
# Rows, and how far the mean of weights may be from 1: rounded, or named so, without some rows.
LEAST_WEIGHED, OFF_ONE, OFF_ONE_NAMED, OFF_ONE_OF_WAVES = 30, 1e-3, 0.05, 0.5
_NOTES = {"comment", "comments", "note", "notes", "remark", "remarks"}
_OF_ARCHIVES = {"AvgSpotLen", "Bases", "Bytes", "MBases", "MBytes"}  # of sequencing runs
_NO_ORDER = {"accessed", "downloaded", "entered"}  # when somebody worked with the rows
# Seconds since 1970, and thousandths of them, from 1985 to 2103.
_SECONDS = ((480_000_000, 4_200_000_000), (480_000_000_000, 4_200_000_000_000))
_POSTCODES = {"plz", "postalcode", "postcode", "zip", "zipcode"}
LEAST_STREETS = 4  # fewer are kinds, such as urban and rural
_ADDRESSES = STREETS | {"city", "county", "grower"}
_WORDS_ABOUT_ROWS = WORDS_OF_MODELS | _WEIGHTS | _DRAWN | ABOUT_ROWS | CLOCKS | _POSTCODES
_WORDS_ABOUT_ROWS |= {"bases", "bytes", "postal", "spot", "weight", "weights"}
_OF_SURVEYS = {"case", "design", "person", "probability", "sample", "sampling", "survey"}
LEAST_WITH_CODES, MOST_ROUND = 20, 0.5  # rows; of codes, those that 5 divides
MANY_CODES = 4  # columns of them, which are not asked about but left out
MAP_AXIS = "an axis of a map of the rows: drawn beside a plane, and no feature"
WHERE = "it says where the row is, which nobody measured of it"
WHENCE = "it says what the row was taken from, which nobody measured of it"
HOW_MANY = "it says of how many things a number is, which nobody measured of them"
WHEN = "a part of a date, which says when and measures nothing"
DESIGN = "a factor of the design: each class has as many rows of each level"
SETTING = "it says how an instrument was set, which nobody measured of the row"
EARLIER = "it is what another column was before"
FOLLOW_UP = "it says how long the row was followed, which ends with what the label says"
OF_WEIGHTS = "it was said to weigh the rows of a survey"
OF_BOXES = "it has 1 or nothing, and was said to measure nothing"
MOSTLY_EMPTY = "most of its cells are empty, and it was said to measure nothing"
EMBEDDED = "it was recorded beside answers or measurements, and is none of these"
IMPUTED = "it says which cells of another column were imputed"
WRITTEN_IN = "beside a few common answers it has many in words of one's own"
ORIGINS = (WHERE, WHEN, WHENCE, HOW_MANY, SETTING, EARLIER, DESIGN, FOLLOW_UP, EMBEDDED, IMPUTED)
_PARTS_OF_DATE = {  # and their numbers
    "year": (1800, 2100), "month": (1, 12), "day": (1, 366), "date": (1, 366), "doy": (1, 366),
}  # fmt: skip
LEAST_KEYS, LOOSEST_KEYS = 10, 1.5  # words that differ in a number; numbers for each of them
FEWEST_FEATURES = 2  # beside a map or coordinates, for a plane
LEAST_REPEATS = 2  # rows for each group or batch, on average
MOST_BATCHES = 200  # more are of something else, such as blocks of a ledger
ORDERED_BY_CHANCE = 0.06  # that codes of kinds, such as of arms, are in ranges of another
MOST_BY_CHANCE = 1e-4  # expected pairs of columns that say the same
# Columns: of fewer none is spared; more are spectra or genes, which follow each other by nature.
LEAST_COMPARED, MOST_COMPARED = 3, 300
ROWS_COMPARED = 256  # to find the columns that may say the same, and then compare all rows
MOST_TRIED = 5  # columns that may say the same as another
OFF_LINE = 1e-6  # of the range of numbers, which files round
SAYS_THE_SAME = "it says the same as "
TWIN_OF_LABEL = f"{SAYS_THE_SAME}the label"
MOST_WORDS = 4  # of a name; did_the_subject_meet_the_criteria is a question
MOST_OF_PANEL = 1_000  # columns
MIN_GROUPS = 2  # of every class: with one, no rows of the class could be held out


def column_roles(
    table: Table, label: str, roles: Mapping[str, Use | str] | None = None
) -> tuple[Column, ...]:
    """Infer the role of each column, in the order of the table.

    Parameters
    ----------
    table : Table
    label : str
        The column that contains the classes.
    roles : mapping of str to Use, optional
        The user's choices; the other roles are inferred.

    Raises
    ------
    TableError
        If the label column does not exist or has fewer than two classes, or a column cannot be
        used as `roles` says.
    """
    return find_roles(table, label, find_classes(table.frame, label), roles or {})


def find_roles(
    table: Table, label: str, classes: Classes, roles: Mapping[str, Use | str]
) -> tuple[Column, ...]:
    """As `column_roles`, with known classes."""
    frame = table.frame
    uses = {name: _checked(frame, label, name, use) for name, use in roles.items()}
    _reject_several(uses)
    words = table.counted_words | table.measured
    columns = [
        _label_column(label, frame[label], classes)
        if cells.name == label
        else _column(cells, uses.get(cells.name), is_word=cells.name in words)
        for cells in _all_cells(frame, classes.rows, table.numbers)
    ]
    return guess_roles(table, columns, classes, uses)


def can_be_used(column: pd.Series, classes: Classes, use: Use) -> bool:
    """Return whether a column, which is not the label, can have a use."""
    try:
        frame = column.to_frame()
        for cells in _all_cells(frame, classes.rows, Numbers.of(frame)):
            _column(cells, use)
    except TableError:
        return False
    return True


def _checked(frame: pd.DataFrame, label: str, name: str, use: str) -> Use:
    if name not in frame.columns:
        raise TableError(no_such_column(frame, name))
    if name == label:
        raise TableError(f'"{shortened(name)}" is the label. Choose another label first.')
    if use not in tuple(Use):
        raise TableError(
            f'"{shortened(name)}" cannot be "{shortened(use)}". Choose one of {", ".join(Use)}.'
        )
    return Use(use)


def _reject_several(uses: Mapping[str, Use]) -> None:
    for use in SINGLE_USES:
        rivals = [name for name, other in uses.items() if other is use]
        if len(rivals) > 1:
            raise TableError(
                f"{listed(rivals)} cannot all be the {use}: only one column can. Choose another "
                "role for the others."
            )


def _label_column(label: str, column: pd.Series, classes: Classes) -> Column:
    reason = count(len(classes.names), "class", "classes")
    return Column(label, Role.LABEL, reason, column.nunique(), int(column.isna().sum()))


def _column(cells: _Cells, use: Use | None, *, is_word: bool = False) -> Column:
    name = cells.name
    says_more = not is_word and (_numbers_things(cells) or _about_rows(cells))
    if cells.is_plain and use is None and not says_more:
        return Column(name, Role.NUMERIC, "numeric", cells.n_values)
    exclusion = _exclusion(cells)
    why = exclusion[1] if exclusion else ""
    is_picture_use = why == PICTURES and use not in (None, Use.INFO, Use.IGNORED)
    if is_picture_use or (use in AS_FEATURES and why):
        other = f"the {use}" if use in SINGLE_USES else "a feature"
        raise TableError(
            f'"{shortened(name)}" cannot be {other}: {why.partition(":")[0]}. Leave it out.'
        )
    as_told = _chosen_role(cells, use) if use else None
    role, reason = as_told or exclusion or _usable(cells, use, is_word=is_word)
    return Column(name, role, reason, cells.n_values, cells.n_missing, why)


def _chosen_role(cells: _Cells, use: Use) -> tuple[Role, str] | None:
    if use is Use.FEATURE or (use is Use.CATEGORY and not cells.is_numeric):
        return None
    if use is Use.CATEGORY:
        if cells.n_values > MAX_CHOSEN_LEVELS:
            raise TableError(
                f'"{shortened(cells.name)}" cannot be a category: it has '
                f"{_too_many(cells.n_values, MAX_CHOSEN_LEVELS)}. Leave it a number."
            )
        return Role.CATEGORICAL, f"{_feature_of_levels(cells)}, {CHOSEN}"
    if use is Use.ORDERED and cells.is_numeric:
        return Role.NUMERIC, f"numeric, so ordered already, {CHOSEN}"
    why = _CHOICE_REASONS.get(use)
    return Role(use), f"{why}, {CHOSEN}" if why else CHOSEN


_CHOICE_REASONS = {
    Use.GROUP: "rows with the same value stay together",
    Use.ORDERED: "the position of its category",
}


class _Cells(msgspec.Struct, frozen=True, eq=False, gc=False):
    """The cells of a column in the rows that have a class.

    Attributes
    ----------
    name : str
    is_numeric : bool
    n_values, n_missing : int
    texts : ndarray
        Those of a text column that are not missing, in the rows that have a class.
    low, high : float
        Of a numeric column.
    is_whole, is_counting, is_rising, is_numbering, is_nearly_numbering : bool
        Whether the numbers of all rows, including those without a class, are whole, consecutive,
        rise from row to row, or are distinct whole ones, or nearly so.
    is_plain : bool
        Whether the numbers are a feature but for what its name may say of the rows.
    is_elsewhere : bool
        Whether there are values in rows without a class.
    """

    name: str
    is_numeric: bool
    n_values: int
    n_missing: int
    n_present: int
    texts: Any = ()
    low: float = math.nan
    high: float = math.nan
    is_whole: bool = False
    is_counting: bool = False
    is_rising: bool = False
    is_numbering: bool = False
    is_nearly_numbering: bool = False
    is_plain: bool = False
    is_elsewhere: bool = False

    @classmethod
    def of_text(cls, name: str, column: pd.Series, rows: IntArray) -> _Cells:
        cells = column.to_numpy()[rows]  # pandas is slow for each of ten thousand columns
        texts = cells[~pd.isna(cells)]
        n_values = len(pd.unique(texts))
        is_elsewhere = not len(texts) and bool(column.notna().any())
        n_missing = len(cells) - len(texts)
        return cls(name, False, n_values, n_missing, len(texts), texts, is_elsewhere=is_elsewhere)

    @property
    def is_box(self) -> bool:
        """True if a 1 says that something was ticked, and an empty cell that it was not."""
        has_gaps = self.n_missing > 0 and self.n_missing >= MOST_GAPS * self.n_present
        return self.is_numeric and self.low == self.high == 1.0 and has_gaps


def _all_cells(frame: pd.DataFrame, rows: IntArray, every: Numbers) -> Iterator[_Cells]:
    """The cells of each column, in order."""
    numbers = every if len(rows) == len(frame) else Numbers.of(frame.iloc[rows])
    numeric = _numeric_cells(every, numbers, len(frame), len(rows))
    for index, (name, kind) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        if kind == np.float64:
            yield next(numeric)
        else:
            yield _Cells.of_text(str(name), frame.iloc[:, index], rows)


def _numeric_cells(
    every: Numbers, found: Numbers, n_all_rows: int, n_rows: int
) -> Iterator[_Cells]:
    is_numbering = every.is_whole & (every.n_values == n_all_rows - every.n_missing)
    n_present = n_all_rows - every.n_missing
    is_nearly_numbering = every.is_whole & (every.n_values >= ID_SHARE * n_present)
    largest = np.maximum(-found.low, found.high)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = found.high - found.low
        is_varied = spread > np.maximum(RESOLUTION * largest, SMALLEST_SPREAD)
    is_plain = (found.n_missing == 0) & (largest <= LARGEST) & is_varied
    is_plain &= ~(every.is_counting | is_nearly_numbering)
    columns = (
        found.n_values, found.n_missing, n_rows - found.n_missing, found.low, found.high,
        every.is_whole, every.is_counting, every.is_rising, is_numbering, is_nearly_numbering,
        is_plain, n_present > 0,
    )  # fmt: skip
    rows = zip(found.names, *(column.tolist() for column in columns), strict=True)
    for name, n_values, n_missing, n_found, *facts in rows:
        yield _Cells(str(name), True, n_values, n_missing, n_found, (), *facts)


def _exclusion(cells: _Cells) -> tuple[Role, str] | None:
    """Return why a column cannot be a feature."""
    if not cells.n_present:
        where = " in the rows with a label" if cells.is_elsewhere else ""
        return Role.IGNORED, f"every value is missing{where}"
    return _numeric_exclusion(cells) if cells.is_numeric else _text_exclusion(cells)


def _numeric_exclusion(cells: _Cells) -> tuple[Role, str] | None:
    low, high = cells.low, cells.high
    if max(-low, high) > LARGEST:
        return Role.IGNORED, "its values are too large to compute with"
    is_constant = high - low <= max(RESOLUTION * max(-low, high), SMALLEST_SPREAD)
    if is_constant and not cells.is_box:
        return Role.CONSTANT, "every value is the same"
    return None


def _text_exclusion(cells: _Cells) -> tuple[Role, str] | None:
    if is_picture(cells.texts[0]):
        return Role.IGNORED, PICTURES
    n_levels, n_present = cells.n_values, cells.n_present
    if n_levels > max(2, DISTINCT_SHARE * n_present):
        nearly = "" if n_levels == n_present else "nearly "
        lengths = np.fromiter(map(len, cells.texts[:NAMES_PROBED]), dtype=np.float64)
        what = LONG_TEXT if np.median(lengths) > LONGEST_NAME else "an identifier"
        return Role.ID, f"{nearly}every value differs: {what}"
    if n_levels > MAX_CHOSEN_LEVELS:
        return Role.IGNORED, _too_many(n_levels, MAX_CHOSEN_LEVELS)
    if n_levels == 1 and not cells.n_missing:
        return Role.CONSTANT, "every value is the same"
    if max(map(len, pd.unique(cells.texts))) > MAX_LEVEL_LENGTH:
        return Role.IGNORED, f"it has values of more than {MAX_LEVEL_LENGTH} characters"
    return None


def _usable(cells: _Cells, use: Use | None, *, is_word: bool) -> tuple[Role, str]:
    exclusion = _says_little(cells) or (None if is_word else _soft_exclusion(cells))
    if exclusion and use is None:
        return exclusion
    role, reason = _feature(cells, use)
    return role, f"{reason}, {CHOSEN}" if exclusion else reason


def _says_little(cells: _Cells) -> tuple[Role, str] | None:
    """Return why a column has too few values to be a feature unless the user chooses it."""
    n_rows = cells.n_present + cells.n_missing
    if cells.n_missing > NEARLY_EMPTY * n_rows:
        return Role.IGNORED, f"{percent(cells.n_missing / n_rows)} of the cells are empty"
    if cells.n_values == 1 and cells.n_missing < MOST_GAPS * cells.n_present:
        return Role.CONSTANT, "every value is the same"
    is_rare = cells.n_missing > cells.n_present and cells.n_values > FEW_TEXTS
    if is_rare and np.median([*map(len, {*cells.texts})] or [0]) > LONGEST_NAME:
        share = percent(cells.n_missing / n_rows)
        return Role.IGNORED, f"{share} of the cells are empty: {LONG_TEXT}"
    return None


def _soft_exclusion(cells: _Cells) -> tuple[Role, str] | None:
    """Return why a column is no feature, by its name or values, unless the user chooses it."""
    if cells.name == SELECTED:
        return Role.IGNORED, "SPSS keeps there which rows it has selected"
    if about := _about_rows(cells):
        return Role.IGNORED, about
    return _id_of_rows(cells) if cells.is_numeric else _soft_exclusion_of_text(cells)


def _about_rows(cells: _Cells) -> str:
    """Return what a column says of the rows that nobody measured of them; empty if nothing."""
    words = words_of(cells.name)
    if cells.is_numeric and _WORDS_ABOUT_ROWS.isdisjoint((*words, "".join(words))):
        return ""  # as of most features
    ends = {"".join(words[-2:]), *words[-1:]}
    if "?" in cells.name:  # a question names it anywhere
        ends.update(map("".join, pairwise(words)))
    addresses = _ADDRESSES if cells.n_values >= LEAST_STREETS else _ADDRESSES - STREETS
    is_address = not ends.isdisjoint(_POSTCODES if cells.is_numeric else _POSTCODES | addresses)
    are_notes = not cells.is_numeric and not _NOTES.isdisjoint(words[-1:])
    is_of_run = cells.name in _OF_ARCHIVES or not ABOUT_ROWS.isdisjoint(words[:1])
    is_of_run |= not _DRAWN.isdisjoint(words[-1:])
    if is_address or are_notes or is_of_run:
        return "its name says that it is about the rows, not measured of them"
    if names_prediction(cells.name):
        return "it is what a model has predicted"
    if cells.is_numeric:
        if weighs_rows(cells.name):
            return "it says how many others each row of a survey stands for"
        is_clock = cells.is_whole and not CLOCKS.isdisjoint(words)
        if is_clock and any(low <= cells.low < cells.high <= high for low, high in _SECONDS):
            return "seconds since 1970, which say when and measure nothing"
        is_split = numbers_say_split(cells.name, cells.n_values, cells.low, cells.high)
    else:
        is_split = cells.n_values <= MAX_LEVELS and says_split(cells.name, pd.unique(cells.texts))
    return "it says which rows are for training and which for a test" if is_split else ""


def weighs_rows(name: str) -> bool:
    """Return whether a number weighs the rows of a survey, rather than saying what they weigh.

    Examples
    --------
    >>> weighs_rows("pweight"), weighs_rows("sampling weight"), weighs_rows("birth weight")
    (True, True, False)
    """
    words = words_of(name)
    is_weight = {*words[-1:]} <= {"weight", "weights"} and not _OF_SURVEYS.isdisjoint(words[:-1])
    return is_weight or "".join(words) in _WEIGHTS


def _id_of_rows(cells: _Cells) -> tuple[Role, str] | None:
    if _numbers_things(cells):
        role = Role.ID if cells.n_values >= LEAST_NUMBERED else Role.IGNORED
        return role, "its numbers name things"
    nearly = "" if cells.n_values == cells.n_present else "nearly "
    is_id = _is_identifier(cells)
    return (Role.ID, f"{nearly}every value differs: an identifier") if is_id else None


def _soft_exclusion_of_text(cells: _Cells) -> tuple[Role, str] | None:
    if any(map(names_picture, cells.texts[:PICTURES_PROBED])):
        return Role.IGNORED, "names of pictures"
    levels, last = pd.unique(cells.texts), (words_of(cells.name) or ("",))[-1]
    is_key = last in ("id", "well") or (last.endswith("id") and ends_as_id(last))
    is_key = (is_key and all(map(_DIGIT.search, levels))) or are_uuids(levels)
    is_key |= len(levels) > 2 and all(map(REPORTER.fullmatch, levels))
    if is_key or _number_things(levels):
        return Role.IGNORED, "keys of what several rows share"
    if cells.n_values > MAX_LEVELS and not _are_written_in(cells.texts, cells.n_values):
        return Role.IGNORED, _too_many(cells.n_values, MAX_LEVELS)
    days = [text for text in map(str, pd.unique(cells.texts)) if text not in _CODES]
    are_times = all(map(_CLOCK.fullmatch, days))
    if days and (are_times or are_dates(days) or _are_mostly_days(days) or _are_months(days)):
        what = "times of day" if are_times else "dates"
        return Role.IGNORED, f"{what}, which say when and measure nothing"
    if cells.n_present >= LEAST_NUMBERED and 2 * cells.n_values > cells.n_present:
        return Role.IGNORED, f"{number(cells.n_values)} categories of hardly more rows"
    return None


def _number_things(levels: Sequence[str]) -> bool:
    """Return whether many words differ in consecutive numbers alone: plots P1 to P12."""
    matches = [*map(_NUMBERED.fullmatch, map(str, levels))]
    if len(levels) < LEAST_KEYS or not all(matches):
        return False
    words, numbers = {m[1] for m in matches if m}, sorted(int(m[2]) for m in matches if m)
    return len(words) == 1 and numbers[-1] - numbers[0] < LOOSEST_KEYS * len(levels)


def _are_written_in(texts: npt.NDArray[Any], n_values: int) -> bool:
    """Return whether nearly all texts are a few answers, and the others mostly differ."""
    if n_values > MAX_CHOSEN_LEVELS:
        return False
    n_rows = np.bincount(pd.factorize(texts)[0])
    common, once = n_rows[n_rows >= LEAST_OF_COMMON], n_rows == 1
    are_most = len(common) >= 2 and common.sum() >= LEAST_IN_COMMON * len(texts)
    return bool(are_most and 2 * once.sum() > n_values)


def _too_many(n_levels: int, limit: int) -> str:
    return f"{number(n_levels)} categories, more than {limit}"


def _feature(cells: _Cells, use: Use | None) -> tuple[Role, str]:
    missing = cells.n_missing
    if cells.is_box:
        return Role.CATEGORICAL, _feature_of_levels(cells)
    if cells.is_numeric:
        filled = f", {count(missing, 'missing value')} filled with the median" if missing else ""
        return Role.NUMERIC, f"numeric{filled}"
    if use is None and (order := ordered_levels(pd.unique(cells.texts))):
        return Role.ORDERED, f"ordered: {listed(order, ' < ')}"
    return Role.CATEGORICAL, _feature_of_levels(cells)


def _feature_of_levels(cells: _Cells) -> str:
    levels = count(cells.n_values, "category", "categories")
    return f"{levels}{' and missing' if cells.n_missing else ''}, one-hot encoded"


def _is_identifier(cells: _Cells) -> bool:
    """Return whether values number the rows, or are distinct integers named as an identifier.

    Nearly distinct ones are as well, and large ones of the first column of a file without a header;
    distinct ones of a range in which many random ones would be equal; and those of a column without
    a name of its own that rise from row to row, as where rows were taken out of a numbered table.
    """
    has_unit = _UNIT.search(cells.name) is not None
    if has_unit or cells.is_counting or not cells.is_nearly_numbering:
        return cells.is_counting and not has_unit
    n_digits, words = len(f"{cells.low:.0f}"), words_of(cells.name)
    if cells.n_values >= _LEAST_LONG:
        is_long = _DIGITS_OF_ID <= n_digits == len(f"{cells.high:.0f}")
        if is_long or not _TAGS.isdisjoint(words[-1:]):
            return True
    is_first = cells.name == FIRST_UNNAMED and cells.low >= LEAST_ID
    is_row = cells.is_rising and cells.n_values >= LEAST_NUMBERED
    is_row &= cells.name == FIRST_UNNAMED or _OF_ROW_NAMES.fullmatch(cells.name) is not None
    is_row |= _INDEX.fullmatch(cells.name) is not None
    if is_first or is_row or (cells.is_numbering and _never_meet(cells)):
        return True
    if cells.is_numbering and len(words) == 1 and cells.n_present >= LEAST_NUMBERED:
        return words[0] in THINGS_NUMBERED or names_identifier(cells.name)
    is_number_of_something = not cells.is_numbering and "of" in words
    return not is_number_of_something and names_identifier(cells.name)


def _never_meet(cells: _Cells) -> bool:
    """Return whether distinct whole numbers, were they random ones, would have many equal pairs.

    Ranks are no random ones, nor is each pixel of a series of pictures.
    """
    if not _RANKS.isdisjoint(words_of(cells.name)) or any(map(str.isdigit, cells.name)):
        return False
    n_pairs = cells.n_present * (cells.n_present - 1) / 2
    return n_pairs >= LEAST_MEETINGS * (cells.high - cells.low + 1)


def _numbers_things(cells: _Cells) -> bool:
    """Return whether recurring whole numbers are of hospital records or such, or fractions ids."""
    *before, last = words_of(cells.name) or ("",)
    if before and last.isdigit():  # of the wave of a survey: hhid97
        *before, last = before
    is_long_id = bool(before) and last == "id" and cells.low >= LEAST_CODE  # of chips and runs
    least = 2 if is_long_id else LEAST_NUMBERED
    if not cells.is_whole:  # such as 5034.107635
        is_id = (bool(before) and last == "id") or last in {"rowname", "rownames"}
        return is_id and cells.n_values == cells.n_present
    if not least <= cells.n_values < cells.n_present:
        return False
    # id_plot, as in languages where what it is of comes behind.
    if before and before[0] == "id" and not is_of_each([*before, last]):
        before, last = [*before[1:], last], "id"
    is_id = (before and last == "id") or (ends_as_id(last) and len(last) > LEAST_STEM)
    is_id |= last in _NUMBERS_OF_IDS
    most_sharing = cells.n_present if is_id else MOST_SHARING
    if cells.n_values < cells.n_present / most_sharing:
        return False
    if not before:
        is_thing = last in GROUP_WORDS | _NUMBERS_OF_IDS | {"id"} or is_id_of_thing(last)
        is_thing |= last in THINGS_NUMBERED and cells.low >= LEAST_CODE
        return is_thing or ends_as_id(last) or last in {"mrn", "sample", "specimen"}
    is_number = last in SAYS_A_NUMBER and not THINGS_NUMBERED.isdisjoint(before)
    return is_number or last in {"id", "mrn", "specimen"} or ends_as_id(last)


def guess_roles(
    table: Table, columns: Sequence[Column], classes: Classes, chosen: Mapping[str, Use]
) -> tuple[Column, ...]:
    """Give columns the roles Name, Group, Batch, Order and Info.

    Parameters
    ----------
    table : Table
    columns : sequence of Column
        With the roles that each has by itself.
    classes : Classes
    chosen : mapping of str to Use
        The uses that the user chose; they stay, and no other column gets a role of which there is
        one only.
    """
    guesses = _Guesses(table, columns, classes, chosen)
    roles = {**guesses.codes(), **guesses.dated(), **guesses.counters(), **guesses.first()}
    roles |= {**guesses.groups(), **guesses.orders(), **guesses.maps()}
    roles = {**guesses.written_in(), **guesses.boxes(), **roles}
    roles = {**guesses.mostly_empty(), **guesses.weights(), **roles}
    roles = {**guesses.origins(roles), **roles}
    roles = {**guesses.info(roles), **roles}
    return _with_roles(columns, roles)


def origins(
    columns: Sequence[Column], frame: pd.DataFrame, embedded: Collection[str]
) -> dict[str, str]:
    """Return the columns that say where, when or of what rows or their numbers are, and which.

    No factors of a design, unless numbers that are measured remain.

    Parameters
    ----------
    columns : sequence of Column
        Those that are features, or are none for this reason or as the user chose, are looked at.
    frame : DataFrame
        The rows that have a class.
    embedded : collection of str
        Those that were recorded beside answers or measurements.
    """
    are_few = len(columns) <= MOST_OF_PANEL  # more have the words of a language for names
    of_few_levels = [
        column.name
        for column in columns
        if column.role in FEATURES
        and 2 <= column.n_values <= MOST_LEVELS
        and not column.reason.endswith(CHOSEN)
    ]
    label = next((column.name for column in columns if column.role is Role.LABEL), "")
    on_map = coordinates([column.name for column in columns])
    of_words = [n for n in of_few_levels if are_few and frame[n].dtype.kind != "f"]
    are_designed = are_few and label in frame
    of_tables = {
        **dict.fromkeys(embedded, EMBEDDED),
        **dict.fromkeys(factors(frame, label, of_few_levels) if are_designed else (), DESIGN),
        **dict.fromkeys(_parts_of_date(columns, frame) if are_few else (), WHEN),
        **dict.fromkeys(_earlier(columns) if are_few else (), EARLIER),
        **dict.fromkeys(_follow_up(columns, frame, label) if are_designed else (), FOLLOW_UP),
        **dict.fromkeys((n for n in of_words if says_imputed(frame[n].dropna().unique())), IMPUTED),
        **dict.fromkeys(on_map, WHERE),
        **dict.fromkeys(_numbers_of_places(columns, frame, on_map) if are_few else (), WHERE),
        **dict.fromkeys(_meters_of_map(columns, frame), WHERE),
    }
    reasons: dict[str, str] = {}
    for column in columns:
        is_told = column.role is Role.INFO and column.reason == CHOSEN
        if column.reason in ORIGINS:
            reasons[column.name] = column.reason
            continue
        is_likely = are_few or column.role is not Role.NUMERIC or column.name in embedded
        is_feature = column.role in FEATURES and is_likely
        if not (is_told or is_feature):
            continue
        if why := _said_origin(column) or of_tables.get(column.name, ""):
            reasons[column.name] = why
    n_measured = sum(c.role is Role.NUMERIC and c.name not in reasons for c in columns)
    if n_measured < FEWEST_FEATURES:
        features = {column.name for column in columns if column.role in FEATURES}
        reasons = {c: why for c, why in reasons.items() if why != DESIGN or c not in features}
    if names_places(columns):  # then these are not asked about, and another is the first
        return dict(sorted(reasons.items(), key=lambda reason: reason[1] == WHERE))
    return reasons


def are_all_that_is_measured(reasons: Collection[str], columns: Sequence[Column]) -> bool:
    """Return whether without these columns too few features remain for a plane."""
    return sum(c.role in FEATURES and c.name not in reasons for c in columns) < FEWEST_FEATURES


def written_in(columns: Sequence[Column], frame: pd.DataFrame) -> list[str]:
    """Return the columns of a few common answers and of many in words of one's own.

    Parameters
    ----------
    columns : sequence of Column
        Those that are features, or are none for this reason or as the user chose, are looked at.
    frame : DataFrame
        The rows that have a class.
    """
    return [
        column.name
        for column in _of_role_or(Role.CATEGORICAL, WRITTEN_IN, columns)
        if column.n_values > MAX_LEVELS
        and frame[column.name].dtype.kind != "f"
        and _are_written_in(frame[column.name].dropna().to_numpy(), column.n_values)
    ]


def boxes(columns: Sequence[Column], frame: pd.DataFrame) -> list[str]:
    """Return the columns of 1 or nothing: boxes that were ticked or not, or what was shown.

    Parameters
    ----------
    columns : sequence of Column
        Those that are features, or are none for this reason or as the user chose, are looked at.
    frame : DataFrame
        The rows that have a class.
    """
    return [
        column.name
        for column in _of_role_or(Role.CATEGORICAL, OF_BOXES, columns)
        if column.n_values == 1
        and {*map(str, distinct_values(frame[column.name]))} <= {"1", "1.0"}  # also as a category
    ]


def mostly_empty(columns: Sequence[Column], frame: pd.DataFrame) -> list[str]:
    """Return the numbers of which most cells are empty, of a table of not too many columns.

    Parameters
    ----------
    columns : sequence of Column
        Those that are features, or are none for this reason or as the user chose, are looked at.
    frame : DataFrame
        The rows that have a class.
    """
    if len(columns) > MOST_COMPARED:
        return []
    return [
        column.name
        for column in _of_role_or(Role.NUMERIC, MOSTLY_EMPTY, columns)
        if 2 * column.n_missing > len(frame)
        and column.n_values > 1
        and frame[column.name].dtype.kind == "f"
    ]


def weights(columns: Sequence[Column], frame: pd.DataFrame, numbers: Numbers) -> list[str]:
    """Return the positive fractions whose mean is 1: those that are named so, or the only one.

    Where several have it, all were divided by their means. Those of the waves of a survey are near
    it, of the rows that each has.

    Parameters
    ----------
    columns : sequence of Column
        Those that are features, or are none for this reason or as the user chose, are looked at.
    frame : DataFrame
        The rows that have a class.
    numbers : Numbers
        Of all rows.
    """
    if len(frame) < LEAST_WEIGHED:
        return []
    may_weigh = ~numbers.is_whole & (numbers.low > 0) & (numbers.low < 1) & (numbers.high > 1)
    whole = {*numbers.which(numbers.n_missing == 0)}
    usable = {c.name for c in columns if c.role in (Role.NUMERIC, Role.INFO)}
    names = [name for name in numbers.which(may_weigh) if name in usable]
    off_one = np.abs(np.nanmean(columns_of(frame, names).to_numpy(), axis=0) - 1) if names else ()
    off = dict(zip(names, off_one, strict=True))
    named = [name for name in names if off[name] < _off_one_of_weights(name)]
    unnamed = [name for name in names if off[name] < OFF_ONE and name in whole]
    return named or (unnamed if len(unnamed) == 1 else [])


def _off_one_of_weights(name: str) -> float:
    """How far the mean of weights of this name may be from 1; 0 of other names.

    Examples
    --------
    >>> [_off_one_of_weights(name) for name in ("weight", "W1_WEIGHT2", "birth weight")]
    [0.05, 0.5, 0.0]
    """
    words = [word for word in words_of(name) if not word.isdigit()]
    *before, last = words or ("",)
    stem = next((last.removesuffix(word) for word in _WEIGHT_WORDS if last.endswith(word)), None)
    if stem is None or not _OF_WEIGHTS.issuperset({*before, *filter(None, [stem])}):
        return 0.0
    return OFF_ONE_NAMED if name.lower() in _WEIGHT_WORDS else OFF_ONE_OF_WAVES


def _of_role_or(role: Role, reason: str, columns: Sequence[Column]) -> Iterator[Column]:
    """Those of a role, or of what is no feature for a reason or as the user chose."""
    return (c for c in columns if c.role is role or c.reason in (reason, CHOSEN))


def copies(
    columns: Sequence[Column], frame: pd.DataFrame, beside: Collection[str] = ()
) -> dict[str, str]:
    """Return the columns that say in all rows the same as a feature, and as which.

    As words or numbers. In few rows, or of a word that hardly any has, what may be chance does so
    only by its name. Of not too many columns, also numbers on a line with others, what has gaps
    where the other has none, and what says in which of a few ranges a number is.

    Parameters
    ----------
    columns : sequence of Column
    frame : DataFrame
        The rows that have a class.
    beside : collection of str
        Columns that are looked at though they are no features.
    """
    words = [c for c in columns if c.role in (Role.CATEGORICAL, Role.ORDERED)]
    sizes = {(c.n_values, c.n_missing) for c in words if 2 <= c.n_values <= MAX_LEVELS}
    others = [c for c in columns if c.role is Role.NUMERIC or c.name in beside] if sizes else []
    asked = dict.fromkeys(c for c in (*words, *others) if (c.n_values, c.n_missing) in sizes)
    first: dict[int, str] = {}
    same: dict[str, str] = {}
    for column in asked if len(asked) > 1 else ():
        codes = frame[column.name].array.factorize()[0]
        key = hash(codes.tobytes())
        of = first.get(key, "")
        if of and says_the_same(frame[column.name], frame[of]):
            shares = np.bincount(codes + 1) / len(codes)
            n_by_chance = len(asked) ** 2 * float(shares @ shares) ** len(codes)
            short, long = sorted((of.lower(), column.name.lower()), key=len)
            if n_by_chance <= MOST_BY_CHANCE or (len(short) >= LEAST_STEM and short in long):
                same[column.name] = of
        elif column.role in (Role.CATEGORICAL, Role.ORDERED):
            first[key] = column.name
    others = [c for c in columns if c.name not in same]
    return {
        **{column.name: same[column.name] for column in columns if column.name in same},
        **_copies_with_gaps(others, frame, beside),
    }


def _copies_with_gaps(
    columns: Sequence[Column], frame: pd.DataFrame, beside: Collection[str]
) -> dict[str, str]:
    """The columns that say the same as one with fewer gaps, or are numbers on a line with it.

    But for those that say the same as the label, about which other questions are.
    """
    compared = [
        c
        for c in columns
        if c.n_values > 1 and (c.role in (Role.LABEL, *FEATURES) or c.name in beside)
        if not c.name.endswith(BEYOND_LIMIT)  # which the user has asked for
    ]
    if len(compared) > MOST_COMPARED:
        return {}
    is_number = {c.name: frame[c.name].dtype.kind == "f" for c in compared}
    compared = [c for c in compared if is_number[c.name] or c.n_values <= MAX_LEVELS]
    if len(compared) < LEAST_COMPARED:
        return {}
    compared.sort(key=lambda c: (c.role is not Role.LABEL, c.n_missing, is_number[c.name]))
    are_numbers = np.array([is_number[c.name] for c in compared])
    rows = np.linspace(0, len(frame) - 1, min(len(frame), ROWS_COMPARED)).astype(np.int64)
    some = frame.iloc[rows]
    codes = np.stack([_codes(some[c.name]) for c in compared])
    may_be_same = _on_a_line(codes) & are_numbers & are_numbers[:, np.newaxis]
    for place in np.flatnonzero(~are_numbers).tolist():
        may_be_same[place] = may_be_same[:, place] = _one_to_one(codes[place], codes)
    same: dict[str, str] = {}
    for place, column in enumerate(compared):
        for earlier in np.flatnonzero(may_be_same[:place, place])[:MOST_TRIED].tolist():
            other = compared[earlier]
            is_source = other.role in (Role.LABEL, *FEATURES) and other.name not in same
            if is_source and _is_copy(frame[other.name], frame[column.name], len(compared)):
                same[column.name] = other.name
                break
    same |= _cuts(compared, codes, same, frame)
    label = next((c.name for c in compared if c.role is Role.LABEL), "")
    return {c.name: same[c.name] for c in columns if same.get(c.name, label) != label}


def _cuts(
    compared: Sequence[Column], codes: FloatArray, same: Mapping[str, str], frame: pd.DataFrame
) -> Iterator[tuple[str, str]]:
    """The columns of few values, each of one range of a number, and of which.

    But for numbers that tell the label so: then each that says the same as it does, too.
    """
    tells_label = _in_ranges(codes[0], codes) & (compared[0].role is Role.LABEL)
    places = [
        place
        for place, column in enumerate(compared)
        if column.role in FEATURES and column.name not in same and not tells_label[place]
        if frame[column.name].dtype.kind == "f"
    ]
    places.sort(key=lambda place: -compared[place].n_values)
    for place, column in enumerate(compared):
        others = [other for other in places if compared[other].n_values > column.n_values]
        is_such = column.role is not Role.LABEL and column.name not in same
        if not others or not is_such or column.n_values > MAX_LEVELS:
            continue
        may_be_cut = np.flatnonzero(_in_ranges(codes[place], codes[others]))
        for name in [compared[others[index]].name for index in may_be_cut[:MOST_TRIED]]:
            if _is_cut(frame[name], frame[column.name], len(compared)):
                yield column.name, name
                break


def _in_ranges(codes: FloatArray, others: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which rows of numbers have ranges that do not overlap for codes that are there."""
    order = np.argsort(codes, kind="stable")[: int((~np.isnan(codes)).sum())]
    starts = np.flatnonzero(np.diff(codes[order], prepend=np.nan) != 0)
    if len(starts) < 2:
        return np.zeros(len(others), dtype=np.bool_)
    low, high = (reduce.reduceat(others[:, order], starts, axis=1) for reduce in (np.fmin, np.fmax))
    by_low = np.argsort(low, axis=1)
    low, high = (np.take_along_axis(ends, by_low, axis=1) for ends in (low, high))
    return np.asarray((high[:, :-1] < low[:, 1:]).all(axis=1) & ~np.isnan(low[:, -1]))


def _is_cut(number: pd.Series, column: pd.Series, n_columns: int) -> bool:
    """Return whether each value of a column has a range of a number, by no chance.

    Of codes, those that count from 0 or 1: others were rounded. A number that rises from row to row
    along the file is a time, in which things follow each other.
    """
    is_present = column.notna().to_numpy()
    cells, codes = number.to_numpy()[is_present], pd.factorize(column[is_present])[0]
    if len(codes) < LEAST_NUMBERED or np.isnan(cells).any() or (np.diff(cells) > 0).all():
        return False
    low, high = (column.min(), column.max()) if column.dtype.kind == "f" else (0, codes.max())
    if low not in (0, 1) or high - low != codes.max():
        return False
    values, first = np.unique(cells, return_index=True)
    n_values = np.bincount(codes[first])  # of the number, in each range
    if not len(n_values) < len(values) or not _in_ranges(codes.astype(np.float64), cells[None])[0]:
        return False
    in_order = math.lgamma(len(n_values) + 1) + sum(math.lgamma(n + 1) for n in n_values)
    in_order -= math.lgamma(len(values) + 1)
    shares = np.bincount(codes) / len(codes)
    alike = (len(codes) - len(values)) * math.log(shares @ shares)  # rows of a value
    by_chance = in_order + alike + 2 * math.log(n_columns)
    return by_chance <= math.log(MOST_BY_CHANCE) and in_order <= math.log(ORDERED_BY_CHANCE)


def is_cut(frame: pd.DataFrame, name: str, of: str) -> bool:
    """Return whether a column that says the same as a number says it in ranges."""
    return bool(frame.loc[frame[name].notna(), of].nunique() > frame[name].nunique())


def _on_a_line(numbers: FloatArray) -> npt.NDArray[np.bool_]:
    """Return of which pairs of rows of numbers the squared correlation is 1, but for rounding."""
    is_present = ~np.isnan(numbers)
    n_present = np.maximum(is_present.sum(axis=1, keepdims=True), 1)
    shifted = np.where(is_present, numbers, 0.0)
    shifted = np.where(is_present, shifted - shifted.sum(axis=1, keepdims=True) / n_present, 0.0)
    shifted /= np.maximum(np.abs(shifted).max(axis=1, keepdims=True), SMALLEST_SPREAD)
    present = is_present.astype(np.float64)
    n_both = np.maximum(present @ present.T, 1.0)
    sums = shifted @ present.T
    spread = shifted**2 @ present.T - sums**2 / n_both
    shared = shifted @ shifted.T - sums * sums.T / n_both
    are_spread = (spread > RESOLUTION) & (spread.T > RESOLUTION)
    return np.asarray(are_spread & (shared**2 >= (1 - OFF_LINE) * spread * spread.T))


def _one_to_one(codes: FloatArray, others: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which rows have one value for each code that is not missing, all of them different."""
    order = np.argsort(codes, kind="stable")[: int((~np.isnan(codes)).sum())]
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    if not len(starts):
        return np.zeros(len(others), dtype=np.bool_)
    cells = others[:, order]
    low = np.fmin.reduceat(cells, starts, axis=1)
    is_one = (low == np.fmax.reduceat(cells, starts, axis=1)) | np.isnan(low)
    is_again = np.diff(np.sort(low, axis=1), axis=1) == 0
    return np.asarray(is_one.all(axis=1) & ~is_again.any(axis=1))


def _codes(cells: pd.Series) -> FloatArray:
    """Return numbers as they are, and codes of words."""
    if cells.dtype.kind == "f":
        return cells.to_numpy(np.float64)
    codes: FloatArray = cells.array.factorize()[0].astype(np.float64)
    return np.where(codes < 0, np.nan, codes)


def _is_copy(other: pd.Series, column: pd.Series, n_columns: int) -> bool:
    """Return whether all values follow from the other column, one-to-one, by no chance."""
    codes, cells = _codes(other), _codes(column)
    is_present = ~np.isnan(cells)
    codes, cells = codes[is_present], cells[is_present]
    n_rows = len(cells)
    if n_rows < LEAST_NUMBERED or np.isnan(codes).any():
        return False
    shares = np.unique_counts(codes).counts / n_rows
    if n_columns**2 * float(shares @ shares) ** n_rows > MOST_BY_CHANCE:
        return False
    if other.dtype.kind != "f":
        return bool(_one_to_one(codes, cells[np.newaxis])[0])
    if column.dtype.kind != "f":
        return bool(_one_to_one(cells, codes[np.newaxis])[0])
    first, last = np.argmin(codes), np.argmax(codes)
    rise = (cells[last] - cells[first]) / (codes[last] - codes[first])
    off = np.abs(cells[first] + rise * (codes - codes[first]) - cells).max()
    return bool(off <= OFF_LINE * abs(cells[last] - cells[first]))


def _meters_of_map(columns: Sequence[Column], frame: pd.DataFrame) -> list[str]:
    """X and Y that are far from the origin, as of a projection of the earth."""
    axes = [c.name for c in columns if c.name.lower() in ("x", "y") and frame[c.name].dtype == "f8"]
    is_far = len(axes) > 1 and frame[axes].abs().min().min() >= LEAST_METERS
    return axes if is_far else []


def _numbers_of_places(
    columns: Sequence[Column], frame: pd.DataFrame, on_map: Sequence[str]
) -> list[str]:
    """The whole numbers of which each is of one place, as cells of a grid and altitudes are."""
    numbers = [name for name in on_map if frame[name].dtype.kind == "f"]
    if len(numbers) < 2:
        return []
    place = frame.groupby(numbers, dropna=False, sort=False).ngroup().to_numpy().astype(np.int64)
    return [
        column.name
        for column in columns
        if (column.role is Role.NUMERIC or column.reason.endswith(CHOSEN))
        and LEAST_KEYS <= column.n_values <= len(frame) / LEAST_REPEATS
        and frame[column.name].dtype.kind == "f"
        and bool((frame[column.name].dropna() % 1 == 0).all())
        and is_nested(frame[column.name].array.factorize()[0], place)
    ]


def names_places(columns: Sequence[Column]) -> bool:
    """Return whether the name of the label is that of places."""
    return any(column.role is Role.LABEL and names_place(column.name) for column in columns)


def _said_origin(column: Column) -> str:
    """Return what a name says of where rows or numbers come from; empty if nothing."""
    is_number = column.role is Role.NUMERIC or (
        column.role is Role.CATEGORICAL and column.reason.endswith(CHOSEN)
    )
    if not is_number and says_site(column.name):
        return WHERE
    if says_work(column.name):
        return WHENCE
    if says_setting(column.name):
        return SETTING
    return HOW_MANY if says_size_of_sample(column.name) else ""


def _parts_of_date(columns: Sequence[Column], frame: pd.DataFrame) -> list[str]:
    """The years, months and days of one date, if two of them or more are columns.

    As RecordingYear and RecordingMonth are.
    """
    dates: dict[tuple[str, ...], dict[str, str]] = {}
    for column in columns:
        *of, last = words_of(column.name) or ("",)
        if last not in _PARTS_OF_DATE:
            continue
        is_told = not of or column.role is not Role.NUMERIC
        if is_told or frame[column.name].dropna().between(*_PARTS_OF_DATE[last]).all():
            dates.setdefault((*of,), {})[last] = column.name
    return [name for parts in dates.values() if len(parts) > 1 for name in parts.values()]


def _earlier(columns: Sequence[Column]) -> Iterator[str]:
    """Columns whose names say that they are what another one was before: age and age_old."""
    names = {words_of(column.name): column.name for column in columns}
    for words, name in names.items():
        if "old" in words and tuple(word for word in words if word != "old") in names:
            yield name


def _follow_up(columns: Sequence[Column], frame: pd.DataFrame, label: str) -> list[str]:
    """The numbers that say how long rows were followed, where the label is the event."""
    followed = (column for column in columns if says_follow_up(column.name))
    named = [
        column.name
        for column in followed
        if column.n_values >= LEAST_NUMBERED and frame[column.name].dtype.kind == "f"
    ]
    return named if named and says_event(label, distinct_values(frame[label])) else []


def without_said(
    columns: Sequence[Column], beside: Collection[str], chosen: Collection[str]
) -> tuple[Column, ...]:
    """The columns, of which those that say what samples are become information.

    Parameters
    ----------
    columns : sequence of Column
    beside : collection of str
        What is said of the samples of a table of measurements.
    chosen : collection of str
        Columns whose role the user chose.
    """
    said = {*beside}.difference(chosen)
    return tuple(
        _with_role(column, Role.INFO, "said of the samples, not measured of them")
        if column.name in said and column.role in FEATURES
        else column
        for column in columns
    )


def _with_roles(
    columns: Sequence[Column], roles: Mapping[str, tuple[Role, str]]
) -> tuple[Column, ...]:
    return tuple(
        _with_role(column, *roles[column.name]) if column.name in roles else column
        for column in columns
    )


def _with_role(column: Column, role: Role, reason: str) -> Column:
    return Column(
        column.name, role, reason, column.n_values, column.n_missing, column.exclusion_reason
    )


class _Guesses:
    """The guesses for the columns of one table whose role is not chosen."""

    def __init__(
        self,
        table: Table,
        columns: Sequence[Column],
        classes: Classes,
        chosen: Mapping[str, Use],
    ) -> None:
        self._chosen, self._columns = chosen, columns
        self._asked = [column for column in columns if column.name not in table.measured]
        self._frame, self._numbers, self._embedded = (
            table.frame,
            table.numbers,
            table.recorded_beside,
        )
        self._classes = classes
        self._n_features = sum(column.role in FEATURES for column in columns)
        self._taken = {column.role for column in columns if column.name in chosen}
        unusable = (Role.LABEL, Role.CONSTANT)
        words = table.counted_words | table.measured  # whatever they name
        settled = words.union(chosen)
        self._open = [
            column
            for column in columns
            if column.name not in settled and column.role not in unusable
        ]
        every = ((column, words_of(column.name)) for column in self._open)
        self._with_words = [pair for pair in every if not _ROLE_WORDS.isdisjoint(pair[1])]

    @cached_property
    def _rows(self) -> pd.DataFrame:
        """Those that have a class."""
        return self._frame.iloc[self._classes.rows]

    def groups(self) -> dict[str, tuple[Role, str]]:
        """At most one group and one batch."""
        roles: dict[str, tuple[Role, str]] = {}
        for role, names_it, why in (
            (Role.GROUP, names_group, "rows with the same value stay together"),
            (Role.BATCH, _names_batch, "not a property of the rows"),
        ):
            if role in self._taken:
                continue
            for column in self._named(names_it):
                if column.name not in roles and self._repeats(column):
                    n_rows = len(self._classes.rows)
                    are_many = role is Role.BATCH and column.n_values > MOST_BATCHES
                    given = Role.INFO if are_many else role
                    roles[column.name] = (given, f"{_repeated(column, n_rows)}: {why}")
                    break
            else:
                roles |= self._panel() if role is Role.GROUP else {}
        roles |= self._codes_of([name for name, (role, _) in roles.items() if role is Role.GROUP])
        for says_it, what in (
            (_counts_repeats, "a {}"),
            (lambda words: words[-1] == "batch", "a batch"),
            (names_clerk, "who recorded the row"),
        ):
            for column in self._named(says_it):
                if column.name not in roles and column.role in FEATURES:
                    why = what.format(" ".join(words_of(column.name)))
                    roles[column.name] = (Role.INFO, f"{why}, which is not a property of the rows")
        return roles

    def _codes_of(self, groups: Sequence[str]) -> dict[str, tuple[Role, str]]:
        """Whole numbers of which each value of a group has its own, as codes of countries.

        Of few values any measure differs. A country that has been renamed keeps its code.
        """
        roles: dict[str, tuple[Role, str]] = {}
        n_values = {column.name: column.n_values for column in self._open}
        for group, column in product(groups, self._open):
            n = n_values[group]
            is_own = column.role is Role.NUMERIC and DISTINCT_SHARE * n <= column.n_values <= n
            if column.name == group or not is_own or n < LEAST_NUMBERED:
                continue
            cells = self._frame[column.name]
            never_meet = n * (n - 1) / 2 >= LEAST_MEETINGS * (cells.max() - cells.min() + 1)
            is_code = (never_meet or names_identifier(column.name)) and (cells % 1 == 0).all()
            if is_code and len(self._frame[[column.name, group]].drop_duplicates()) == n:
                roles[column.name] = (Role.INFO, f"a code of {shortened(group)}")
        return roles

    def _panel(self) -> dict[str, tuple[Role, str]]:
        """Names, or numbers of things, that each occasion has once, as each year has a firm.

        But for few, as villages of two districts that have one name. Ages and ranks, of which each
        year has every one as well, are no things.
        """
        if len(self._open) > MOST_OF_PANEL:
            return {}
        named = [(c, {*words_of(c.name)}) for c in self._open if len(c.name) <= LONGEST_NAME]
        times = [c.name for c, words in named if words & (TIME_WORDS | OCCASION_WORDS)]
        if not times:
            return {}
        rows = self._rows
        things = [
            column.name
            for column, words in named
            if column.name not in times
            and column.n_values >= LEAST_NUMBERED
            and _may_be_thing(rows[column.name], words)
            and self._repeats(column)
        ]
        of_things = [(name, _Parts.of(rows[name])) for name in things[:MOST_PAIRED]]
        of_times = [(name, _Parts.of(rows[name])) for name in times[:MOST_PAIRED]]
        pairs = (
            (rows_of.n_again(times_of_rows), name, time)
            for name, rows_of in of_things
            for time, times_of_rows in of_times
        )
        n_again, name, time = min(pairs, key=itemgetter(0), default=(math.inf, "", ""))
        if n_again > MOST_AGAIN * len(rows):
            return {}
        once = "nearly once" if n_again else "once"
        why = f"each {shortened(time)} has it {once}: rows with the same value stay together"
        return {name: (Role.GROUP, why)}

    def codes(self) -> dict[str, tuple[Role, str]]:
        """Numbers by which things are known, where several columns but no most have them."""
        names = {column.name for column in self._open if column.role is Role.NUMERIC}
        is_long = self._numbers.low >= LEAST_CODE
        n_present = len(self._frame) - self._numbers.n_missing
        recur = self._numbers.n_values <= n_present / LEAST_REPEATS
        codes = [
            name
            for name in self._numbers.which(is_long & recur)
            if name in names and are_codes(self._frame[name].dropna())
        ]
        is_such = MANY_CODES <= len(codes) <= len(names) / 2
        why = "numbers by which things are known, as in several columns"
        return dict.fromkeys(codes, (Role.INFO, why)) if is_such else {}

    def dated(self) -> dict[str, tuple[Role, str]]:
        """Days with a number of the row behind the point."""
        facts = self._numbers
        may_be_dated = ~facts.is_whole & (facts.n_values >= LEAST_NUMBERED)
        may_be_dated &= (facts.low >= FIRST_DAY) & (facts.high < LAST_DAY)
        names = {column.name for column in self._open if column.role is Role.NUMERIC}
        days = [
            name
            for name in facts.which(may_be_dated)
            if name in names and _begin_with_days(self._frame[name].dropna())
        ]
        return dict.fromkeys(days, (Role.INFO, "a day and a number, which measure nothing"))

    def counters(self) -> dict[str, tuple[Role, str]]:
        """Numbers from 1 on that begin again, in parts of the file that are not equally long.

        They number the rows of each; equal parts may be those of a design, and what is counted in
        years or layers says more of a row. Of many columns such are counts.
        """
        facts, names = self._numbers, {c.name for c in self._open if c.role is Role.NUMERIC}
        is_such = facts.is_whole & (facts.n_missing == 0) & (facts.low == 1)
        is_such &= facts.n_values >= np.maximum(LEAST_NUMBERED, DISTINCT_SHARE * facts.high)
        such = [name for name in facts.which(is_such) if name in names]
        such = [name for name in such if _SCALES.isdisjoint(words_of(name))]
        parts = {
            name: numbered_parts(self._frame[name].to_numpy()) for name in such[:MOST_COUNTERS]
        }
        return {
            name: (Role.INFO, BEGINS_AGAIN)
            for name, lengths in parts.items()
            if len({*lengths.tolist()}) > 1
        }

    def first(self) -> dict[str, tuple[Role, str]]:
        """A first column names the rows: without a name, or of fractions below that of ids.

        Numbers without a name do while no other column does, as where a program counted the rows.
        """
        first, second = ([*map(str, self._frame.columns[:2]), "", ""])[:2]
        is_open = any(column.name == first for column in self._open)
        if Role.NAME in self._taken or second == SECOND_UNNAMED or not is_open:
            return {}
        cells = self._frame[first]
        is_text = cells.dtype.kind != "f"
        if first == FIRST_UNNAMED:
            is_name, why = is_text or _numbers_rows(cells), "it has no name"
        else:
            is_name, why = not is_text and _are_ids(cells), "its numbers name things"
        if not is_name:
            return {}
        if not is_text and first == FIRST_UNNAMED and any(self._names(self._open[1:])):
            return {first: (Role.INFO, f"{why}: it numbers the rows")}
        self._taken.add(Role.NAME)
        return {first: (Role.NAME, f"{why}: it names the rows")}

    def orders(self) -> dict[str, tuple[Role, str]]:
        """At most one order: dates, or a number that grows along the file.

        Under other names, dates of which each is later than the one before, or equal.
        """
        if Role.ORDER in self._taken:
            return {}
        for column in self._named(_has(ORDER_WORDS)):
            is_of_rows = _NO_ORDER.isdisjoint(words_of(column.name))
            if is_of_rows and (why := _order_reason(self._frame[column.name])):
                return {column.name: (Role.ORDER, f"{why}: the order of the rows")}
        for column in self._open:
            if column.role in (Role.ID, Role.IGNORED) and self._are_dates_in_order(column):
                return {column.name: (Role.ORDER, "dates in order: the order of the rows")}
        return {}

    def _are_dates_in_order(self, column: Column) -> bool:
        """Return whether dates ascend, and are no minutes each of which several rows have.

        Such rows are of one questionnaire, sent at that time.
        """
        cells = self._frame[column.name]
        if cells.dtype.kind == "f" or cells.isna().any() or not _may_be_date(str(cells.iloc[0])):
            return False
        if ":" in str(cells.iloc[0]) and column.n_values <= len(cells) / LEAST_REPEATS:
            return False
        times = times_of([*map(str, cells)])
        return bool(times.is_monotonic_increasing and times.min() < times.max())

    def maps(self) -> dict[str, tuple[Role, str]]:
        """The axes of a map, where other columns remain to be features."""
        numeric = [c for c in self._open if c.role is Role.NUMERIC and not c.n_missing]
        coordinates = map_columns([c.name for c in numeric])
        if coordinates is None or self._n_features - len(coordinates.columns) < FEWEST_FEATURES:
            return {}
        return {numeric[index].name: (Role.INFO, MAP_AXIS) for index in coordinates.columns}

    def origins(self, roles: Mapping[str, tuple[Role, str]]) -> dict[str, tuple[Role, str]]:
        """The columns that say where rows come from, unless hardly any features remain.

        None where the first, about which all are asked, is used as if measured.
        """
        columns = _with_roles(self._columns, roles)
        reasons = origins(columns, self._rows, self._embedded)
        names = {column.name for column in self._open if column.name in reasons}
        use = next((self._chosen.get(name) for name in reasons), None)
        if use in AS_FEATURES:
            return {}
        if use != Use.INFO and are_all_that_is_measured(names, columns):
            return {}
        return {name: (Role.INFO, why) for name, why in reasons.items() if name in names}

    def written_in(self) -> dict[str, tuple[Role, str]]:
        """None where the first, about which all are asked, is used as if measured."""
        names = written_in(self._columns, self._rows)
        if any(self._chosen.get(name) in AS_FEATURES for name in names[:1]):
            return {}
        return {c.name: (Role.INFO, WRITTEN_IN) for c in self._open if c.name in names}

    def boxes(self) -> dict[str, tuple[Role, str]]:
        """Those of boxes, where the first, about which all are asked, is no feature."""
        return self._out(boxes(self._columns, self._rows), OF_BOXES)

    def mostly_empty(self) -> dict[str, tuple[Role, str]]:
        """Those of empty cells, where the first, about which all are asked, is no feature."""
        return self._out(mostly_empty(self._asked, self._rows), MOSTLY_EMPTY)

    def weights(self) -> dict[str, tuple[Role, str]]:
        """Those that weigh the rows, where the first, about which all are asked, is said to."""
        return self._out(weights(self._asked, self._rows, self._numbers), OF_WEIGHTS)

    def _out(self, names: Sequence[str], why: str) -> dict[str, tuple[Role, str]]:
        are_out = any(self._chosen.get(name) is Use.INFO for name in names[:1])
        return {c.name: (Role.INFO, why) for c in self._open if are_out and c.name in names}

    def info(self, roles: Mapping[str, tuple[Role, str]]) -> dict[str, tuple[Role, str]]:
        """At most one name; the other columns that are left out describe rows."""
        left_out = [
            c for c in self._open if c.role in (Role.ID, Role.IGNORED) and c.name not in roles
        ]
        described = {c.name: (Role.INFO, c.reason) for c in self._describing(left_out)}
        described |= self._copies([c for c in left_out if c.name in described], roles)
        described |= self._copies_of_features({**roles, **described})
        names = [*self._names(left_out)]
        if names and Role.NAME not in self._taken:
            best = max(names, key=self._name_preference)
            described[best.name] = (
                Role.NAME,
                f"{best.reason.partition(':')[0]}: it names the rows",
            )
        return described

    def _copies(
        self, left_out: Sequence[Column], roles: Mapping[str, tuple[Role, str]]
    ) -> dict[str, tuple[Role, str]]:
        """Features that say the same as what is left out, as where two tables were joined.

        Words or ids of which each stands for one place, say, numbers equal to ids, or such as
        month2 and std_month beside the month.
        """
        if len(self._open) > MOST_OF_PANEL:
            return {}
        told = {
            column.n_values: column
            for column in (*left_out, *(c for c in self._open if c.name in roles))
            if column.n_values > 1 and self._recurs(column)
        }
        copies: dict[str, tuple[Role, str]] = {}
        for column in self._open:
            of = told.get(column.n_values)
            if of is None or column.role not in FEATURES or column.name in roles:
                continue
            is_said = column.role is not Role.NUMERIC or names_identifier(column.name)
            cells, others = self._frame[column.name], self._frame[of.name]
            is_of_name = len(of.name) >= LEAST_STEM and of.name.lower() in column.name.lower()
            is_said |= is_of_name and others.dtype == "f8"
            if cells.equals(others) or (is_said and says_the_same(cells, others)):
                copies[column.name] = (Role.INFO, f"{SAYS_THE_SAME}{shortened(of.name)}")
        return copies

    def _copies_of_features(
        self, roles: Mapping[str, tuple[Role, str]]
    ) -> dict[str, tuple[Role, str]]:
        """None where the first, about which all are asked, is used as if measured."""
        same = copies(_with_roles(self._columns, roles), self._rows)
        names = {column.name for column in self._open if column.name in same}
        if any(self._chosen.get(name) in AS_FEATURES for name in [*same][:1]):
            return {}
        return {
            name: (
                Role.INFO,
                f"{SAYS_THE_SAME}{shortened(of)}{', in ranges' * is_cut(self._rows, name, of)}",
            )
            for name, of in same.items()
            if name in names
        }

    def _named(self, names_it: Callable[[Sequence[str]], bool]) -> Iterator[Column]:
        return (column for column, words in self._with_words if names_it(words))

    def _repeats(self, column: Column) -> bool:
        """Return whether the values repeat, and every class has several."""
        if column.n_values < 2 or not self._recurs(column):
            return False
        cells = self._frame[column.name].iloc[self._classes.rows]
        if cells.dtype.kind == "f" and not (cells.dropna() % 1 == 0).all():
            return False
        codes = pd.factorize(cells)[0][np.newaxis]
        return int(fewest_values(codes, self._classes.y)[0]) >= MIN_GROUPS

    def _names(self, columns: Iterable[Column]) -> Iterator[Column]:
        """The columns of which one may name the rows."""
        ids = (c for c in columns if c.role is Role.ID and not self._recurs(c))
        return (column for column in ids if not self._says_more(column))

    def _recurs(self, column: Column) -> bool:
        return column.n_values <= len(self._classes.rows) / LEAST_REPEATS

    def _describing(self, columns: Sequence[Column]) -> Sequence[Column]:
        usable = [c for c in columns if c.n_values and not _is_unreadable(c)]
        return usable[:MAX_INFO]

    def _says_more(self, column: Column) -> bool:
        """Return whether most cells are sentences, pictures in text or days, which name nothing.

        Or notes, as the name of the column says.
        """
        cells = self._frame[column.name]
        if cells.dtype.kind == "f":
            return False
        if not _NOTES.isdisjoint(words_of(column.name)[-1:]):
            return True
        texts = cells.head(NAMES_PROBED).dropna().astype(str)
        is_long = bool(texts.str.len().median() > LONGEST_NAME)
        return is_long or are_dates([*texts]) or _are_mostly_days(texts)

    def _name_preference(self, column: Column) -> tuple[bool, bool]:
        is_text = self._frame[column.name].dtype.kind != "f"
        return is_text, not NAME_WORDS.isdisjoint(words_of(column.name))


def _may_be_thing(cells: pd.Series, words: Collection[str]) -> bool:
    name = str(cells.name)
    is_number = names_identifier(name) or name.lower().endswith("num")
    return cells.dtype.kind != "f" or is_number or not THINGS_NUMBERED.isdisjoint(words)


class _Parts(msgspec.Struct, frozen=True, eq=False):
    """The rows of each value of a column: of a thing, or of a time."""

    codes: IntArray
    n_pairs: float  # of rows with the same value

    @classmethod
    def of(cls, cells: pd.Series) -> _Parts:
        return cls(pd.factorize(cells, use_na_sentinel=False)[0], n_equal_pairs(cells))

    def n_again(self, times: _Parts) -> float:
        """The number of rows of a thing that its time has already; infinite if it may be chance."""
        n_rows, n_pairs = len(self.codes), self.n_pairs * times.n_pairs
        least = LEAST_MEETINGS * n_rows**2 / 2
        if n_pairs < least:
            return math.inf
        n_again = n_rows - len(np.unique(self.codes * (times.codes.max() + 1) + times.codes))
        return math.inf if n_pairs < least * (1 + n_again) else n_again


def are_codes(numbers: pd.Series) -> bool:
    """Return whether recurring whole numbers have as many digits, at least five, and are not round.

    So have those by which a registry knows persons or places, and hardly what is measured.
    """
    low, high = numbers.min(), numbers.max()
    is_long = low >= LEAST_CODE and len(f"{low:.0f}") == len(f"{high:.0f}")
    return (
        len(numbers) >= LEAST_WITH_CODES
        and is_long
        and bool((numbers % 1 == 0).all())
        and bool((numbers.drop_duplicates() % 5 == 0).mean() < MOST_ROUND)
    )


def _begin_with_days(numbers: pd.Series) -> bool:
    """Return whether numbers are such as 20210204.8163513."""
    days = numbers.astype(np.int64).astype(str)
    return bool(pd.to_datetime(days, format="%Y%m%d", errors="coerce").notna().all())


def _has(some: set[str]) -> Callable[[Sequence[str]], bool]:
    """Return the test whether the words of a name have one of these among them."""
    return lambda words: not some.isdisjoint(words)


def names_group(words: Sequence[str]) -> bool:
    """Return whether words name what was measured several times, and ask nothing of it.

    Examples
    --------
    >>> names_group(["subject", "id"]), names_group(["subject", "weight"])
    (True, False)
    """
    if words in _NUMBERS_OF_IMAGES:
        return True
    named = [word for word in words if word not in _OF_THINGS]  # and no weight of a subject
    return len(words) <= MOST_WORDS and bool(named) and named[-1] in GROUP_WORDS


def _names_batch(words: Sequence[str]) -> bool:
    """Return whether these words name a batch, and no shape or size of a lot, nor "a lot"."""
    is_land = words[-1] == "lot" and not _OF_LAND.isdisjoint(words)
    is_last = words[-1] in BATCH_WORDS and not is_land and words[-1] != "block"
    is_first = words[0] in BATCH_WORDS and {*words[1:]} <= _OF_BATCH
    return is_last or is_first or names_clerk(words)


def _counts_repeats(words: Sequence[str]) -> bool:
    """Return whether these words name a replicate or a batch, or its number."""
    counters = tuple(word for word in words if word not in _OF_BATCH)
    # Two joined rows of names have it twice: replicate rep.
    return counters in _COUNTERS or all((word,) in _COUNTERS for word in words)


def _numbers_rows(cells: pd.Series) -> bool:
    """Return whether whole numbers differ, or go up but where tables were put together."""
    if len(cells) < LEAST_NUMBERED or not bool((cells % 1 == 0).all()):
        return False
    return cells.is_unique or bool((np.diff(cells) > 0).mean() >= COUNTING)


def _are_ids(cells: pd.Series) -> bool:
    """Return whether fractions differ below words of ids alone; NO is nitric oxide."""
    words = words_of(str(cells.name))
    is_named = bool(words) and _WORDS_OF_IDS.issuperset(words) and cells.name != "NO"
    are_fractions = is_named and len(cells) >= LEAST_NUMBERED and bool((cells % 1 != 0).any())
    return are_fractions and cells.is_unique


def _repeated(column: Column, n_rows: int) -> str:
    return f"repeats, {count(round(n_rows / column.n_values), 'row')} for each value"


def _order_reason(cells: pd.Series) -> str:
    present = cells.dropna()
    if len(present) < 2 or len(present) < len(cells):
        return ""
    if cells.dtype.kind == "f":
        is_growing = runs_along(cells) or bool((np.diff(present) > 0).all())
        return "grows along the file" if is_growing else ""
    times = times_of([str(text) for text in present])
    return "dates" if not times.isna().any() and times.min() < times.max() else ""


def are_dates(texts: Sequence[str]) -> bool:
    """Return whether all texts are dates."""
    return all(map(_may_be_date, texts)) and not times_of(texts).isna().any()


def _are_mostly_days(texts: Collection[str]) -> bool:
    """Return whether texts are days, but for years, months and slips such as 26/06/025."""
    days = [text for text in texts if DAY.match(text)]
    return len(days) > MOSTLY_DAYS * len(texts) and not times_of(days).isna().any()


def _are_months(texts: Sequence[str]) -> bool:
    """Return whether all texts are months of years, or days beside such."""
    months = [text for text in texts if _MONTH.fullmatch(text)]
    return bool(months) and all(map(DAY.match, {*texts}.difference(months)))


def _may_be_date(text: str) -> bool:
    return "-" in text or DAY.match(text) is not None


def _is_unreadable(column: Column) -> bool:
    return "characters" in column.exclusion_reason or "too large" in column.exclusion_reason
