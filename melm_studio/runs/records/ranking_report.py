"""The record of what a comparison of all methods has found so far."""

from __future__ import annotations

from melm_studio.record import Record


class RankedMethod(Record, frozen=True):
    """The scores of one method on the folds that all methods share.

    Attributes
    ----------
    method : str
        Key into `METHODS`.
    held_out : tuple of float
        Balanced accuracy of the held-out rows of each fold; empty if the method was not fitted.
    train : float
        Balanced accuracy of the training rows, averaged over the folds.
    seconds : float
        For all folds.
    refusal : str
        Why it was not fitted.
    batch : float or None
        Balanced accuracy of telling the batch of held-out rows within their class, averaged over
        the folds; None without batches.
    """

    method: str
    held_out: tuple[float, ...] = ()
    train: float = 0.0
    seconds: float = 0.0
    refusal: str = ""
    batch: float | None = None


class RankingReport(Record, frozen=True):
    """The methods that are scored so far.

    Attributes
    ----------
    methods : tuple of RankedMethod
        In the order in which they were scored.
    n_methods : int
        Number of methods to score.
    n_classes, n_rows : int
        Of the rows that are scored.
    current : str
        Key of the method at work; empty at the end.
    batch_chance : float or None
        The accuracy of guessing the batch; None without batches.
    """

    methods: tuple[RankedMethod, ...] = ()
    n_methods: int = 0
    n_classes: int = 0
    n_rows: int = 0
    current: str = ""
    batch_chance: float | None = None
