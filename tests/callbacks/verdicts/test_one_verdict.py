"""What is said of a checked run is the same wherever it stands."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace

import pytest

from callbacks.routes.api.endpoints import PREFIX
from melm_studio.programs.models import Check, Result
from melm_studio.programs.run_table import MethodResult
from melm_studio.validation import read
from tests.callbacks.routes.talks.messages import newest


@pytest.fixture(scope="module")
def checked(studio):
    """The strip of a run with a check, and a program's access to it."""
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    run = visitor.start(method="lda")
    studio.work()
    visitor.command(run, "analyses/check")
    studio.work()
    token = visitor.http.post(f"{PREFIX}/tokens").json["token"]
    strip = visitor.news(run)["verdict"]
    return SimpleNamespace(
        http=visitor.http,
        run=run,
        strip=strip,
        sentence=f"{strip['lead']}. {strip['follow']}",
        access={"Authorization": f"Bearer {token}"},
        viewer=studio.app.server.test_client(),
    )


def text_of(checked, address: str) -> str:
    written = re.sub(r"<[^>]+>", "", checked.http.get(address).text)
    return " ".join(html.unescape(written).split())


def answer_of(checked, address: str) -> dict:
    return checked.http.get(f"{PREFIX}/runs/{checked.run}/{address}", headers=checked.access).json


@pytest.mark.slow
def test_the_strip_says_it_all_and_aloud(checked):
    assert checked.sentence.startswith("Yes. ")
    assert "shuffles" in checked.strip["follow"]
    assert checked.strip["spoken"] == checked.sentence


def test_list_and_tooltip_hold_the_same_notes(checked):
    assert checked.strip["tooltip"] == " ".join(checked.strip["notes"])


@pytest.mark.parametrize("file", ["report.html", "replay.html"])
def test_report_and_replay_say_the_same(checked, file):
    assert checked.sentence.removesuffix(".") in text_of(checked, f"/runs/{checked.run}/{file}")


def test_phones_say_the_same(checked):
    link = checked.http.post("/talk", json={}).json["talk"]["link"]
    shown = {"run": checked.run, "plane": 0}
    assert checked.http.post("/talk/shown", json=shown).status_code == 200
    path = "/t/" + link.rpartition("/")[2]
    picture = newest(checked.viewer.get(f"{path}/pictures").data)
    assert f"{picture['lead']}. {picture['follow']}" == checked.sentence


def test_programs_and_the_terminal_say_the_same(checked):
    result, check = answer_of(checked, "result"), answer_of(checked, "check")
    assert result["words"] == check["words"] == checked.sentence
    found = MethodResult("lda", read(result, Result, "it"), check=read(check, Check, "it"))
    assert found.sentence == checked.sentence


def test_the_shares_are_those_of_the_report_of_the_check(checked):
    assert answer_of(checked, "check")["answer"] == checked.strip["answer"] == "yes"
