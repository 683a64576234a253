"""Every command runs in a quick form, on small tables of the same form where it reads files.

The fast tests compute one cell of each report, the slow ones all of its quick form.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from lab.experiments import records
from lab.experiments.__main__ import argument_parser
from lab.experiments.data import DATA_SETS
from lab.experiments.records import Settings
from lab.experiments.report import as_markdown, read, write
from lab.experiments.reports import COMPARISONS, REPORTS

N_ROWS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The ten data sets, each of 60 rows in which two of the features separate the classes."""
    folder = tmp_path_factory.mktemp("data")
    stream = np.random.default_rng(0)
    for name in DATA_SETS:
        n_features = 2 if name == "fourclass" else 6
        y = np.arange(N_ROWS) % 2
        X = stream.normal(size=(N_ROWS, n_features))
        X[:, :2] += 1.5 * y[:, None]
        if name == "heart":
            X[:, 1] = X[:, 1] > 0.7  # the sex, which stands for a batch
        table = pd.DataFrame(X).assign(label=np.where(y, 1, -1))
        for ending in ("", "_raw"):
            table.to_csv(folder / f"{name}{ending}.csv", index=False)
    table.rename(columns={"label": "gender"}).to_csv(folder / "metabolites.csv", index=False)
    return folder


def made(name, folder, results):
    make, _ = {**REPORTS, **COMPARISONS}[name]
    return make(Settings(data=folder, results=results, quick=True, n_jobs=1))


@pytest.mark.parametrize("name", REPORTS)
def test_a_cell_of_every_report_is_computed_and_the_others_are_said_to_be_missing(
    name, folder, tmp_path, monkeypatch
):
    every = records._compute_all  # noqa: SLF001 - the only place where the number is known
    monkeypatch.setattr(
        records, "_compute_all", lambda cells, *rest, **more: every(cells[-1:], *rest, **more)
    )
    report = made(name, folder, tmp_path)
    assert report.provenance.n_cells - report.provenance.n_missing == 1
    assert f"{report.provenance.n_cells} cell" in as_markdown(report)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REPORTS, *COMPARISONS])
def test_a_quick_run_computes_every_cell(name, folder, tmp_path):
    report = made(name, folder, tmp_path)
    assert report.provenance.n_cells > 0
    assert report.provenance.n_missing == 0
    assert all(entry.value is not None for s in report.sections for entry in s.entries)
    write(report, tmp_path)
    assert read(tmp_path / f"{name}.json").name == name


# What the command prints where it has worked. The claims of `honesty` have tests of their own.
PRINTED = {
    "optimum --gamma 1 --direct-starts 2 --seeds 1 --only heart --data {data}": "heart",
    "batch --data {data}": "heart by sex",
    "resamples --data {data}": "wine",
    "sparse --data {data}": "heart",
    "rivals --data {data}": "heart",
    "neighbor-maps --data {data}": "heart",
    "published {data}/metabolites.csv": "Q2",
    "multiclass": "iris",
    "rotations --quick": "breast cancer",
    "gem --quick": "random directions",
    "kernel-machines --quick --data {data}": "crescents",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", PRINTED)
def test_every_command_that_prints_its_results_runs(command, folder, capsys):
    words = command.format(data=folder).split()
    arguments = argument_parser().parse_args(words)
    arguments.run(arguments)
    printed = capsys.readouterr().out
    assert PRINTED[command] in printed
    assert any(letter.isdigit() for letter in printed.partition(PRINTED[command])[2])


def test_every_command_is_tried():
    # The list in the help: two spaces of indent, the name, and what it is about.
    lines = re.findall(r"^    ([a-z0-9-]+)", argument_parser().format_help(), flags=re.MULTILINE)
    tried = {command.split()[0] for command in PRINTED} | {*REPORTS, *COMPARISONS}
    # All reports, and the page, are made of them.
    assert set(lines) - tried == {"all", "page", "honesty"}
