"""Tables whose rows are features, as what stands above and beside these tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from string import ascii_uppercase

from melm_studio.tables.formatting import letters_of, words_of
from melm_studio.tables.grammars.layout import (
    MOST_LINES,
    FirstLines,
    Layout,
    Turned,
    is_number,
)
from melm_studio.tables.grammars.sample_names import are_crossed, words_of_samples
from melm_studio.tables.identifiers import CHROMOSOMES, PLAIN_NAMES, names_identifier
from melm_studio.tables.quantities import is_unit

LEAST_SAMPLES, LEAST_FEATURES = 4, 3
LEAST_RECURRING = 6  # columns whose names are those of their groups
MOST_ABOVE = 15  # rows that say what the samples are
MOST_BESIDE = 80  # columns that say what the features are
MOST_GROUPS = 20
NEARLY_ALL = 0.8
LEAST_PART = 4  # letters, of a word within one: mzML has no mz
PROBED = 50  # columns, before all are looked at
FAR_MORE = 10  # features for each sample
MANY_TELLING = 3  # columns that say what features are, wherever these stand before the samples
_PEAKS = (" Peak area", " Peak height")  # of a sample each, as mzmine ends their names
_TAXON = re.compile(r"(?:^|[;|] ?)[dkpcofgst]__|^[^\W\d]+(?:[;|] ?[^;|]+){3,}$|^[ACGTUN]{30,}$")
_PEPTIDE = re.compile("[ACDEFGHIKLMNPQRSTVWY]{7,}(?<=[KR])")  # that trypsin cut
# PC 34:1, TG(16:0/18:1/18:1), Cer d18:1, or their classes.
_LIPID = re.compile(
    r"[A-Za-z][\w\-]{1,9}[ (]{0,2}[dmtOPe\-]{0,3}\d{1,2}:\d(?!\d).*"
    r"|(?:[LM]?P[ACEGIS]|[DMT]A?G|SM|CE|FA|CHOL|CHE|CL|(?:HEX\d?|LAC)?CER)",
    re.IGNORECASE,
)
# First names of rows of words above numbers, below which no unit stands.
_MARKS = {*PLAIN_NAMES, "condition", "factor", "group", "groups", "phenotype", "treatment"}
_GAPS = {"", "na", "nan", "n/a", "none", "null", "-", "filtered"}
# Words of columns that say what features are, as programs for spectra, proteins and genes do.
_WORDS_OF_FEATURES = {
    "accession", "accessions", "adduct", "adducts", "analyte", "annotation", "asv", "cas", "charge",
    "chr", "chromosome", "clid", "compound", "compounds", "cpg", "ensembl", "entrez", "formula",
    "gene", "genes", "gid", "gweight", "hmdb", "inchi", "inchikey", "kegg", "locus", "metabolite",
    "metabolites", "mirna", "modifications", "mz", "ontology", "orf", "otu", "pathway", "peptide",
    "peptides", "probe", "probeset", "protein", "proteins", "pubchem", "retention", "rt",
    "sequence", "smiles", "strand", "superclass", "symbol", "taxon", "taxonomy", "transcript",
    "uniprot", "yorf",
}  # fmt: skip
# Numbers that say of genes or proteins where they are and how long, behind names of these.
_PLACES = {"end", "length", "start", "stop", "width"}
_CHROMOSOMES = CHROMOSOMES | {"seqnames"}
# Of which the name is an id, a name or a mass.
_THINGS = {
    "row", "alignment", "feature", "compound", "cluster", "peak", "average", "mean", "quant", "ref",
}  # fmt: skip
_SUCH = {"id", "name", "mass", "mz", "rt"}
_TIMES = {"rt", "retention"}
_HIGH_RANKS = {"domain", "kingdom", "lineage", "phylum", "taxonomy"}
_RANKS = {"domain", "kingdom", "phylum", "class", "order", "family", "genus", "species"}
LEAST_RANKS = 3  # that are of taxa: one or two may be of the samples
# Of statistics of a comparison, in letters alone: adj.P.Val, padj, log2FoldChange.
_CHANGES = ("foldchange", "lfc", "logfc", "logratio")
_CHANCES = ("adjp", "fdr", "padj", "pval", "qval")
_RATIO = "ratio"  # a word of its own, which concentration and duration are not
MOST_STATISTICS = 4
_DIGITS = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def below_samples(first: FirstLines) -> Layout | None:
    """Rows that say what the samples are above rows of numbers, each named by its first cell."""
    start = _first_record(first)
    if start:
        first = FirstLines("\n".join([*first.texts[start:], ""]).encode())
    rows = first.rows
    n_above, taxa = _first_feature(rows, len(first.texts))
    if not n_above:
        return None
    width, above = len(rows[0]), rows[:n_above]
    groups = [row for row in above if _are_groups(row[1:]) or _are_classes(row)]
    if not (taxa or groups) or not (n_above == 2 or all(row[0] for row in above[1:])):
        return None
    sample_row = next((row for row in above if len({*row[1:]}) == width - 1), None)
    samples = sample_row[1:] if sample_row else [f"sample {number}" for number in range(1, width)]
    marks = {
        (row[0] if n_above > 1 else "") or "group": row[1:]
        for row in above
        if row is not sample_row and len({*row[1:]}) > 1 and not _are_numbers(row[1:])
    }
    step = "Turned: the columns are samples, each row below what is said of them is a feature."
    asked = {"samples": "Rows of words about the columns stand above rows of numbers"}
    if taxa:
        asked = {"samples": "Its rows have the names of taxa, lipids or peptides"}
    columns = tuple(range(1, width))
    turned = Turned(columns, tuple(samples), marks=marks)
    n_lines = start + n_above
    return Layout(step, tuple(rows[0]), n_lines, first.delimiter, asked=asked, turned=turned)


def _first_feature(rows: Sequence[Sequence[str]], n_lines: int) -> tuple[int, bool]:
    """The first of the rows that are features, and whether they are named so; 0 if none are."""
    width = len(rows[0]) if rows else 0
    if width <= LEAST_SAMPLES or any(len(row) != width for row in rows):
        return 0, False
    named = (_TAXON.search(row[0]) or _PEPTIDE.fullmatch(row[0]) for row in rows[1:])
    first = next((index for index, is_named in enumerate(named, start=1) if is_named), 0)
    names = [row[0] for row in rows[first:]]
    taxa = first > 0 and (_are_taxa(names) or _do_nearly_all(names, _PEPTIDE.fullmatch))
    index = next(
        (index for index, row in enumerate(rows) if index and _are_numbers(row[1:PROBED])), 0
    )
    index = first if taxa else index
    below = rows[index:]
    names = [row[0] for row in below]
    recur = index == 1 and width > LEAST_RECURRING and _are_groups(rows[0][1:])
    is_said = index == 2 and (rows[0][0] != "" or n_lines > width + index)
    is_said = is_said and _are_said_of_samples(rows[:2])
    are_words = recur or is_said or not any(map(is_number, names))
    is_named = len({*names}) == len(names) and all(names) and are_words
    is_above = index > 2 or recur or is_said
    is_such = is_named and len(below) >= LEAST_FEATURES and (taxa or is_above)
    if not is_such or index > MOST_ABOVE or not all(_are_numbers(row[1:]) for row in below):
        return 0, False
    return index, taxa


def _are_said_of_samples(above: Sequence[Sequence[str]]) -> bool:
    """Return whether two rows with names say the same of several samples, as no header does.

    Or whether the second one has classes, as a name says or, below names alone, groups do that are
    no units.
    """
    (name, *cells), (other, *others) = above
    if name and _are_classes(above[1]):
        return True
    if not (name or other) and len({*cells}) == len(cells):
        are_letters = ascii_uppercase.startswith("".join(sorted({*others})))  # A, B and C
        return _are_groups(others) and (are_letters or not all(map(is_unit, {*others})))
    return bool(name and other) and len({*zip(cells, others, strict=True)}) < len(cells)


def _are_taxa(names: Sequence[str]) -> bool:
    """Return whether nearly all of these are taxa, or nearly all of them lipids."""
    return any(_do_nearly_all(names, matches) for matches in (_TAXON.search, _LIPID.fullmatch))


def _do_nearly_all(names: Sequence[str], matches: Callable[[str], re.Match[str] | None]) -> bool:
    return sum(map(bool, map(matches, names))) >= NEARLY_ALL * len(names)


def said_beside_taxa(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns before and behind most, which are taxa, as those of bar plots of QIIME 2.

    Examples
    --------
    >>> said_beside_taxa(["id", "k__A;p__B", "Unassigned;__", "k__A;p__C", "k__D;p__E", "pH"])
    ('id', 'pH')
    >>> said_beside_taxa(["id", "k__A;p__B", "pH", "depth"])
    ()
    """
    if not any(map(_TAXON.search, names[:: max(1, len(names) // PROBED)])):  # as of most tables
        return ()
    taxa = [j for j, name in enumerate(names) if _TAXON.search(name) or name.endswith(";__")]
    if len(taxa) < LEAST_FEATURES or 2 * len(taxa) <= len(names):
        return ()
    return (*names[: taxa[0]], *names[taxa[-1] + 1 :])


def behind_a_corner(first: FirstLines) -> Layout | None:
    """Return samples above the numbers and features beside them, behind an empty corner."""
    rows = first.rows
    if len(rows) < LEAST_FEATURES + 2 or len({*map(len, rows)}) > 1:
        return None
    corner = next((index for index, cell in enumerate(rows[0]) if cell), 0)
    n_above = next((index for index, row in enumerate(rows) if any(row[:corner])), 0)
    above = [row for row in rows[:n_above] if any(row)]
    if not 2 <= corner <= MOST_BESIDE or not 2 <= len(above) <= MOST_ABOVE:
        return None
    has_header = not _are_numbers(rows[n_above][corner + 1 :])
    below = rows[n_above + has_header :]
    columns = range(corner + 1, len(rows[0]))
    is_whole = all(above[0][corner:]) and all(row[corner] for row in above)
    is_whole = is_whole and len(below) >= LEAST_FEATURES
    if len(columns) < LEAST_SAMPLES or not is_whole:
        return None
    if not all(_are_numbers(row[corner + 1 :]) or not any(row[corner + 1 :]) for row in below):
        return None
    texts = [j for j in range(corner + 1) if len({row[j] for row in below}) == len(below)]
    if not texts:
        return None
    sample_row = next((row for row in above if len({*row[corner + 1 :]}) == len(columns)), above[0])
    marks = {
        row[corner]: row[corner + 1 :]
        for row in above
        if row is not sample_row and len({*row[corner + 1 :]}) > 1
    }
    step = "Turned: the columns are samples, what these are stands above the numbers."
    asked = {"samples": "What the columns are stands above numbers, what rows are beside them"}
    turned = Turned(tuple(columns), tuple(sample_row[corner + 1 :]), tuple(texts[:1]), marks)
    n_lines = n_above + has_header
    return Layout(step, tuple(sample_row), n_lines, first.delimiter, asked=asked, turned=turned)


def beside_annotations(first: FirstLines) -> Layout | None:
    """Names, masses and the like of features, and behind these a column for each sample.

    Behind the samples may be more that says what features are, and below the header a row with the
    group of each sample.
    """
    rows = first.rows
    if len(rows) < LEAST_FEATURES + 1 or len({*map(len, rows)}) > 1:
        return None
    header, group = rows[0], rows[1][0]
    n_empty = next((index for index, cell in enumerate(rows[1][1:]) if cell), 0)
    groups = rows[1][1 + n_empty :] if group and n_empty else []
    groups = groups if _are_groups(groups) else []
    below = rows[2:] if groups else rows[1:]
    peaks = _columns_of_peaks(header) if any(map(says_features, header[:2])) else []
    columns = peaks or _samples_between(header, below)
    if len(columns) < LEAST_SAMPLES:
        return None
    samples = [header[j] for j in columns]
    said = [*header[: columns[0]], *header[columns[-1] + 1 :]]
    are_many = far_more_rows(samples, len(first.texts) - 1)
    columns_below = zip(header, zip(*below, strict=True), strict=True)
    varying = (name for name, cells in columns_below if len({*cells}) > 1)
    is_first = says_features(next(varying, "")) or are_many  # behind the name of the study
    is_first = is_first or _are_of_peaks(said) or sum(map(says_features, said)) >= MANY_TELLING
    # A first column without a name, as R writes names of rows, says nothing itself.
    is_first = is_first or (_are_placed(said) and _SUCH.issuperset(words_of(header[0])))
    of_many = {"name", *(_PLACES if are_many or _are_placed(said) else ())}
    telling = [name for name in said if says_features(name) or name.lower() in of_many]
    if are_many and telling and _SUCH & {*words_of(header[0])}:
        # The ids of genes; where they are those of patients, a gene said of these recurs.
        cells = [*filter(None, (row[header.index(telling[0])] for row in below))]
        is_alone = len({*cells}) >= max(LEAST_FEATURES, NEARLY_ALL * len(cells))
        telling = [*dict.fromkeys((header[0], *telling))] if is_alone else telling
    texts = [j for j in range(columns[0]) if len({row[j] for row in below}) == len(below)]
    # One tells it below groups, or where it names the rows and names of samples have groups, of
    # which no column stands before them that is empty.
    beside = ({row[j].casefold() for row in below} for j in range(columns[0]))
    are_words = not any(map(_GAPS.issuperset, beside))
    is_told = are_words and any(header[j] in telling for j in texts) and _form_groups(samples)
    least = 1 if groups or is_told else 2
    if not (is_first or groups) or len(said) < 2 or len(telling) < least:
        return None
    is_grouped = len(groups) == len(samples) if groups else bool(peaks) or are_alike(samples)
    are_samples = is_grouped and not any(map(says_features, samples))
    if not are_samples or not all(_are_numbers([row[j] for row in below]) for j in columns):
        return None
    if not texts:
        return None
    step = f"Turned: the {len(samples)} columns behind {header[columns[0] - 1]} are samples."
    tell = " and ".join(telling[:2]) + (" say" if telling[1:] else " says")
    asked = {"samples": f"{tell} what features are"}
    marks = {group: groups} if groups else {}
    turned = Turned(tuple(columns), _without_record(samples), tuple(texts[:1]), marks)
    n_lines = 2 if groups else 1
    return Layout(step, tuple(header), n_lines, first.delimiter, asked=asked, turned=turned)


def _columns_of_peaks(names: Sequence[str]) -> list[int]:
    """The columns of areas of peaks, else of heights; none unless several have such names."""
    ending = [j for j, name in enumerate(names) if name.endswith(_PEAKS)]
    kinds = ([j for j in ending if names[j].endswith(kind)] for kind in _PEAKS)
    return next((columns for columns in kinds if len(columns) >= LEAST_SAMPLES), [])


def _without_record(names: Sequence[str]) -> tuple[str, ...]:
    """The names without that of the record within which they all stand in JSON: DATA.a, DATA.b."""
    (record, *others) = {name.partition(".")[0] for name in names}
    bare = tuple(name.removeprefix(f"{record}.") for name in names)
    are_names = all(name[:1].isalpha() for name in bare)
    return bare if are_names and not others else tuple(names)


def _samples_between(header: Sequence[str], below: Sequence[Sequence[str]]) -> range:
    """The columns behind and before all that may say what features are; none without such.

    Ratios and p-values do so beside samples: where all are ratios, these are the samples.
    """
    first_columns = range(min(len(header), MOST_BESIDE + 1))
    ends = (index for index in first_columns if not _may_be_beside(index, header, below))
    beside, behind = next(ends, 0), len(header)
    if not beside:
        return range(0)
    while _may_be_beside(behind - 1, header, below):  # ends, since a sample stands before
        behind -= 1
    is_said = any(says_features(name) or name.lower() in _PLACES for name in header[behind:])
    behind = behind if is_said else len(header)
    start, end = beside, behind
    while start < end and _is_statistic(header[start]):
        start += 1
    while start < end and _is_statistic(header[end - 1]):
        end -= 1
    return range(start, end) if end - start >= LEAST_SAMPLES else range(beside, behind)


def _is_statistic(name: str) -> bool:
    return _says(name, (*_CHANGES, *_CHANCES))


def beside_taxa(first: FirstLines) -> Layout | None:
    """A column of taxa, wherever it stands; the columns of counts or of alike names are samples."""
    header, *below = first.rows or [[]]
    if len(below) < LEAST_FEATURES or {len(header)} != {*map(len, below)}:
        return None
    ranks = [j for j, name in enumerate(header) if name.lower() in _HIGH_RANKS]
    taxa = [j for j, cell in enumerate(below[0]) if not is_number(cell) and _are_taxa([cell])]
    taxa = [j for j in taxa if _are_taxa([row[j] for row in below])]
    # One word in all rows is the domain of a clinical trial, or MG for milligrams.
    if len(_RANKS.intersection(map(str.lower, header))) == 1:
        ranks = [j for j in ranks if len({row[j] for row in below}) > 1]
    taxa = [j for j in taxa if len({row[j] for row in below}) > 1]
    if not (ranks or taxa):
        return None
    columns = [*zip(*below, strict=True)]
    are_names = names_identifier(header[0] or "id") and len({*columns[0]}) == len(below)
    may_be = range(are_names, len(header))
    numbers = tuple(j for j in may_be if _are_numbers(columns[j]))
    names = tuple(j for j, cells in enumerate(columns) if len({*cells}) == len(below))
    names = tuple(j for j in names if j not in numbers)
    samples = tuple(header[j] for j in numbers)
    counts = all(cell.isdigit() for j in numbers for cell in columns[j])
    if len(numbers) < LEAST_SAMPLES or not names or not (counts or (taxa and are_alike(samples))):
        return None
    name = header[(taxa or ranks)[0]]
    step = (
        f"Turned: the {len(numbers)} columns of numbers are samples, as {name} says what rows are."
    )
    turned = Turned(numbers, samples, names[:1])
    asked = {"samples": f"{name} says what rows are"}
    return Layout(step, tuple(header), 1, first.delimiter, asked=asked, turned=turned)


def beside_statistics(first: FirstLines) -> Layout | None:
    """Changes and p-values of features, and among these a column for each sample of the groups."""
    header, *below = first.rows or [[]]
    if len(below) < LEAST_FEATURES or {len(header)} != {*map(len, below)}:
        return None
    letters = letters_of("".join(header))  # soon seen to have none of them
    kinds = ((*_CHANGES, _RATIO), _CHANCES)
    if not all(any(word in letters for word in words) for words in kinds):
        return None
    is_said = [[_says(name, words) for name in header] for words in (_CHANGES, _CHANCES)]
    columns = [*zip(*below, strict=True)]
    names = [j for j, cells in enumerate(columns) if len({*cells}) == len(below)]
    names = [j for j in names if not _are_numbers(columns[j])]
    if not all(map(any, is_said)) or not names:
        return None
    is_sample = [
        _are_numbers(cells) and not says_features(name) and not any(said)
        for name, cells, *said in zip(header, columns, *is_said, strict=True)
    ]
    runs = [[*run] for is_run, run in groupby(range(len(header)), is_sample.__getitem__) if is_run]
    longest = max(runs, key=len, default=[])
    # Behind or before them may be further statistics: means, t.
    parts = (longest[start : len(longest) - end] for start in range(MOST_STATISTICS)
             for end in range(MOST_STATISTICS))  # fmt: skip
    samples = next((part for part in parts if _form_groups([header[j] for j in part])), [])
    if not samples:
        return None
    step = f"Turned: {len(samples)} columns are samples, beside changes and p-values of features."
    asked = {"samples": "Changes and p-values say what rows are"}
    turned = Turned(tuple(samples), tuple(header[j] for j in samples), tuple(names[:1]))
    return Layout(step, tuple(header), 1, first.delimiter, asked=asked, turned=turned)


def _says(name: str, statistics: Sequence[str]) -> bool:
    """Return whether a name has one of these statistics in its letters, or for changes a ratio."""
    letters = letters_of(name)
    is_ratio = statistics is not _CHANCES and _RATIO in letters and _RATIO in words_of(name)
    return is_ratio or any(word in letters for word in statistics)


def _form_groups(samples: Sequence[str]) -> bool:
    return len(samples) >= LEAST_SAMPLES and bool(words_of_samples(samples))


def below_alike_names(first: FirstLines) -> Layout | None:
    """Names of features, and behind them far fewer columns of numbers whose names form groups."""
    rows = first.rows
    if len(rows) < LEAST_FEATURES + 1 or len({*map(len, rows)}) > 1:
        return None
    (corner, *samples), below = rows[0], rows[1:]
    names = [row[0] for row in below]
    is_named = all(names) and len({*names}) == len(names) and not any(map(is_number, names))
    if not is_named or not far_more_rows(samples, len(first.texts) - 1):
        return None
    are_numbered = all(map(_DIGITS.search, samples)) and not any(map(_YEAR.search, samples))
    counts = all(cell.isdigit() for row in below for cell in row[1:])
    is_grouped = bool(words_of_samples(samples)) or (are_numbered and counts)
    if not (says_features(corner) or are_numbered) or not is_grouped:
        return None
    if not all(_are_numbers([row[j] for row in below]) for j in range(1, len(rows[0]))):
        return None
    step = f"Turned: the {len(samples)} columns behind {corner or 'the first'} are samples."
    asked = {"samples": "It has far more rows than columns, whose names have groups"}
    turned = Turned(tuple(range(1, len(rows[0]))), tuple(samples))
    return Layout(step, tuple(rows[0]), 1, first.delimiter, asked=asked, turned=turned)


def far_more_rows(samples: Sequence[str], n_rows: int) -> bool:
    """Return whether there are far more rows than columns of alike names, as of features.

    Parameters
    ----------
    samples : sequence of str
        The names of the columns.
    n_rows : int
        Those of the file, or of its first lines.
    """
    n_samples = len(samples)
    enough = min(FAR_MORE * n_samples, MOST_LINES - 1)
    return n_samples >= LEAST_SAMPLES and n_rows >= enough and are_alike(samples)


def _first_record(first: FirstLines) -> int:
    """The first line that is no comment."""
    return next(
        (index for index, text in enumerate(first.texts) if not text.startswith(("#mpa", "##"))), 0
    )


def _may_be_beside(column: int, header: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    is_place = header[column].lower() in _PLACES and (
        says_features(header[0]) or _are_placed(header[:MOST_BESIDE])
    )
    is_said = is_place or says_features(header[column])
    return is_said or not _are_numbers([row[column] for row in below])


def _are_placed(names: Sequence[str]) -> bool:
    """Return whether the names are of a chromosome and of several places on it."""
    plain = {*map(str.lower, names)}
    return not plain.isdisjoint(_CHROMOSOMES) and len(plain & _PLACES) > 1


def _are_of_peaks(names: Sequence[str]) -> bool:
    """Return whether names are of a mass and of the time at which it left a column."""
    words = [{*words_of(_in_words(name))} for name in names]
    return any("mz" in each for each in words) and any(_TIMES & each for each in words)


def _in_words(name: str) -> str:
    """A name, of which the abbreviations of spectra are words."""
    return name.lower().replace("m/z", "mz").replace("m.z", "mz").replace("r.t.", "rt")


def says_features(name: str) -> bool:
    """Return whether the name of a column says what features are, as "PG.ProteinGroups" does."""
    plain = _in_words(name)
    parts = (word for word in words_of(name) if len(word) >= LEAST_PART)  # of ProteinGroups
    words = {*words_of(plain), *parts}
    words |= {word.removesuffix("id") for word in words}  # Geneid
    is_thing = not words.isdisjoint(_THINGS) and not words.isdisjoint(_SUCH)
    return is_thing or not words.isdisjoint(_WORDS_OF_FEATURES)


def are_of_features(header: Sequence[str]) -> bool:
    """Return whether half of the columns behind the first say what features are.

    Examples
    --------
    >>> are_of_features(["", "Kingdom", "Phylum", "Class"]), are_of_features(["id", "Class", "age"])
    (True, False)
    """
    ranks = [name for name in header if name.lower() in _RANKS]
    n_said = sum(map(says_features, header))
    n_said += len(ranks) if len(ranks) >= LEAST_RANKS else 0
    return 2 * n_said >= max(2, len(header) - 1)


def _are_numbers(cells: Sequence[str]) -> bool:
    """Return whether the cells are numbers or missing, not all of these."""
    present = [cell for cell in cells if cell.casefold() not in _GAPS]
    return bool(present) and all(map(is_number, present))


def _are_classes(row: Sequence[str]) -> bool:
    """Return whether a row named as classes are has groups, most of whose samples are not alone."""
    counts = Counter(row[1:])
    together = [cell for cell in row[1:] if counts[cell] > 1]
    are_most = 2 * len(together) > len(row[1:])
    return row[0].casefold() in _MARKS and are_most and _are_groups(together) and all(counts)


def _are_groups(cells: Sequence[str]) -> bool:
    counts = Counter(cells)
    if not 2 <= len(counts) <= MOST_GROUPS or min(counts.values()) < 2:
        return False
    return all(cell and not is_number(cell) for cell in counts)


def are_alike(samples: Sequence[str]) -> bool:
    """Return whether names of samples differ in numbers alone, or in parts that recur."""
    if not {*PLAIN_NAMES}.isdisjoint(map(str.lower, samples)):
        return False
    shapes = {_DIGITS.sub("#", name) for name in samples}
    return len({*samples}) == len(samples) and (
        len(shapes) <= max(1, (len(samples) + 2) // 3)
        or bool(words_of_samples(samples) or are_crossed(samples))
    )
