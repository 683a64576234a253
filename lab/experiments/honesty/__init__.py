"""Do the numbers that the studio shows keep what they promise? One module a claim.

`python -m lab.experiments honesty` simulates tables whose truth is known, and prints for each claim
what is measured and what is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadpoolctl import threadpool_limits

from lab.experiments.honesty import (
    audits,
    batches,
    class_models,
    classic_tables,
    designs,
    early_answers,
    feature_intervals,
    field,
    hidden_subjects,
    importance,
    lots,
    more_rows,
    near_doubles,
    new_rows,
    opponents,
    outliers,
    page,
    pictures,
    probabilities,
    running_answers,
    serial_rows,
    sets,
    suspects,
    trees,
    twins,
    winners,
)
from lab.experiments.honesty.claim import Claim, as_tables

# A line for each module of this folder that states a claim.
_ALL: tuple[Claim, ...] = (
    audits.CLAIM,
    batches.CLAIM,
    class_models.CLAIM,
    classic_tables.CLAIM,
    designs.CLAIM,
    early_answers.CLAIM,
    feature_intervals.CLAIM,
    field.CLAIM,
    hidden_subjects.CLAIM,
    importance.CLAIM,
    lots.CLAIM,
    more_rows.CLAIM,
    near_doubles.CLAIM,
    new_rows.CLAIM,
    opponents.CLAIM,
    outliers.CLAIM,
    pictures.CLAIM,
    probabilities.CLAIM,
    running_answers.CLAIM,
    serial_rows.CLAIM,
    sets.CLAIM,
    suspects.CLAIM,
    trees.CLAIM,
    twins.CLAIM,
    winners.CLAIM,
)

CLAIMS = {claim.name: claim for claim in _ALL}


def compare(
    names: Sequence[str] = (), *, quick: bool = False, in_full: bool = False, keep: bool = False
) -> None:
    """Simulate claims and print the table of each.

    Parameters
    ----------
    names : sequence of str
        Keys of `CLAIMS`; all of them by default.
    quick : bool, default=False
        Fewer tables: seconds instead of minutes a claim.
    in_full : bool, default=False
        Every figure of long tables, too.
    keep : bool, default=False
        Write the pages of the documentation from what was measured.
    """
    with threadpool_limits(1):
        for claim in [CLAIMS[name] for name in names or CLAIMS]:
            figures = tuple(claim.simulate(quick))
            print(f"## {claim.name}\n\n{claim.promise}\n")
            print(as_tables(figures, in_full=in_full), end="\n\n", flush=True)
            if keep:
                page.keep(claim, figures)
                page.write(CLAIMS)
