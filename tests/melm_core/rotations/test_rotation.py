from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from melm_core.rotations.solvers import rotate
from tests.melm_core.helpers import assert_orthonormal

SHAPES = [(m, q) for m in range(1, 6) for q in range(1, 6)]


def skew(S):
    m, q = S.shape
    return np.block([[np.zeros((m, m)), S], [-S.T, np.zeros((q, q))]])


def angles(m, q, size=1.0):
    return size * np.random.default_rng(10 * m + q).normal(size=(m, q))


def turned(S):
    """Return the first axes, turned by the angles."""
    m, q = S.shape
    return rotate(np.eye(m, m + q), np.hstack([np.zeros((m, m)), S]))


@pytest.mark.parametrize(("m", "q"), SHAPES)
def test_it_is_the_exponential_of_the_skew_matrix_in_any_frame(m, q):
    frame, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(m + q, m + q)))
    S = angles(m, q)
    expected = (expm(skew(S)) @ frame)[:m]
    np.testing.assert_allclose(rotate(frame[:m], S @ frame[m:]), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("m", "q"), SHAPES)
def test_rows_stay_orthonormal_however_large_the_angles(m, q):
    assert_orthonormal(turned(angles(m, q, size=10.0)))


def test_no_angle_is_no_rotation():
    np.testing.assert_array_equal(turned(np.zeros((2, 3))), np.eye(2, 5))


def test_one_angle_is_the_rotation_of_the_plane():
    np.testing.assert_allclose(turned(np.array([[0.3]])), [[np.cos(0.3), np.sin(0.3)]], rtol=1e-14)


@pytest.mark.parametrize("size", [1e-9, 1e-5])
def test_small_angles_keep_their_digits(size):
    S = angles(2, 3, size)
    lost = np.eye(2) - turned(S)[:, :2]
    # The identity swallows the digits below 1e-16 of either.
    np.testing.assert_allclose(lost, 0.5 * S @ S.T, rtol=1e-8, atol=3e-16)
