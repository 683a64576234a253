"""Kernel machines on crescents that several tests share."""

from __future__ import annotations

from functools import cache

import numpy as np

from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.datasets import crescents
from melm_core.kernel_machines.machine import KernelMachine


@cache
def fisher(seed: int = 0) -> KernelMachine:
    model = KernelFisherDiscriminant(bandwidth=0.35, regularization=0.03)
    return KernelMachine.from_estimator(model.fit(*crescents(seed)))


@cache
def densities(n_centers: int) -> KernelMachine:
    X, y = crescents(0, n_rows_per_class=n_centers // 2)
    return KernelMachine(X, np.where(y == 1, 2.0, -2.0) / n_centers, 0.2)
