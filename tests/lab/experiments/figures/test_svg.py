from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from lab.experiments.figures.svg import Bars, Line, Panel, Points, picture

SVG = "{http://www.w3.org/2000/svg}"
LINES = np.array([[0.0, 0.0], [1.0, 1.0], [np.nan, np.nan], [2.0, 0.0], [3.0, 1.0]])


def drawn(*panels, **arguments):
    return ET.fromstring(picture(panels, **arguments))  # noqa: S314 - our own text


def test_a_picture_is_well_formed_whatever_its_titles_say():
    root = drawn(Panel("a < b & c", [Points(np.eye(2))]))
    assert "a < b & c" in [text.text for text in root.iter(f"{SVG}text")]


def test_a_gap_divides_a_line():
    path = next(drawn(Panel("", [Line(LINES)])).iter(f"{SVG}path")).attrib["d"]
    assert path.count("M") == 2
    assert "nan" not in path


def test_every_bar_and_every_point_is_drawn():
    root = drawn(Panel("", [Bars(np.arange(5.0), np.arange(4.0)), Points(np.eye(3, 2))]))
    bars, points = (path.attrib["d"] for path in root.iter(f"{SVG}path"))
    assert bars.count("M") == 4
    assert points.count("M") == 3


def test_panels_stand_in_rows():
    panel = Panel("", [Points(np.eye(2))])
    places = [g.attrib["transform"] for g in drawn(*[panel] * 3, n_columns=2).iter(f"{SVG}g")]
    assert places == ["translate(0 0)", "translate(240 0)", "translate(0 180)"]


def test_a_panel_of_one_value_has_a_width():
    assert "nan" not in picture([Panel("", [Points(np.zeros((1, 2)))])])


def test_nothing_to_draw_is_no_picture():
    assert picture([]) == ""
