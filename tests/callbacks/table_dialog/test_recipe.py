"""The preparation: steps are added, ordered, limited to columns and removed; links keep them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lab.driver.visitor import components
from melm_core.recipe import Fill, Recipe, Scaling, Step, StepKind
from melm_studio.layout import ids
from melm_studio.planes.captions import title
from tests.callbacks.tables import csv
from tests.callbacks.test_share_link import RESTORED, open_link, shared

CHOICE, ERROR = f"{ids.CHOICE}.data", f"{ids.COLUMNS_ERROR}.children"


def spectra() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(np.exp(rng.normal(size=(40, 6)))).add_prefix("nm")
    table.loc[::9, "nm1"] = np.nan
    return table.assign(kind=["a", "b"] * 20, label=["u", "v"] * 20)


@pytest.fixture
def shown(visitor):
    assert visitor.choose_file(csv(spectra()), "spectra.csv")["data-error.children"] is None
    return visitor


def form(visitor) -> dict:
    visitor.open_table()
    changes = visitor.fire(ids.TABLE_TAB, "value", "recipe", ids.RECIPE_FORM)
    parts = [part["props"] for part in components(changes[f"{ids.RECIPE_FORM}.children"])]
    return {
        tuple(part["id"].values())[1:]: part for part in parts if isinstance(part.get("id"), dict)
    }


def change(visitor, control: dict, value: object, prop: str = "value") -> dict:
    form(visitor)
    changes = visitor.fire(control, prop, value)
    return visitor.choose(changes[CHOICE])


@pytest.mark.slow
def test_steps_are_added_ordered_limited_and_removed(studio, shown):
    change(shown, ids.recipe("add"), "asinh")
    change(shown, ids.recipe("add"), "snv")
    change(shown, ids.recipe_step(0, "columns"), ["nm0", "nm2"])
    change(shown, ids.recipe_button("earlier", 1), 1, "n_clicks")
    recipe = studio.data_of(shown).recipe
    assert recipe.steps == (Step(StepKind.SNV), Step(StepKind.ASINH, columns=("nm0", "nm2")))
    assert shown.values["recipe-open.children"] == "SNV, asinh"
    change(shown, ids.recipe_button("remove", 0), 1, "n_clicks")
    assert [step.kind for step in studio.data_of(shown).recipe.steps] == ["asinh"]
    shown.choose(shown.fire(ids.RECIPE_RESET, "n_clicks", 1)[CHOICE])
    assert studio.data_of(shown).recipe == Recipe()


@pytest.mark.slow
def test_missing_numbers_and_scaling_are_chosen(studio, shown):
    change(shown, ids.recipe("fill"), "nearest")
    change(shown, ids.recipe("n_neighbors"), 3)
    change(shown, ids.recipe("indicator"), True, "checked")
    change(shown, ids.recipe("scaling"), "pareto")
    data = studio.data_of(shown)
    assert (data.recipe.missing.fill, data.recipe.missing.n_neighbors) == (Fill.NEAREST, 3)
    assert data.recipe.scaling is Scaling.PARETO
    assert "nm1 missing" in data.feature_names
    assert any("filled with the mean of the 3 nearest rows" in step for step in data.steps)


def test_what_has_just_been_drawn_chooses_nothing(shown):
    change(shown, ids.recipe("add"), "derivative")
    for (*_, name), part in form(shown).items():
        prop = "checked" if name == "indicator" else "value"
        if prop in part:
            assert CHOICE not in shown.fire(part["id"], prop, part[prop])


def test_a_choice_that_cannot_be_is_refused_in_a_sentence(studio, shown):
    change(shown, ids.recipe("add"), "derivative")
    assert studio.data_of(shown).recipe.steps == (Step(StepKind.DERIVATIVE, window=5),)
    form(shown)
    refused = shown.fire(ids.recipe_step(0, "window"), "value", 4)
    assert refused == {ERROR: "The window must be an odd number of columns; it is 4."}
    refused = shown.fire(ids.recipe_step(0, "window"), "value", "")
    assert "The window must be a whole number from 3 to 101" in refused[ERROR]
    before = studio.data_of(shown).content_hash
    kept = change(shown, ids.recipe_step(0, "window"), 9)
    assert "at least as many numeric columns as its window, 9" in kept["data-error.children"]
    assert studio.data_of(shown).content_hash == before


def test_a_run_says_its_preparation_and_its_link_opens_it(studio, shown):
    change(shown, ids.recipe("add"), "log")
    run = shown.start(method="lda")
    studio.work()
    assert "log" in title(studio.store.get(run))
    query = shared(shown, run).json["query"]
    assert "recipe=" in query
    shown.choose_sample("iris")
    assert open_link(shown, query)[RESTORED]["run"] == run
    assert studio.data_of(shown).recipe.steps == (Step(StepKind.LOG),)
