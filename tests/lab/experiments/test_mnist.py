"""MNIST from small files of the same form."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from lab.experiments import mnist

DRAWINGS = np.random.default_rng(0).integers(0, 256, (6, 28, 28)).astype(np.uint8)
DIGITS = np.array([5, 0, 4, 1, 9, 2], np.uint8)


def idx(array) -> bytes:
    head = bytes([0, 0, 8, array.ndim])
    return head + b"".join(n.to_bytes(4, "big") for n in array.shape) + array.tobytes()


def put_idx(folder, ending="", pack=bytes):
    (folder / f"train-images-idx3-ubyte{ending}").write_bytes(pack(idx(DRAWINGS)))
    (folder / f"train-labels-idx1-ubyte{ending}").write_bytes(pack(idx(DIGITS)))


def put_npz(folder):
    np.savez(folder / "mnist.npz", x_train=DRAWINGS, y_train=DIGITS, x_test=DRAWINGS[:2])


def put_csv(folder):
    rows = np.column_stack([DRAWINGS.reshape(6, -1), DIGITS])
    names = ",".join([*(f"pixel{at}" for at in range(784)), "label"])
    np.savetxt(folder / "mnist.csv", rows, "%d", ",", header=names, comments="")


@pytest.mark.parametrize(
    "put",
    [
        put_idx,
        lambda folder: put_idx(folder, ".gz", gzip.compress),
        put_npz,
    ],
    ids=["idx", "idx.gz", "npz"],
)
def test_drawings_and_labels_are_read_from_each_form(tmp_path, put):
    put(tmp_path)
    found = mnist.load(tmp_path)
    np.testing.assert_array_equal(found.X, DRAWINGS.reshape(6, -1))
    np.testing.assert_array_equal(found.y, DIGITS)


def test_a_table_is_read_as_other_data_sets_are(tmp_path):
    put_csv(tmp_path)
    np.testing.assert_array_equal(mnist.load(tmp_path).X, DRAWINGS.reshape(6, -1))


def test_a_folder_without_it_is_refused_with_a_way_out(tmp_path):
    assert mnist.find(tmp_path) is None
    with pytest.raises(FileNotFoundError, match="or pass another folder with --data"):
        mnist.load(tmp_path)


def test_a_file_that_was_cut_off_is_refused(tmp_path):
    put_idx(tmp_path)
    path = tmp_path / "train-images-idx3-ubyte"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="Add the whole file"):
        mnist.load(tmp_path)


def test_a_file_of_another_format_is_refused(tmp_path):
    put_idx(tmp_path)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(ValueError, match="is no idx file"):
        mnist.load(tmp_path)


def test_drawings_without_their_labels_are_refused(tmp_path):
    put_idx(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(FileNotFoundError, match="no labels beside it"):
        mnist.load(tmp_path)


def test_another_number_of_labels_is_refused(tmp_path):
    put_idx(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(DIGITS[:5]))
    with pytest.raises(ValueError, match="There must be a label for each drawing"):
        mnist.load(tmp_path)
