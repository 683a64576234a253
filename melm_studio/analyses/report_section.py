"""The parts of a report, as text and bytes; nothing in them is markup."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table; the first column names the rows.

    Attributes
    ----------
    caption : str
    head : tuple of str
    rows : tuple of tuple of str
    note : str
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A vector picture.

    Attributes
    ----------
    svg : bytes
    description : str
        For readers who do not see it.
    caption : str
    """

    svg: bytes
    description: str
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    heading : str
    sentences : tuple of str
        Each is a paragraph.
    tables : tuple of Table
    pictures : tuple of Picture
    code : str
        Text that is shown as it is written.
    links : tuple of (str, str)
        Names and addresses.
    files : tuple of (str, bytes)
        Names and contents, which the report holds.
    """

    heading: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    code: str = ""
    links: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
