"""Every action leaves a line, which names nobody."""

from __future__ import annotations

import logging

import pytest


@pytest.fixture
def records(caplog):
    """What was logged of actions."""
    caplog.set_level(logging.INFO, logger="melm.audit")
    return lambda: [record for record in caplog.records if record.name == "melm.audit"]


@pytest.fixture
def lines(records):
    return lambda: [(record.getMessage(), record.status) for record in records()]


def test_an_action_leaves_a_line_and_looking_leaves_none(visitor, lines, records):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    visitor.frames(run)
    visitor.command(run, "remove")
    assert lines() == [("/runs", 201), ("/runs/<run_id>/remove", 200)]
    assert records()[-1].run == run
    (name,) = {record.visitor for record in records()}
    assert name == visitor.owner[:8] != visitor.owner


def test_a_refused_action_leaves_a_line_too(visitor, lines):
    visitor.http.post("/runs/unknown/remove", json={})
    assert lines() == [("/runs/<run_id>/remove", 404)]


@pytest.mark.parametrize("body", ["text", {"changedPropIds": [{}]}, {"changedPropIds": "x"}, []])
def test_a_malformed_call_is_no_action_and_no_error(visitor, lines, body):
    assert visitor.http.post("/_dash-update-component", json=body).status_code == 400
    assert lines() == []


def test_the_key_of_a_link_is_not_logged(visitor, lines):
    visitor.http.post("/recovery/key")
    assert lines() == [("/recovery/<key>", 404)]
