"""The record of what a check has found so far."""

from __future__ import annotations

from collections.abc import Mapping

from melm_studio.worker.records.record import Record


class CheckReport(Record, frozen=True):
    """The results of a check so far.

    Attributes
    ----------
    words : str
        The verdict in one sentence, as far as it is known.
    stage : str
        What is being computed.
    fraction : float
        Share of the work done.
    scores : mapping of str to (float, float, float) or None
        For each classifier and their mean: balanced accuracy in-sample and held out, and the
        standard error of the latter.
    overlap : tuple of tuple of float
        Held-out confusion between each pair of classes.
    p_value, lower, upper : float or None
        Of the permutation test, with bounds on its final value.
    n_permutations : int
        Permutations so far.
    notes : tuple of str
    """

    words: str = ""
    stage: str = "starting"
    fraction: float = 0.0
    scores: Mapping[str, tuple[float, float, float]] | None = None
    overlap: tuple[tuple[float, ...], ...] = ()
    p_value: float | None = None
    lower: float | None = None
    upper: float | None = None
    n_permutations: int = 0
    notes: tuple[str, ...] = ()
