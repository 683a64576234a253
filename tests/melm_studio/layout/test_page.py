"""The page holds all that a visitor and the scripts need."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from melm_core.methods import METHODS, Method
from melm_core.methods.method import HELD_OUT, SEED, STARTS
from melm_studio.configuration.settings import Settings
from melm_studio.installation import install_command
from melm_studio.layout import ids
from melm_studio.layout.first_page import first_page
from melm_studio.layout.method_line import own_settings
from melm_studio.layout.page import first_source, page, static_parts
from melm_studio.layout.panel import panel_model
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables.samples import SAMPLES
from tests.melm_studio.layout.trees import part, parts, texts

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "assets"
PRESENTER_PAGE = ROOT / "callbacks" / "routes" / "presenter.html"
# Those of replays are in files of their own.
SCRIPTS = "".join(
    path.read_text() for path in ASSETS.rglob("*.mjs") if path.parent.name != "replay"
)


def test_the_page_builds_anew_for_every_visitor():
    assert page() is not page()
    assert parts(page()) == parts(page())


def test_the_page_tells_what_a_table_may_have_before_it_is_sent(tmp_path):
    zone = part(page(Settings(data_dir=tmp_path, max_upload_mb=7, max_rows=50_000)), ids.DROP_ZONE)
    assert zone["data-megabytes"] == "7"
    assert "At most 7 MB, 50,000 rows, 10,000 columns." in zone["data-markup"]


def test_the_first_source_is_a_sample_there_is():
    source = first_source()
    assert source["kind"] == "sample"
    assert source["key"] in SAMPLES
    assert part(page(), ids.SOURCE)["data"] == source


def test_tabs_share_what_was_used_before_and_the_story_and_no_table():
    stores = [props for props in parts(page()) if "storage_type" in props]
    shared = {props["id"] for props in stores if props["storage_type"] == "local"}
    assert shared == {ids.RECENT, ids.STORY}
    assert part(page(), ids.SOURCE)["storage_type"] == "session"


@pytest.mark.parametrize("key", SAMPLES)
def test_every_sample_is_named_and_explained_in_the_menu(key):
    listed = parts(page())
    source = DataSource(kind="sample", key=key)
    (at,) = (i for i, props in enumerate(listed) if chooses(props, source))
    picture, name, _ = listed[at + 1 : at + 4]
    assert picture["style"] == f"--at: {list(SAMPLES).index(key)}"
    assert (name["children"], listed[at]["title"]) == (SAMPLES[key].label, SAMPLES[key].explanation)


def chooses(item, source):
    chosen = item.get("data-source")
    return chosen is not None and msgspec.json.decode(chosen, type=DataSource) == source


def test_the_methods_offered_are_those_there_are():
    offered = part(page(), ids.METHOD)
    listed = [item["value"] for group in offered["data"] for item in group["items"]]
    assert sorted(listed) == sorted(METHODS)
    assert offered["value"] in METHODS


@pytest.mark.parametrize("is_installed", [True, False])
def test_a_method_whose_package_is_missing_cannot_be_chosen(monkeypatch, is_installed):
    of_each = property(lambda method: is_installed or not method.extra)
    monkeypatch.setattr(Method, "is_installed", of_each)
    groups = part(page(), ids.METHOD)["data"]
    (item,) = (one for group in groups for one in group["items"] if one["value"] == "umap")
    assert item.get("disabled", False) is not is_installed
    assert (install_command("umap") in item["label"]) is not is_installed


def test_the_groups_of_the_menu_say_what_a_method_looks_at():
    groups = {group["group"]: group["items"] for group in part(page(), ids.METHOD)["data"]}
    assert list(groups)[:3] == ["Supervised", "Unsupervised", "Nonlinear"]
    assert {item["value"] for items in groups.values() for item in items} == set(METHODS)
    for item in groups["Unsupervised"]:
        assert not METHODS[item["value"]].uses_labels
    for item in groups["Nonlinear"]:
        assert not METHODS[item["value"]].is_linear


@pytest.mark.parametrize(
    ("component_id", "parameter"),
    [(ids.N_INIT, STARTS), (ids.RANDOM_STATE, SEED), (ids.HELD_OUT, HELD_OUT)],
)
def test_fields_take_their_bounds_from_the_parameter(component_id, parameter):
    field = part(page(), component_id)
    assert (field["min"], field["max"]) == (parameter.minimum, parameter.maximum)
    is_of_table = component_id == ids.HELD_OUT  # empty for what is usual for the table
    assert field["value"] == ("" if is_of_table else parameter.default)
    assert field["allowDecimal"] is not parameter.is_integer


def test_every_parameter_of_a_method_has_a_control():
    fields = {"gamma": ids.GAMMA, "n_init": ids.N_INIT, "random_state": ids.RANDOM_STATE}
    for method in METHODS.values():
        for parameter in method.parameters:
            field = fields.get(parameter.name)
            control = part(page(), field) if field else own_control(method, parameter)
            assert control
            if not field:
                assert control["value"] == parameter.default


def own_control(method, parameter):
    return part(own_settings(method), ids.setting(parameter.name))


# What takes an id, and selectors of elements by theirs.
NAMED_IDS = re.compile(
    r'(?:byId|setProps|propsOf|value|showMessage)\("([\w-]+)"'
    r"|[\"', ]#([a-z][\w-]+)(?=[ ,>:\"])"
)


def test_every_id_that_a_script_addresses_stands_on_the_page():
    asked = {called or selected for called, selected in NAMED_IDS.findall(SCRIPTS)}
    assert {"panels", "drop-zone", "story-list", "compared"} <= asked
    there = {str(each.get("id")) for each in parts(first_page(None), page(), *static_parts())}
    there |= set(re.findall(r'id="([\w-]+)"', PRESENTER_PAGE.read_text()))
    assert asked - there == set()


def test_every_part_that_a_script_fills_is_there():
    asked = set(re.findall(r'\b(?:part|tool)\("([\w-]+)"\)', SCRIPTS))
    numbers = {
        f"{name}-{rows}" for name in ("divergence", "accuracy") for rows in ("training", "held-out")
    }
    in_panel = named(panel_model(), "data-part")
    assert len(asked) > 5
    kinds = ("data-figure", "data-found", "data-talk", "data-drawing")
    assert asked <= {*in_panel, *named(static_parts(), *kinds)}
    assert numbers <= set(in_panel)
    assert len(in_panel) == len(set(in_panel))


def named(tree, *attributes):
    """What the elements of a tree are called in one of these attributes."""
    return [
        props[attribute] for props in parts(tree) for attribute in attributes if attribute in props
    ]


def test_the_page_speaks_calmly():
    assert [text for text in texts(page(), *static_parts()) if "!" in text] == []
