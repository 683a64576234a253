"""A file, two methods side by side, their history and their downloads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from lab.driver.page import Panel, StudioPage
from melm_core import MELM, cauchy_schwarz_divergence
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import read_table

# So many starts take seconds: time enough for many frames, however slowly they are painted.
MANY_STARTS = 40
FEW_STARTS = 2
HELD_OUT = 0.0  # as is usual for so few rows
SEED = 0
COORDINATES = ["component_1", "component_2"]
NUMBERS = ("divergence-training", "divergence-held-out", "accuracy-training", "accuracy-held-out")

# Notes what a picture looks like whenever a plane has been painted.
RECORD_FRAMES = """
window.paintedFrames = [];
new MutationObserver((changes) => {
  for (const { target } of changes) {
    const canvases = [...target.querySelectorAll("canvas.motion, canvas.row-layer")];
    const looks = canvases.map((canvas) => canvas.toDataURL()).join();
    window.paintedFrames.push([target.dataset.run, target.dataset.sequence, looks]);
  }
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-sequence"] });
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    bunch = load_breast_cancer(as_frame=True)
    path = tmp_path / "tumours.csv"
    diagnosis = bunch.target.map(dict(enumerate(bunch.target_names)))
    bunch.data.assign(diagnosis=diagnosis).to_csv(path, index=False)
    return path


@pytest.fixture
def data(table: Path) -> LabeledData:
    return prepare(read_table(table.read_bytes(), table.name))


@pytest.mark.slow
def test_an_uploaded_table_is_summed_up(page: Page, table: Path):
    studio = StudioPage(page)
    studio.upload(table)
    expect(studio.data_size).to_have_text("569 rows, 30 features, 2 classes")
    for fact in ("malignant", "212", "benign", "357"):
        expect(studio.summary).to_contain_text(fact)
    studio.open_sheet()
    expect(page.get_by_role("textbox", name="Label column")).to_have_value("diagnosis")


def test_melm_moves_beside_pca_and_ends_where_a_fit_in_process_ends(
    page: Page, table: Path, data: LabeledData
):
    page.add_init_script(RECORD_FRAMES)
    studio = StudioPage(page)
    studio.upload(table)
    studio.show("Compare")
    melm = studio.run("MELM", n_init=MANY_STARTS)
    pca = studio.run("PCA")
    for panel in (melm, pca):
        panel.expect_end()
    assert len(painted_pictures(melm)) >= 10

    train, _ = parts_of(data)
    with threadpool_limits(1):  # as a worker has; more would contend with the browser
        fit = MELM(2, n_init=MANY_STARTS, random_state=SEED).fit(train.X, train.y)
    assert melm.divergence == pytest.approx(fit.divergence_, rel=0, abs=1e-8)
    plane = PCA(2).fit(train.X).components_
    divergence = cauchy_schwarz_divergence(train.X, train.y, plane, shrinkage="ledoit-wolf")
    assert pca.divergence == pytest.approx(divergence, rel=0, abs=1e-8)


@pytest.mark.slow
def test_a_reload_brings_every_panel_back_with_its_numbers(page: Page, table: Path):
    studio = StudioPage(page)
    studio.upload(table)
    studio.show("Compare")
    panels = [studio.run("MELM", n_init=FEW_STARTS), studio.run("PCA")]
    for panel in panels:
        panel.expect_end()
    before = [numbers(panel) for panel in panels]
    again = StudioPage(page)
    expect(again.data_name).to_have_text(table.stem)
    expect(again.panels).to_have_count(2)
    again.show("Compare")  # the bare address opens Explore, which fetches what it shows
    for panel in panels:
        panel.expect_a_plane()
    assert [numbers(panel) for panel in panels] == before


@pytest.mark.slow
def test_the_slider_shows_earlier_planes_by_keyboard_and_by_mouse(page: Page, table: Path):
    studio = StudioPage(page)
    studio.upload(table)
    panel = studio.run("MELM", n_init=FEW_STARTS)
    panel.expect_end()
    last, best = panel.sequence, panel.divergence
    panel.slider.press("Home")
    panel.expect_sequence(0)
    assert panel.divergence < best
    panel.slider.press("ArrowRight")
    panel.expect_sequence(1)
    panel.slider.click()  # its middle
    middle = int(panel.slider.input_value()) - 1
    assert 0.4 * last < middle < 0.6 * last
    panel.expect_sequence(middle)
    expect(panel.part("divergence-training")).to_have_attribute("title", str(panel.divergence))
    panel.slider.press("End")
    panel.expect_sequence(last)
    assert panel.divergence == best


@pytest.mark.slow
def test_downloads_hold_the_plane_on_screen(page: Page, table: Path, data: LabeledData):
    studio = StudioPage(page)
    studio.upload(table)
    panel = studio.run("MELM", n_init=FEW_STARTS)
    panel.expect_end()
    panel.slider.press("Home")
    panel.expect_sequence(0)
    points = pd.read_csv(panel.download("Projected points").path())
    components = pd.read_csv(panel.download("Components").path())

    file = pd.read_csv(table)
    scaled = (file[components["feature"]].to_numpy() - components["center"].to_numpy()) / (
        components["scale"].to_numpy()
    )
    plane = components[COORDINATES].to_numpy().T
    assert list(points["row"]) == list(range(1, len(file) + 1))
    assert list(points["label"]) == list(file["diagnosis"])
    np.testing.assert_allclose(points[COORDINATES], scaled @ plane.T, atol=1e-9)
    np.testing.assert_allclose(plane @ plane.T, np.eye(2), atol=1e-12)

    train, _ = parts_of(data)
    assert list(points["row"][points["training"]]) == list(train.row_numbers)
    divergence = cauchy_schwarz_divergence(train.X, train.y, plane, shrinkage="ledoit-wolf")
    assert panel.divergence == pytest.approx(divergence, rel=0, abs=1e-8)


def parts_of(data: LabeledData) -> tuple[LabeledData, LabeledData]:
    """The training and held-out rows, as the training rows prepare them."""
    is_held_out = data.held_out_rows(HELD_OUT, SEED)
    return data.prepared_by(~is_held_out).split(HELD_OUT, SEED)


def painted_pictures(panel: Panel) -> set[str]:
    """What the panel's picture has looked like."""
    frames = panel.node.page.evaluate("window.paintedFrames")
    return {looks for run_id, _, looks in frames if run_id == panel.run_id}


def numbers(panel: Panel) -> list[str]:
    return [str(panel.divergence), *(panel.part(number).inner_text() for number in NUMBERS)]
