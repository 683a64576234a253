"""Docstrings are shown on the site as they are written."""

from __future__ import annotations

import pytest

pytest.importorskip("sphinx", reason="make docs installs it")

from lab.site.docstrings import escaped


def test_text_is_escaped_and_code_and_examples_are_not():
    lines = ["|x| of ``mean_``", "n_ : array (n_,)", "Examples", "--------", ">>> a_ | b"]
    assert escaped(lines) == [
        r"\|x\| of ``mean_``", r"n_ : array (n\_,)", "Examples", "--------", ">>> a_ | b"
    ]  # fmt: skip
