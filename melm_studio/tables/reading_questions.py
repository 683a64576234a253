"""Ask what could have been read otherwise: the cells of a file, and the use of its columns.

Each of these questions has a default, which holds while nobody answers; no yes depends on them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_studio.tables.above_rows import NO_GROUPS
from melm_studio.tables.cells import COUNTED_AS_MISSING
from melm_studio.tables.classes import is_measure, sort_key, value_name
from melm_studio.tables.column_roles import (
    BEGINS_AGAIN,
    DESIGN,
    DISTINCT_SHARE,
    EARLIER,
    EMBEDDED,
    FOLLOW_UP,
    HOW_MANY,
    IMPUTED,
    MAX_CHOSEN_LEVELS,
    SAYS_THE_SAME,
    SETTING,
    WHEN,
    WHENCE,
    WHERE,
    WRITTEN_IN,
    are_all_that_is_measured,
    are_codes,
    boxes,
    copies,
    is_cut,
    mostly_empty,
    names_places,
    origins,
    weights,
    written_in,
)
from melm_studio.tables.designs import evenness
from melm_studio.tables.distinct import Numbers, distinct_values, numbered_parts
from melm_studio.tables.formatting import listed_in_sentence, shortened, words_of
from melm_studio.tables.identifiers import CHROMOSOMES, ends_as_id
from melm_studio.tables.labels import (
    AMOUNT_WORDS,
    LEAST_CODE,
    OCCASION_WORDS,
    is_time,
    may_be_no_label,
    rival_labels,
)
from melm_studio.tables.questions import LABEL, READING, SHEET, USE, Choice, Question
from melm_studio.tables.read import Table
from melm_studio.tables.roles import FEATURES, NO_LABEL, SINGLE_USES, Column, Role, Use

MOST_COLUMNS = 6  # that are asked about
MOST_PROBED, MOST_ALIKE = 24, 3  # columns looked at, and such whose names end in one word
MOST_SHEETS = 7  # beside the guessed one
MOST_RIVALS = 7  # beside the guessed label
VALUES_SHOWN, LONGEST_VALUE = 3, 16  # of a column that may be the label
LEAST_REPEATS = 2  # rows for each value, on average, for a number to be a group or a batch
LEAST_LEVELS, MOST_FACTORS = 3, 20  # from 0 or 1 on, and columns of such, which may be a design's
LEAST_BEGINNINGS = 2  # of numbers that begin again
LEAST_DIFFERENT = 50  # numbers of a column without a name, for these to be ids
MOST_EVEN = 2  # columns that are asked about; of more, a design has made the features
TOO_EVEN = 0.001  # how likely rows are spread over the values as evenly by chance
MOST_WORDS = 8  # of a name; longer ones describe, such as a protein
FIRST_YEAR, LAST_YEAR = 1900, 2100
# Names of whole numbers that tell things apart.
CODE_WORDS = {
    "branch", "campus", "center", "centre", "clinic", "code", "county", "device", "district",
    "farm", "hospital", "id", "identifier", "instrument", "key", "machine", "no", "nr", "num",
    "number", "plate", "region", "room", "sensor", "shop", "site", "store", "tract", "ward",
}  # fmt: skip
_NUMBERING_WORDS = OCCASION_WORDS | CODE_WORDS
# The last words of names that say where, in what or of which kind rows were, as soil_type from 1 to
# 5, rather than how much of it there is.
_LAST_WORDS = CHROMOSOMES | {
    "cage", "cat", "category", "class", "colony", "date", "fips", "fp", "kind", "nest", "page",
    "pen", "plot", "position", "pot", "quadrat", "station", "subplot", "tank", "transect", "tray",
    "type", "well",
}  # fmt: skip
_YEARS = {"year", "yr"}
_UNNAMED = re.compile(r"column \d+")  # as the reader names a column
_DATES_OR_CODES = _YEARS | {"code", "date", "id", "no", "nr", "num", "page", "station"}
_SPACE_WORDS = {"room"}  # at the end of a longer name, how much of it there is
_LAST_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]$")
LEAST_OF_PAIRS = 3  # expected of random numbers, for it to be odd that none are equal
_NO_UNITS, LONGEST_UNIT = {"code", "id", "key", "no", "nr"}, 4  # letters
_OXIDES = re.compile("NO(?=[0-9x])")  # of nitrogen, and no number
_LABELS = {
    "half": "Half the limit",
    "limit": "The limit",
    "empty": "Empty",
    "indicator": "Half, and a column that says so",
    "text": "Text",
    "columns": "Columns",
    "rows": "Rows",
    "joined": "Join them",
    "first": "Only the first",
    "left-out": "Leave out",
    "kept": "Keep",
    "filled": "Fill them down",
    "first-row": "Names",
    "none": "A row of data",
    "decimal": "Decimal marks",
    "missing": "Missing",
    "numbers": "Numbers",
}
SAMPLES = "samples"
NAMES = "names"
ENCODING = "encoding"
_OWN_LABELS = {
    "words": {"empty": "Numbers, and words are empty"},
    "thousands": {"left-out": "Thousands"},
    "blocks": {"empty": "Leave them empty"},
}
_ASKED = {
    "limits": "How are these cells read? {}.",
    "words": "Are these columns text or numbers? {}.",
    "samples": "Are the samples rows or columns of the file? {}.",
    "header": "Are the header rows joined? {}.",
    "totals": "Are totals left out? {}.",
    "blocks": "Are names written once for several rows? {}, of which the next cells are empty.",
    "names": "Does the first row have names or data? {}.",
    "thousands": "Do commas part thousands, or are they decimal marks? {}.",
    "codes": "Are these numbers codes of what is missing? {}.",
}
_WEIGHT_CHOICES = (Choice(Use.FEATURE, "Measured"), Choice(Use.INFO, "Weights: leave out"))
_ORIGIN_CHOICES = (Choice(Use.INFO, "Information alone"), Choice(Use.FEATURE, "Measured"))
_SAID = {WHERE: "where", WHEN: "when", WHENCE: "in which work"}
_SAID_ELSE = {
    HOW_MANY: "how many were measured",
    SETTING: "how an instrument was set",
    EARLIER: "what another column was before",
    DESIGN: "how a design divides the rows",
    FOLLOW_UP: "how long rows were followed, until the event or no longer",
    EMBEDDED: "what was recorded beside answers or measurements",
    IMPUTED: "which cells of other columns were imputed",
}
_SAYS = ("It says", "They say")
_NUMBER_CHOICES = (
    Choice(Use.FEATURE, "A number"),
    Choice(Use.CATEGORY, "A category"),
    Choice(Use.GROUP, "A group"),
    Choice(Use.BATCH, "A batch"),
    Choice(Use.INFO, "Information"),
)


def reading_questions(table: Table, answers: Mapping[str, str]) -> Iterator[Question]:
    """Ask what could have been read otherwise in the file.

    Parameters
    ----------
    table : Table
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    """
    if len(table.sheets) > 1:
        yield _sheet_question(table, answers.get(SHEET, ""))
    if table.encodings:
        yield _encoding_question(table, answers.get(ENCODING, ""))
    for question, values in READING.items():
        if choice := table.asked.get(question):
            labels = _LABELS | _OWN_LABELS.get(question, {})
            choices = tuple(Choice(value, labels[value]) for value in values)
            sentence = _ASKED[question].format(choice)
            preview = table.turned if question == SAMPLES else ()
            answer = answers.get(question, "")
            default = "rows" if choice == NO_GROUPS else values[0]
            is_second = question == NAMES and not table.form.has_header
            if is_second or choice.endswith(COUNTED_AS_MISSING):
                default = values[1] if is_second else "empty"
            yield Question(question, sentence, choices, answer, default, preview)


def _sheet_question(table: Table, answer: str) -> Question:
    answer = answer if answer in table.sheets else ""
    offered = dict.fromkeys((table.sheet, *table.sheets))
    choices = tuple(Choice(name, shortened(name)) for name in [*offered][: MOST_SHEETS + 1])
    sentence = f"Which is the table? {shortened(table.sheet)} is read."
    return Question(SHEET, sentence, choices, answer, table.sheet)


def _encoding_question(table: Table, answer: str) -> Question:
    choices = tuple(Choice(value, shown) for value, shown in table.encodings.items())
    sentence = "Which are the names as they were written? The file does not say its encoding."
    answer = answer if answer in table.encodings else ""
    return Question(ENCODING, sentence, choices, answer, choices[0].value)


def label_question(
    table: Table, likely: Sequence[str], answer: str, *, is_anew: bool = False
) -> Iterator[Question]:
    """Ask which column is the label, where it was a guess.

    Parameters
    ----------
    table : Table
    likely : sequence of str
        The columns among which it was guessed, the guess first; none if it was chosen.
    answer : str
        Empty while there is none.
    is_anew : bool
        Whether an answer did not fit.
    """
    if not likely:
        return
    guess, *others = likely
    are_all = is_anew or table.answers.get(LABEL) == guess  # the factors of a study
    rivals = (others if are_all else rival_labels(table, likely))[:MOST_RIVALS]
    cut = {name for name in rivals if is_measure(table.frame[name])}
    rivals.sort(key=cut.__contains__)
    words = table.asked.get(LABEL, "")
    # Words of names need not be classes, nor seasons, nor what many others are as likely.
    may_be_none = (words and guess in words) or is_time(guess) or len(rivals) == MOST_RIVALS
    n_values = table.numbers.n_values
    are_marks = len(n_values) == table.frame.shape[1] and bool((n_values <= 2).all())
    is_of_many = bool(rivals) or are_marks
    if guess in table.frame and (
        may_be_none or may_be_no_label(table.frame, guess, is_of_many=is_of_many)
    ):
        rivals.append(NO_LABEL)
    if answer or rivals or is_anew:
        names = dict.fromkeys(filter(None, (guess, *rivals, answer)))
        choices = tuple(Choice(name, _label_choice(table.frame, name)) for name in names)
        guessed = "None" if guess == NO_LABEL else shortened(guess)
        is_why = words and (guess in words or guess not in table.beside)
        because = f", since {words}" if is_why else ""
        sentence = f"Which column has the classes? {guessed} was guessed{because}."
        yield Question(LABEL, sentence, choices, answer, guess)


def _label_choice(frame: pd.DataFrame, name: str) -> str:
    """A column that may be the label, with the first of its values."""
    if name not in frame:
        return "None" if name == NO_LABEL else shortened(name)
    cells = frame[name]
    if is_measure(cells):
        return f"{shortened(name)}, cut into ranges"
    values = sorted(distinct_values(cells), key=sort_key)
    shown = [shortened(value_name(value), LONGEST_VALUE) for value in values[:VALUES_SHOWN]]
    more = ", …" if len(values) > VALUES_SHOWN else ""
    return f"{shortened(name)}: {', '.join(shown)}{more}"


def column_questions(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    answers: Mapping[str, str],
    chosen: Mapping[str, str],
    others: Collection[str],
    *,
    numbers: Numbers,
    embedded: Collection[str],
    are_more: bool,
) -> tuple[Question, ...]:
    """Ask which columns may be something else than they were taken for.

    Numbers that may weigh the rows, what says where these are or from which work or the same as a
    feature, of which the first is asked about for all, and whole numbers that count occasions, tell
    things apart, or are spread more evenly over the rows than anything that is measured.

    Parameters
    ----------
    frame : DataFrame
        The rows that have a class.
    columns : sequence of Column
        With the roles that they have, after the answers.
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    chosen : mapping of str to str
        The uses that the user chose, about which nothing is asked.
    others : collection of str
        Columns that other questions are about.
    numbers : Numbers
        Of all rows.
    embedded : collection of str
        Columns that were recorded beside answers or measurements.
    are_more : bool
        Whether there are features beside these columns, about which nothing is asked.
    """
    answered = {
        question.removeprefix(USE): answer
        for question, answer in answers.items()
        if question.startswith(USE)
    }
    names = {column.name for column in columns}
    uses = {name: use for name, use in {**answered, **chosen}.items() if name in names}
    taken: dict[str, str] = {use: name for name, use in uses.items() if use in SINGLE_USES}
    whole = {*numbers.which(numbers.is_whole & (np.maximum(-numbers.low, numbers.high) < 2**53))}
    long = {*numbers.which(numbers.low >= LEAST_CODE)}
    never_meet = whole.intersection(long, numbers.which(_never_meet(numbers, len(frame))))
    even = _evenly_spread(frame, columns, numbers)
    are_years = (numbers.low >= FIRST_YEAR) & (numbers.high <= LAST_YEAR)
    numbered = even.union(numbers.which(are_years))
    told = {*numbers.which(numbers.is_whole)}.intersection(answered)
    unnamed = _numbers_without_name(columns, numbers, len(frame))
    weigh = weights(columns, frame, numbers)
    from_where = _origins(columns, frame, embedded)
    features = {column.name for column in columns if column.role in FEATURES}
    if not are_more and features <= from_where.keys():  # then they are all that there is
        from_where = {}
    are_few = not are_more and are_all_that_is_measured(from_where, columns)
    of_origin = Use.FEATURE if are_few else Use.INFO
    in_own_words = _written_in(columns, frame, answered)
    same = _copies(columns, frame, answered)
    ticked = boxes(columns, frame)
    empty = mostly_empty(columns, frame)
    each = ([*from_where], in_own_words, [*same], ticked, weigh, empty)
    asked_for_all = {names[0] for names in each if names}
    unasked = set(others).difference(told)
    unasked = unasked.difference(asked_for_all).union(chosen)
    n_rows = len(frame)
    asked = (
        column
        for column in columns
        if column.role is not Role.LABEL
        and column.name not in unasked
        and not column.exclusion_reason
        and (
            column.name in asked_for_all
            or column.name in unnamed
            or column.name in told  # and may be said otherwise
            or column.reason == BEGINS_AGAIN
            or (
                column.role is Role.NUMERIC
                and (
                    (column.name in whole and 2 < column.n_values <= n_rows / LEAST_REPEATS)
                    or column.name in never_meet
                    or (column.name not in from_where and _names_date_or_code(column, numbers))
                )
                and _may_be_no_quantity(
                    frame, column, is_long=column.name in long, is_numbered=column.name in numbered
                )
            )
        )
    )
    questions = (
        _origin_question(from_where, answered.get(column.name, ""), of_origin)
        if column.name in [*from_where][:1]
        else _written_question(in_own_words, answered.get(column.name, ""))
        if column.name in in_own_words[:1]
        else _box_question(ticked, answered.get(column.name, ""))
        if column.name in ticked[:1]
        else _copy_question(same, columns, frame, answered.get(column.name, ""))
        if column.name in [*same][:1]
        else _weight_question(weigh, answered.get(column.name, ""))
        if column.name in weigh[:1]
        else _empty_question(empty, answered.get(column.name, ""))
        if column.name in empty[:1]
        else _number_question(column, numbers, answered.get(column.name, ""), taken, n_rows)
        for column in _without_series([*islice(asked, MOST_PROBED)], even.union(told))
    )
    return tuple(islice(questions, MOST_COLUMNS))


def _without_series(columns: Sequence[Column], others: Collection[str]) -> Iterator[Column]:
    """The columns but for many numbers whose names end alike: how often each thing was seen."""
    ends = {column.name: words_of(column.name)[-1:] for column in columns}
    n_alike = Counter(ends.values())
    for column in columns:
        end, is_other = ends[column.name], column.role is not Role.NUMERIC or column.name in others
        if is_other or not end or n_alike[end] <= MOST_ALIKE:
            yield column


def _origins(
    columns: Sequence[Column], frame: pd.DataFrame, embedded: Collection[str]
) -> dict[str, str]:
    """The columns that say where, when or of what rows are, unless the label is a place, too."""
    reasons = origins(columns, frame, embedded)
    are_of_places = names_places(columns)
    return {name: why for name, why in reasons.items() if why != WHERE or not are_of_places}


def _measured_question(
    names: Sequence[str], says: tuple[str, str], what: str, answer: str, default: Use = Use.INFO
) -> Question:
    """Ask of one or several columns at once; `says` is what the one does, and what these do."""
    are_several = len(names) > 1
    shown = listed_in_sentence(names)
    are = f"Are {shown} measured features" if are_several else f"Is {shown} measured"
    sentence = f"{are}, too? {says[are_several]} {what}."
    return Question(USE + names[0], sentence, _ORIGIN_CHOICES, answer, default)


def _origin_question(reasons: Mapping[str, str], answer: str, default: Use) -> Question:
    said = [_SAID[why] for why in _SAID if why in reasons.values()]
    said = [f"{' and '.join(said)} the rows were recorded"] if said else []
    parts = [*said, *(what for why, what in _SAID_ELSE.items() if why in reasons.values())]
    return _measured_question([*reasons], _SAYS, ", or ".join(parts), answer, default)


def _written_in(
    columns: Sequence[Column], frame: pd.DataFrame, answered: Mapping[str, str]
) -> list[str]:
    """The columns of common answers and of words of one's own, if an answer may matter."""
    names = written_in(columns, frame)
    are_out = any(c.reason == WRITTEN_IN for c in columns)
    return names if are_out or not answered.keys().isdisjoint(names) else []


def _written_question(names: Sequence[str], answer: str) -> Question:
    what = "one of a few answers in most rows, words of their own in others"
    return _measured_question(names, ("It has", "They have"), what, answer)


def _box_question(names: Sequence[str], answer: str) -> Question:
    what = "1 in some rows and nothing in all others, as boxes that were ticked or not"
    return _measured_question(names, ("It has", "They have"), what, answer, Use.FEATURE)


def _copies(
    columns: Sequence[Column], frame: pd.DataFrame, answered: Mapping[str, str]
) -> dict[str, str]:
    """The columns that say the same as a feature, and as which, if an answer may matter."""
    beside = {c.name for c in columns if c.reason.startswith(SAYS_THE_SAME)}.union(answered)
    same = copies(columns, frame, beside) if beside else {}  # as of most tables
    return {} if beside.isdisjoint(same) else same


def _copy_question(
    same: Mapping[str, str], columns: Sequence[Column], frame: pd.DataFrame, answer: str
) -> Question:
    n_missing = {column.name: column.n_missing for column in columns}
    have_gaps = any(n_missing[name] > n_missing[of] for name, of in same.items())
    others = listed_in_sentence([*dict.fromkeys(same.values())])
    are_cut = [is_cut(frame, name, of) for name, of in same.items()]
    ranges = f", {'' if all(are_cut) else 'some '}in ranges" if any(are_cut) else ""
    what = f"the same as {others} in all rows{' that have both' if have_gaps else ''}{ranges}"
    return _measured_question([*same], _SAYS, what, answer)


def _weight_question(names: Sequence[str], answer: str) -> Question:
    are_several = len(names) > 1
    does, mean = ("Do", "Their means are") if are_several else ("Does", "Its mean is")
    sentence = (
        f"{does} {listed_in_sentence(names)} weigh the rows? {mean} about 1, as of weights, which "
        "say how many others each row stands for, and measure nothing of it."
    )
    return Question(USE + names[0], sentence, _WEIGHT_CHOICES, answer, Use.FEATURE)


def _empty_question(names: Sequence[str], answer: str) -> Question:
    what = "nothing in more than half of the rows, which have the median instead"
    return _measured_question(names, ("It has", "They have"), what, answer, Use.FEATURE)


def _number_question(
    column: Column, numbers: Numbers, answer: str, taken: Mapping[str, str], n_rows: int
) -> Question:
    """Ask what numbers are; `taken` says which column has a use that only one can have."""
    place = numbers.names.index(column.name)
    lowest, highest = float(numbers.low[place]), float(numbers.high[place])
    are = "whole numbers" if numbers.is_whole[place] else "numbers"
    low, high = (f"{value:,.16g}" for value in (lowest, highest))
    if highest <= LAST_YEAR:
        low, high = low.replace(",", ""), high.replace(",", "")
    sentence = f"What is {shortened(column.name)}? It has {are} from {low} to {high}."
    choices = tuple(
        choice
        for choice in _NUMBER_CHOICES
        if taken.get(choice.value, column.name) == column.name
        and (choice.value != Use.CATEGORY or column.n_values <= MAX_CHOSEN_LEVELS)
        and (choice.value in (Use.FEATURE, Use.INFO) or column.n_values <= n_rows / LEAST_REPEATS)
    )
    default = Use.INFO if column.reason == BEGINS_AGAIN else Use.FEATURE
    return Question(USE + column.name, sentence, choices, answer, default)


def _evenly_spread(
    frame: pd.DataFrame, columns: Sequence[Column], numbers: Numbers
) -> frozenset[str]:
    """The columns of whole numbers from 0 or 1 on that have about as many rows each, by design.

    Or that count up again and again. Plots, points and replicates are numbered so. Where many
    columns have such numbers these are counts, and where many are even they are the factors of an
    experiment.
    """
    is_numbered = numbers.is_whole & np.isin(numbers.low, (0, 1)) & (numbers.n_missing == 0)
    is_numbered &= numbers.high == numbers.low + numbers.n_values - 1
    is_numbered &= numbers.n_values >= LEAST_LEVELS
    is_numbered &= numbers.n_values <= len(frame) / LEAST_REPEATS
    features = {column.name for column in columns if column.role is Role.NUMERIC}
    names = [name for name in numbers.which(is_numbered) if name in features]
    if len(names) > MOST_FACTORS:
        return frozenset()
    even = frozenset(name for name in names if _is_too_even(frame[name]))
    if len(even) > MOST_EVEN:
        return frozenset()
    parts = ((name, numbered_parts(frame[name].to_numpy())) for name in names)
    return even.union(name for name, lengths in parts if len(lengths) > LEAST_BEGINNINGS)


def _is_too_even(cells: pd.Series) -> bool:
    """Return whether values recur more evenly than if each row had any of them by chance."""
    counts = np.unique(cells, return_counts=True)[1]
    return evenness(counts[np.newaxis]) < TOO_EVEN


def _has_unit(name: str) -> bool:
    """Return whether a name ends with a unit: (mg/day), (per week), [cm]."""
    behind = _LAST_BRACKETS.search(name)
    text = behind[1] if behind else ""
    is_plain = text.isalpha() and len(text) <= LONGEST_UNIT and text.lower() not in _NO_UNITS
    return is_plain or "/" in text or "per" in text.split()


def _may_be_no_quantity(
    frame: pd.DataFrame, column: Column, *, is_long: bool, is_numbered: bool
) -> bool:
    """Return whether whole numbers that repeat have the name of occasions or codes, or number rows.

    Years do, and even ones those of a design. Long ones may be codes by their digits. What has a
    unit is a quantity.
    """
    words = words_of(_OXIDES.sub("", column.name))
    is_named = len(words) <= MOST_WORDS and not _NUMBERING_WORDS.isdisjoint(words)
    is_named |= any(word in _LAST_WORDS or ends_as_id(word) for word in words[-1:])  # as landcode
    if not (is_named or is_numbered or is_long):
        return False
    if _has_unit(column.name) or not AMOUNT_WORDS.isdisjoint(words):
        return False
    if len(words) > 1 and words[-1] in _SPACE_WORDS:
        return False
    if "number of" in " ".join(words) or any(map(_is_span, words, words[1:])):
        return False
    return is_named or is_numbered or are_codes(frame[column.name].dropna())


def _never_meet(numbers: Numbers, n_rows: int) -> npt.NDArray[np.bool_]:
    """Return whether all values of a column differ, of which random ones would have equal pairs."""
    n_pairs = numbers.n_values * (numbers.n_values - 1) / 2
    are_different = numbers.n_values == n_rows - numbers.n_missing
    return np.asarray(are_different & (numbers.high - n_pairs / LEAST_OF_PAIRS < numbers.low))


def _numbers_without_name(
    columns: Sequence[Column], numbers: Numbers, n_rows: int
) -> frozenset[str]:
    """The few columns without a name whose whole numbers nearly all differ, as ids do."""
    usable = {column.name for column in columns if column.role is Role.NUMERIC}
    are_such = numbers.is_whole & (
        numbers.n_values >= max(LEAST_DIFFERENT, DISTINCT_SHARE * n_rows)
    )
    names = [n for n in numbers.which(are_such) if n in usable and _UNNAMED.fullmatch(n)]
    return frozenset(names if len(names) <= MOST_ALIKE else ())


def _names_date_or_code(column: Column, numbers: Numbers) -> bool:
    """Return whether numbers are named as dates, years or codes, of which hardly any may repeat."""
    last = (words_of(column.name) or ("",))[-1]
    if last not in _DATES_OR_CODES:  # as of most columns
        return False
    place = numbers.names.index(column.name)
    low, high, is_whole = numbers.low[place], numbers.high[place], numbers.is_whole[place]
    if last in _YEARS:
        return bool(is_whole and low >= FIRST_YEAR and high <= LAST_YEAR)
    return bool(low >= 0 and (last == "date" or (is_whole and column.n_values > 2)))


def _is_span(before: str, word: str) -> bool:
    """Return whether two words say how long, as of sales_3_month, rather than which."""
    return before.isdecimal() and word.removesuffix("s") in OCCASION_WORDS
