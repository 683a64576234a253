"""What the strip says of a run, and the check that it starts."""

from __future__ import annotations

import pytest


@pytest.fixture
def finished(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="lda")
    studio.work()
    return visitor, run


def verdict_of(visitor, run):
    return visitor.frames(run)["runs"][run]["verdict"]


def test_a_run_at_work_has_no_verdict(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="lda")
    assert verdict_of(visitor, run) is None


def test_a_finished_run_says_how_its_held_out_rows_fare(finished):
    visitor, run = finished
    shown = visitor.frames(run)["runs"][run]
    accuracy = shown["plane"]["numbers"]["accuracy-held-out"]
    assert shown["verdict"]["answer"] == ""  # which shuffles give
    assert shown["verdict"]["lead"].startswith(f"{100 * accuracy:.0f} % of held-out rows")
    assert shown["verdict"]["check"] is None


def test_noise_is_called_noise_before_anyone_asks(studio, visitor):
    visitor.choose_sample("pure_noise")
    run = visitor.start(method="lda")
    studio.work()
    verdict = verdict_of(visitor, run)
    assert (verdict["answer"], verdict["offers_curves"]) == ("no", True)
    assert any(note.startswith("Overfit") for note in verdict["notes"])


def test_without_held_out_rows_nothing_is_claimed(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="lda", held_out=0.0)
    studio.work()
    verdict = verdict_of(visitor, run)
    assert verdict["answer"] == "unknown"
    assert "of training rows" in verdict["lead"]


@pytest.mark.slow
def test_a_better_run_on_the_same_rows_is_named(studio, visitor):
    visitor.choose_sample("digits")
    worse = visitor.start(method="pca")
    studio.work()
    assert "A quick LDA tells more apart" in verdict_of(visitor, worse)["notes"][0]
    visitor.start(method="lda")
    studio.work()
    assert verdict_of(visitor, worse)["notes"][0].startswith("LDA")


def test_a_check_is_queued_answers_in_the_strip_and_is_not_queued_twice(studio, finished):
    visitor, run = finished
    for _ in range(2):
        visitor.command(run, "analyses/check")
    checks = [r for r in studio.store.runs_of(visitor.owner) if r.kind == "check"]
    assert len(checks) == 1
    waiting = verdict_of(visitor, run)["check"]
    assert (waiting["stage"], waiting["is_final"]) == ("waiting for a free worker", False)
    studio.work()
    verdict = verdict_of(visitor, run)
    assert verdict["answer"] == "yes"
    assert verdict["lead"].startswith("Yes. ")
    assert "None of 19 shuffles came close" in verdict["follow"]
    assert verdict["check"]["is_final"]


def test_a_check_can_be_stopped(studio, finished):
    visitor, run = finished
    visitor.command(run, "analyses/check")
    visitor.command(run, "analyses/check/stop")
    assert verdict_of(visitor, run)["check"] is None
