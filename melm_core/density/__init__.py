"""Class densities: Gaussian kernels, kernel sums, and densities on grids."""

from __future__ import annotations

from melm_core.density.class_densities import (
    ClassDensities,
    DensityGrid,
    PreparedSums,
    density_on_grid,
)
from melm_core.density.class_rules import (
    KERNEL_WIDTH,
    DensityFloor,
    DensityRule,
    LinearRule,
    NormalDensities,
    PlaneRule,
    class_spreads,
    tempered_shares,
)
from melm_core.density.classifier import (
    KernelDensityClassifier,
    class_thresholds,
    density_shares,
)
from melm_core.density.covariances import DEFAULT_SHRINKAGE, within_class_whitening
from melm_core.density.engines.class_series import ClassSeries
from melm_core.density.engines.direct_sums import (
    exponent_blocks,
    gaussian_sums,
    inverse_root,
    log_potential,
)
from melm_core.density.engines.nufft import LOOSE_TOLERANCE, TOLERANCE
from melm_core.density.engines.pair_tiles import Precision, TiledClasses
from melm_core.density.kernel_density import (
    kernel_classes,
    kernel_classes_in_blocks,
    whitened_kernel_classes,
)
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
from melm_core.density.regions import (
    ClassRegions,
    PlaceRegions,
    RegionShare,
    density_regions,
    line_region_shares,
    region_shares,
)
from melm_core.density.set_limits import ROUNDING, SetLimits, nonconformity, thinned_logs

__all__ = [
    "DEFAULT_SHRINKAGE",
    "KERNEL_WIDTH",
    "LOOSE_TOLERANCE",
    "ROUNDING",
    "TOLERANCE",
    "ClassDensities",
    "ClassRegions",
    "ClassSeries",
    "DensityFloor",
    "DensityGrid",
    "DensityRule",
    "KernelDensityClassifier",
    "LinearRule",
    "NormalDensities",
    "NuisanceAccuracy",
    "NuisanceCells",
    "PlaceRegions",
    "PlaneRule",
    "Precision",
    "PreparedSums",
    "RegionShare",
    "SetLimits",
    "SmallCellsWarning",
    "TiledClasses",
    "class_spreads",
    "class_thresholds",
    "confounded_in_words",
    "density_on_grid",
    "density_regions",
    "density_shares",
    "exponent_blocks",
    "gaussian_sums",
    "inverse_root",
    "kernel_cells",
    "kernel_classes",
    "kernel_classes_in_blocks",
    "line_region_shares",
    "log_potential",
    "nonconformity",
    "nuisance_accuracy",
    "nuisance_cells",
    "region_shares",
    "small_cells_in_words",
    "tempered_shares",
    "thinned_logs",
    "whitened_kernel_classes",
    "within_class_whitening",
]
