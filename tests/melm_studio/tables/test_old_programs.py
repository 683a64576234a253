"""Programs that users downloaded from version 0.1 still run and give the same coordinates."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import read_table
from melm_studio.tables.samples import load_sample

ROOT = Path(__file__).parents[3]
# The template of version 0.1.
PROGRAM = """\
# The coordinates of MELM of iris, as the studio shows them.
#
#     python melm.py{argument} > points.csv
#
# It needs the package melm_core and what that is built on: numpy, scipy, scikit-learn, pandas.

import sys
from pathlib import Path

import numpy as np

from melm_core.datasets import load_sample
from melm_core.preparation import prepare
from melm_core.tables import read_table

table = {table}
data = prepare(table, {label!r}, standardise={standardise!r}{roles})
components = np.array(
    {components!r}
)
coordinates = data.X @ components.T

np.savetxt(sys.stdout, coordinates, delimiter=",", header="component_1,component_2", comments="")
"""
TABLE = b"id,a,b,kind,class\n" + b"".join(
    f"{i},{i % 5},{i * 3 % 7},{'uv'[i % 2]},{'xy'[i % 3 == 0]}\n".encode() for i in range(1, 21)
)


def coordinates(folder, program: str, *arguments: str):
    """What the program prints, run as a user does."""
    file = folder / "melm.py"
    file.write_text(program, encoding="utf-8")
    command = [sys.executable, "-W", "error", str(file), *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return np.loadtxt(StringIO(done.stdout), delimiter=",", skiprows=1)


@pytest.mark.parametrize("standardise", [pytest.param(True, marks=pytest.mark.slow), False])
def test_an_old_program_of_a_sample_prints_the_same_coordinates(tmp_path, standardise):
    components = np.eye(4)[[2, 0]]
    program = PROGRAM.format(
        argument="",
        table="load_sample('iris')",
        label="species",
        standardise=standardise,
        roles="",
        components=components.tolist(),
    )
    expected = prepare(load_sample("iris"), "species", standardize=standardise).X @ components.T
    np.testing.assert_allclose(coordinates(tmp_path, program), expected)


def test_an_old_program_of_an_upload_prints_the_same_coordinates(tmp_path):
    roles = {"id": "feature", "kind": "ignored"}
    components = np.eye(3)[:2]
    program = PROGRAM.format(
        argument=" TABLE.csv",
        table="read_table(Path(sys.argv[1]).read_bytes(), 'table')",
        label="class",
        standardise=True,
        roles=f", roles={roles!r}",
        components=components.tolist(),
    )
    upload = tmp_path / "table.csv"
    upload.write_bytes(TABLE)
    expected = prepare(read_table(TABLE, "table"), "class", roles=roles).X @ components.T
    np.testing.assert_allclose(coordinates(tmp_path, program, str(upload)), expected)


def test_no_other_name_is_found_in_the_former_place():
    with pytest.raises(ImportError, match="load_table"):
        exec("from melm_core.datasets import load_table")  # noqa: S102 - the statement is the claim
