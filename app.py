"""MELM Studio: settings, store, page and workers, put together.

`python app.py` starts all of it; `python app.py --help` lists the settings.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence

import waitress
from dash import Dash

import callbacks
from callbacks.health import PLOTLY_SCRIPT
from callbacks.studio import Studio
from figures.theme import page_colours
from layout.page import page
from worker.gallery import Gallery
from worker.logs import configure_logging
from worker.settings import Settings
from worker.store import DiskRunStore, RunStore
from worker.supervisor import start_supervisor

_INDEX = """<!DOCTYPE html>
<html lang="en">
    <head>
        {%metas%}
        <title>{%title%}</title>
        {%favicon%}
        {%css%}
        <style>__COLOURS__</style>
    </head>
    <body>
        {%app_entry%}
        <footer>
            {%config%}
            {%scripts%}
            {%renderer%}
        </footer>
    </body>
</html>
"""


def create_app(settings: Settings, store: RunStore) -> Dash:
    """The page and its routes on a store; several may live in one process."""
    app = Dash(
        __name__,
        title="MELM Studio",
        update_title="",
        external_scripts=[PLOTLY_SCRIPT],
        index_string=_INDEX.replace("__COLOURS__", page_colours()),
        meta_tags=[{"name": "viewport", "content": "width=device-width, initial-scale=1"}],
    )
    app.layout = page
    callbacks.register(app, Studio(settings, store, Gallery(store)))
    return app


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Serve until interrupted."""
    settings = Settings.from_environment_and_flags(arguments, environment)
    configure_logging()
    # Said aloud, since a shell may start background jobs with interrupts ignored.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    store = DiskRunStore(settings.data_dir)
    app = create_app(settings, store)
    server = waitress.create_server(
        app.server, host=settings.host, port=settings.port, threads=settings.threads
    )
    supervisor = start_supervisor(settings.data_dir, settings.workers)
    print(f"MELM Studio is at http://{settings.host}:{settings.port}", flush=True)
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
        supervisor.stop()
        store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
