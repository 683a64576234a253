"""The drawings of MNIST from files that a person has: idx, npz or a table; never downloaded."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np

from lab.experiments import data
from lab.experiments.data import DataSet
from melm_core.base import IntArray

# As LeCun's page and its copies name them; each also with .gz.
_IMAGES = ("train-images-idx3-ubyte", "train-images.idx3-ubyte")
_LABELS = ("train-labels-idx1-ubyte", "train-labels.idx1-ubyte")
_NPZ = "mnist.npz"  # of Keras, with x_train and y_train
_UNSIGNED_BYTES = 8  # the type of the numbers, in the third byte of an idx file
_HEAD = 4


def find(folder: Path) -> Path | None:
    """The file of the drawings that `load` would read; None if there is none."""
    own = (path for path in [folder / _NPZ, *_named(folder, _IMAGES)] if path.is_file())
    return next(own, None) or data.find(folder, "mnist")


def load(folder: Path) -> DataSet:
    """Load the training drawings, a row each, of gray from 0 to 255.

    Parameters
    ----------
    folder : Path
        With `mnist.npz` as Keras has it, or `train-images-idx3-ubyte` and
        `train-labels-idx1-ubyte`, with or without .gz; or a table as `experiments.data` reads it.

    Raises
    ------
    FileNotFoundError
        If there are no such files.
    ValueError
        If they are not in that format, or drawings and labels differ in number.
    """
    drawings = find(folder)
    if drawings is None:
        raise FileNotFoundError(
            f"MNIST is not in {folder}, which has none of {_NPZ}, {_IMAGES[0]} and mnist.csv. Add "
            "one of these files, or pass another folder with --data."
        )
    if drawings.name == _NPZ:
        with np.load(drawings, allow_pickle=False) as file:
            return _data_set(drawings, file["x_train"], file["y_train"])
    if drawings.name.removesuffix(".gz") not in _IMAGES:
        return data.read(drawings)
    labels = next((path for path in _named(folder, _LABELS) if path.is_file()), None)
    if labels is None:
        raise FileNotFoundError(
            f"{drawings.name} has no labels beside it: {folder} has no {_LABELS[0]}. Add it."
        )
    return _data_set(drawings, read_idx(drawings), read_idx(labels))


def read_idx(path: Path) -> IntArray:
    """Read the array of unsigned bytes in an idx file, which may be compressed by gzip.

    Raises
    ------
    ValueError
        If the file is of another format, or not as long as its head says.
    """
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    if len(raw) < _HEAD or raw[:2] != b"\0\0" or raw[2] != _UNSIGNED_BYTES:
        raise ValueError(f"{path.name} is no idx file of unsigned bytes. Add the original file.")
    n_dimensions = raw[3]
    start = _HEAD + 4 * n_dimensions
    shape = [int.from_bytes(raw[at : at + 4], "big") for at in range(_HEAD, start, 4)]
    if len(raw) != start + math.prod(shape):
        raise ValueError(
            f"{path.name} has {len(raw)} bytes, and its head says {start + math.prod(shape)}. "
            "Add the whole file."
        )
    return np.frombuffer(raw, np.uint8, offset=start).reshape(shape).astype(np.int64)


def _named(folder: Path, names: tuple[str, ...]) -> list[Path]:
    return [folder / f"{name}{ending}" for name in names for ending in ("", ".gz")]


def _data_set(path: Path, drawings: IntArray, labels: IntArray) -> DataSet:
    if labels.ndim != 1 or drawings.ndim < 2 or len(drawings) != len(labels):
        raise ValueError(
            f"{path.name} has drawings of shape {drawings.shape} and labels of shape "
            f"{labels.shape}. There must be a label for each drawing."
        )
    X = np.asarray(drawings, np.float64).reshape(len(labels), -1)
    return DataSet(X, np.asarray(labels, np.int64))
