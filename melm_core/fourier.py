"""The Fourier engine: kernel sums in O(N) by the non-uniform fast Fourier transform.

Poisson summation turns a sum of Gaussians into a sum over the modes of a
periodic box, exact to the tolerance once the box is wide enough that images
do not meet and the modes reach where the kernel's spectrum has vanished.
"""

from __future__ import annotations

from typing import cast

import finufft
import numpy as np

from melm_core import direct
from melm_core._typing import FloatArray

TOLERANCE = 1e-11

# Beyond this many modes (64 MB) the kernel is too narrow for its span and the
# direct sum in blocks is taken instead, as it is beyond three components.
MOST_MODES = 1 << 22

# OpenMP threads cost more than they give below about a hundred thousand points.
_OPTIONS = {"eps": TOLERANCE, "nthreads": 1}
_REACH = float(np.sqrt(-2.0 * np.log(TOLERANCE)))  # a standard normal and its spectrum end here
_TYPE_1 = {1: finufft.nufft1d1, 2: finufft.nufft2d1, 3: finufft.nufft3d1}
_TYPE_2 = {1: finufft.nufft1d2, 2: finufft.nufft2d2, 3: finufft.nufft3d2}


def density(points: FloatArray, rows: FloatArray, covariance: FloatArray) -> FloatArray:
    """A kernel density at points; absolute error about 1e-10 of the kernel's peak.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
    rows : ndarray of shape (n_samples, n_components)
    covariance : ndarray of shape (n_components, n_components)
        Kernel covariance.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    root, log_norm = direct.inverse_root(covariance)
    sources, targets = rows @ root, points @ root
    middle, lengths = _periodic_box(sources, targets)
    half_modes = np.ceil(lengths * _REACH / (2.0 * np.pi))
    if len(lengths) not in _TYPE_1 or np.prod(2.0 * half_modes + 1.0) > MOST_MODES:
        exact: FloatArray = np.exp(direct.log_density(points, rows, covariance))
        return exact
    to_angles = 2.0 * np.pi / lengths
    series = _smoothed_series((sources - middle) * to_angles, half_modes.astype(int), to_angles)
    values = _evaluate((targets - middle) * to_angles, series)
    scale = np.exp(log_norm) * (2.0 * np.pi) ** (0.5 * len(lengths))
    densities: FloatArray = np.maximum(values, 0.0) * (scale / (len(rows) * np.prod(lengths)))
    return densities


def _periodic_box(sources: FloatArray, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
    lower = np.minimum(sources.min(axis=0), targets.min(axis=0))
    upper = np.maximum(sources.max(axis=0), targets.max(axis=0))
    return 0.5 * (lower + upper), upper - lower + _REACH


def _smoothed_series(
    angles: FloatArray, half_modes: np.typing.NDArray[np.int_], to_angles: FloatArray
) -> np.typing.NDArray[np.complex128]:
    """Fourier coefficients of the sum of unit Gaussians, shape 2 half_modes + 1."""
    axes = np.ascontiguousarray(angles.T)
    shape = tuple(int(n) for n in 2 * half_modes + 1)
    modes = shape[0] if len(shape) == 1 else shape
    series = _TYPE_1[len(shape)](
        *axes, np.ones(len(angles), dtype=np.complex128), modes, isign=-1, **_OPTIONS
    )
    for axis, (half, step) in enumerate(zip(half_modes, to_angles, strict=True)):
        spectrum = np.exp(-0.5 * np.square(np.arange(-half, half + 1) * step))
        series = series * spectrum.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return cast("np.typing.NDArray[np.complex128]", series)


def _evaluate(angles: FloatArray, series: np.typing.NDArray[np.complex128]) -> FloatArray:
    axes = np.ascontiguousarray(angles.T)
    values: FloatArray = _TYPE_2[series.ndim](*axes, series, isign=1, **_OPTIONS).real
    return values
