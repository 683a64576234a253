"""The tree of planes: every optimum at each kernel width, and which continue which."""

from __future__ import annotations

from melm_core.melm.tree.growth import SAME_ANGLE, TREE_GAMMAS, plane_tree
from melm_core.melm.tree.nodes import PlaneTree, TreeNode

__all__ = ["SAME_ANGLE", "TREE_GAMMAS", "PlaneTree", "TreeNode", "plane_tree"]
