"""Transforms of few modes in a plane, as products of matrices.

A mode is the product of a wave along each axis, so that a sum over points is a product of two real
matrices: their cosines and sines along one axis, and along the other one. It takes a multiplication
for each pair of a point and a mode, and is still sooner than spreading (`spreading`) for up to some
thousand points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from melm_core.base.array_types import ComplexArray, FloatArray

# Points whose waves are in the processor's cache.
_BLOCK_POINTS = 512

# Nanoseconds for a point and a mode here; and of spreading for a point and one of the grid points
# that it is spread over, and for a mode.
_PER_PRODUCT, _PER_TAP, _PER_MODE = 0.3, 8.0, 1_700.0


def is_faster(n_points: int, n_modes: Sequence[int], n_taps: int) -> bool:
    """Return whether matrix products should be faster than spreading; in a plane only.

    Parameters
    ----------
    n_points : int
    n_modes : sequence of int
        Along each axis.
    n_taps : int
        Points of a grid that a point would be spread over.

    Examples
    --------
    >>> from melm_core.density.engines import separable
    >>> [separable.is_faster(n_points, (81, 75), 169) for n_points in (1_000, 100_000)]
    [True, False]
    """
    in_all = int(np.prod(n_modes))
    spreading = n_points * n_taps * _PER_TAP + in_all * _PER_MODE
    return len(n_modes) == 2 and n_points * in_all * _PER_PRODUCT < spreading


def series(
    angles: Sequence[FloatArray], weights: FloatArray, n_modes: Sequence[int]
) -> ComplexArray:
    """F(kappa) = sum_j weight_j exp(i kappa z_j) on the modes: a transform of type 1.

    Parameters
    ----------
    angles : sequence of two ndarrays of shape (n_rows,)
        Coordinates z in (-pi, pi).
    weights : ndarray of shape (n_rows,)
        Real.
    n_modes : sequence of two odd int

    Returns
    -------
    ndarray of shape n_modes
        From the lowest frequency to the highest along each axis.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density.engines import separable
    >>> series = separable.series([np.array([0.5]), np.zeros(1)], np.ones(1), [3, 1])
    >>> bool(np.allclose(series[:, 0], np.exp(0.5j * np.arange(-1, 2))))
    True
    """
    across, along = (n // 2 + 1 for n in n_modes)
    sums = np.zeros((2 * across, 2 * along))
    for block, first, last in _waves(angles, across, along):
        sums += first @ (last * weights[block]).T
    (cc, cs), (sc, ss) = sums.reshape(2, across, 2, along).swapaxes(1, 2)
    after, before = cc - ss + 1j * (cs + sc), cc + ss + 1j * (cs - sc)  # of the signs of waves
    return with_opposites(np.concatenate([before[:0:-1], after]))


def with_opposites(half: ComplexArray) -> ComplexArray:
    """Complete a series of real weights by the modes of negative frequency.

    Those of negative frequencies are the conjugates of their opposites.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density.engines import separable
    >>> separable.with_opposites(np.array([[1.0, 2.0 + 3.0j]])).tolist()
    [[(2-3j), (1+0j), (2+3j)]]
    """
    whole: ComplexArray = np.concatenate([np.flip(half[..., 1:]).conj(), half], axis=-1)
    return whole


def values(angles: Sequence[FloatArray], series: ComplexArray) -> FloatArray:
    """Compute Re sum_kappa series(kappa) exp(i kappa z) at points: a transform of type 2.

    Parameters
    ----------
    angles : sequence of two ndarrays of shape (n_points,)
        Coordinates z in (-pi, pi).
    series : ndarray of shape (..., *n_modes)
        Of odd numbers of modes.

    Returns
    -------
    ndarray of shape (..., n_points)
    """
    stacked = series.reshape(-1, *series.shape[-2:])
    across, along = (n // 2 + 1 for n in stacked.shape[1:])
    # The real part has the conjugates of opposite modes, so that half of the modes are enough.
    half = (stacked + np.flip(stacked, axis=(1, 2)).conj())[..., along - 1 :]
    half[..., 0] *= 0.5
    after, before = half[:, across - 1 :], half[:, across - 1 :: -1].copy()
    before[:, 0] = 0.0
    both, apart = after + before, before - after
    factors = np.block([[both.real, -both.imag], [apart.imag, apart.real]])
    sums = np.empty((len(factors), len(angles[0])))
    for block, first, last in _waves(angles, across, along):
        for factor, value in zip(factors, sums, strict=True):
            value[block] = np.einsum("mn,mn->n", factor.T @ first, last)
    return sums.reshape(*series.shape[:-2], -1)


def _waves(
    angles: Sequence[FloatArray], across: int, along: int
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield the waves of a block of points, along the first and along the last axis."""
    for start in range(0, len(angles[0]), _BLOCK_POINTS):
        block = slice(start, start + _BLOCK_POINTS)
        yield block, _waves_of(angles[0][block], across), _waves_of(angles[1][block], along)


def _waves_of(angles: FloatArray, n_waves: int) -> FloatArray:
    """cos(m z) and then sin(m z) for m = 0, 1, ..., by powers of exp(i z)."""
    powers = np.ones((n_waves, len(angles)), dtype=np.complex128)
    powers[1:2] = np.exp(1j * angles)
    n_done = 2
    while n_done < n_waves:
        more = min(n_done - 1, n_waves - n_done)
        np.multiply(powers[1 : more + 1], powers[n_done - 1], out=powers[n_done : n_done + more])
        n_done += more
    return np.concatenate([powers.real, powers.imag])
