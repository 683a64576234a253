"""The record of a verdict under one way in which rows may depend on each other."""

from __future__ import annotations

from melm_studio.record import Record


class TriedReading(Record, frozen=True):
    """Results of a check that keeps rows together that may belong together.

    Attributes
    ----------
    question : str
        The id of the question of the table that asks whether they do: "neighbors".
    choice : str
        The answer to it that keeps them together: "runs:20".
    together : str
        In words: "runs of 20 neighboring rows".
    n_rows : int
        Rows of the largest group.
    answer : str
        A value of `melm_core.answers.Answer`.
    p_value : float or None
        Of a permutation test whose shuffles and folds keep them together; None where these rows
        allow none.
    n_permutations, n_exceeding : int
        Permutations, and those that were separated as well.
    share, standard_error : float or None
        Balanced accuracy in folds that keep them together; None of a shorter run than another.
    """

    question: str
    choice: str
    together: str
    n_rows: int
    answer: str
    p_value: float | None = None
    n_permutations: int = 0
    n_exceeding: int = 0
    share: float | None = None
    standard_error: float | None = None
