"""A value of the wrong type is refused in a sentence, whatever bounds its type has."""

from __future__ import annotations

from typing import Annotated

import pytest
from msgspec import Meta

from melm_studio.runs.records.data_source import DataSource
from melm_studio.validation import InputError, read
from melm_studio.workspace.story import FORMAT, Story


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (int, "a whole number"),
        (Annotated[int, Meta(ge=1, le=2_000)], "a whole number from 1 to 2,000"),
        (Annotated[int, Meta(ge=3)], "a whole number of at least 3"),
        (float, "a number"),
        (Annotated[float, Meta(gt=0, le=0.5)], "a number above 0 and up to 0.5"),
        (Annotated[float, Meta(lt=1)], "a number below 1"),
        (str, "text"),
        (Annotated[str, Meta(max_length=9)], "text of 0 to 9 characters"),
        (float | None, "a number"),
    ],
)
def test_a_wrong_value_is_refused_with_the_bounds_that_its_type_has(kind, rule):
    with pytest.raises(InputError) as refused:
        read(["x"], kind, "The setting")
    assert str(refused.value) == f"The setting must be {rule}; it is ['x']."


@pytest.mark.attack
@pytest.mark.parametrize("name", [" - at `$" * 100_000, " - at `key in `$" * 50_000, "`" * 400_000])
def test_a_name_that_looks_like_a_place_in_a_message_takes_no_time_to_refuse(name):
    """Reading the message took a time quadratic in the name: minutes for this one."""
    with pytest.raises(InputError, match=r"^The source .*\.$"):
        read({name: 1}, DataSource, "The source")


@pytest.mark.attack
@pytest.mark.parametrize("place", ["$.y", "$[1]", "$.kind", "$.views.x", "$[...]", "$"])
def test_a_name_that_pretends_to_be_a_place_is_refused_in_a_sentence(place):
    for model in (DataSource, Story):
        with pytest.raises(InputError, match=r"\.$"):
            read({"format": FORMAT, f"x` - at `{place}": 1}, model, "The source")
    with pytest.raises(InputError, match=r"\.$"):
        Story.from_json({"format": FORMAT, f"x` - at `{place}": 1})
