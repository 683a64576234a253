"""Long tables: a row for each feature of each sample, as programs for proteins write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from melm_studio.tables.formatting import words_of
from melm_studio.tables.grammars.features_in_rows import says_features
from melm_studio.tables.grammars.layout import FirstLines, Layout, Long, is_number
from melm_studio.tables.identifiers import KEYS_OF_TRIALS
from melm_studio.tables.quantities import is_unit

LEAST_FEATURES, LEAST_SAMPLES = 3, 1.1  # of each sample and of each feature, on average
MOST_COLUMNS, MOST_MARKS = 200, 20
MANY_ROWS = 1_000  # below which one sample may be followed by others
# What names of columns of samples end with, but for id.
_SAMPLES = (("sample",), ("run",), ("file", "name"), ("raw", "file"), ("plot",), ("site",))
_VALUES = {
    "abundance", "concentration", "count", "counts", "expression", "intensity", "normalised",
    "npx", "quantity",
}  # fmt: skip
_FEATURES = {"precursor", "species"}  # of long tables alone; elsewhere these are kinds or masses
_VARIABLES = {
    (word,)
    for word in (
        "attribute", "element", "feature", "indicator", "measure", "measurement", "metric",
        "parameter", "trait", "variable",
    )
}  # fmt: skip
_BESIDE_VALUES = {("key",), ("name",)}  # else of a person or a thing
LEAST_MELTED = 2  # variables
MOST_PAIRED = 12  # columns of which two may name the samples together
_OF_VALUES = {("result",), ("value",)}
_UNITS = {"unit", "units"}
# Of clinical trials.
_UNITS_OF_FINDINGS = re.compile(r"[A-Z]{2}(?:OR|ST)RESU")
_OF_FINDINGS = re.compile(r"([A-Z]{2})TESTCD")
# Of which subject, at which visit, when, and of which part of it, as far as that tells them apart.
_WHEN = ("USUBJID", "VISITNUM", "VISIT", "VISITDY", "{}DY", "{}DTC", "{}TPT", "{}SPEC", "{}LAT")
_ANALYZED = {"USUBJID", "PARAMCD", "AVAL"}
_WHEN_ANALYZED = ("USUBJID", "AVISITN", "AVISIT", "ADY", "ADT", "ADTM", "ATPTN", "ATPT")
MOSTLY = 0.5  # of the variables of all samples, those that are given
NEARLY = 0.9  # the same, of features of samples that only their columns show; others stay rows
PARTLY = 0.25  # the same, of measures with units: laboratories do a few of their tests each time
_NO_LETTERS_OR_DIGITS = re.compile(r"[^a-z0-9]+")
_GAPS = {"", "na", "nan", "null", "filtered"}


@dataclass(frozen=True)
class _Report:
    """A report of samples, a row for each finding; its columns in letters and digits.

    The first of the columns of samples and of values that there is counts.
    """

    of: str
    columns: frozenset[str]
    samples: tuple[str, ...]
    feature: str
    values: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_summed: bool = False


_REPORTS = (
    _Report(
        "precursors of DIA-NN",
        frozenset({"run", "proteingroup", "precursorid"}),
        ("run",),
        "proteingroup",
        ("pgmaxlfq", "pgnormalised", "pgquantity"),
    ),
    _Report(
        "a report of Spectronaut",
        frozenset({"rfilename", "pgproteingroups"}),
        ("rfilename",),
        "pgproteingroups",
        ("pgquantity",),
        ("rcondition", "rreplicate"),
    ),
    _Report(
        "evidence of MaxQuant",
        frozenset({"rawfile", "sequence", "leadingrazorprotein", "charge"}),
        ("experiment", "rawfile"),
        "sequence",
        ("intensity",),
        left_out=dict.fromkeys(("reverse", "potentialcontaminant", "contaminant"), ("+",)),
        is_summed=True,
    ),
    _Report(
        "peptides of OpenSWATH",
        frozenset({"filename", "fullpeptidename", "proteinname", "transitiongroupid"}),
        ("filename",),
        "fullpeptidename",
        ("intensity",),
        left_out={"decoy": ("1", "1.0")},
        is_summed=True,
    ),
    _Report(
        "peaks of FlashLFQ",
        frozenset({"filename", "fullsequence", "proteingroup", "peakintensity"}),
        ("filename",),
        "fullsequence",
        ("peakintensity",),
        is_summed=True,
    ),
    _Report(
        "spectra of Discoverer",
        frozenset({"spectrumfile", "sequence", "precursorarea"}),
        ("spectrumfile",),
        "sequence",
        ("precursorarea",),
        is_summed=True,
    ),
    _Report(
        "mutations (MAF)",
        frozenset({"hugosymbol", "variantclassification", "tumorsamplebarcode"}),
        ("tumorsamplebarcode",),
        "hugosymbol",
    ),
)


def report(first: FirstLines) -> Layout | None:
    """Reports of programs, which have several rows for each feature of each sample."""
    header = first.cells(0, first.delimiter)
    places = {_NO_LETTERS_OR_DIGITS.sub("", name.lower()): i for i, name in enumerate(header)}
    of = next((of for of in _REPORTS if of.columns <= places.keys()), None)
    if of is None:
        return None
    sample = next(places[name] for name in of.samples if name in places)
    value = next((places[name] for name in of.values if name in places), None)
    if of.values and value is None:
        return None
    feature = places[of.feature]
    what = "mutated or not" if value is None else header[value]
    named = f"{header[feature]} ({what})"
    step = f"Read as {of.of}: each {header[sample]} is a row, its features {named}."
    long = Long(
        (sample,),
        (feature,),
        value,
        tuple(places[name] for name in of.marks if name in places),
        {places[name]: marks for name, marks in of.left_out.items() if name in places},
        of.is_summed,
    )
    asked = {"samples": f"Each row has one {header[feature]} of one {header[sample]}"}
    refusal = (
        f"The file has {of.of} of a single sample ({header[sample]}). Drop one of several samples: "
        "each becomes a row."
    )
    return Layout(
        step, tuple(header), 1, first.delimiter, asked=asked, turned=long, refusal=refusal
    )


def long_table(first: FirstLines) -> Layout | None:
    """Columns of samples, of features and of what was measured, once for each pair of them."""
    header, rows = _rows(first)
    values, features, samples = _candidates(header)
    named = [(index,) for index in features] + [*combinations(features, 2)]
    for value, feature, sample in product(values, named, samples):
        of_samples = [(row[sample],) for row in rows]
        if sample not in feature and _has_pairs(rows, of_samples, feature, value):
            marks = _marks(rows, of_samples, (sample,), (value, *feature))
            return _layout(first, Long((sample,), feature, value, marks), value)
    return None


def melted(first: FirstLines) -> Layout | None:
    """Columns of the names of variables and of their values, as melt and pivot_longer write them.

    One of the others names the samples, or several do; else these stand in the same order for each
    variable, which all that the others say of them shows. Genes and the like are variables where
    another column says more of the samples.
    """
    header, all_rows = _rows(first)
    beside_units, of_things = {*_beside_units(header, all_rows)}, {*_of_things(header)}
    pairs = (*product(*_melted(header)), *sorted(beside_units), *sorted(of_things))
    for value, feature in pairs:
        is_of_things = (value, feature) in of_things
        rows = _once(all_rows, value) if is_of_things else all_rows
        texts = [{row[index] for row in rows} for index in range(len(header))]
        others = [
            index
            for index, names in enumerate(texts)
            if index not in (value, feature) and 1 < len(names) <= len(rows) / LEAST_MELTED
        ]
        sample = _naming(rows, others, feature)
        n_before: Counter[str] = Counter()
        of_samples = [tuple(row[index] for index in sample) for row in rows]
        for place, row in enumerate([] if sample else rows):
            n_before[row[feature]] += 1
            of_samples[place] = (str(n_before[row[feature]]),)
        marks = _marks(rows, of_samples, sample, (value, feature))
        are_told = sample and marks if is_of_things else sample or 0 < len(others) <= len(marks)
        share = PARTLY if (value, feature) in beside_units else NEARLY if is_of_things else MOSTLY
        is_full = len(rows) >= share * len(texts[feature]) * len({*of_samples})
        if not (are_told and is_full):
            continue
        if _has_pairs(rows, of_samples, (feature,), value, LEAST_MELTED):
            return _layout(first, Long(sample, (feature,), value, marks), value)
    return None


def findings(first: FirstLines) -> Layout | None:
    """Findings of trials: a row for each test of a subject at a time.

    As they were collected (SDTM, SEND), or as they are analyzed (ADaM).
    """
    header = first.rows[0] if first.rows else []
    are_analyzed, domain = _ANALYZED.issubset(header), _domain(header)
    if not (are_analyzed or domain):
        return None
    rows = [row for row, _ in first.records(first.delimiter) if len(row) == len(header)][1:]
    names = ("AVAL", "PARAMCD") if are_analyzed else (f"{domain}STRESN", f"{domain}TESTCD")
    value, feature = map(header.index, names)
    when = (name.format(domain) for name in (_WHEN_ANALYZED if are_analyzed else _WHEN))
    sample = _naming(rows, [header.index(name) for name in when if name in header], feature)
    if not sample:
        return None
    sample = tuple(dict.fromkeys((header.index("USUBJID"), *sample)))
    of_samples = [tuple(row[index] for index in sample) for row in rows]
    if not _has_pairs(rows, of_samples, (feature,), value, LEAST_MELTED):
        return None
    marks = _marks(rows, of_samples, sample, (value, feature))
    return _layout(first, Long(sample, (feature,), value, marks), value)


def _domain(names: Sequence[str]) -> str:
    """The two letters of a domain of findings with results in numbers; none of others."""
    if not KEYS_OF_TRIALS.issubset(names):  # as of most tables, which may be wide
        return ""
    codes = (code[1] for code in map(_OF_FINDINGS.fullmatch, names) if code)
    return next((domain for domain in codes if f"{domain}STRESN" in names), "")


def _once(rows: Sequence[Sequence[str]], value: int) -> list[Sequence[str]]:
    """The first of the rows that differ in one column alone; all, if these are most of them."""
    firsts = {(*row[:value], *row[value + 1 :]): row for row in reversed(rows)}
    return [*reversed(firsts.values())] if len(firsts) > MOSTLY * len(rows) else [*rows]


def _rows(first: FirstLines) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, none if there are many, and the rows below."""
    header = first.rows[0] if first.rows else []
    if len(header) > MOST_COLUMNS or not (is_long(header) or any(map(names_units, header))):
        return [], []
    records = (row for row, _ in first.records(first.delimiter))
    return header, [row for row in records if len(row) == len(header)][1:]


def _layout(first: FirstLines, turned: Long, value: int) -> Layout:
    header = first.rows[0]
    named_by = " and ".join(header[index] for index in turned.feature)
    named = " and ".join(header[index] for index in turned.sample) or "row of all variables"
    step = f"Read as a long table: each {named} is a row, its features {named_by}."
    asked = {"samples": f"Each row has the {header[value]} of one {named_by} of one sample"}
    return Layout(step, tuple(header), 1, first.delimiter, asked=asked, turned=turned)


def _naming(rows: Sequence[Sequence[str]], others: Sequence[int], feature: int) -> tuple[int, ...]:
    """The column that has each feature once for each value, or the first that do so together."""

    def n_pairs(sample: tuple[int, ...]) -> int:
        return len({tuple(row[index] for index in (feature, *sample)) for row in rows})

    together: tuple[int, ...] = ()
    for index in others:
        if n_pairs((*together, index)) > n_pairs(together):
            together = (*together, index)
    for likely in ([(index,) for index in others], combinations(others[:MOST_PAIRED], 2)):
        named = [sample for sample in likely if n_pairs(sample) == len(rows)]
        if named:
            return min(
                named, key=lambda sample: len({tuple(row[i] for i in sample) for row in rows})
            )
    return together if n_pairs(together) == len(rows) else ()


def is_long(names: Sequence[str]) -> bool:
    """Return whether columns are named as those of samples, features and measured values.

    Examples
    --------
    >>> is_long(["sample_id", "protein", "abundance"]), is_long(["sample_id", "protein"])
    (True, False)
    """
    are_known = all(_candidates(names)) or all(_melted(names)) or any(_of_things(names))
    return are_known or _domain(names) != ""


def measures_of_units(
    names: Sequence[str], columns: Sequence[Sequence[str]]
) -> dict[int, list[int]]:
    """The columns of units, and of each those of the names of measures that have one unit each.

    Parameters
    ----------
    names : sequence of str
    columns : sequence of sequence of str
        The cells of each.

    Examples
    --------
    >>> measures_of_units(["test", "unit"], [["mass", "size", "mass"], ["kg", "cm", "kg"]])
    {1: [0]}
    >>> measures_of_units(["ward", "unit"], [["a", "b", "a"], ["ICU", "ER", "ICU"]])
    {}
    """
    measures: dict[int, list[int]] = {}
    for place in filter(lambda place: names_units(names[place]), range(len(names))):
        units = columns[place]
        # Of capitals are wards, such as ER, and letters alone also name kinds.
        different = {*units} - {""}
        if len(different) > 1 and any(
            len(unit) > 1 and not unit.isupper() and is_unit(unit) for unit in different
        ):
            measures[place] = [
                other
                for other, cells in enumerate(columns)
                if not names_units(names[other])
                and _have_one_each(cells, units)
                and len({*cells}) >= len(different)
                and len({*cells}) * LEAST_MELTED <= len(cells)
                and not any(map(is_number, {*cells}))
            ]
    return measures


def _have_one_each(measures: Sequence[str], units: Sequence[str]) -> bool:
    """Return whether each measure has one unit or none, also where results lack theirs."""
    named = {(measure, unit) for measure, unit in zip(measures, units, strict=True) if unit}
    return len(named) == len({measure for measure, _ in named})


def names_units(name: str) -> bool:
    """Return whether a column is named as one of units."""
    return not _UNITS.isdisjoint(words_of(name)) or _UNITS_OF_FINDINGS.fullmatch(name) is not None


def _beside_units(
    header: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[tuple[int, int]]:
    """The columns of numbers beside those of units, and of the names of measures."""
    columns = [*zip(*rows, strict=True)]
    for place, features in measures_of_units(header, columns).items() if columns else ():
        for value in (place - 1, place + 1):
            cells = columns[value] if 0 <= value < len(columns) else ()
            if len({*cells}) > LEAST_MELTED and all(
                is_number(cell) or cell.lower() in _GAPS for cell in cells
            ):
                yield from ((value, feature) for feature in features)


def _candidates(names: Sequence[str]) -> tuple[list[int], list[int], list[int]]:
    """The columns that may be the value, the feature and the sample."""
    words = [words_of(name) for name in names]
    bare = [word[:-1] if word[-1:] == ("id",) else word for word in words]
    samples = [
        index
        for end in _SAMPLES
        for index, word in enumerate(bare)
        if word[len(word) - len(end) :] == end
    ]
    values = [index for index, word in enumerate(words) if _are_values(word)]
    features = [
        index
        for index, name in enumerate(names)
        if (says_features(name) or not _FEATURES.isdisjoint(words[index])) and index not in values
    ]
    return values, features, samples


def _melted(names: Sequence[str]) -> tuple[list[int], list[int]]:
    """The columns that may be the values and the variables."""
    words = [words_of(name) for name in names] if len(names) <= MOST_MARKS else []
    bare = [word[:-1] if len(word) > 1 and word[-1] == "name" else word for word in words]
    values = [index for index, word in enumerate(bare) if word[-1:] in _OF_VALUES]
    return values, [
        index
        for index, word in enumerate(bare)
        if word in _VARIABLES or (word in _BESIDE_VALUES and index + 1 in values)
    ]


def _are_values(words: tuple[str, ...]) -> bool:
    return not _VALUES.isdisjoint(words) or words == ("value",)


def _of_things(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The columns of what was measured and of genes and the like, each the only one."""
    words = [words_of(name) for name in names] if len(names) <= MOST_MARKS else []
    values = [index for index, word in enumerate(words) if _are_values(word)]
    features = [index for index, _ in enumerate(words) if says_features(names[index])]
    if len(values) == len(features) == 1 and values != features:
        yield values[0], features[0]


def _has_pairs(
    rows: Sequence[Sequence[str]],
    of_samples: Sequence[tuple[str, ...]],
    feature: tuple[int, ...],
    value: int,
    least: int = LEAST_FEATURES,
) -> bool:
    """Return whether each feature of a sample has one number, and samples have several features.

    What is the same in all samples, such as the sugar of a plant, says what features are.
    """
    values: dict[tuple[tuple[str, ...], ...], str] = {}
    for sample, row in zip(of_samples, rows, strict=True):
        pair = (sample, tuple(row[index] for index in feature))
        if values.setdefault(pair, row[value]) != row[value]:
            return False
    samples = {sample for sample, _ in values}
    features = {names for _, names in values}
    are_several = len(samples) > 1 or len(rows) >= MANY_ROWS
    are_numbers = all(is_number(text) or text.lower() in _GAPS for text in values.values())
    has_words = not any(is_number(name) for names in features for name in names)
    recur = len(samples) == 1 or len(values) >= LEAST_SAMPLES * len(features)
    are_pairs = recur and len(values) >= least * len(samples)
    of_features = {(pair[1], text) for pair, text in values.items()}
    varies = len(of_features) > len(features) or len(samples) == 1
    return are_several and are_numbers and has_words and are_pairs and varies


def _marks(
    rows: Sequence[Sequence[str]],
    of_samples: Sequence[tuple[str, ...]],
    sample: tuple[int, ...],
    measured: tuple[int, ...],
) -> tuple[int, ...]:
    """The other columns that have one value for each sample, or none, not the same of all.

    Also those of which several name the samples together.
    """
    but = (*measured, *(sample if len(sample) == 1 else ()))
    marks, is_one = [], len({*of_samples}) == 1
    for column in range(len(rows[0]) if rows else 0):
        texts = [(sample, row[column]) for sample, row in zip(of_samples, rows, strict=True)]
        text_of = {sample: text for sample, text in texts if text}
        is_same = all(text_of[sample] == text for sample, text in texts if text)
        if column not in but and is_same and (len({*text_of.values()}) > 1 or is_one):
            marks.append(column)
    return tuple(marks[:MOST_MARKS])
