"""The sample tables included in the studio."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

from melm_core.base import FloatArray, IntArray
from melm_core.datasets import (
    batches,
    crescents,
    five_gaussians,
    five_mixtures,
    masked_gaussians,
    moderation,
    pure_noise,
)
from melm_studio.tables.questions import INDEPENDENT, NEIGHBORS
from melm_studio.tables.read import Table


@dataclass(frozen=True)
class Sample:
    """A sample table, and one sentence about it."""

    key: str
    label: str
    explanation: str


SAMPLES: Mapping[str, Sample] = MappingProxyType(
    {
        sample.key: sample
        for sample in (
            Sample("iris", "Iris", "150 flowers of 3 iris species, described by 4 measurements."),
            Sample("wine", "Wine", "178 Italian wines of 3 cultivars, described by 13 analyses."),
            Sample(
                "mislabeled_wine",
                "Mislabeled wine",
                "178 Italian wines, 10 of them with the label of another cultivar than their name "
                "says.",
            ),
            Sample(
                "breast_cancer",
                "Breast cancer",
                "569 breast tumors, malignant or benign, described by 30 features of cell nuclei.",
            ),
            Sample(
                "digits",
                "Digits",
                "1,797 handwritten digits in 10 classes, described by the gray of 64 pixels.",
            ),
            Sample(
                "five_gaussians",
                "Five Gaussians",
                "1,580 rows of 5 Gaussian classes in 20 dimensions, after the rotations paper.",
            ),
            Sample(
                "five_mixtures",
                "Five mixtures",
                "1,595 rows of 5 classes in 10 dimensions, two Gaussians each, from that paper.",
            ),
            Sample(
                "masked_gaussians",
                "Masked Gaussians",
                "600 rows of 4 Gaussian classes in 12 dimensions, whose largest variance says "
                "nothing of the classes.",
            ),
            Sample(
                "crescents",
                "Crescents",
                "300 rows in two interlocking crescents in the plane.",
            ),
            Sample(
                "moderation",
                "Moderation",
                "400 drawn people, well where they do neither too little nor too much, described "
                "by 8 measurements.",
            ),
            Sample(
                "batches",
                "Three batches",
                "900 rows of 2 classes in 12 dimensions, measured in 3 batches that drift.",
            ),
            Sample(
                "pure_noise",
                "Pure noise",
                "60 rows of 50 random numbers in 3 meaningless classes: any separation of the "
                "training rows is not real.",
            ),
        )
    }
)
LABEL_NAMES = {
    "iris": "species",
    "wine": "cultivar",
    "mislabeled_wine": "cultivar",
    "breast_cancer": "diagnosis",
    "digits": "digit",
}
# Samples drawn at random, with a fixed seed.
_DRAWN: Mapping[str, Callable[[], tuple[FloatArray, IntArray]]] = MappingProxyType(
    {
        "five_gaussians": lambda: five_gaussians(0),
        "five_mixtures": lambda: five_mixtures(0),
        "masked_gaussians": lambda: masked_gaussians(0),
        "crescents": lambda: crescents(0),
        "moderation": lambda: moderation(0),
        "pure_noise": lambda: pure_noise(random_state=0),
    }
)
# The features and classes of drawn samples that have names of their own.
_NAMES = MappingProxyType(
    {
        "moderation": (
            ("sleep", "food", "work", "exercise", "age", "weight", "height", "pulse"),
            ("unwell", "well"),
        )
    }
)
# Every row is another flower, wine, tumor, drawing or draw, whatever the order of the file.
_INDEPENDENT = MappingProxyType({NEIGHBORS: INDEPENDENT})
N_MISLABELED = 10
CULTIVARS = ("Barolo", "Grignolino", "Barbera")  # scikit-learn numbers them


def load_sample(key: str) -> Table:
    """Return a sample as `read_table` would; the label is the last column.

    Raises
    ------
    ValueError
        If there is no sample with this key.
    """
    if key not in SAMPLES:
        raise ValueError(f"There is no sample {key!r}. Choose one of {', '.join(SAMPLES)}.")
    if key in _DRAWN:
        return _drawn_table(key)
    if key == "batches":
        return _batches()
    if key == "mislabeled_wine":
        return _mislabeled_wine()
    bunch = getattr(sklearn_datasets, f"load_{key}")(as_frame=True)
    classes = CULTIVARS if key == "wine" else [str(name) for name in bunch.target_names]
    frame = bunch.data.astype(np.float64)
    frame[LABEL_NAMES[key]] = bunch.target.map(dict(enumerate(classes))).astype("str")
    return Table(SAMPLES[key].label, frame, (), answers=_INDEPENDENT)


def _drawn_table(key: str) -> Table:
    frame = _named_columns(key, *_DRAWN[key]())
    return Table(SAMPLES[key].label, frame, (), answers=_INDEPENDENT)


def _named_columns(key: str, X: FloatArray, y: IntArray) -> pd.DataFrame:
    features, classes = _NAMES.get(key) or (
        [f"x{index}" for index in range(1, X.shape[1] + 1)],
        [f"class {code}" for code in range(1, int(y.max()) + 2)],
    )
    frame = pd.DataFrame(X, columns=list(features))
    frame["class"] = np.array(classes)[y]
    return frame


def _batches() -> Table:
    X, y, batch = batches(0, drift=3.0)
    table = _named_columns("batches", X, y)
    table.insert(X.shape[1], "batch", np.array(["first", "second", "third"])[batch])
    return Table(SAMPLES["batches"].label, table, (), answers=_INDEPENDENT)


def mislabeled_rows() -> IntArray:
    """Return the rows of the sample of that name that have a wrong label, counted from 1."""
    return _wrong_labels()[0]


def _mislabeled_wine() -> Table:
    """Wines whose names say their cultivars, as 10 of the labels do not."""
    frame = load_sample("wine").frame
    label = LABEL_NAMES["mislabeled_wine"]
    codes = np.array([CULTIVARS.index(name) for name in frame[label]])
    names = [f"{name} {row}" for row, name in enumerate(frame[label], start=1)]
    frame.insert(0, "wine", pd.Series(names, dtype="str"))
    rows, steps = _wrong_labels()
    codes[rows - 1] = (codes[rows - 1] + steps) % len(CULTIVARS)
    frame[label] = pd.Series(np.array(CULTIVARS)[codes], dtype="str")
    return Table(SAMPLES["mislabeled_wine"].label, frame, (), answers=_INDEPENDENT)


def _wrong_labels() -> tuple[IntArray, IntArray]:
    """The rows, counted from 1, and how many cultivars further their labels are."""
    stream = np.random.default_rng(2)
    rows = stream.choice(178, N_MISLABELED, replace=False) + 1
    return rows, stream.integers(1, len(CULTIVARS), N_MISLABELED)
