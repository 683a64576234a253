"""Evaluation of a method on held-out rows: a study, its refits, and tests."""

from __future__ import annotations

from melm_core.evaluation.class_model import ClassAcceptance, ClassModel
from melm_core.evaluation.conformal_classifier import ConformalClassifier
from melm_core.evaluation.curve_selection import AutoCurves
from melm_core.evaluation.estimator_audit import Audit, audit, audit_coordinates
from melm_core.evaluation.label_predictions import LabelPredictions
from melm_core.evaluation.learning_curve import RowsNeeded, rows_needed
from melm_core.evaluation.lots import LotChange, lot_change
from melm_core.evaluation.permutations import PermutationTest, permutation_test
from melm_core.evaluation.plane_separability import Score, Separability
from melm_core.evaluation.plane_stability import Stability, stability
from melm_core.evaluation.refits import KeptFold, Refits
from melm_core.evaluation.refitting import FittedProjection, Unchanged
from melm_core.evaluation.sparse_planes import SparsePath, sparse_path
from melm_core.evaluation.study import Study

__all__ = [
    "Audit",
    "AutoCurves",
    "ClassAcceptance",
    "ClassModel",
    "ConformalClassifier",
    "FittedProjection",
    "KeptFold",
    "LabelPredictions",
    "LotChange",
    "PermutationTest",
    "Refits",
    "RowsNeeded",
    "Score",
    "Separability",
    "SparsePath",
    "Stability",
    "Study",
    "Unchanged",
    "audit",
    "audit_coordinates",
    "lot_change",
    "permutation_test",
    "rows_needed",
    "sparse_path",
    "stability",
]
