"""The size of the house is counted as it says."""

from __future__ import annotations

import pytest

from lab.sizes import main, sizes


@pytest.fixture
def house(tmp_path):
    files = {
        "app.py": '"""Whether it runs."""\n',
        "melm_core/__init__.py": '"""Numbers."""\n\n__all__ = ["one", "two"]\n',
        "melm_core/evaluation/__init__.py": "",
        "melm_core/sums.py": "def total(own, rows):\n    found = own + rows\n    return found\n",
        "assets/page.mjs": "let found;\n",
        "assets/lib.bundle.mjs": "let minified;\n",
        "assets/page.css": "a {\n}\n",
        "tests/test_sums.py": "found = 1\n",
        "docs/explore.md": "three words here\n",
        "docs/results/table.md": "of a command\n",
        "README.md": "two words\n",
        "CONTRIBUTING.md": "",
        "CHANGELOG.md": "# 0.1.0\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_house_of_few_files_has_the_sizes_that_one_counts_by_hand(house):
    assert sizes(house) == {
        "lines of Python": 1 + 3 + 3,
        "lines of scripts": 1,
        "lines of styles": 2,
        "modules": 4,
        "lines of tests": 1,
        "words of README, CONTRIBUTING, docs": 5,
        "words of pages that commands write": 3,
        "lines of CHANGELOG": 1,
        "public names of melm_core": 2,
        "public names of evaluation": 0,
        "vague names of variables": 2,
        "docstrings that begin with a question": 1,
    }


def test_every_size_of_today_is_printed():
    lines: list[str] = []
    main([], lines.append)
    assert len(lines) == 1 + 12
    assert all(int(line[40:].replace(",", "")) > 0 for line in lines[1:])
