from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from melm_core.linalg.rotation_group import rotate, rotation
from tests.melm_core.helpers import assert_orthonormal

SHAPES = [(m, q) for m in range(1, 6) for q in range(1, 6)]


def skew(S):
    m, q = S.shape
    return np.block([[np.zeros((m, m)), S], [-S.T, np.zeros((q, q))]])


def angles(m, q, size=1.0):
    return size * np.random.default_rng(10 * m + q).normal(size=(m, q))


@pytest.mark.parametrize(("m", "q"), SHAPES)
def test_it_is_the_exponential_of_the_skew_matrix(m, q):
    S = angles(m, q)
    np.testing.assert_allclose(rotation(S), expm(skew(S)), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("m", "q"), SHAPES)
def test_it_is_a_rotation(m, q):
    R = rotation(angles(m, q, size=10.0))
    np.testing.assert_allclose(R @ R.T, np.eye(m + q), rtol=0, atol=1e-12)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("m", "q"), [(2, 5), (3, 2)])
def test_turning_back_undoes_it(m, q):
    S = angles(m, q)
    np.testing.assert_allclose(rotation(S) @ rotation(-S), np.eye(m + q), atol=1e-12)
    np.testing.assert_allclose(rotation(-S), rotation(S).T, atol=1e-12)


def test_no_angle_is_no_rotation():
    np.testing.assert_array_equal(rotation(np.zeros((2, 3))), np.eye(5))


def test_one_angle_is_the_rotation_of_the_plane():
    c, s = np.cos(0.3), np.sin(0.3)
    np.testing.assert_allclose(rotation(np.array([[0.3]])), [[c, s], [-s, c]], rtol=1e-14)


@pytest.mark.parametrize("size", [1e-9, 1e-5])
def test_small_angles_keep_their_digits(size):
    S = angles(2, 3, size)
    lost = np.eye(2) - rotation(S)[:2, :2]
    # The identity swallows the digits below 1e-16 of either.
    np.testing.assert_allclose(lost, 0.5 * S @ S.T, rtol=1e-8, atol=3e-16)


@pytest.mark.parametrize(("m", "q"), SHAPES)
def test_turning_a_plane_is_the_rotation_of_its_frame(m, q):
    frame, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(m + q, m + q)))
    S = angles(m, q)
    turned = rotate(frame[:m], S @ frame[m:])
    assert_orthonormal(turned)
    np.testing.assert_allclose(turned, (rotation(S) @ frame)[:m], atol=1e-12)
