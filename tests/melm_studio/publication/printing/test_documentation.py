"""The examples of the documentation run."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

from melm_studio.publication import estimator_figure, style
from melm_studio.publication.printing import draw, names

PAGE = Path(__file__).parents[4] / "docs" / "figures-for-print.md"


@pytest.mark.slow
def test_the_example_of_the_page_saves_a_figure(tmp_path, monkeypatch):
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text(code)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script))
    assert (tmp_path / "wine.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("module", [estimator_figure, draw, names, style])
def test_the_examples_of_docstrings_print_what_they_say(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
