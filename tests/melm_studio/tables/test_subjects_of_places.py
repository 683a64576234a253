from __future__ import annotations

import numpy as np
import pytest

from melm_studio.tables import prepare, read_table

PLOTS = [(site, plot, year) for site in "NSW" for plot in (1, 2, 3, 4) for year in (11, 12, 13, 14)]
MICE = [(cage, mouse) for cage in range(1, 9) for mouse in (1, 2, 3) for _ in range(3)]
FIELDS = [
    (farm, field, tree)
    for farm in ("upper", "lower")
    for field in (1, 2)
    for tree in (1, 2, 3)
    for _ in range(4)
]
PAIRS = [
    (generation, pair, arm)
    for generation, n_pairs in enumerate((8, 12, 5, 9), start=1)
    for pair in range(1, n_pairs + 1)
    for arm in ("wild", "lab")
]
PLANTS = [
    (treatment, species, plant, f"T{survey}")
    for at, (treatment, species) in enumerate((t, s) for t in ("none", "N", "NP") for s in "PQRS")
    for survey in range(1, 5 - at % 2)
    for plant in range(1, 3 + at % 3)
]
CROSSED = [(drug, pair, visit) for drug in "ABC" for pair in range(1, 13) for visit in range(4)]
LEFT = [row for at, row in enumerate(CROSSED) if at % 48 not in (5, 13)]
ONCE = [(site, f"P{site}{plot}", year) for site, plot, year in PLOTS]


def read(header, rows):
    numbers = np.random.default_rng(0).normal(size=(len(rows), 2)).round(3).tolist()
    kinds = {place: "ab"[at % 2] for at, place in enumerate(dict.fromkeys(row[:2] for row in rows))}
    lines = [
        ",".join(map(str, (*row, *values, kinds[row[:2]])))
        for row, values in zip(rows, numbers, strict=True)
    ]
    raw = "\n".join([",".join((*header, "ph", "carbon", "kind")), *lines]).encode()
    return read_table(raw, "table.csv")


@pytest.mark.parametrize(
    ("header", "rows", "n_subjects"),
    [
        (("site", "plot", "year"), PLOTS, 12),
        (("Site_ID", "Plot no", "year"), PLOTS, 12),
        (("cage", "mouse"), MICE, 24),
        (("farm", "field", "tree"), FIELDS, 12),
    ],
)
def test_what_is_numbered_anew_in_each_place_is_asked_about_by_both(header, rows, n_subjects):
    n_places = len({*header} - {"year"})
    name = f"subject in {' and '.join(header[:n_places])}"
    table = read(header, rows)
    data = prepare(table)
    asked = {question.id for question in data.questions}
    assert f"subjects:{name}" in asked
    assert f"subjects:{header[n_places - 1]}" not in asked
    assert {name, header[n_places - 1]}.isdisjoint(data.feature_names)
    together = prepare(table, answers={f"subjects:{name}": "together"})
    assert len({*together.groups}) == n_subjects


@pytest.mark.parametrize(
    ("header", "rows", "n_places", "n_subjects"),
    [
        (("generation", "pair_id", "arm"), PAIRS, 1, 34),
        (("Treatment", "Species", "Individual_nos", "Time_point"), PLANTS, 2, 36),
    ],
)
def test_what_each_occasion_has_once_with_its_place_is_asked_about(
    header, rows, n_places, n_subjects
):
    table = read(header, rows)
    name = f"subject in {' and '.join(header[: n_places + 1])}"
    assert table.frame[name].nunique() == n_subjects
    data = prepare(table)
    assert f"subjects:{name}" in {question.id for question in data.questions}
    assert {name, header[n_places]}.isdisjoint(data.feature_names)


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (("site", "plot", "year"), ONCE),  # named once for all sites
        (("site", "patient", "year"), PLOTS),  # who was measured at several
        (("site", "plot"), [(site, plot) for site in "NSW" for plot in range(1, 13)]),
        (("drug", "pair_id", "visit"), CROSSED),  # all pairs had all drugs
        (("drug", "pair_id", "visit"), LEFT),
        (("generation", "level", "arm"), PAIRS),  # of no things
    ],
)
def test_what_one_column_names_is_asked_about_by_that(header, rows):
    assert not [name for name in read(header, rows).frame if name.startswith("subject in")]


def test_what_says_yes_or_no_is_no_number_of_a_thing():
    """Barns, farms and trees of paintings: each is in it or not."""
    rows = "".join(
        f"{at % 2},{at // 2 % 2},{at // 4 % 2},{at / 7},{'ab'[at // 3 % 2]}\n" for at in range(64)
    )
    table = read_table(f"barn,farm,tree,x,kind\n{rows}".encode(), "table.csv")
    assert [*table.frame] == ["barn", "farm", "tree", "x", "kind"]
