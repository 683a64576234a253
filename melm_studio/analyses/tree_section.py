"""What a report says of the tree of planes of a run."""

from __future__ import annotations

from melm_studio.analyses.report_section import Picture, Section, Table
from melm_studio.analyses.tree_words import (
    contrast_sentence,
    named_branches,
    tree_notes,
    tree_sentence,
)
from melm_studio.runs.records.tree_report import TreeReport

_MEANING = (
    "Each mark is a plane where the divergence has an optimum at that kernel width, each line one "
    "that persists as the kernels change. The gray band is what shuffled labels reach. Lettered "
    "branches exceed it over an octave of kernel widths or more, and differ by 45° or more."
)


def tree_section(
    report: TreeReport, n_classes: int, picture: Picture, *, is_final: bool
) -> Section:
    """The section on a tree that has planes."""
    branches = named_branches(report, n_classes)
    rows = tuple((branch.letter, branch.words) for branch in branches)
    table = Table("Branches that stand out", ("Branch", "Kernel widths and held-out rows"), rows)
    sentences = (tree_sentence(report, is_final=is_final), contrast_sentence(report))
    return Section(
        "Different ways to see the classes",
        sentences=tuple(filter(None, (*sentences, *tree_notes(report), _MEANING))),
        tables=(table,) if rows else (),
        pictures=(picture,),
    )
