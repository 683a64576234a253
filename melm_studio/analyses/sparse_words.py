"""What fewer and fewer features say of a run, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from melm_core.base import percent
from melm_studio.runs.records.sparse_report import SparseReport, SparseSize
from melm_studio.scores import guessing_gives
from melm_studio.tables import count, number

MOST_NAMED = 60


@dataclass(frozen=True)
class NamedSize:
    """A number of features that can be kept.

    Attributes
    ----------
    n_features : int
    words : str
        The balanced accuracy in cross-validation, with its standard error.
    names : tuple of str
        The features that most refits keep, at most `MOST_NAMED`.
    shares : tuple of str
        In how many refits each of them is kept.
    """

    n_features: int
    words: str
    names: tuple[str, ...]
    shares: tuple[str, ...]


def sparse_sentence(report: SparseReport, *, is_final: bool) -> str:
    """How few features suffice, with the shares in cross-validation and guessing."""
    if not report.sizes:
        return "No fold yet." if is_final else "Leaving features out in the first fold."
    every = report.sizes[0]
    guessing = guessing_gives(report.n_classes)
    if not report.sufficient:
        return (
            f"{report.n_refits} of {count(report.n_all, 'fold')} so far. All "
            f"{number(every.n_features)} features: {_share(every)} in cross-validation; "
            f"{guessing}."
        )
    if report.sufficient == every.n_features:
        return (
            f"All {number(every.n_features)} features are needed: {_share(every)} in "
            f"cross-validation; {guessing}."
        )
    enough = next(size for size in report.sizes if size.n_features == report.sufficient)
    return (
        f"{number(enough.n_features)} of {number(every.n_features)} features suffice: "
        f"{_share(enough)} in cross-validation, and {_share(every)} with all; {guessing}."
    )


def sparse_note(report: SparseReport) -> str:
    """How the sizes were scored, and what is too high about the chosen one."""
    is_sample = report.n_rows < report.n_training
    rows = f"{number(report.n_rows)} of the training rows" if is_sample else "the training rows"
    return (
        f"Cross-validation of {rows}: in each fold the weakest features are left out step by step "
        "and the method is refitted. The band is one standard error; the fewest features within it "
        "of the best are marked, and as the folds chose them, their share is a little too high. "
        "Rows that the run holds out take no part, so they can judge a run on these features."
    )


def named_sizes(report: SparseReport, names: Sequence[str]) -> list[NamedSize]:
    """The sizes, fewest features first, with the features that they keep."""
    return [
        NamedSize(
            size.n_features,
            f"{count(size.n_features, 'feature')}: {_share(size)}",
            tuple(names[feature] for feature in size.selected[:MOST_NAMED]),
            tuple(f"in {percent(share)} of the folds" for share in size.frequencies[:MOST_NAMED]),
        )
        for size in reversed(report.sizes)
    ]


def _share(size: SparseSize) -> str:
    return f"{100 * size.held_out:.1f} ± {100 * size.standard_error:.1f} %"
