"""The studio in a notebook: a table goes there, planes and figures come back."""

from __future__ import annotations

import atexit
import builtins
from collections.abc import Mapping
from contextlib import ExitStack
from html import escape
from typing import Any, Self
from urllib.parse import urlsplit

import pandas as pd

from melm_core import SavedPlane
from melm_core.base import UserError
from melm_studio.programs.client import StudioClient
from melm_studio.programs.local_studio import LocalStudio, local_studio
from melm_studio.programs.models import Run
from melm_studio.runs.records.run import RunState

# A page of another host would be another site, whose frames get no cookie.
_HERE = ("localhost", "127.0.0.1")
_PAGES = " ".join(f"http://{host}:*" for host in _HERE)

_NO_RUN = "There is no run {name!r}. There are: {names}."
_NO_RUNS = "There is no run yet. Press Run in the studio, or call run()."
_NO_SERVER = (
    "{server!r} is not the address of a notebook server. Copy that of this notebook's page up to "
    "what the server added, such as https://hub.example.org/user/ann/."
)

_FRAME = """\
<iframe id="{name}" title="MELM Studio" width="100%" height="{height}" \
style="border: 1px solid #dfe3e8; border-radius: 8px"></iframe>
<p><a id="{name}-link" href="{url}" target="_blank">Open in a tab</a></p>
<script>
(() => {{
  const address = new URL("{url}");
  if ({hosts}.includes(location.hostname)) address.hostname = location.hostname;
  document.getElementById("{name}").src = document.getElementById("{name}-link").href = address;
}})();
</script>
"""


def show(
    frame: pd.DataFrame,
    *,
    label: str | None = None,
    method: str | None = None,
    name: str = "table",
    address: str | None = None,
    server: str = "",
    height: int = 860,
) -> NotebookStudio:
    """Show a table in the studio, in the cell of a notebook.

    Parameters
    ----------
    frame : DataFrame
        Its index is a column if it has a name.
    label : str or None
        Column of the classes; None for the column that looks like one.
    method : str or None
        Key of a method of `melm_core.METHODS` to run at once.
    name : str
        What the page calls the table.
    address : str or None
        Of a studio that is running, whose setting ``--framed-by`` names the notebook's page; None
        to start one on this machine, until the notebook's kernel ends or `NotebookStudio.close`.
    server : str
        Address of the notebook server, such as ``https://hub.example.org/user/ann/``, where it is
        not on the machine of the browser. The server needs jupyter-server-proxy, through which the
        browser then reaches the studio that is started.
    height : int
        Of the frame in the cell, in pixels.

    Returns
    -------
    NotebookStudio
        Shows itself at the end of a cell.

    Raises
    ------
    UserError
        If an address or the table is refused, or the studio does not start; says why.

    Examples
    --------
    >>> import pandas as pd
    >>> import melm_studio
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> frame = pd.DataFrame(X).add_prefix("x").assign(half=y)
    >>> with melm_studio.show(frame, label="half") as studio:  # doctest: +SKIP
    ...     plane = studio.plane("LDA")
    """
    pages = f"{_PAGES} {_origin(server)}" if server else _PAGES
    with ExitStack() as studio:
        if address is None:
            started = studio.enter_context(local_studio(framed_by=pages, notebook_server=server))
        else:
            started = LocalStudio(address, address)
        client = StudioClient(started.url)
        source = {**client.upload(_csv(frame), f"{name}.csv"), "label": label}
        client.prepare(source)  # refused here rather than in the frame
        return NotebookStudio(
            client,
            source,
            page=started.page,
            method=method,
            height=height,
            resources=studio.pop_all(),
        )


def _origin(server: str) -> str:
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(_NO_SERVER.format(server=server))
    return f"{parts.scheme}://{parts.netloc}"


class NotebookStudio:
    """A studio that shows a table, as made by `show`.

    Parameters
    ----------
    client : StudioClient
    source : mapping
        The table, as the client names it.
    page : str
        Address of the studio for browsers.
    method : str or None
        What the page runs when it opens.
    height : int
        Of the frame in the cell, in pixels.
    resources : ExitStack
        Closed with it.

    Attributes
    ----------
    url : str
        Address of the studio for browsers.
    """

    def __init__(
        self,
        client: StudioClient,
        source: Mapping[str, Any],
        *,
        page: str,
        method: str | None,
        height: int,
        resources: ExitStack,
    ) -> None:
        self._client, self._source, self._method = client, source, method
        self.url = page.rstrip("/")
        self._height, self._resources = height, resources
        atexit.register(self.close)

    def run(self, method: str, **parameters: Any) -> str:
        """Run a method without the page, and wait for its end.

        Parameters
        ----------
        method : str
            Key of a method of `melm_core.METHODS`.
        **parameters
            Such as ``gamma=2`` or ``random_state=1``, as the HTTP interface takes them.

        Returns
        -------
        title : str
            Of the run, for `plane` and `figure`.

        Raises
        ------
        UserError
            If the method or a parameter is refused, or the run fails; says why.
        """
        run = self._client.finished(self._client.start(self._source, method, parameters).id)
        if run.state is not RunState.DONE:
            raise UserError(run.message)
        return run.title

    def runs(self) -> pd.DataFrame:
        """List the runs of the page, oldest first: title, method, state, divergence, seconds."""
        columns = ("title", "method", "state", "divergence", "seconds")
        rows = [[getattr(run, column) for column in columns] for run in self._client.runs()]
        return pd.DataFrame(rows, columns=columns)

    def plane(self, title: str | None = None) -> SavedPlane:
        """Return the plane of a run as an estimator, which takes rows like those of the table.

        Parameters
        ----------
        title : str or None
            Of the run, as on the page; None for the last run.

        Raises
        ------
        UserError
            If there is no such run, or its method has no plane.
        """
        return SavedPlane.from_json(self._client.download(self._run(title).id, "model.json"))

    def figure(self, title: str | None = None) -> Figure:
        """Return the picture of a run, fit for print; parameter and errors as for `plane`."""
        return Figure(self._client, self._run(title).id)

    def close(self) -> None:
        """End the studio, if `show` started it."""
        atexit.unregister(self.close)
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<MELM Studio at {self.url}>"

    def _repr_html_(self) -> str:
        link = self._client.link(self._source, self._method, same_visitor=True)
        address = self.url + link.removeprefix(self._client.url)
        return _FRAME.format(
            name=f"melm-studio-{urlsplit(address).path.rpartition('/')[2][-12:]}",
            url=escape(address),
            height=self._height,
            hosts=list(_HERE),
        )

    def _run(self, title: str | None) -> Run:
        runs = self._client.runs()
        if not runs:
            raise UserError(_NO_RUNS)
        named = [run for run in runs if title in (None, run.title)]
        if not named:
            raise UserError(_NO_RUN.format(name=title, names=", ".join(run.title for run in runs)))
        return named[-1]


class Figure:
    """The picture of a run; shows itself at the end of a cell.

    Parameters
    ----------
    client : StudioClient
    run_id : str
    """

    def __init__(self, client: StudioClient, run_id: str) -> None:
        self._client, self._run_id = client, run_id

    def _repr_svg_(self) -> str:
        return self.bytes("svg").decode()

    def bytes(self, file_format: str) -> builtins.bytes:
        """Return a file of the picture.

        Parameters
        ----------
        file_format : str
            ``svg``, ``pdf`` or ``png``.
        """
        return self._client.figure([self._run_id], file_format)


def _csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=frame.index.name is not None).encode()
