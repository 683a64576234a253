"""Tables of GEO: series matrices and SOFT of curated data sets."""

from __future__ import annotations

from melm_studio.tables.grammars.layout import FirstLines, Layout, Turned
from melm_studio.tables.readers.soft_family import MOST_SAID, said_of_samples

_SERIES = "!series_matrix_table_begin"
_DATASET = "!dataset_table_begin"
_END = ("!series_matrix_table_end", "!dataset_table_end")
# Lines about samples that say nothing of what they are.
_SAID = ("!Sample_title", "!Sample_source_name", "!Sample_characteristics", "!Sample_description")

_NO_VALUES = (
    "The file is a series matrix of GEO without values, as those of sequencing are: its table is "
    "empty. Drop one of the supplementary files of the series, of counts or the like; in a .zip, "
    "this file may be beside it, and says what the samples are."
)


def series_matrix(first: FirstLines) -> Layout | None:
    """Expressions below lines about the series and its samples."""
    begin = _begin_of_series(first)
    if begin < 0:
        return None
    if _has_no_values(first, begin):
        return Layout("Read as a series matrix of GEO.", (), 1, refusal=_NO_VALUES)
    step = "Read as a series matrix of GEO"
    header = first.cells(begin + 1)
    return _turned(step, header, begin + 2, _said(first, begin, _SAID))


def samples_of_series(first: FirstLines) -> list[list[str]]:
    """Return a row for each sample of a series matrix without values, below the names of columns.

    Those of its titles and accession numbers, too, by which other tables may name the samples.
    None of another file.
    """
    begin = _begin_of_series(first)
    if begin < 0 or not _has_no_values(first, begin):
        return []
    said = _said(first, begin, (*_SAID, "!Sample_geo_accession"))
    return [[*said], *map(list, zip(*said.values(), strict=True))]


def _begin_of_series(first: FirstLines) -> int:
    """The line above the table of a series matrix; -1 in another file."""
    return first.starting(_SERIES) if first.starting("!Series_", "!Sample_") >= 0 else -1


def _has_no_values(first: FirstLines, begin: int) -> bool:
    return "".join(first.texts[begin + 2 : begin + 3]).startswith(_END)


def _said(first: FirstLines, begin: int, keys: tuple[str, ...]) -> dict[str, list[str]]:
    """What lines above the table say of its samples."""
    n_cells = len(first.cells(begin + 1))
    rows = (first.cells(line) for line in range(begin) if first.texts[line].startswith(keys))
    lines = [(row[0].removeprefix("!Sample_"), row[1:]) for row in rows if len(row) == n_cells]
    return said_of_samples(lines)


def dataset_soft(first: FirstLines) -> Layout | None:
    """A curated data set (GDS), whose subsets are groups of its samples."""
    begin = first.starting(_DATASET)
    if begin < 0 or first.starting("^DATASET") < 0:
        return None
    header = first.cells(begin + 1)
    marks: dict[str, list[str]] = {}
    description = ids = ""
    for text in first.texts[:begin]:
        key, _, value = (part.strip() for part in text.partition("="))
        if key == "!subset_description":
            description = value
        elif key == "!subset_sample_id":
            ids = value
        elif key == "!subset_type" and len(marks) < MOST_SAID:
            of_samples = marks.setdefault(value, [""] * len(header))
            for sample in ids.split(","):
                if sample.strip() in header:
                    of_samples[header.index(sample.strip())] = description
    n_beside = 2 if header[1:2] == ["IDENTIFIER"] else 1
    marks_of_samples = {name: values[n_beside:] for name, values in marks.items()}
    step = "Read as a data set of GEO (SOFT)"
    return _turned(step, header, begin + 2, marks_of_samples, n_beside)


def _turned(
    step: str, header: list[str], n_above: int, marks: dict[str, list[str]], n_beside: int = 1
) -> Layout | None:
    columns = tuple(range(n_beside, len(header)))
    if len(columns) < 2:
        return None
    turned = Turned(columns, tuple(header[i] for i in columns), (n_beside - 1, 0), marks)
    step = f"{step}: its columns are samples."
    return Layout(step, tuple(header), n_above, turned=turned, until=_END)
