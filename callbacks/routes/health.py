"""Health checks."""

from __future__ import annotations

import logging
import time

import flask
from dash import Dash

from callbacks.services import services
from melm_studio.runs.store.protocol import RunStore, Sign

MAX_SUPERVISOR_SILENCE_S = 5.0

logger = logging.getLogger(__name__)


def register(app: Dash) -> None:
    """Connect /health and /ready."""
    app.server.get("/health")(health)
    app.server.get("/ready")(ready)


def health() -> tuple[str, int]:
    """The server answers."""
    return "ok", 200


def ready() -> tuple[str, int]:
    """The store can be written, and a supervisor works the queue."""
    store = services().store
    problems = [*_store_problems(store), *_supervisor_problems(store)]
    return ("; ".join(problems), 503) if problems else ("ready", 200)


def _store_problems(store: RunStore) -> list[str]:
    try:
        store.probe(time.time())
        secret = store.secret()
    except Exception:  # every kind of failure means that the store is not usable
        logger.exception("the store cannot be written")
        return ["the store cannot be written"]
    if secret != flask.current_app.secret_key:
        return ["the key in the store is no longer that of this process, restart it"]
    return []


def _supervisor_problems(store: RunStore) -> list[str]:
    beat_s = store.marked_s(Sign.SUPERVISOR)
    if beat_s is None:
        return ["no supervisor has worked the queue yet"]
    silence_s = time.time() - beat_s
    if silence_s > MAX_SUPERVISOR_SILENCE_S:
        return [f"the last heartbeat of the supervisor was {silence_s:.0f} s ago"]
    return []
