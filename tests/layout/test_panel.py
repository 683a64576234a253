"""A panel names its run in everything that acts on it."""

from __future__ import annotations

from layout.panel import panel, teaching_panel
from tests.layout.trees import parts, texts

RUN = "r-1"


def test_a_panel_names_its_run_once_for_the_script():
    assert [p["data-run"] for p in parts(panel(RUN, "MELM", "Iris")) if "data-run" in p] == [RUN]


def test_a_panel_is_headed_by_its_title_and_described_with_its_data():
    shown = panel(RUN, "MELM, γ 1", "Iris")
    assert texts(shown)[0] == "MELM, γ 1"
    assert parts(shown)[0]["aria-label"] == "MELM, γ 1, Iris"


def test_a_panel_has_buttons_that_stop_and_remove_its_run():
    named = {props.get("data-part") for props in parts(panel(RUN, "MELM", "Iris"))}
    assert {"stop", "remove", "check", "surface"} <= named


def test_a_panel_offers_its_points_and_components():
    links = [props["href"] for props in parts(panel(RUN, "MELM", "Iris")) if "href" in props]
    files = ("points.csv", "components.csv", "model.json", "script.py", "replay.html")
    assert links == [f"/runs/{RUN}/{file}" for file in files]


def test_a_curved_picture_offers_no_linear_map():
    curved = panel(RUN, "Kernel PCA", "Iris", is_linear=False)
    links = [props["href"] for props in parts(curved) if "href" in props]
    assert links == [f"/runs/{RUN}/{file}" for file in ("points.csv", "replay.html")]
    assert not [props for props in parts(curved) if props.get("data-part") == "refine"]


def test_everything_that_is_pressed_has_a_name():
    for props in parts(panel(RUN, "MELM", "Iris")):
        if props.get("type") == "button":
            children = props.get("children")
            shown = children if isinstance(children, list) else [children]
            assert props.get("aria-label") or any(isinstance(child, str) for child in shown)


def test_panels_of_two_runs_are_told_apart():
    keys = {parts(panel(run, "MELM", "Iris"))[0]["key"] for run in ("r-1", "r-2")}
    assert keys == {"r-1", "r-2"}


def test_markup_in_a_name_is_text():
    markup = "<b>x</b>"
    carriers = [
        name
        for props in parts(panel(RUN, markup, markup))
        for name, value in props.items()
        if isinstance(value, str) and "<" in value
    ]
    assert set(carriers) == {"aria-label", "children"}


def test_the_empty_stage_says_what_to_press():
    assert any("Press Run" in text for text in texts(teaching_panel()))
