"""The script of plotly is that of the installed package, without the traces that nothing draws."""

from __future__ import annotations

import re

import plotly.offline
import pytest

from melm_studio.layout.scripts import plotly_script

VERSION = re.compile(r"^\* plotly\.js (?:\(.*\) )?v([\d.]+)$", re.MULTILINE)
REMEDY = "Take the bundle of the installed plotly.js, as CONTRIBUTING.md describes."


def test_its_version_is_that_of_the_installed_package():
    (installed,) = VERSION.findall(plotly.offline.get_plotlyjs()[:400])
    assert VERSION.findall(plotly_script()[:400]) == [installed], REMEDY


@pytest.mark.parametrize("kind", ["scatter", "heatmap", "contour"])
def test_it_has_every_kind_of_trace_that_is_drawn(kind):
    assert f'name:"{kind}"' in plotly_script()


@pytest.mark.parametrize("code", ["eval(", "new Function("])
def test_it_evaluates_no_text(code):
    assert code not in plotly_script()
