"""Draw the trees of planes of the documentation, and print what they say.

`python -m lab.plane_trees DATA` grows the trees of wine, of splice (whose file is in the folder
DATA) and of two crescents among noise, prints them, and writes docs/pictures/plane-trees.png.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from melm_core.base import FloatArray, IntArray
from melm_core.datasets import crescents
from melm_core.melm import PlaneTree, plane_tree
from melm_studio.analyses.tree import (
    TREE,
    Height,
    TreeReport,
    contrast_sentence,
    named_branches,
    report_of_tree,
    tree_arrays,
)
from melm_studio.publication.printing.draw import TreePanel, print_trees

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "plane-trees.png"
_SIZE_MM = (240.0, 75.0)
_N_NOISE = 8


def main() -> None:
    """Grow, print and draw the trees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of splice.csv")
    panels = []
    for name, X, y in _tables(parser.parse_args().data):
        report = _report(X, y)
        n_classes = len(np.unique(y))
        arrays, height = tree_arrays(report, n_classes, Height.ACCURACY)
        panels.append(TreePanel(name, arrays, height, 1 / n_classes))
        _print(name, report, n_classes)
    PICTURE.write_bytes(print_trees(panels, _SIZE_MM, "png"))


def _tables(folder: Path) -> Iterator[tuple[str, FloatArray, IntArray]]:
    wine = load_wine()
    yield "wine", wine.data, wine.target
    splice = pd.read_csv(folder / "splice.csv")
    yield "splice", splice.drop(columns="label").to_numpy(dtype=float), splice["label"].to_numpy()
    yield "two crescents among eight features of noise", *_crescents()


def _crescents() -> tuple[FloatArray, IntArray]:
    X, y = crescents(0)
    noise = np.random.default_rng(0).standard_normal((len(X), _N_NOISE))
    return np.hstack([X, noise]), y


def _report(X: FloatArray, y: IntArray) -> TreeReport:
    train, held_out, y_train, y_held_out = train_test_split(
        X, y, test_size=0.25, stratify=y, random_state=0
    )
    scaler = StandardScaler().fit(train)
    found: PlaneTree = plane_tree(
        scaler.transform(train), y_train, held_out=(scaler.transform(held_out), y_held_out)
    )
    return report_of_tree(found)


def _print(name: str, report: TreeReport, n_classes: int) -> None:
    print(f"{name}: {TREE.sentence(report, is_final=True)} {contrast_sentence(report)}")
    counts = np.bincount([plane.width for plane in report.planes], minlength=len(report.gammas))
    print(
        "  optima:", ", ".join(f"{n} at {g:g}" for g, n in zip(report.gammas, counts, strict=True))
    )
    for branch in named_branches(report, n_classes):
        print(f"  {branch.letter}  {branch.words}")


if __name__ == "__main__":
    main()
