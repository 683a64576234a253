"""Everything that is said of how well a plane tells classes apart: its one writer.

A `Verdict` has the numbers, and its properties are the sentences: of the strip above a picture, its
tooltip, the list below it, a report, a replay, a phone, the HTTP interface and a terminal. Shares,
p-values and divergences become text here and nowhere else, so the same number has the same words
wherever it stands. The page shows what is written here; it composes and parses nothing. What the
library says, too, stands in `melm_core.answers` and is used from there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from melm_core.answers import (
    FIRST_WORDS,
    LABELS_MAY_BE_USED,
    TOLD_APART,
    Answer,
    folds_lead,
    guessing_gives,
    shuffles_sentence,
)
from melm_core.base import p_value_text, percent
from melm_core.diagnostics import ComponentGain
from melm_core.melm import DivergenceTerms
from melm_studio.runs.records.check_report import (
    CheckReport,
    FeatureStability,
    TriedReading,
    Without,
)
from melm_studio.runs.records.outcome import GammaPath
from melm_studio.runs.records.refits_report import RefitsReport
from melm_studio.tables import NEIGHBORS, Question, count, number

# With fewer held-out rows of a class, the standard error of a share may exceed 0.15.
FEW_HELD_OUT = 10
# A class with a smaller share of the rows is called rare.
RARE_SHARE = 0.05

UNKNOWN = "–"

_LARGE_GAP = 0.1
_LEAST_DIFFERENCE = 0.01
# Standard errors above guessing from which on batches are said to be told apart, and below the
# share of the folds from which on a drawing is said to be blurred.
_CLEARLY = 2.0
_LEAST_BOUND = 0.0005  # what is less would be written as 0.000
_ALMOST_ONE, _NEARLY_ONE = 0.995, 0.9995
_MOST_NAMED = 3  # runs or classes, in one breath
_MOST = "tells most held-out rows apart"
_LEAST_ROWS = 3  # of a class, for any region in a plane
_LEAST_MOVE = 0.05  # what is less would be written as 0.0
_HALF_UP = 1e-11  # as percentages are rounded, which stand beside it

_NO_HELD_OUT = "without held-out rows of every class nothing is known about new rows"
_NOT_SHOWN = "Not shown. "  # while p is computed
_BY_CONSTRUCTION = "Labels made from the features are told apart by construction."
_TRIES = "“Is it real?” tries both."
_NOT_ALL = (Answer.NO, Answer.PARTLY)
_ANSWER_FIRST = "Answer what the table asks, then run again."


class Rows(StrEnum):
    """The rows that a share is of."""

    TRAINING = "training rows"
    HELD_OUT = "held-out rows"
    FOLDS = "held-out rows of every fold"


class PermutationP(msgspec.Struct, frozen=True):
    """The p-value of a permutation test, so far or finally.

    Attributes
    ----------
    value : float
    n_permutations, n_exceeding : int
        Permutations of the labels, and those that were separated as well.
    lower, upper : float or None
        Bounds of the final value; None once it is final.
    """

    value: float
    n_permutations: int
    n_exceeding: int = 0
    lower: float | None = None
    upper: float | None = None

    @property
    def words(self) -> str:
        """The value: "p = 0.005"."""
        return p_value_text(self.value)

    @property
    def sentence(self) -> str:
        """Sentence on how many permutations were separated as well."""
        return shuffles_sentence(self.n_exceeding, self.n_permutations, self.value)

    @property
    def caption(self) -> str:
        """The value and, until it is final, its bounds.

        Examples
        --------
        >>> PermutationP(0.02, 49, lower=0.0001, upper=0.4).caption
        'p = 0.020 after 49 shuffles; p will end below 0.400'
        """
        if self.lower is None or self.upper is None:
            return self.words
        between = "below" if self.lower < _LEAST_BOUND else f"between {self.lower:.3f} and"
        shuffles = f"{self.words} after {number(self.n_permutations)} shuffles"
        return f"{shuffles}; p will end {between} {self.upper:.3f}"


class CheckProgress(msgspec.Struct, frozen=True):
    """Progress of a check.

    Attributes
    ----------
    stage : str
        What is being computed, or how the check ended.
    fraction : float
    is_final : bool
    """

    stage: str
    fraction: float
    is_final: bool


class Strip(msgspec.Struct, frozen=True):
    """Content of the strip above a picture, as the page gets it.

    Attributes
    ----------
    answer : str
        A value of `melm_core.evaluation.Answer`; empty while unknown.
    lead, caution, follow, more : str
        The sentence that comes first, why it may be no separation of the classes, what qualifies
        both, and what narrow panels leave out of that.
    remedy : tuple of str
        The columns without which nothing is left, to be left out; empty for other cautions.
    offers_curves : bool
        Whether straight features tell nothing or few apart, and curved ones might tell more.
    notes : tuple of str
        The list below it.
    tooltip : str
    spoken : str
        What a screen reader says: without numbers that change while a check is at work.
    check : CheckProgress or None
    """

    answer: str
    lead: str
    caution: str
    follow: str
    more: str
    remedy: tuple[str, ...]
    offers_curves: bool
    notes: tuple[str, ...]
    tooltip: str
    spoken: str
    check: CheckProgress | None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Separation of the classes by a plane or, in cross-validation, by its method.

    Attributes
    ----------
    answer : Answer or None
        None while it is unknown.
    rows : Rows
        Those that the share is of.
    share : float
        Balanced accuracy.
    n_classes : int
    share_train : float or None
        The same of the training rows.
    standard_error : float or None
        Of the share.
    p : PermutationP or None
        Of a permutation test.
    units : tuple of int
        Held-out rows of each class or, if rows depend on each other, groups.
    has_groups : bool
    class_counts : mapping of str to int
        All rows of each class, training and held-out.
    n_choices : int
        Of how many planes or methods this is the best on the rows of the share, which favors it.
    choices : str
        What these are: "methods".
    is_corrected : bool
        Whether the share is without the luck of that choice, as of `WinnerShare`.
    bound : float or None
        Upper 95 % bound of the share, of an answer without a p-value.
    questions : tuple of Question
        Those of the table without an answer, for want of which the answer is unknown.
    readings : tuple of TriedReading
        What was found where rows were kept together that may belong together.
    suspicions : tuple of Question
        About such rows, while only a check can try what the answer would be.
    is_of_map : bool
        Whether the rows are judged in a map that labels may have made.
    is_made : bool
        Whether the label was made from the features, so that no answer is a yes.
    without : tuple of Without
        What is left without columns or rows that may decide alone.
    within : str
        The column within whose values the classes are compared; empty without one.
    of_batch : str
        That batches can be read from the picture, where they can.
    can_bend : bool
        Whether the features are straight, and could bend.
    remarks : tuple of str
        Further notes.
    check : CheckProgress or None
        Of the check of the run, if it has one.
    so_far : str
        How many folds the share is of, until all are done.
    """

    answer: Answer | None = None
    rows: Rows
    share: float
    n_classes: int
    share_train: float | None = None
    standard_error: float | None = None
    p: PermutationP | None = None
    units: tuple[int, ...] = ()
    has_groups: bool = False
    class_counts: Mapping[str, int] = msgspec.field(default_factory=dict)
    n_choices: int = 1
    choices: str = ""
    is_corrected: bool = False
    bound: float | None = None
    questions: tuple[Question, ...] = ()
    readings: tuple[TriedReading, ...] = ()
    suspicions: tuple[Question, ...] = ()
    is_of_map: bool = False
    is_made: bool = False
    without: tuple[Without, ...] = ()
    within: str = ""
    of_batch: str = ""
    can_bend: bool = False
    remarks: tuple[str, ...] = ()
    check: CheckProgress | None = None
    so_far: str = ""

    @property
    def chance(self) -> float:
        """The balanced accuracy of guessing."""
        return 1.0 / self.n_classes

    @property
    def n(self) -> int:
        """Held-out rows, or groups, that the share is of; 0 where they are not counted."""
        return sum(self.units)

    @property
    def is_overfit(self) -> bool:
        """True if the training rows are told apart much better, and not by chance."""
        if self.share_train is None or self.standard_error is None:
            return False
        return self.share_train - self.share > max(_LARGE_GAP, 2.0 * self.standard_error)

    @property
    def is_clear(self) -> bool:
        """True if the share exceeds guessing by two standard errors, where those are known."""
        return self.share - self.chance > _CLEARLY * (self.standard_error or 0.0)

    @property
    def share_words(self) -> str:
        """The share, with its standard error where that is known, and what was chosen from.

        Examples
        --------
        >>> verdict = Verdict(rows=Rows.FOLDS, share=0.51, n_classes=2, standard_error=0.042)
        >>> chosen = msgspec.structs.replace(verdict, n_choices=13, choices="methods")
        >>> msgspec.structs.replace(chosen, is_corrected=True).share_words
        '51 ± 4 %, chosen among 13 methods'
        """
        if self.n_classes == 1:
            return UNKNOWN
        share = percent(self.share, self.standard_error)
        if self.n_choices == 1:
            return share
        luck = "" if self.is_corrected else " and so too favorable"
        return f"{share}, chosen among {number(self.n_choices)} {self.choices}{luck}"

    @property
    def lead(self) -> str:
        """The sentence that comes first, without its period.

        Examples
        --------
        >>> Verdict(rows=Rows.HELD_OUT, share=0.984, n_classes=3).lead
        '98 % of held-out rows are told apart'
        """
        if self.n_classes == 1:
            return "All rows are one class, so there is nothing to tell apart"
        share = percent(self.share)
        if self.rows is Rows.FOLDS:
            return folds_lead(
                self.share,
                self.n_classes,
                self._first_words,
                self.standard_error,
                within=self.within,
            )
        if self.rows is Rows.HELD_OUT and self.answer is Answer.NO:
            return f"No better than guessing: {share} of held-out rows"
        is_short = self.answer is Answer.UNKNOWN and not (self.questions or self.suspicions)
        if self.rows is Rows.HELD_OUT and is_short and not (self.is_of_map or self.is_made):
            few, them = ("groups", "their rows") if self.has_groups else ("rows", "them")
            return f"Too few held-out {few} to tell: {share} of {them} are told apart"
        return f"{_capitalized(share)} of {self.rows} are told apart"

    @property
    def qualifiers(self) -> str:
        """Chance and training rows or, of a check, its p-value.

        Examples
        --------
        >>> Verdict(rows=Rows.HELD_OUT, share=0.98, n_classes=3, share_train=1.0).qualifiers
        'guessing: 33 %, training rows: 100 %'
        """
        return "".join(self._qualifiers)

    @property
    def sentence(self) -> str:
        """Lead, caution and qualifiers, as in a report, a replay and for programs."""
        if self.rows is Rows.FOLDS:
            return " ".join(filter(None, (f"{self.lead}.", self.caution, self.qualifiers)))
        qualifiers = f" ({self.qualifiers})" if self.qualifiers else ""
        return f"{self.lead}{qualifiers}. {self.caution}".rstrip()

    @property
    def caution(self) -> str:
        """The strongest reason why what is told apart may not be the classes.

        Examples
        --------
        >>> found = Verdict(
        ...     rows=Rows.FOLDS,
        ...     share=1.0,
        ...     n_classes=2,
        ...     answer=Answer.YES,
        ...     without=(Without("grade", 0.51, 0.05),),
        ... )
        >>> found.sentence
        '100 % of held-out rows are told apart in cross-validation; guessing gives 50 %. Only \
because of grade: 51 % without it.'
        """
        if self.answer is Answer.NO or self.rows is Rows.TRAINING or not self.is_clear:
            return ""
        return self._doubt or self.of_batch

    @property
    def _doubt(self) -> str:
        """A caution beside which nothing is a yes."""
        if self._decides is not None:
            return without_sentence(self._decides, self.chance)
        return self._made if self.rows is Rows.FOLDS else ""

    @property
    def _decides(self) -> Without | None:
        """First of the columns or rows that decide alone."""
        return next((part for part in self.without if decides_alone(part, self.chance)), None)

    @property
    def remedy(self) -> tuple[str, ...]:
        """The columns that are to be left out, where they are the caution."""
        decides = self._decides if self.caution else None
        return decides.columns if decides is not None else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Limitations of the answer."""
        is_said = self.rows is Rows.FOLDS
        asked = () if is_said else self._asked
        notes = (
            "" if is_said else self._of_map,
            "" if is_said else self._made,
            *asked,
            *self.remarks,
            self._overfit,
            self._few_held_out,
            self._rare_class,
            self._choice,
        )
        return tuple(filter(None, notes))

    @property
    def strip(self) -> Strip:
        """Content of the strip above the picture."""
        so_far = self._so_far
        follow, more = self._qualifiers
        # Without the numbers of a check at work, which change several times a second.
        at_work = f"{self._stage.partition(',')[0]}." if self._stage else so_far
        spoken = f"{self.lead}. {at_work}" if at_work else self.sentence
        is_doubtful = self.caution and self.answer in TOLD_APART
        return Strip(
            answer=Answer.UNKNOWN if is_doubtful else self.answer or "",
            lead=f"{self.lead}." if self.caution else self.lead,
            caution=self.caution,
            follow=" ".join(filter(None, (follow, so_far))),
            more=more,
            remedy=self.remedy,
            offers_curves=self.can_bend and self.answer in _NOT_ALL and not self.remedy,
            notes=self.notes,
            tooltip=" ".join(self.notes),
            spoken=spoken,
            check=self.check,
        )

    @property
    def _qualifiers(self) -> tuple[str, str]:
        if self.n_classes == 1:
            return "", ""
        if self.rows is Rows.FOLDS:
            p = self.p.sentence if self.p else ""
            limits = (*self._without, self._of_map, self._made)
            sentences = (p, self._kept_together, self._bound_words, *limits, *self._asked)
            return " ".join(said for said in sentences if said and said != self.caution), ""
        guessing = f"guessing: {percent(self.chance)}"
        if self.rows is Rows.TRAINING:
            return guessing, f"; {_NO_HELD_OUT}"
        return guessing, f", training rows: {share_text(self.share_train)}"

    @property
    def _first_words(self) -> str:
        if self.questions:
            return "Cannot be decided yet. "
        if self.answer in TOLD_APART:
            if self._doubt:
                return ""
            if self.readings:
                first = FIRST_WORDS[self.answer].removesuffix(". ")
                return f"{first}, {reach_words(self.readings)}. "
        return FIRST_WORDS[self.answer] if self.bound is None else _NOT_SHOWN

    @property
    def _kept_together(self) -> str:
        """The least share of the readings, or how the last of them differs."""
        if not self.readings or self.answer is None:
            return ""
        last = self.readings[-1]
        shares = [each for each in self.readings if each.share is not None]
        if last.answer not in TOLD_APART:
            return differing_sentence(last)
        if not shares:
            return ""
        least = min(shares, key=lambda each: each.share or 0.0)
        share = percent(least.share or 0.0, least.standard_error)
        return f"With {least.together} kept together: {share}."

    @property
    def _bound_words(self) -> str:
        return (
            ""
            if self.bound is None
            else f"Of new rows at most {percent(self.bound)}, with 95 % confidence."
        )

    @property
    def _without(self) -> tuple[str, ...]:
        """Both shares, where the one depends on a few columns or rows."""
        return tuple(without_sentence(part, self.chance) for part in self.without)

    @property
    def _of_map(self) -> str:
        return LABELS_MAY_BE_USED if self.is_of_map else ""

    @property
    def _made(self) -> str:
        return _BY_CONSTRUCTION if self.is_made else ""

    @property
    def _asked(self) -> tuple[str, ...]:
        """The questions, and where they are answered."""
        asked = tuple(question.short for question in self.questions)
        tried = tuple(f"{question.short} {_TRIES}" for question in self.suspicions)
        return (*asked, _ANSWER_FIRST, *tried) if asked else tried

    @property
    def _stage(self) -> str:
        """What a check is at, of which its folds are done."""
        is_checked = self.rows is Rows.FOLDS and self.check and not self.check.is_final
        return _capitalized(self.check.stage) if self.check and is_checked else ""

    @property
    def _so_far(self) -> str:
        return f"{self._stage}." if self._stage else self.so_far

    @property
    def _overfit(self) -> str:
        if not self.is_overfit or self.rows is not Rows.HELD_OUT:
            return ""
        return (
            f"Overfit: {share_text(self.share_train)} of the training rows are told apart, "
            f"{percent(self.share)} of the held-out rows."
        )

    @property
    def _few_held_out(self) -> str:
        if not self.units or min(self.units) >= FEW_HELD_OUT:
            return ""
        rarest = self.units.index(min(self.units))
        left = count(self.units[rarest], "held-out group" if self.has_groups else "held-out row")
        return f"Only {left} of {list(self.class_counts)[rarest]}: the share is rough."

    @property
    def _rare_class(self) -> str:
        counts = self.class_counts
        n_rows = sum(counts.values())
        name = min(counts, key=lambda name: counts[name]) if counts else ""
        if not counts or counts[name] >= RARE_SHARE * n_rows or len(counts) > 1 / RARE_SHARE:
            return ""
        rows = f"Only {number(counts[name])} of {number(n_rows)} rows are {name}."
        return f"{rows} Each class counts equally in the shares."

    @property
    def _choice(self) -> str:
        if self.n_choices == 1:
            return ""
        choice = f"Chosen among {number(self.n_choices)} {self.choices}"
        if self.is_corrected:
            return f"{choice}: the share is of rows that took no part in the choice."
        return f"{choice}: the share is too favorable."


def plane_verdict(share_train: float, share_held_out: float | None, n_classes: int) -> Verdict:
    """Return the verdict of the shares of any plane, without an answer.

    Parameters
    ----------
    share_train, share_held_out : float or None
        Balanced accuracies; None if a class has no held-out row.
    n_classes : int

    Examples
    --------
    >>> plane_verdict(1.0, 0.984, 3).sentence
    '98 % of held-out rows are told apart (guessing: 33 %, training rows: 100 %).'
    """
    if share_held_out is None:
        return Verdict(rows=Rows.TRAINING, share=share_train, n_classes=n_classes)
    return Verdict(
        rows=Rows.HELD_OUT, share=share_held_out, n_classes=n_classes, share_train=share_train
    )


def check_verdict(report: CheckReport) -> Verdict | None:
    """Return the verdict of a check so far, or finally; None before its folds are done."""
    if not report.scores or not report.overlap:
        return None
    train, held_out, standard_error = next(iter(report.scores.values()))
    return Verdict(
        answer=Answer(report.answer) if report.answer else None,
        rows=Rows.FOLDS,
        share=held_out,
        n_classes=len(report.overlap),
        share_train=train,
        standard_error=standard_error,
        p=permutation_p(report, is_final=True) if report.answer and not report.bound else None,
        bound=report.bound,
        questions=report.questions,
        readings=report.readings,
        is_of_map=report.is_of_map,
        is_made=report.is_made,
        without=report.without,
        within=report.within,
    )


def refits_verdict(report: RefitsReport) -> Verdict | None:
    """Return the verdict of refits so far, or finally; None before the first fold is done."""
    if report.share is None:
        return None
    so_far = f"So far, {report.n_done} of {report.n_folds} folds."
    return Verdict(
        answer=None if report.bound is None else Answer.NO,
        rows=Rows.FOLDS,
        share=report.share,
        n_classes=len(report.overlap),
        share_train=report.train_share,
        standard_error=report.standard_error,
        bound=report.bound,
        is_of_map=report.is_of_map,
        without=report.without,
        within=report.within,
        so_far="" if report.is_complete else so_far,
    )


def refits_sentence(report: RefitsReport) -> str:
    """Say what the refits of a run show; empty before their first fold is done."""
    verdict = refits_verdict(report)
    return "" if verdict is None else verdict.sentence


def moves_sentence(moves: float | None) -> str:
    """Say how far rows are from where the plane of all rows puts them.

    Examples
    --------
    >>> moves_sentence(0.12), moves_sentence(None)
    ('rows move by 0.1 SD', 'the plane has seen these rows')
    """
    if moves is None:
        return "the plane has seen these rows"
    return f"rows move by {moves:.1f} SD" if moves >= _LEAST_MOVE else "rows hardly move"


def blur_sentence(report: RefitsReport) -> str:
    """That folds disagree about what is drawn; empty where they do not.

    Examples
    --------
    >>> report = RefitsReport(share=0.87, standard_error=0.02, drawn_share=0.79)
    >>> blur_sentence(report)
    "blurred, as the folds' planes differ: 79 % are told apart here"
    """
    drawn, share, error = report.drawn_share, report.share, report.standard_error
    if drawn is None or share is None or error is None or drawn >= share - _CLEARLY * error:
        return ""
    return f"blurred, as the folds' planes differ: {percent(drawn)} are told apart here"


def regions_sentence(
    missing: Sequence[tuple[int, float]],
    class_names: Sequence[str],
    n_held_out: int = 0,
    *,
    by_groups: bool = False,
) -> str:
    """Of which rows the regions of a picture are, and which of them too few rows can tell.

    Parameters
    ----------
    missing : sequence of (int, float)
        Codes of classes, and the least share of which each has no region.
    class_names : sequence of str
    n_held_out : int
        Held-out rows that the regions are of; 0 where they are of refits.
    by_groups : bool, default=False
        If True, rows belong together in groups, and shares are promised by their number.

    Returns
    -------
    str
        Empty where regions are of refits and none is missing.

    Examples
    --------
    >>> regions_sentence([(1, 0.95)], ["a", "b"], n_held_out=30)
    'regions of 30 held-out rows, none of 95 % of b (needs 19 rows)'
    >>> regions_sentence([(0, 0.95), (1, 0.95)], ["a", "b"])
    'no region of 95 % (needs 19 rows)'
    >>> regions_sentence([(0, 0.95)], ["a", "b"], by_groups=True)
    'no region of 95 % of a (needs 19 groups)'
    >>> regions_sentence([(0, 0.95), (2, 0.5)], ["a", "b", "c"])
    'no region of 95 % of a (needs 19 rows), none of c (needs 3 rows)'
    """
    parts = [f"regions of {number(n_held_out)} held-out rows"] if n_held_out else []
    for share in sorted({share for _, share in missing}, reverse=True):
        names = [class_names[code] for code, least in missing if least == share]
        needed = max(_LEAST_ROWS, math.ceil(share / (1.0 - share) - _HALF_UP))
        is_of_share = needed > _LEAST_ROWS
        of_what = [f"of {percent(share)}"] if is_of_share else []
        units = "groups" if by_groups and is_of_share else "rows"
        if len(names) < len(class_names):
            is_few = len(names) <= _MOST_NAMED
            of_what.append(f"of {', '.join(names) if is_few else f'{number(len(names))} classes'}")
        none = "none" if parts else "no region"
        parts.append(" ".join([none, *of_what, f"(needs {needed} {units})"]))
    return ", ".join(parts)


def reach_words(readings: Sequence[TriedReading]) -> str:
    """Say how far an answer reaches on which readings of the rows agree, as part of a sentence.

    Parameters
    ----------
    readings : sequence of TriedReading

    Examples
    --------
    >>> runs = [
    ...     TriedReading("neighbors", f"runs:{n}", f"runs of {n} neighboring rows", n, "yes")
    ...     for n in (20, 5)
    ... ]
    >>> doubles = TriedReading("doubles", "together", "nearly equal rows", 2, "yes")
    >>> reach_words(runs)
    'unless more than 20 neighboring rows belong together'
    >>> reach_words([*runs, doubles])
    'even if nearly equal rows belong together, unless more than 20 neighboring rows do'
    """
    n_rows = max((each.n_rows for each in readings if each.question == NEIGHBORS), default=0)
    others = [each.together for each in readings if each.question != NEIGHBORS]
    longer = f"unless more than {number(n_rows)} neighboring rows"
    if not others:
        return f"{longer} belong together"
    even = f"even if {_and(others)} belong together"
    return f"{even}, {longer} do" if n_rows else even


def differing_sentence(reading: TriedReading) -> str:
    """Say what the answer would be if rows belong together, where that is no yes.

    Examples
    --------
    >>> differing_sentence(TriedReading("doubles", "together", "nearly equal rows", 2, "no", 0.2))
    'They are told apart if rows are independent, but not if nearly equal rows belong together \
(p = 0.200).'
    """
    if reading.answer == Answer.NO and reading.p_value is not None:
        return (
            "They are told apart if rows are independent, but not if "
            f"{reading.together} belong together ({p_value_text(reading.p_value)})."
        )
    return f"If {reading.together} belong together, they are too few to tell."


def answer_given(answer: Answer, questions: Sequence[Question]) -> Answer:
    """Return an answer, or unknown while a yes depends on open questions.

    Parameters
    ----------
    answer : Answer
    questions : sequence of Question
        Those that nobody has answered.

    Examples
    --------
    >>> str(answer_given(Answer.YES, ())), str(answer_given(Answer.NO, ()))
    ('yes', 'no')
    """
    depends = answer in TOLD_APART
    return Answer.UNKNOWN if questions and depends else answer


def of_made_labels(verdict: Verdict) -> Verdict:
    """Return the verdict on labels that were made from the features, which is no yes.

    Examples
    --------
    >>> yes = Verdict(rows=Rows.HELD_OUT, share=0.98, n_classes=3, answer=Answer.YES)
    >>> str(of_made_labels(yes).answer)
    'unknown'
    """
    is_yes = verdict.answer in TOLD_APART
    answer = Answer.UNKNOWN if is_yes else verdict.answer
    return msgspec.structs.replace(verdict, answer=answer, is_made=True)


def without_sentence(without: Without, chance: float) -> str:
    """Say what is left without columns or rows, and whether nothing is.

    Examples
    --------
    >>> without_sentence(Without("grade", 0.51, 0.05), 0.5)
    'Only because of grade: 51 % without it.'
    >>> without_sentence(Without("grade", 0.92, 0.02), 0.5)
    'Without grade: 92 %.'
    """
    share = percent(without.share)
    if decides_alone(without, chance):
        return f"Only because of {without.what}: {share} without {without.pronoun}."
    return f"Without {without.what}: {share}."


def decides_alone(without: Without, chance: float) -> bool:
    """Return whether nothing is told apart without columns or rows."""
    return without.share - chance <= _CLEARLY * without.standard_error


def permutation_p(report: CheckReport, *, is_final: bool) -> PermutationP | None:
    """Return the p-value of a check, with bounds until it is final; None before that."""
    if report.p_value is None:
        return None
    bounds = (None, None) if is_final else (report.lower, report.upper)
    return PermutationP(report.p_value, report.n_permutations, report.n_exceeding, *bounds)


def check_sentence(report: CheckReport) -> str:
    """Say in a few sentences what a check has found, or why it cannot; empty until then."""
    verdict = check_verdict(report)
    return report.problem or ("" if verdict is None else verdict.sentence)


def better_note(share: float, standard_error: float, others: Mapping[str, float]) -> str:
    """Name the run that tells clearly more held-out rows apart; empty if none does.

    Parameters
    ----------
    share, standard_error : float
        Of the run on screen.
    others : mapping of str to float
        Held-out shares of other runs with the same held-out rows, by name.

    Examples
    --------
    >>> better_note(0.8, 0.03, {"LDA": 0.99, "PCA": 0.7})
    'LDA tells more apart: 99 % of the same held-out rows.'
    """
    if not others:
        return ""
    best = max(others, key=lambda name: others[name])
    if others[best] - share <= max(standard_error, _LEAST_DIFFERENCE):
        return ""
    return f"{best} tells more apart: {percent(others[best])} of the same held-out rows."


def ahead_text(ahead: float, error: float) -> str:
    """Compare the share of a run with the best of the same folds: best, level, or behind.

    Examples
    --------
    >>> ahead_text(0.0, 0.0), ahead_text(-0.01, 0.008), ahead_text(-0.04, 0.01)
    ('best', 'level', '−4 ± 1 %')
    """
    if ahead == error == 0.0:
        return "best"
    return "level" if is_level(ahead, error) else f"−{percent(-ahead, error)}"


def is_level(ahead: float, error: float) -> bool:
    """Return whether a share cannot be told from that of the best in the same folds."""
    return abs(ahead) <= _CLEARLY * error


def levels_sentence(level: Sequence[str], behind: Sequence[str]) -> str:
    """Name the runs that are level with the best in the same folds, and those behind.

    Examples
    --------
    >>> levels_sentence(["LDA"], ["PCA"]), levels_sentence(["LDA", "MELM"], ["PCA", "GEM"])
    ('LDA tells most held-out rows apart; PCA is behind.', 'LDA and MELM are level; PCA and GEM \
are behind.')
    >>> levels_sentence(["a", "b", "c", "d"], [])
    '4 runs are level in the same folds.'
    """
    first = f"{_together(level)} {'are level' if len(level) > 1 else _MOST}"
    if not behind:
        return f"{first} in the same folds."
    return f"{first}; {_together(behind)} {'are' if len(behind) > 1 else 'is'} behind."


def _together(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return count(len(names), "run")
    return _and(names)


def feature_sentence(name: str, verdict: Verdict) -> str:
    """Say what one feature alone tells apart."""
    lead = verdict.lead[:1].lower() + verdict.lead[1:]
    return f"{name} alone: {lead} ({verdict.qualifiers})."


def folds_sentence(share: float, n_classes: int, within: str = "") -> str:
    """Say the share in cross-validation without a permutation test.

    Examples
    --------
    >>> folds_sentence(0.999, 3)
    'Over 99 % of held-out rows are told apart in cross-validation; guessing gives 33 %.'
    """
    return Verdict(rows=Rows.FOLDS, share=share, n_classes=n_classes, within=within).sentence


def new_rows_sentence(share: float, n_rows: int, n_classes: int) -> str:
    """Say how many labeled new rows are told apart, without a period."""
    rows = count(n_rows, "labeled new row")
    return f"{percent(share)} of {rows} told apart (guessing: {percent(1.0 / n_classes)})"


def ranking_sentence(best: str, verdict: Verdict) -> str:
    """Name the method that tells most held-out rows apart, or say that none does.

    Parameters
    ----------
    best : str
        The label of the method.
    verdict : Verdict
        Of it, with what it was chosen from.

    Examples
    --------
    >>> verdict = Verdict(rows=Rows.FOLDS, share=0.93, n_classes=2, standard_error=0.02)
    >>> ranking_sentence("LDA", verdict)
    'LDA tells most held-out rows apart in cross-validation: 93 ± 2 %; guessing gives 50 %.'
    >>> ranking_sentence("LDA", msgspec.structs.replace(verdict, share=0.52))
    'No method is clearly better than guessing, which gives 50 %. The best is LDA: 52 ± 2 %.'
    """
    if not verdict.is_clear:
        guessing = percent(verdict.chance)
        no = f"No method is clearly better than guessing, which gives {guessing}."
        return f"{no} The best is {best}: {verdict.share_words}."
    most = f"{best} tells most held-out rows apart in cross-validation: {verdict.share_words}"
    return f"{most}; {guessing_gives(verdict.n_classes)}."


def guessing(chance: float) -> str:
    """Say the share of guessing in fewer words."""
    return f"guessing {percent(chance)}"


def batch_sentence(share: float, chance: float, standard_error: float, rows: Rows) -> str:
    """Say whether batches can be told apart within the classes.

    Examples
    --------
    >>> batch_sentence(0.41, 1 / 3, 0.03, Rows.HELD_OUT)
    'Batches can be told apart in this picture: 41 % of held-out rows, guessing 33 %.'
    >>> batch_sentence(0.41, 1 / 3, 0.06, Rows.HELD_OUT)
    'No batch effect is seen in this picture: 41 % of held-out rows, guessing 33 %.'
    """
    is_seen = share - chance > _CLEARLY * standard_error
    said = "Batches can be told apart in" if is_seen else "No batch effect is seen in"
    return f"{said} this picture: {batch_shares(share, chance, rows)}."


def batch_caution(share: float, chance: float, standard_error: float, rows: Rows) -> str:
    """Warn that the picture may show batches; empty where none can be told apart.

    Examples
    --------
    >>> batch_caution(0.96, 0.5, 0.03, Rows.HELD_OUT)
    'Perhaps the batch, which is read from this picture: 96 % of held-out rows, guessing 50 %.'
    """
    if share - chance <= _CLEARLY * standard_error:
        return ""
    shares = batch_shares(share, chance, rows)
    return f"Perhaps the batch, which is read from this picture: {shares}."


def batch_shares(share: float, chance: float, rows: Rows) -> str:
    """Say the share of rows whose batch is told from their place, and that of guessing."""
    return f"{percent(share)} of {rows}, guessing {percent(chance)}"


def trade_off_sentence(
    weights: tuple[float, float],
    shares: tuple[float, float],
    batch_shares: tuple[float, float],
    batch_chance: float,
) -> str:
    """Say what classes and batches lose from the smallest to the largest batch weight."""
    classes = (
        f"Classes: {percent(shares[0])} told apart at weight {weights[0]:g}, {percent(shares[1])} "
        f"at {weights[1]:g}."
    )
    batches = f"{percent(batch_shares[0])} and {percent(batch_shares[1])}"
    return f"{classes} Batches within a class: {batches}, guessing {percent(batch_chance)}."


def plane_caption(
    divergence: float, divergence_held_out: float | None, verdict: Verdict | None = None
) -> str:
    """Divergence and shares of a plane, as a replay says them, without a period.

    Without a verdict where that is said above the picture.

    Examples
    --------
    >>> plane_caption(3.05, 2.0, plane_verdict(1.0, 0.9, 2))
    'divergence 3.05 training and 2.00 held-out; 90 % of held-out rows are told apart \
(guessing: 50 %, training rows: 100 %)'
    """
    nats = f"divergence {divergence_text(divergence)} training"
    if divergence_held_out is not None:
        nats += f" and {divergence_text(divergence_held_out)} held-out"
    return nats if verdict is None else f"{nats}; {verdict.sentence.removesuffix('.')}"


def angle_sentence(stability: FeatureStability) -> str:
    """By how much the plane turns when the rows are resampled."""
    turns = f"The plane turns by {stability.angle:.0f} degrees"
    return f"{turns} between resamples."


def second_component_sentence(gain: ComponentGain) -> str:
    """Say that one component is enough on held-out rows; "" if it is not.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import ComponentGain
    >>> second_component_sentence(ComponentGain(np.ones(2), 0.003, 0.002, 0.0, 0.01))
    'One component is enough.'
    """
    nothing = "One component is enough."
    return nothing if gain.is_negligible else ""


def importance_sentence(loss: float, error: float, share_loss: float) -> str:
    """Say what held-out rows lose when a feature's values are exchanged between them.

    Parameters
    ----------
    loss, error : float
        Of log p(class), in nats a row, with its standard error.
    share_loss : float
        Of the share of rows that are told apart.

    Examples
    --------
    >>> importance_sentence(0.2, 0.03, 0.078)
    'without it 8 % fewer held-out rows are told apart (loss 0.20 ± 0.03 nats)'
    """
    rows = f"{percent(max(0.0, share_loss))} fewer held-out rows are told apart"
    return f"without it {rows} (loss {loss:.2f} ± {error:.2f} nats)"


def gamma_sentence(path: GammaPath) -> str:
    """Name the kernel widths that inner folds find best, with those level with them.

    Examples
    --------
    >>> from melm_studio.runs.records.outcome import GammaPath
    >>> path = GammaPath(
    ...     gammas=(4.0, 2.0, 1.0), accuracies=(0.8, 0.91, 0.92), standard_errors=(0.01,) * 3,
    ...     n_folds=5, chosen=2.0, level=(2.0, 1.0),
    ... )
    >>> gamma_sentence(path)
    'γ 2 and 1 are level: 91 and 92 % of held-out rows in inner folds'
    """
    shares = dict(zip(path.gammas, path.accuracies, strict=True))
    widths = path.level or (max(shares, key=lambda gamma: shares[gamma]),)
    texts = [percent(shares[gamma]).removesuffix(" %") for gamma in widths]
    rows = f"{_and(texts)} % of held-out rows in inner folds"
    if len(widths) == 1:
        return f"γ {widths[0]:g} is best: {rows}"
    return f"γ {_and([f'{gamma:g}' for gamma in widths])} are level: {rows}"


def share_text(share: float | None) -> str:
    """Format a share as a percentage, or a dash."""
    return UNKNOWN if share is None else percent(share)


def accuracy_text(accuracy: float | None) -> str:
    """Format a balanced accuracy with two decimals that is 1.00 for 1 only, or a dash.

    Examples
    --------
    >>> [accuracy_text(accuracy) for accuracy in (0.984, 0.9975, 1.0, None)]
    ['0.98', '> 0.99', '1.00', '–']
    """
    if accuracy is None:
        return UNKNOWN
    return "> 0.99" if _ALMOST_ONE <= accuracy < 1.0 else f"{accuracy + _HALF_UP:.2f}"


def accuracy_figure(accuracy: float | None) -> str:
    """Format a balanced accuracy with three digits that is 1.00 for 1 only, or a dash.

    Examples
    --------
    >>> [accuracy_figure(accuracy) for accuracy in (0.984, 0.9997, 1.0, None)]
    ['0.984', '> 0.999', '1.00', '–']
    """
    if accuracy is None:
        return UNKNOWN
    return "> 0.999" if _NEARLY_ONE <= accuracy < 1.0 else f"{accuracy:#.3g}"


def divergence_text(nats: float | None, *, unit: bool = False) -> str:
    """Format a divergence with three digits, or a dash.

    Examples
    --------
    >>> divergence_text(-2.0), divergence_text(109.2), divergence_text(12.345, unit=True)
    ('−2.00', '109', '12.3 nats')
    """
    if nats is None:
        return UNKNOWN
    return f"{nats:#.3g}".rstrip(".").replace("-", "−") + (" nats" if unit else "")


class TermsInWords(msgspec.Struct, frozen=True):
    """Terms of a divergence, as the page shows them.

    Attributes
    ----------
    title : str
    rows : tuple of (str, str, str)
        Name, number and meaning of each term, and last of their difference.
    note : str
    """

    title: str
    rows: tuple[tuple[str, str, str], ...]
    note: str


def terms_in_words(
    terms: DivergenceTerms, pair: tuple[str, str], divergence: float, n_classes: int
) -> TermsInWords:
    """Describe the terms of the divergence of the two classes told apart least.

    Parameters
    ----------
    terms : DivergenceTerms
    pair : (str, str)
        The names of the two classes.
    divergence : float
        Of all classes.
    n_classes : int

    Examples
    --------
    >>> words = terms_in_words(DivergenceTerms(8.214, 5.16), ("ill", "well"), 3.054, 2)
    >>> words.title
    'Divergence of ill and well'
    >>> [(name, number) for name, number, _ in words.rows]
    [('Fitting term', '8.21'), ('Regularizing term', '− 5.16'), ('Divergence', '3.05 nats')]
    """
    decimals = len(divergence_text(terms.divergence).partition(".")[2])
    of_all = ""
    if n_classes > 2:
        n_pairs = n_classes * (n_classes - 1) // 2
        of_all = (
            f"They are told apart least of {n_pairs} pairs; {divergence_text(divergence)} is over "
            "all of these. "
        )
    return TermsInWords(
        f"Divergence of {pair[0]} and {pair[1]}",
        (
            ("Fitting term", f"{terms.fitting:.{decimals}f}", "how far apart"),
            ("Regularizing term", f"− {terms.regularizing:.{decimals}f}", "how spread out"),
            ("Divergence", divergence_text(terms.divergence, unit=True), "training rows"),
        ),
        f"{of_all}The terms are twice the cross entropy of the two densities, and the sum of the "
        "entropy of each.",
    )


def _and(words: Sequence[str]) -> str:
    """Join words as in "a, b and c"."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
