"""Controls are drawn from parameters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from melm_core.methods import METHODS
from melm_core.methods.method import GAMMA, HELD_OUT, STARTS
from melm_studio.layout.method_line import explained_label, gamma_control, number_input
from tests.melm_studio.layout.trees import part, parts, texts


def test_field_and_slider_span_gamma_from_its_minimum_to_its_maximum():
    control = gamma_control("gamma", "slider")
    field, slider = part(control, "gamma"), part(control, "slider")
    assert (field["min"], field["value"], field["max"]) == (
        GAMMA.minimum,
        GAMMA.default,
        GAMMA.maximum,
    )
    ends = 10.0 ** float(slider["min"]), 10.0 ** float(slider["max"])
    assert ends == (GAMMA.minimum, GAMMA.maximum)


@pytest.mark.parametrize("is_integer", [True, False])
def test_a_field_for_whole_numbers_takes_no_decimals(is_integer):
    parameter = replace(STARTS, default=3, minimum=2, maximum=9, is_integer=is_integer)
    field = part(number_input("field", parameter), "field")
    assert (field["value"], field["min"], field["max"]) == (3, 2, 9)
    assert field["allowDecimal"] is not is_integer


@pytest.mark.parametrize(
    "parameter",
    [HELD_OUT, *{p.name: p for m in METHODS.values() for p in m.parameters}.values()],
    ids=lambda parameter: parameter.name,
)
def test_every_parameter_is_named_and_explained(parameter):
    label = explained_label(parameter)
    assert texts(label) == [parameter.label]
    assert parameter.explanation in [props.get("data-tip") for props in parts(label)]
