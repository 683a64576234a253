"""A log is lines of pairs that a program can read."""

from __future__ import annotations

import logging
import shlex

import pytest

from melm_studio.configuration.logs import KeyValueFormatter, configure_logging


def logged(message, *arguments, exc_info=None, **extra) -> str:
    record = logging.LogRecord(
        "melm_studio.workers.pool", logging.INFO, "", 0, message, arguments, exc_info
    )
    record.__dict__ |= extra
    return KeyValueFormatter().format(record)


def pairs(line):
    return dict(pair.split("=", 1) for pair in shlex.split(line))


def test_an_event_names_its_time_its_level_its_process_and_its_run():
    found = pairs(logged("given to process %d", 7, run="a-b_C"))
    assert list(found) == ["time", "level", "logger", "pid", "run", "message"]
    assert (found["run"], found["message"]) == ("a-b_C", "given to process 7")
    assert found["time"].endswith("+00:00")


def test_an_event_of_no_run_names_none():
    assert "run" not in pairs(logged("sweeping"))


def test_an_error_is_one_line_however_long_its_trace():
    try:
        raise RuntimeError("bang")
    except RuntimeError as error:
        line = logged("failed", exc_info=(type(error), error, error.__traceback__))
    assert "\n" not in line
    assert "RuntimeError: bang" in pairs(line)["trace"]


def test_a_message_cannot_pass_for_another_event():
    line = logged('x" run=other\nlevel=error')
    assert "\n" not in line
    assert pairs(line)["level"] == "info"
    assert "run" not in pairs(line)


@pytest.mark.attack
def test_requests_that_wait_leave_no_line_each(monkeypatch):
    """A flood of requests would be one of lines."""
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    configure_logging()
    assert not logging.getLogger("waitress.queue").isEnabledFor(logging.WARNING)
    assert logging.getLogger("waitress").isEnabledFor(logging.WARNING)
