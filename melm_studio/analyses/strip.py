"""The strip above a picture: an answer before anyone asks, and the answer of the check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from melm_core.base import IntArray, percent
from melm_core.evaluation import Answer
from melm_studio.planes.held_out import FEW_HELD_OUT, HeldOutResult
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.tables import count, number

RARE_SHARE = 0.05


class CheckProgress(msgspec.Struct, frozen=True):
    """How far a check is.

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


class Verdict(msgspec.Struct, frozen=True):
    """What the strip says.

    Attributes
    ----------
    answer : str
        A value of `melm_core.evaluation.Answer`; empty while unknown.
    lead : str
        The sentence that comes first.
    follow : str
        Chance and training rows, or how far the check is.
    notes : tuple of str
        What limits the answer, and where more is told apart.
    check : CheckProgress or None
        Of the check of the run, if it has one.
    """

    answer: str
    lead: str
    follow: str
    notes: tuple[str, ...]
    check: CheckProgress | None = None


def held_out_verdict(result: HeldOutResult) -> Verdict:
    """What the held-out rows of a plane say before anyone asks."""
    share = percent(result.accuracy)
    guessing = f"guessing: {percent(1.0 / len(result.class_counts))}"
    lead = f"{share[:1].upper()}{share[1:]} of held-out rows are told apart"
    if result.answer is Answer.NO:
        lead = f"No better than guessing: {share} of held-out rows"
    elif result.answer is Answer.UNKNOWN:
        few, them = ("groups", "their rows") if result.has_groups else ("rows", "them")
        lead = f"Too few held-out {few} to tell: {share} of {them} are told apart"
    train = f"training rows: {percent(result.accuracy_train)}"
    notes = (*_overfit(result), *_few_held_out(result))
    return Verdict(result.answer, lead, f"{guessing}, {train}", notes)


def checked_verdict(report: CheckReport, progress: CheckProgress) -> Verdict:
    """What the check says so far, or finally.

    Parameters
    ----------
    report : CheckReport
    progress : CheckProgress
    """
    first, _, rest = report.words.partition(". ")
    if report.answer:  # "Yes. 98 % of ... ."
        sentence, _, follow = rest.partition(". ")
        first, rest = f"{first}. {sentence}", follow
    so_far = "" if progress.is_final else f"So far; {progress.stage}."
    return Verdict(
        report.answer,
        first.rstrip("."),
        " ".join(filter(None, (rest, so_far))),
        (),  # they are in the details
        progress,
    )


def rare_class_note(class_counts: Mapping[str, int]) -> str:
    """That one class is much rarer than the average of all rows; empty if none is.

    Examples
    --------
    >>> rare_class_note({"healthy": 990, "ill": 10})
    'Only 10 of 1,000 rows are ill. Each class counts equally in the shares.'
    """
    name = min(class_counts, key=lambda name: class_counts[name])
    n_rows = sum(class_counts.values())
    if class_counts[name] >= RARE_SHARE * n_rows or len(class_counts) > 1 / RARE_SHARE:
        return ""
    rows = f"Only {number(class_counts[name])} of {number(n_rows)} rows are {name}."
    return f"{rows} Each class counts equally in the shares."


def better_note(accuracy: float, standard_error: float, others: Mapping[str, float]) -> str:
    """The run that tells clearly more held-out rows apart; empty if none does.

    Parameters
    ----------
    accuracy, standard_error : float
        Of the run on screen.
    others : mapping of str to float
        Held-out accuracy of other runs with the same held-out rows, by name.

    Examples
    --------
    >>> better_note(0.8, 0.03, {"LDA": 0.99, "PCA": 0.7})
    'LDA tells more apart: 99 % of the same held-out rows.'
    """
    if not others:
        return ""
    best = max(others, key=lambda name: others[name])
    if others[best] - accuracy <= max(standard_error, 0.01):
        return ""
    return f"{best} tells more apart: {percent(others[best])} of the same held-out rows."


def _overfit(result: HeldOutResult) -> Iterator[str]:
    if result.is_overfit:
        yield (
            f"Overfit: {percent(result.accuracy_train)} of the training rows are told "
            f"apart, {percent(result.accuracy)} of the held-out rows."
        )


def _few_held_out(result: HeldOutResult) -> Iterator[str]:
    units: IntArray = np.array(result.units)
    rarest = int(units.argmin())
    if units[rarest] < FEW_HELD_OUT:
        units_left = count(
            int(units[rarest]), "held-out group" if result.has_groups else "held-out row"
        )
        name = list(result.class_counts)[rarest]
        yield f"Only {units_left} of {name}: the share is rough."
