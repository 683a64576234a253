"""Settings come from flags, then the environment, then the defaults, and say what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.settings import Settings, default_data_dir


def settings(*argv, **environ):
    return Settings.from_environment_and_flags(argv, environ)


def complaint(capsys, *argv, **environ):
    with pytest.raises(SystemExit) as stop:
        settings(*argv, **environ)
    assert stop.value.code == 2
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_the_defaults_serve_this_machine_only():
    found = settings()
    assert (found.host, found.port, found.max_upload_mb, found.threads) == (
        "127.0.0.1",
        8050,
        128,
        8,
    )
    assert found.workers >= 2


def test_the_default_data_folder_is_the_user_s(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert settings().data_dir == tmp_path / ".local" / "share" / "melm-studio"
    assert settings(XDG_DATA_HOME="/data").data_dir == Path("/data/melm-studio")
    assert default_data_dir({"XDG_DATA_HOME": ""}).is_relative_to(tmp_path)


# Without a proxy, a header is not believed.
BEHIND_PROXY = {"MELM_PROXIES": "2"}
ALL = [
    ("host", "HOST", "0.0.0.0", "0.0.0.0"),  # noqa: S104 - a value, nothing listens
    ("port", "PORT", "9000", 9000),
    ("data_dir", "MELM_DATA_DIR", "/data", Path("/data")),
    ("store", "MELM_STORE", "redis://host:6379/0?prefix=lab", "redis://host:6379/0?prefix=lab"),
    ("workers", "MELM_WORKERS", "3", 3),
    ("max_upload_mb", "MELM_MAX_UPLOAD_MB", "10", 10),
    ("max_rows", "MELM_MAX_ROWS", "1000", 1000),
    ("max_columns", "MELM_MAX_COLUMNS", "50", 50),
    ("threads", "MELM_THREADS", "4", 4),
    ("proxies", "MELM_PROXIES", "1", 1),
    ("user_header", "MELM_USER_HEADER", "X-Forwarded-User", "X-Forwarded-User"),
    ("tables", "MELM_TABLES", "s3://bucket/tables", "s3://bucket/tables"),
    ("dask", "MELM_DASK", "tcp://host:8786", "tcp://host:8786"),
    ("hosts", "MELM_HOSTS", "lab.example.org,lab", "lab.example.org,lab"),
    ("framed_by", "MELM_FRAMED_BY", "http://localhost:*", "http://localhost:*"),
    ("max_queued_runs", "MELM_MAX_QUEUED_RUNS", "7", 7),
    ("max_session_runs", "MELM_MAX_SESSION_RUNS", "8", 8),
    ("max_session_mb", "MELM_MAX_SESSION_MB", "9", 9),
    ("max_total_mb", "MELM_MAX_TOTAL_MB", "12", 12),
    ("max_run_planes", "MELM_MAX_RUN_PLANES", "10", 10),
    ("max_run_mb", "MELM_MAX_RUN_MB", "1024", 1024),
    ("max_runs_mb", "MELM_MAX_RUNS_MB", "2048", 2048),
    ("max_run_hours", "MELM_MAX_RUN_HOURS", "13", 13),
    ("talk_hours", "MELM_TALK_HOURS", "0", 0),
    ("max_viewers", "MELM_MAX_VIEWERS", "40", 40),
    ("days_kept", "MELM_DAYS_KEPT", "11", 11),
]


@pytest.mark.parametrize(("name", "variable", "text", "value"), ALL)
def test_every_setting_is_read_from_the_environment(name, variable, text, value):
    assert getattr(settings(**BEHIND_PROXY | {variable: text}), name) == value


@pytest.mark.parametrize(("name", "variable", "text", "value"), ALL)
def test_every_setting_is_read_from_its_flag(name, variable, text, value):
    found = settings("--" + name.replace("_", "-"), text, **BEHIND_PROXY)
    assert getattr(found, name) == value


def test_the_limits_are_those_of_the_settings():
    asked = {variable: text for _, variable, text, _ in ALL}
    assert settings(**asked).limits == Limits(7, 8, 9, 12, 10, 11, 13)
    assert settings().limits == Limits()


def test_settings_written_as_an_environment_are_read_as_the_same_settings():
    asked = settings(**{variable: text for _, variable, text, _ in ALL})
    assert settings(**asked.as_environment()) == asked


def test_a_flag_wins_over_the_environment_even_over_a_bad_one():
    assert settings("--port", "9001", PORT="9000").port == 9001
    assert settings("--port", "9001", PORT="abc").port == 9001


def test_an_empty_variable_counts_as_not_set():
    assert settings(PORT="").port == Settings.port


def test_a_relative_folder_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert settings("--data-dir", "here").data_dir == tmp_path / "here"


@pytest.mark.parametrize("text", ["abc", "0", "65536", "-1", "80.5", "²"])
def test_a_bad_number_is_named_with_its_rule_and_the_way_out(capsys, text):
    said = complaint(capsys, PORT=text)
    assert repr(text) in said
    assert "whole number from 1 to 65535" in said
    assert "choose another by --port or PORT" in said


def test_a_bad_flag_is_named_like_a_bad_variable(capsys):
    assert "'none' is not a whole number from 0 to 256" in complaint(capsys, "--workers", "none")


def test_a_store_that_is_no_address_is_refused_with_an_example(capsys):
    said = complaint(capsys, MELM_STORE="localhost:6379")
    assert "'localhost:6379' is not an address such as redis://host:6379/0" in said
    assert "choose another by --store or MELM_STORE" in said


def test_nobody_may_be_left_to_work_the_runs_unless_the_store_is_shared(capsys):
    assert "0 workers would leave every run waiting" in complaint(capsys, "--workers", "0")
    assert settings("--workers", "0", MELM_STORE="redis://host").workers == 0


def test_a_host_with_a_scheme_is_refused(capsys):
    assert "is not a host name or address" in complaint(capsys, HOST="http://localhost")


def test_a_data_folder_that_is_a_file_is_refused(capsys, tmp_path):
    file = tmp_path / "file"
    file.touch()
    assert "is not a folder but a file" in complaint(capsys, MELM_DATA_DIR=str(file))


def test_help_names_every_flag_and_every_variable(capsys):
    with pytest.raises(SystemExit) as stop:
        settings("--help")
    assert stop.value.code == 0
    said = capsys.readouterr().out
    for name, variable, *_ in ALL:
        assert "--" + name.replace("_", "-") in said
        assert f"environment {variable}" in " ".join(said.split())
