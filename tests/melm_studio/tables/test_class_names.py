"""Names of classes: one name in one form, in natural order, under the label that they are of."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.tables import prepare, read_table

X = np.random.default_rng(2).normal(size=(60, 3)).round(3)


def classes_of(labels, header="kind", **options):
    rows = [",".join(map(str, [*x, label])) for x, label in zip(X, labels, strict=True)]
    raw = "\n".join([f"a,b,c,{header}", *rows]).encode()
    return prepare(read_table(raw, "names.csv"), **options)


@pytest.mark.parametrize(
    "forms",
    [
        ("caf\u00e9", "cafe\u0301"),
        ("red oak", "red\u00a0oak"),
        ("red oak", "red  oak"),
        ("oak", "oak\u200b"),
        ("oak", " oak"),
    ],
    ids=["accent", "no-break", "double", "zero-width", "leading"],
)
def test_a_name_that_looks_the_same_is_one_class(forms):
    data = classes_of([*forms] * 15 + ["tea"] * 30)
    assert data.class_counts == {forms[0]: 30, "tea": 30}


def test_leading_zeros_beside_words_and_case_tell_names_apart():
    assert set(classes_of(["Beech", "beech", "a01", "a1"] * 15).class_names) == {
        "Beech", "beech", "a01", "a1",
    }  # fmt: skip


def test_numbers_in_names_are_in_their_order():
    names = [f"week {number}" for number in (1, 2, 9, 10, 11, 100)]
    assert classes_of(sorted(names) * 10).class_names == tuple(names)


@pytest.mark.parametrize("name", ["Attrition", "churned", "exited", "default", "labels", "classes"])
def test_what_is_named_like_a_label_is_the_label_wherever_it_stands(name):
    """Beside a word and a count that stand last."""
    stream = np.random.default_rng(3)
    names, sites = stream.choice(["yes", "no"], 60), stream.choice(["s", "t", "u"], 60)
    rows = [
        f"{a},{one},{site},{at % 7}"
        for (a, *_), one, site, at in zip(X, names, sites, range(60), strict=True)
    ]
    raw = "\n".join([f"size,{name},site,years", *rows]).encode()
    assert prepare(read_table(raw, "t.csv")).label == name
