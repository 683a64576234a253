from __future__ import annotations

import numpy as np
import pytest

from melm_core.linalg.planes import (
    align_components,
    align_planes,
    chordal_distance,
    features_used,
    geodesic,
    in_standard_units,
    joint_variance_shares,
    orthogonal_procrustes,
    orthonormalize,
    principal_angles,
    principal_frame,
    random_components,
)
from tests.melm_core.helpers import assert_orthonormal, invertible, plane


def turn(angle: float):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.fixture(params=["", "numpy"], ids=["compiled", "numpy"])
def engine(request, monkeypatch):
    monkeypatch.setenv("MELM_ENGINE", request.param)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("k", [1, 2, 3])
def test_orthonormal_rows_span_the_same_plane(k):
    components = np.random.default_rng(0).normal(size=(k, 6)) * 100
    rows = orthonormalize(components)
    assert_orthonormal(rows)
    np.testing.assert_allclose(components @ rows.T @ rows, components, rtol=1e-12)


def test_orthonormal_rows_stay_as_they_are():
    components = plane(3, 6)
    np.testing.assert_allclose(orthonormalize(components), components, atol=1e-14)


def test_each_plane_of_several_is_what_it_is_alone_in_either_engine(monkeypatch):
    planes = np.random.default_rng(0).normal(size=(2, 5, 3, 7))
    planes[1, 2] *= np.array([[1e-200], [1.0], [1e200]])
    before = planes.copy()
    compiled = orthonormalize(planes)
    monkeypatch.setenv("MELM_ENGINE", "numpy")
    np.testing.assert_allclose(compiled, orthonormalize(planes), atol=1e-14)
    np.testing.assert_allclose(compiled[1, 2], orthonormalize(planes[1, 2]), atol=1e-14)
    np.testing.assert_array_equal(planes, before)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_nearly_parallel_rows_become_exactly_orthogonal_at_any_scale(size):
    rows = orthonormalize(size * np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0 + 1e-12]]))
    np.testing.assert_allclose(rows @ rows.T, np.eye(2), atol=1e-15)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "dependent",
    [
        np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]),
        np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]),
        np.random.default_rng(0).normal(size=(3, 2)),
    ],
    ids=["parallel", "zero", "more rows than features"],
)
def test_dependent_rows_span_no_plane(dependent):
    with pytest.raises(ValueError, match=f"The {len(dependent)} components are linearly depend"):
        orthonormalize(np.stack([np.eye(*dependent.shape), dependent]))


def test_random_planes_favour_no_direction():
    rng = np.random.default_rng(0)
    draws = [random_components(2, 5, rng) for _ in range(4000)]
    assert_orthonormal(draws[0])
    mean_projector = np.mean([components.T @ components for components in draws], axis=0)
    np.testing.assert_allclose(mean_projector, 2 / 5 * np.eye(5), atol=0.02)


def test_a_plane_makes_no_angle_with_itself_in_any_frame():
    components = plane(2, 6)
    angles = principal_angles(components, invertible(2) @ components)
    np.testing.assert_allclose(angles, 0, atol=1e-14)


def test_orthogonal_planes_make_right_angles():
    np.testing.assert_allclose(principal_angles(np.eye(4)[:2], np.eye(4)[2:]), np.pi / 2)


@pytest.mark.parametrize("angle", [1e-9, 1e-4, 0.3, 1.5, np.pi / 2 - 1e-9])
def test_every_angle_is_found_to_full_precision(angle):
    tilted = np.array([[1.0, 0, 0, 0], [0, np.cos(angle), np.sin(angle), 0]])
    basis = orthonormalize(np.random.default_rng(0).normal(size=(4, 4)))
    angles = principal_angles(turn(0.4) @ tilted @ basis, np.eye(4)[:2] @ basis)
    np.testing.assert_allclose(angles, [0, angle], rtol=1e-12, atol=1e-15)
    assert abs(angles[1] - angle) < 1e-14


def test_angles_do_not_depend_on_the_order_of_the_planes():
    one, other = plane(3, 7, seed=0), plane(3, 7, seed=1)
    angles = principal_angles(one, other)
    assert (np.diff(angles) > 0).all()
    np.testing.assert_allclose(principal_angles(other, one), angles, rtol=1e-12)


def test_a_line_within_a_plane_makes_no_angle_with_it():
    whole = plane(3, 6)
    for line in (whole[:1], np.array([[0.3, -2.0, 0.5]]) @ whole):
        for pair in ((line, whole), (whole, line)):
            np.testing.assert_allclose(principal_angles(*pair), [0], atol=1e-14)


def test_a_line_makes_the_angle_with_a_plane_that_its_projection_does():
    line, whole = plane(1, 6, seed=0), plane(2, 6, seed=1)
    expected = np.arccos(np.linalg.norm(whole @ line[0]))
    np.testing.assert_allclose(principal_angles(line, whole), [expected], rtol=1e-12)


def test_alignment_keeps_the_plane():
    components = plane(2, 6, seed=0)
    aligned = align_components(components, plane(2, 6, seed=1))
    assert_orthonormal(aligned)
    np.testing.assert_allclose(principal_angles(aligned, components), 0, atol=1e-14)


def test_no_other_frame_of_the_plane_is_closer_to_the_reference():
    components, reference = plane(3, 6, seed=0), plane(3, 6, seed=1)
    aligned = align_components(components, reference)
    distance = np.linalg.norm(aligned - reference)
    rng = np.random.default_rng(0)
    rotations = [random_components(3, 3, rng) for _ in range(200)]
    assert min(np.linalg.norm(R @ components - reference) for R in rotations) > distance


def test_alignment_undoes_a_turn_and_a_reflection_within_the_plane():
    reference = plane(2, 6)
    moved = turn(1.2) @ np.diag([1.0, -1.0]) @ reference
    np.testing.assert_allclose(align_components(moved, reference), reference, atol=1e-14)


def drawn(components, rows):
    """Return the coordinates in which rows of unequal variances have unit covariance."""
    left, _, right = np.linalg.svd((rows - rows.mean(axis=0)) @ components.T, full_matrices=False)
    return left @ right


@pytest.fixture
def rows():
    stream = np.random.default_rng(0)
    return stream.standard_normal((80, 6)) @ np.diag([9.0, 1.0, 0.1, 1.0, 3.0, 1.0]) + 4.0


def test_no_other_turn_or_mirror_image_of_a_plane_is_drawn_closer_to_another(rows):
    components, reference = plane(2, 6, seed=0), plane(2, 6, seed=1)
    aligned = align_planes(components, reference, rows)
    assert_orthonormal(aligned)
    np.testing.assert_allclose(principal_angles(aligned, components), 0, atol=1e-14)
    target = drawn(reference, rows)
    distance = np.linalg.norm(drawn(aligned, rows) - target)
    for angle in np.linspace(0, 2 * np.pi, 90):
        for mirror in (1.0, -1.0):
            other = turn(angle) @ np.diag([1.0, mirror]) @ components
            assert np.linalg.norm(drawn(other, rows) - target) > distance - 1e-9
    by_loadings = align_components(components, reference)
    assert np.linalg.norm(drawn(by_loadings, rows) - target) > distance + 1e-3


def test_a_plane_that_comes_back_turned_and_mirrored_is_drawn_where_it_was(rows):
    reference = plane(2, 6)
    moved = turn(1.2) @ np.diag([1.0, -1.0]) @ reference
    np.testing.assert_allclose(align_planes(moved, reference, rows), reference, atol=1e-12)


@pytest.mark.parametrize("mixing", [np.eye(2), np.diag([100.0, 0.01]), invertible(2)])
def test_shares_of_variance_add_up_to_that_of_the_plane_in_any_coordinates(mixing, rows):
    components = mixing @ plane(2, 6)
    centered = rows - rows.mean(axis=0)
    shares = joint_variance_shares(components, centered)
    scores, _ = np.linalg.qr(centered @ components.T)
    joint = np.square(scores.T @ centered).sum() / np.square(centered).sum()
    assert shares.sum() == pytest.approx(joint, abs=1e-12)
    assert (shares > 0).all()


def test_the_shares_of_principal_components_are_eigenvalues_over_their_sum(rows):
    centered = rows - rows.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centered, full_matrices=False)
    expected = sizes**2 / np.square(sizes).sum()
    np.testing.assert_allclose(joint_variance_shares(axes[:2], centered), expected[:2])


def test_axes_that_are_one_line_share_what_it_explains(rows):
    line = plane(1, 6)
    centered = rows - rows.mean(axis=0)
    shares = joint_variance_shares(np.vstack([line, 2.0 * line]), centered)
    half = joint_variance_shares(line, centered)[0] / 2
    np.testing.assert_allclose(shares, [half, half])


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, 4.0])
def test_the_principal_frame_depends_on_the_plane_only(angle):
    components = plane(2, 5)
    covariance = invertible(5) @ invertible(5).T
    frame = principal_frame(components, components @ covariance @ components.T)
    other = turn(angle) @ np.diag([1.0, -1.0]) @ components
    again = principal_frame(other, other @ covariance @ other.T)
    np.testing.assert_allclose(again, frame, atol=1e-12)


def test_the_principal_frame_lies_along_the_axes_of_the_projected_data():
    components = plane(3, 5)
    covariance = invertible(5) @ invertible(5).T
    frame = principal_frame(components, components @ covariance @ components.T)
    assert_orthonormal(frame)
    np.testing.assert_allclose(principal_angles(frame, components), 0, atol=1e-14)
    projected = frame @ covariance @ frame.T
    variances = np.diag(projected)
    np.testing.assert_allclose(projected, np.diag(variances), atol=1e-12)
    assert (np.diff(variances) < 0).all()
    assert (frame[np.arange(3), np.abs(frame).argmax(axis=1)] > 0).all()


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_way_from_one_plane_to_another_begins_and_ends_in_them(k):
    start, end = plane(k, 6, seed=0), plane(k, 6, seed=1)
    np.testing.assert_allclose(geodesic(start, end, 0.0), start, atol=1e-12)
    arrived = geodesic(start, end, 1.0)
    assert_orthonormal(arrived)
    assert principal_angles(arrived, end).max() < 1e-12


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_way_has_constant_speed(k):
    start, end = plane(k, 6, seed=0), plane(k, 6, seed=1)
    angles = principal_angles(start, end)
    for t in (0.1, 0.5, 0.8):
        between = geodesic(start, end, t)
        assert_orthonormal(between)
        np.testing.assert_allclose(principal_angles(start, between), t * angles, atol=1e-10)
        np.testing.assert_allclose(principal_angles(between, end), (1 - t) * angles, atol=1e-10)


def test_the_way_from_a_plane_to_itself_stays_there():
    start = plane(2, 6)
    for end in (start, turn(0.7) @ start):
        assert principal_angles(geodesic(start, end, 0.5), start).max() < 1e-7


def test_the_way_passes_through_right_angles():
    start, end = np.eye(4)[:2], np.eye(4)[2:]
    half = geodesic(start, end, 0.5)
    np.testing.assert_allclose(principal_angles(half, start), np.pi / 4)
    np.testing.assert_allclose(principal_angles(half, end), np.pi / 4)


def test_the_frame_of_the_arrival_turned_least():
    start, end = plane(2, 6, seed=0), plane(2, 6, seed=1)
    np.testing.assert_allclose(geodesic(start, end, 1.0), align_components(end, start), atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_chordal_distance_is_that_of_the_projectors(k):
    one, other = plane(k, 6, seed=0), plane(k, 6, seed=1)
    difference = one.T @ one - other.T @ other
    expected = np.linalg.norm(difference) / np.sqrt(2)
    assert chordal_distance(one, other) == pytest.approx(expected, rel=1e-10)
    assert chordal_distance(other, one) == pytest.approx(expected, rel=1e-10)
    assert chordal_distance(one, invertible(k) @ one) < 1e-12


def test_no_turn_of_a_projection_lies_closer_to_the_reference():
    rng = np.random.default_rng(0)
    projection, reference = (part - part.mean(axis=0) for part in rng.normal(size=(2, 30, 2)))
    distance = np.linalg.norm(projection @ orthogonal_procrustes(projection, reference) - reference)
    for angle in np.linspace(0, 2 * np.pi, 60):
        for mirror in (1.0, -1.0):
            other = projection @ turn(angle) @ np.diag([1.0, mirror])
            assert np.linalg.norm(other - reference) >= distance - 1e-9


@pytest.mark.parametrize("determinant", [-1.0, 1.0])
def test_a_map_that_may_not_mirror_is_the_closest_of_those(determinant):
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 40, 2))
    found = orthogonal_procrustes(one, other, determinant)
    assert np.linalg.det(found) == pytest.approx(determinant)
    centered, wanted = one - one.mean(axis=0), other - other.mean(axis=0)
    least = min(
        np.linalg.norm(centered @ turn - wanted)
        for angle in np.linspace(0.0, 2 * np.pi, 2000)
        for turn in [
            np.array(
                [
                    [np.cos(angle), -determinant * np.sin(angle)],
                    [np.sin(angle), determinant * np.cos(angle)],
                ]
            )
        ]
    )
    assert np.linalg.norm(centered @ found - wanted) <= least


def test_the_plane_is_the_same_whatever_the_units_of_the_features():
    X = np.random.default_rng(0).normal(size=(50, 6)) @ invertible(6)
    units = np.array([1.0, 1e3, 1e-2, 7.0, 0.3, 20.0])
    components = plane(2, 6)
    one = in_standard_units(components, X.std(axis=0))
    other = in_standard_units(components / units, (X * units).std(axis=0))
    assert_orthonormal(one)
    np.testing.assert_allclose(principal_angles(one, other), 0, atol=1e-12)


def test_standardized_features_are_in_standard_units_already():
    components = plane(2, 6)
    np.testing.assert_allclose(in_standard_units(components, np.ones(6)), components, atol=1e-14)


@pytest.mark.parametrize("n_features", [2, 5, 40])
def test_features_that_weigh_the_same_all_count(n_features):
    circle = 2 * np.pi * np.arange(n_features) / n_features + 0.1
    components = np.array([np.cos(circle), np.sin(circle)])
    components /= np.linalg.norm(components, axis=1)[:, None]
    assert features_used(components) == pytest.approx(n_features)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_a_plane_of_axes_uses_as_many_features_as_it_has_axes(n_components):
    assert features_used(np.eye(7)[:n_components]) == pytest.approx(n_components)


def test_the_features_used_do_not_depend_on_the_frame():
    components = plane(3, 8)
    turned = plane(3, 3, seed=1) @ components
    assert features_used(turned) == pytest.approx(features_used(components))
