from __future__ import annotations

from lab.experiments.comparison import closeness, places
from lab.experiments.report import Entry


def row(name, melm, pca, raw=None, paper=0.5):
    return (Entry(name, "MELM", melm, paper), Entry(name, "PCA", pca), Entry(name, "I", raw))


ENTRIES = (
    *row("a", 0.9, 0.8, 0.95),
    *row("b", 0.7, 0.7, 0.1),
    *row("c", 0.6, 0.65, 0.1),
    *row("d", 0.54, 0.5, 0.1),
    *row("e", None, 0.5, 0.1),
)


def test_first_places_shared_ones_and_lost_ones_are_told_apart():
    assert places(ENTRIES, "MELM", leaving_out=("I",)) == (
        "MELM is best on 2 of 4 data sets, tied with the best on b, behind on c (-0.050)."
    )


def test_nobody_is_left_out_unless_asked_for():
    assert "behind on a (-0.050) and c" in places(ENTRIES, "MELM")


def test_closeness_names_what_is_far():
    assert closeness(ENTRIES, "MELM", 0.15) == (
        "MELM is within 0.15 of the paper's value on 2 of 4 data sets, but not on a (+0.400) and "
        "b (+0.200)."
    )
