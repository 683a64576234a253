"""A plane of pixels as images."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from PIL import Image
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from melm_studio.layout.lists import image_groups
from melm_studio.planes.pixel_images import (
    INK,
    NEGATIVE,
    POSITIVE,
    images_of_plane,
    pixel_news,
)
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.publication.report import printed_images
from melm_studio.tables import load_sample, pixel_grid, prepare
from tests.melm_studio.layout.trees import parts


@pytest.fixture(scope="module")
def plane():
    train, held_out = prepare(load_sample("digits")).split(0.25, 0)
    viewer = PlaneViewer(train, held_out, 1.0)
    fitted = LinearDiscriminantAnalysis(n_components=2).fit(train.X, train.y)
    components = fitted.scalings_[:, :2].T
    view = viewer.view(components)
    importance = viewer.importance(components)
    images = images_of_plane(viewer.pixel_grid(""), viewer, view.loadings, importance)
    return viewer, view.loadings, importance, images


def pixels(image):
    return np.asarray(Image.open(io.BytesIO(image.png)))


@pytest.mark.slow
def test_directions_are_the_coordinates_of_the_arrows(plane):
    _, loadings, _, images = plane
    for axis, image in zip(loadings.T, images.directions, strict=True):
        drawn = image.values.ravel()[images.grid.cells]
        np.testing.assert_allclose(drawn * np.abs(axis).max(), axis)


def test_signs_are_orange_and_blue_and_strength_is_opacity(plane):
    image = plane[3].directions[0]
    drawn, values = pixels(image), image.values
    assert {tuple(one) for one in drawn[values > 0][:, :3]} == {POSITIVE}
    assert {tuple(one) for one in drawn[values < 0][:, :3]} == {NEGATIVE}
    np.testing.assert_array_equal(drawn[..., 3], np.round(255 * np.nan_to_num(np.abs(values))))


def test_a_pixel_that_is_no_feature_is_blank(plane):
    images = plane[3]
    for image in (*images.directions, images.worth, *images.means):
        assert (pixels(image)[..., 3][np.isnan(image.values)] == 0).all()
        assert np.isnan(image.values).sum() == 64 - len(images.grid.cells)


def test_means_are_those_of_the_training_rows_in_the_units_of_the_table(plane):
    viewer, _, _, images = plane
    train = viewer.parts[0]
    raw = train.X * train.scale + train.center
    means = np.array([raw[train.y == code].mean(axis=0) for code in range(10)])
    drawn = np.array([image.values.ravel()[images.grid.cells] for image in images.means])
    np.testing.assert_allclose(drawn, means / means.max(), atol=1e-9)
    assert [image.title for image in images.means] == list(train.class_names)
    assert (pixels(images.means[0])[..., :3] == INK).all()


def test_the_heat_map_shows_only_effects_that_are_seen(plane):
    _, _, importance, images = plane
    drawn = images.worth.values.ravel()[images.grid.cells]
    assert ((drawn > 0) == importance.is_seen).all()
    assert drawn.argmax() == np.where(importance.is_seen, importance.loss, 0).argmax()


def test_without_held_out_rows_the_heat_map_is_of_the_lengths(plane):
    viewer, loadings, _, images = plane
    worth = images_of_plane(images.grid, viewer, loadings, None).worth
    lengths = np.linalg.norm(loadings, axis=1)
    np.testing.assert_allclose(worth.values.ravel()[images.grid.cells], lengths / lengths.max())
    assert worth.title == "Length"


def test_words_say_where_the_strongest_pixel_is(plane):
    viewer, loadings, _, images = plane
    strongest = viewer.feature_names[int(loadings[:, 0].argmax())]
    row, column = (int(one) + 1 for one in strongest.split("_")[1:])
    assert f"most positive at {strongest} (row {row}, column {column})" in (
        images.directions[0].words
    )


def test_the_page_knows_which_feature_each_pixel_is(plane):
    viewer, loadings, _, images = plane
    news = pixel_news(images, viewer.feature_names, loadings)
    for at, name in zip(news["cells"]["at"], news["cells"]["name"], strict=True):
        assert name == f"pixel_{at // 8}_{at % 8}"


def test_the_page_has_every_image_with_its_words(plane):
    images = plane[3]
    shown = [part for part in parts(*image_groups(images)) if "src" in part]
    every = (*images.directions, images.worth, *images.means)
    assert [(part["alt"], part["src"]) for part in shown] == [
        (image.words, image.address) for image in every
    ]


def test_an_axis_that_no_feature_has_is_not_drawn(plane):
    viewer, loadings, importance, images = plane
    line = loadings * [1.0, 0.0]
    assert len(images_of_plane(images.grid, viewer, line, importance).directions) == 1


def test_a_report_has_all_images_in_one_picture(plane):
    picture = printed_images(plane[3])
    assert picture.svg.count(b"<image ") == 13
    assert b"image-rendering: pixelated" in picture.svg
    assert "Mean of the training rows of 9" in picture.description


@pytest.mark.slow
def test_features_that_bend_have_the_same_images(plane):
    straight, _, _, images = plane
    train, held_out = straight.parts
    bent = PlaneViewer(train.with_curves(train), held_out.with_curves(train), 1.0)
    assert bent.parts[0].X.shape[1] > len(images.grid.cells)
    grid = bent.pixel_grid("")
    components = np.random.default_rng(0).normal(size=(2, bent.parts[0].X.shape[1]))
    found = images_of_plane(grid, bent, bent.view(components).loadings, None)
    for one, other in zip(found.means, images.means, strict=True):
        np.testing.assert_allclose(one.values, other.values)


def test_curves_do_not_hide_that_numbered_columns_are_pixels():
    data = prepare(load_sample("digits"))
    names = tuple(f"v{at}" for at in range(64))
    renamed = dict(zip([f"pixel_{at // 8}_{at % 8}" for at in range(64)], names, strict=True))
    columns = tuple(
        structs.replace(one, name=renamed.get(one.name, one.name)) for one in data.columns
    )
    own = tuple(renamed[name] for name in data.feature_names)
    plain = replace(data, columns=columns, feature_names=own)
    assert pixel_grid(plain).size == pixel_grid(plain.with_curves(plain)).size == "8 x 8"
