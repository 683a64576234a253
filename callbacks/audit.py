"""A line in the log for each action of a visitor: who, from where, what, and whether it was done.

Visitors and addresses are the names that stand for them in the store, so that lines belong together
and name nobody.
"""

from __future__ import annotations

import logging

import flask
from dash import Dash
from werkzeug.exceptions import RequestEntityTooLarge

from callbacks.session import action_by

_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
_CALLBACKS = "/_dash-update-component"
# The list of panels is only looked at; and many times a second, what is shown of a talk, whose
# beginning and end are logged.
_LOOKING = {"/panels", "/talk/shown"}
# Of the many properties that change on a page, the press of a button is an action.
_PRESS = ".n_clicks"

logger = logging.getLogger("melm.audit")


def register(app: Dash) -> None:
    """Log every action once it is answered."""
    app.server.after_request(log_action)


def log_action(response: flask.Response) -> flask.Response:
    """Log what was requested, unless it was only looking."""
    action = _action(flask.request)
    if action:
        run = (flask.request.view_args or {}).get("run_id")
        logger.info("%s", action, extra={"status": response.status_code, "run": run, **action_by()})
    return response


def _action(request: flask.Request) -> str:
    if request.method in _SAFE_METHODS or request.path in _LOOKING:
        return ""
    if request.path != _CALLBACKS:
        # Not the address itself, which may have the key of a recovery link.
        return str(request.url_rule)
    try:
        call = request.get_json(silent=True)
    except RequestEntityTooLarge:  # which the route has refused to read, too
        return ""
    changed = call.get("changedPropIds") if isinstance(call, dict) else None
    first = str(changed[0])[:100] if isinstance(changed, list) and changed else ""
    return f"press {first.removesuffix(_PRESS)}" if first.endswith(_PRESS) else ""
