"""A studio within this process, for commands: neither server nor workers are started."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import requests
from requests.adapters import BaseAdapter
from threadpoolctl import threadpool_limits
from werkzeug.test import Client

from melm_studio.configuration.memory import limited_memory
from melm_studio.configuration.settings import Settings
from melm_studio.installation import application
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.programs.client import StudioClient
from melm_studio.runs.store.open_store import open_store
from melm_studio.runs.store.protocol import RunStore
from melm_studio.workers.execute import execute_queued
from melm_studio.workspace.project.read_apart import own_file_reader

_URL = "http://localhost"
# Those of a studio on the network, which nobody but this process asks.
_FLAGS = ("--store=", "--hosts=", "--path-prefix=", "--framed-by=", "--user-header=", "--tables=")


@contextmanager
def studio_in_this_process() -> Generator[StudioClient]:
    """Yield a client of a studio in this process; its folder is deleted at the end.

    What the client asks for takes the same routes as over the network, so the answers are the same.
    A run is executed when it is queued: it has ended once the request that starts it is answered.
    The process has the memory of a run, and one thread for linear algebra, as that of a run has.
    """
    with tempfile.TemporaryDirectory(prefix="melm-studio-") as folder, ExitStack() as held:
        settings = Settings.from_environment_and_flags(
            [f"--data-dir={folder}", *_FLAGS], os.environ
        )
        held.enter_context(limited_memory(settings.max_run_mb))
        held.enter_context(threadpool_limits(1))
        store = held.enter_context(closing(open_store(settings)))
        # Whoever calls the command has chosen the file: there is nobody to isolate it from.
        reader = own_file_reader(settings)
        services = application("callbacks.services").Services(
            settings, store, PlaneRenderer(store), reader
        )
        server = application("callbacks.programs").programs_server(services)
        session = held.enter_context(requests.Session())
        session.mount(_URL, _OwnProcess(server, store))
        session.headers["Accept-Encoding"] = "identity"  # nothing goes over a network
        yield StudioClient(_URL, session=session)


class _OwnProcess(BaseAdapter):
    """Hands requests to an application of this process, and executes what they queue."""

    def __init__(self, server: Any, store: RunStore) -> None:
        super().__init__()
        self._client, self._store = Client(server, use_cookies=False), store

    def send(
        self, request: requests.PreparedRequest, *_: object, **__: object
    ) -> requests.Response:
        body = request.body or b""
        answer = self._client.open(
            request.path_url,
            base_url=_URL,
            method=request.method,
            headers=list(request.headers.items()),
            data=body.encode() if isinstance(body, str) else body,
        )
        with closing(answer):
            response = requests.Response()
            response.status_code, response.url, response.request = (
                answer.status_code,
                request.url or _URL,
                request,
            )
            response.headers.update(answer.headers)
            response.raw = io.BytesIO(answer.data)
        execute_queued(self._store)
        return response

    def close(self) -> None:
        """Nothing stays open."""
