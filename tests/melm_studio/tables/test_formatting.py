"""Names of any length fit on a line and stay different."""

from __future__ import annotations

import pytest

from melm_studio.tables.formatting import shortened, told_apart


@pytest.mark.parametrize("width", [5, 22, 40])
@pytest.mark.parametrize("n", [1, 22, 23, 40, 41, 5_000])
def test_a_shortened_name_is_as_long_as_fits(n, width):
    found = shortened("x" * n, width)
    assert len(found) == min(n, width)
    assert ("…" in found) is (n > width)


def test_long_names_that_differ_at_either_end_stay_different():
    names = [
        f"{first}intensity of the peak at wavelength {last}" for first in "ab" for last in "12"
    ]
    assert len({shortened(name, 22) for name in names}) == 4


def test_white_space_becomes_single_spaces():
    assert shortened("a\n\n b\tc") == "a b c"


@pytest.mark.parametrize("width", [12, 15, 22])
@pytest.mark.parametrize(
    "name",
    [
        "a very long feature name with units, channel {} [mg per 100 g of dry matter]",
        "{} of a very long feature name that goes on and on and on",
        "a very long feature name that goes on and on and on until {}",
    ],
)
def test_names_that_differ_look_different(name, width):
    names = [name.format(at) for at in (1, 2, 3, 10, 11)]
    shown = told_apart([*names, "plain"], width)
    assert len({*shown}) == 6
    assert shown[-1] == "plain"
    assert max(map(len, shown)) <= width


def test_names_are_cut_around_whole_words():
    names = [f"Station of the estuary, depth {at} m, lower column" for at in range(30)]
    assert all(f"…{at}…" in shown for at, shown in enumerate(told_apart(names, 24)))


def test_equal_names_stay_equal():
    assert told_apart(["x" * 50] * 2, 15) == [shortened("x" * 50, 15)] * 2
