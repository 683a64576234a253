"""The studio's settings: one frozen object, read from flags and the environment once."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from melm_studio.worker.config.redis_address import RedisAddress
from melm_studio.worker.records.limits import Limits

Reader: TypeAlias = Callable[[str], object]

NOBODY_WORKS = (
    "0 workers would leave every run waiting; choose more by --workers or MELM_WORKERS, or share "
    "a store with others who work by --store or MELM_STORE"
)


@dataclass(frozen=True)
class Settings:
    """Where the studio listens, where it keeps its data and how much it takes on.

    Attributes
    ----------
    host, port : str, int
        The address of the web page.
    data_dir : Path
        Folder of uploads, runs and their histories.
    store : str
        Address of a Redis server that keeps them instead, so that several processes on several
        machines share them; empty for the folder.
    workers : int
        Runs that work at the same time; with a shared store 0 leaves them to others.
    max_upload_mb : int
        Largest upload, in megabytes.
    max_rows, max_columns : int
        Largest table.
    threads : int
        Threads of the web server.
    proxies : int
        Reverse proxies in front, whose word on https, host and address of a visitor is taken.
    max_queued_runs, max_session_runs, max_session_mb, max_run_planes, days_kept : int
        As in `melm_studio.worker.records.limits.Limits`.
    """

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 8050
    store: str = ""
    workers: int = max(2, os.cpu_count() or 2)
    max_upload_mb: int = 64
    max_rows: int = 2_000_000
    max_columns: int = 10_000
    threads: int = 8
    proxies: int = 0
    max_queued_runs: int = Limits.queued_runs
    max_session_runs: int = Limits.session_runs
    max_session_mb: int = Limits.session_mb
    max_run_planes: int = Limits.run_planes
    days_kept: int = Limits.days_kept

    @property
    def limits(self) -> Limits:
        """What the studio and each visitor may keep."""
        return Limits(
            queued_runs=self.max_queued_runs,
            session_runs=self.max_session_runs,
            session_mb=self.max_session_mb,
            run_planes=self.max_run_planes,
            days_kept=self.days_kept,
        )

    def as_environment(self) -> dict[str, str]:
        """Return the variables that give these settings: other users see no secret of them."""
        return {
            variable: str(getattr(self, name.replace("-", "_")))
            for name, variable, *_ in _options({})
        }

    @classmethod
    def from_environment_and_flags(
        cls, argv: Sequence[str], environ: Mapping[str, str]
    ) -> Settings:
        """Return the settings; a flag wins over the environment, which wins over the default.

        Parameters
        ----------
        argv : sequence of str
            The command line without the program's name.
        environ : mapping of str to str
            The environment, such as ``os.environ``.

        Raises
        ------
        SystemExit
            After one line on standard error, when a value breaks its rule.
        """
        parser = _parser(environ)
        settings = cls(**vars(parser.parse_args(argv)))
        if not settings.workers and not settings.store:
            parser.error(NOBODY_WORKS)
        return settings


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Return the studio's folder in the user's data folder."""
    base = environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "melm-studio"


def _parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="MELM Studio finds the plane in which the classes of a table separate, live.",
        epilog="Every option may also be set by the environment variable named beside it.",
        usage="%(prog)s [options]",
    )

    for name, variable, default, read, text in _options(environ):
        parser.add_argument(
            f"--{name}",
            # argparse reads a default that is text like a value from the command line
            default=environ.get(variable) or str(default),
            type=_explained(read, f"--{name} or {variable}"),
            metavar=variable,
            help=f"{text} (environment {variable}; default {default})".replace("%", "%%"),
        )
    return parser


def _options(environ: Mapping[str, str]) -> Sequence[tuple[str, str, object, Reader, str]]:
    """Return the name, the variable, the default, the reader and the help of every option."""
    folder, megabytes = default_data_dir(environ), Settings.max_upload_mb
    return (
        ("host", "HOST", Settings.host, _host, "address to listen on"),
        ("port", "PORT", Settings.port, _whole_number(1, 65535), "port to listen on"),
        ("data-dir", "MELM_DATA_DIR", folder, _folder, "folder of all data"),
        ("store", "MELM_STORE", Settings.store, _store, "Redis server to share, not the folder"),
        ("workers", "MELM_WORKERS", Settings.workers, _whole_number(0, 256), "runs at a time"),
        ("max-upload-mb", "MELM_MAX_UPLOAD_MB", megabytes, _whole_number(1, 4096), "upload limit"),
        *_table_options(),
        ("threads", "MELM_THREADS", Settings.threads, _whole_number(1, 256), "web threads"),
        ("proxies", "MELM_PROXIES", Settings.proxies, _whole_number(0, 9), "proxies in front"),
        *_limit_options(),
    )


def _table_options() -> Sequence[tuple[str, str, object, Reader, str]]:
    many = _whole_number(2, 10**9)
    return (
        ("max-rows", "MELM_MAX_ROWS", Settings.max_rows, many, "rows of a table"),
        ("max-columns", "MELM_MAX_COLUMNS", Settings.max_columns, many, "columns of a table"),
    )


def _limit_options() -> Sequence[tuple[str, str, object, Reader, str]]:
    many, years = _whole_number(1, 10**6), _whole_number(1, 3650)
    return (
        ("max-queued-runs", "MELM_MAX_QUEUED_RUNS", Limits.queued_runs, many, "runs that wait"),
        ("max-session-runs", "MELM_MAX_SESSION_RUNS", Limits.session_runs, many, "runs a visitor"),
        ("max-session-mb", "MELM_MAX_SESSION_MB", Limits.session_mb, many, "megabytes a visitor"),
        ("max-run-planes", "MELM_MAX_RUN_PLANES", Limits.run_planes, many, "planes kept a run"),
        ("days-kept", "MELM_DAYS_KEPT", Limits.days_kept, years, "days unused data are kept"),
    )


def _explained(read: Reader, names: str) -> Reader:
    def read_or_explain(text: str) -> object:
        try:
            return read(text)
        except ValueError as rule:
            explanation = f"{text!r} is not {rule}; choose another by {names}"
            raise argparse.ArgumentTypeError(explanation) from rule

    return read_or_explain


def _whole_number(lowest: int, highest: int) -> Reader:
    def whole_number(text: str) -> int:
        if text.isdecimal() and lowest <= int(text) <= highest:
            return int(text)
        raise ValueError(f"a whole number from {lowest} to {highest}")

    return whole_number


def _host(text: str) -> str:
    if any(letter.isspace() or letter == "/" for letter in text):
        raise ValueError("a host name or address such as 127.0.0.1")
    return text


def _store(text: str) -> str:
    if text:
        RedisAddress.from_text(text)
    return text


def _folder(text: str) -> Path:
    folder = Path(text).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ValueError("a folder but a file")
    return folder
