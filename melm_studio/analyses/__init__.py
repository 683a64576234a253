"""Analyses of a run besides its plane: each is one module, registered here."""

from __future__ import annotations

from typing import Any

from melm_studio.analyses.analysis import Analysis
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.class_models import CLASS_MODELS
from melm_studio.analyses.factors import FACTORS
from melm_studio.analyses.lot_change import LOT_CHANGE
from melm_studio.analyses.more_rows import MORE_ROWS
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.analyses.ranking import RANKING
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.analyses.resamples import RESAMPLES
from melm_studio.analyses.sets import SETS
from melm_studio.analyses.sparse import SPARSE
from melm_studio.analyses.tree import TREE

__all__ = ["ANALYSES", "analysis_of"]

# By name, in the order of menus and reports.
ANALYSES: dict[str, Analysis[Any]] = {
    each.name: each
    for each in (
        REFITS_OF_RUN,
        CHECK,
        TREE,
        RESAMPLES,
        SPARSE,
        FACTORS,
        SETS,
        CLASS_MODELS,
        MORE_ROWS,
        LOT_CHANGE,
        PROBABILITIES,
    )
}


# What is asked of data rather than of a run: no menu of a run offers it.
_OF_DATA: dict[str, Analysis[Any]] = {RANKING.name: RANKING}


def analysis_of(kind: str) -> Analysis[Any] | None:
    """Return the analysis that a kind of runs computes; None of any other kind."""
    return ANALYSES.get(kind) or _OF_DATA.get(kind)
