"""Requests that the page never makes: unknown addresses, and calls that fit no callback."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import flask
import msgspec
from dash import Dash
from dash.fingerprint import check_fingerprint
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import BadRequest
from werkzeug.routing import IntegerConverter

from callbacks.guards.error_answers import sentence
from melm_studio.views.validation import LARGEST_COUNT

# Dash answers every address that it does not know with the page.
_CATCH_ALL = "/<path:path>"
_CALLBACKS = "/_dash-update-component"
_COMPONENTS = "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>"
_UNKNOWN = "There is nothing at this address. The studio is at {root}/."
_NESTED = "The values are nested more deeply than any that the studio reads."
_MISFIT = (
    "This request does not fit this version of the studio. Reload the page; runs continue "
    "without it."
)


class _WholeNumber(IntegerConverter):
    """A number in a path, as large as those in bodies may be; there is nothing at larger ones."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"max": LARGEST_COUNT} | options)


class _Call(msgspec.Struct):
    """What the page sends to call a callback, as far as it can be checked."""

    output: str
    inputs: list[Any]
    changed: list[str] = msgspec.field(name="changedPropIds")
    state: list[Any] = []


class _Json(DefaultJSONProvider):
    """JSON that is nested without end is refused like any other that is malformed."""

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        try:
            return super().loads(s, **kwargs)
        except RecursionError:
            raise ValueError(_NESTED) from None


def register(app: Dash) -> None:
    """Connect the checks, which run before every route."""
    app.server.url_map.converters["int"] = _WholeNumber  # of the routes, which come after
    app.server.json = _Json(app.server)
    app.server.before_request(refuse_unknown_addresses)
    app.server.before_request(partial(refuse_unknown_components, app))
    app.server.before_request(partial(refuse_misfits, app))


def refuse_unknown_addresses() -> tuple[dict[str, str], int] | None:
    """Answer 404 instead of the page."""
    if flask.request.endpoint != _CATCH_ALL:
        return None
    return sentence(_UNKNOWN.format(root=flask.request.script_root)), 404


def refuse_unknown_components(app: Dash) -> tuple[dict[str, str], int] | None:
    """Answer 404 for a file of no component, for which Dash would raise an error."""
    if flask.request.endpoint != _COMPONENTS:
        return None
    values = flask.request.view_args or {}
    path, _ = check_fingerprint(values["fingerprinted_path"])  # type: ignore[no-untyped-call]
    # It makes an entry of every name that it is asked for.
    known = app.registered_paths
    if values["package_name"] in known and path in known[values["package_name"]]:
        return None
    return sentence(_UNKNOWN.format(root=flask.request.script_root)), 404


def refuse_misfits(app: Dash) -> tuple[dict[str, str], int] | None:
    """Refuse a call of a callback that is not registered, or with other inputs."""
    if flask.request.path != _CALLBACKS or flask.request.method != "POST":
        return None
    try:
        call = msgspec.convert(flask.request.get_json(), _Call)
    except (BadRequest, msgspec.ValidationError):
        return sentence(_MISFIT), 400
    callback = app.callback_map.get(call.output)
    fits = (
        callback is not None
        and "callback" in callback
        and _are_those(call.inputs, callback["inputs"])
        and _are_those(call.state, callback["state"])
    )
    return None if fits else (sentence(_MISFIT), 400)


def _are_those(sent: list[Any], declared: list[Mapping[str, Any]]) -> bool:
    return len(sent) == len(declared) and all(map(_is_of, sent, declared))


def _is_of(sent: Any, declared: Mapping[str, Any]) -> bool:
    """Whether a value is of a property; a list of such values where an id is a pattern."""
    if isinstance(sent, list):
        return declared["id"].startswith("{") and all(_is_of(each, declared) for each in sent)
    return isinstance(sent, dict) and sent.get("property") == declared["property"] and "id" in sent
