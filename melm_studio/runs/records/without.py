"""The record of what is left without columns or rows that may decide alone."""

from __future__ import annotations

from melm_studio.record import Record


class Without(Record, frozen=True):
    """Separation of the classes without the columns, or rows, that may decide alone.

    Attributes
    ----------
    what : str
        These columns or rows: "grade", "the rows of site B".
    share, standard_error : float
        Balanced accuracy of the held-out rows, of fits without the columns or of the other rows.
    is_one : bool
        Whether this is a single column.
    columns : tuple of str
        Their names; empty for rows.
    """

    what: str
    share: float
    standard_error: float
    is_one: bool = True
    columns: tuple[str, ...] = ()

    @property
    def pronoun(self) -> str:
        """It or them."""
        return "it" if self.is_one else "them"
