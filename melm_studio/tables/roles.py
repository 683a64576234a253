"""Roles of columns, and the choice of the user."""

from __future__ import annotations

from enum import StrEnum

import msgspec

NO_LABEL = "(no label)"  # instead of the label column: all rows are one class
FIRST_UNNAMED, SECOND_UNNAMED = "column 1", "column 2"  # as the reader names them
ALL_ROWS = "all rows"  # its name


class Role(StrEnum):
    """The role of a column."""

    LABEL = "label"
    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    ORDERED = "ordered"
    NAME = "name"
    INFO = "info"
    GROUP = "group"
    BATCH = "batch"
    ORDER = "order"
    ID = "id"
    CONSTANT = "constant"
    IGNORED = "ignored"


FEATURES = (Role.NUMERIC, Role.CATEGORICAL, Role.ORDERED)
KEPT = (Role.NAME, Role.INFO, Role.GROUP, Role.BATCH, Role.ORDER)
USED = (Role.LABEL, *FEATURES, *KEPT)


class Use(StrEnum):
    """The user's choice for a column that is not the label."""

    FEATURE = "feature"
    CATEGORY = "category"
    ORDERED = "ordered"
    NAME = "name"
    INFO = "info"
    GROUP = "group"
    BATCH = "batch"
    ORDER = "order"
    IGNORED = "ignored"


SINGLE_USES = (Use.NAME, Use.GROUP, Use.BATCH, Use.ORDER)  # of one column at most


PICTURES = "pictures: the card of a row shows them"  # why a column can be information alone


class Column(msgspec.Struct, frozen=True, gc=False):
    """A column and its role.

    Attributes
    ----------
    name : str
    role : Role
    reason : str
        Why it has this role, a short phrase.
    n_values, n_missing : int
        Distinct values, and missing ones, in the rows that have a class.
    exclusion_reason : str
        Why the column cannot be a feature; empty if it can.
    """

    name: str
    role: Role
    reason: str
    n_values: int = 0
    n_missing: int = 0
    exclusion_reason: str = ""

    @property
    def is_pictures(self) -> bool:
        """True if its cells are pictures, which are neither a feature nor a class nor a name."""
        return self.exclusion_reason == PICTURES
