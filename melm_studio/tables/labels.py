"""The guess of the label column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import BEYOND_LIMIT
from melm_studio.tables.above_rows import NO_GROUPS
from melm_studio.tables.classes import DIGITS, MAX_CLASSES, MAX_VALUES, is_measure
from melm_studio.tables.distinct import Numbers, distinct_values, value_counts
from melm_studio.tables.durations import runs_along
from melm_studio.tables.formatting import MOST_NAMES, words_of
from melm_studio.tables.frames import number_columns
from melm_studio.tables.grammars.long_tables import measures_of_units, names_units
from melm_studio.tables.identifiers import (
    PLAIN_NAMES,
    are_uuids,
    names_clerk,
    names_identifier,
    names_label,
    rank_as_label,
)
from melm_studio.tables.maps import says_work
from melm_studio.tables.quantities import without_unit
from melm_studio.tables.questions import LABEL
from melm_studio.tables.read import Table
from melm_studio.tables.readers import is_picture, names_picture
from melm_studio.tables.roles import FIRST_UNNAMED, NO_LABEL, SECOND_UNNAMED, Use

PROBE_ROWS = 10_000
MAX_LABELS = 200  # of a column that is named label
FEW_AT_END = 5  # values of a number in the last column, for it to be the label before a text
FEW_TEXTS = 10  # of a text in the last column
LEAST_POINTS = 20  # of a curve

_TRUE_LABELS = {"gnd", "y_true", "y_test", "y_train"}
_ALONE = {"digit", "letter", "y"}  # these say it only where no other word stands beside them
# Those of what becomes of rows, beside which another kind of thing is hardly asked for.
_VERDICTS = {
    "attrition", "churn", "churned", "default", "defaulted", "died", "exited", "fraud", "spam",
    "survival", "survived",
}  # fmt: skip
# Names of what things are told apart by, rather than classes of them.
NO_CLASS_WORDS = {
    "animal", "assessor", "batch", "donor", "file", "id", "identifier", "individual", "lot", "name",
    "participant", "patient", "person", "plate", "replicate", "subject", "visit",
}  # fmt: skip
_PREDICTED = {"pred", "preds", "predicted", "prediction", "predictions", "yhat"}
_OF_PREDICTED = {"class", "label", "target", "y"}
# Names of what is rarely asked: of rows that differ in it, mostly another column is.
TIME_WORDS = {
    "date", "datetime", "day", "dom", "dow", "doy", "hour", "hr", "month", "mnth", "mon", "mth",
    "season", "time", "timestamp", "week", "weekday", "wkday", "year", "yr",
}  # fmt: skip
# Names of whole numbers that count occasions rather than measure.
OCCASION_WORDS = {
    "cohort", "cycle", "day", "dom", "dow", "doy", "fyear", "hr", "month", "mnth", "mth", "period",
    "round", "session", "timepoint", "visit", "wave", "week", "weekday", "wkday", "year", "yr",
}  # fmt: skip
_SEXES = {"female", "gender", "geschlecht", "male", "sex", "sexe", "sexo"}
_WHO = _SEXES | {"ethnicity", "marital", "married", "race"}
COVARIATE_WORDS = TIME_WORDS | _WHO
# Behind the word of a label, these say that it is a number: class size, response time.
QUANTITY_WORDS = {
    "age", "amount", "count", "duration", "level", "mean", "n", "number", "percent", "rate",
    "score", "size", "sum", "time", "value", "width",
}  # fmt: skip
AMOUNT_WORDS = {"average", "avg", "count", "duration", "hours", "mean", "minutes", "per", "total"}
LEAST_CODE = 10_000  # of whole numbers that recur, by which things are known
SELECTED = "filter_$"  # where SPSS keeps which rows it has selected
MOST_QUESTIONS = 60  # whose names are a series, as those of a survey
LEAST_ASKED = 20  # rows of a survey, for its questions to be labels
MIN_COLUMNS = 2  # besides a number that is cut into classes
SPARSE = 20  # values that whole numbers could have for each row, where they number nothing
LEAST_OF_IDS = 1e6
MOST_DIGITS = 12  # of a number that somebody wrote as a class, and none that was standardized
_ACCESSION = re.compile(r"[A-Za-z]{0,6}[ _\-]?[0-9]{4,}")
MOST_OF_ONE = 0.99  # of the rows, in one class of a column that is guessed before others
MOST_OF_FLAG = 0.9  # of the rows, with one of two words that is guessed before other words
LEAST_HELD_OUT, ROWS_OF_FEW = 5, 8  # rows of a class; of a small table, one of so many
LEAST_OF_MANY = 5  # rows of each of many words, on average
MOST_KINDS, LEAST_OF_KIND = 3, 8  # values that are no persons or plates, and rows of each
LEAST_OF_NAMED = 20  # rows of each of few things with names, such as causes
MOST_COUNTED = 50  # columns whose rows of each value are looked at whatever their names
MOST_INDICATORS = 5  # numbers of two values, above which they say yes or no of many features
MOST_OF_FEW = 50  # numbers of few values, above which none is likelier the label than another
# Last words of numbers that are asked for as often as classes are.
TARGET_WORDS = {
    "charges", "cnt", "cost", "mag", "magnitude", "mpg", "price", "rent", "salary", "sales",
    "strength", "value", "wage", "yield",
}  # fmt: skip
# Of a number that sums up others.
_SUMS, _SUMMED = {"final", "overall", "total"}, {"grade", "mark", "points", "score"}
# Words of a label that other texts, or a price, are as often, where they are the whole name.
_PLAIN_KINDS = {"category", "condition", "grade", "group", "rating", "result", "status", "type"}
_COORDINATES = {"coordinate", "coordinates", "lat", "latitude", "lng", "lon", "longitude"}
# Symbols of elements, beside which Y is yttrium.
_ELEMENTS = {
    "Ag", "Al", "As", "Ba", "Be", "Bi", "Ca", "Cd", "Ce", "Co", "Cr", "Cs", "Cu", "Fe", "Ga", "Hf",
    "K", "La", "Li", "Mg", "Mn", "Mo", "Na", "Nb", "Nd", "Ni", "P", "Pb", "Rb", "S", "Sb", "Sc",
    "Si", "Sm", "Sn", "Sr", "Th", "Ti", "U", "V", "Yb", "Zn", "Zr",
}  # fmt: skip
LEAST_ELEMENTS = 4
_TRAINING = {"train", "training", "calibration"}
_OF_TRAINING = {"data", "in", "is", "row", "sample", "set"}
_OF_FOLDS, MOST_FOLDS = {"cv", "fold", "id", "k", "no", "number", "test"}, 20
# First words: of the Sequence Read Archive, and of the events and instruments of REDCap.
ABOUT_ROWS = {"metadata", "datastore", "redcap"}
# Words of numbers that the training and testing of a model has left beside the rows.
WORDS_OF_MODELS = _PREDICTED | _TRAINING | {"fold"}
_HELD_OUT = {
    "dev", "heldout", "holdout", "prediction", "test", "testing", "val", "valid", "validating",
    "validation",
}  # fmt: skip
MOST_OF_SERIES = 3  # columns that are each offered
MOST_RESULTS = 1_000  # of a laboratory
LEAST_WORD = 4  # letters, of a word of the file's name that says what its label is
LEAST_WORDS = 5  # of half the values of a column of remarks
MOST_LOST = 0.1  # rows without a class, for a guess to be beyond doubt
MOST_MISSING = 0.9  # of the cells of a column that could as well be the label
MANY_MISSING = 0.5  # of those of the guess, for there to be none
LEAST_EMPTIED = 0.25  # of the numbers, with values in other rows alone, for no guess
REPORTER = re.compile(r"12[6-9][CN]?|13[0-5][CN]?")  # ions of tandem mass tags, also a label
# Times of day, days, degrees of latitude, telephones and mailboxes, which are no classes.
_TIMES = re.compile(
    r"(?:\d{1,4}([-/.])\d{1,2}\1\d{1,4})?[ T]?"
    r"(?:\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:\.\d+)?)?(?:Z| ?[apAP]\.?[mM]\.?)?)?"
    r"|[-+]?\d+(?:\.\d+)? ?°.*"
    r"|(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}|[^@\s]+@[^@\s]+[.][A-Za-z]{2,}"
)


def guess_label(table: Table, without: Collection[str] = ()) -> str:
    """Guess the label column by its name, else by its position and type.

    Parameters
    ----------
    table : Table
    without : collection of str
        Columns that must not be the label.

    Returns
    -------
    str
        `NO_LABEL` if no column could be one.
    """
    return likely_labels(table, without)[0]


def likely_labels(table: Table, without: Collection[str] = ()) -> list[str]:
    """Return the columns among which the label is guessed, the guess first.

    Those that look like a label; of a table without any, numbers that can be cut into classes;
    else `NO_LABEL` alone. No member of a family is among them.
    """
    without = table.measured.union(without)
    candidates = [*label_candidates(table, without)]
    if not candidates or _is_rare(table.frame[candidates[0]]):
        candidates = [*_answers_of_families(table, without), *candidates]
    last = _last_of(table.frame)
    is_told = bool(candidates) and (_is_hinted(candidates[0]) or candidates[0] == last)
    if not is_told:
        first = candidates[:1]
        is_number = bool(first) and _is_plain_number(table.frame, first[0])
        asked_for = [last] if is_number and _is_target(table.frame, last, without) else []
        candidates = [*_named_measures(table.frame, without), *asked_for, *candidates]
    if not candidates or _is_plain_number(table.frame, candidates[0]):
        of_one_class = [name for name in _labels_of_one_class(table.frame) if name not in without]
        if of_one_class:
            return [*of_one_class, *(name for name in candidates if name not in of_one_class)]
    if table.asked.get("samples") == NO_GROUPS and _are_numbers(table.frame, candidates):
        sexes = [name for name in candidates if not _SEXES.isdisjoint(words_of(name))]
        return sexes or [NO_LABEL, *_answers_of_families(table, without)]
    n_before = [*map(str, table.frame.columns)].index(_first_of(table.frame))
    has_others = table.frame.shape[1] - n_before > MIN_COLUMNS
    if not candidates and has_others and _has_several_features(table.frame):
        without = {*without, *table.members_of_families, *_names_of_rows(table)}
        without.update(table.numbers.which(table.numbers.is_counting))  # the rows, as a Nummer does
        candidates = [name for name in _measures(table.frame) if name not in without]
    is_none = not candidates or _empties_others(table.frame, candidates[0])
    is_none = is_none or _are_all_measured(table, candidates)
    is_none = is_none or _is_item_of_test(table, candidates[0])
    return [*([NO_LABEL] if is_none else []), *candidates]


def _is_rare(cells: pd.Series) -> bool:
    """Return whether few rows have a class, and no name says that these are enough."""
    return bool(cells.isna().mean() > MANY_MISSING) and not _is_hinted(str(cells.name))


def _answers_of_families(table: Table, without: Collection[str]) -> list[str]:
    """The questions of a survey, q1 to q11, that have few answers: of two first, then the last.

    Or the items of a test, where all numbers are 1 if solved, or classes 1 to 14, of which each row
    has any. None of a long series, such as pixels, nor of what hardly anybody was asked.
    """
    numbers, members = table.numbers, table.members_of_families.difference(without)
    are_few = numbers.is_whole & (numbers.low == 1) & (numbers.n_values > 1)  # counts begin at 0
    are_solved = (numbers.low == 0) & (numbers.high == 1) & (numbers.n_values == 2)
    solved = {name for name in numbers.which(are_solved) if are_solved.all() or _is_hinted(name)}
    if len(members) > MOST_QUESTIONS:
        members = members.intersection(solved)
    if len(table.frame) < LEAST_ASKED or len(members) > MOST_QUESTIONS:
        return []
    few = {*numbers.which(are_few & (numbers.n_values <= FEW_TEXTS)), *solved}
    names = [name for name in numbers.names[::-1] if name in few and name in members]
    answers = [name for name in names if name[-1].isdigit()]
    n_values = dict(zip(numbers.names, numbers.n_values.tolist(), strict=True))
    return sorted(answers, key=lambda name: n_values[name] > 2)


def _is_item_of_test(table: Table, name: str) -> bool:
    """Return whether a number is one of several of which each is 1 where something was solved."""
    is_member = name in table.members_of_families and name not in table.beside
    return is_member and not _is_hinted(name) and table.frame[name].min() == 0


def _empties_others(frame: pd.DataFrame, name: str) -> bool:
    """Return whether a column leaves few rows, in which many numbers of others are all missing."""
    cells = frame[name]
    if _is_hinted(name) or cells.isna().mean() <= MANY_MISSING:
        return False
    numbers = frame.select_dtypes(np.float64).notna()
    is_any, is_left = numbers.any(), numbers[cells.notna()].any()
    return bool((is_any & ~is_left).sum() >= LEAST_EMPTIED * is_any.sum() > 0)


def _are_all_measured(table: Table, candidates: Sequence[str]) -> bool:
    """Return whether a table of numbers has no classes, the likeliest being lengths or the like.

    Fractions, or many whole numbers, of some values each, and no codes that count from 0 or 1; nor
    does the name of the file, or its own, say that it is asked for.
    """
    frame, facts = table.frame, table.numbers
    texts = frame.loc[:, ~number_columns(frame)]
    if not _are_numbers(frame, candidates[:1]) or not all(texts[name].is_unique for name in texts):
        return False
    words = words_of(candidates[0])
    if _names_target(words) or not _words_of_file(table).isdisjoint(words):
        return False
    count_classes = facts.is_whole & np.isin(facts.low, (-1, 0, 1))
    count_classes &= facts.high - facts.low <= facts.n_values
    cells = frame[candidates[0]]
    most = FEW_AT_END if (cells.dropna() % 1 != 0).any() else FEW_TEXTS
    is_coded = not {*candidates}.isdisjoint(facts.which(count_classes))
    return cells.nunique() > most and not (is_coded or is_measure(cells))


def _is_target(frame: pd.DataFrame, name: str, without: Collection[str]) -> bool:
    """Return whether a number with the name of what is asked for can be cut into classes."""
    return _names_target(words_of(name)) and name not in without and is_measure(frame[name])


def _has_several_features(frame: pd.DataFrame) -> bool:
    """Return whether two columns or more vary and do not only name or number the rows."""
    columns = (frame.iloc[:, index] for index in range(frame.shape[1]))
    features = (column for column in columns if _may_be_feature(column))
    return len([*islice(features, 2)]) > 1  # of thousands, the first few tell


def _may_be_feature(cells: pd.Series) -> bool:
    """Return whether values vary and number no rows; texts recur, are few and no keys."""
    values = distinct_values(cells)
    if len(values) < 2 or not _is_text(cells):
        return len(values) > 1 and not _may_number(cells)
    return len(values) <= min(MAX_CLASSES, len(cells) // 2) and not are_uuids(values)


def _names_of_rows(table: Table) -> tuple[str, ...]:
    """The first column if it alone has no name, unless it has fractions and is no axis of rows."""
    first, second = map(str, table.frame.columns[:2])
    is_unnamed = first == FIRST_UNNAMED and second != SECOND_UNNAMED
    cells = table.frame.iloc[:, 0]
    is_sorted = cells.is_monotonic_increasing or cells.is_monotonic_decreasing
    is_axis = cells.is_unique and is_sorted
    is_measured = not (_is_text(cells) or is_axis) and bool((cells.dropna() % 1 != 0).any())
    return (first,) if is_unnamed and table.form.has_header and not is_measured else ()


def _are_numbers(frame: pd.DataFrame, names: Sequence[str]) -> bool:
    return all(_is_plain_number(frame, name) for name in names)


def way_to_a_label(table: Table) -> str:
    """Describe how a table without a label gets one, or why its rows are no samples."""
    if axis := _axis_of_curve(table.frame):
        return (
            f"Its rows look like the points of one curve along {axis}, not like samples. To "
            "compare curves, drop a table that has a column or a row for each of them."
        )
    if table.asked.get("samples") == NO_GROUPS:
        return (
            "Its numbers are all of one kind. If its columns are the samples, add a row with the "
            "group of each, or drop a .zip of this table and of one with a row for each sample. If "
            "its rows are, add a column with the class of each."
        )
    to_ask = "To ask whether classes can be told apart,"
    if table.answers.get(LABEL) == NO_LABEL and Use.NAME in table.answers.values():
        return (
            f"{to_ask} drop a .zip of this table and of one with a row for each sample: its name "
            "and its class."
        )
    return f"{to_ask} add a column with the class of every row."


def _axis_of_curve(frame: pd.DataFrame) -> str:
    """Find which of two numbers rises or falls all along, as wavelengths beside a spectrum do."""
    if frame.shape[1] != 2 or len(frame) < LEAST_POINTS or {*frame.dtypes} != {np.dtype("f8")}:
        return ""
    steps = np.diff(frame.to_numpy(), axis=0)
    is_axis = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
    return str(frame.columns[int(np.argmax(is_axis))]) if is_axis.sum() == 1 else ""


def rival_labels(table: Table, candidates: Sequence[str]) -> list[str]:
    """Return the columns that could as well be the label as the first, which was guessed.

    Those whose names say more and, unless its name tells the guess, texts, numbers of few values
    and numbers to be cut into ranges by their names or their places. What is expected to be the
    label comes first, then what few rows lack, then the likelier. Beside one class, each could as
    well be it.
    """
    guess, *others = candidates
    if guess == NO_LABEL:
        return others
    frame, cells, is_text = table.frame, table.frame[guess], _is_text(table.frame[guess])
    loses_rows = cells.isna().mean() > MOST_LOST
    if guess.lower() in PLAIN_NAMES and not loses_rows:
        return _beside_plain_name(frame, guess, others)
    first, last = _first_of(frame), _last_of(frame)
    is_hinted = _is_hinted(guess) and not (is_measure(cells) or _are_ids_of_many(cells))
    usable = dict(_could_be_labels(table, {*others}))
    likely = [name for name in others if _says_more(name, guess)]
    likely += [name for name in (*table.beside, *table.embedded) if name in usable]
    expected = _expected(table, usable)
    sure = {*expected, *likely}
    if loses_rows or not _is_told(frame, guess):
        rare = TIME_WORDS if is_hinted else frozenset()
        most, numeric = _most_values_of_rivals(table, guess, usable), {*table.numbers.names}
        likely += [
            name
            for name in others
            if rare.isdisjoint(words_of(without_unit(name)[0]))
            and (
                name not in numeric
                or usable.get(name, MAX_CLASSES) <= (min(most, 2) if is_time(name) else most)
            )
        ]
    elif is_text or guess == last:
        expected = []
    missing = {name: frame[name].isna().mean() for name in dict.fromkeys([*expected, *likely])}
    rivals = [
        name
        for name, share in missing.items()
        if _may_name_classes(name, frame[name])
        and (name in table.embedded or name not in table.recorded_beside)
        and share <= MOST_MISSING
        and (_is_hinted(name) or not _are_sentences(frame[name]))
        and (is_measure(cells) or not says_the_same(cells, frame[name]))
    ]
    if is_hinted and not any(name in sure or _WHO.isdisjoint(words_of(name)) for name in rivals):
        rivals = []  # who somebody is leaves no doubt of the name of a label
    preference = _Preference(table, usable, TIME_WORDS)
    ranked = sorted(  # of many that are as likely, those that say who, since not all are offered
        sorted(rivals, key=lambda name: _WHO.isdisjoint(words_of(name))),
        key=lambda name: (
            name not in expected,
            missing[name] > MOST_LOST and name not in table.recorded_beside,
            *(preference(name) if name in usable else ()),
        ),
    )
    has_place = table.form.has_header and (guess == last or (guess == first and not ranked))
    is_mark = not is_text and _PLAIN_KINDS.issuperset(words_of(guess))
    ends = () if is_hinted or has_place else (last, first)[: 1 + (bool(ranked) or not is_text)]
    targets = [] if _is_all_hint(guess) and not is_mark else _targets(table, guess, ends)
    finer = [] if is_hinted else _of_many_words(frame, {guess, *usable})
    # Before numbers that are as likely as the guess, and what a name says before others.
    words = [name for name in finer if not is_text or _is_all_hint(name)]
    return [*_first_of_series([*targets, *words, *ranked, *finer])]


def _first_of_series(names: Sequence[str]) -> Iterator[str]:
    """Each once, and of many that begin with the same two words, as of runs, the first alone."""
    stems = {name: tuple(words_of(name)[:2]) for name in names}
    n_alike = Counter(stems.values())
    seen: set[tuple[str, ...]] = set()
    for name, stem in stems.items():
        says_stem = len(stem) > 1 and not stem[-1].isdigit()  # no word of 温度 is known
        is_series = says_stem and n_alike[stem] > MOST_OF_SERIES
        if not (is_series and stem in seen):
            yield name
        seen.add(stem)


def _are_ids_of_many(cells: pd.Series) -> bool:
    """Return whether texts are named as ids, of more things than have words for classes."""
    return _is_text(cells) and names_identifier(str(cells.name)) and cells.nunique() > FEW_TEXTS


def _is_told(frame: pd.DataFrame, guess: str) -> bool:
    """Return whether the name of a label and its values leave no doubt that it is one.

    Plain words for kinds within the table do, and more classes than are told apart, and a default
    or the like within it whose yes and no the last column has as well.
    """
    first, last, words = _first_of(frame), _last_of(frame), words_of(guess)
    cells, is_within = frame[guess], guess not in (first, last)
    is_plain = is_within and _PLAIN_KINDS.issuperset(words)
    if is_within and not _VERDICTS.isdisjoint(words[-1:]) and cells.nunique() == 2:
        is_plain |= {*distinct_values(cells)} == {*distinct_values(frame[last])}
    says_it = _is_all_hint(guess) and not is_plain
    says_it |= guess == last and any(map(names_label, words[-1:]))
    is_doubtful = _is_other_number(cells) or _are_ids_of_many(cells)
    return says_it and cells.nunique() <= MAX_CLASSES and not is_doubtful


def _expected(table: Table, usable: Mapping[str, int]) -> list[str]:
    """The last column of few values, and those of which a word is in the name of the file.

    None of many numbers that all have few.
    """
    frame, of_file = table.frame, _words_of_file(table)
    last = _last_of(frame)
    is_of_many = last in table.numbers.names and _n_of_few_values(table, usable) > MOST_OF_FEW
    few = [last] if usable.get(last, MAX_CLASSES) <= FEW_TEXTS and not is_of_many else []
    named = [
        name
        for name in usable
        if not of_file.isdisjoint(words_of(name)) and not _is_other_number(frame[name])
    ]
    return [name for name in (*few, *named) if COVARIATE_WORDS.isdisjoint(words_of(name))]


def _words_of_file(table: Table) -> set[str]:
    """The words of the name of the file that may say what the label is."""
    named = [word for word in words_of(table.name) if len(word) >= LEAST_WORD]
    forms = {form for word in named for form in (word, word.removesuffix("s"))}
    return forms - TIME_WORDS - NO_CLASS_WORDS


def _beside_plain_name(frame: pd.DataFrame, guess: str, others: Sequence[str]) -> list[str]:
    """Of those beside a column called label, or the like, the ones with the name of a label.

    Which part its classes further, or rows into few others: of class and survived, either may be
    asked for, of label and survived the one alone. Beside one class, each could as well be it.
    """
    cells, is_label = frame[guess], guess.lower().startswith("label")
    if cells.nunique() < 2:
        return [*others]
    hinted = (name for name in others if _is_all_hint(name))
    return [
        name
        for name in hinted
        if _parts_further(cells, frame[name])
        or not (
            is_label
            or name.lower() == "group"
            or frame[name].nunique() > FEW_TEXTS
            or _parts_further(frame[name], cells)
        )
    ]


def _most_values_of_rivals(table: Table, guess: str, usable: Mapping[str, int]) -> int:
    """The most values of a number that could be the label as well, though its name does not say so.

    None of many that say yes or no is, unless the guess says it too; nor are many of few values,
    such as genotypes, nor is any beside words with the name of a label.
    """
    cells, is_last = table.frame[guess], guess == _last_of(table.frame)
    is_text, is_hinted = _is_text(cells), _is_hinted(guess)
    if is_text and is_hinted:
        return 0
    is_told = is_last and table.form.has_header and cells.nunique() <= FEW_AT_END
    if not (is_text or is_hinted or (is_told and not _is_other_number(cells))):
        return MAX_CLASSES
    n_indicators = sum(usable.get(name) == 2 for name in table.numbers.names)
    if n_indicators > MOST_INDICATORS:
        return 2 if cells.nunique() == 2 and not is_text else 0
    return FEW_AT_END if _n_of_few_values(table, usable) <= MOST_OF_FEW else 2


def _n_of_few_values(table: Table, usable: Mapping[str, int]) -> int:
    """The number of numbers that could be the label by their few values, such as genotypes."""
    return sum(usable.get(name, MAX_CLASSES) <= FEW_AT_END for name in table.numbers.names)


def _of_many_words(frame: pd.DataFrame, usable: Collection[str]) -> list[str]:
    """Columns of more words than a guess may have, each of several rows."""
    texts = map(str, frame.select_dtypes(exclude=np.float64))
    named = [name for name in texts if name not in usable and not _names_no_class(name)]
    n_words = {name: frame[name].nunique() for name in named}
    few = min(MAX_LABELS, len(frame) // LEAST_OF_MANY)
    most = {name: len(frame) // 2 if _is_all_hint(name) else few for name in named}
    return [name for name in named if MAX_CLASSES < n_words[name] <= most[name]]


def _is_other_number(cells: pd.Series) -> bool:
    """Return whether these are numbers that do not count classes from 0 or 1, or +1 and -1."""
    if cells.dtype.kind != "f":
        return False
    values = sorted(distinct_values(cells))
    first = {value - index for index, value in enumerate(values)}
    return values != [-1, 1] and not (len(first) == 1 and first <= {0, 1})


def _are_events(cells: pd.Series) -> bool:
    """Return whether whole numbers from 0 on are the rarer the larger they are, as counts are."""
    sizes = cells.value_counts().sort_index()
    is_counting = sizes.index[0] == 0 and not _is_other_number(cells)
    return len(sizes) > 2 and is_counting and bool((np.diff(sizes) < 0).all())


def _is_flag(cells: pd.Series) -> bool:
    """Return whether nearly all rows have one of two words, as where something is rarely so."""
    sizes = value_counts(cells).values()
    return max(sizes) > MOST_OF_FLAG * sum(sizes)


def _parts_further(cells: pd.Series, other: pd.Series) -> bool:
    """Return whether the other parts each class into some, such as subjects into cases and not."""
    pairs = pd.DataFrame({"cells": cells, "other": other}).dropna().drop_duplicates()
    return len(pairs) == pairs["other"].nunique() > pairs["cells"].nunique()


def _is_text(cells: pd.Series) -> bool:
    return cells.dtype.kind != "f"


def says_the_same(cells: pd.Series, other: pd.Series) -> bool:
    """Return whether two columns part the rows alike, such as codes and the names of these."""
    codes, other_codes = cells.array.factorize()[0], other.array.factorize()[0]
    return bool((codes == other_codes).all())


def _are_sentences(cells: pd.Series) -> bool:
    """Return whether these are remarks rather than names of classes, by their numbers of words."""
    texts = distinct_values(cells) if _is_text(cells) else ()
    n_words = [len(str(text).split()) for text in texts]
    return bool(n_words) and float(np.median(n_words)) >= LEAST_WORDS


def _names_no_class(name: str) -> bool:
    words = words_of(name)
    return not NO_CLASS_WORDS.isdisjoint(words) or words == ("sample",)


def _may_name_classes(name: str, cells: pd.Series) -> bool:
    """Return whether a column names classes, or few things that many rows have in common."""
    if not _names_no_class(name) or _are_kinds(cells):
        return True
    others = [word for word in words_of(name) if word != "name"]
    n_values = cells.nunique()
    is_of_few = 2 <= n_values <= min(MAX_CLASSES, len(cells) // LEAST_OF_NAMED)
    return bool(others) and NO_CLASS_WORDS.isdisjoint(others) and is_of_few


def _are_kinds(cells: pd.Series) -> bool:
    """Return whether many rows have the same few words, which are kinds: patient or control."""
    counts = value_counts(cells)
    if not 2 <= len(counts) <= MOST_KINDS or min(counts.values()) < LEAST_OF_KIND:
        return False
    return not any(map(DIGITS.search, map(str, counts)))


def _targets(table: Table, guess: str, ends: Sequence[str]) -> list[str]:
    """Numbers to be cut into classes: of such a name, or at one of the ends."""
    frame = table.frame
    others = {guess, *_names_of_rows(table), *table.measured}
    names = [name for name in map(str, frame) if name not in others]
    named = [name for name in names if _names_target(words_of(name))]
    likely = dict.fromkeys([*named, *ends])
    targets = [
        name
        for name in likely
        if name not in others
        and (is_measure(frame[name]) or (name in ends and _is_count(frame, name)))
        and not _may_number(frame[name])
        and not names_identifier(name)
        and not is_time(name)
    ]
    members = table.members_of_families if targets else ()
    return [name for name in targets if name not in members]


def _names_target(words: Sequence[str]) -> bool:
    """Return whether these are words of what is asked for, and not of a p-value or the like."""
    *before, last = words or ("",)
    is_sum = last in _SUMMED and not _SUMS.isdisjoint(before)
    return is_sum or (last in TARGET_WORDS and (last != "value" or len("".join(before[-1:])) > 1))


def _is_recurring_id(name: str) -> bool:
    """Return whether a name is that of an id, beside no word of a label."""
    return not _is_hinted(name) and names_identifier(name)


def _are_distinct(cells: pd.Series) -> bool:
    """Return whether these are whole numbers that all differ."""
    return not _is_text(cells) and _is_whole_or_text(cells) and cells.is_unique


def _may_number(cells: pd.Series) -> bool:
    """Return whether whole numbers that all differ tell rows apart, rather than count much."""
    if not _are_distinct(cells):
        return False
    are_dense = cells.max() - cells.min() < SPARSE * len(cells)
    return are_dense or cells.is_monotonic_increasing or cells.min() >= LEAST_OF_IDS


def _first_of(frame: pd.DataFrame) -> str:
    """The first column, or the one behind those that name or number the rows."""
    return next(
        str(name)
        for index, name in enumerate(frame.columns)
        if index + MIN_COLUMNS >= frame.shape[1]
        or not (str(name) == FIRST_UNNAMED or names_identifier(str(name)))
        or not (frame.iloc[:, index].is_unique and _is_whole_or_text(frame.iloc[:, index]))
    )


def _is_whole_or_text(cells: pd.Series) -> bool:
    return _is_text(cells) or bool((cells % 1 == 0).all())


def _last_of(frame: pd.DataFrame) -> str:
    """The last column, or the one before it if the last numbers the rows, as an index does."""
    cells, has_others = frame.iloc[:, -1], frame.shape[1] > MIN_COLUMNS
    is_named = has_others and names_identifier(str(cells.name)) and _are_distinct(cells)
    return str(frame.columns[-1 - (is_named or (has_others and _may_number(cells)))])


def label_candidates(table: Table, without: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns that look like a label, the guess first, the others in order."""
    without = table.members_of_families.difference(table.beside).union(
        without, table.measured, _names_of_measures(table.frame)
    )
    usable = dict(_could_be_labels(table, {*map(str, table.frame)} - without))
    usable = {name: n for name, n in usable.items() if n <= 2 or not _is_place(name, table.frame)}
    results = _of_many_results(table)
    usable = {name: n for name, n in usable.items() if n <= FEW_AT_END or name not in results}
    if not usable:
        return ()
    frame, numbers = table.frame, table.numbers
    missing = dict(zip(numbers.names, numbers.n_missing, strict=True))
    present = {n: len(frame) - missing[n] if n in missing else frame[n].count() for n in usable}
    shares = {name: n_present / len(frame) for name, n_present in present.items()}
    filled = {
        name: n_values
        for name, n_values in usable.items()
        if shares[name] >= 1 - MOST_MISSING or name.lower() in PLAIN_NAMES
    }
    usable = filled or usable
    about_rows = {*filter(_is_about_rows, usable)}
    if len(about_rows) < len(usable):
        usable = {name: n for name, n in usable.items() if name not in about_rows}
    likely = [name for name in usable if shares[name] >= 1 - MANY_MISSING or _is_hinted(name)]
    guess = min(likely or usable, key=_Preference(table, usable))
    is_number = usable[guess] > 2 and _is_plain_number(frame, guess)
    if is_number or _are_accessions(frame[guess]):  # a code of other words
        named = (name for name in usable if _is_text(frame[name]))
        texts = (name for name in named if not _are_accessions(frame[name]))
        guess = next((name for name in texts if says_the_same(frame[guess], frame[name])), guess)
    return (guess, *(name for name in usable if name != guess))


def _of_many_results(table: Table) -> set[str]:
    """The numbers whose names end in the same word of labels, as many results of a laboratory.

    Not of thousands of columns, which no laboratory has.
    """
    if len(table.numbers.names) > MOST_RESULTS:
        return set()
    ends = {name: words_of(name)[-1:] for name in table.numbers.names}
    n_alike = Counter(ends.values())
    return {
        name
        for name, end in ends.items()
        if n_alike[end] > MOST_OF_SERIES and any(map(names_label, end))
    }


def _names_of_measures(frame: pd.DataFrame) -> set[str]:
    """The columns that say what was measured in each row of a long table, and in which unit."""
    texts = frame.loc[:, ~number_columns(frame)]
    names = [*map(str, texts)]
    units = {*filter(names_units, names)}
    if not units:
        return units
    cells = texts.fillna("").astype(str)
    of_units = measures_of_units(names, [cells[name].tolist() for name in cells])
    measures = {names[place] for places in of_units.values() for place in places}
    return measures | units if measures else set()


def _are_accessions(cells: pd.Series) -> bool:
    """Return whether texts are the numbers of a collection or an archive, such as SAMN04590683."""
    return _is_text(cells) and all(map(_ACCESSION.fullmatch, map(str, distinct_values(cells))))


def _is_about_rows(name: str) -> bool:
    """Return whether a column says what a model predicts, who recorded rows, where they are."""
    words = words_of(name) or ("",)
    return names_prediction(name) or names_clerk(words) or words[0] in ABOUT_ROWS


def names_prediction(name: str) -> bool:
    """Return whether a column has what a model has said of the label.

    Examples
    --------
    >>> [names_prediction(name) for name in ("y_pred", "predicted class", "FEV pred")]
    [True, True, False]
    """
    words = {*words_of(name)}
    return not words.isdisjoint(_PREDICTED) and words <= _PREDICTED | _OF_PREDICTED


def may_be_no_label(frame: pd.DataFrame, name: str, *, is_of_many: bool) -> bool:
    """Return whether a column may hold no classes.

    It is one of several and its name does not tell it, a number that is cut, may measure or is one
    of many such, or of several values within the table, has many words, such as states, or few
    cells, or is named as things that are no kinds.
    """
    cells = frame[name]
    if cells.isna().mean() > MANY_MISSING and name.lower() not in PLAIN_NAMES:
        return True
    ends = (_first_of(frame), _last_of(frame))
    is_thing = _names_no_class(name) or "specimen" in words_of(name)
    if is_thing and not (_is_hinted(name) or _are_kinds(cells)):
        return True
    if is_of_many and not _is_told(frame, name):
        return True
    is_within = is_of_many or (name not in ends and cells.nunique() > 2)
    is_plain = _is_plain_number(frame, name) and (is_within or _is_other_number(cells))
    are_many = name.lower() not in PLAIN_NAMES and cells.nunique() > MAX_CLASSES
    return is_measure(cells) or _is_count(frame, name) or is_plain or are_many


def _is_count(frame: pd.DataFrame, name: str) -> bool:
    return _is_plain_number(frame, name) and frame[name].nunique() > FEW_AT_END


def is_time(name: str) -> bool:
    """Return whether a name says no more than when rows were measured, which need not be asked."""
    return not _is_hinted(name) and not TIME_WORDS.isdisjoint(words_of(without_unit(name)[0]))


def _is_plain_number(frame: pd.DataFrame, name: str) -> bool:
    return frame[name].dtype.kind in "iuf" and not _is_hinted(name)


def _labels_of_one_class(frame: pd.DataFrame) -> list[str]:
    """Columns named as a label that hold one class, before numbers are taken for one."""
    return [
        str(name)
        for index, name in enumerate(frame.columns)
        if str(name).lower() in PLAIN_NAMES and len(distinct_values(frame.iloc[:, index])) == 1
    ]


def _measures(frame: pd.DataFrame) -> list[str]:
    """Numbers that can be cut into classes: with the name of a label first, then those at ends.

    None of a few rows.
    """
    if len(frame) <= MAX_VALUES:
        return []
    names = [
        str(name)
        for name, column in frame.items()
        if is_measure(column)
        and not (names_identifier(str(name)) and _is_whole_or_text(column.dropna()))
        and not runs_along(column)
        and _COORDINATES.isdisjoint(words_of(str(name)))
    ]
    given = [str(name) for name in frame if not names_identifier(str(name))]
    first = [name for name in given[:1] if name in names and not _may_number(frame[name])]
    in_order = dict.fromkeys([*names[-1:], *first, *names[::-1]])
    return sorted(in_order, key=lambda name: not _is_hinted(name) or _is_place(name, frame))


def _named_measures(frame: pd.DataFrame, without: Collection[str]) -> list[str]:
    """Numbers to be cut into classes that have no other name than that of a label, but for x, y."""
    if len(frame) <= MAX_VALUES:
        return []
    named = [
        str(name)
        for index, name in enumerate(frame.columns)
        if _is_all_hint(str(name))
        and str(name) not in without
        and not _is_place(str(name), frame)
        and is_measure(frame.iloc[:, index])
    ]
    return sorted(named, key=_hint)


def _is_place(name: str, frame: pd.DataFrame) -> bool:
    """Return whether this is the y of an x, or yttrium beside other elements."""
    if name.lower() != "y":
        return False
    others = {str(other) for other in frame}
    is_element = name == "Y" and len(others & _ELEMENTS) >= LEAST_ELEMENTS
    return is_element or not others.isdisjoint({"x", "X"})


def _says_more(name: str, guess: str) -> bool:
    """Return whether a name says that this is a label, and not of a part what the guess says.

    Beside what becomes of rows, such as churn, all of its words must.
    """
    if _is_all_hint(guess) and words_of(guess)[-1] in _VERDICTS:
        return _is_all_hint(name)
    hints = {word for word in words_of(name) if names_label(word)}
    return _is_hinted(name) and not (_is_all_hint(guess) and hints <= {*words_of(guess)})


def _is_hinted(name: str) -> bool:
    return _hint(name) < _NO_HINT


def _is_all_hint(name: str) -> bool:
    """Return whether all words of a name say that this is the label."""
    return _hint(name)[0] == 0


_NO_HINT = (3, 0)


@lru_cache(MOST_NAMES)
def _hint(name: str) -> tuple[int, int]:
    """Return how strongly a name says that this is the label; the lowest says it most.

    That all its words do, then that its last one or its first one does, then another; among these
    the order of `LABEL_WORDS`.
    """
    words = ["y"] if name.casefold() in _TRUE_LABELS else words_of(name)
    ranks = [rank_as_label(word) for word in words]
    if len(words) > 1:  # y2bar is no label, nor what somebody thinks of a letter
        ranks = [None if word in _ALONE else rank for word, rank in zip(words, ranks, strict=True)]
    hinted = [rank for rank in ranks if rank is not None]
    if not hinted:
        return _NO_HINT
    if len(hinted) == len(ranks):
        return 0, min(hinted)
    if not QUANTITY_WORDS.isdisjoint(words):
        return _NO_HINT
    return 1 + (ranks[0] is None and ranks[-1] is None), min(hinted)


def _begins_with_kind(words: Sequence[str], *, is_text: bool) -> bool:
    """Return whether a name says of which thing it is the type or the like: type_employer.

    Words that are the class of something as well, but for the name or the number of a class.
    """
    first, *others = words or ("",)
    is_kind = first in _PLAIN_KINDS
    is_kind |= is_text and first == "class" and not names_identifier(" ".join(words))
    return bool(others) and is_kind and not any(map(names_label, others))


def _most_values(name: str, n_rows: int, *, is_number: bool) -> int:
    """The number of values that a label of this name may have; the smallest classes are merged."""
    if is_number:
        return MAX_CLASSES if _is_hinted(name) else MAX_VALUES
    return min(MAX_LABELS if _is_hinted(name) else MAX_CLASSES, max(2, n_rows // 2))


def _counted_beside_fractions(numbers: Numbers) -> str:
    """The only whole numbers, if they go from 0 or 1 on, as those of letters do; empty if not."""
    whole = np.flatnonzero(numbers.is_whole)
    if len(whole) != 1 or len(numbers.names) <= MIN_COLUMNS:
        return ""
    (place,) = whole.tolist()
    n_values, low, high = numbers.n_values[place], numbers.low[place], numbers.high[place]
    return numbers.names[place] if low in (0, 1) and high == low + n_values - 1 else ""


def _could_be_labels(table: Table, among: Collection[str]) -> Iterator[tuple[str, int]]:
    """The columns that could be the label, with their numbers of values."""
    frame, numbers = table.frame, table.numbers
    places = {name: place for place, name in enumerate(numbers.names)}
    of_letters = _counted_beside_fractions(numbers)
    for index, name in enumerate(frame.columns):
        if str(name) not in among or str(name).endswith((BEYOND_LIMIT, SELECTED)):
            continue
        most = _most_values(str(name), len(frame), is_number=name in places)
        most = MAX_CLASSES if name == of_letters else most
        if name in places:
            place = places[name]
            n_values, low, high = numbers.n_values[place], numbers.low[place], numbers.high[place]
            # Of others than hinted ones, most rows must be of a class that can be held out.
            is_repeated = _is_hinted(str(name)) or 2 * n_values <= len(frame)
            is_repeated = is_repeated and numbers.n_repeated[place] > 1
            is_repeated &= _is_hinted(str(name)) or not (_is_long(low) and _is_long(high))
            is_code = not _is_hinted(str(name)) and low >= LEAST_CODE
            is_thing = n_values > FEW_TEXTS and (is_code or _is_recurring_id(str(name)))
            if is_thing or words_of(str(name))[-1:] == ("replicate",):
                continue
            is_split = numbers_say_split(str(name), n_values, low, high)
            if is_repeated and n_values <= most and not is_split:
                yield str(name), int(n_values)
        elif values := _values_of_label(frame.iloc[:, index].to_numpy(), most):
            is_hint = _is_all_hint(str(name))
            are_times = not is_hint and all(map(_TIMES.fullmatch, map(str, values)))
            are_keys = are_times or (not is_hint and (are_uuids(values) or says_imputed(values)))
            are_keys |= len(values) > 2 and all(map(REPORTER.fullmatch, map(str, values)))
            if not are_keys and not says_split(str(name), values):
                yield str(name), len(values)


def _is_long(value: float) -> bool:
    """Return whether nobody has written a number, but computed it to the last of its digits."""
    return float(f"{value:.{MOST_DIGITS}g}") != value


def says_imputed(values: Collection[object]) -> bool:
    """Return whether the two words of a column say if cells elsewhere were imputed or not.

    Examples
    --------
    >>> says_imputed(["imputed", "not imputed"]), says_imputed(["imputed", "measured"])
    (True, False)
    """
    says = [words_of(str(value)) for value in values]
    are_both = len(says) == 2 and all("imputed" in words for words in says)
    return are_both and sum("not" in words for words in says) == 1


def says_split(name: str, values: Collection[object]) -> bool:
    """Return whether a column of text says which rows are for training and which for a test.

    Examples
    --------
    >>> says_split("Case", ["Training set", "Test set"]), says_split("train", ["True", "False"])
    (True, True)
    >>> says_split("blood", ["test", "none"])
    False
    """
    words = {str(value).casefold().removesuffix(" set") for value in values}
    if words == {"true", "false"}:
        return not _TRAINING.isdisjoint(words_of(name))
    return len(words) > 1 and words <= _TRAINING | _HELD_OUT and not words.isdisjoint(_TRAINING)


def numbers_say_split(name: str, n_values: int, low: float, high: float) -> bool:
    """Return whether numbers say which rows are for training, or which fold they are in.

    These are 0 and 1, or number the folds, of no other name than that.

    Examples
    --------
    >>> numbers_say_split("is_train", 2, 0, 1), numbers_say_split("training_hours", 2, 0, 1)
    (True, False)
    >>> numbers_say_split("fold", 10, 1, 10), numbers_say_split("fold change", 10, 1, 10)
    (True, False)
    """
    words = {*words_of(name)}
    if "fold" in words and words <= _OF_FOLDS:
        return 2 <= n_values <= MOST_FOLDS and low in (0, 1) and high - low == n_values - 1
    is_named = not words.isdisjoint(_TRAINING) and words <= _TRAINING | _OF_TRAINING
    return is_named and (n_values, low, high) == (2, 0, 1)


def _values_of_label(texts: npt.NDArray[Any], most: int) -> list[Any]:
    """The values of a column of text that could be the label; empty if it could not."""
    # One more for missing, which is not a class.
    if len(pd.unique(texts[:PROBE_ROWS])) > most + 1:
        return []
    codes, levels = pd.factorize(texts)
    if any(is_picture(level) or names_picture(level) for level in levels):
        return []
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    return levels.tolist() if len(levels) <= most and int((counts > 1).sum()) > 1 else []


class _Preference:
    """Sort key of columns that could be the label: the lowest is the most likely one.

    In order: whether its classes can be held out and, beside words with the name of a label, need
    not be cut; what names say, but that it is the type of something before a last column of two
    values; without a header, the ends; what the name of the file says; two values, or few in the
    last column; text before numbers; numbers of two values; the last column and the first; fewer
    values. Those of such words as `rare` has, and many that a survey recorded beside its answers,
    come behind others alike, but not behind numbers of many values, which are measured.
    """

    def __init__(
        self,
        table: Table,
        n_values: Mapping[str, int],
        rare: Collection[str] = frozenset(COVARIATE_WORDS),
    ) -> None:
        self._rare = {*rare}
        self._numeric = {*table.numbers.names}
        self._n_values = n_values
        last = _last_of(table.frame)
        self._ends_in_two = n_values.get(last) == 2 and self._rare.isdisjoint(words_of(last))
        words = (words_of(name) for name in n_values if name not in self._numeric)
        self._has_words = any(map(self._rare.isdisjoint, words))
        self._has_named_words = any(
            _is_all_hint(name) for name in n_values if name not in self._numeric
        )
        self._kinds_of_persons = {
            name for name in n_values if _names_no_class(name) and _are_kinds(table.frame[name])
        }
        self._ends = (_first_of(table.frame), last)
        self._has_header = table.form.has_header
        self._file = _words_of_file(table)
        self._embedded = {
            name for name in table.recorded_beside if n_values.get(name, 0) > FEW_AT_END
        }
        self._frame = table.frame

    def __call__(self, name: str) -> tuple[Any, ...]:
        is_number = name in self._numeric
        words = words_of(name)
        first, last = self._ends
        n_values = self._n_values[name]
        few = FEW_AT_END if is_number else FEW_TEXTS
        is_telling = n_values <= few if name == last else n_values == 2 and not is_number
        if name == last and is_number and self._has_words and _are_events(self._frame[name]):
            is_telling = False
        is_flag = is_telling and name != last and _is_flag(self._frame[name])
        is_cut = is_number and self._has_named_words and is_measure(self._frame[name])
        is_measured = is_number and n_values > few and name != last
        is_of_thing = (
            self._ends_in_two and name != last and _begins_with_kind(words, is_text=not is_number)
        )
        return (
            name.lower() not in PLAIN_NAMES and (is_cut or not self._can_be_held_out(name)),
            *(_NO_HINT if is_of_thing else _hint(name)),
            not (self._has_header or name in self._ends),
            self._file.isdisjoint(words) or _is_other_number(self._frame[name]),
            not self._rare.isdisjoint(words)
            or is_measured
            or name in self._embedded
            or says_work(name)
            or _is_recurring_id(name)
            or (_names_no_class(name) and name not in self._kinds_of_persons),
            is_flag or not is_telling,
            is_number,
            is_number and n_values > 2,
            name != last,
            name != first,
            is_flag,
            n_values,
        )

    def _can_be_held_out(self, name: str) -> bool:
        """Return whether two classes have rows for folds, and half of the rows are of such.

        Of numbers, half of the classes do as well. Where nearly all rows are of one class, they do
        not, unless the name says that this is the label. Ranges do, and the numbers of many columns
        are taken to.
        """
        is_number = name in self._numeric
        are_many = len(self._n_values) > MOST_COUNTED and not _is_hinted(name)
        if is_number and (are_many or is_measure(self._frame[name])):
            return True
        sizes = np.array([*value_counts(self._frame[name]).values()])
        least = min(max(len(self._frame) // ROWS_OF_FEW, 2), LEAST_HELD_OUT)
        is_large = sizes >= least
        if not _is_hinted(name) and sizes.max() > MOST_OF_ONE * sizes.sum():
            return False
        if is_number and 2 * is_large.sum() < len(sizes):
            return False
        return is_large.sum() > 1 and bool(2 * sizes[is_large].sum() >= sizes.sum())
