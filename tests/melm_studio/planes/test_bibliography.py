"""Every citation is of a method, and of the paper that the method names."""

from __future__ import annotations

import re

import pytest

from melm_core.methods import METHODS
from melm_studio.publication.bibliography import ENTRIES, bibtex


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_is_well_formed_and_of_the_year_of_its_paper(key):
    years = set(re.findall(r"\d{4}", METHODS[key].paper))
    for entry in ENTRIES[key]:
        assert entry.count("{") == entry.count("}")
        assert re.match(r"@(article|book|inproceedings|misc)\{[a-z]+\d{4}[a-z]+,\n", entry)
        assert {"author", "title", "year"} <= set(re.findall(r"^  (\w+) = ", entry, re.MULTILINE))
        (year,) = re.findall(r"year = \{(\d{4})\}", entry)
        assert year in years


def test_an_entry_of_several_methods_is_given_once():
    assert bibtex(["melm", "cpca", "melm"]).count("@") == 1


def test_keys_are_unique():
    entries = {entry for entries in ENTRIES.values() for entry in entries}
    keys = [re.match(r"@\w+\{(\w+),", entry)[1] for entry in entries]
    assert len(keys) == len(set(keys))
