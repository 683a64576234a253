"""A table of this machine in the studio's page, without an upload by hand."""

from __future__ import annotations

import threading
import time
import webbrowser
from dataclasses import dataclass
from pathlib import Path

from melm_core.base import UserError
from melm_studio.programs.client import StudioClient
from melm_studio.programs.local_studio import START_S, answers

_POLL_S = 0.1


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
