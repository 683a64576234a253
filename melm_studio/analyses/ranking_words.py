"""All methods in the order of their held-out accuracy, with ties called ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.evaluation import Score
from melm_core.methods import METHODS
from melm_studio import scores
from melm_studio.runs.records.ranking_report import RankedMethod, RankingReport
from melm_studio.tables import count

# Folds share training rows, so that one standard error would be too small a difference.
TIE_ERRORS = 2.0


@dataclass(frozen=True)
class RankedRow:
    """A method in the ranking.

    Attributes
    ----------
    label : str
    held_out, standard_error, train : float
        Balanced accuracies, and the standard error of the first over the folds.
    is_tied : bool
        Whether its folds do not differ clearly from those of the first method.
    seconds : float
    batch : float or None
        Balanced accuracy of telling the batch of held-out rows within their class.
    """

    label: str
    held_out: float
    standard_error: float
    train: float
    is_tied: bool
    seconds: float
    batch: float | None = None


def ranked(report: RankingReport) -> list[RankedRow]:
    """The methods that were scored, best first.

    Two methods are tied if the differences of their folds, which have the same rows, average at
    most two standard errors.
    """
    scored = sorted(
        (method for method in report.methods if method.held_out),
        key=lambda method: -float(np.mean(method.held_out)),
    )
    return [_row(method, scored[0]) for method in scored]


def refusals(report: RankingReport) -> list[str]:
    """Which methods were not scored, and why, a sentence each."""
    return [
        f"{METHODS[method.method].label}: {method.refusal}"
        for method in report.methods
        if method.refusal and method.method in METHODS
    ]


def ranking_sentence(report: RankingReport) -> str:
    """What the ranking says so far; empty without methods.

    Examples
    --------
    >>> folds = (0.9, 1.0, 0.9), (0.5, 0.6, 0.4)
    >>> methods = [RankedMethod(key, held_out) for key, held_out in zip(("lda", "pca"), folds)]
    >>> ranking_sentence(RankingReport(tuple(methods), n_methods=2, n_classes=2))
    'LDA tells most held-out rows apart in cross-validation: 93 %; guessing gives 50 %.'
    """
    rows = ranked(report)
    if not rows:
        return ""
    first, ties = rows[0], [row.label for row in rows[1:] if row.is_tied]
    sentence = scores.ranking_sentence(first.label, first.held_out, report.n_classes)
    if not ties:
        return sentence
    return f"{sentence} It is tied with {count(len(ties), 'other method')}."


def _row(method: RankedMethod, best: RankedMethod) -> RankedRow:
    folds, leading = np.array(method.held_out), np.array(best.held_out)
    score, behind = Score.over_folds(folds), Score.over_folds(leading - folds)
    return RankedRow(
        label=METHODS[method.method].label,
        held_out=score.balanced_accuracy,
        standard_error=score.standard_error,
        train=method.train,
        is_tied=behind.balanced_accuracy <= TIE_ERRORS * behind.standard_error,
        seconds=method.seconds,
        batch=method.batch,
    )
