"""The studio's settings: one frozen object, read from flags and the environment once."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Reader: TypeAlias = Callable[[str], object]


@dataclass(frozen=True)
class Settings:
    """Where the studio listens, where it keeps its data and how much it takes on.

    Attributes
    ----------
    host, port : str, int
        The address of the web page.
    data_dir : Path
        Folder of uploads, runs and their histories.
    workers : int
        Runs that work at the same time.
    max_upload_mb : int
        Largest upload, in megabytes.
    threads : int
        Threads of the web server.
    """

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 8050
    workers: int = max(2, os.cpu_count() or 2)
    max_upload_mb: int = 64
    threads: int = 8

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
        return cls(**vars(_parser(environ).parse_args(argv)))


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
        ("workers", "MELM_WORKERS", Settings.workers, _whole_number(1, 256), "runs at a time"),
        ("max-upload-mb", "MELM_MAX_UPLOAD_MB", megabytes, _whole_number(1, 4096), "upload limit"),
        ("threads", "MELM_THREADS", Settings.threads, _whole_number(1, 256), "web threads"),
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


def _folder(text: str) -> Path:
    folder = Path(text).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ValueError("a folder but a file")
    return folder
