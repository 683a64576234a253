"""Options of reading a file."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from melm_studio.tables.encodings import ENCODINGS

MOST_NAME = 2_000  # characters of the name of a column


class ReadOptions(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Options of reading a file, where it can be read in several ways.

    Attributes
    ----------
    sheet : str
        The sheet of a workbook; empty for the first that holds a table.
    preferred_sheet : str
        The sheet that is read if the workbook has it: the answer to a question about another one.
    limits : str
        How cells beyond a limit of detection, such as <0.5, >100 and n.d., are read among numbers:
        as half of the limit where they are below it, as the limit, as empty, as half with a column
        besides that says which they are, or as text; by default as half, but as empty where all say
        ND beside numbers that are far from 0.
    words : str
        Whether a column with words in more than one of twenty cells, but fewer than half of them,
        is text, or numbers with these cells empty; by default the latter where one or two words
        stand among many numbers.
    samples : str
        Whether samples are the rows of the file or its columns; found by itself by default.
    header : str
        Whether a header of several rows is joined, or only its first row is the header.
    totals : str
        Whether last rows that sum up the others are left out.
    blocks : str
        Whether what is written once for a block of rows is filled down, as merged cells are.
    names : str
        Whether the first row has the names of the columns; found by itself by default.
    thousands : str
        Whether the commas in 5,126 are left out or are decimal marks, where all numbers of a column
        have one.
    codes : str
        Whether numbers far outside, such as 999, that stand for what is missing are left empty.
    encoding : str
        That of text which is not UTF-8; found by itself by default.
    kept_words : tuple of str
        The columns in which NA, null and the like are words, as sodium may be.
    as_written : bool
        Whether columns that are not all numbers are left as text, which is read by the rules of
        another table.
    """

    sheet: Annotated[str, Meta(title="The sheet", max_length=200)] = ""
    preferred_sheet: Annotated[str, Meta(title="The preferred sheet", max_length=200)] = ""
    limits: Annotated[
        Literal["auto", "half", "limit", "empty", "indicator", "text"],
        Meta(title="How cells such as <0.5 are read"),
    ] = "auto"

    words: Annotated[
        Literal["auto", "text", "empty"],
        Meta(title="How columns with words among numbers are read"),
    ] = "auto"
    samples: Annotated[
        Literal["auto", "rows", "columns"], Meta(title="Whether samples are rows or columns")
    ] = "auto"
    header: Annotated[Literal["joined", "first"], Meta(title="Whether header rows are joined")] = (
        "joined"
    )
    totals: Annotated[
        Literal["left-out", "kept"], Meta(title="Whether rows of totals are left out")
    ] = "left-out"
    blocks: Annotated[
        Literal["filled", "empty"], Meta(title="Whether cells of several rows are filled down")
    ] = "filled"
    names: Annotated[
        Literal["auto", "first-row", "none"],
        Meta(title="Whether the first row has the names of the columns"),
    ] = "auto"
    thousands: Annotated[
        Literal["left-out", "decimal"], Meta(title="What the comma in 5,126 is")
    ] = "left-out"
    codes: Annotated[
        Literal["missing", "numbers"], Meta(title="How codes such as 999 are read")
    ] = "missing"
    encoding: Annotated[
        str,
        Meta(
            title="The encoding of the text",
            pattern=f"^(auto|{'|'.join(ENCODINGS)})$",
            description=f"auto or one of {', '.join(ENCODINGS)}",
        ),
    ] = "auto"
    kept_words: Annotated[
        tuple[Annotated[str, Meta(max_length=MOST_NAME)], ...],
        Meta(title="The columns in which NA is a word", max_length=20),
    ] = ()
    as_written: Annotated[bool, Meta(title="Whether cells are left as written")] = False


DEFAULT_OPTIONS = ReadOptions()
