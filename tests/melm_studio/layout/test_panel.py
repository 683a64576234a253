"""A panel names its run in everything that acts on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from melm_studio.layout.page import static_parts
from melm_studio.layout.panel import described_panel, panel_model
from tests.melm_studio.layout.trees import parts
from tests.melm_studio.runs.helpers import run_of

TEMPLATE = (Path(__file__).parents[3] / "assets/studio/panel/panels.mjs").read_text()


def test_a_panel_is_headed_by_its_title_and_described_with_its_data():
    run = replace(run_of(), name="Mine")
    panel = described_panel(run)
    assert panel["run"] == run.run_id
    assert panel["title"] == "Mine"
    assert panel["label"] == "Mine, blobs"
    assert "title" in named_parts()


@pytest.mark.parametrize(
    ("run", "features"),
    [
        (run_of(), {"linear", "planar", "flat", "search", "tree", "classes"}),
        (run_of(n_components=1), {"linear", "line", "search", "tree", "classes"}),
        (run_of(method="nca", n_components=3), {"linear", "planar", "space", "search", "classes"}),
        (run_of(method="tsne"), {"planar", "flat", "classes", "map"}),
        (replace(run_of(method="pca"), n_classes=1), {"linear", "planar", "flat", "one-class"}),
        (run_of(method="plsda"), {"linear", "planar", "flat", "classes", "latent"}),
        (run_of(method="kfd"), {"planar", "flat", "classes", "map", "machine"}),
    ],
)
def test_a_panel_says_what_its_run_has(run, features):
    assert set(described_panel(run)["has"].split()) == features


def test_distances_from_a_plane_are_offered_where_there_is_one():
    needs = {
        props["data-part"]: props.get("data-needs") for props in model() if "data-part" in props
    }
    assert needs["find-outliers"] == needs["show-distances"] == "linear"
    assert needs["find-suspects"] is None


def test_the_model_has_buttons_that_stop_and_remove_a_run():
    assert {"stop", "remove", "check", "latent"} <= named_parts()


def test_the_dialog_offers_every_file_and_to_a_curved_picture_no_linear_map():
    files = [props for props in parts(static_parts()) if "data-file" in props]
    needs = {props["data-file"]: props["data-needs"] for props in files}
    of_a_map = ("components.csv", "model.json", "script.py")
    of_any = ("points.csv",)
    assert needs == dict.fromkeys(of_any, "") | dict.fromkeys(of_a_map, "linear")


def test_the_model_has_slots_for_what_others_fill():
    slots = {"verdict", "feature-list", "selection", "picture-tools", "by-gamma"}
    assert slots <= named_parts()


def test_what_a_part_needs_is_what_runs_may_have():
    needed = {need for props in model() for need in props.get("data-needs", "").split()}
    shapes = {"linear", "planar", "flat", "line", "space", "tree", "latent", "map"}
    assert needed == shapes | {"classes", "one-class", "within", "machine"}


def test_everything_that_is_pressed_has_a_name():
    pressed = [props for props in model() if props.get("type") == "button"]
    assert len(pressed) > 10
    for props in pressed:
        children = props.get("children")
        shown = children if isinstance(children, list) else [children]
        assert props.get("aria-label") or any(isinstance(child, str) for child in shown)


def test_markup_in_a_name_is_text():
    assert not re.search(r"innerHTML|insertAdjacentHTML|outerHTML", TEMPLATE)


def model():
    return parts(panel_model())


def named_parts():
    return {props.get("data-part") for props in model()}
