"""Class densities: Gaussian kernels, kernel sums, and densities on grids."""

from __future__ import annotations

from melm_core.density.classifier import (
    KernelDensityClassifier,
    class_thresholds,
    density_shares,
)
from melm_core.density.direct_sums import inverse_root
from melm_core.density.information_potentials import is_direct_better
from melm_core.density.kernel_density import (
    KernelClasses,
    density_on_grid,
    kernel_classes,
    log_densities,
    mass_levels,
    most_likely_classes,
    whitened_kernel_classes,
)
from melm_core.density.shrinkage import DEFAULT_SHRINKAGE
from melm_core.density.whitening import within_class_whitening

__all__ = [
    "DEFAULT_SHRINKAGE",
    "KernelClasses",
    "KernelDensityClassifier",
    "class_thresholds",
    "density_on_grid",
    "density_shares",
    "inverse_root",
    "is_direct_better",
    "kernel_classes",
    "log_densities",
    "mass_levels",
    "most_likely_classes",
    "whitened_kernel_classes",
    "within_class_whitening",
]
