"""What is said of a method for rows that nobody has seen: refits, tests, stability."""

from __future__ import annotations

from melm_core.base.label_permutations import PermutationDesign
from melm_core.evaluation.answers import LEVEL, Answer, answer_of, bound_at_chance
from melm_core.evaluation.best_of_many import WinnerShare, winner_share
from melm_core.evaluation.calibration import Reliability, cross_calibrated
from melm_core.evaluation.conformal import (
    DEFAULT_COVERAGE,
    ConformalCoverage,
    ConformalScores,
    Evidence,
    in_set,
    shortage_notes,
)
from melm_core.evaluation.conformal_classifier import ConformalClassifier
from melm_core.evaluation.curve_selection import AutoCurves, CurveChoice, curve_choice
from melm_core.evaluation.duplicates import DuplicateRows, duplicate_rows, near_doubles
from melm_core.evaluation.estimator_audit import LABELS_MAY_BE_USED, Audit, audit, audit_coordinates
from melm_core.evaluation.fold_frames import Frame, known_plane
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
from melm_core.evaluation.learning_curve import RowsNeeded, rows_needed
from melm_core.evaluation.loadings import features_used, in_standard_units
from melm_core.evaluation.lots import LotChange, LotPlane, NewVerdict, lot_change
from melm_core.evaluation.permutation_statistics import n_test_folds
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
    Score,
    Separability,
    fold_confusion,
    separability,
)
from melm_core.evaluation.plane_stability import Stability, pairwise_angles, stability
from melm_core.evaluation.refits import Refits
from melm_core.evaluation.refitting import Unchanged
from melm_core.evaluation.row_dependence import (
    dependence_length,
    group_dependence,
    serial_dependence,
)
from melm_core.evaluation.sequential_p_value import EarlyEnd, is_settled_below
from melm_core.evaluation.sparse_planes import SparsePath, loading_lengths, sparse_path
from melm_core.evaluation.study import MOST_ROWS_IN_FOLDS, FoldCount, Study
from melm_core.melm.held_out_callback import HeldOutHistory, HeldOutScores

__all__ = [
    "DEFAULT_COVERAGE",
    "FIRST_WORDS",
    "LABELS_MAY_BE_USED",
    "LEVEL",
    "MOST_ROWS_IN_FOLDS",
    "PLANE_CLASSIFIERS",
    "Answer",
    "Audit",
    "AutoCurves",
    "CodedRows",
    "ConformalClassifier",
    "ConformalCoverage",
    "ConformalScores",
    "CurveChoice",
    "DuplicateRows",
    "EarlyEnd",
    "Evidence",
    "Fold",
    "FoldCount",
    "Frame",
    "HeldOutHistory",
    "HeldOutScores",
    "LotChange",
    "LotPlane",
    "NewVerdict",
    "PermutationDesign",
    "PermutationTest",
    "PermutedValue",
    "PlaneClassifier",
    "Refits",
    "Reliability",
    "RowsNeeded",
    "Score",
    "Separability",
    "SparsePath",
    "Stability",
    "Study",
    "Unchanged",
    "WinnerShare",
    "answer_of",
    "audit",
    "audit_coordinates",
    "bound_at_chance",
    "confusion_shares",
    "cross_calibrated",
    "curve_choice",
    "dependence_length",
    "duplicate_rows",
    "features_used",
    "fold_confusion",
    "folds_lead",
    "group_dependence",
    "group_strata",
    "guessing_gives",
    "held_out_p_value",
    "in_set",
    "in_standard_units",
    "is_settled_below",
    "known_plane",
    "label_runs",
    "loading_lengths",
    "lot_change",
    "n_test_folds",
    "near_doubles",
    "new_rows_lead",
    "pairwise_angles",
    "permutation_test",
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
