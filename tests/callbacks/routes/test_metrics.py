"""Prometheus reads how the studio does."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from lab.driver.visitor import opened_studio
from melm_studio.runs.records.run import RunState


@pytest.fixture
def studio(tmp_path):
    """One a test: the metrics count what all visitors do."""
    with opened_studio(tmp_path) as studio:
        yield studio


def samples(studio):
    """Every value by its name, and its state where it has one."""
    text = studio.app.server.test_client().get("/metrics").text
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_runs_are_counted_by_state_until_they_end_and_afterwards(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    runs = [visitor.start(method="pca") for _ in range(3)]
    studio.store.claim_looked_at()
    studio.store.transition(runs[0], {RunState.QUEUED}, state=RunState.RUNNING)
    found = samples(studio)
    assert (found["melm_runs queued"], found["melm_runs running"]) == (2, 1)
    assert (found["melm_runs paused"], found["melm_queue_length"]) == (0, 2)
    studio.work()
    found = samples(studio)
    assert (found["melm_runs queued"], found["melm_queue_length"]) == (0, 0)
    assert found["melm_runs_ended_total done"] == 2
    assert found["melm_run_seconds_total done"] > 0
    assert found["melm_runs_ended_total failed"] == 0


@pytest.mark.slow
def test_frames_are_counted_as_they_are_served(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    assert samples(studio)["melm_frames_served_total"] == 0
    for _ in range(3):
        visitor.frames(run)
    assert samples(studio)["melm_frames_served_total"] == 3


def test_the_answer_names_its_format(studio):
    answer = studio.app.server.test_client().get("/metrics")
    assert answer.content_type.startswith("text/plain; version=")
