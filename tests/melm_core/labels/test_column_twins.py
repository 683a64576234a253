from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from lab.experiments.honesty.twins import PLANTED
from melm_core.base import UserError
from melm_core.labels import Twin, column_twins, label_twins

WORDS = np.array(["healthy", "mild", "severe"])


def planted(kind: str, seed: int = 0, n_rows: int = 90):
    """Six columns of noise, the label, and the columns that are the label once more."""
    stream = np.random.default_rng(seed)
    y = stream.permutation(np.arange(n_rows) % 3)
    columns = {f"m{at}": stream.normal(size=n_rows) for at in range(6)}
    return columns | PLANTED[kind](y, stream), WORDS[y]


def twins_of(columns, y, **options):
    found = label_twins(list(columns.values()), y, list(columns), **options)
    return {one.name: one for one in found if one.twin}


@pytest.mark.parametrize(
    ("kind", "twin"),
    [
        ("the same words", Twin.EQUAL),
        ("a code", Twin.CODE),
        ("other words, one of 90 mistyped", Twin.CODE),
        ("a finer class", Twin.FINER),
        ("a coarser class", Twin.COARSER),
        ("ranges that do not overlap", Twin.RANGES),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_label_in_other_words_is_named_with_its_kind(kind, twin, seed):
    (found,) = twins_of(*planted(kind, seed)).values()
    assert found.twin is twin
    assert found.n_same >= 89
    assert found.n_rows == 90


def test_dummies_are_one_column_together():
    (found,) = twins_of(*planted("dummies")).values()
    assert found.names == ("grade_healthy", "grade_mild", "grade_severe")
    assert found.share == 1.0


def test_dummies_beside_the_one_that_is_the_label_are_its_twin_together():
    y = np.arange(90) % 3
    noise = np.random.default_rng(0).standard_normal(90)
    rare = (np.arange(90) < 2).astype(float)  # of two that few rows have nothing follows
    columns = [noise, 1.0 * (y == 0), 1.0 * (y == 1), rare, rare[::-1]]
    names = ["x", "is_mild", "is_severe", "spot_a", "spot_b"]
    twins = [one for one in label_twins(columns, y == 2, names) if one.twin]
    assert [one.names for one in twins] == [("is_mild", "is_severe")]
    assert twins[0].share == 1.0


@pytest.mark.parametrize("label", ["setosa", "the species", "a reference"])
@pytest.mark.parametrize("n_classes", [3, 5])
def test_dummies_of_any_names_beside_each_other_are_one_column_together(label, n_classes):
    stream = np.random.default_rng(1)
    species = stream.permutation(np.arange(150) % n_classes)
    names = ["setosa", "virginica", "bumps", "stains", "scratches"][:n_classes]
    dummies = {name: 1.0 * (species == at) for at, name in enumerate(names)}
    y = dummies.pop("setosa") if label == "setosa" else species
    if label == "a reference":
        dummies.pop("virginica")
    others = {"x": stream.normal(size=150), "wet": 1.0 * (stream.random(150) < 0.5)}
    (found,) = twins_of({**others, **dummies}, y).values()
    assert found.names == tuple(dummies)
    assert found.is_words
    torn = {name: np.where(np.arange(150) % 9, cells, 0.0) for name, cells in dummies.items()}
    assert not any(len(one.names) > 1 for one in twins_of({**others, **torn}, y).values())


def test_a_number_that_decides_alone_is_no_word():
    (found,) = twins_of(*planted("a later measurement")).values()
    assert found.share > 0.95
    assert not found.is_words


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_good_measurements_are_no_twins_and_their_shares_are_told(load):
    found = label_twins(*load(return_X_y=True))
    assert not any(one.twin for one in found)
    assert 0.8 < found[0].share < 0.97
    assert found[0].share == max(one.share for one in found)


def test_numbers_of_rows_tell_nothing():
    """Every value is there once, so that a held-out row has one that nobody has seen."""
    y = np.random.default_rng(0).permutation(np.arange(60) % 3)
    (found,) = label_twins([np.array([f"row {at}" for at in range(60)])], y)
    assert found.share == pytest.approx(1 / 3)
    assert found.twin is Twin.NONE


def test_rows_of_a_group_are_held_out_together():
    """Whoever knows the subject of a row knows its class from other rows of the subject."""
    y = np.repeat(np.arange(20) % 2, 4)
    groups = np.repeat(np.arange(20), 4)
    whose = np.array([f"subject {number}" for number in groups])
    (by_rows,) = label_twins([whose], y)
    (by_groups,) = label_twins([whose], y, groups=groups)
    assert by_rows.share == 1.0
    assert by_groups.share == pytest.approx(0.5)


def test_missing_values_are_a_value():
    y = np.arange(60) % 2
    (found,) = label_twins([np.where(y == 0, np.nan, 3.0)], y)
    assert found.twin is not Twin.NONE


@pytest.mark.parametrize("seed", range(30))
def test_noise_has_no_twins(seed):
    stream = np.random.default_rng(seed)
    y = stream.permutation(np.arange(45) % 3)
    columns = [stream.normal(size=45), stream.integers(0, 3, 45), WORDS[stream.integers(0, 3, 45)]]
    assert not any(one.twin for one in label_twins(columns, y))


def test_the_order_of_rows_and_names_of_classes_change_nothing():
    columns, y = planted("a code")
    rows = np.random.default_rng(1).permutation(len(y))
    turned = {name: cells[rows] for name, cells in columns.items()}
    again = np.char.add("class ", y[rows])
    assert set(twins_of(turned, again)) == set(twins_of(columns, y))


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(UserError, match="1 class; twins of it need two"):
        label_twins(np.ones((4, 2)), ["a"] * 4)
    with pytest.raises(UserError, match="one value for each of the 4 labels"):
        label_twins([np.ones(3)], ["a", "a", "b", "b"])


def test_a_table_without_columns_has_none():
    assert label_twins([], ["a", "a", "b", "b"]) == ()


def test_words_that_tell_far_more_than_all_others_stand_out():
    """A later diagnosis, in which three of 90 have become another."""
    columns, y = planted("the same words")
    columns["grade"][::30] = "mild"
    (found,) = twins_of(columns, y).values()
    assert (found.name, found.twin) == ("grade", Twin.FOLLOWS)


@pytest.mark.parametrize("kind", ["the same words", "a code", "ranges that do not overlap"])
def test_a_column_with_gaps_is_a_twin_where_it_says_anything(kind):
    columns, y = planted(kind)
    ((name, cells),) = [(name, cells) for name, cells in columns.items() if name[0] != "m"]
    columns[name] = (
        np.where(np.arange(90) % 3 == 0, np.nan, cells)
        if cells.dtype == float
        else (np.where(np.arange(90) % 3 == 0, "nan", cells))
    )
    (found,) = twins_of(columns, y).values()
    assert (found.name, found.n_same) == (name, 60)


def mistyped(y, rows):
    """Words of the label, which are another one in some rows."""
    cells = WORDS[y]
    cells[rows] = WORDS[(y[rows] + 1) % 3]
    return cells


def test_near_twins_do_not_hide_each_other():
    """Each tells what the other one leaves, and far more than all that is no twin."""
    columns, label = planted("the same words")
    y = np.searchsorted(WORDS, label)
    columns |= {"before": mistyped(y, [3, 40, 71]), "grade": mistyped(y, [10, 20, 55, 80])}
    assert set(twins_of(columns, label)) == {"before", "grade"}


def test_two_numbers_that_nearly_decide_do_not_hide_each_other():
    stream = np.random.default_rng(3)
    y = np.arange(90) % 3
    later = {name: 3.0 * y + 0.7 * stream.normal(size=90) for name in ("dose", "score")}
    noise = {f"m{at}": stream.normal(size=90) for at in range(4)}
    assert set(twins_of(noise | later, WORDS[y])) == {"dose", "score"}


def test_subjects_hide_no_twin():
    """Whose row it is tells the class of each, too, and is asked about as such."""
    y = np.arange(90) // 3 % 3
    noise = {"m": np.random.default_rng(0).normal(size=90)}
    subjects = np.char.add("p", (np.arange(90) // 3).astype(str))
    columns = noise | {"patient": subjects, "grade": mistyped(y, [3, 40, 71])}
    assert set(twins_of(columns, WORDS[y])) == {"grade"}


def test_three_good_measurements_are_no_twins():
    stream = np.random.default_rng(0)
    y = np.arange(120) % 2
    columns = stream.normal(size=(8, 120))
    columns[:3] += 3.0 * y
    found = label_twins(columns.T, y)
    assert found[2].share > 0.9
    assert not any(one.twin for one in found)


@pytest.mark.parametrize("n_rare", [1, 3, 30])
def test_a_value_of_nearly_every_row_does_not_follow_from_the_label(n_rare):
    y = np.repeat(np.arange(6), 50)
    rare = np.random.default_rng(n_rare).choice(len(y), n_rare, replace=False)
    status = np.where(np.isin(np.arange(len(y)), rare), "dead", "alive")
    family = np.where(y == 5, "trout", "salmon")
    found = twins_of({"status": status, "family": family}, np.array(list("abcdef"))[y])
    assert {name: one.twin for name, one in found.items()} == {"family": Twin.COARSER}


@pytest.mark.parametrize("n_rows", [40, 400])
def test_few_rows_make_no_good_measurement_a_twin(n_rows):
    stream = np.random.default_rng(5)
    y = np.arange(n_rows) % 2
    columns = {"m": stream.normal(size=n_rows), "accuracy": 3.1 * y + stream.normal(size=n_rows)}
    found = label_twins([*columns.values()], y, [*columns])
    assert found[0].share > 0.9
    assert bool(found[0].twin) == (n_rows == 400)


def test_many_equal_columns_in_few_rows_are_looked_at_once_each(monkeypatch):
    looks, y = [], np.arange(12) % 2
    looked = vars(column_twins)["_are_codes"]
    monkeypatch.setattr(
        column_twins, "_are_codes", lambda cells: looks.append(len(cells)) or looked(cells)
    )
    label_twins([y] * 1_100, y, only_twins=True)
    assert sum(looks) <= 3 * 1_100


def strong_and_weak(stream):
    """Columns of which some follow from the label, with gaps, in halves, or nearly, and noise."""
    n_rows, n_classes = int(stream.integers(12, 150)), int(stream.integers(2, 5))
    y = stream.permutation(np.arange(n_rows) % n_classes)
    noise = stream.normal(size=(60, n_rows))
    near = [y + scale * stream.normal(size=n_rows) for scale in (0.02, 0.15, 0.3, 0.5, 1.0)]
    coarser, is_first = 1.0 * (y > 0), np.arange(n_rows) < 0.4 * n_rows
    empty = [np.where(is_first, np.nan, column) for column in (y, near[0], noise[0])]
    some = [column for column in (*near, coarser, *empty, y % 2) if stream.random() < 0.4]
    groups = y * 9 + stream.integers(0, 9, n_rows) if stream.random() < 0.3 else None
    return [*noise, *some, np.round(2 * noise[1])], y, groups


@pytest.mark.parametrize("seed", range(40))
def test_twins_alone_are_those_among_all_columns(seed):
    columns, y, groups = strong_and_weak(np.random.default_rng(seed))
    every = [one for one in label_twins(columns, y, groups=groups) if one.twin]
    assert [*label_twins(columns, y, groups=groups, only_twins=True)] == every
