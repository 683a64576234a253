from __future__ import annotations

import gc
import io
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from melm_core.base import ColumnEncoding
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.preparation import guess_label, prepare
from melm_studio.tables.roles import Role
from melm_studio.tables.samples import SAMPLES, load_sample, mislabeled_rows


@pytest.fixture
def data() -> LabeledData:
    rng = np.random.default_rng(0)
    return LabeledData(
        name="Größe <b>",
        X=rng.normal(size=(40, 3)),
        y=np.repeat([0, 1, 2], [30, 8, 2]),
        class_names=("a", "b", "ç"),
        feature_names=("x", "y = é", ""),
        center=np.arange(3.0),
        scale=np.ones(3),
        row_numbers=np.arange(1, 41),
        steps=("Read as UTF-16.",),
        encodings=tuple(map(ColumnEncoding, ("x", "y = é", ""))),
    )


def test_bytes_bring_everything_back(data):
    copy = LabeledData.from_bytes(data.to_bytes())
    for key in ("X", "y", "center", "scale", "row_numbers"):
        before, after = getattr(data, key), getattr(copy, key)
        assert after.dtype == before.dtype
        np.testing.assert_array_equal(after, before)
    for key in ("name", "class_names", "feature_names", "steps"):
        assert getattr(copy, key) == getattr(data, key)


@pytest.fixture
def busy_collector():
    """A collector that gives way to other threads at nearly every new object."""
    before, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.callbacks.append(give_way := lambda *_: sum(n for n in range(50)))
    gc.set_threshold(1)
    sys.setswitchinterval(1e-6)
    yield
    gc.set_threshold(*before)
    sys.setswitchinterval(interval)
    gc.callbacks.remove(give_way)


@pytest.mark.usefixtures("busy_collector")
def test_several_threads_unpack_at_the_same_time(data):
    raw = data.to_bytes()
    with ThreadPoolExecutor(6) as pool:
        copies = list(pool.map(LabeledData.from_bytes, [raw] * 200))
    assert {copy.name for copy in copies} == {data.name}


def test_no_data_at_all_come_back_too(data):
    _, nothing = data.split(0, random_state=0)
    copy = LabeledData.from_bytes(nothing.to_bytes())
    assert copy.X.shape == (0, 3)
    assert copy.class_names == data.class_names


def test_equal_content_has_equal_bytes_whatever_its_layout(data):
    other = replace(data, X=np.asfortranarray(data.X))
    assert other.to_bytes() == data.to_bytes()
    assert other.content_hash == data.content_hash


def test_the_bytes_hold_no_time_of_writing(data):
    with zipfile.ZipFile(io.BytesIO(data.to_bytes())) as file:
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_different_content_has_another_hash(data):
    assert replace(data, y=data.y[::-1].copy()).content_hash != data.content_hash
    assert replace(data, name="other").content_hash != data.content_hash


def test_a_split_parts_the_rows_by_class_and_keeps_their_order(data):
    train, held_out = data.split(0.25, random_state=1)
    assert np.bincount(held_out.y).tolist() == [8, 2]
    rows = np.concatenate([train.row_numbers, held_out.row_numbers])
    assert sorted(rows) == data.row_numbers.tolist()
    assert (np.diff(train.row_numbers) > 0).all()
    np.testing.assert_array_equal(held_out.X, data.X[held_out.row_numbers - 1])
    np.testing.assert_array_equal(held_out.y, data.y[held_out.row_numbers - 1])


def test_two_rows_of_every_class_stay_seen(data):
    train, _ = data.split(0.99, random_state=0)
    assert np.bincount(train.y).tolist() == [2, 2, 2]


def test_the_seed_decides_the_split(data):
    first, again, other = (data.split(0.5, seed)[1].row_numbers for seed in (3, 3, 4))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_nothing_held_out_leaves_the_data_as_they_are(data):
    train, held_out = data.split(0, random_state=0)
    assert train is data
    assert held_out.X.shape == (0, 3)


@pytest.mark.parametrize("held_out", [-0.1, 1, float("nan")])
def test_only_a_share_below_one_can_be_held_out(data, held_out):
    with pytest.raises(ValueError, match=r"Need 0 <= held_out < 1\. The value supplied was"):
        data.split(held_out, random_state=0)


@pytest.mark.parametrize(
    ("key", "label", "shape", "class_names"),
    [
        ("iris", "species", (150, 4), ("setosa", "versicolor", "virginica")),
        ("wine", "cultivar", (178, 13), ("Barbera", "Barolo", "Grignolino")),
        ("breast_cancer", "diagnosis", (569, 30), ("benign", "malignant")),
        ("digits", "digit", (1797, 61), tuple("0123456789")),
        ("mislabeled_wine", "cultivar", (178, 13), ("Barbera", "Barolo", "Grignolino")),
        ("batches", "class", (900, 12), ("class 1", "class 2")),
        ("crescents", "class", (300, 2), ("class 1", "class 2")),
        ("pure_noise", "class", (60, 50), ("class 1", "class 2", "class 3")),
    ],
)
def test_samples_go_through_the_path_of_every_table(key, label, shape, class_names):
    table = load_sample(key)
    assert table.frame.columns[-1] == label == guess_label(table)
    data = prepare(table)
    assert data.X.shape == shape
    assert data.class_names == class_names


def test_every_sample_is_explained_in_a_sentence_with_its_size():
    for key, sample in SAMPLES.items():
        n_rows = len(load_sample(key).frame)
        assert sample.key == key
        assert sample.explanation.startswith(f"{n_rows:,} ")
        assert sample.explanation.endswith(".")


def test_ten_wines_have_another_label_than_their_names_say():
    frame = load_sample("mislabeled_wine").frame
    pairs = zip(frame["wine"], frame["cultivar"], strict=True)
    wrong = [row for row, (name, label) in enumerate(pairs, 1) if not name.startswith(label)]
    assert wrong == sorted(mislabeled_rows().tolist())
    assert len(wrong) == 10
    assert (
        load_sample("wine")
        .frame.drop(columns="cultivar")
        .equals(frame.drop(columns=["wine", "cultivar"]))
    )


@pytest.mark.parametrize(
    ("key", "name", "role"),
    [("mislabeled_wine", "wine", Role.NAME), ("batches", "batch", Role.BATCH)],
)
def test_what_is_known_beside_the_features_does_not_become_one(key, name, role):
    data = prepare(load_sample(key))
    assert [(column.name, column.role) for column in data.row_columns] == [(name, role)]


def test_an_unknown_sample_is_refused_by_name():
    with pytest.raises(ValueError, match=r"There is no sample 'tulips'\. Choose one of iris, wine"):
        load_sample("tulips")
