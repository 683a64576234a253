"""Controls are drawn from parameters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from melm_core.methods import METHODS
from melm_core.methods.parameters import GAMMA, HELD_OUT, STARTS
from melm_studio.layout.method_form import explained_label, gamma_of, gamma_slider, number_input
from tests.melm_studio.layout.trees import part, parts, texts


def test_the_slider_spans_gamma_from_its_minimum_to_its_maximum():
    slider = part(gamma_slider("gamma"), "gamma")
    bounds = (GAMMA.minimum, GAMMA.default, GAMMA.maximum)
    assert tuple(map(gamma_of, (slider["min"], slider["value"], slider["max"]))) == bounds


def test_every_step_of_the_slider_is_a_gamma_that_a_run_takes():
    slider = part(gamma_slider("gamma"), "gamma")
    n_steps = round((slider["max"] - slider["min"]) / slider["step"])
    gammas = [gamma_of(slider["min"] + step * slider["step"]) for step in range(n_steps + 1)]
    assert [GAMMA.checked(gamma) for gamma in gammas] == gammas
    assert len(set(gammas)) == n_steps + 1


def test_the_marks_of_the_slider_stand_at_their_gammas():
    slider = part(gamma_slider("gamma"), "gamma")
    assert len(slider["marks"]) > 2
    for mark in slider["marks"]:
        assert gamma_of(mark["value"]) == float(mark["label"])
        assert slider["min"] <= mark["value"] <= slider["max"]


def test_gamma_has_three_digits():
    assert gamma_of(0.1234) == 1.33
    assert gamma_of(-0.5) == 0.316


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
    assert parameter.explanation in [props.get("label") for props in parts(label)]
