"""The lists of docs/results are those of the code, and the page on reliability names real tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.lists.__main__ import FOLDER, LISTS
from lab.lists.marked_tests import as_sentence, marked, page

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_what_the_code_says(name):
    assert (FOLDER / name).read_text() == LISTS[name](), "python -m lab.lists"


def test_a_marked_test_is_listed_as_a_sentence_and_another_is_not(tmp_path):
    module = tmp_path / "tests" / "test_toy.py"
    module.parent.mkdir()
    module.write_text(
        '"""Toys."""\n\n@pytest.mark.slow\n@pytest.mark.fault\n'
        "def test_a_toy_s_ctrl_c_takes_10_s():\n    ...\n\ndef test_another():\n    ...\n"
    )
    assert marked(module, "fault") == ["test_a_toy_s_ctrl_c_takes_10_s"]
    assert as_sentence(*marked(module, "fault")) == "A toy's Ctrl-C takes 10 s."
    text = page("fault", module.parent)
    assert text.endswith("## Toys\n\n`tests/test_toy.py`\n\n- A toy's Ctrl-C takes 10 s.\n")
    assert "1 in all" in text


def test_every_test_that_the_page_names_exists():
    text = (ROOT / "docs" / "reliability.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert named
    for file, test in named:
        assert not test or f"def {test}(" in (ROOT / file).read_text(), f"{file}::{test}"
