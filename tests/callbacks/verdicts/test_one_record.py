"""The numbers of a plane are those of one record wherever they stand, in every studio."""

from __future__ import annotations

import html
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from callbacks.routes.api.endpoints import PREFIX
from melm_studio.scores import divergence_text, share_text
from tests.callbacks.routes.talks.messages import newest
from tests.callbacks.routes.test_project_file import open_project, save
from tests.callbacks.tables import csv
from tools.driver.visitor import opened_studio

RUNS = {
    "wine by LDA": {"method": "lda"},
    "wine by MELM": {"method": "melm", "max_iter": 20},
    "noise by PCA": {"method": "pca"},
}


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Another studio, whose folder is empty."""
    with opened_studio(tmp_path_factory.mktemp("other")) as studio:
        yield studio


@pytest.fixture(scope="module", params=RUNS)
def walked(request, studio, other):
    """A run, the record of its plane as programs receive it, and those who look at it."""
    visitor = studio.visitor()
    if request.param.startswith("wine"):
        visitor.choose_sample("wine")
    else:
        visitor.choose_file(csv(noise()), "noise.csv")
    run = visitor.start(**RUNS[request.param])
    studio.work()
    newcomer = other.visitor()
    opened = open_project(newcomer, save(visitor))
    newcomer.choose(opened.json["source"])
    return SimpleNamespace(
        studio=studio,
        run=run,
        record=result_of(visitor, run),
        again=studio.visitor(visitor.cookie),
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
    return sentence == f"{strip['lead']} ({strip['follow']}{strip.get('more', '')})."


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


def test_the_curve_ends_at_the_plane_that_is_shown(walked):
    for visitor, run in lookers(walked):
        news = visitor.frames(f"{run}:-1")["runs"][run]
        numbers = news["plane"]["numbers"]
        assert news["best"][-1] == pytest.approx(numbers["divergence-training"], rel=1e-6)
        sequence, value = news["held_out"][-1]
        assert sequence == news["plane"]["sequence"]
        assert value == pytest.approx(numbers["divergence-held-out"], rel=1e-9)


def test_programs_receive_the_same_in_every_studio(walked):
    for visitor, run in lookers(walked):
        found = result_of(visitor, run)
        for name in ("components", "accuracy_train", "accuracy_held_out", "chance", "words"):
            assert found[name] == walked.record[name], name


@pytest.mark.parametrize("file", ["report.html", "replay.html"])
def test_documents_print_the_numbers_of_the_record(walked, file):
    record = walked.record
    for visitor, run in lookers(walked):
        text = " ".join(html.unescape(visitor.http.get(f"/runs/{run}/{file}").text).split())
        assert record["words"].removesuffix(".") in text
        assert share_text(record["accuracy_held_out"]) in text
        if file == "report.html":
            assert divergence_text(record["run"]["divergence"]) in text


def test_phones_say_what_the_record_says(walked):
    link = walked.visitor.http.post("/talk", json={}).json["talk"]["link"]
    shown = {
        "run": walked.run,
        "plane": walked.visitor.news(walked.run)["plane"]["sequence"],
    }
    answer = walked.visitor.http.post("/talk/shown", json=shown)
    assert answer.status_code == 200
    viewer = walked.studio.app.server.test_client()
    picture = newest(viewer.get(f"/t/{link.rpartition('/')[2]}/pictures").data)
    assert says(picture, walked.record["words"])
