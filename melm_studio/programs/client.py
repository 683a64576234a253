"""A client of the studio's HTTP interface."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
import requests

from melm_core.base import UserError, known_type
from melm_studio.programs.models import (
    AnalysisResult,
    Check,
    Link,
    PreparedTable,
    Refusal,
    Result,
    Run,
    Runs,
    StoredFile,
    Token,
)

POLL_S = 0.2
# For an answer to begin; uploads of large files take their time before.
ANSWER_S = 120.0

_SILENT = "No studio answers at {url}. Start it by melm-studio, or correct the address."

T = TypeVar("T")


class RefusedError(UserError):
    """The studio refused a request; the message is its sentence."""


class StudioClient:
    """Acts on a studio as a visitor does on its page.

    Parameters
    ----------
    url : str
        Address of the studio, such as ``http://127.0.0.1:8050``.
    token : str or None
        The visitor; None for a new one.
    session : requests.Session, optional
        What sends the requests.

    Raises
    ------
    RefusedError
        From every method, if the studio refuses or does not answer; says why.
    """

    def __init__(
        self, url: str, token: str | None = None, *, session: requests.Session | None = None
    ) -> None:
        self.url = url.rstrip("/")
        self._session = session or requests.Session()
        self.token = token or self._read(Token, "POST", "/tokens").token
        # Authorization is the proxy's, where one asks for a password.
        self._session.headers["X-Melm-Token"] = self.token

    def upload(self, raw: bytes, name: str) -> dict[str, str]:
        """Store a file; return the source that names it."""
        stored = self._read(StoredFile, "POST", "/files", files={"file": (name, raw)})
        return {"kind": "upload", "key": stored.key, "name": stored.name}

    def prepare(self, source: Mapping[str, Any]) -> PreparedTable:
        """Prepare a table as runs do."""
        return self._read(PreparedTable, "POST", "/tables", json=source)

    def link(
        self, source: Mapping[str, Any], method: str | None = None, *, same_visitor: bool = False
    ) -> str:
        """Return an address that opens a table in a browser, and runs a method if one is given.

        Parameters
        ----------
        source : mapping
        method : str or None
        same_visitor : bool
            Whether whoever opens it becomes this visitor, rather than getting a copy.
        """
        wanted = {"source": source, "method": method, "same_visitor": same_visitor}
        return self.url + self._read(Link, "POST", "/links", json=wanted).path

    def start(
        self, source: Mapping[str, Any], method: str, parameters: Mapping[str, Any] | None = None
    ) -> Run:
        """Start a run."""
        wanted = {"source": source, "method": method, "parameters": dict(parameters or {})}
        return self._read(Run, "POST", "/runs", json=wanted)

    def runs(self) -> tuple[Run, ...]:
        """All runs of the visitor, oldest first."""
        return self._read(Runs, "GET", "/runs").runs

    def run(self, run_id: str) -> Run:
        """How far a run is."""
        return self._read(Run, "GET", f"/runs/{run_id}")

    def finished(self, run_id: str, callback: Callable[[Run], None] | None = None) -> Run:
        """Wait for the end of a run; `callback` is told how far it is."""
        while True:
            run = self.run(run_id)
            if callback is not None:
                callback(run)
            if run.state.is_final:
                return run
            time.sleep(POLL_S)

    def result(self, run_id: str) -> Result:
        """The newest plane of a run, and how its rows are told apart."""
        return self._read(Result, "GET", f"/runs/{run_id}/result")

    def checked(self, run_id: str, callback: Callable[[Check], None] | None = None) -> Check:
        """Check a run and wait for the answer; `callback` is told how far the check is."""
        check = self._read(Check, "POST", f"/runs/{run_id}/check")
        while not check.state.is_final:
            time.sleep(POLL_S)
            check = self._read(Check, "GET", f"/runs/{run_id}/check")
            if callback is not None:
                callback(check)
        return check

    def analyzed(
        self, run_id: str, name: str, new_rows: Mapping[str, str] | None = None
    ) -> AnalysisResult:
        """Begin an analysis of a run, and wait until it has ended.

        Parameters
        ----------
        run_id, name : str
        new_rows : mapping, optional
            The source of the file, from `upload`, that it compares the rows of the run with.
        """
        path = f"/runs/{quote(run_id)}/analyses/{quote(name)}"
        query = None if new_rows is None else {"file": new_rows["key"], "name": new_rows["name"]}
        found = self._read(AnalysisResult, "POST", path, params=query)
        while not found.state.is_final:
            time.sleep(POLL_S)
            found = self._read(AnalysisResult, "GET", path)
        return found

    def download(self, run_id: str, file: str) -> bytes:
        """Return what a button of the page downloads, such as ``points.csv``."""
        return self._sent("GET", f"/runs/{quote(run_id)}/{file}").content

    def report(self, run_ids: Sequence[str]) -> bytes:
        """The report of a run, or of several side by side."""
        if len(run_ids) == 1:
            return self.download(run_ids[0], "report.html")
        return self._sent("GET", "/report.html", params={"run": list(run_ids)}).content

    def figure(self, run_ids: Sequence[str], file_format: str) -> bytes:
        """Return the planes of runs side by side as ``pdf``, ``svg`` or ``png``."""
        wanted = {"panels": [{"run": run_id} for run_id in run_ids], "format": file_format}
        return self._sent("POST", "/figure", json=wanted).content

    def _read(self, model: type[T], method: str, path: str, **request: Any) -> T:
        answer = self._sent(method, f"/api/v1{path}", **request)
        return msgspec.json.decode(answer.content, type=known_type(model))

    def _sent(self, method: str, path: str, **request: Any) -> requests.Response:
        try:
            answer = self._session.request(
                method, self.url + path, timeout=ANSWER_S, allow_redirects=False, **request
            )
        except requests.RequestException as error:
            raise RefusedError(_SILENT.format(url=self.url)) from error
        if not answer.ok:
            raise RefusedError(_reason(answer))
        return answer


def _reason(answer: requests.Response) -> str:
    try:
        return msgspec.json.decode(answer.content, type=known_type(Refusal)).error
    except msgspec.MsgspecError:
        return f"The studio refused the request with status {answer.status_code}."
