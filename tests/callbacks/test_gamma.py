"""Planes at another kernel width than their run's, and runs that climb on from them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lab.driver.visitor import strict_json
from melm_core.linalg.planes import principal_angles
from melm_core.melm.objective import cauchy_schwarz_divergence
from melm_core.methods import METHODS
from melm_studio.analyses import tree
from melm_studio.runs.records.run import RunState
from melm_studio.workspace.workspace import MAX_PANELS, PANELS_FULL
from tests.callbacks.tables import csv

CURVED = [key for key, method in METHODS.items() if not method.is_linear and method.is_installed]

HELD_OUT, SEED, ELSEWHERE = 0.25, 0, 0.4


@pytest.fixture
def finished(studio, visitor):
    """A visitor and their finished PCA run on wine."""
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    studio.work()
    return visitor, run


def plane_at(visitor, run, gamma):
    answer = visitor.http.get(f"/runs/{run}/planes/0", query_string={"gamma": gamma})
    return answer.status_code, answer


def refined(visitor, run, gamma):
    return visitor.http.post(f"/runs/{run}/planes/0/refine", query_string={"gamma": gamma})


def test_a_plane_at_another_gamma_has_the_divergence_of_that_gamma(studio, finished):
    visitor, run = finished
    train, _ = studio.parts_of(visitor, run)
    components = studio.store.event(run, 0).components
    status, answer = plane_at(visitor, run, ELSEWHERE)
    body = strict_json(answer.text)
    assert status == 200
    assert body["gamma"] == ELSEWHERE
    expected = cauchy_schwarz_divergence(
        train.X, train.y, components, gamma=ELSEWHERE, shrinkage="ledoit-wolf"
    )
    assert body["numbers"]["divergence-training"] == pytest.approx(expected, rel=1e-9)


def test_a_plane_has_the_divergence_of_the_search_and_is_drawn_at_the_width_of_densities(finished):
    visitor, run = finished
    own = strict_json(visitor.http.get(f"/runs/{run}/planes/0").text)
    at_search, at_densities = (strict_json(plane_at(visitor, run, g)[1].text) for g in (2.0, 1.0))
    assert at_densities["traces"] == own["traces"] != at_search["traces"]
    divergence = own["numbers"]["divergence-training"]
    assert at_search["numbers"]["divergence-training"] == pytest.approx(divergence)
    assert at_densities["numbers"]["divergence-training"] > 1.1 * divergence


@pytest.mark.parametrize("gamma", ["", "wide", "0", "11", "nan"])
def test_an_impossible_gamma_is_refused_with_its_rule(finished, gamma):
    status, answer = plane_at(*finished, gamma)
    assert status == 400
    assert "must be a number from 0.1 to 10" in answer.text


def test_a_refined_run_begins_with_the_plane_and_ends_no_lower(studio, finished):
    visitor, run = finished
    assert refined(visitor, run, ELSEWHERE).status_code == 201
    studio.work()
    (record,) = [r for r in studio.store.runs_of(visitor.owner) if r.run_id != run]
    events = studio.store.events(record.run_id)
    assert (record.method, record.state) == ("melm", RunState.DONE)
    assert record.parameters.gamma == ELSEWHERE
    before = studio.store.event(run, 0).components
    assert principal_angles(events[0].components, before).max() < 1e-6
    assert events[-1].objective > events[0].objective
    source = studio.store.get(run)
    for name in ("held_out", "random_state", "n_components"):
        assert getattr(record.parameters, name) == getattr(source.parameters, name)


def test_a_refined_run_has_a_panel_that_says_so(studio, finished):
    visitor, run = finished
    refined(visitor, run, ELSEWHERE)
    assert len(visitor.panels()) == 2
    assert "MELM refined, γ 0.4" in visitor.listed()[1]["title"]


@pytest.mark.slow
def test_a_page_full_of_panels_refines_nothing(finished):
    visitor, run = finished
    for _ in range(MAX_PANELS - 1):
        visitor.press_run(method="pca")
    answer = refined(visitor, run, ELSEWHERE)
    assert (answer.status_code, answer.json["words"]) == (409, PANELS_FULL)


@pytest.mark.parametrize("key", CURVED)
def test_a_curved_picture_cannot_be_refined(studio, visitor, key):
    visitor.choose_sample("iris")
    run = visitor.start(method=key)
    studio.work()
    answer = refined(visitor, run, ELSEWHERE)
    assert answer.status_code == 400
    assert "projection is nonlinear" in answer.json["words"]


def test_nobody_refines_a_foreign_run(studio, finished):
    _, run = finished
    stranger = studio.visitor()
    stranger.choose_sample("wine")
    assert refined(stranger, run, ELSEWHERE).status_code == 404
    assert studio.store.runs_of(stranger.owner) == []


def test_a_method_without_a_kernel_width_chooses_none(finished):
    visitor, run = finished
    profile = visitor.http.get(f"/runs/{run}/gamma-advice").json
    assert (profile["advice"], profile["can_choose"]) == (None, False)
    answer = visitor.http.post(f"/runs/{run}/choose-gamma")
    assert (answer.status_code, "no kernel width" in answer.text) == (400, True)


@pytest.mark.slow
def test_a_run_that_chooses_gamma_recommends_it_to_the_run_that_it_was_begun_from(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="melm", n_init=1)
    studio.work()
    assert visitor.http.post(f"/runs/{run}/choose-gamma").status_code == 201
    studio.work()
    (other,) = [r for r in studio.store.runs_of(visitor.owner) if r.run_id != run]
    profile = visitor.http.get(f"/runs/{run}/gamma-advice").json
    assert profile["advice"]["chosen"] == other.gamma
    assert max(profile["advice"]["accuracies"]) > 0.9


@pytest.mark.slow
def test_every_route_to_the_best_gamma_ends_at_the_same_width(studio, visitor, monkeypatch):
    monkeypatch.setattr(tree, "N_SHUFFLES", 1)
    stream = np.random.default_rng(0)
    table = pd.DataFrame(stream.normal(size=(36, 3)), columns=list("abc"))
    table["kind"] = ["left", "right"] * 18
    table.loc[table["kind"] == "right", "a"] += 1.5
    visitor.choose_file(csv(table), "small.csv")
    run = visitor.start(method="melm", n_init=1)
    studio.work()
    visitor.http.post(f"/runs/{run}/choose-gamma")  # "Find the best γ", which is "auto"
    studio.work()
    found = next(r for r in studio.store.runs_of(visitor.owner) if r.run_id != run)
    answer = visitor.http.get(f"/runs/{run}/gamma-advice").json
    visitor.http.post(f"/runs/{run}/analyses/tree")
    studio.work()
    layout = visitor.http.get(f"/runs/{run}/analyses/tree").json["figures"]["plot"]["layout"]
    (of_tree,) = (one["x"] for one in layout["annotations"] if one["text"] == "recommended")
    of_slider = visitor.news(found.run_id)["gamma"]
    advice = answer["advice"]
    best = max(zip(advice["accuracies"], advice["gammas"], strict=True))[1]
    widths = [advice["chosen"], found.gamma, of_slider, 10**of_tree]
    assert widths == pytest.approx([best] * len(widths))
    assert best in advice["level"]
    assert all(f"{gamma:g}" in answer["advice_words"] for gamma in advice["level"])


def test_one_click_lets_inner_folds_bend_straight_features(studio, visitor):
    visitor.choose_sample("iris")
    run, blind = visitor.start(method="lda"), visitor.start(method="pca")
    studio.work()
    assert visitor.http.post(f"/runs/{run}/curved").status_code == 201
    other = studio.store.get(visitor.panels()[-1])
    assert (other.method, other.parameters.curves) == ("lda", "auto")
    refused = visitor.http.post(f"/runs/{blind}/curved")  # which no label tells what to bend
    assert (refused.status_code, refused.json["words"][:40]) == (
        400,
        "The features of this run cannot bend, or",
    )


@pytest.mark.slow
def test_one_click_finds_one_component_of_the_same_method(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    studio.work()
    assert visitor.http.post(f"/runs/{run}/one-component").status_code == 201
    studio.work()
    (other,) = [r for r in studio.store.runs_of(visitor.owner) if r.run_id != run]
    assert (other.method, other.parameters.n_components) == ("pca", 1)
    nothing = "One component is enough."
    assert visitor.http.get(f"/runs/{run}/planes/0/features").json["second"] == nothing
