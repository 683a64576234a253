"""A client of the studio's HTTP interface."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

import msgspec
import requests
from urllib3.exceptions import MaxRetryError, ReadTimeoutError

from melm_core.base import UserError, known_type
from melm_studio.analyses.verdict_file import FILE_NAME
from melm_studio.programs.models import (
    AnalysisResult,
    Check,
    Comparison,
    Link,
    PreparedTable,
    Refits,
    Refusal,
    Result,
    Run,
    Runs,
    StoredFile,
    Token,
)
from melm_studio.rows.new_rows_report import NewRowsReport
from melm_studio.runs.records.run import RunState

POLL_S = 0.2
CONNECT_S = 10.0
# A request whose answer will soon be there says so, and is repeated.
_SOON_S = 5
# For an answer to begin; uploads of large files take their time before.
ANSWER_S = 120.0

_SILENT = "No studio answers at {url}. Start it by melm-studio, or correct the address."
_SLOW = (
    "The studio at {url} was reached, but has not answered for {seconds:g} s. What was asked for "
    "may have begun: look at the runs before you ask again."
)
_LOST = (
    "The studio at {url} ended the connection before its answer was complete. What was asked for "
    "may have begun: look at the runs before you ask again."
)
_UNTRUSTED = (
    "The certificate of {url} is not trusted here, so nothing was sent. Correct the address, or "
    "name the certificate in REQUESTS_CA_BUNDLE."
)
_NO_ADDRESS = "{url!r} is not the address of a studio. One is http://127.0.0.1:8050."
_NO_STUDIO = (
    "What answers at {url} is not this version of a studio, or a login is before it. Correct the "
    "address, or log in as it asks."
)
_UNKNOWN = "The studio has nothing of this name for this visitor. Take the id that a run was given."
_RUN_ID = re.compile(r"[\w-]+")

T = TypeVar("T")


class _Advancing(Protocol):
    """A response with the state of its progress."""

    @property
    def state(self) -> RunState: ...


S = TypeVar("S", bound=_Advancing)


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
        """List all runs of the visitor, oldest first."""
        return self._read(Runs, "GET", "/runs").runs

    def run(self, run_id: str) -> Run:
        """Return the state of a run."""
        return self._read(Run, "GET", _path(run_id))

    def finished(
        self,
        run_id: str,
        callback: Callable[[Run], None] | None = None,
        *,
        longest_s: float = math.inf,
    ) -> Run:
        """Wait for the end of a run, or for some seconds; `callback` is told how far it is."""
        return _waited(lambda: self.run(run_id), longest_s, callback)

    def result(self, run_id: str) -> Result:
        """Return the newest plane of a run, and the separation of its classes."""
        return self._read(Result, "GET", _path(run_id, "result"))

    def refitted(self, run_id: str, *, longest_s: float = math.inf) -> Refits:
        """Refit a run without each fold, and wait for the end, or for some seconds."""
        path = _path(run_id, "refits")
        self._read(Refits, "POST", path)
        return _waited(lambda: self._read(Refits, "GET", path), longest_s)

    def checked(
        self,
        run_id: str,
        callback: Callable[[Check], None] | None = None,
        *,
        longest_s: float = math.inf,
    ) -> Check:
        """Check a run and wait for the answer, or for some seconds; `callback` is told how far."""
        path = _path(run_id, "check")
        self._read(Check, "POST", path)
        return _waited(lambda: self._read(Check, "GET", path), longest_s, callback)

    def compared(self, source: Mapping[str, Any], *, longest_s: float = math.inf) -> Comparison:
        """Compare all methods on a table, and wait for the end, or for some seconds."""
        begun = self._read(Comparison, "POST", "/comparisons", json=source)
        path = f"/comparisons/{begun.id}"
        return _waited(lambda: self._read(Comparison, "GET", path), longest_s)

    def analyzed(
        self,
        run_id: str,
        name: str,
        new_rows: Mapping[str, str] | None = None,
        *,
        longest_s: float = math.inf,
    ) -> AnalysisResult:
        """Begin an analysis of a run, and wait until it has ended, or for some seconds.

        Parameters
        ----------
        run_id, name : str
        new_rows : mapping, optional
            The source of the file, from `upload`, that it compares the rows of the run with.
        longest_s : float, default=inf
        """
        path = _path(run_id, "analyses", name)
        query = None if new_rows is None else _query(new_rows)
        self._read(AnalysisResult, "POST", path, params=query)
        return _waited(lambda: self._read(AnalysisResult, "GET", path), longest_s)

    def placed(self, run: Run, new_rows: Mapping[str, str]) -> NewRowsReport:
        """Place rows in the newest plane of a run.

        Parameters
        ----------
        run : Run
        new_rows : mapping
            The source of their file, from `upload`.
        """
        content = self._sent("GET", _newest(run, "new-rows"), params=_query(new_rows)).json()
        return msgspec.convert(content["report"], known_type(NewRowsReport))

    def placed_csv(self, run: Run, new_rows: Mapping[str, str]) -> bytes:
        """Return placed rows as a table: every row with its class, distances and coordinates."""
        return self._sent("GET", _newest(run, "new-rows.csv"), params=_query(new_rows)).content

    def download(self, run_id: str, file: str, **query: str) -> bytes:
        """Return what a button of the page downloads, such as ``points.csv``."""
        return self._sent("GET", _path(run_id, file), params=query).content

    def report(self, run_ids: Sequence[str]) -> bytes:
        """Return the report of a run, or of several side by side."""
        if len(run_ids) == 1:
            return self.download(run_ids[0], "report.html")
        return self._sent("GET", "/report.html", params={"run": list(run_ids)}).content

    def verdict(self, run_id: str) -> bytes:
        """Return the verdict of a checked run, as a file that `melm-studio verify` reads."""
        return self.download(run_id, FILE_NAME)

    def figure(self, run_ids: Sequence[str], file_format: str) -> bytes:
        """Return the planes of runs side by side as ``pdf``, ``svg`` or ``png``."""
        wanted = {"panels": [{"run": run_id} for run_id in run_ids], "format": file_format}
        return self._sent("POST", "/figure", json=wanted).content

    def _read(self, model: type[T], method: str, path: str, **request: Any) -> T:
        answer = self._sent(method, f"/api/v1{path}", **request)
        try:
            return msgspec.json.decode(answer.content, type=known_type(model))
        except msgspec.MsgspecError as error:
            raise RefusedError(_NO_STUDIO.format(url=self.url)) from error

    def _sent(self, method: str, path: str, **request: Any) -> requests.Response:
        while True:
            try:
                answer = self._session.request(
                    method,
                    self.url + path,
                    timeout=(CONNECT_S, ANSWER_S),
                    allow_redirects=False,
                    **request,
                )
            except requests.RequestException as error:
                words = _happened(error).format(url=self.url, seconds=ANSWER_S)
                raise RefusedError(words) from error
            if answer.ok:
                return answer
            seconds = _soon_s(answer)
            if seconds is None:
                raise RefusedError(_reason(answer))
            time.sleep(seconds)


def _waited(
    read: Callable[[], S], longest_s: float = math.inf, callback: Callable[[S], None] | None = None
) -> S:
    """Poll until the state is final, or time is up; return the last response."""
    deadline = time.monotonic() + longest_s
    while True:
        response = read()
        if callback is not None:
            callback(response)
        if response.state.is_final or time.monotonic() > deadline:
            return response
        time.sleep(POLL_S)


def _path(run_id: str, *rest: str) -> str:
    """Return the address of a run, or of what is below it."""
    if not _RUN_ID.fullmatch(run_id):  # it may come from a model, and would lead elsewhere
        raise RefusedError(_UNKNOWN)
    return "/".join(["/runs", run_id, *map(quote, rest)])


def _newest(run: Run, file: str) -> str:
    return _path(run.id, "planes", str(run.n_planes - 1), file)


def _query(new_rows: Mapping[str, str]) -> dict[str, str]:
    return {"file": new_rows["key"], "name": new_rows["name"]}


def _happened(error: requests.RequestException) -> str:
    """Describe the error of a request without a response."""
    if isinstance(error, ValueError):  # as all errors of addresses are
        return _NO_ADDRESS
    if isinstance(error, requests.exceptions.SSLError):
        return _UNTRUSTED
    cause = error.args[0] if error.args else None
    if isinstance(error, requests.ReadTimeout) or isinstance(cause, ReadTimeoutError):
        return _SLOW
    return _SILENT if isinstance(cause, MaxRetryError) else _LOST


def _soon_s(answer: requests.Response) -> int | None:
    """Return the seconds after which to repeat a request; None where it is refused."""
    after = answer.headers.get("Retry-After", "")
    is_soon = answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE and after.isdecimal()
    return int(after) if is_soon and int(after) <= _SOON_S else None


def _reason(answer: requests.Response) -> str:
    if answer.status_code == HTTPStatus.NOT_FOUND:
        return _UNKNOWN
    try:
        return msgspec.json.decode(answer.content, type=known_type(Refusal)).error
    except msgspec.MsgspecError:
        return f"The studio refused the request with status {answer.status_code}."
