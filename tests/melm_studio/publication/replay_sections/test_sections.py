"""Sections of a replay hold all that they show, and no name in them is markup."""

from __future__ import annotations

import re

import numpy as np
import pytest

import melm_studio.publication.run_replay as section_module
from lab.driver.traces import points
from melm_studio.analyses.tree import Height, NamedBranch, TreeArrays
from melm_studio.publication.run_replay import (
    ResamplesSection,
    TreeSection,
    most_planes,
    resamples_html,
    tree_html,
)
from tests.melm_studio.planes.views import unpacked, view_of

NASTY = "</script><script>alert(1)</script>"
VIEWS = [view_of(2, skewed=odd) for odd in (False, True, False, True)]
ARRAYS = TreeArrays(
    gammas=np.array([2.0, 1.0]),
    widths=np.array([0, 1, 1]),
    heights=np.array([0.9, 0.8, 0.6]),
    narrowing=np.array([1, -1, -1]),
    widening=np.array([-1, 0, -1]),
    branches=((0, 1), (2,)),
    named={"A": (0, 1)},
    noise=np.empty((0, 2)),
    words=("first", "second", NASTY),
)


def data_of(section: str):
    (written,) = re.findall(r'<script type="text/plain">(.*?)</script>', section, re.S)
    return unpacked(written)


@pytest.fixture(scope="module")
def resamples() -> str:
    section = ResamplesSection(NASTY, NASTY, VIEWS, 2, (NASTY, "Resample 2"), VIEWS[0])
    return resamples_html(section)


@pytest.fixture(scope="module")
def tree() -> str:
    branch = NamedBranch("A", NASTY, (0, 1), 0)
    views = dict(enumerate(VIEWS[:3]))
    section = TreeSection(NASTY, (NASTY,), ARRAYS, Height.ACCURACY, (branch,), views)
    return tree_html(section, 2)


def test_names_are_text_in_every_section(resamples, tree):
    for section in (resamples, tree):
        assert NASTY not in section
        assert section.count("<script") == 1


def test_resamples_side_by_side_are_planes_of_the_loop_and_the_one_they_agree_on(resamples):
    data = data_of(resamples)
    assert data["loop"] == 4
    assert [at for at, _ in data["stills"]] == [4, 0, 2]
    for planes, view in zip(data["planes"], (*VIEWS, VIEWS[0]), strict=True):
        n_contours = 3 * len(view.classes)
        train = points(planes["traces"][n_contours])
        np.testing.assert_allclose(train, view.classes[0].train, atol=1e-3)


def test_every_plane_of_the_tree_has_its_mark_and_branches_lead_through_planes_in_the_file(tree):
    data = data_of(tree)
    assert [mark["x"] for mark in data["marks"]] == [np.log10(2.0), 0.0, 0.0]
    assert data["marks"][2]["words"] == NASTY
    assert data["branches"] == [[0, 1]]
    assert len(data["planes"]) == len(data["marks"])


def test_the_chart_of_the_tree_spans_its_widths_and_heights_in_both_schemes(tree):
    data = data_of(tree)
    charts = data["charts"]
    assert set(charts) == {"light", "dark"}
    for chart in charts.values():
        (left, right), (low, high) = chart["range"], chart["values"]
        for trace in chart["traces"]:
            assert all(left <= x <= right for x in trace["x"] if x is not None)
        assert all(low <= mark["y"] <= high for mark in data["marks"])
        assert chart["ticks"]["ticktext"] == [f"{10**x:g}" for x in chart["ticks"]["tickvals"]]


@pytest.mark.slow
def test_planes_of_many_classes_are_fewer_so_that_a_file_can_be_sent(monkeypatch):
    monkeypatch.setattr(section_module, "SECTION_BYTES", 400_000)
    few, many = most_planes(VIEWS[0]), most_planes(view_of(8))
    assert 1 < many < few
    section = ResamplesSection("", "", VIEWS[:1] * few, 1, (), None)
    assert len(resamples_html(section)) < 1.2 * 400_000
