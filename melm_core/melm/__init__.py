"""Maximum Entropy Linear Manifold (MELM; Czarnecki, Józefowicz and Tabor, 2015)."""

from __future__ import annotations

from melm_core.melm.bagging import BaggedMELM
from melm_core.melm.choosing import GAMMAS, MELMCV, DivergenceProfile, divergence_profile
from melm_core.melm.class_overlap import class_overlap, held_out_divergence, overlap_bound
from melm_core.melm.entropy_plane import EntropyPlane
from melm_core.melm.estimator import MELM
from melm_core.melm.multiclass import AGGREGATES, Multiclass
from melm_core.melm.nuisance_trade_off import TradeOff, trade_off
from melm_core.melm.objective import (
    DivergenceTerms,
    MELMObjective,
    cauchy_schwarz_divergence,
    divergence,
    divergence_and_gradient,
    divergence_in_plane,
    information_potentials,
    nearest_pair_terms,
    nuisance_divergence,
)
from melm_core.melm.search import (
    SampleSizes,
    SearchOptions,
    SearchSettings,
    default_starts,
    plan_starts,
)
from melm_core.melm.tree import TREE_GAMMAS, PlaneTree, TreeNode, plane_tree

__all__ = [
    "AGGREGATES",
    "GAMMAS",
    "MELM",
    "MELMCV",
    "TREE_GAMMAS",
    "BaggedMELM",
    "DivergenceProfile",
    "DivergenceTerms",
    "EntropyPlane",
    "MELMObjective",
    "Multiclass",
    "PlaneTree",
    "SampleSizes",
    "SearchOptions",
    "SearchSettings",
    "TradeOff",
    "TreeNode",
    "cauchy_schwarz_divergence",
    "class_overlap",
    "default_starts",
    "divergence",
    "divergence_and_gradient",
    "divergence_in_plane",
    "divergence_profile",
    "held_out_divergence",
    "information_potentials",
    "nearest_pair_terms",
    "nuisance_divergence",
    "overlap_bound",
    "plan_starts",
    "plane_tree",
    "trade_off",
]
