"""The table of faults fits the project: each can be put in, and names a test that exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from lab.mutants.table import MUTANTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "mutant",
    MUTANTS,
    ids=lambda one: f"{one.path}: {one.before}: {one.after}: {one.test.partition('::')[2]}",
)
def test_a_fault_can_be_put_in_and_its_test_exists(mutant):
    assert (ROOT / mutant.path).read_text().count(mutant.before) == 1
    path, _, name = mutant.test.partition("::")
    tree = ast.parse((ROOT / path).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
