"""Whether the server answers and the studio can work, and the scripts it serves itself."""

from __future__ import annotations

import logging
import time

import flask
from dash import Dash
from plotly.offline import get_plotlyjs

from callbacks.services import Studio
from melm_studio.worker.store.protocol import RunStore

PLOTLY_SCRIPT = "/plotly.js"
LATEST_BEAT_S = 5.0

logger = logging.getLogger(__name__)


def register(app: Dash, studio: Studio) -> None:
    """Answer /health and /ready, and serve plotly.js from the installed package."""
    script = get_plotlyjs().encode()

    @app.server.get("/health")
    def health() -> tuple[str, int]:
        return "ok", 200

    @app.server.get("/ready")
    def ready() -> tuple[str, int]:
        hindrances = [*_of_store(studio.store), *_of_supervisor(studio.store)]
        return ("; ".join(hindrances), 503) if hindrances else ("ready", 200)

    @app.server.get(PLOTLY_SCRIPT)
    def plotly_script() -> flask.Response:
        response = flask.Response(script, mimetype="text/javascript")
        response.add_etag()
        response.cache_control.max_age = 86_400
        return response.make_conditional(flask.request)


def _of_store(store: RunStore) -> list[str]:
    try:
        store.probe(time.time())
    except Exception:  # whatever it is, whoever asks needs to know that it is the store
        logger.exception("the store cannot be written")
        return ["the store cannot be written"]
    return []


def _of_supervisor(store: RunStore) -> list[str]:
    beat_s = store.supervisor_beat_s()
    if beat_s is None:
        return ["no supervisor has worked the queue yet"]
    silent_s = time.time() - beat_s
    if silent_s > LATEST_BEAT_S:
        return [f"the supervisor gave no sign of life for {silent_s:.0f} s"]
    return []
