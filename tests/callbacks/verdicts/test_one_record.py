"""The numbers of a plane are those of one record wherever they stand, in every studio."""

from __future__ import annotations

import html
import io
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from callbacks.routes.api.endpoints import PREFIX
from lab.driver.traces import enclosed, points
from lab.driver.visitor import opened_studio
from melm_core.base import percent
from melm_studio.layout import ids
from melm_studio.planes.class_outlines import CONTOUR_SHARES
from melm_studio.scores import accuracy_text, divergence_text, importance_sentence, share_text
from melm_studio.tables import load_sample
from tests.callbacks.routes.talks.messages import newest
from tests.callbacks.routes.test_project_file import open_project, save
from tests.callbacks.tables import csv
from tests.callbacks.test_compare import cells, numbers_of
from tests.melm_studio.publication.test_program import computed

RUNS = {
    "wine by MELM, refitted": {"method": "melm", "max_iter": 20, "held_out": ""},
    "noise by PCA": {"method": "pca"},
    "wine by LDA, refitted": {"method": "lda", "held_out": ""},
    "noise by PCA, refitted": {"method": "pca", "held_out": ""},
    "wine by LDA": {"method": "lda"},
    "wine by MELM": {"method": "melm", "max_iter": 20},
}
# One of each data set, with and without refits; the others are of the slow lane.
QUICK = list(RUNS)[:2]


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Another studio, whose folder is empty."""
    with opened_studio(tmp_path_factory.mktemp("other")) as studio:
        yield studio


@pytest.fixture(
    scope="module",
    params=[pytest.param(run, marks=() if run in QUICK else pytest.mark.slow) for run in RUNS],
)
def walked(request, studio, other):
    """A run, the record of its plane as programs receive it, and those who look at it."""
    visitor = studio.visitor()
    if request.param.startswith("wine"):
        visitor.choose_sample("wine")
        file = csv(load_sample("wine").frame)
    else:
        file = csv(noise())
        visitor.choose_file(file, "noise.csv")
    run = visitor.start(**RUNS[request.param])
    studio.work()
    if request.param.endswith("refitted"):
        assert visitor.http.post(f"/runs/{run}/analyses/refits").status_code == 201
        studio.work()
    newcomer = other.visitor()
    opened = open_project(newcomer, save(visitor))
    newcomer.choose(opened.json["source"])
    again = studio.visitor(visitor.cookie)
    again.choose(visitor.values[f"{ids.DATA}.data"]["source"])
    return SimpleNamespace(
        studio=studio,
        other=other,
        file=file,
        run=run,
        record=result_of(visitor, run),
        is_refitted=request.param.endswith("refitted"),
        again=again,
        visitor=visitor,
        newcomer=newcomer,
        there=newcomer.panels()[-1],
    )


def noise() -> pd.DataFrame:
    """Two classes that nothing tells apart."""
    values = np.random.default_rng(0).normal(size=(120, 6)).round(3)
    table = pd.DataFrame(values, columns=[f"sensor_{i}" for i in range(6)])
    return table.assign(label=["a", "b"] * 60)


def result_of(visitor, run: str) -> dict:
    token = visitor.http.post(f"{PREFIX}/tokens").json["token"]
    access = {"Authorization": f"Bearer {token}"}
    return visitor.http.get(f"{PREFIX}/runs/{run}/result", headers=access).json


def says(strip, sentence: str) -> bool:
    """Whether the parts of a strip, with what narrow panels leave out, are those of a sentence."""
    qualifiers = f"{strip['follow']}{strip.get('more', '')}"
    of_folds = f"{strip['lead']}. {qualifiers}".strip()
    return sentence in (of_folds, f"{strip['lead']} ({qualifiers}).")


def assert_same(found: dict, record: dict) -> None:
    """Results are the same, but for what is each studio's own: the name of the run, its title."""
    one, other = ({**each, "run": each["run"]["divergence"]} for each in (found, record))
    assert one == other


def table_of(visitor, *runs: str) -> list[list[str]]:
    """The rows of the table of Compare."""
    return cells(numbers_of(visitor, *runs))


def features_of(visitor, run: str) -> pd.DataFrame:
    """The features of the components of a run, with what prepares them."""
    return pd.read_csv(io.BytesIO(visitor.http.get(f"/runs/{run}/components.csv").data))


def lookers(walked) -> list[tuple]:
    """The visitor, the same after a reload, and who opened the project in another studio."""
    return [
        (walked.visitor, walked.run),
        (walked.again, walked.run),
        (walked.newcomer, walked.there),
    ]


def test_strip_and_tooltip_have_the_numbers_of_the_record(walked):
    record = walked.record
    for visitor, run in lookers(walked):
        news = visitor.news(run)
        numbers = news["plane"]["numbers"]
        assert numbers["divergence-training"] == record["run"]["divergence"]
        assert numbers["accuracy-training"] == record["accuracy_train"]
        assert numbers["accuracy-held-out"] == record["accuracy_held_out"]
        said = news["verdict"]
        assert says(said, record["words"])
        shown = walked.visitor.news(walked.run)
        assert (news["plane"]["strip"], said) == (shown["plane"]["strip"], shown["verdict"])


def test_densities_of_another_width_leave_the_shares_as_they_were_judged(walked):
    if not walked.is_refitted:
        return
    last = walked.visitor.news(walked.run)["plane"]
    at = {"query_string": {"gamma": 0.25}}
    narrow = walked.visitor.http.get(f"/runs/{walked.run}/planes/{last['sequence']}", **at).json
    numbers = narrow["numbers"]
    assert narrow["strip"] == last["strip"]
    assert numbers["accuracy-held-out"] == walked.record["accuracy_held_out"]
    assert numbers["accuracy-training"] == walked.record["accuracy_train"]
    assert numbers["divergence-training"] != last["numbers"]["divergence-training"]
    assert numbers["divergence-held-out"] is None


def test_the_curve_ends_at_the_plane_that_is_shown(walked):
    held_out = set()
    for visitor, run in lookers(walked):
        news = visitor.frames(f"{run}:-1")["runs"][run]
        numbers = news["plane"]["numbers"]
        assert news["best"][-1] == pytest.approx(numbers["divergence-training"], rel=1e-6)
        assert (news["refitted"] is not None) == walked.is_refitted
        if not walked.is_refitted:
            sequence, value = news["held_out"][-1]
            assert sequence == news["plane"]["sequence"]
            assert value == pytest.approx(numbers["divergence-held-out"], rel=1e-9)
        elif (curve := news["refitted"]["curve"]) is not None:
            assert curve["x"][-1] == news["plane"]["sequence"]
            assert curve["mean"][-1] == numbers["divergence-held-out"]
        held_out.add(numbers["divergence-held-out"])  # also of a method that does not search
    assert len(held_out) == 1
    assert None not in held_out


def test_every_row_is_where_the_refits_of_the_record_put_it(walked):
    if not walked.is_refitted:
        return
    shown = []
    for visitor, run in lookers(walked):
        token = visitor.http.post(f"{PREFIX}/tokens").json["token"]
        access = {"Authorization": f"Bearer {token}"}
        refits = visitor.http.get(f"{PREFIX}/runs/{run}/refits", headers=access).json
        assert refits["share"] == walked.record["accuracy_held_out"]
        plane = visitor.news(run)["plane"]
        assert plane["places"]["state"] == "unseen"
        shown.append((refits["places"], plane["places"], plane["traces"], plane["limits"]))
    assert shown[0] == shown[1] == shown[2]
    fitted = walked.visitor.http.get(
        f"/runs/{walked.run}/planes/{plane['sequence']}", query_string={"places": "fitted"}
    ).json
    assert fitted["places"]["state"] == "fitted"
    assert fitted["limits"] == plane["limits"]
    assert fitted["traces"] != plane["traces"]


def test_contours_hold_of_the_drawn_rows_what_the_record_says(walked):
    regions = {(one["class"], one["share"]): one for one in walked.record["regions"]}
    assert regions
    classes = sorted({name for name, _ in regions})
    n_contours = len(CONTOUR_SHARES)
    for visitor, run in lookers(walked):
        traces = visitor.news(run)["plane"]["traces"]
        judged = n_contours * len(classes) + (0 if walked.is_refitted else len(classes))
        for code, name in enumerate(classes):
            rows = points(traces[judged + code])
            for before, share in enumerate(reversed(CONTOUR_SHARES)):
                lines = points(traces[n_contours * code + before])
                assert np.isfinite(lines).any() == ((name, share) in regions)
                if (name, share) in regions:
                    found = regions[name, share]["held_out"]
                    # A row that is left out of its density may lie beyond what it draws.
                    assert share - 0.05 <= found <= enclosed(lines, rows).mean() + 0.01


def test_the_error_of_the_share_is_that_of_the_refits_wherever_it_is_said(walked):
    if not walked.is_refitted:
        return
    for visitor, run in lookers(walked):
        token = visitor.http.post(f"{PREFIX}/tokens").json["token"]
        access = {"Authorization": f"Bearer {token}"}
        refits = visitor.http.get(f"{PREFIX}/runs/{run}/refits", headers=access).json
        said = percent(refits["share"], refits["standard_error"])
        assert said in walked.record["words"].lower()  # "Over 99" where a sentence begins with it


def test_programs_receive_the_same_in_every_studio(walked):
    for visitor, run in lookers(walked):
        found = result_of(visitor, run)
        assert_same(found, walked.record)


@pytest.mark.parametrize("file", ["report.html", "replay.html"])
def test_documents_print_the_numbers_of_the_record(walked, file):
    record = walked.record
    for visitor, run in lookers(walked):
        written = re.sub(r"<[^>]+>", "", visitor.http.get(f"/runs/{run}/{file}").text)
        text = " ".join(html.unescape(written).split())
        assert record["words"].removesuffix(".") in text
        share = record["accuracy_held_out"]
        said = f"{share_text(share).removesuffix(' %')}|{100 * share:.1f}"
        assert re.search(rf"({said})( ± [\d.]+)? %", text, re.IGNORECASE)
        if file == "report.html":
            assert divergence_text(record["run"]["divergence"]) in text


def test_the_list_of_features_says_what_the_record_says(walked):
    losses = {one["feature"]: one for one in walked.record["importance"]}
    for visitor, run in lookers(walked):
        sequence = visitor.news(run)["plane"]["sequence"]
        listed = visitor.http.get(f"/runs/{run}/planes/{sequence}/features").json
        assert listed["of"] == len(losses)
        for entry in listed["features"]:
            one = losses[entry["name"]]
            said = importance_sentence(one["loss"], one["error"], one["share_loss"])
            assert entry["words"] == said
        worth = [losses[one["name"]]["loss"] for one in listed["features"]]
        assert worth == sorted(worth, reverse=True)


def test_the_table_of_compare_has_the_numbers_of_the_record(walked):
    record = walked.record
    for visitor, run in lookers(walked):
        held_out = visitor.news(run)["plane"]["numbers"]["divergence-held-out"]
        expected = [
            divergence_text(record["run"]["divergence"]),
            divergence_text(held_out),
            accuracy_text(record["accuracy_train"]),
            accuracy_text(record["accuracy_held_out"]),
        ]
        found = dict(zip(visitor.panels(), table_of(visitor, *visitor.panels()), strict=True))
        assert found[run][1:5] == expected
        answer = visitor.http.get("/compare/table.csv", query_string={"run": run})
        (row,) = pd.read_csv(io.BytesIO(answer.data)).to_dict("records")
        assert row["divergence_training"] == pytest.approx(record["run"]["divergence"])
        assert row["divergence_held_out"] == pytest.approx(held_out or np.nan, nan_ok=True)
        assert row["accuracy_training"] == pytest.approx(record["accuracy_train"])
        assert row["accuracy_held_out"] == pytest.approx(record["accuracy_held_out"])


@pytest.mark.slow
def test_figures_for_print_have_the_axes_and_the_points_of_the_page(walked):
    drawn = set()
    for visitor, run in lookers(walked):
        plane = visitor.news(run)["plane"]
        body = {"panels": [{"run": run}], "format": "svg"}
        answer = visitor.http.post("/figure", json=body)
        assert answer.status_code == 200, answer.text
        text = html.unescape(answer.text)
        for title in plane["axes"]:
            assert title in text
        drawn.add(re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL))
    assert len(drawn) == 1


@pytest.mark.slow
def test_programs_that_are_downloaded_compute_the_points_of_the_record(walked):
    for visitor, run in lookers(walked):
        script = visitor.http.get(f"/runs/{run}/script.py").text
        raw = visitor.http.get(f"/runs/{run}/points.csv").data
        points = pd.read_csv(io.BytesIO(raw)).set_index("row")
        names = ["component_1", "component_2"]
        found = computed(script, walked.file).loc[points.index, names]
        pd.testing.assert_frame_equal(found, points[names], rtol=0, atol=1e-9)
        features = features_of(visitor, run)
        values = pd.read_csv(io.BytesIO(walked.file))[list(features["feature"])]
        prepared = (values.to_numpy() - features["center"].values) / features["scale"].values
        coordinates = prepared[points.index - 1] @ np.array(walked.record["components"]).T
        np.testing.assert_allclose(points[names], coordinates, rtol=0, atol=1e-9)


def test_phones_say_what_the_record_says(walked):
    studios = (walked.studio, walked.studio, walked.other)
    for studio, (visitor, run) in zip(studios, lookers(walked), strict=True):
        plane = visitor.news(run)["plane"]
        link = visitor.http.post("/talk", json={}).json["talk"]["link"]
        shown = {"run": run, "plane": plane["sequence"]}
        answer = visitor.http.post("/talk/shown", json=shown)
        assert answer.status_code == 200
        viewer = studio.app.server.test_client()
        picture = newest(viewer.get(f"/t/{link.rpartition('/')[2]}/pictures").data)
        assert says(picture, walked.record["words"])
        nats = [
            walked.record["run"]["divergence"],
            plane["numbers"]["divergence-held-out"],
        ]
        assert [text for _, text in picture["numbers"]] == [
            divergence_text(value, unit=True) for value in nats if value is not None
        ]
        for name in ("traces", "limits"):
            assert picture[name] == plane[name], name
        assert visitor.http.post("/talk/end", json={}).status_code == 200
