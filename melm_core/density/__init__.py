"""Class densities: Gaussian kernels, kernel sums, and densities on grids."""

from __future__ import annotations

from melm_core.density.block_kernels import kernel_classes_in_blocks
from melm_core.density.classifier import (
    KernelDensityClassifier,
    class_thresholds,
    density_shares,
)
from melm_core.density.engines.class_series import ClassSeries
from melm_core.density.engines.direct_sums import inverse_root
from melm_core.density.engines.near_rows import NearRows
from melm_core.density.engines.nufft import MOST_MODES
from melm_core.density.engines.nufft import Box as SeriesBox
from melm_core.density.information_potentials import is_direct_better, least_seconds
from melm_core.density.kernel_density import (
    KernelClasses,
    density_on_grid,
    kernel_classes,
    log_densities,
    most_likely_classes,
    whitened_kernel_classes,
)
from melm_core.density.level_sets import mass_levels
from melm_core.density.nuisance import (
    NuisanceAccuracy,
    NuisanceCells,
    SmallCellsWarning,
    confounded_in_words,
    kernel_cells,
    nuisance_accuracy,
    nuisance_cells,
    small_cells_in_words,
)
from melm_core.density.shrinkage import DEFAULT_SHRINKAGE
from melm_core.density.whitening import within_class_whitening

__all__ = [
    "DEFAULT_SHRINKAGE",
    "MOST_MODES",
    "ClassSeries",
    "KernelClasses",
    "KernelDensityClassifier",
    "NearRows",
    "NuisanceAccuracy",
    "NuisanceCells",
    "SeriesBox",
    "SmallCellsWarning",
    "class_thresholds",
    "confounded_in_words",
    "density_on_grid",
    "density_shares",
    "inverse_root",
    "is_direct_better",
    "kernel_cells",
    "kernel_classes",
    "kernel_classes_in_blocks",
    "least_seconds",
    "log_densities",
    "mass_levels",
    "most_likely_classes",
    "nuisance_accuracy",
    "nuisance_cells",
    "small_cells_in_words",
    "whitened_kernel_classes",
    "within_class_whitening",
]
