"""Sums over pairs of rows and climbs in C, loaded by ctypes; numpy does the same without it.

The library is built where there is a compiler, by `python -m melm_core.compiled`, and ships with
the wheels of the common platforms. What it computes is defined by the objectives of numpy, which
every test compares it with.
"""

from __future__ import annotations

from melm_core.compiled.loading import Engine, Library, engine, library
from melm_core.compiled.objective import (
    Climbs,
    CompiledObjective,
    Term,
    is_compiled,
    kernel_sums,
    orthonormalize_all,
)

__all__ = [
    "Climbs",
    "CompiledObjective",
    "Engine",
    "Library",
    "Term",
    "engine",
    "is_compiled",
    "kernel_sums",
    "library",
    "orthonormalize_all",
]
