"""Validation: separability in-sample and held out, permutation tests, stability."""

from __future__ import annotations

from melm_core.base.label_permutations import PermutationDesign
from melm_core.density.calibration import Calibration
from melm_core.evaluation.answers import LEVEL, Answer, answer_of, bound_at_chance
from melm_core.evaluation.best_of_many import WinnerShare, winner_share
from melm_core.evaluation.calibration import (
    Reliability,
    cross_calibrated,
    fitted_calibration,
)
from melm_core.evaluation.conformal import (
    DEFAULT_COVERAGE,
    ConformalClassifier,
    ConformalCoverage,
    ConformalScores,
    Evidence,
    FoldFit,
    conformal_scores,
    in_set,
    shortage_notes,
)
from melm_core.evaluation.cross_validation import (
    CrossValidatedSeparability,
    FoldResult,
    cross_validated_separability,
)
from melm_core.evaluation.curve_selection import AutoCurves, CurveChoice, curve_choice
from melm_core.evaluation.density_accuracy import DensityScores, density_scores
from melm_core.evaluation.duplicates import DuplicateRows, duplicate_rows, near_doubles
from melm_core.evaluation.estimator_audit import LABELS_MAY_BE_USED, Audit, audit, audit_coordinates
from melm_core.evaluation.feature_importance import (
    feature_order,
)
from melm_core.evaluation.folds import CodedRows, Fold, sampled_rows, stratified_folds
from melm_core.evaluation.folds_sentence import (
    FIRST_WORDS,
    folds_lead,
    guessing_gives,
    new_rows_lead,
    shuffles_sentence,
)
from melm_core.evaluation.groups import group_strata, label_runs
from melm_core.evaluation.held_out_test import held_out_p_value
from melm_core.evaluation.indicator_prediction import predicted_share
from melm_core.evaluation.learning_curve import RowsNeeded, rows_needed
from melm_core.evaluation.loadings import features_used, in_standard_units
from melm_core.evaluation.lots import LotChange, LotPlane, NewVerdict, lot_change
from melm_core.evaluation.permutation_statistics import (
    held_out_share,
    in_sample_share,
    n_test_folds,
)
from melm_core.evaluation.permutations import (
    PermutationTest,
    PermutedValue,
    permutation_test,
)
from melm_core.evaluation.plane_classifiers import (
    PLANE_CLASSIFIERS,
    PlaneClassifier,
    confusion_shares,
)
from melm_core.evaluation.plane_separability import (
    DEFAULT_FOLDS,
    Score,
    Separability,
    over_folds,
    separability,
)
from melm_core.evaluation.plane_stability import Stability, pairwise_angles, stability
from melm_core.evaluation.row_dependence import (
    dependence_length,
    group_dependence,
    serial_dependence,
)
from melm_core.evaluation.sequential_p_value import EarlyEnd, is_settled_below
from melm_core.evaluation.sparse_planes import SparsePath, loading_lengths, sparse_path
from melm_core.melm.held_out_callback import HeldOutHistory, HeldOutScores

__all__ = [
    "DEFAULT_COVERAGE",
    "DEFAULT_FOLDS",
    "FIRST_WORDS",
    "LABELS_MAY_BE_USED",
    "LEVEL",
    "PLANE_CLASSIFIERS",
    "Answer",
    "Audit",
    "AutoCurves",
    "Calibration",
    "CodedRows",
    "ConformalClassifier",
    "ConformalCoverage",
    "ConformalScores",
    "CrossValidatedSeparability",
    "CurveChoice",
    "DensityScores",
    "DuplicateRows",
    "EarlyEnd",
    "Evidence",
    "Fold",
    "FoldFit",
    "FoldResult",
    "HeldOutHistory",
    "HeldOutScores",
    "LotChange",
    "LotPlane",
    "NewVerdict",
    "PermutationDesign",
    "PermutationTest",
    "PermutedValue",
    "PlaneClassifier",
    "Reliability",
    "RowsNeeded",
    "Score",
    "Separability",
    "SparsePath",
    "Stability",
    "WinnerShare",
    "answer_of",
    "audit",
    "audit_coordinates",
    "bound_at_chance",
    "conformal_scores",
    "confusion_shares",
    "cross_calibrated",
    "cross_validated_separability",
    "curve_choice",
    "density_scores",
    "dependence_length",
    "duplicate_rows",
    "feature_order",
    "features_used",
    "fitted_calibration",
    "folds_lead",
    "group_dependence",
    "group_strata",
    "guessing_gives",
    "held_out_p_value",
    "held_out_share",
    "in_sample_share",
    "in_set",
    "in_standard_units",
    "is_settled_below",
    "label_runs",
    "loading_lengths",
    "lot_change",
    "n_test_folds",
    "near_doubles",
    "new_rows_lead",
    "over_folds",
    "pairwise_angles",
    "permutation_test",
    "predicted_share",
    "rows_needed",
    "sampled_rows",
    "separability",
    "serial_dependence",
    "shortage_notes",
    "shuffles_sentence",
    "sparse_path",
    "stability",
    "stratified_folds",
    "winner_share",
]
