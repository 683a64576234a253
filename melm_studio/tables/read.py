"""Reading a table from the bytes of a file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PureWindowsPath

import msgspec
import numpy as np
import pandas as pd

from melm_core.base import TICKED, CellRules, IntArray, decimal_mark, unique_names
from melm_studio.tables.above_rows import (
    MOST_PREVIEWED,
    NO_GROUPS,
    Head,
    Preview,
    one_header,
    samples_in_rows,
    without_quoted_lines,
    without_repeated_headers,
    without_rules,
    without_titles,
)
from melm_studio.tables.aligned import as_tabs
from melm_studio.tables.as_written import (
    as_written,
    rows_of_subjects,
    without_keys,
    written_once,
)
from melm_studio.tables.below_rows import without_notes, without_tables_beside
from melm_studio.tables.cells import infer_columns
from melm_studio.tables.distinct import Numbers
from melm_studio.tables.durations import is_clock, runs_along
from melm_studio.tables.families import Family, counted_words, families
from melm_studio.tables.formatting import count, listed, number, shortened
from melm_studio.tables.frames import BESIDE, TABLES, TEXTS
from melm_studio.tables.grammars import (
    ROWS_COMPARED,
    Layout,
    Long,
    far_more_rows,
    is_long,
    read_layout,
    recognized,
    said_beside_taxa,
    told_by_names,
    with_groups,
)
from melm_studio.tables.one_hot import with_joined_classes, with_ticks
from melm_studio.tables.parsing import parsed
from melm_studio.tables.quantities import without_unit
from melm_studio.tables.questions import LABEL, USE
from melm_studio.tables.readers import (
    DEFAULT_OPTIONS,
    ROW_NAMES,
    PictureArchive,
    ReadOptions,
    arff_text,
    array_cells,
    arrow_cells,
    cells_of_10x,
    excel_text,
    flow_cells,
    h5ad_cells,
    is_10x,
    is_arff,
    is_arrays,
    is_arrow,
    is_excel,
    is_flow,
    is_h5ad,
    is_json,
    is_matlab,
    is_soft_family,
    is_sparse_lines,
    is_statistics,
    is_time_series,
    json_cells,
    matlab_cells,
    series_cells,
    soft_cells,
    sparse_cells,
    statistics_cells,
    unpacked,
    with_pictures,
    with_vectors,
)
from melm_studio.tables.records import (
    COMMA_SEPARATED,
    MAX_NAME,
    Form,
    Limits,
    Records,
    UnevenError,
    find_records,
    max_cells,
)
from melm_studio.tables.roles import NO_LABEL, Use
from melm_studio.tables.sample_tables import Joined, Part, joined_samples, plain_records
from melm_studio.tables.subjects_in_names import with_subjects
from melm_studio.tables.subjects_of_places import with_subjects_of_places
from melm_studio.tables.text import (
    TableError,
    as_utf8,
    plain_numbers,
    without_comments,
    without_flags,
    without_last_delimiter,
)
from melm_studio.tables.uneven_rows import DOUBLED, ESCAPED, EvenRows, at_places, even_rows

__all__ = ["ReadOptions", "Table", "TableError", "read_table"]

ARFF_HEAD = 100_000  # bytes that may precede @relation
MIN_COLUMNS = 2
MOST_PROBED = 2_000  # columns of a table that may be as a program writes it
QUERY = "qid"  # the column of libsvm whose rows belong together
_HAS_HEADER = {"auto": None, "first-row": True, "none": False}
MAX_TOTALS = 3
LEAST_COUNTED = 20  # rows that a column numbers, in a format of measurements
LEAST_OF_SERIES = 20  # columns named alike that are most of a table, and no identifiers each
# What a row of totals is called in its first cell.
TOTALS = {
    "total", "totals", "sum", "grand total", "subtotal", "mean", "average", "median", "summe",
    "gesamt", "insgesamt", "mittelwert", "std", "sd", "total général", "somme", "moyenne",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read from a file.

    Attributes
    ----------
    name : str
        The file's name without folder and extension.
    frame : pandas.DataFrame, (n_rows, n_columns)
        Unique column names; numeric columns are float64, the others text; missing is NaN.
    steps : tuple of str
        Decisions made while reading, a sentence each.
    form : Form
        How the file was split into cells.
    sheets : tuple of str
        The names of all sheets of a workbook, or of tables below each other.
    sheet : str
        The one that was read.
    answers : mapping of str to str
        What is known of it, so that it is not asked: answers by the ids of questions.
    asked : mapping of str to str
        What could have been read otherwise, in words, by the ids of questions.
    turned : tuple of tuple of str
        The first cells of the table as it is where samples are columns; empty if that is not asked.
    descriptions : mapping of str to str
        What columns are, in words of the file, by their names.
    encodings : mapping of str to str
        The encodings that the text may have, and a few names as each has them, that which was read
        first; empty where it is clear.
    missing_words : mapping of str to str
        The columns of text in which a word for what is missing may be a class, and how often.
    beside : collection of str
        The columns that say what the samples are, where features are measured.
    embedded : tuple of str
        The columns that a survey recorded beside its answers, as its format says, or that a table
        of samples has beside measurements, or one of taxa beside these.
    is_measured : bool
        Whether the format is one of measurements, whatever the names of its features say elsewhere.
    rules : CellRules
        How the cells of further rows are read alike.
    warnings : tuple of str
        The steps by which rows of too many or few cells were left out, or tables joined in order.
    """

    name: str
    frame: pd.DataFrame
    steps: tuple[str, ...]
    form: Form = COMMA_SEPARATED
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)
    turned: Preview = ()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    encodings: Mapping[str, str] = field(default_factory=dict)
    missing_words: Mapping[str, str] = field(default_factory=dict)
    beside: Collection[str] = ()
    embedded: tuple[str, ...] = ()
    is_measured: bool = False
    rules: CellRules = field(default_factory=CellRules)
    warnings: tuple[str, ...] = ()

    @cached_property
    def numbers(self) -> Numbers:
        """The summary of its columns of numbers, which several questions ask."""
        return Numbers.of(self.frame)

    @cached_property
    def measured(self) -> frozenset[str]:
        """The numbers that are features whatever their names say.

        Ticked answers, most columns where their names differ in numbers alone and, in a format of
        measurements, all but what is said of the samples, numbers of the rows, and a clock that ran
        along them.
        """
        names = frozenset(map(str, self.numbers.names))
        if not self.is_measured:
            least = max(LEAST_OF_SERIES, len(names) / 2)
            series = (family.members for family in self._families if family.is_series)
            most = (members for members in series if len(members) >= least)
            return frozenset(name for name in names if TICKED in name).union(*most)
        said = {
            *self.beside,
            *self.embedded,
            *(question.removeprefix(USE) for question in self.answers),
        }
        clocks = {name for name in names if is_clock(name) and runs_along(self.frame[name])}
        is_long = len(self.frame) >= LEAST_COUNTED  # shorter ones may be measured so
        counting = self.numbers.which(self.numbers.is_counting & is_long)
        return names - said - clocks - {*counting}

    @cached_property
    def recorded_beside(self) -> tuple[str, ...]:
        """The columns recorded beside answers or measurements, as the format or a name says."""
        durations = told_by_names(map(str, self.frame))
        return (*self.embedded, *(name for name in durations if USE + name not in self.answers))

    @cached_property
    def members_of_families(self) -> frozenset[str]:
        """The numbers that are many of one thing, and the words of texts that were counted."""
        members = (family.members for family in self._families)
        return self.counted_words.union(*members)

    @cached_property
    def counted_words(self) -> frozenset[str]:
        """The words of texts that were counted, features whatever they name."""
        return counted_words(self.frame, self.numbers)

    @cached_property
    def _families(self) -> tuple[Family, ...]:
        return families(self.frame, self.numbers)

    @property
    def row_numbers(self) -> IntArray:
        """The rows of the file, counted from 1 without the header; some may have been left out."""
        rows: IntArray = self.frame.index.to_numpy(np.int64) + 1
        return rows


def read_table(
    raw: bytes,
    name: str,
    *,
    max_rows: float = math.inf,
    max_columns: float = math.inf,
    options: ReadOptions = DEFAULT_OPTIONS,
) -> Table:
    """Read delimited text of any encoding, delimiter and decimal mark, or another kind of file.

    Workbooks, Parquet, Feather, NumPy, .h5ad and ARFF files are recognized by their content, and
    gzip is unpacked. So are zip archives of one table, of a table and the pictures that it names,
    of numbers and a table of their samples, and of pictures in a folder for each class.

    Parameters
    ----------
    raw : bytes
        The file's content.
    name : str
        The file's name; a folder before it is ignored.
    max_rows, max_columns : int, optional
        The largest table that is read; unlimited by default.
    options : ReadOptions, optional
        The sheet of a workbook, and how cells such as <0.5 are read.

    Raises
    ------
    TableError
        If the content is not a table of at least one row and two columns within the limits.
    """
    limits = Limits(max_rows, max_columns, max_cells(len(raw)))
    file = PureWindowsPath(name).name
    archive = PictureArchive.of(raw)
    if archive is not None and not archive.table:
        content = _of_frame(*archive.folders(limits.n_rows))
    elif archive is None and (joined := joined_samples(raw, limits, _part)) is not None:
        file = joined.file
        content = _of_joined(joined, limits, options)
    else:
        data, file = unpacked(raw, file) if archive is None else archive.table_bytes()
        content = _content(data, file or "The file", limits, options)
        cells, picture_steps = with_pictures(content.cells, archive)
        cells, vector_steps = with_vectors(cells, limits)
        steps = (*content.steps, *picture_steps, *vector_steps)
        content = replace(content, cells=cells, steps=steps)
    as_they_are = {*content.texts, *content.missing_words, *content.beside}
    content = replace(content, cells=without_keys(content.cells, as_they_are))
    rows = content.file_rows
    decimal, texts = content.form.decimal, content.texts
    numbers = msgspec.structs.replace(options, as_written=False)
    frame, cell_steps, asked, rules = infer_columns(content.cells, decimal, rows, numbers, texts)
    # First as it was read, of which a last row costs less.
    n_empty = _n_empty(content.cells) if frame.iloc[-1].isna().all() else 0
    frame = frame.iloc[: len(frame) - n_empty]
    empty_steps = [f"Left out: {count(n_empty, 'empty row')} at the end."] if n_empty else []
    n_totals, totals = _totals(frame)
    is_left_out = bool(n_totals) and options.totals == "left-out"
    asked = {**content.asked, **asked, "totals": totals}
    total_steps = [f"Left out: {totals}."] if is_left_out else []
    frame = frame.iloc[:-n_totals] if is_left_out else frame
    if options.as_written:
        written = infer_columns(content.cells, decimal, rows, options, texts)[0]
        frame = written.iloc[: len(frame)]
    frame, left_out, asked["blocks"], block_steps = _filled_down(frame, content.left_out, options)
    # Of further rows, those that the first table has are looked for.
    frame, tick_step = (
        (frame, "") if options.as_written else with_ticks(frame, limits, content.beside)
    )
    frame, joined_step, why_label = with_joined_classes(frame)
    asked.setdefault(LABEL, why_label)
    answers = {**content.answers}
    are_named = answers.get(LABEL) == NO_LABEL and Use.NAME in answers.values()
    are_features = asked.get("samples") == NO_GROUPS or are_named
    frame, groups = with_groups(frame, are_features=are_features)
    group_step = f"Added: {listed(groups)}, words of names or codes." if groups else ""
    if groups:
        asked[LABEL] = f"{groups[0]} has words of names or codes"
    if groups and are_named:  # the format says of its own columns alone that none is the label
        del answers[LABEL]
    frame, numbered, numbered_step = with_subjects_of_places(frame)
    frame, subject, subject_step = with_subjects(frame)
    uses = {USE + name: Use.INFO for name in (*numbered, subject) if name}
    added_steps = filter(None, (tick_step, joined_step, group_step, numbered_step, subject_step))
    return Table(
        PureWindowsPath(file).stem or "table",
        at_places(frame, left_out),
        (*content.steps, *cell_steps, *empty_steps, *total_steps, *block_steps, *added_steps),
        content.form,
        content.sheets,
        content.sheet,
        answers={**answers, **uses},
        asked={question: questions for question, questions in asked.items() if questions},
        turned=content.turned,
        descriptions=content.descriptions,
        encodings=content.encodings,
        missing_words=content.missing_words,
        beside=(*_with_units(content.beside, frame), *groups),
        embedded=(*_with_units(content.embedded_or_beside_taxa, frame),),
        is_measured=content.is_measured,
        rules=rules,
        warnings=content.warnings,
    )


def _with_units(names: Sequence[str], frame: pd.DataFrame) -> Iterator[str]:
    """The names, as they are called where units were read with the numbers."""
    called = (
        {} if {*names} <= {*frame} else {without_unit(str(name))[0]: str(name) for name in frame}
    )
    return (name if name in frame else called.get(name, name) for name in names)


def _n_empty(cells: pd.DataFrame) -> int:
    """The number of last rows that a spreadsheet saved although nothing is in them."""
    if cells.iloc[-1].notna().any():
        return 0
    filled = np.flatnonzero(cells.notna().any(axis=1))
    return len(cells) - 1 - int(filled[-1]) if len(filled) else 0


def _totals(frame: pd.DataFrame) -> tuple[int, str]:
    """The number of last rows whose first text says that they sum up the others, and which."""
    texts = frame.select_dtypes(exclude=np.float64)
    n_totals = 0
    while n_totals < min(MAX_TOTALS, len(frame) - 1) and _is_total(texts, -1 - n_totals):
        n_totals += 1
    if not n_totals:
        return 0, ""
    word = next(iter(texts.iloc[-1].dropna()))
    return n_totals, f'{count(n_totals, "row")} at the end ("{shortened(word)}")'


def _is_total(texts: pd.DataFrame, index: int) -> bool:
    """Return whether the only text of a row is a word for totals, which no other row has."""
    words = texts.iloc[index].dropna()
    if len(words) != 1 or str(words.iloc[0]).strip(" :").casefold() not in TOTALS:
        return False
    return bool((texts[words.index[0]] == words.iloc[0]).sum() == 1)


def _part(data: bytes, file: str, limits: Limits, *, is_plain: bool) -> Part:
    """Read a file of an archive as one of the tables that are joined."""
    data, file = unpacked(data, file)
    if is_excel(data):
        rows, columns = limits.n_rows, limits.n_columns
        data = excel_text(data, file, "", "", max_rows=rows, max_columns=columns)[0]
    is_other = any(is_such(data) for is_such, _ in (*SEVERAL, *FORMATS))
    if not is_other and (is_plain or not _tells_samples(as_utf8(data, file).data)):
        return Part(plain_records(data, file, limits))
    content = _content(data, file, limits, DEFAULT_OPTIONS)
    uses = {question.removeprefix(USE): use for question, use in content.answers.items()}
    left = [name for name in content.cells if uses.get(str(name)) != Use.IGNORED]
    cells = content.cells[sorted(left, key=lambda name: uses.get(str(name)) != Use.NAME)]
    values = cells.to_numpy(dtype=object, copy=True)  # at once, of thousands of columns
    values[pd.isna(values)] = ""
    records = [[*map(str, cells.columns)], *([*map(str, row)] for row in values.tolist())]
    words = content.asked.get(LABEL, "")
    return Part(records, content.is_measured, content.beside, content.steps, words)


def _tells_samples(data: bytes) -> bool:
    """Return whether a format tells what samples are, and that all else was measured of them."""
    data = without_last_delimiter(data)
    bare = without_comments(data)[0].lstrip(b"\n")
    layouts = filter(None, (recognized(text, DEFAULT_OPTIONS) for text in (data, bare)))
    return any(layout.turned or layout.answers.get(LABEL) == NO_LABEL for layout in layouts)


def _of_joined(joined: Joined, limits: Limits, options: ReadOptions) -> _Content:
    """The content of tables that were joined, whose rows are samples, or may be features."""
    samples = options.samples if joined.are_features else "rows"
    joined_options = msgspec.structs.replace(options, samples=samples, names="first-row")
    content = _of_text(joined.data, limits, joined.steps, joined_options)
    steps = tuple(step for step in content.steps if step not in content.form.steps)
    columns = [*map(str, content.cells.columns)]  # of ISA-Tab, without their kinds
    content = replace(
        content,
        steps=steps,
        asked={**content.asked, "names": ""},
        beside=(*content.beside, *(columns[place] for place in joined.said)),
        embedded=tuple(columns[place] for place in joined.recorded),
        warnings=(*joined.warnings, *content.warnings),
    )
    if not joined.is_measured:
        return content
    others = {question: use for question, use in content.answers.items() if use != Use.NAME}
    if joined.is_named and not (joined.said or joined.recorded):
        others[LABEL] = NO_LABEL
    return replace(
        content,
        texts=content.texts.union(columns[: joined.is_named]),  # 1 P2 is no number in a unit
        is_measured=True,
        answers={**others, **({f"{USE}{columns[0]}": Use.NAME.value} if joined.is_named else {})},
        asked={**content.asked, LABEL: joined.words},
    )


@dataclass(frozen=True, eq=False)
class _Content:
    """The cells of a file before the types of its columns are known."""

    cells: pd.DataFrame
    file_rows: IntArray
    steps: tuple[str, ...]
    form: Form = COMMA_SEPARATED
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    asked: Mapping[str, str] = field(default_factory=dict)
    turned: Preview = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    encodings: Mapping[str, str] = field(default_factory=dict)
    missing_words: Mapping[str, str] = field(default_factory=dict)
    texts: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()
    embedded: tuple[str, ...] = ()
    is_measured: bool = False
    left_out: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def embedded_or_beside_taxa(self) -> tuple[str, ...]:
        """The columns recorded beside what was measured, as the format or names of taxa say."""
        if self.embedded or self.is_measured:
            return self.embedded
        return said_beside_taxa([*map(str, self.cells.columns)])


def _content(data: bytes, file: str, limits: Limits, options: ReadOptions) -> _Content:
    rows, columns = limits.n_rows, limits.n_columns
    if is_excel(data):
        text, sheets, sheet = excel_text(
            data,
            file,
            options.sheet,
            options.preferred_sheet,
            max_rows=rows,
            max_columns=columns,
        )
        step = (f"Read from the sheet {shortened(sheet)}.",) if len(sheets) > 1 else ()
        return replace(_written(text, limits, step, options), sheets=sheets, sheet=sheet)
    for is_such, table_of in SEVERAL:
        if is_such(data):
            cells, steps = table_of(data, file, limits, options.sheet or options.preferred_sheet)
            content, tables = _of_cells(cells, steps, limits, options), cells.attrs.get(TABLES, ())
            return replace(content, sheets=tables, sheet=tables[0]) if len(tables) > 1 else content
    for is_such, cells_of in FORMATS:
        if is_such(data):
            return _of_cells(*cells_of(data, file, limits), limits, options)
    decoded = as_utf8(data, file, options.encoding)
    text, steps = decoded.data, decoded.steps
    if is_arff(text[:ARFF_HEAD].decode("utf-8", "replace")):
        written, texts, labels = arff_text(text.decode(), max_rows=rows, max_columns=columns)
        content = _written(written, limits, steps, options)
        words = {*content.cells.select_dtypes(exclude="number")}
        content = replace(content, texts=content.texts | (texts & words), beside=labels)
    else:
        content = _of_text(text, limits, steps, options)
    return replace(content, encodings=decoded.encodings)


# Of several tables, one is read.
SEVERAL = (
    (is_statistics, statistics_cells),
    (is_arrays, array_cells),
    (is_matlab, matlab_cells),
)
FORMATS = (
    (is_h5ad, h5ad_cells),
    (is_10x, cells_of_10x),
    (is_arrow, arrow_cells),
    (is_json, json_cells),
    (is_flow, flow_cells),
    (is_soft_family, soft_cells),
    (is_sparse_lines, sparse_cells),
    (is_time_series, series_cells),
)


def _of_cells(
    cells: pd.DataFrame, steps: tuple[str, ...], limits: Limits, options: ReadOptions
) -> _Content:
    """The content of a file of another program."""
    if BESIDE in cells.attrs or not _may_be_turned(cells, options):
        named = _named_by_first_row(cells, limits, steps, options)
        return named or _with_groups(_of_frame(cells, steps))
    options = msgspec.structs.replace(options, names="first-row")
    content = _written(cells.to_csv(index=False).encode(), limits, steps, options)
    content = replace(content, asked={**content.asked, "names": ""})
    if len(content.cells) != len(cells) or ROW_NAMES not in {*content.cells} & {*cells}:
        return content
    # The names as they are, of which some may look like numbers.
    of_rows = content.cells.assign(**{ROW_NAMES: cells[ROW_NAMES].to_numpy()})
    return replace(content, cells=of_rows, texts=content.texts | {*cells.attrs.get(TEXTS, ())})


def _may_be_turned(cells: pd.DataFrame, options: ReadOptions) -> bool:
    """Return whether rows may be features: named numbers of R, or as programs write them."""
    samples = [str(name) for name in cells.columns[1:]]
    may_be = cells.columns[0] == ROW_NAMES or far_more_rows(samples, len(cells))
    if may_be and {*(dtype.kind for dtype in cells.dtypes[1:])} == {"f"}:
        return True
    if not 1 < cells.shape[1] <= MOST_PROBED:
        return False
    if is_long([str(name) for name in cells]):
        return True
    layout = recognized(cells.head(ROWS_COMPARED).to_csv(index=False).encode(), options)
    return layout is not None and layout.turned is not None


def _named_by_first_row(
    cells: pd.DataFrame, limits: Limits, steps: tuple[str, ...], options: ReadOptions
) -> _Content | None:
    """The content of a data frame of R that was read without its header: V1, V2 and so on.

    Or of lists in JSON, of which the first may be the header.
    """
    named = [[f"{name}{at}" for at in range(1, cells.shape[1] + 1)] for name in ("V", "column ")]
    if [*cells] not in named or all(kind == np.float64 for kind in cells.dtypes):
        return None
    content = _written(cells.to_csv(index=False, header=False).encode(), limits, steps, options)
    return content if content.form.has_header else None


def _with_groups(content: _Content) -> _Content:
    """The rows of a query of libsvm belong together."""
    return replace(content, answers={USE + QUERY: Use.GROUP}) if QUERY in content.cells else content


def _written(text: bytes, limits: Limits, steps: tuple[str, ...], options: ReadOptions) -> _Content:
    """The content of text that another reader has written."""
    content = _of_text(text, limits, (), options)
    form = Form(",", ".", has_header=content.form.has_header)  # as the file saved as CSV has it
    further = [step for step in content.steps if step not in content.form.steps]
    return replace(content, form=form, steps=(*steps, *further))


def _of_text(data: bytes, limits: Limits, steps: tuple[str, ...], options: ReadOptions) -> _Content:
    """The content of text, also where it has \\" for a quotation mark, as R's write.table has."""
    try:
        return _of_plain_text(data, limits, steps, options)
    except UnevenError:
        doubled = data.replace(ESCAPED.encode(), DOUBLED.encode())
        if doubled == data or options.as_written:
            raise
        step = "Backslashes before quotation marks were left out."
        try:
            return _of_plain_text(doubled, limits, (*steps, step), options)
        except TableError:
            pass  # what is wrong with the file as it is
        raise


def _of_plain_text(
    data: bytes, limits: Limits, steps: tuple[str, ...], options: ReadOptions
) -> _Content:
    data, quote_steps = without_quoted_lines(without_last_delimiter(data))
    data, number_steps = plain_numbers(data)
    data, flag_steps = without_flags(data)
    steps = (*steps, *quote_steps, *number_steps, *flag_steps)
    layout = recognized(data, options)
    if layout and (content := _of_layout(data, layout, limits, steps, options)):
        return content
    data, comment_steps = without_comments(data)
    steps = (*steps, *comment_steps)
    is_below = bool(comment_steps) or data.startswith(b"\n")
    if is_below and layout is None and (content := _of_turned(data, limits, steps, options)):
        return content
    data = without_rules(data)
    data, is_aligned = as_tabs(data)
    data, beside_steps = without_tables_beside(data)
    data, note_steps = without_notes(data)
    data, title_steps = without_titles(data)
    above = (*steps, *beside_steps, *title_steps, *note_steps)
    if title_steps and layout is None and (content := _of_turned(data, limits, above, options)):
        return content
    head = Head.of(data)
    data, repeat_steps = without_repeated_headers(data, head)
    data, turn_steps, turned, preview = samples_in_rows(data, head, limits, options.samples)
    head = Head.of(data) if repeat_steps or turn_steps else head
    data, header_steps, header = one_header(data, head, options.header)
    has_header = _HAS_HEADER[options.names]
    if options.as_written:  # further rows, of which a file has none to lose
        even = EvenRows(data, find_records(data, limits, has_header=has_header))
    else:
        even = even_rows(data, limits, has_header=has_header)
    data, records = even.data, even.records
    names, name_steps = _column_names(records)
    form_steps = ("Read as columns aligned by spaces.",) if is_aligned else records.form.steps
    made = (*above, *repeat_steps, *turn_steps, *header_steps)
    steps = (*made, *form_steps, *even.mended, *even.left_out, *name_steps)
    written = as_written(data, records, parsed(data, records, names), options.kept_words)
    first_row = f"It begins with {listed(records.first)}" if records.is_doubtful else ""
    asked = {"samples": turned, "header": header, "names": first_row}
    content = _Content(written.cells, records.file_rows, steps, records.form, asked=asked)
    return replace(
        content,
        turned=preview,
        missing_words=written.words,
        texts=written.texts,
        left_out=even.places,
        warnings=even.left_out,
    )


def _of_turned(
    data: bytes, limits: Limits, steps: tuple[str, ...], options: ReadOptions
) -> _Content | None:
    """The content of a file below comments or the like, whose samples are columns or in one."""
    bare = data.lstrip(b"\n")
    layout = recognized(bare, options)
    turned = layout if layout and layout.turned else None
    return _of_layout(bare, turned, limits, steps, options) if turned else None


def _of_layout(
    data: bytes, layout: Layout, limits: Limits, steps: tuple[str, ...], options: ReadOptions
) -> _Content | None:
    """The content of a file whose first lines are known, unless it has a single sample."""
    read = read_layout(data, layout, limits, options.sheet or options.preferred_sheet)
    _reject_long_names([*(layout.names if layout.turned is None else ()), *read.marks])
    if isinstance(layout.turned, Long) and read.cells is not None and len(read.cells) == 1:
        return None
    steps = (*steps, *read.steps)
    if read.cells is not None:
        limits.reject(*read.cells.shape)
        content = _of_frame(read.cells, steps)
        preview = _preview(content.cells) if "samples" in layout.asked else ()
    else:
        records = find_records(read.data, limits, has_header=True)
        names, name_steps = _column_names(records)
        cells = parsed(read.data, records, names)
        content = _Content(cells, records.file_rows, (*steps, *name_steps), records.form)
        preview = ()
    asked, answers = dict(layout.asked), dict(layout.answers)
    if read.cells is not None:  # samples may be named by numbers
        sample = str(content.cells.columns[0])
        content = replace(content, texts=content.texts | {sample})
        answers = {f"{USE}{sample}": Use.NAME.value, **answers}
        if not (read.words or read.marks):
            answers[LABEL] = NO_LABEL  # all other columns are features
    may_be_other = isinstance(layout.turned, Long) and layout.asked and layout.turned.marks
    is_measured = read.cells is not None and not may_be_other
    if read.words:
        asked[LABEL] = f"{read.words} has words of the names of the samples"
    return replace(
        content,
        asked=asked,
        turned=preview,
        answers=answers,
        descriptions=layout.descriptions,
        sheets=read.levels,
        sheet=next(iter(read.levels), ""),
        beside=(*filter(None, [read.words]), *read.marks),
        embedded=layout.embedded,
        is_measured=answers.get(LABEL) == NO_LABEL or is_measured,
    )


def _preview(cells: pd.DataFrame) -> Preview:
    first = cells.iloc[: MOST_PREVIEWED - 1, :MOST_PREVIEWED]
    rows = [list(first.columns), *first.astype(str).to_numpy().tolist()]
    return tuple(tuple(shortened(str(cell)) for cell in row) for row in rows)


def _of_frame(cells: pd.DataFrame, steps: Sequence[str]) -> _Content:
    if cells.shape[1] < MIN_COLUMNS or not len(cells):
        raise TableError(
            f"The file has {count(len(cells), 'row')} and {count(cells.shape[1], 'column')} of "
            "numbers or text. A table needs at least one row and two columns."
        )
    given = [str(name).strip() for name in cells.columns]
    names = [*map(_fitting, given)]
    numbered = [name or f"column {at}" for at, name in enumerate(names, start=1)]
    renamed = _without_blanks(cells.set_axis(unique_names(numbered), axis=1))
    said = {
        key: [new for old, new in zip(cells.columns, renamed.columns, strict=True) if old in those]
        for key in (TEXTS, BESIDE)
        if (those := {*cells.attrs.get(key, ())})
    }
    texts, beside = frozenset(said.get(TEXTS, ())), tuple(said.get(BESIDE, ()))
    rows = np.arange(2, len(cells) + 2)
    form = replace(COMMA_SEPARATED, decimal=_decimal_of(renamed.drop(columns=[*texts])))
    form_steps = ("Read with decimal commas.",) if form.decimal == "," else ()
    said_of_names = (*steps, *_cut_steps(given), *form_steps)
    content = _Content(renamed, rows, said_of_names, form, texts=texts, beside=beside)
    return replace(content, is_measured=BESIDE in cells.attrs)


def _decimal_of(cells: pd.DataFrame) -> str:
    """The decimal mark of the numbers that are text, as where a program kept what it had read."""
    some = cells.select_dtypes(exclude="number").head(ROWS_COMPARED).iloc[:, :MOST_PROBED]
    texts = (cell for cell in some.to_numpy(dtype=object).ravel() if isinstance(cell, str))
    return decimal_mark(Counter(texts), COMMA_SEPARATED.delimiter)


def _without_blanks(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells, of which texts have no blanks around them; of blanks alone, they are missing."""
    texts = {}
    for name in cells.columns[[kind.kind not in "biufc" for kind in cells.dtypes]]:
        codes, levels = pd.factorize(cells[name])
        bare = [level.strip() if isinstance(level, str) else level for level in levels]
        if bare != [*levels] or "" in bare:
            texts[name] = np.array([*(level or None for level in bare), None], dtype=object)[codes]
    return cells.assign(**texts) if texts else cells


def _column_names(records: Records) -> tuple[list[str], list[str]]:
    """The columns' unique names, and which of them were made up."""
    first = records.first
    if not records.form.has_header:
        numbered = [f"column {position}" for position in range(1, len(first) + 1)]
        return numbered, [f'There is no header: columns are named "column 1" to "{numbered[-1]}".']
    given = [
        _fitting(cell.strip()) or f"column {position}"
        for position, cell in enumerate(first, start=1)
    ]
    names = unique_names(given)
    unnamed = [name for cell, name in zip(first, names, strict=True) if not cell.strip()]
    repeated = [name for old, name in zip(given, names, strict=True) if old != name]
    steps = []
    if unnamed:
        steps.append(f"Columns without a name are named by their position: {listed(unnamed)}.")
    if repeated:
        steps.append(f"Columns with repeated names are numbered: {listed(repeated)}.")
    return names, [*steps, *_cut_steps(first)]


def _filled_down(
    frame: pd.DataFrame, left_out: Sequence[int], options: ReadOptions
) -> tuple[pd.DataFrame, Sequence[int], str, tuple[str, ...]]:
    """The rows with what stands once for several, where it is filled down, and what is asked.

    Left out, too, are rows that have nothing else.
    """
    of_subjects, are_first = rows_of_subjects(frame)
    names = [*(name for name in written_once(frame) if name not in of_subjects), *of_subjects]
    if not names or options.blocks != "filled":
        return frame, left_out, listed(names), ()
    step = f"Filled down, as cells that stand for several rows: {listed(names)}."
    filled = frame[names].groupby(are_first.cumsum()).ffill()  # one block without such rows
    frame = frame.assign(**{name: filled[name] for name in names})
    if not of_subjects:
        return frame, left_out, listed(names), (step,)
    places = np.setdiff1d(np.arange(len(frame) + len(left_out)), left_out)[: len(frame)]
    n_first = count(int(are_first.sum()), "row")
    why = f"Left out: {n_first} of subjects, above the rows of their measurements."
    rest = frame[~are_first].reset_index(drop=True)
    return rest, [*left_out, *places[are_first].tolist()], listed(names), (step, why)


def _fitting(name: str) -> str:
    """The name of a column, as long as one may be: a survey has whole paragraphs for names."""
    return name if len(name) <= MAX_NAME else shortened(name, MAX_NAME)


def _cut_steps(names: Sequence[str]) -> list[str]:
    """Say which names are longer than one may be."""
    too_long = [name for name in names if len(name) > MAX_NAME]
    cut = f"Names of over {number(MAX_NAME)} characters are cut in their middle"
    return [f"{cut}: {listed(too_long)}."] if too_long else []


def _reject_long_names(names: Sequence[str]) -> None:
    """Refuse names that are too long of columns whose roles a format says by their names."""
    for position, name in enumerate(names, start=1):
        if len(name) > MAX_NAME:
            raise TableError(
                f"The name of column {number(position)} has {number(len(name))} characters, but at "
                f"most {number(MAX_NAME)} can be shown. Shorten it and drop the file again."
            )
