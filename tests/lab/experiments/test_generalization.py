"""The table of held-out planes, from cells that are stored instead of computed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lab.experiments import class_densities
from lab.experiments.generalization import COLUMNS, SETS_OF_AUTO_GAMMA, report
from lab.experiments.held_out import DATA_SETS
from lab.experiments.records import Cell, Record, Settings, write_atomically

VERSIONS = {"python": "3"}
WIDE, OWN = "MELM ledoit-wolf, γ 2.0", "MELM ledoit-wolf, γ 1.0"


def store(folder, table, parameters, accuracy):
    """Write a record as if its cell had been computed, the same in all five folds."""
    path = folder / "cells" / table / Cell(table, dict, parameters).file_name
    record = Record(table, parameters, "", {"folds": [[accuracy]] * 5}, 1.0, "abc", VERSIONS)
    write_atomically(path, json.dumps(vars(record)))


def store_entrant(folder, label, accuracy, *, names=DATA_SETS, repeats=(0,)):
    method, options = COLUMNS[label]
    for repeat in repeats:
        for name in names:
            parameters = {"name": name, "repeat": repeat, "method": method, "options": options}
            store(folder, "generalization", parameters, accuracy)


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def table(folder, number=0):
    made = report(Settings(data=folder / "none", results=folder, computes=False))
    return {(e.row, e.column): e for e in made.sections[number].entries}, made


def test_an_unfinished_repeat_does_not_count(folder):
    store_entrant(folder, OWN, 0.5)
    store_entrant(folder, OWN, 0.9, names=DATA_SETS[:4], repeats=(1,))
    entries, _ = table(folder)
    assert entries[f"{OWN} (1 repeat)", DATA_SETS[0]].value == pytest.approx(0.5)


def test_a_column_of_all_repeats_needs_no_remark(folder):
    store_entrant(folder, OWN, 0.5, repeats=(0, 1, 2))
    entries, _ = table(folder)
    assert entries[OWN, DATA_SETS[0]].value == pytest.approx(0.5)


def test_differences_are_of_the_folds_that_both_have(folder):
    store_entrant(folder, "LDA", 0.5, repeats=(0,))
    store_entrant(folder, "LDA", 0.7, repeats=(1,))
    store_entrant(folder, OWN, 0.6)
    entries, _ = table(folder, number=1)
    less = entries[f"{OWN} (1 repeat)", f"all ({len(DATA_SETS)}), less LDA"]
    assert less.value == pytest.approx(0.1)


def test_an_entrant_that_lacks_a_data_set_has_no_mean(folder):
    store_entrant(folder, "LDA", 0.5)
    store_entrant(folder, OWN, 0.6, names=DATA_SETS[1:])
    entries, _ = table(folder, number=1)
    assert entries[f"{OWN} (1 repeat)", f"all ({len(DATA_SETS)})"].value is None


def test_the_widths_are_compared_in_the_plane_and_by_the_densities_of_the_fit(folder):
    store_entrant(folder, WIDE, 0.8)
    store_entrant(folder, OWN, 0.7)
    for gamma, density_gamma, accuracy in ((1.0, 1.0, 0.9), (2.0, 2.0, 0.6), (2.0, 1.0, 0.95)):
        for name in DATA_SETS:
            widths = {"gamma": gamma, "density_gamma": density_gamma}
            store(folder, "own-densities", {"name": name, "repeat": 0, **widths}, accuracy)
    _, made = table(folder)
    by_column = {}
    for entry in made.sections[3].entries:
        by_column.setdefault(entry.column, []).append(entry.value)
    plane, own, own_of_one_width = by_column.values()
    assert plane[:4] == pytest.approx([0.1, 0.1, len(DATA_SETS), 0])
    assert own[:4] == pytest.approx([-0.3, -0.3, 0, len(DATA_SETS)])
    assert own_of_one_width[:4] == pytest.approx([0.05, 0.05, len(DATA_SETS), 0])


def test_gamma_auto_is_computed_once_and_on_small_tables_only(folder):
    _, made = table(folder)
    full = len(DATA_SETS) * 3
    n_auto = sum(options.get("gamma") == "auto" for _, options in COLUMNS.values())
    n_widths = full * 3
    expected = (len(COLUMNS) - n_auto) * full + n_auto * len(SETS_OF_AUTO_GAMMA) + n_widths
    expected += len(class_densities.cells(Settings()))
    assert made.provenance.n_cells == expected
    assert np.isin(SETS_OF_AUTO_GAMMA, DATA_SETS).all()
