"""The record of what a check has found so far."""

from __future__ import annotations

from collections.abc import Mapping

from melm_studio.record import Record
from melm_studio.tables import Question


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


class FeatureStability(Record, frozen=True):
    """Dependence of the plane on which rows happen to be in the table.

    Attributes
    ----------
    angle : float
        Median over the resamples of the largest angle to the plane of all rows, in degrees.
    n_resamples : int
    n_top : int
        Number of features that count as selected in each resample.
    frequencies : tuple of float
        For each feature, share of the resamples in which it is among the `n_top` with the largest
        loadings.
    lower, upper : tuple of float
        For each feature, interval of the length of its loadings, between 0 and 1.
    """

    angle: float
    n_resamples: int
    n_top: int
    frequencies: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


class CheckReport(Record, frozen=True):
    """The results of a check so far.

    Attributes
    ----------
    problem : str
        Why there are no results, in a sentence; empty if nothing is wrong.
    stage : str
        What is being computed.
    fraction : float
        Share of the work done.
    scores : mapping of str to (float, float, float) or None
        Balanced accuracy in training and held out, and the standard error of the latter, by name
        of the classifier; the first is the one that the verdict is of.
    overlap : tuple of tuple of float
        Held-out confusion between each pair of classes.
    p_value, lower, upper : float or None
        Of the permutation test, with bounds on its final value; where several readings agree, the
        largest of theirs.
    n_permutations, n_exceeding : int
        Permutations so far, and those that were separated as well.
    notes : tuple of str
    answer : str
        A value of `melm_core.evaluation.Answer`; empty while unknown.
    bound : float or None
        Upper 95 % bound of the held-out share, while the answer is that of the folds alone.
    questions : tuple of Question
        Those of the table without an answer, for want of which the answer is unknown.
    readings : tuple of TriedReading
        The same where rows are kept together that may belong together, as far as it was tried: it
        ends with the first that differs.
    within : str
        The column within whose values the classes are compared; empty without one.
    is_of_map : bool
        Whether what was judged is a map that labels may have made.
    is_made : bool
        Whether the label was made from the features, as an answer says.
    without : tuple of Without
        What is left without columns that say the same as the label, or rows that decide alone.
    stability : FeatureStability or None
    """

    problem: str = ""
    stage: str = "starting"
    fraction: float = 0.0
    scores: Mapping[str, tuple[float, float, float]] | None = None
    overlap: tuple[tuple[float, ...], ...] = ()
    p_value: float | None = None
    lower: float | None = None
    upper: float | None = None
    n_permutations: int = 0
    n_exceeding: int = 0
    notes: tuple[str, ...] = ()
    answer: str = ""
    bound: float | None = None
    questions: tuple[Question, ...] = ()
    readings: tuple[TriedReading, ...] = ()
    within: str = ""
    is_of_map: bool = False
    is_made: bool = False
    without: tuple[Without, ...] = ()
    stability: FeatureStability | None = None
