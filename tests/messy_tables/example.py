"""A file as people have it, and how it must be read."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

N_ROWS = 48
KIND = ["ripe", "raw"] * (N_ROWS // 2)


@dataclass(frozen=True, eq=False)
class MessyTable:
    """A file and how it must be read.

    Attributes
    ----------
    sentence : str
        How it must be read, for whoever reads these tables.
    file : str
    raw : bytes
    features : tuple of str
        Names of the features, with units.
    classes : mapping of str to int
        How many rows each has.
    shown : tuple of str
        What the page says of it, in notes, warnings and questions.
    asked : tuple of str
        The ids of the questions, in order.
    first : mapping of str to float
        The value of features in the first row that has a class.
    """

    sentence: str
    file: str
    raw: bytes
    features: tuple[str, ...]
    classes: Mapping[str, int] = field(default_factory=lambda: {"raw": 24, "ripe": 24})
    shown: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    first: Mapping[str, float] = field(default_factory=dict)


def numbers(seed: int, low: float = 10, high: float = 90, digits: int = 2) -> list[float]:
    """N_ROWS different numbers."""
    rng = np.random.default_rng(seed)
    return rng.uniform(low, high, N_ROWS).round(digits).tolist()


def text_of(
    header: Sequence[str], *columns: Sequence[object], mark: str = ",", above: str = ""
) -> str:
    """Delimited text, quoted where needed."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter=mark, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return above + written.getvalue()
