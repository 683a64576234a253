"""What a table means, of files that were read wrongly once, and of others of their kinds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from lab.driver.launcher import running_studio
from lab.experiments.records import DEFAULT_DATA
from melm_studio.programs.client import StudioClient
from melm_studio.tables import NO_LABEL, prepare, read_table
from melm_studio.tables.labeled_data import LabeledData

HERE = Path(__file__).parents[1]
HANDED = DEFAULT_DATA.parent / "handed"
needs_handed = pytest.mark.skipif(
    not HANDED.is_dir(), reason="The files and scripts are not in ../shared/handed."
)


class Meaning(NamedTuple):
    """What a file is to be read as: its features are not checked where there are none here."""

    label: str
    n_rows: int
    features: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


FILES = {
    "alias_of_label.csv": Meaning("class", 60, tuple("vwxyz"), ("twin:treatment_name",)),
    "attrition.csv": Meaning("Attrition", 80, ("Age", "Dept = S", "Level", "YearsWithBoss")),
    "axis_in_two_units.csv": Meaning(
        NO_LABEL, 30, asked=("subjects:subject in Sample/Wavelength (nm)", "header")
    ),
    "features_and_labels.zip": Meaning("class", 40, ("a", "b", "c")),
    "headerless_text.data": Meaning("column 6", 50),
    "id_repeats_number.data": Meaning(
        "column 6", 90, tuple(f"column {at}" for at in (2, 3, 4, 5)), ("subjects:column 1", "label")
    ),
    "labels_plural.csv": Meaning("labels", 66, tuple("123456"), ("subjects:column 1",)),
    "orange_three_rows.tab": Meaning("kind of thing", 40, ("alpha", "beta", "gamma")),
    "quality_controls.csv": Meaning("Class", 50, ("M1", "M2", "M3", "M4", "M5"), ("controls",)),
    "r_write_table.csv": Meaning(
        "grade", 40, ("yield", *(f"NIR.{nm}" for nm in (900, 902, 904, 906, 908)))
    ),
    "records.json": Meaning("species", 40, ("size", "mass", "depth")),
    "sparse.libsvm": Meaning("label", 40, ("feature 1", "feature 2", "feature 3")),
    "spectra_in_columns.csv": Meaning(
        "group", 16, tuple(str(nm) for nm in range(900, 980, 2)), ("label", "samples")
    ),
    "survey_three_headers.csv": Meaning("Arm", 40, ("Q1", "Q2")),
    "taxa_without_label.tsv": Meaning(
        NO_LABEL, 120, tuple(f"k__B;p__{at}" for at in range(12)), ("samples",)
    ),
    "wide_counts.tsv": Meaning(NO_LABEL, 12, asked=("samples",)),
}

_STREAM = np.random.default_rng(7)
_CELLS = _STREAM.normal(size=(60, 4)).round(3)
_AT = np.arange(60)


def _text(header: str, *columns: Sequence[object]) -> bytes:
    rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([header, *rows]).encode()


def _code_beside_words() -> tuple[str, bytes, Meaning]:
    arm = np.array(["placebo", "low dose", "high dose"])[_AT % 3]
    raw = _text("p,q,r,arm,arm_no", *_CELLS.T[:3], arm, _AT % 3 + 11)
    return "trial.csv", raw, Meaning("arm", 60, ("p", "q", "r"), ("twin:arm_no",))


def _answer_before_counts() -> tuple[str, bytes, Meaning]:
    churn = np.array(["no", "yes"])[_STREAM.permutation(_AT % 2)]
    raw = _text("tenure,Churned,calls,years", *_CELLS.T[:1], churn, _CELLS.T[1], _AT % 7)
    return "customers.csv", raw, Meaning("Churned", 60, ("tenure", "calls", "years"))


def _plural_label() -> tuple[str, bytes, Meaning]:
    raw = _text("classes,1,2,3", np.array(["u", "v", "w"])[_AT % 3], *_CELLS.T[:3])
    return "spots.csv", raw, Meaning("classes", 60, ("1", "2", "3"))


def _pools_among_classes() -> tuple[str, bytes, Meaning]:
    group = np.where(_AT >= 50, "pool", np.array(["case", "control"])[_AT % 2])
    raw = _text("group,M1,M2,M3", group, *_CELLS.T[:3])
    return "serum.csv", raw, Meaning("group", 50, ("M1", "M2", "M3"), ("controls",))


def _channels_without_label() -> tuple[str, bytes, Meaning]:
    cells = _STREAM.poisson(3.0, size=(60, 8))
    names = ",".join(f"otu_{at}" for at in range(8))
    raw = _text(f"sample,{names}", [f"S{at}" for at in _AT], *cells.T)
    return "counts.csv", raw, Meaning(
        NO_LABEL, 60, tuple(f"otu_{at}" for at in range(8)), ("samples",)
    )  # fmt: skip


def _numbered_patients() -> tuple[str, bytes, Meaning]:
    patient = 700_001 + 37 * (_AT // 2)
    raw = _text("patient_number,p,q,r,diagnosis", patient, *_CELLS.T[:3], _AT // 2 % 2)
    return "visits.csv", raw, Meaning("diagnosis", 60, ("p", "q", "r"))


KINDS: tuple[Callable[[], tuple[str, bytes, Meaning]], ...] = (
    _code_beside_words,
    _answer_before_counts,
    _plural_label,
    _pools_among_classes,
    _channels_without_label,
    _numbered_patients,
)


def check(data: LabeledData, wanted: Meaning) -> None:
    assert (data.label, len(data.X)) == wanted[:2]
    assert data.feature_names == (wanted.features or data.feature_names)
    assert {one.id for one in data.questions} >= {*wanted.asked}
    assert "made" not in {one.id for one in data.questions}  # of none is it true


@needs_handed
@pytest.mark.parametrize("name", FILES)
def test_a_file_means_what_is_expected_of_it(name):
    data = prepare(read_table((HANDED / "files" / name).read_bytes(), name))
    check(data, FILES[name])
    if wanted := FILES[name].asked:
        assert [one.id for one in data.questions] == [*wanted]
    else:
        assert data.questions == ()


@needs_handed
def test_every_file_is_tried():
    found = {file.name for file in (HANDED / "files").iterdir()} - {"expected.json"}
    assert found == set(FILES)


@pytest.mark.parametrize("kind", KINDS)
def test_others_of_a_kind_mean_the_same(kind):
    file, raw, wanted = kind()
    check(prepare(read_table(raw, file)), wanted)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with running_studio(tmp_path_factory.mktemp("studio")) as studio:
        # The scripts ask once: the first file waits for the process that reads it.
        client = StudioClient(studio.url)
        client.prepare(client.upload(_code_beside_words()[1], "first.csv"))
        yield studio.url


@needs_handed
@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("letter", "abcdefghijk")
def test_a_script_finds_nothing_that_fails(letter, address, tmp_path):
    (script,) = shutil.copytree(HANDED, tmp_path / "handed").glob(f"scripts/{letter}_*.py")
    driver = script.parents[1] / "browser.py"  # which names the folders of its time
    text = driver.read_text(encoding="utf-8").replace("tools.driver", "lab.driver")
    driver.write_text(text.replace("tools/find", "lab/setup/find"), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(HERE), "STUDIO": address}
    done = subprocess.run(
        [sys.executable, script], cwd=HERE, env=environment, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout
