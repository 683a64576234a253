"""Maximum entropy approximation of kernel machines (Ozertem and Erdogmus)."""

from __future__ import annotations

from melm_core.kernel_machines.approximation import (
    ApproximateKernelClassifier,
    ApproximationWarning,
    KernelMachineApproximation,
    format_ratio,
    measured_speed_up,
    reduced_set,
)
from melm_core.kernel_machines.machine import KernelMachine
from melm_core.kernel_machines.maximum_entropy import MarginalMethod
from melm_core.kernel_machines.modes import Mode

__all__ = [
    "ApproximateKernelClassifier",
    "ApproximationWarning",
    "KernelMachine",
    "KernelMachineApproximation",
    "MarginalMethod",
    "Mode",
    "format_ratio",
    "measured_speed_up",
    "reduced_set",
]
