"""What a check says besides its answer: which rows stayed together, and what it does not judge."""

from __future__ import annotations

from collections.abc import Iterator

from melm_core.evaluation import LEVEL, PermutationDesign
from melm_core.methods import METHODS, STARTS
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, Use, has_chosen_groups

_REFINED = (
    "The check judges the method from fresh starts, not this plane, which was refined from one "
    "that you chose."
)
_LEFT_OUT = (
    "Columns were left out by hand. If you chose them after looking at a plane, the answer is too "
    "favorable: the choice is not repeated in the folds."
)
_ONE_START = (
    "For the permutation test, the search has one start, for true and permuted labels alike."
)
_ONE_EMBEDDING = (
    "The permutation test embeds the rows once, without labels; each permutation refits the "
    "densities that classify them."
)
_EQUAL_ROWS = "Rows with equal values and label stayed together, as one."


def method_notes(record: RunRecord) -> Iterator[str]:
    """What cannot be repeated in the folds, so that the answer does not judge it.

    Parameters
    ----------
    record : RunRecord
        Of the check.
    """
    if record.parameters.init is not None:
        yield _REFINED
    if Use.IGNORED in record.source.roles.values():
        yield _LEFT_OUT
    if METHODS[record.method].takes(STARTS.name):
        yield _ONE_START
    if METHODS[record.method].keeps_embedding:
        yield _ONE_EMBEDDING


def design_notes(design: PermutationDesign, data: LabeledData) -> Iterator[str]:
    """Which rows stayed together, and the smallest p-value that this allows if it is too large."""
    if design.n_groups_exchanged + design.n_groups_within:
        yield design.sentence if has_chosen_groups(data.columns) else _EQUAL_ROWS
    if limit := design.limit_sentence(LEVEL):
        yield limit
