"""Is it real? Separability in-sample and held out, permutation tests, stability, agreement."""

from __future__ import annotations

from melm_core.cross_validation import (
    CrossValidatedSeparability,
    FoldResult,
    cross_validated_separability,
)
from melm_core.held_out import HeldOutHistory, HeldOutScores
from melm_core.noise import pure_noise
from melm_core.permutation import (
    PermutationTest,
    PermutedValue,
    permutation_test,
)
from melm_core.separability import Score, Separability, separability
from melm_core.separation_statistics import held_out_share, in_sample_share
from melm_core.sequential import EarlyEnd
from melm_core.stability import Stability, agreement, stability
from melm_core.verdict import verdict

__all__ = [
    "CrossValidatedSeparability",
    "EarlyEnd",
    "FoldResult",
    "HeldOutHistory",
    "HeldOutScores",
    "PermutationTest",
    "PermutedValue",
    "Score",
    "Separability",
    "Stability",
    "agreement",
    "cross_validated_separability",
    "held_out_share",
    "in_sample_share",
    "permutation_test",
    "pure_noise",
    "separability",
    "stability",
    "verdict",
]
