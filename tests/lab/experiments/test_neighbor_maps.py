"""The table of maps of neighbors beside planes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.experiments.questions.neighbor_maps import compare


@pytest.mark.slow
def test_every_method_that_is_installed_has_a_share_on_every_data_set(capsys):
    compare(Path("none"), names=["iris"])
    head, _, row, mean = capsys.readouterr().out.splitlines()
    assert head.startswith("| | LDA | PCA | t-SNE |")
    name, *shares = row.strip("| ").split(" | ")
    assert name == "iris"
    assert all(0.8 < float(share) <= 1 for share in shares)
    assert mean == row.replace("iris", "mean")
