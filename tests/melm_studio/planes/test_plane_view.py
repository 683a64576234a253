from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from lab.driver.traces import enclosed
from melm_core import MELM
from melm_core.density import DensityRule, kernel_classes
from melm_core.density.class_densities import ClassDensities
from melm_core.linalg import loading_lengths
from melm_core.linalg.planes import principal_angles
from melm_core.melm.class_overlap import held_out_divergence
from melm_studio.planes import drawn_rows, plane_view
from melm_studio.planes.class_outlines import (
    CONTOUR_SHARES,
    box_of_regions,
    central_box,
    plane_contours,
)
from melm_studio.planes.plane_edits import MAX_ARROWS, strongest_loadings
from melm_studio.planes.plane_view import PlaneViewer, standardized
from melm_studio.planes.types import Places
from melm_studio.planes.unseen import UnseenRows
from tests.melm_core.helpers import classes, invertible, labeled_data, plane
from tests.melm_studio.runs.helpers import blobs

DATA = labeled_data(*classes(3, 5))
TRAIN, HELD_OUT = DATA.split(0.3, random_state=0)
NO_ROWS = DATA.split(0.0, random_state=0)[1]


def lines_of(contours):
    """Return the lines between the rows of nan."""
    gaps = np.flatnonzero(np.isnan(contours[:, 0]))
    return [part[~np.isnan(part[:, 0])] for part in np.split(contours, gaps + 1) if len(part)]


def gaussian_class(n_rows: int = 600, gamma: float = 1.0):
    rows = np.random.default_rng(0).normal(size=(n_rows, 2)) @ np.array([[2.0, 0.3], [0.0, 0.5]])
    kernels = kernel_classes(
        np.vstack([rows, rows]), np.repeat([0, 1], n_rows), n_components=2, gamma=gamma
    )
    return rows, kernels.covariances[0]


def class_contours(rows, covariance):
    return plane_contours(ClassDensities((rows,), covariance[None]))[0]


def density_at(points, rows, covariance):
    classes_of_one = ClassDensities((rows,), covariance[None])
    return np.exp(classes_of_one.log_densities(points)[:, 0])


def levels_of(rows, covariance):
    """Return the quantiles of the density at each row, summed over all other rows."""
    pairs = np.exp(
        [
            ClassDensities((rows[i : i + 1],), covariance[None]).log_densities(rows)[:, 0]
            for i in range(len(rows))
        ]
    )
    np.fill_diagonal(pairs, 0.0)
    left_out = pairs.sum(axis=0) / (len(rows) - 1)
    return np.quantile(left_out, [1 - share for share in CONTOUR_SHARES], method="weibull")


def test_contours_are_closed_lines():
    for view in PlaneViewer(TRAIN, HELD_OUT, 0.5).view(plane(2, 5)).classes:
        lines = lines_of(view.contours)
        assert len(lines) >= len(CONTOUR_SHARES)
        for line in lines:
            np.testing.assert_array_equal(line[0], line[-1])
        assert np.isnan(view.contours[-1]).all()


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_contours_are_closed_at_any_width_of_the_kernel(gamma):
    lines = lines_of(class_contours(*gaussian_class(40, gamma))[0])
    assert len(lines) >= len(CONTOUR_SHARES)
    for line in lines:
        np.testing.assert_array_equal(line[0], line[-1])


def test_the_density_along_a_contour_is_the_level_of_its_share():
    rows, covariance = gaussian_class()
    lines = lines_of(class_contours(rows, covariance)[0])
    levels = levels_of(rows, covariance)
    for line in lines:
        ratios = density_at(line, rows, covariance)[:, None] / levels
        nearest = np.abs(ratios[0] - 1).argmin()
        np.testing.assert_allclose(ratios[:, nearest], 1, atol=0.05)


def test_contours_enclose_about_their_shares_of_the_rows():
    rows, covariance = gaussian_class()
    contours, ends = class_contours(rows, covariance)
    for share, lines in zip(CONTOUR_SHARES, np.split(contours, ends), strict=True):
        assert enclosed(lines, rows).mean() == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize("gamma", [0.1, 0.25, 0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("n_rows", [48, 600])
def test_contours_enclose_their_shares_of_new_rows_at_any_width_of_the_kernel(n_rows, gamma):
    rows, covariance = gaussian_class(n_rows, gamma)
    fresh = np.random.default_rng(1).normal(size=(4_000, 2)) @ np.array([[2.0, 0.3], [0.0, 0.5]])
    contours, ends = class_contours(rows, covariance)
    for share, lines in zip(CONTOUR_SHARES, np.split(contours, ends), strict=True):
        inside = enclosed(lines, fresh)
        # A quantile of the rows and a share of 4,000: three standard errors of the two together.
        error = np.sqrt(share * (1 - share) * (1 / len(rows) + 1 / len(fresh)))
        assert inside.mean() == pytest.approx(share, abs=3 * error + 0.01)


def test_a_class_that_is_one_point_has_no_lines():
    contours, _ = class_contours(np.ones((5, 2)), np.zeros((2, 2)))
    assert np.isnan(contours).all()


def test_the_picture_draws_the_densities_of_the_classes_in_the_plane():
    gamma, components = 0.7, plane(2, 5)
    view = PlaneViewer(DATA, NO_ROWS, gamma).view(components)
    axes = standardized(components, components @ np.cov(DATA.X.T, ddof=0) @ components.T)
    drawn = DensityRule.of(DATA.X @ axes.T, DATA.y, gamma=gamma).classes
    for code, class_view in enumerate(view.classes):
        np.testing.assert_allclose(
            class_view.contours, class_contours(drawn.rows[code], drawn.covariances[code])[0]
        )
        np.testing.assert_allclose(class_view.train, drawn.rows[code], atol=1e-12)


@pytest.mark.parametrize("mixing", [np.eye(2), np.diag([100.0, 0.01]), invertible(2)])
def test_a_plane_is_drawn_with_unit_covariance(mixing):
    covariance = invertible(5) @ invertible(5).T
    components = mixing @ plane(2, 5)
    rows = standardized(components, components @ covariance @ components.T)
    np.testing.assert_allclose(rows @ covariance @ rows.T, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(principal_angles(rows, components), 0, atol=1e-12)


def test_standardising_turns_as_little_as_possible():
    covariance, components = invertible(5) @ invertible(5).T, plane(2, 5)
    stretch = standardized(components, components @ covariance @ components.T) @ components.T
    np.testing.assert_allclose(stretch, stretch.T, atol=1e-12)
    assert np.linalg.eigvalsh(stretch)[0] > 0


def test_the_seen_rows_have_unit_covariance_in_the_picture():
    view = PlaneViewer(TRAIN, HELD_OUT, 1.0).view(plane(2, 5))
    drawn = np.concatenate([class_view.train for class_view in view.classes])
    np.testing.assert_allclose(np.cov(drawn.T, ddof=0), np.eye(2), atol=1e-10)
    np.testing.assert_allclose(view.arrows.origins - drawn.mean(axis=0), 0.0, atol=1e-12)


def test_every_row_is_drawn_in_its_class():
    view = PlaneViewer(TRAIN, HELD_OUT, 1.0).view(plane(2, 5))
    assert [len(one.train) for one in view.classes] == np.bincount(TRAIN.y).tolist()
    assert [len(one.held_out) for one in view.classes] == np.bincount(HELD_OUT.y).tolist()


@pytest.mark.parametrize("flip", [1.0, -1.0])
def test_the_box_holds_rows_contours_and_arrows(flip):
    rng = np.random.default_rng(0)
    rows = flip * rng.uniform(size=(90, 3))
    train, held_out = labeled_data(rows, np.arange(90) % 2).split(0.2, random_state=0)
    view = PlaneViewer(train, held_out, 1.0).view(np.eye(3)[:2])
    for one in view.classes:
        for points in (
            one.train,
            one.held_out,
            one.contours,
            view.arrows.tips,
            view.arrows.origins,
        ):
            inside = (view.lower <= points) & (points <= view.upper)
            assert (inside | np.isnan(points)).all()


@pytest.mark.parametrize(("share", "is_closer"), [(1.0, False), (0.5, False), (0.02, True)])
def test_unseen_places_that_would_be_too_small_to_be_seen_are_drawn_closer(share, is_closer):
    centered = replace(DATA, X=DATA.X - DATA.X.mean(axis=0))
    viewer = PlaneViewer(centered, NO_ROWS, 1.0)
    components = plane(2, 5)
    unseen = UnseenRows.of(centered, share * centered.X @ components.T, components)
    view, fitted = (viewer.view(components, unseen=unseen, places=where) for where in Places)
    for one, other in ((view, fitted), (fitted, view)):
        drawn = np.concatenate([*(part.train for part in one.classes), one.arrows.tips])
        assert ((one.lower <= drawn) & (drawn <= one.upper)).all()
        if not is_closer or one is fitted:
            assert (one.lower <= other.lower).all()
            assert (other.upper <= one.upper).all()
    sides, whole = view.upper - view.lower, fitted.upper - fitted.lower
    assert (sides.max() < whole.max() / 3) == is_closer
    arrows, of_fitted = view.arrows, fitted.arrows
    np.testing.assert_allclose(arrows.tips / arrows.scale, of_fitted.tips / of_fitted.scale)
    assert (arrows.scale < of_fitted.scale / 3) == is_closer


def test_two_rows_far_away_do_not_make_the_others_small():
    rows = np.random.default_rng(0).normal(size=(1_000, 2))
    lower, upper = central_box([rows], [rows])
    far = np.concatenate([rows, [[1_000.0, 0.0], [0.0, -1_000.0]]])
    np.testing.assert_allclose(central_box([far], [far]), (lower, upper), atol=2.5)
    assert np.all(upper - lower < 12)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("gamma", [1.0, 4.0])
def test_no_region_is_cut_by_the_edge_of_the_picture(seed, gamma):
    random = np.random.default_rng(seed)
    X, y = random.standard_t(2.0, size=(200, 4)), np.repeat([0, 1, 2], [150, 44, 6])
    X[y == 2] += 12
    projected = kernel_classes(X, y, n_components=2, gamma=gamma).project(np.eye(2, 4))
    outlines = [lines for lines, _ in plane_contours(projected)]
    rows = list(projected.rows)
    lower, upper = box_of_regions(rows, outlines)
    central = np.array(central_box(rows, outlines))
    n_held = n_widened = 0
    for lines in outlines:
        gaps = np.flatnonzero(np.isnan(lines[:, 0]))
        for line in np.split(lines, gaps):
            inside = ((lower <= line) & (line <= upper)).all(axis=1)[np.isfinite(line[:, 0])]
            assert inside.all() or not inside.any()
            n_held += bool(inside.any())
            n_widened += bool((line < central[0]).any() or (line > central[1]).any())
    assert n_held > 3
    assert n_widened > 0  # the claim is of such regions


@pytest.mark.parametrize("shape", [1.0, 2.0, 1.5, 1 / 1.5], ids="{:.2f}".format)
def test_a_picture_of_another_shape_cuts_no_region_that_lies_beside_the_box(shape):
    rows = np.random.default_rng(0).normal(size=(1_000, 2))
    angle = np.linspace(0, 2 * np.pi, 60)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    n_left_out = 0
    for away in np.linspace(3.0, 12.0, 40):
        far = 0.4 * circle + (away * np.array([1.0, 0.0] if shape >= 1 else [0.0, 1.0]))
        lower, upper = box_of_regions([rows], [3 * circle, far])
        sides = upper - lower
        # As the page shows it, with equal units.
        beside = np.maximum(0, sides[::-1] * [shape, 1 / shape] - sides) / 2
        inside = ((lower - beside <= far) & (far <= upper + beside)).all(axis=1)
        assert inside.all() or not inside.any()
        n_left_out += not inside.any()
    assert n_left_out > 3  # the claim is of these, too


def test_the_longest_arrow_reaches_across_a_good_part_of_the_picture():
    view = PlaneViewer(TRAIN, HELD_OUT, 1.0).view(plane(2, 5))
    longest = np.linalg.norm(view.arrows.tips - view.arrows.origins, axis=1).max()
    assert 0.3 < longest / (view.upper - view.lower).min() <= 0.4 + 1e-12


def test_arrows_point_along_the_loadings_of_the_strongest_features():
    components = plane(2, 5)
    view = PlaneViewer(TRAIN, HELD_OUT, 1.0).view(components)
    loadings = standardized(components, components @ np.cov(TRAIN.X.T, ddof=0) @ components.T)
    tips, features = strongest_loadings(loadings, np.linalg.norm(loadings, axis=0))
    assert view.arrows.features.tolist() == features.tolist()
    assert view.arrows.names == tuple(TRAIN.feature_names[feature] for feature in features)
    scales = (view.arrows.tips - view.arrows.origins) / tips
    np.testing.assert_allclose(scales, view.arrows.scale, rtol=1e-9)
    np.testing.assert_array_equal(tips, loadings[:, features].T)


def test_there_are_at_most_so_many_arrows_the_strongest_first():
    components = plane(2, 30)
    tips, features = strongest_loadings(components, np.linalg.norm(components, axis=0))
    strengths = np.linalg.norm(tips, axis=1)
    assert len(tips) == len(features) == MAX_ARROWS
    assert (np.diff(strengths) <= 0).all()
    assert strengths[-1] >= np.sort(np.linalg.norm(components, axis=0))[-MAX_ARROWS]


def test_a_feature_that_moves_no_row_to_speak_of_has_no_arrow():
    loadings = np.array([[0.0, 2.0, 1e-4, 0.3], [0.0, 0.0, 0.0, 0.0]])
    tips, features = strongest_loadings(loadings, np.linalg.norm(loadings, axis=0))
    assert features.tolist() == [1, 3]
    assert tips.tolist() == [[2.0, 0.0], [0.3, 0.0]]
    none, left = strongest_loadings(np.zeros((2, 3)), np.zeros(3))
    assert (len(none), len(left)) == (0, 0)


def test_the_accuracy_is_that_of_the_class_densities_in_the_plane():
    melm = MELM(density_gamma=0.8, n_init=1, random_state=0).fit(TRAIN.X, TRAIN.y)
    scores = PlaneViewer(TRAIN, HELD_OUT, 0.8).view(melm.components_).scores
    rule = DensityRule.of(melm.transform(TRAIN.X), TRAIN.y, gamma=0.8)
    predicted = rule.most_likely(melm.transform(HELD_OUT.X))
    assert scores.accuracy_held_out == pytest.approx(balanced_accuracy_score(HELD_OUT.y, predicted))


def test_training_rows_are_left_out_of_their_own_density():
    gamma, components = 0.8, plane(2, 5)
    points = TRAIN.X @ components.T
    rule = DensityRule.of(points, TRAIN.y, gamma=gamma)
    predicted = []
    for row, own in zip(points, TRAIN.y, strict=True):
        others = [
            rows[(rows != row).any(axis=1)] if code == own else rows
            for code, rows in enumerate(rule.classes.rows)
        ]
        assert len(others[own]) == len(rule.classes.rows[own]) - 1
        classes = replace(rule.classes, rows=tuple(others))
        means = np.stack([rows.mean(axis=0) for rows in others])
        without = replace(rule, classes=classes, normal=replace(rule.normal, means=means))
        predicted.append(without.most_likely(row[None])[0])
    accuracy = balanced_accuracy_score(TRAIN.y, predicted)
    found = PlaneViewer(TRAIN, HELD_OUT, gamma).view(components).scores.accuracy_train
    assert found == pytest.approx(accuracy)
    assert balanced_accuracy_score(TRAIN.y, rule.most_likely(points)) > accuracy


def test_the_held_out_divergence_is_that_of_the_fitted_densities():
    melm = MELM(gamma=0.8, density_gamma=0.8, n_init=1, random_state=0).fit(TRAIN.X, TRAIN.y)
    scores = PlaneViewer(TRAIN, HELD_OUT, 0.8).view(melm.components_).scores
    Z = melm.transform(HELD_OUT.X)
    expected = held_out_divergence(
        melm.projected_classes_, [Z[HELD_OUT.y == code] for code in range(3)]
    )
    assert scores.divergence_held_out == pytest.approx(expected, rel=1e-9)


def test_scores_do_not_depend_on_the_frame_of_the_plane():
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0)
    components = plane(2, 5)
    one = viewer.view(components).scores
    other = viewer.view(invertible(2) @ components).scores
    assert other.accuracy_train == one.accuracy_train
    assert other.accuracy_held_out == one.accuracy_held_out
    assert other.divergence_held_out == pytest.approx(one.divergence_held_out, rel=1e-9)


def test_without_unseen_rows_there_are_no_scores_of_them():
    scores = PlaneViewer(DATA, NO_ROWS, 1.0).view(plane(2, 5)).scores
    assert 0 <= scores.accuracy_train <= 1
    assert scores.accuracy_held_out is None
    assert scores.divergence_held_out is None


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_where_a_class_has_no_unseen_row_there_are_no_scores_of_unseen_rows(missing):
    kept = HELD_OUT.y != missing
    rows = {name: getattr(HELD_OUT, name)[kept] for name in ("X", "y", "row_numbers")}
    held_out = replace(HELD_OUT, **rows)
    view = PlaneViewer(TRAIN, held_out, 1.0).view(plane(2, 5))
    assert view.classes[missing].held_out.shape == (0, 2)
    assert view.scores.accuracy_held_out is None
    assert view.scores.divergence_held_out is None


@pytest.mark.parametrize("values", [(0.1, 0.7), (0.0, 1.0)])
def test_classes_that_are_one_point_each_can_still_be_seen(values):
    y = np.arange(40) % 2
    X = np.array(values)[y][:, None] * np.array([1.0, -2.0, 0.5])
    train, held_out = labeled_data(X, y).split(0.25, random_state=0)
    view = PlaneViewer(train, held_out, 1.0).view(np.eye(3)[:2])
    assert np.isfinite([view.lower, view.upper]).all()
    assert view.scores.accuracy_held_out == 1
    assert np.isfinite(view.scores.divergence_held_out)


def test_a_large_table_is_drawn_in_part_and_its_densities_sum_over_all(monkeypatch):
    whole = PlaneViewer(TRAIN, HELD_OUT, 1.0).view(plane(2, 5))
    monkeypatch.setattr(plane_view, "MAX_DRAWN_ROWS", 30)
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0)
    part = viewer.view(plane(2, 5))
    assert viewer.n_rows == len(DATA.y)
    assert viewer.n_drawn == sum(len(one.train) + len(one.held_out) for one in part.classes)
    assert viewer.n_drawn == pytest.approx(30, abs=3)
    for one, same in zip(part.classes, whole.classes, strict=True):
        np.testing.assert_array_equal(one.contours, same.contours)


def test_seen_and_unseen_rows_are_drawn_in_their_proportion(monkeypatch):
    monkeypatch.setattr(plane_view, "MAX_DRAWN_ROWS", 200)
    data = labeled_data(np.random.default_rng(0).normal(size=(2000, 3)), np.arange(2000) % 2)
    view = PlaneViewer(*data.split(0.25, random_state=0), 1.0).view(np.eye(3)[:2])
    assert [len(one.train) for one in view.classes] == [75, 75]
    assert [len(one.held_out) for one in view.classes] == [25, 25]


def test_a_large_table_without_unseen_rows_is_drawn(monkeypatch):
    monkeypatch.setattr(plane_view, "MAX_DRAWN_ROWS", 30)
    view = PlaneViewer(DATA, NO_ROWS, 1.0).view(plane(2, 5))
    assert [len(one.held_out) for one in view.classes] == [0, 0, 0]
    assert view.scores.accuracy_held_out is None


def test_scores_on_a_share_of_the_rows_come_close_to_those_on_all(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(1200) % 2
    X = rng.normal(size=(1200, 3)) + 1.5 * y[:, None]
    viewers = {}
    for most in (200, 10_000):
        monkeypatch.setattr(drawn_rows, "MAX_SCORED_ROWS", most)
        viewers[most] = PlaneViewer(*labeled_data(X, y).split(0.5, random_state=0), 1.0)
    few, all_ = (viewer.view(np.eye(3)[:2]).scores for viewer in viewers.values())
    assert few.accuracy_train != all_.accuracy_train
    assert few.accuracy_train == pytest.approx(all_.accuracy_train, abs=0.05)
    assert few.accuracy_held_out == pytest.approx(all_.accuracy_held_out, abs=0.05)
    assert few.divergence_held_out == pytest.approx(all_.divergence_held_out, rel=0.2)


def test_the_coordinates_are_of_the_same_rows_whatever_was_held_out():
    data = join(TRAIN, HELD_OUT)
    one = PlaneViewer(*data.split(0.2, 0), 1.0)
    other = PlaneViewer(*data.split(0.4, 7), 1.0)
    assert one.coordinates(plane(2, 5)).shape == other.coordinates(plane(2, 5)).shape
    # Each is standardized by its own train rows: the same up to a linear map.
    fitted, *_ = np.linalg.lstsq(
        centered(one.coordinates(plane(2, 5))), centered(other.coordinates(plane(2, 5)))
    )
    np.testing.assert_allclose(
        centered(one.coordinates(plane(2, 5))) @ fitted,
        centered(other.coordinates(plane(2, 5))),
        atol=1e-10,
    )


def test_a_plane_turned_and_reflected_is_drawn_like_the_one_it_is_turned_towards():
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0)
    turn = np.array([[0.6, -0.8], [-0.8, -0.6]])  # a reflection
    whole = viewer.view(plane(2, 5))
    turned = viewer.view(turn @ plane(2, 5), viewer.coordinates(plane(2, 5)))
    for one, other in zip(whole.classes, turned.classes, strict=True):
        np.testing.assert_allclose(one.train, other.train, atol=1e-10)
        np.testing.assert_allclose(one.contours, other.contours, atol=1e-8)
    np.testing.assert_allclose(whole.arrows.tips, turned.arrows.tips, atol=1e-10)


def test_turning_changes_no_score():
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0)
    alone = viewer.view(plane(2, 5, 1))
    turned = viewer.view(plane(2, 5, 1), viewer.coordinates(plane(2, 5, 2)))
    assert turned.scores.accuracy_train == alone.scores.accuracy_train
    assert turned.scores.divergence_held_out == pytest.approx(alone.scores.divergence_held_out)


def centered(points):
    return points - points.mean(axis=0)


def join(train, held_out):
    """Return the rows of both as one data set."""
    return replace(
        train,
        X=np.concatenate([train.X, held_out.X]),
        y=np.concatenate([train.y, held_out.y]),
        row_numbers=np.concatenate([train.row_numbers, held_out.row_numbers]),
    )


def test_lengths_are_those_of_the_arrows_that_are_drawn():
    data = blobs(n_rows=60)
    viewer = PlaneViewer(*data.split(0.0, 0), gamma=1.0)
    components, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(data.X.shape[1], 2)))
    drawn = np.linalg.norm(viewer.view(components.T).loadings, axis=1)
    np.testing.assert_allclose(loading_lengths(components.T, data.X), drawn, rtol=1e-9)


def test_the_shares_of_a_turned_view_add_up_to_those_of_the_plane():
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0)
    components = viewer.standardized(plane(2, 5))
    straight, turned = (
        viewer.explained_shares(components, angle) for angle in ((0.0, 0.0), (0.7, 0.4))
    )
    assert turned.sum() == pytest.approx(straight.sum())
    assert (turned != straight).all()


@pytest.mark.parametrize("n_components", [2, 3])
@pytest.mark.parametrize("gamma", [0.3, 1.0, 4.0])
def test_what_regions_hold_is_what_their_contours_enclose(gamma, n_components):
    viewer, components = PlaneViewer(TRAIN, HELD_OUT, gamma, n_components), plane(n_components, 5)
    held = viewer.regions(components)
    for code, of_class in enumerate(viewer.view(components).classes):
        for lines in of_class.regions:
            found = held.pop(0)
            inside = enclosed(lines, of_class.held_out)
            assert found.code == code
            assert found.held_out == pytest.approx(inside.mean(), abs=1.01 / len(inside))
    assert held == []


def test_a_line_has_regions_and_rows_without_held_out_ones_no_importance():
    on_line = PlaneViewer(TRAIN, HELD_OUT, 1.0, 1).regions(plane(1, 5))
    assert [one.share for one in on_line] == [*CONTOUR_SHARES] * (1 + int(TRAIN.y.max()))
    assert all(one.training == pytest.approx(one.share, abs=0.15) for one in on_line)
    viewer = PlaneViewer(DATA, NO_ROWS, 1.0)
    assert viewer.importance(plane(2, 5)) is None
    assert {region.held_out for region in viewer.regions(plane(2, 5))} == {None}


def test_the_importance_does_not_depend_on_the_coordinates_of_the_plane():
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0)
    one, other = (viewer.importance(mixing @ plane(2, 5)) for mixing in (np.eye(2), invertible(2)))
    np.testing.assert_allclose(one.loss, other.loss, atol=1e-6)


def test_a_changed_plane_is_mirrored_only_where_the_one_it_was_changed_from_is():
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0)
    before = viewer.standardized(plane(2, 5))
    changed = np.diag([1.0, -1.0]) @ before
    toward = viewer.coordinates(before)
    # The closest picture is the plane turned over, which the one before it was not.
    assert is_mirrored(viewer.oriented(changed, toward), changed)
    assert not is_mirrored(viewer.oriented(changed, toward, changed_from=before), changed)


def is_mirrored(one, other):
    """Whether components of the same plane are turned over."""
    return np.linalg.det(one @ np.linalg.pinv(other)) < 0


@pytest.mark.parametrize("seed", range(4))
def test_on_a_line_the_longest_arrow_leaves_room_for_its_name(seed):
    skewed = replace(TRAIN, X=np.exp(TRAIN.X))  # the mean is near one end
    components = np.random.default_rng(seed).normal(size=(1, TRAIN.X.shape[1]))
    view = PlaneViewer(skewed, NO_ROWS, 1.0, 1).view(components)
    origins, tips = view.arrows.origins[:, 0], view.arrows.tips[:, 0]
    room = np.where(tips > origins, view.upper[0] - origins, origins - view.lower[0])
    assert (np.abs(tips - origins) < 0.75 * room).all()


@pytest.mark.parametrize("toward", [None, "another"])
def test_coordinates_of_a_nonlinear_method_keep_their_shape(toward):
    rows = np.random.default_rng(0).normal(size=(len(TRAIN.y), 2)) * [5.0, 1.0] @ [[1, 1], [0, 1]]
    embedded = replace(TRAIN, X=rows, feature_names=())
    none = replace(NO_ROWS, X=NO_ROWS.X[:, :2], feature_names=())
    viewer = PlaneViewer(embedded, none, 1.0)
    reference = toward and PlaneViewer(TRAIN, NO_ROWS, 1.0).coordinates(plane(2, 5))
    axes = viewer.oriented(np.eye(2), reference)
    np.testing.assert_allclose(axes @ axes.T, axes[0] @ axes[0] * np.eye(2), atol=1e-12)
    drawn = np.concatenate([part.train for part in viewer.view(np.eye(2), reference).classes])
    assert drawn.var(axis=0).sum() == pytest.approx(2.0, rel=0.02)
