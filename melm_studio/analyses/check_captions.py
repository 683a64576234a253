"""What a check has found, as sentences."""

from __future__ import annotations

from melm_core.evaluation import p_value_in_words
from melm_studio.runs.records.check_report import CheckReport, FeatureStability

_LEAST_SHOWN = 0.0005  # what is less would be written as 0.000


def p_value_caption(report: CheckReport, *, is_final: bool) -> str:
    """The p-value and, until it is final, its bounds; empty without one.

    Examples
    --------
    >>> report = CheckReport(p_value=0.02, lower=0.005, upper=0.4, n_permutations=49)
    >>> p_value_caption(report, is_final=True)
    'p = 0.020'
    >>> report = CheckReport(p_value=0.02, lower=0.0001, upper=0.4, n_permutations=49)
    >>> p_value_caption(report, is_final=False)
    'p = 0.020 after 49 shuffles; the final value will be below 0.400'
    """
    if report.p_value is None:
        return ""
    p = p_value_in_words(report.p_value)
    if is_final or report.lower is None or report.upper is None:
        return p
    is_open = report.lower < _LEAST_SHOWN
    between = "below" if is_open else f"between {report.lower:.3f} and"
    return (
        f"{p} after {report.n_permutations} shuffles; the final value will be {between} "
        f"{report.upper:.3f}"
    )


def angle_sentence(stability: FeatureStability) -> str:
    """By how much the plane turns when the rows are resampled."""
    turns = f"The plane turns by {stability.angle:.0f} degrees"
    return f"{turns} between resamples of the rows."
