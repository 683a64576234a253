"""A table with batches: what the page says of them, and runs that are blind to them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from callbacks.routes.api.endpoints import PREFIX
from melm_core.datasets import batches
from melm_studio.layout import ids
from tests.callbacks.tables import csv

BATCHES = np.array(["spring", "summer", "fall"])


def table(n_rows: int = 240) -> pd.DataFrame:
    X, y, batch = batches(0, n_rows)
    frame = pd.DataFrame(X[:, :5], columns=[f"f{i}" for i in range(5)])
    return frame.assign(batch=BATCHES[batch], tumor=np.array(["benign", "malignant"])[y])


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor's run that ignores batches, and one that is blind to them."""
    visitor = studio.visitor()
    visitor.choose_file(csv(table()), "batches.csv")
    visitor.set_own("nuisance_weight", 0)
    plain = visitor.start(n_init=2)
    visitor.set_own("nuisance_weight", 4)
    blind = visitor.start(n_init=2)
    pca = visitor.start(method="pca")
    studio.work()
    return SimpleNamespace(visitor=visitor, plain=plain, blind=blind, pca=pca, store=studio.store)


def plane(finished, run: str, query: str = "") -> dict:
    last = finished.store.last_event(run).sequence
    return finished.visitor.http.get(f"/runs/{run}/planes/{last}?{query}").get_json()


@pytest.mark.slow
def test_every_method_says_how_well_batches_are_told_apart(finished):
    for run in (finished.plain, finished.blind, finished.pca):
        words = plane(finished, run)["batches"]["words"]
        assert words.startswith("Told apart: ")
        assert words.endswith(" % of held-out rows, guessing 33 %.")
        verdict = finished.visitor.news(run)["verdict"]
        notes = (verdict["caution"], *verdict["notes"])
        shares = words.removeprefix("Told apart: ")
        assert any(note.endswith(f"this picture: {shares}") for note in notes)


def test_programs_are_told_the_same_of_batches_as_the_page(finished):
    http = finished.visitor.http
    headers = {"Authorization": f"Bearer {http.post(f'{PREFIX}/tokens').json['token']}"}
    told = http.get(f"{PREFIX}/runs/{finished.pca}/result", headers=headers).json["batches"]
    notes = finished.visitor.news(finished.pca)["verdict"]["notes"]
    assert told["words"] in notes
    assert told["chance"] == pytest.approx(1 / 3, abs=0.01)
    shown = plane(finished, finished.pca)["batches"]["words"]
    assert f"{round(100 * told['accuracy_held_out'])} %" in shown


def test_only_melm_can_act_on_batches(finished):
    runs = (finished.plain, finished.blind, finished.pca)
    can_act = [plane(finished, run)["batches"]["can_act"] for run in runs]
    assert can_act == [True, True, False]


def test_a_weight_is_a_parameter_of_the_run_and_its_title(finished):
    plain, blind = (finished.store.get(run) for run in (finished.plain, finished.blind))
    assert "nuisance_weight" not in plain.parameters.own
    assert blind.parameters.own["nuisance_weight"] == 4
    assert "batch weight 4" in str(finished.visitor.listed())


def test_the_divergence_of_a_blind_run_is_that_of_the_classes(finished):
    event = finished.store.last_event(finished.blind)
    shown = plane(finished, finished.blind)
    assert shown["numbers"]["divergence-training"] > event.objective
    # The objective has no held-out counterpart.
    assert finished.visitor.news(finished.blind)["held_out"] == []


def test_a_view_refits_the_plane_with_another_weight(finished):
    shown = plane(finished, finished.plain, "batch_weight=4")
    own, blind = (plane(finished, run) for run in (finished.plain, finished.blind))
    assert shown["numbers"] != own["numbers"]
    assert shown["numbers"]["divergence-training"] < own["numbers"]["divergence-training"]
    found, searched = (view["numbers"]["divergence-training"] for view in (shown, blind))
    assert found == pytest.approx(searched, rel=0.05)


@pytest.mark.parametrize("weight", ["-1", "11", "much"])
def test_a_weight_beyond_the_slider_is_refused(finished, weight):
    last = finished.store.last_event(finished.plain).sequence
    answer = finished.visitor.http.get(
        f"/runs/{finished.plain}/planes/{last}?batch_weight={weight}"
    )
    assert answer.status_code == 400
    assert "Batch weight" in answer.get_data(as_text=True)


def test_the_trade_off_has_the_numbers_of_the_pictures(finished):
    last = finished.store.last_event(finished.plain).sequence
    address = f"/runs/{finished.plain}/planes/{last}/trade-off"
    found = finished.visitor.http.get(address).get_json()
    assert found["chance"] == 0.5
    points = {point["weight"]: point for point in found["points"]}
    assert list(points) == [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0]
    for weight, query in ((0.0, ""), (4.0, "batch_weight=4")):
        numbers = plane(finished, finished.plain, query)["numbers"]
        assert points[weight]["accuracy"] == numbers["accuracy-held-out"]
    assert points[0.0]["batch_chance"] == pytest.approx(1 / 3)
    drawn = found["figures"]["plot"]
    assert [trace["name"] for trace in drawn["data"]] == ["classes", "batches"]
    assert drawn["layout"]["xaxis"]["type"] == "category"  # weights are spaced evenly
    assert [line["y0"] for line in drawn["layout"]["shapes"]] == [0.5, points[0.0]["batch_chance"]]
    assert found["words"] in found["markup"]  # as the description of the chart


def test_refine_from_here_keeps_the_weight_of_the_picture(studio, finished):
    last = finished.store.last_event(finished.plain).sequence
    address = f"/runs/{finished.plain}/planes/{last}/refine?batch_weight=2"
    before = {record.run_id for record in studio.store.runs_of(finished.visitor.owner)}
    assert finished.visitor.http.post(address, json={}).status_code == 201
    (refined,) = (
        record
        for record in studio.store.runs_of(finished.visitor.owner)
        if record.run_id not in before
    )
    assert refined.parameters.own["nuisance_weight"] == 2


def test_a_table_without_batches_shows_nothing_of_them(studio, visitor):
    visitor.choose_sample("iris")
    visitor.set_own("nuisance_weight", 4)  # of a control that is hidden
    run = visitor.start(n_init=1)
    studio.work()
    assert "nuisance_weight" not in studio.store.get(run).parameters.own
    news = visitor.news(run)
    assert news["plane"]["batches"] is None
    assert not any("atches" in note for note in news["verdict"]["notes"])


def test_a_weight_is_refused_where_class_and_batch_coincide(visitor):
    frame = table()
    confounded = frame.assign(batch=frame["tumor"].map({"benign": "A", "malignant": "B"}))
    roles = {"batch": "batch"}
    visitor.choose_file(csv(confounded), "confounded.csv", label="tumor", roles=roles)
    visitor.set_own("nuisance_weight", 1)
    refusal = visitor.press_run()[f"{ids.RUN_ERROR}.children"]
    assert "nothing can tell the classes from the batch" in refusal
