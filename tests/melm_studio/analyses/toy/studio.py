"""A studio that has the toy analysis besides its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from werkzeug.serving import make_server

from app import create_app
from lab.driver.visitor import Studio
from melm_studio.analyses import ANALYSES
from melm_studio.configuration.settings import Settings
from melm_studio.reading import FileReader, ReadingLimits
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.tables import TABLE_JOB
from melm_studio.workspace.project import read_apart
from tests.melm_studio.analyses.toy.mean_row import MEAN_ROW

_PROJECT_JOB = "tests.melm_studio.analyses.toy.registered:answer"


@contextmanager
def toy_studio(folder: Path) -> Iterator[Studio]:
    """Open a studio in which the toy is registered for the block."""
    settings = Settings(data_dir=folder)
    limits = ReadingLimits(settings.max_reader_mb, settings.max_reader_seconds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ANALYSES, MEAN_ROW.name, MEAN_ROW)
        patch.setattr(read_apart, "JOB", _PROJECT_JOB)
        reader = FileReader({TABLE_JOB: 2, _PROJECT_JOB: 2}, limits, patience_s=600.0)
        store = DiskRunStore(folder, settings.limits)
        try:
            yield Studio(create_app(settings, store, reader), store)
        finally:
            store.close()
            reader.close()


@contextmanager
def served(studio: Studio) -> Iterator[str]:
    """Serve a studio and work its queue in threads; yield its address."""
    server = make_server("127.0.0.1", 0, studio.app.server, threaded=True)
    done = threading.Event()

    def work() -> None:
        while not done.wait(0.05):
            studio.work()

    threads = [threading.Thread(target=server.serve_forever), threading.Thread(target=work)]
    for thread in threads:
        thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        done.set()
        server.shutdown()
        for thread in threads:
            thread.join()
        server.server_close()
