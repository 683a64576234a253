"""MELM Studio: starts the settings, the store, the page, and the workers.

`python app.py` starts all of it; `python app.py --help` lists the settings.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from typing import Any, cast

from dash import Dash
from flask import Flask, Response
from threadpoolctl import threadpool_limits

from callbacks.guards.web_server import ConnectionLimits, web_server
from callbacks.page import first_data, first_paint, register
from callbacks.routes.static_files import PLOTLY_PATH
from callbacks.services import Services
from melm_core.base import UserError
from melm_studio.configuration.logs import READY, configure_logging, tell_service_manager
from melm_studio.configuration.memory import (
    leave_out_of_collections,
    return_large_blocks,
    share_free_memory,
)
from melm_studio.configuration.settings import RedisAddress, Settings, begins_anew
from melm_studio.layout.elements import markup
from melm_studio.layout.first_page import first_script
from melm_studio.layout.page import page, static_parts
from melm_studio.layout.scripts import (
    ASSETS,
    ICON,
    MODULES,
    PAGE_SCRIPT,
    STYLE_SHEET,
    STYLES,
    answer_preloads,
    assets_path,
    script_preloads,
)
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.theme import FONT_FILE, page_colors
from melm_studio.reading import FileReader
from melm_studio.runs.store.disk_cache import locked
from melm_studio.runs.store.folder_identity import identify
from melm_studio.runs.store.open_store import open_store_of_page
from melm_studio.runs.store.protocol import RunStore, StoreUnavailableError
from melm_studio.workers.supervisor import supervised
from melm_studio.workspace.project.read_apart import new_file_reader

_NO_ANSWER = "No server answers at {}. Start the Redis server, or correct --store or MELM_STORE."
_NOT_SHARED = (
    "Several web processes need a shared store; set MELM_STORE to its address, such as "
    "redis://host:6379/0. To run a single process: python app.py"
)
_NO_FOLDER = (
    "--new is for a folder, but the studio keeps its data on the server that --store or MELM_STORE "
    "names. To begin anew there, add another ?prefix= to that address."
)
_NO_ADDRESS = (
    "The studio cannot listen at {}:{} ({}). Stop what listens there, perhaps another studio, or "
    "choose another port by --port or PORT."
)
# One address stands for all visitors there.
_BEHIND_PROXY = ConnectionLimits(connections_of_network=ConnectionLimits.connections)
_INDEX = """<!DOCTYPE html>
<html lang="en">
    <head>
        {%metas%}
        {%renderer%}
        <title>{%title%}</title>
        <link rel="icon" type="image/svg+xml" href="__ICON__">
        {%css%}
        <link rel="preload" as="font" type="font/woff2" crossorigin href="__FONT__">
        <link rel="stylesheet" href="__STYLES__">
        <style>__COLORS__</style>
        <script type="module" src="__SCRIPT__"></script>
        __ANSWERS__
        {%scripts%}
    </head>
    <body>
        {%app_entry%}
        __PARTS__
        <footer>
            {%config%}
        </footer>
    </body>
</html>
"""


_VERSIONS = {"dash_version", "dash_version_url", "ddk_version", "plotly_version", "python_version"}


class _Page(Dash):
    """Dash behind a first page, which does not wait for it; `main.mjs` starts Dash."""

    def _config(self) -> dict[str, Any]:
        # Only Dash's tools for developers ask for versions; visitors are not told what runs here.
        config: dict[str, Any] = super()._config()
        # Of most components Dash says that none of their properties holds others: so it assumes.
        children = {
            library: {name: held for name, held in components.items() if held}
            for library, components in config["children_props"].items()
        }
        shown = {name: value for name, value in config.items() if name not in _VERSIONS}
        return shown | {"children_props": children}

    def serve_layout(self) -> Response:
        return Response(self._written_layout, mimetype="application/json")

    @cached_property
    def _written_layout(self) -> bytes:
        # Once, as it is the same for everybody: most of what an opened page costs the server.
        return cast(Response, super().serve_layout()).get_data()

    def interpolate_index(self, *args: Any, **parts: Any) -> Any:
        parts["scripts"] = script_preloads(parts["scripts"])
        parts["app_entry"] = f"{markup(first_paint())}{parts['app_entry']}"
        return super().interpolate_index(*args, **parts)


def create_app(settings: Settings, store: RunStore, reader: FileReader) -> Dash:
    """Create the page and its routes on a store; one process may have several."""
    app = _Page(
        __name__,
        assets_folder=str(ASSETS),
        title="MELM Studio",
        update_title="",
        assets_url_path=assets_path(),
        requests_pathname_prefix=f"{settings.path_prefix}/",
        routes_pathname_prefix="/",
        assets_ignore=r"\.mjs$",  # the entries of scripts that the pages name themselves
        assets_path_ignore=[f"^{MODULES}$", f"^{STYLES}$"],
        meta_tags=[
            {"name": "viewport", "content": "width=device-width, initial-scale=1"},
            {
                "name": "plotly-script",  # which a script loads last
                "content": f"{settings.path_prefix}{PLOTLY_PATH}",
            },
        ],
        # Otherwise "/" contains the layout, which the page requests anyway, to find callbacks of
        # missing elements; the tests find those.
        suppress_callback_exceptions=True,
    )
    app.index_string = (
        _INDEX.replace("__STYLES__", app.get_asset_url(STYLE_SHEET))
        .replace("__ICON__", app.get_asset_url(ICON))
        .replace("__FONT__", app.get_asset_url(FONT_FILE))
        .replace("__COLORS__", page_colors())
        .replace("__ANSWERS__", answer_preloads(settings.path_prefix))
        .replace("__PARTS__", markup(static_parts()))
        .replace("__SCRIPT__", app.get_asset_url(PAGE_SCRIPT))
    )
    app.renderer = first_script(first_data())  # Dash's own would start it at once
    app.layout = page(settings)
    # Each request has its own thread; further threads of linear algebra would only contend.
    threadpool_limits(1)
    return_large_blocks()
    share_free_memory()
    register(app, Services(settings, store, PlaneRenderer(store), reader))
    return app


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Serve until interrupted."""
    settings = Settings.from_environment_and_flags(arguments, environment)
    is_anew = begins_anew(arguments, environment)
    configure_logging()
    faulthandler.enable()  # a crash of native code says where
    # Set explicitly, since a shell may start background jobs with interrupts ignored.
    for interrupt in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interrupt, signal.default_int_handler)
    try:
        with _folder_of(settings, is_anew):
            return _serve(settings)
    except StoreUnavailableError as error:
        if not settings.store:
            sys.exit(str(error))
        sys.exit(_NO_ANSWER.format(RedisAddress.from_text(settings.store).shown))
    except UserError as error:  # of a folder that cannot be used
        sys.exit(str(error))


@contextmanager
def _folder_of(settings: Settings, is_anew: bool) -> Generator[None]:
    """The data folder, which no other studio uses meanwhile; a shared store has none."""
    if settings.store:
        if is_anew:
            sys.exit(_NO_FOLDER)
        yield
        return
    with locked(settings.data_dir):
        identify(settings.data_dir, begins_anew=is_anew)
        yield


def _serve(settings: Settings) -> int:
    reader = new_file_reader(settings)
    store = open_store_of_page(settings)
    app = create_app(settings, store, reader)
    try:
        server = web_server(
            app.server,
            host=settings.host,
            port=settings.port,
            threads=settings.threads,
            proxies=settings.proxies,
            path_prefix=settings.path_prefix,
            max_upload_mb=settings.max_upload_mb,
            limits=_BEHIND_PROXY if settings.proxies else ConnectionLimits(),
        )
    except OSError as error:
        store.close()
        sys.exit(_NO_ADDRESS.format(settings.host, settings.port, error.strerror))
    with closing(store), closing(reader), supervised(settings):
        reader.start()
        leave_out_of_collections()
        tell_service_manager(READY)
        print(f"MELM Studio is at {settings.address}", flush=True)
        try:
            server.run()
        except KeyboardInterrupt:
            pass
        finally:
            server.close()
    return 0


def server_from_environment() -> Flask:
    """Create the page alone, for a server such as gunicorn; workers run as separate processes."""
    settings = Settings.from_environment_and_flags([], os.environ)
    configure_logging()
    faulthandler.enable()
    if not settings.store:
        sys.exit(_NOT_SHARED)
    reader = new_file_reader(settings)
    reader.start()  # ends with this process
    app = create_app(settings, open_store_of_page(settings), reader)
    leave_out_of_collections()
    return cast(Flask, app.server)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
