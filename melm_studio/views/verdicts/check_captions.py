"""What a check has found, as sentences."""

from __future__ import annotations

from melm_core.evaluation import p_value_in_words
from melm_studio.worker.records.check_report import CheckReport, FeatureStability


def p_value_caption(report: CheckReport, *, is_final: bool) -> str:
    """The p-value and, until it is final, its bounds; empty without one.

    Examples
    --------
    >>> report = CheckReport(p_value=0.02, lower=0.005, upper=0.4, n_permutations=49)
    >>> p_value_caption(report, is_final=True)
    'p = 0.020'
    """
    if report.p_value is None:
        return ""
    p = p_value_in_words(report.p_value)
    if is_final or report.lower is None or report.upper is None:
        return p
    return (
        f"{p} after {report.n_permutations} shuffles; the final value will be between "
        f"{report.lower:.3f} and {report.upper:.3f}"
    )


def angle_sentence(stability: FeatureStability) -> str:
    """By how much the plane turns when the rows are resampled."""
    turns = f"The plane turns by {stability.angle:.0f} degrees"
    return f"{turns} between resamples of the rows."
