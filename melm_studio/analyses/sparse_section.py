"""What a report says of how few features suffice."""

from __future__ import annotations

from collections.abc import Sequence

from melm_studio.analyses.report_section import Section, Table
from melm_studio.analyses.sparse_words import sparse_note, sparse_sentence
from melm_studio.runs.records.sparse_report import SparseReport, SparseSize
from melm_studio.tables import number

_MOST_NAMED = 12


def sparse_section(report: SparseReport, names: Sequence[str], *, is_final: bool) -> Section:
    """The section on a path that has sizes."""
    table = Table(
        "Balanced accuracy by number of features",
        ("Features", "Training", "Held out", "Kept most often"),
        tuple(_row(size, names) for size in reversed(report.sizes)),
        note="± is the standard error over the folds.",
    )
    return Section(
        "How few features suffice",
        sentences=(sparse_sentence(report, is_final=is_final), sparse_note(report)),
        tables=(table,),
    )


def _row(size: SparseSize, names: Sequence[str]) -> tuple[str, ...]:
    listed = ", ".join(names[feature] for feature in size.selected[:_MOST_NAMED])
    more = ", …" if size.n_features > _MOST_NAMED else ""
    held_out = f"{size.held_out:.3f} ± {size.standard_error:.3f}"
    return number(size.n_features), f"{size.train:.3f}", held_out, f"{listed}{more}"
