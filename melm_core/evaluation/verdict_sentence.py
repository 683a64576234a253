"""The results of a validation in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from melm_core.evaluation.plane_separability import Separability


def verdict(
    in_sample: Separability,
    held_out: Separability | None = None,
    p_value: float | None = None,
    *,
    class_names: Sequence[str] | None = None,
) -> str:
    """Summarize overlap, separability and significance in one sentence.

    Parameters
    ----------
    in_sample : Separability
    held_out : Separability or None
        If given, the overlap is that of held-out rows.
    p_value : float or None
        The p-value of a permutation test.
    class_names : sequence of str or None
        In the order of the classes; None for the labels themselves.

    Returns
    -------
    str

    Examples
    --------
    >>> from melm_core.evaluation import separability, verdict
    >>> result = separability([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"])
    >>> verdict(result, p_value=0.01)
    'No two classes overlap; in-sample balanced accuracy 1.00; p = 0.010.'
    """
    names = class_names or [str(label) for label in in_sample.classes.tolist()]
    parts = [_overlap(held_out or in_sample, names), _accuracy(in_sample, held_out)]
    if p_value is not None:
        parts.append(f"p {_formatted(p_value)}")
    return "; ".join(parts) + "."


def _overlap(separability: Separability, names: Sequence[str]) -> str:
    first, second = separability.most_overlapping
    share = separability.overlap[first, second]
    if share < 0.005:
        return "No two classes overlap"
    most = " most" if len(names) > 2 else ""
    return f"{names[first]} overlaps {names[second]}{most} ({share:.2f})"


def _accuracy(in_sample: Separability, held_out: Separability | None) -> str:
    on_all = in_sample.mean.balanced_accuracy
    if held_out is None:
        return f"in-sample balanced accuracy {on_all:.2f}"
    on_new = held_out.mean.balanced_accuracy
    return f"held-out balanced accuracy {on_new:.2f} against {on_all:.2f} in-sample"


def _formatted(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"
