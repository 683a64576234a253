"""All reproduced tables and figures by the name of the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.experiments import curves, gamma_rules, generalization, posterior
from lab.experiments.figures import (
    figure1,
    figure3,
    figure4,
    figure5,
    gem_figures,
    maxent_figures,
    rotations_angles,
    rotations_figures,
)
from lab.experiments.records import Settings
from lab.experiments.report import Report
from lab.experiments.tables import (
    gem_discussion,
    gem_errors,
    gem_features,
    gem_tables,
    melm_costs,
    melm_regions,
    rotations_rounds,
    rotations_tables,
    table1,
    table2,
    table2_tried,
    table3,
    table3_tried,
)

# Function and description of each, in the order of the papers.
REPORTS: Mapping[str, tuple[Callable[[Settings], Report], str]] = {
    "table1": (table1.report, "MELM: the data sets"),
    "figure1": (figure1.report, "MELM: sonar in its plane"),
    "melm-regions": (melm_regions.report, "MELM: few disjoint regions, and Theorem 3"),
    "figure3": (figure3.report, "MELM: optima reached from random planes"),
    "figure4": (figure4.report, "MELM: the best of several random starts"),
    "table2": (table2.report, "MELM: classification in the plane, held out"),
    "table2-tried": (table2_tried.report, "MELM: what was tried where Table 2 differs"),
    "melm-costs": (melm_costs.report, "MELM: what a classifier in the plane costs, held out"),
    "table3": (table3.report, "MELM: separability of the projections"),
    "table3-tried": (table3_tried.report, "MELM: Table 3 as the paper may have scored it"),
    "figure5": (figure5.report, "MELM: the heart data in the plane of every method"),
    "rotations-angles": (rotations_angles.report, "rotations: Figures 1 to 3, M by angle"),
    "rotations-tables": (rotations_tables.report, "rotations: the result tables"),
    "rotations-rounds": (rotations_rounds.report, "rotations: 20 rounds of folds, breast cancer"),
    "rotations-figures": (rotations_figures.report, "rotations: Figures 4 to 7"),
    "gem-tables": (gem_tables.report, "GEM: the result tables"),
    "gem-features": (gem_features.report, "GEM: functions of the projections, and levels"),
    "gem-discussion": (gem_discussion.report, "GEM: other targets, many classes and features"),
    "gem-errors": (gem_errors.report, "GEM: coverage of the error bars of eigenvectors"),
    "gem-figures": (gem_figures.report, "GEM: Figures 1 and 2, digits as images"),
    "maxent-figures": (maxent_figures.report, "maximum entropy: Figures 1 to 3, modes and ROC"),
}

# Not of the papers; computed over hours, cell by cell.
COMPARISONS: Mapping[str, tuple[Callable[[Settings], Report], str]] = {
    "generalization": (generalization.report, "held-out accuracy of the planes of all methods"),
    "curves": (curves.report, "bent features beside straight ones, held out"),
    "posterior": (posterior.report, "the leave-one-out log posterior as an objective"),
    "gamma": (gamma_rules.report, "rules that choose the kernel width of MELM"),
}
