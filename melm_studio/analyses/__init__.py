"""What is asked of a run besides its plane: each analysis is one module, registered here."""

from __future__ import annotations

from typing import Any

from melm_studio.analyses.analysis import Analysis
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.analyses.resamples import RESAMPLES
from melm_studio.analyses.sparse import SPARSE

__all__ = ["ANALYSES"]

# By name, in the order of menus and reports.
ANALYSES: dict[str, Analysis[Any]] = {
    each.name: each for each in (RESAMPLES, SPARSE, PROBABILITIES)
}
