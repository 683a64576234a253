"""Records in the data folders of users can be read: the bytes are those that version 0.1 wrote."""

from __future__ import annotations

import io
import json
import math

import msgspec
import numpy as np
import pytest

from melm_studio.tables.column_roles import Role
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.worker.records.check_report import CheckReport
from melm_studio.worker.records.request import Command, RunRequest
from melm_studio.worker.records.run import PlaneEvent, RunKind, RunRecord, RunState
from melm_studio.worker.records.stored_files import FileKind, StoredFile

RUN = (
    b'{"run_id": "Vq3mVVwRkq6yYwz1mBkQzA", "owner": "zo\\u00eb", "data_id": "5f2b", '
    b'"data_name": "Iris", "method": "melm", "parameters": {"n_components": 2, "gamma": 1.0, '
    b'"n_init": 8, "random_state": 0, "held_out": 0.2, "init": null}, "state": "done", '
    b'"created_s": 1700000000.25, "started_s": 1700000001.5, "finished_s": 1700000009.75, '
    b'"heartbeat_s": 1700000009.5, "message": "", "traceback": "", "pid": 4242, "source": '
    b'{"kind": "sample", "key": "iris", "name": "Iris", "label": "species", "standardise": true, '
    b'"roles": {}}, "kind": "fit", "of_run": "", "outcome": {"agreeing": 5, "starts": 8}}'
)
# Before checks, sources and outcomes were recorded.
OLDEST_RUN = (
    b'{"run_id": "r", "owner": "ada", "data_id": "d", "data_name": "Iris", "method": "pca", '
    b'"parameters": {}, "state": "queued", "created_s": 1700000000}'
)
EVENT = (
    b'\xf4\x00\x00\x00{"sequence": 3, "objective": -Infinity, "best_objective": 1.5, "start": 1, '
    b'"n_starts": 8, "iteration": 12, "n_evaluations": 34, "stage": '
    b'"start 1 of 8, \\u03b3 \\u00d7 1.5", "fraction": 0.25, "elapsed_s": 1.75, '
    b'"is_final": false, "shape": [2, 3]}'
    b"\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00\x00"
    b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    b"333333\xe3?\x9a\x99\x99\x99\x99\x99\xe9?"
)
REQUEST = b'{"order": "pause", "n_steps": 2}'
STORED_FILE = (
    b'{"owner": "zo\\u00eb", "kind": "upload", "key": "k", "digest": "ab12", "n_bytes": 5, '
    b'"touched_s": 1700000000.5}'
)
FIRST_REPORT = (
    b'{"words": "", "stage": "starting", "fraction": 0.0, "scores": null, "overlap": [], '
    b'"p_value": null, "lower": null, "upper": null, "n_permutations": 0, "notes": []}'
)
LAST_REPORT = (
    b'{"words": "Real.", "stage": "done", "fraction": 1.0, "scores": {"mean": [0.9, 0.8, 0.02], '
    b'"KNN": [0.95, 0.8, NaN]}, "overlap": [[0.0, 0.1], [0.1, 0.0]], "p_value": 0.005, '
    b'"lower": null, "upper": null, "n_permutations": 199, "notes": ["note"]}'
)
DATA_HEADER = (
    b'{"name": "t", "class_names": ["p", "q"], "feature_names": ["a", "b"], "steps": '
    b'["id is left out: every value differs.", "Standardised: mean 0, standard deviation 1."], '
    b'"columns": [{"name": "id", "role": "id", "reason": "every value differs: an identifier", '
    b'"n_values": 2, "n_missing": 0, "obstacle": "every value is the same"}, {"name": "a", '
    b'"role": "numeric", "reason": "numeric", "n_values": 2, "n_missing": 0, "obstacle": ""}]}'
)


def saved_data(header: bytes) -> bytes:
    """Labeled data as they were saved."""
    file = io.BytesIO()
    np.savez(
        file,
        words=np.frombuffer(header, np.uint8),
        X=np.eye(2),
        y=np.array([0, 1]),
        center=np.zeros(2),
        scale=np.ones(2),
        row_numbers=np.array([1, 2]),
    )
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (RunRecord, RUN),
        (PlaneEvent, EVENT),
        (RunRequest, REQUEST),
        (StoredFile, STORED_FILE),
        (CheckReport, FIRST_REPORT),
        (CheckReport, LAST_REPORT),
    ],
)
def test_records_are_written_with_the_keys_and_values_of_version_0_1(kind, raw):
    again = kind.from_bytes(raw).to_bytes()
    start, end = raw.index(b"{"), raw.rindex(b"}") + 1
    first, last = again.index(b"{"), again.rindex(b"}") + 1
    values, expected = json.loads(again[first:last]), json.loads(raw[start:end])
    assert repr({key: values[key] for key in expected}) == repr(expected)
    assert again[last:] == raw[end:]


def test_a_run_keeps_its_values():
    run = RunRecord.from_bytes(RUN)
    assert (run.owner, run.state, run.kind, run.pid) == ("zoë", RunState.DONE, RunKind.FIT, 4242)
    assert (run.created_s, run.heartbeat_s) == (1700000000.25, 1700000009.5)
    assert run.parameters["init"] is None
    assert run.table == ("sample", "iris", "species")
    assert run.outcome == {"agreeing": 5, "starts": 8}


def test_a_run_without_the_later_fields_takes_their_defaults():
    run = RunRecord.from_bytes(OLDEST_RUN)
    assert (run.kind, run.of_run, run.source, run.outcome) == (RunKind.FIT, "", {}, {})
    assert run.started_s is None


def test_a_run_of_a_later_version_can_be_read():
    assert RunRecord.from_bytes(RUN.replace(b'"pid"', b'"priority": 1, "pid"')).pid == 4242


def test_a_damaged_record_is_refused_with_the_place_of_the_damage():
    with pytest.raises(msgspec.ValidationError, match=r"\$\.created_s"):
        RunRecord.from_bytes(OLDEST_RUN.replace(b"1700000000", b'"today"'))


def test_an_event_keeps_its_components_and_an_infinite_objective():
    event = PlaneEvent.from_bytes(EVENT)
    assert (event.sequence, event.objective, event.stage) == (3, -math.inf, "start 1 of 8, γ × 1.5")
    np.testing.assert_array_equal(event.components, [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]])


def test_an_objective_of_numpy_is_written_as_a_number():
    event = msgspec.structs.replace(PlaneEvent.from_bytes(EVENT), objective=np.float64(2.5))
    assert PlaneEvent.from_bytes(event.to_bytes()).objective == 2.5


def test_requests_and_stored_files_keep_their_values():
    assert RunRequest.from_bytes(REQUEST) == RunRequest(Command.PAUSE, 2)
    file = StoredFile.from_bytes(STORED_FILE)
    assert file == StoredFile("zoë", FileKind.UPLOAD, "k", "ab12", 5, 1700000000.5)


def test_a_report_keeps_its_scores():
    report = CheckReport.from_bytes(LAST_REPORT)
    assert report.scores["mean"] == (0.9, 0.8, 0.02)
    assert math.isnan(report.scores["KNN"][2])
    assert report.overlap == ((0.0, 0.1), (0.1, 0.0))
    assert report.notes == ("note",)


def test_labeled_data_keep_their_columns():
    data = LabeledData.from_bytes(saved_data(DATA_HEADER))
    identifier, numeric = data.columns
    assert (data.name, data.class_names, data.feature_names) == ("t", ("p", "q"), ("a", "b"))
    assert (identifier.role, numeric.role) == (Role.ID, Role.NUMERIC)
    assert identifier.exclusion_reason == "every value is the same"


def test_labeled_data_of_the_first_version_have_no_columns():
    header = DATA_HEADER[: DATA_HEADER.index(b', "columns"')] + b"}"
    assert LabeledData.from_bytes(saved_data(header)).columns == ()
