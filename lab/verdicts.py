"""Do verdicts come out again elsewhere, and are changes found? `python -m lab.verdicts`.

Makes verdicts of 20 tables here, verifies them in an environment with the lowest numpy and
scikit-learn that the studio allows (a new one, or that of --python), and changes each in four
ways: a cell and a label of the table, the split and the sentence of the verdict, sealed anew.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import sklearn
from sklearn.datasets import load_iris, load_wine

from melm_core.datasets import five_gaussians, pure_noise, two_gaussians
from melm_studio.analyses.verdict_file import FILE_NAME, seal_of
from melm_studio.programs.client import StudioClient
from melm_studio.programs.own_process import studio_in_this_process
from melm_studio.programs.verify_verdict import State, verified

ROOT = Path(__file__).parents[1]
_FOLDER = ROOT / "build" / "verdicts"
_LOWEST = ("numpy==1.26.*", "scikit-learn==1.5.*")
N_TABLES = 20
METHODS = ("melm", "lda", "pca", "rotations", "gem")
LABEL, TABLE = "kind", "table.csv"
MOST_ROWS, MOST_FEATURES = 60, 6


def main() -> None:
    """Print how many verdicts come out again, and how many changes of each kind are found."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m lab.verdicts")
    parser.add_argument("--python", type=Path, help="interpreter of another environment")
    parser.add_argument("--tables", type=int, default=N_TABLES, help="number of tables (20)")
    parser.add_argument("--verify", action="store_true", help="verify those that were made")
    options = parser.parse_args()
    if options.verify:
        _verify()
        return
    shutil.rmtree(_FOLDER, ignore_errors=True)
    for number in range(options.tables):
        _make(number)
    python = options.python or _lowest(ROOT / "build" / "lowest-of-verdicts")
    command: list[str | Path] = [python.absolute(), "-m", "lab.verdicts", "--verify"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def _make(number: int) -> None:
    """Write a table with its verdict, and the two with each change."""
    table, method = _table(number), METHODS[number % len(METHODS)]
    with studio_in_this_process() as client:
        verdict = _verdict(client, table, method, number)
    rng = np.random.default_rng(number)
    for name, change in CHANGES.items():
        other, changed = change(table, verdict, rng)
        folder = _FOLDER / f"{number:02d}" / name
        folder.mkdir(parents=True)
        other.to_csv(folder / TABLE, index=False)
        (folder / FILE_NAME).write_text(json.dumps(changed), encoding="utf-8")


def _verify() -> None:
    """Count, of each kind, the tables whose differing lines are those that must differ."""
    print(f"numpy {np.__version__}, scikit-learn {sklearn.__version__}", flush=True)
    found: Counter[str] = Counter()
    for number, folder in enumerate(sorted(_FOLDER.iterdir()), 1):
        for name, line in LINES.items():
            raw, table = ((folder / name / file).read_bytes() for file in (FILE_NAME, TABLE))
            differing = {
                one.name: one.words
                for one in verified(raw, table, TABLE)
                if one.state is State.DIFFERS
            }
            found[name] += line in differing if line else not differing
            if not line and differing:
                print(f"{folder.name} differs: {differing}", flush=True)
        told = ", ".join(f"{name} {n}" for name, n in found.items())
        print(f"Of {number}: {told}", flush=True)


def _lowest(folder: Path) -> Path:
    venv.create(folder, clear=True)
    python = folder / "bin" / "python"
    install: list[str | Path] = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
    ]
    requirements = ROOT / "requirements" / "studio.in"
    subprocess.run([*install, "-r", requirements, *_LOWEST], check=True)
    return python


def _verdict(client: StudioClient, table: pd.DataFrame, method: str, seed: int) -> dict[str, Any]:
    source = {**client.upload(table.to_csv(index=False).encode(), TABLE), "label": LABEL}
    run = client.start(source, method, {"random_state": seed})
    client.checked(client.finished(run.id).id)
    values: dict[str, Any] = msgspec.json.decode(client.verdict(run.id))
    return values


def _table(number: int) -> pd.DataFrame:
    """Real ones and simulated ones, with missing numbers, categories and groups among them."""
    rng = np.random.default_rng(number)
    makers: tuple[Callable[[], tuple[Any, Any]], ...] = (
        lambda: load_wine(return_X_y=True),
        lambda: pure_noise(n_rows=80, n_features=6, n_classes=2, random_state=number),
        lambda: two_gaussians(number),
        lambda: load_iris(return_X_y=True),
        lambda: five_gaussians(number),
    )
    X, y = makers[(number + number // len(METHODS)) % len(makers)]()
    kept = rng.permutation(len(y))[:MOST_ROWS]
    X, y = X[kept, :MOST_FEATURES], y[kept]
    X = X + rng.normal(scale=0.3 * np.std(X, axis=0), size=X.shape)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    if number % 3 == 1:
        table.loc[rng.choice(len(y), 3, replace=False), "x1"] = np.nan
    if number % 4 == 2:
        table["color"] = rng.choice(["blue", "green", "red"], len(y))
    if number % 5 == 3:
        table["patient"] = [f"P{i // 2:03d}" for i in range(len(y))]
    table[LABEL] = [f"class {code}" for code in y]
    return table


def _other_cell(table: pd.DataFrame, verdict: dict[str, Any], rng: np.random.Generator) -> Any:
    row = int(rng.integers(len(table)))
    changed = table["x0"].to_numpy(copy=True)
    changed[row] += 0.01 * changed.std()
    return table.assign(x0=changed), verdict


def _other_label(table: pd.DataFrame, verdict: dict[str, Any], rng: np.random.Generator) -> Any:
    labels, row = table[LABEL].to_list(), int(rng.integers(len(table)))
    labels[row] = next(name for name in labels if name != labels[row])
    return table.assign(**{LABEL: labels}), verdict


def _other_split(table: pd.DataFrame, verdict: dict[str, Any], _: Any) -> Any:
    seed = verdict["parameters"]["random_state"] + 1
    return table, _sealed(verdict | {"parameters": verdict["parameters"] | {"random_state": seed}})


def _other_sentence(table: pd.DataFrame, verdict: dict[str, Any], _: Any) -> Any:
    words = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), verdict["sentence"], count=1)
    return table, _sealed(verdict | {"sentence": words})


def _sealed(verdict: dict[str, Any]) -> dict[str, Any]:
    return verdict | {"seal": seal_of(verdict)}


# What is changed, and the line that is to say so.
CHANGES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "verified": lambda table, verdict, _: (table, verdict),
        "changed cells found": _other_cell,
        "changed labels found": _other_label,
        "changed splits found": _other_split,
        "changed sentences found": _other_sentence,
    }
)
LINES = dict(zip(CHANGES, ("", "table.columns", "table.labels", "split", "sentence"), strict=True))


if __name__ == "__main__":
    main()
