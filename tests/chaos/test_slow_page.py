"""A slow page skips planes, but delays nobody and receives every objective value."""

from __future__ import annotations

import numpy as np
import pytest

from lab.driver.visitor import opened_studio
from melm_studio.runs.records.run import RunState
from tests.melm_studio.runs.helpers import plane

N_PLANES = 50


@pytest.fixture
def studio(tmp_path):
    with opened_studio(tmp_path) as studio:
        yield studio


def show(studio, run, numbers):
    for number in numbers:
        frame, _ = np.linalg.qr(np.random.default_rng(number).normal(size=(4, 2)))
        studio.store.append(run, plane(float(number), components=frame.T))


@pytest.fixture
def working(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    run = visitor.start()
    studio.store.transition(run, {RunState.QUEUED}, state=RunState.RUNNING)
    return visitor, run


@pytest.mark.fault
def test_a_page_that_asks_rarely_gets_the_newest_plane_and_every_number(studio, working):
    visitor, run = working
    show(studio, run, range(N_PLANES))
    news = visitor.news(f"{run}:-1")
    assert news["plane"]["sequence"] == N_PLANES - 1
    assert news["sequences"] == list(range(N_PLANES))
    assert news["objective"] == [float(number) for number in range(N_PLANES)]
    assert visitor.news(f"{run}:{N_PLANES - 1}")["plane"] is None


@pytest.mark.slow
def test_a_slow_page_and_a_fast_one_see_the_same_run(studio, working):
    slow, run = working
    fast, seen = studio.visitor(cookie=slow.cookie), []
    for number in range(N_PLANES):
        show(studio, run, [number])
        seen += fast.news(f"{run}:{number - 1}")["objective"]
    assert slow.news(f"{run}:-1")["objective"] == seen
