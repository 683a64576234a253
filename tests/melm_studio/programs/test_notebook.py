"""A notebook hands its table to a studio and gets planes and figures back."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import psutil
import pytest
import requests

import melm_studio
from melm_core.base import UserError
from melm_studio.programs.local_studio import LocalStudio
from tests.melm_studio.runs.helpers import wait_until


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["kind"] = np.repeat(["x", "y"], 30)
    frame.loc[frame["kind"] == "y", ["a", "b"]] += 4.0
    return frame


@pytest.fixture(scope="module")
def studio(frame):
    with melm_studio.show(frame, label="kind", method="lda", name="points") as studio:
        yield studio


def opened(studio) -> requests.Session:
    """A browser that shows the frame of the cell."""
    (address,) = re.findall(r'href="([^"]+)"', studio._repr_html_())
    browser = requests.Session()
    answer = browser.get(address, timeout=60)
    assert answer.status_code == 200
    assert "method=lda" in answer.url
    return browser


@pytest.mark.slow
def test_the_page_may_be_shown_by_a_notebook_of_this_machine(studio):
    answer = requests.get(f"{studio.url}/health", timeout=60)
    policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*" in policy
    assert "X-Frame-Options" not in answer.headers


@pytest.mark.slow
def test_what_runs_in_the_frame_is_there_for_the_notebook(studio, frame):
    with pytest.raises(UserError, match="no run yet"):
        studio.plane()
    browser = opened(studio)
    api, table = f"{studio.url}/api/v1", frame.to_csv(index=False).encode()
    assert browser.get(f"{api}/runs").json() == {"runs": []}
    stored = browser.post(f"{api}/files", files={"file": ("points.csv", table)}).json()
    source = {"kind": "upload", **stored, "label": "kind"}
    run = browser.post(f"{api}/runs", json={"source": source, "method": "lda"}).json()
    wait_until(lambda: browser.get(f"{api}/runs/{run['id']}").json()["state"] == "done")
    assert studio.runs()[["title", "state"]].to_numpy().tolist() == [[run["title"], "done"]]
    plane = studio.plane(run["title"])
    assert (plane.predict(frame) == frame["kind"]).mean() > 0.9
    assert studio.figure()._repr_svg_().startswith(("<?xml", "<svg"))
    with pytest.raises(UserError, match=run["title"]):
        studio.plane("another")


@pytest.mark.slow
def test_a_method_runs_without_the_page(studio, frame):
    title = studio.run("pca", random_state=3)
    assert studio.runs()["title"].iloc[-1] == title
    assert studio.plane(title).transform(frame).shape == (60, 2)
    with pytest.raises(UserError, match="umap"):
        studio.run("umap")


def test_behind_a_notebook_server_browsers_have_another_address_than_programs():
    studio = LocalStudio.below("https://hub.example.org/user/ann/", 9000)
    assert studio.page == "https://hub.example.org/user/ann/proxy/9000"
    assert studio.url == "http://127.0.0.1:9000/user/ann/proxy/9000"
    assert studio.path_prefix == "/user/ann/proxy/9000"
    assert "hub.example.org" in studio.hosts


@pytest.mark.slow
def test_what_is_no_address_of_a_notebook_server_is_refused_before_a_studio_starts(frame):
    with pytest.raises(UserError, match="'hub' is not the address"):
        melm_studio.show(frame, server="hub")


@pytest.mark.slow
def test_a_table_that_is_refused_leaves_no_studio(frame):
    before = {child.pid for child in psutil.Process().children()}
    with pytest.raises(UserError, match="species"):
        melm_studio.show(frame, label="species")
    wait_until(lambda: {child.pid for child in psutil.Process().children()} <= before)
