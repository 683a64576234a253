"""A studio on this machine: one for as long as a program needs it, and a table opened in one."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import requests

from melm_core.base import UserError
from melm_studio.installation import APPLICATION_FOLDER
from melm_studio.programs.client import StudioClient

START_S = 180.0
STOP_S = 20.0
_POLL_S = 0.1
_HOST = "127.0.0.1"

_ENDED = "The studio ended before it answered. It printed: {output}"
_LATE = f"The studio did not answer within {START_S:.0f} s. It printed: {{output}}"


def answers(url: str) -> bool:
    """Return whether a studio responds at an address."""
    with suppress(requests.RequestException):
        return requests.get(f"{url}/health", timeout=2.0).text.startswith("ok")
    return False


def free_port() -> int:
    """Find an unused port of this machine."""
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class LocalStudio:
    """Address of a studio on this machine.

    Attributes
    ----------
    url : str
        Its address for programs of this machine.
    page : str
        Its address for browsers.
    """

    url: str
    page: str

    @classmethod
    def below(cls, notebook_server: str, port: int) -> LocalStudio:
        """Return the addresses of a port, reached through a notebook server if one is given."""
        here = f"http://{_HOST}:{port}"
        if not notebook_server:
            return cls(here, here)
        page = f"{notebook_server.rstrip('/')}/proxy/{port}"
        return cls(f"{here}{urlsplit(page).path}", page)

    @property
    def path_prefix(self) -> str:
        """The path of the page."""
        return urlsplit(self.page).path

    @property
    def hosts(self) -> list[str]:
        """The names of its host, for programs and for browsers."""
        return [_HOST, "localhost", str(urlsplit(self.page).hostname)]


@contextmanager
def local_studio(framed_by: str = "", notebook_server: str = "") -> Generator[LocalStudio]:
    """Start a studio of two runs at a time, with a folder that is deleted at the end.

    Parameters
    ----------
    framed_by : str
        Pages that may show the studio, separated by spaces.
    notebook_server : str
        Address of a notebook server with jupyter-server-proxy, which serves a port of this machine
        under the path ``proxy/PORT``; empty where browsers reach this machine itself.

    Raises
    ------
    UserError
        If it does not start within `START_S` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="melm-studio-") as folder:
        output_file = Path(folder) / "output.txt"
        port = free_port()
        flags = {"host": _HOST, "port": port, "data-dir": Path(folder) / "data"}
        flags |= {"workers": 2, "store": "", "framed-by": framed_by}
        studio = LocalStudio.below(notebook_server, port)
        flags |= {"path-prefix": studio.path_prefix, "hosts": ",".join(studio.hosts)}
        command = [sys.executable, str(APPLICATION_FOLDER / "app.py")]
        command += [f"--{name}={value}" for name, value in flags.items()]
        with output_file.open("wb") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
        try:
            _wait_for_answer(process, studio.url, output_file)
            yield studio
        finally:
            _stop(process)


def _wait_for_answer(process: subprocess.Popen[bytes], url: str, output_file: Path) -> None:
    deadline = time.monotonic() + START_S
    while not answers(url):
        has_ended = process.poll() is not None
        if has_ended or time.monotonic() > deadline:
            output = output_file.read_text(encoding="utf-8", errors="replace")
            raise UserError((_ENDED if has_ended else _LATE).format(output=output))
        time.sleep(_POLL_S)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class TableToOpen:
    """A file, its label, and the method to run on it.

    Attributes
    ----------
    path : Path
    label : str or None
        None for the column that looks like one.
    method : str or None
        None to show the table only.
    in_browser : bool
        Whether to open a browser; otherwise the address is printed.
    """

    path: Path
    label: str | None = None
    method: str | None = None
    in_browser: bool = True

    def open_at(self, url: str) -> None:
        """Hand the file to a studio, and open its page.

        Raises
        ------
        UserError
            If the file cannot be read, or the studio refuses it.
        """
        try:
            raw = self.path.read_bytes()
        except OSError as error:
            raise UserError(f"{self.path} cannot be read: {error.strerror}.") from error
        client = StudioClient(url)
        source = {**client.upload(raw, self.path.name), "label": self.label}
        client.prepare(source)  # refused here rather than in the browser
        address = client.link(source, self.method)
        if not (self.in_browser and webbrowser.open(address)):
            print(f"Open {address}", flush=True)

    def open_when_ready(self, url: str) -> None:
        """Do so, in the background, once a studio that is being started answers."""
        threading.Thread(target=self._wait_and_open, args=(url,), daemon=True).start()

    def _wait_and_open(self, url: str) -> None:
        deadline = time.monotonic() + START_S
        while not answers(url) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        try:
            self.open_at(url)
        except UserError as error:
            print(error, flush=True)
