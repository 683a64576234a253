"""Lines above the rows of a table: titles, a header of several rows, units; or its rows."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from melm_studio.tables.formatting import count, listed, shortened
from melm_studio.tables.grammars.features_in_rows import far_more_rows, says_features
from melm_studio.tables.grammars.layout import is_number
from melm_studio.tables.identifiers import names_identifier
from melm_studio.tables.quantities import is_unit, with_unit
from melm_studio.tables.records import MAX_CELLS, Limits
from melm_studio.tables.text import DELIMITERS, cells_of

SAMPLE_LINES = 200
SAMPLE_BYTES, LEAST_SAMPLED = 200_000, 12
MAX_TITLES = 20
MOST_CHECKED = 200  # columns that tell whether a row is of the header
MAX_HEADER_ROWS = 4
MAX_GROUPS = 20
MOST_PREVIEWED = 5  # rows and columns
LEAST_NUMBERED = 6  # columns whose names have groups and numbers
LEAST_ROWS = 3  # of a header of several, and below it
LEAST_COLUMNS = 4  # of numbers, for samples to be in columns
LEAST_ASCENDING = 6  # numbers in a header that ascend or descend, which are wavelengths or masses
BLANK = b" \r\n\t,;|"
FEW = 3  # a title fills at most one in so many cells of a row
NEARLY_ALL = 0.9

Preview: TypeAlias = tuple[tuple[str, ...], ...]


def without_titles(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Blank the title lines, so that the rows keep their numbers.

    A title has fewer cells than the rows below, which begin with a header: text in every cell,
    above numbers. Below a title, other rows may have any cells: the header is the first row of
    words right above numbers, with rows of words above it that complete its names.

    Returns
    -------
    data : bytes
    steps : tuple of str
        How many lines were skipped.
    """
    stream = io.BytesIO(data)
    lines = _sampled(stream)
    n_lines = _n_above(lines)
    titles = [line for line in lines[:n_lines] if line.strip(BLANK)]
    rest = data[sum(map(len, lines[:n_lines])) :]
    steps = (f"Skipped: {count(len(titles), 'title line')} at the top.",) if titles else ()
    return b"\n" * n_lines + rest, steps


def _sampled(stream: io.BytesIO) -> list[bytes]:
    """The first lines, of wide tables fewer."""
    lines: list[bytes] = []
    n_bytes = 0
    for line in stream:
        lines.append(line)
        n_bytes += len(line)
        if len(lines) == SAMPLE_LINES or (n_bytes >= SAMPLE_BYTES and len(lines) > LEAST_SAMPLED):
            break
    return lines


def _n_above(lines: Sequence[bytes]) -> int:
    """The number of lines above the header."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    if not texts or any(text.count('"') % 2 for text in texts[:MAX_TITLES]):
        return 0  # a cell with a line break
    n_cells, rows = max(
        (_as_split(texts, mark) for mark in DELIMITERS), key=lambda split: split[2]
    )[:2]
    for index, row in enumerate(rows[: MAX_TITLES + 1]):
        if len(row) == n_cells and not _is_sparse(row):
            below = rows[index + 1 :]
            is_title = index > 0 and (
                _is_header(row, below, n_cells) or _is_first_row(rows[:index], row, below)
            )
            is_plain = all(len(above) <= 1 or len(above) == n_cells for above in rows[:index])
            cells = (cell for other in below if len(other) == n_cells for cell in other)
            if is_title and (is_plain or any(map(is_number, cells))):
                return index - _n_groups_above(rows[:index], row)
            break
    first = next((row for row in rows if any(row)), [])
    return _n_above_names(rows, n_cells) if len(first) == 1 or _is_sparse(first) else 0


def _n_above_names(rows: Sequence[list[str]], n_cells: int) -> int:
    """The number of rows above the first row of words right above numbers, and above its groups."""
    for index, row in enumerate(rows[: MAX_TITLES + 1]):
        if len(row) == n_cells and any(row) and not any(map(is_number, row)):
            below = [row for row in rows[index + 1 :] if len(row) == n_cells]
            next_row = next(filter(any, below), [])
            numbers = _numeric_columns(below)
            n_groups = _n_groups_above(rows[:index], row, numbers)
            header = rows[index - n_groups : index + 1]
            at_numbers = [place for place in numbers if is_number(next_row[place])]
            if any(_bare(row[place]) not in _GAPS for row in header for place in at_numbers):
                return index - n_groups
    return 0


def _numeric_columns(rows: Sequence[list[str]], n_columns: int | None = MOST_CHECKED) -> list[int]:
    """Those of the first columns that have numbers, and hardly a word."""
    columns = zip(*(row[:n_columns] for row in rows), strict=True)
    given = ([cell for cell in cells if _bare(cell) not in _GAPS] for cells in columns)
    return [
        place
        for place, cells in enumerate(given)
        if cells and sum(map(_is_measured, cells)) >= NEARLY_ALL * len(cells)
    ]


def _n_groups_above(
    above: Sequence[list[str]], header: list[str], numbers: Sequence[int] = ()
) -> int:
    """The fewest rows of merged cells right above names that recur, or that numbers lack."""
    groups: list[list[str]] = []
    for row in above[::-1]:
        if len(row) != len(header) or sum(map(bool, row)) < 2:
            break
        filled: Iterator[str] = accumulate(row, lambda before, cell: cell or before)
        groups.append([*filled])
    lacking = [place for place in numbers if not header[place]]
    n_named = []
    for n_rows in range(len(groups) + 1):
        names = [*zip(header, *groups[:n_rows], strict=True)]
        n_completed = sum(any(names[place]) for place in lacking)  # of one, it may be a title
        n_named.append((max(n_completed, 1), len({name for name in names if name[0]})))
    return n_named.index(max(n_named))


def _as_split(texts: Sequence[str], mark: str) -> tuple[int, list[list[str]], int]:
    """The most frequent number of cells, the cells of each line, and how many lines have it."""
    rows = [cells_of(text, mark) for text in texts]
    lengths = Counter(len(row) for row in rows if len(row) > 1)
    n_cells, n_rows = max(lengths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return n_cells, rows, n_rows


def _is_sparse(row: list[str]) -> bool:
    return len(row) >= FEW and sum(map(bool, row)) <= len(row) // FEW


def _is_header(row: list[str], below: Sequence[list[str]], n_cells: int) -> bool:
    below = [other for other in below if len(other) == n_cells]
    next_row = below[0] if below else [""] * n_cells
    # Nothing is in a column beside the table, or behind a mark at the end of each line.
    filled = [place for place, cell in enumerate(row) if cell or any(x[place] for x in below)]
    row, next_row = ([cells[place] for place in filled] for cells in (row, next_row))
    numbers = [float(cell) for cell in row if cell.isdecimal()]  # such as years
    are_names = sum(map(is_number, row)) == len(numbers) < len(row) and _ascend(numbers)
    # A merged cell names the columns to its right, whose own names are in the next row.
    is_named = all(cell or other for cell, other in zip(row, next_row, strict=True)) and (
        all(row) or bool(numbers) or not any(map(is_number, next_row))
    )
    return are_names and is_named and bool(below)


def _is_first_row(above: Sequence[list[str]], row: list[str], below: Sequence[list[str]]) -> bool:
    """Return whether rows without a header begin below a line that is no row."""
    are_rows = len(row) > FEW and {*map(len, below)} == {len(row)} and any(map(is_number, row))
    return are_rows and len(above) == 1 and len(above[0]) == 1


def _ascend(numbers: Sequence[float]) -> bool:
    return [*numbers] == sorted({*numbers}) and (not numbers or len(numbers) >= LEAST_ASCENDING)


def without_quoted_lines(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Unwrap lines that are one quoted cell each, which holds the cells of a row.

    Spreadsheets save so what they opened by another delimiter, the header often without quotes.

    Returns
    -------
    data : bytes
    steps : tuple of str
        What was done, if anything.
    """
    first = [line.strip(BLANK) for line in _sampled(io.BytesIO(data)) if line.strip(BLANK)]
    if not any(map(_is_quoted, first[1:])):
        return data, ()
    texts = [_unquoted(line).decode("utf-8", "replace") for line in first]
    n_cells = [{len(cells_of(text, mark)) for text in texts} for mark in DELIMITERS]
    if not any(len(counts) == 1 and counts != {1} for counts in n_cells):
        return data, ()
    lines = [_unquoted(line) for line in data.split(b"\n")]
    return b"\n".join(lines), ("Each line was quoted as one cell, and is read as a row.",)


def _is_quoted(line: bytes) -> bool:
    """Return whether a line is one cell in quotes, whose own quotes are double."""
    return (
        len(line) > 2
        and line[:1] == line[-1:] == b'"'
        and b'"' not in line[1:-1].replace(b'""', b"")
    )


def _unquoted(line: bytes) -> bytes:
    bare = line.strip(BLANK)
    return bare[1:-1].replace(b'""', b'"') if _is_quoted(bare) else line


def without_rules(data: bytes) -> bytes:
    """Blank the lines that only rule a table, and drop the bars around its rows.

    So are tables of Markdown and of the terminals of databases.
    """
    first = [line for line in _sampled(io.BytesIO(data)) if line.strip()][:3]
    if not any(map(_is_rule, first)):
        return data
    lines = [b"" if _is_rule(line) else line.strip() for line in data.split(b"\n")]
    if all(line[:1] == line[-1:] == b"|" for line in lines if line):
        lines = [line[1:-1].strip() for line in lines]
    return b"\n".join(lines)


def _is_rule(line: bytes) -> bool:
    return not line.translate(None, b"-=:+| \r\n") and (b"--" in line or b"==" in line)


def without_repeated_headers(data: bytes, head: Head | None) -> tuple[bytes, tuple[str, ...]]:
    """Blank the lines that are the header once more, as in files that were put together.

    Parameters
    ----------
    data : bytes
    head : Head or None
        Of the data.

    Returns
    -------
    data : bytes
    steps : tuple of str
        How many lines were left out.
    """
    if head is None:
        return data, ()
    header = data[head.starts[0] : head.starts[1]].rstrip(b"\r\n")
    recurs = data.find(b"\n" + header, head.starts[1] - 1) >= 0
    if not recurs or not head.is_above_numbers:  # of a wide table far sooner
        return data, ()
    same = re.compile(rb"(?<=\n)%b(?=\r?\n|$)" % re.escape(header))
    below, n_lines = same.subn(b"", data[head.starts[1] - 1 :])
    if not n_lines:
        return data, ()
    step = f"Left out: {count(n_lines, 'line')} that repeat the header."
    return data[: head.starts[1] - 1] + below, (step,)


def one_header(
    data: bytes, form: Head | None, header: str = "joined"
) -> tuple[bytes, tuple[str, ...], str]:
    """Join a header of several rows into one, so that the rows keep their numbers.

    A row below the first belongs to the header where it has text, a unit or nothing above numbers:
    names that complete merged cells above them, or the units of the columns.

    Parameters
    ----------
    data : bytes
    form : Head or None
        Of the data.
    header : str
        "joined", or "first" where the rows below the first are not part of the header.

    Returns
    -------
    data : bytes
    steps : tuple of str
        Which rows were joined, and how.
    found : str
        Which rows the header has, and the names that they make; empty for one row.
    """
    if form is None or not (n_rows := form.n_header_rows):
        return data, (), ""
    names = form.joined(n_rows)
    line = io.StringIO()
    csv.writer(line, delimiter=form.delimiter, lineterminator="\n").writerow(names)
    below = data[form.starts[n_rows] :]
    first = line.getvalue().encode()
    above = b"\n" * form.at
    n_lines = data.count(b"\n", form.starts[0], form.starts[n_rows])
    examples = [name for name, old in zip(names, form.rows[0], strict=True) if name != old]
    in_words = f"{count(n_rows, 'row')} make {listed(examples)}"
    if header == "first":
        return data, (), in_words
    step = f"{count(n_rows, 'header row')} were joined: {listed(examples)}."
    return above + first + b"\n" * (n_lines - 1) + below, (step,), in_words


class Head:
    """The first rows of a table as cells, and where they stand in the text."""

    def __init__(
        self, rows: list[list[str]], starts: list[int], first: int, delimiter: str
    ) -> None:
        self.rows = rows
        self.starts = starts  # of each row in the data, in bytes
        self.at = first  # blank lines above
        self.delimiter = delimiter

    @classmethod
    def of(cls, data: bytes) -> Head | None:
        """The first rows, None where they do not split into equally many cells a line."""
        lines = _sampled(io.BytesIO(data))
        texts = [line.decode("utf-8", "replace") for line in lines]
        filled = [place for place, line in enumerate(lines) if line.strip(BLANK)]
        if len(filled) < LEAST_ROWS or any(text.count('"') % 2 for text in texts):
            return None
        splits = {mark: _as_split([texts[place] for place in filled], mark) for mark in DELIMITERS}
        mark = max(splits, key=lambda mark: splits[mark][2])
        n_cells, rows, _ = splits[mark]
        whole = [row for row in rows if len(row) == n_cells]
        if n_cells < 2 or rows[:MAX_HEADER_ROWS] != whole[:MAX_HEADER_ROWS]:
            return None
        starts = [sum(map(len, lines[:place])) for place in filled[: MAX_HEADER_ROWS + 1]]
        return cls(whole, starts, filled[0], mark)

    @property
    def is_above_numbers(self) -> bool:
        """True if the first row has words alone, and numbers below some of them."""
        return not any(map(is_number, self.rows[0])) and bool(_numeric_columns(self.rows[1:]))

    @property
    def n_header_rows(self) -> int:
        """Number of rows of the header; 0 for one row."""
        n_rows = 1
        for index in range(1, min(MAX_HEADER_ROWS, len(self.rows) - 2)):
            if self._is_header(index) or self._completes(index) or self._is_of_a_year(index):
                n_rows = index + 1
            elif all(self.rows[index]) or any(map(_is_measured, self.rows[index])):
                break  # no merged cells
        if n_rows == 1:
            return 0
        cells = [*self.rows[0], "-"]
        has_names = not any(  # but for years above several columns
            is_number(cell) and not (_YEAR.fullmatch(cell) and not behind)
            for cell, behind in pairwise(cells)
        )
        return n_rows if has_names else 0

    def _is_header(self, place: int) -> bool:
        """Return whether a row has no numbers where all the rows below have."""
        columns = _numeric_columns(self.rows[place + 1 :])
        above = [self.rows[place][j] for j in columns]
        given = [cell for cell in above if cell]
        is_new = (
            not any(_is_measured(cell) for cell in given) and not set(map(_bare, given)) & _GAPS
        )
        return len(columns) >= 2 and is_new and 2 * len(given) >= len(above)

    def _completes(self, place: int) -> bool:
        """Return whether a row has numbers alone, such as wavelengths, below incomplete names.

        Or the names of all columns that have none above, such as those of what names the rows.
        """
        columns = _numeric_columns(self.rows[place + 1 :])
        above, below = (row[:MOST_CHECKED] for row in (self.rows[0], self.rows[place]))
        names = [above[j] for j in columns if above[j] or j]  # a corner above ids needs none
        others = [cell for j, cell in enumerate(below) if j not in {*columns}]
        if not any(others):
            are_whole = all(names) and len(set(names)) == len(names)
            return bool(others) and not are_whole
        pairs = [*zip(above, below, strict=True)]
        are_apart = any(names) and all((pairs[j][0] == "") != (pairs[j][1] == "") for j in columns)
        n_new = sum(not old and new != "" for old, new in pairs)
        used = {j for row in self.rows for j, cell in enumerate(row[:MOST_CHECKED]) if cell}
        is_new = (
            n_new > 1 and all(any(pairs[j]) for j in used) and not any(map(_is_measured, below))
        )
        return are_apart and is_new

    def _is_of_a_year(self, place: int) -> bool:
        """Return whether a row has one year above all columns of numbers, and none below has it."""
        years = {cell for cell in self.rows[place] if cell}
        columns = [j for j, cell in enumerate(self.rows[place][:MOST_CHECKED]) if cell]
        below = self.rows[place + 1 :]
        is_year = len(years) == 1 and _YEAR.fullmatch(min(years)) is not None
        return (
            is_year
            and len(columns) >= LEAST_ROWS
            and columns == _numeric_columns(below)
            and not any(years & {*row} for row in below)
        )

    def joined(self, n_rows: int) -> list[str]:
        """The names of the columns: what stands above each, units in brackets."""
        rows = [list(row) for row in self.rows[:n_rows]]
        columns = _numeric_columns(self.rows[n_rows:], None)
        units = [_unit(cell) for cell in rows[-1]]
        given = [j for j in columns if units[j]]
        # Below a merged cell, which has a name for each of its columns, N and P are no units.
        is_named = [any(row[j] for row in rows[:-1]) for j in given]
        has_units = all(is_named) and bool(given) and all(is_unit(units[j]) for j in given)
        names = rows[:-1] if has_units else rows
        for above, below in zip(names[-2::-1], names[:0:-1], strict=True):
            for j in range(1, len(above)):  # a merged cell names the columns to its right
                above[j] = above[j] or (above[j - 1] if below[j] else "")
        joined = [
            " ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*names, strict=True)
        ]
        return list(map(with_unit, joined, units)) if has_units else joined


def samples_in_rows(
    data: bytes, head: Head | None, limits: Limits, samples: str = "auto"
) -> tuple[bytes, tuple[str, ...], str, Preview]:
    """Turn a table whose samples are its columns, as tables of genes are.

    Parameters
    ----------
    data : bytes
    head : Head or None
        Of the data.
    limits : Limits
    samples : str
        Whether samples are "rows" or "columns". By default columns where everything is named
        numbers but one of the first rows or the last, which has groups of them, or where the names
        of the columns have groups: healthy_1, healthy_2, ill_1, ill_2. Numbers of one kind without
        groups are not turned by themselves.

    Returns
    -------
    data : bytes
    steps : tuple of str
    found : str
        Why samples seem to be columns, however they are read; empty if they do not.
    preview : tuple of tuple of str
        The first cells of the turned table, its header first; empty if samples are rows.
    """
    groups = _groups_of_columns(head, data)
    if samples == "rows" or (samples == "auto" and groups in ("", NO_GROUPS)):
        return data, (), groups, _turned_head(head, data, groups)
    delimiter = head.delimiter if head else ","
    records = [
        row for row in csv.reader(io.StringIO(data.decode()), delimiter=delimiter) if any(row)
    ]
    width = max(map(len, records), default=0)
    if width * len(records) > MAX_CELLS or len(records) > limits.n_columns:
        return data, (), "", ()
    turned = io.StringIO()
    padded = [row + [""] * (width - len(row)) for row in records]
    if groups == _IN_NAMES:
        padded.append(["group", *map(_group_of, padded[0][1:])])
    csv.writer(turned, lineterminator="\n").writerows(zip(*padded, strict=True))
    n_samples = count(width - 1, "column")
    step = f"Turned: the {n_samples} of the file are samples, its rows are features."
    return turned.getvalue().encode(), (step,), groups, _turned_head(head, data, groups)


def _turned_head(head: Head | None, data: bytes, step: str) -> Preview:
    """The first cells of the turned table, with its groups."""
    if head is None or not step:
        return ()
    n_numbers = MOST_PREVIEWED - (step in (_BELOW, _IN_NAMES))
    rows = [row[:MOST_PREVIEWED] for row in head.rows[:n_numbers]]
    if step == _BELOW:
        rows.append(_last_row(head, data)[:MOST_PREVIEWED])
    if step == _IN_NAMES:
        rows.append(["group", *map(_group_of, rows[0][1:])])
    return tuple(zip(*(map(shortened, row) for row in rows), strict=True))


def _last_row(head: Head, data: bytes) -> list[str]:
    return cells_of(data.rstrip().rpartition(b"\n")[2].decode("utf-8", "replace"), head.delimiter)


_ABOVE = "A row of groups stands above its numbers"
_BELOW = "A row of groups stands below its numbers"
_IN_NAMES = "The names of its columns have groups"
NO_GROUPS = "Its numbers are of one kind, and nothing has groups of them"
_METABOANALYST = "#NAME"  # above features, of MicrobiomeAnalyst as well
_SERIES = re.compile(r"(?P<before>\D*)(?P<number>[0-9]+(?:\.[0-9]+)?)(?P<behind>\D*)")
_NUMBERED_NAME = re.compile(r"(?P<group>.*[^\W\d_])[ _.\-]+[0-9]{1,4}")


def _groups_of_columns(head: Head | None, data: bytes) -> str:
    """Return the row that names groups of the columns, if all else is named numbers."""
    if head is None or len(head.rows) < LEAST_COLUMNS or len(head.rows[0]) <= LEAST_COLUMNS:
        return ""
    names, rows = head.rows[0][1:], head.rows[1:]
    if len(set(names)) < len(names):
        return ""
    if any(
        _are_groups(rows[index][1:]) and _are_named_numbers(rows[index + 1 :]) for index in (0, 1)
    ):
        return _ABOVE
    last = _last_row(head, data)
    if rows[-1] == last:
        rows = rows[:-1]
    corner, things = head.rows[0][0], [row[0] for row in rows]
    are_far_more = far_more_rows(names, data.count(b"\n"))
    is_id = are_far_more and names_identifier(corner) and not _count_up(things)
    is_told = _says_features(corner)
    may_recur = is_id or (is_told and _hardly_recur(things))
    if not _are_named_numbers(rows, may_be_numbers=is_id or is_told, may_recur=may_recur):
        return ""
    if len(last) == len(head.rows[0]) and _are_groups(last[1:]):
        return _BELOW
    return _groups_in_names(head.rows[0]) or (NO_GROUPS if are_far_more else "")


def _hardly_recur(names: Sequence[str]) -> bool:
    """Return whether nine in ten are distinct, as symbols of genes with several probes are."""
    return 10 * len(set(names)) >= 9 * len(names)


def _count_up(names: Sequence[str]) -> bool:
    """Return whether names are consecutive numbers, as those of rows, and not ids of genes, are."""
    if not all(name.isdecimal() for name in names):
        return False
    first, *others = map(int, names)
    return others == [*range(first + 1, first + len(names))]


def _groups_in_names(header: Sequence[str]) -> str:
    names = header[1:]
    is_numbered = len(names) >= LEAST_NUMBERED and all(map(_NUMBERED_NAME.fullmatch, names))
    if is_numbered and _are_groups(list(map(_group_of, names))):
        return _IN_NAMES
    return NO_GROUPS if _are_of_one_kind(header) else ""


def _are_of_one_kind(header: Sequence[str]) -> bool:
    """Return whether the names of columns say that none is another kind of number than the others.

    Their first one says that rows are genes or the like, or the others are a numbered series: S1 to
    S20, e0 to e383; without letters, they ascend or descend as wavelengths do.
    """
    corner, *names = header
    if _says_features(corner):
        return True
    match = [_SERIES.fullmatch(name) for name in names]
    parts = [(part["before"], part["behind"]) for part in match if part]
    if len(parts) < len(names) or len(set(parts)) > 1:
        return False
    numbers = [float(part["number"]) for part in match if part]
    ascends = numbers in (sorted(numbers), sorted(numbers, reverse=True))
    return any(map(str.strip, parts[0])) or (len(numbers) >= LEAST_ASCENDING and ascends)


def _says_features(corner: str) -> bool:
    """Return whether the first name of a header says that rows are genes or the like."""
    return corner == _METABOANALYST or says_features(corner.lower().removesuffix("id"))


def _group_of(name: str) -> str:
    match = _NUMBERED_NAME.fullmatch(name)
    return match["group"] if match else name


def _are_groups(cells: Sequence[str]) -> bool:
    groups = Counter(cells)
    if not 2 <= len(groups) <= MAX_GROUPS or min(groups.values()) < 2:
        return False
    return not any(
        not cell or is_number(cell) or is_unit(_unit(cell)) or _bare(cell) in _GAPS
        for cell in groups
    )


def _are_named_numbers(
    rows: Sequence[list[str]], *, may_be_numbers: bool = False, may_recur: bool = False
) -> bool:
    names = [row[0] for row in rows]
    cells = [cell for row in rows for cell in row[1:MOST_CHECKED] if _bare(cell) not in _GAPS]
    are_words = may_be_numbers or not any(map(is_number, names))
    has_names = (may_recur or len(set(names)) == len(names)) and are_words
    return has_names and bool(cells) and all(map(_is_measured, cells))


def _is_measured(cell: str) -> bool:
    """Return whether this is a number, or the limit that one lies beyond."""
    return is_number(cell.lstrip("<>≤≥= "))


_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_GAPS = {"", "na", "nan", "n/a", "null", "?", "-", ".", "..", "n.d.", "nd"}
_ASTERISKS = "*†‡"  # in place of numbers that are not told
_NO_UNIT = {"-", "\u2013", "\u2014"}
_BRACKETS = re.compile(r"[(\[](?P<unit>[^()\[\]]+)[)\]]")


def _bare(cell: str) -> str:
    return cell.strip().strip(_ASTERISKS).casefold()


def _unit(cell: str) -> str:
    """The unit in a cell such as (mg/l) or [mm]."""
    match = _BRACKETS.fullmatch(cell.strip())
    unit = match["unit"].strip() if match else cell.strip()
    return "" if unit in _NO_UNIT else unit
