"""Every run ends in a final state with a message, however it ends."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace

from melm_core.base.progress import Progress
from melm_core.linalg.planes import align_planes
from melm_core.melm.objective import cauchy_schwarz_divergence
from melm_core.methods import METHODS
from melm_studio.configuration.messages import (
    DATA_GONE,
    NO_MEMORY,
    OTHER_VERSION,
    STOPPED,
    UNEXPECTED,
)
from melm_studio.runs.execution.rows import split_of
from melm_studio.runs.records.outcome import NO_OUTCOME, FitOutcome
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.attempts import requeue
from melm_studio.workers import execute
from melm_studio.workers.execute import execute_queued, execute_run
from melm_studio.workers.recorder import Recorder
from tests.melm_studio.runs.helpers import (
    PARAMETERS,
    assert_same_plane,
    blobs,
    plane,
    queue_run,
    run_of,
)
from tests.melm_studio.runs.processes import PROJECT_ROOT


def worked(store, data, method="melm", **parameters):
    record = queue_run(store, data, method, **parameters)
    execute_queued(store)
    return store.get(record.run_id)


def fitted(data, method="melm", callback=None, **parameters):
    return METHODS[method].estimator(PARAMETERS | parameters, callback).fit(data.X, data.y)


def cancel_at(store, sequence, monkeypatch):
    append = store.append

    def append_and_cancel(run_id, event):
        if append(run_id, event) == sequence:
            store.cancel(run_id)
        return sequence

    monkeypatch.setattr(store, "append", append_and_cancel)


class Stumbling:
    """An estimator that reports planes of the given objectives and then fails."""

    def __init__(self, error, objectives, callback):
        self.error, self.objectives, self.callback = error, objectives, callback

    def fit(self, X, y):
        for iteration, objective in enumerate(self.objectives):
            components = plane(seed=iteration).components
            best = max(self.objectives[: iteration + 1])
            self.callback(
                Progress(components, objective, best, 1, 1, iteration, iteration, "start", 0.5, 0.1)
            )
        raise self.error


def stumble(monkeypatch, error, objectives=()):
    def estimator(parameters, callback):
        return Stumbling(error, objectives, callback)

    method = SimpleNamespace(estimator=estimator, is_linear=True)
    monkeypatch.setattr(execute, "METHODS", {"melm": method})


# ------------------------------------------------------------------------------------- done


@pytest.mark.parametrize("method", ["melm", "pca", "lda"])
def test_the_final_plane_is_that_of_the_estimator_fitted_in_process(store, method):
    data = blobs()
    record = worked(store, data, method)
    final = store.last_event(record.run_id)
    assert (record.state, record.message) == (RunState.DONE, "")
    assert final.is_final
    assert final.fraction == 1.0
    assert_same_plane(final.components, fitted(data, method).components_)


@pytest.mark.parametrize("method", ["melm", "pca", "lda"])
@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_the_final_objective_is_the_divergence_of_the_final_plane(store, method, gamma):
    data = blobs()
    final = store.last_event(worked(store, data, method, gamma=gamma).run_id)
    divergence = cauchy_schwarz_divergence(
        data.X, data.y, final.components, gamma=gamma, shrinkage="ledoit-wolf"
    )
    assert final.objective == final.best_objective == pytest.approx(divergence, abs=1e-9)


def test_the_final_objective_is_no_step_in_single_precision_that_rounding_lifted(
    store, monkeypatch
):
    def lifted(recorder, progress):
        return called(recorder, replace(progress, objective=progress.objective + 1e-6))

    called = Recorder.__call__
    monkeypatch.setattr(Recorder, "__call__", lifted)
    data = blobs()
    final = store.last_event(worked(store, data).run_id)
    expected = fitted(data).divergence_
    assert final.objective == final.best_objective == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
def test_a_run_that_chooses_gamma_keeps_its_choice_and_the_planes_of_the_search_at_it(store):
    data = blobs()
    record = worked(store, data, gamma="auto")
    melm = fitted(data, gamma="auto")
    path = record.outcome.gamma_path
    assert record.parameters.gamma == "auto"
    assert record.gamma == record.chosen_gamma == path.chosen == melm.gamma_
    assert path.accuracies == tuple(melm.gamma_path_.accuracies.tolist())
    assert path.standard_errors == tuple(melm.gamma_path_.standard_errors.tolist())
    for event in store.events(record.run_id):
        divergence = cauchy_schwarz_divergence(
            data.X, data.y, event.components, gamma=melm.gamma_, shrinkage="ledoit-wolf"
        )
        assert event.objective == pytest.approx(divergence, abs=1e-5)


def test_a_run_that_is_stopped_while_it_chooses_gamma_takes_the_choice_of_the_folds_done(
    store, monkeypatch
):
    record = queue_run(store, blobs(), gamma="auto")
    monkeypatch.setattr(store, "transition", _cancelling(store))
    execute_queued(store)
    ended = store.get(record.run_id)
    assert ended.state is RunState.CANCELLED
    assert ended.outcome.gamma_path.n_folds == 2
    assert ended.gamma == ended.outcome.gamma_path.chosen
    assert store.last_event(record.run_id).is_final


def _cancelling(store):
    """Request a stop as soon as two folds are done."""
    transition = store.transition

    def cancel_after(run_id, expected, **changes):
        changed = transition(run_id, expected, **changes)
        path = changes.get("outcome", NO_OUTCOME).gamma_path
        if path is not None and path.n_folds == 2:
            store.cancel(run_id)
        return changed

    return cancel_after


def test_every_plane_of_the_fit_is_in_the_history(store):
    data, steps = blobs(), []
    fitted(data, callback=steps.append)
    *events, final = store.events(worked(store, data).run_id)
    assert len(events) == len(steps)
    assert [event.is_final for event in events] == [False] * len(steps)
    assert final.is_final
    for event, step in zip(events, steps, strict=True):
        assert_same_plane(event.components, step.components)
        assert (event.objective, event.iteration) == (step.objective, step.iteration)
        assert (event.stage, event.fraction) == (step.stage, step.fraction)


def test_every_plane_is_turned_to_follow_the_one_before(store):
    record = worked(store, blobs())
    events, train = store.events(record.run_id), split_of(blobs(), record)[0]
    for before, event in pairwise(events):
        turned = align_planes(event.components, before.components, train.X)
        np.testing.assert_allclose(event.components, turned, atol=1e-9)


def test_a_finished_search_knows_how_many_starts_agree_on_its_plane(store):
    data = blobs()
    outcome = worked(store, data, n_init=4).outcome
    assert outcome == FitOutcome(n_starts=4, n_agreeing=fitted(data, n_init=4).n_agreeing_starts_)


def test_a_method_without_starts_has_nothing_to_add(store):
    assert worked(store, blobs(), "pca").outcome == NO_OUTCOME


def test_held_out_rows_are_not_fitted(store):
    data = blobs()
    record = worked(store, data, "pca", held_out=0.3, random_state=5)
    seen, _ = data.split(0.3, 5)
    assert_same_plane(store.last_event(record.run_id).components, fitted(seen, "pca").components_)


def test_a_finished_run_knows_when_it_started_and_ended(store):
    record = worked(store, blobs(), "pca")
    assert record.created_s <= record.started_s <= record.finished_s
    assert record.pid is not None


def test_the_queue_is_worked_to_its_end(store):
    records = [queue_run(store, blobs(), "pca") for _ in range(3)]
    execute_queued(store)
    assert {store.get(record.run_id).state for record in records} == {RunState.DONE}


@pytest.mark.parametrize("state", [state for state in RunState if state is not RunState.QUEUED])
def test_a_run_that_is_not_queued_is_left_alone(store, state):
    record = queue_run(store, blobs(), "pca")
    store.transition(record.run_id, {RunState.QUEUED}, state=state)
    before = store.get(record.run_id)
    execute_run(store, record.run_id)
    assert store.get(record.run_id) == before
    assert store.n_events(record.run_id) == 0


def test_an_unknown_run_is_left_alone(store):
    execute_run(store, "nobody")
    assert store.get("nobody") is None


# ------------------------------------------------------------------------------------- cancelled


def test_a_cancelled_run_keeps_its_best_plane(store, monkeypatch):
    data = blobs()
    cancel_at(store, 8, monkeypatch)
    record = worked(store, data, n_init=1_000)
    *events, final = store.events(record.run_id)
    assert (record.state, record.message) == (RunState.CANCELLED, STOPPED)
    assert len(events) == 9
    assert final.is_final
    best = max(events, key=lambda event: event.objective)
    assert final.objective == pytest.approx(best.objective, rel=1e-12)
    assert final.fraction < 1.0
    assert_same_plane(final.components, best.components)


@pytest.mark.parametrize("on_all_rows", [True, False])
def test_a_run_stopped_while_it_searches_many_rows_ends_with_a_plane_judged_by_all_of_them(
    store, monkeypatch, on_all_rows
):
    append = store.append

    def cancel_there(run_id, event):
        if not event.is_final and bool(event.n_sampled) != on_all_rows:
            store.cancel(run_id)
        return append(run_id, event)

    monkeypatch.setattr(store, "append", cancel_there)
    data = blobs(n_rows=4_500)
    record = worked(store, data, n_init=1)
    *events, final = store.events(record.run_id)
    assert (record.state, final.is_final, final.n_sampled) == (RunState.CANCELLED, True, 0)
    divergence = cauchy_schwarz_divergence(
        data.X, data.y, final.components, gamma=1.0, shrinkage="ledoit-wolf"
    )
    assert final.objective == final.best_objective == pytest.approx(divergence, abs=1e-6)
    assert store.best_event(record.run_id).sequence == final.sequence
    assert {event.n_sampled for event in events} == ({3_000, 0} if on_all_rows else {3_000})


@pytest.mark.fault
def test_a_run_that_is_deleted_while_it_works_stops_and_stays_deleted(store, monkeypatch):
    append = store.append

    def append_and_delete(run_id, event):
        append(run_id, event)
        store.delete(run_id)
        return 0

    monkeypatch.setattr(store, "append", append_and_delete)
    record = queue_run(store, blobs(), n_init=1_000)
    execute_run(store, record.run_id)
    assert store.get(record.run_id) is None
    assert store.n_events(record.run_id) == 0


@pytest.mark.fault
@pytest.mark.parametrize("method", ["melm", "pca"])
def test_a_worker_that_was_taken_for_dead_leaves_the_run_to_the_next(store, monkeypatch, method):
    append = store.append

    def append_late(run_id, event):
        requeue(store, store.get(run_id), n_losses=1)
        monkeypatch.undo()
        return append(run_id, event)

    monkeypatch.setattr(store, "append", append_late)
    record = queue_run(store, blobs(), method, n_init=1_000)
    execute_run(store, record.run_id)
    left = store.get(record.run_id)
    assert (left.state, left.attempt, left.message) == (RunState.QUEUED, 1, "")
    assert store.n_events(record.run_id) == 1


# ------------------------------------------------------------------------------------- failed


def test_a_rule_of_the_method_that_the_run_breaks_is_told_in_its_own_words(store):
    record = worked(store, blobs(), n_components=99)
    assert record.state is RunState.FAILED
    assert "n_components" in record.message
    assert "99" in record.message
    assert "Traceback" in record.traceback


@pytest.mark.parametrize("error", [RuntimeError("bang"), ValueError("not of the core")])
def test_an_unexpected_error_is_told_calmly_and_traced_in_the_record(store, monkeypatch, error):
    stumble(monkeypatch, error)
    record = worked(store, blobs())
    assert (record.state, record.message) == (RunState.FAILED, UNEXPECTED)
    assert str(error) in record.traceback
    assert record.finished_s is not None


@pytest.mark.fault
def test_a_run_without_memory_says_so(store, monkeypatch):
    stumble(monkeypatch, MemoryError())
    record = worked(store, blobs())
    assert (record.state, record.message) == (RunState.FAILED, NO_MEMORY)
    assert "MELM_MAX_RUN_MB" in record.message


@pytest.mark.fault
def test_a_failed_run_keeps_its_best_plane(store, monkeypatch):
    stumble(monkeypatch, RuntimeError("bang"), objectives=(1.0, 3.0, 2.0))
    *events, final = store.events(worked(store, blobs()).run_id)
    assert len(events) == 3
    assert final.is_final
    assert final.objective == 3.0
    assert_same_plane(final.components, plane(seed=1).components)


def test_a_run_without_data_says_so(store):
    record = run_of()
    store.create(record)
    execute_queued(store)
    failed = store.get(record.run_id)
    assert (failed.state, failed.message) == (RunState.FAILED, DATA_GONE.format(days=30))


def test_a_run_of_an_unknown_kind_says_so_and_is_not_fitted(store):
    fit = queue_run(store, blobs(), "pca")
    record = replace(new_analysis(fit, "check"), kind="dream")
    store.create(record)
    execute_queued(store)
    failed = store.get(record.run_id)
    assert (failed.state, failed.message) == (RunState.FAILED, OTHER_VERSION)
    assert store.n_events(record.run_id) == 0


@pytest.mark.slow
def test_a_run_about_a_fit_keeps_the_kernel_width_that_the_fit_chose(store):
    fit = worked(store, blobs(), gamma="auto", n_init=1)
    record = new_analysis(fit, "probabilities")
    store.create(record)
    execute_queued(store)
    assert store.get(record.run_id).gamma == fit.gamma == fit.outcome.gamma_path.chosen


def test_a_run_does_not_read_the_data_of_another_owner(store):
    data = blobs()
    store.put_file("bob", FileKind.DATA, data.content_hash, data.to_bytes())
    record = run_of("ada", data.content_hash)
    store.create(record)
    execute_queued(store)
    assert store.get(record.run_id).message == DATA_GONE.format(days=30)


PROGRAM = """
import numpy as np
from melm_studio.configuration.memory import limit_memory
limit_memory(1_024)
np.ones(2**24)  # 128 MB
try:
    np.ones(2**28)  # 2 GB
except MemoryError:
    print("refused")
"""


@pytest.mark.fault
def test_a_process_allocates_no_more_than_it_may():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr
