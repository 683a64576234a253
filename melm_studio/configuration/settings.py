"""The studio's settings: one frozen object, read once from flags and the environment."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, quote, urlsplit

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.memory import BYTES_PER_MB, memory_budget, memory_of_machine
from melm_studio.installation import missing_dask

PREFIX = "melm"

_SERVER = re.compile(r"rediss?://([^/@]*@)?[^/@:\s]+(:\d{1,5})?(/\d*)?")
Reader: TypeAlias = Callable[[str], object]

_ANEW = "new"

NO_WORKERS = (
    "0 workers would leave every run waiting; choose more by --workers or MELM_WORKERS, or share "
    "a store that has workers by --store or MELM_STORE"
)


NO_PROXY = (
    "A header that names the user is believed only behind a proxy that sets it; set the number of "
    "proxies by --proxies or MELM_PROXIES"
)

NO_DASK = "Registered tables are read by Dask, which is not installed; install it by: {}"


@dataclass(frozen=True)
class RedisAddress:
    """A server, and the prefix of all keys of one studio.

    Attributes
    ----------
    url : str
        As redis-py takes it, including credentials.
    prefix : str
        Studios with different prefixes can share a server.
    """

    url: str
    prefix: str = PREFIX

    @classmethod
    def from_text(cls, text: str) -> RedisAddress:
        """Parse an address such as redis://host:6379/0?prefix=lab.

        Raises
        ------
        ValueError
            If it is not an address; the message describes one.
        """
        parts = urlsplit(text)
        prefix = parse_qs(parts.query).get("prefix", [PREFIX])[-1]
        url = parts._replace(query="").geturl()
        if not _SERVER.fullmatch(url):
            raise ValueError("an address such as redis://host:6379/0 or redis://host/0?prefix=lab")
        return cls(url, prefix)

    @property
    def shown(self) -> str:
        """The address without credentials, for messages and logs."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=host).geturl()

    def key(self, *parts: str) -> str:
        """Return a key; separators within its parts are quoted."""
        return "/".join(quote(part, safe="") for part in (self.prefix, *parts))


def _setting(read: Reader, text: str, default: object) -> Any:
    """Declare a setting; `read` raises a ValueError that says what the value should have been."""
    return field(default=default, metadata={"read": read, "help": text})


def _whole_number(lowest: int, highest: int) -> Reader:
    def read(text: str) -> int:
        if text.isdecimal() and lowest <= int(text) <= highest:
            return int(text)
        raise ValueError(f"a whole number from {lowest} to {highest}")

    return read


def _host(text: str) -> str:
    if any(letter.isspace() or letter == "/" for letter in text):
        raise ValueError("a host name or address such as 127.0.0.1")
    return text


def _header(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]*", text):
        raise ValueError("the name of a header such as X-Forwarded-User")
    return text


def _pages(text: str) -> str:
    if not all(re.fullmatch(r"https?://[\w.-]+(:(\d+|\*))?", page) for page in text.split()):
        raise ValueError("addresses such as https://notebooks.example.org, separated by spaces")
    return text


def _path(text: str) -> str:
    """Normalize a path of addresses, without the slash at its end."""
    if not re.fullmatch(r"(/[\w.~@%+-]+)*/?", text):
        raise ValueError("the path of an address such as /melm")
    return text.rstrip("/")


def _store(text: str) -> str:
    if text:
        RedisAddress.from_text(text)
    return text


def _folder(text: str) -> Path:
    folder = Path(text).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ValueError("a folder but a file")
    return folder


def _tables(text: str) -> str:
    """Return a folder, as an absolute path, or an address."""
    if not text or "://" in text:
        return text
    folder = Path(text).expanduser().absolute()
    if not folder.is_dir():
        raise ValueError("a folder that exists, or an address such as s3://bucket/tables")
    return str(folder)


def _scheduler(text: str) -> str:
    if text and not re.fullmatch(r"((tcp|tls|ws|wss)://)?[\w.-]+:\d+", text):
        raise ValueError("the address of a Dask scheduler such as tcp://host:8786")
    return text


_THREADS, _UPLOAD_MB = 8, 128
_BUDGET = memory_budget(memory_of_machine() // BYTES_PER_MB, _THREADS, _UPLOAD_MB)
_MANY = _whole_number(1, 10**6)
_TABLE = _whole_number(2, 10**9)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings; each is also a flag and an environment variable, see `variable_of`."""

    host: str = _setting(_host, "address to listen on", "127.0.0.1")
    port: int = _setting(_whole_number(1, 65535), "port to listen on", 8050)
    data_dir: Path = field(metadata={"read": _folder, "help": "folder of all data"})
    store: str = _setting(_store, "address of a Redis server to use instead of the folder", "")
    workers: int = _setting(
        _whole_number(0, 256),
        "runs at a time per worker; paused ones do not count",
        max(2, os.cpu_count() or 2),
    )
    max_upload_mb: int = _setting(_whole_number(1, 4096), "megabytes per upload", _UPLOAD_MB)
    max_rows: int = _setting(_TABLE, "rows per table", 2_000_000)
    max_columns: int = _setting(_TABLE, "columns per table", 10_000)
    max_reader_mb: int = _setting(
        _whole_number(256, 10**6), "megabytes of memory to read a file", _BUDGET.reader_mb
    )
    max_reader_seconds: int = _setting(_whole_number(5, 86_400), "seconds to read a file", 120)
    tables: str = _setting(_tables, "folder or address of tables for visitors, read by Dask", "")
    dask: str = _setting(_scheduler, "Dask scheduler that reads them, instead of two threads", "")
    signing_key: str = _setting(str, "file of the ed25519 key (PEM) that signs verdicts", "")
    threads: int = _setting(_whole_number(1, 256), "threads of the web server", _THREADS)
    proxies: int = _setting(_whole_number(0, 9), "trusted reverse proxies in front", 0)
    hosts: str = _setting(
        str,
        "host names that are answered to, separated by commas; if empty, only this machine's where "
        "nobody else can reach the page, otherwise all",
        "",
    )
    path_prefix: str = _setting(_path, "path under which a proxy serves the studio", "")
    user_header: str = _setting(
        _header, "header by which a trusted proxy names the user, such as X-Forwarded-User", ""
    )
    framed_by: str = _setting(
        _pages,
        "pages that may show the studio in a frame, separated by spaces; programs may then hand "
        "their own visitor to a browser",
        "",
    )
    max_queued_runs: int = _setting(_MANY, "places in the queue", Limits.queued_runs)
    max_session_runs: int = _setting(_MANY, "runs per visitor", Limits.session_runs)
    max_session_mb: int = _setting(_MANY, "megabytes per visitor", Limits.session_mb)
    max_total_mb: int = _setting(_MANY, "megabytes of all visitors", Limits.total_mb)
    max_run_planes: int = _setting(_MANY, "planes stored per run", Limits.run_planes)
    days_kept: int = _setting(
        _whole_number(1, 3650), "days that unused runs and data are kept", Limits.days_kept
    )

    max_run_mb: int = _setting(_whole_number(512, 10**6), "megabytes of memory per run", 8_192)
    max_runs_mb: int = _setting(
        _whole_number(512, 10**8), "megabytes of memory of all runs", _BUDGET.runs_mb
    )
    answer_seconds: int = _setting(
        _whole_number(0, 86_400),
        "seconds of CPU in which folds, and then shuffles, follow a run by themselves; 0 for none",
        60,
    )
    max_run_hours: int = _setting(
        _whole_number(1, 10_000),
        "hours after which a run stops, with its best plane",
        Limits.run_hours,
    )
    talk_hours: int = _setting(
        _whole_number(0, 168), "hours that the link to a talk is valid; 0 allows no talks", 8
    )
    max_viewers: int = _setting(
        _whole_number(1, 500),
        "viewers of a talk; the first address has 250 of the 500 of a web process, the next half "
        "of what is left",
        250,
    )

    @property
    def limits(self) -> Limits:
        """The limits of the studio and of each visitor."""
        return Limits(
            queued_runs=self.max_queued_runs,
            session_runs=self.max_session_runs,
            session_mb=self.max_session_mb,
            total_mb=self.max_total_mb,
            run_planes=self.max_run_planes,
            days_kept=self.days_kept,
            run_hours=self.max_run_hours,
        )

    @property
    def address(self) -> str:
        """The address of the page on this machine, without the slash at its end."""
        return f"http://{self.host}:{self.port}{self.path_prefix}"

    def as_environment(self) -> dict[str, str]:
        """Return these settings as environment variables, which other users cannot see."""
        return {variable_of(each.name): str(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def from_environment_and_flags(
        cls, argv: Sequence[str], environ: Mapping[str, str]
    ) -> Settings:
        """Read the settings; a flag takes precedence over the environment, then the default.

        Parameters
        ----------
        argv : sequence of str
            The command line without the program's name.
        environ : mapping of str to str
            The environment, such as ``os.environ``.

        Raises
        ------
        SystemExit
            If a value is not allowed, after one line on standard error.
        """
        parser = _parser(environ)
        values = vars(parser.parse_args(argv))
        values.pop(_ANEW)
        settings = cls(**values)
        if not settings.workers and not settings.store:
            parser.error(NO_WORKERS)
        if settings.user_header and not settings.proxies:
            parser.error(NO_PROXY)
        if settings.tables and (install := missing_dask()):
            parser.error(NO_DASK.format(install))
        return settings


def variable_of(name: str) -> str:
    """Return the environment variable of a setting: ``MELM_`` before all but host and port."""
    return name.upper() if name in ("host", "port") else f"MELM_{name.upper()}"


def begins_anew(argv: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Return whether the command line has ``--new``, which holds for one start only."""
    return bool(vars(_parser(environ).parse_args(argv))[_ANEW])


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Return the studio's folder in the user's data folder."""
    base = environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "melm-studio"


def _parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="MELM Studio finds the plane in which the classes of a table separate, live.",
        epilog="Every option can also be set by the environment variable named beside it.",
        usage="%(prog)s [options]",
    )
    for each in fields(Settings):
        flag, variable = f"--{each.name.replace('_', '-')}", variable_of(each.name)
        default = default_data_dir(environ) if each.default is MISSING else each.default
        text = f"{each.metadata['help']} (environment {variable}; default {default})"
        parser.add_argument(
            flag,
            # argparse reads a text default like a value from the command line
            default=environ.get(variable) or str(default),
            type=_explained(each.metadata["read"], f"{flag} or {variable}"),
            metavar=variable,
            help=text.replace("%", "%%"),
        )
    parser.add_argument(
        f"--{_ANEW}",
        action="store_true",
        help="begin anew in a folder that lost its key or database; what is left is moved aside",
    )
    return parser


def _explained(read: Reader, names: str) -> Reader:
    def read_or_explain(text: str) -> object:
        try:
            return read(text)
        except ValueError as rule:
            explanation = f"{text!r} is not {rule}; choose another by {names}"
            raise argparse.ArgumentTypeError(explanation) from rule

    return read_or_explain
