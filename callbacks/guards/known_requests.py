"""Requests that the page never makes: unknown addresses, and calls that fit no callback.

A callback says by its annotations what it takes; a call with anything else does not reach it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import chain, repeat
from typing import Annotated, Any, get_type_hints

import flask
import msgspec
from dash import Dash
from dash.fingerprint import check_fingerprint
from flask.json.provider import DefaultJSONProvider
from msgspec import Meta
from werkzeug.exceptions import BadRequest
from werkzeug.routing import IntegerConverter

from callbacks.guards.error_answers import sentence
from melm_core.base import known_type
from melm_studio.validation import LARGEST_COUNT, Count, Text

# Dash answers every address that it does not know with the page.
_CATCH_ALL = "/<path:path>"
_CALLBACKS = "/_dash-update-component"
_COMPONENTS = "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>"
_UNKNOWN = "There is nothing at this address. The studio is at {root}/."
_NESTED = "The values are nested more deeply than any that the studio reads."
# Dash compares each control with each that has changed: a story of 200 views has 1,200.
_MOST_CONTROLS, _MOST_CHANGED = 10_000, 2_000
# The ids of controls of which a page has several have these places.
_PLACES = {
    "at": Count,
    "column": Count,
    "question": Count,
    "choice": Count,
    "name": Text,
    "part": Text,
    "act": Text,
}
_MISFIT = (
    "This request does not fit this version of the studio. Reload the page; runs continue "
    "without it."
)


class _WholeNumber(IntegerConverter):
    """A number in a path, as large as those in bodies may be; there is nothing at larger ones."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"max": LARGEST_COUNT} | options)


class _Call(msgspec.Struct):
    """The call of a callback by the page, as far as it can be checked."""

    output: str
    inputs: list[Any]
    changed: Annotated[list[str], Meta(max_length=_MOST_CHANGED)] = msgspec.field(
        name="changedPropIds"
    )
    outputs: list[dict[str, str]] | dict[str, str] = []
    state: list[Any] = []


class _Json(DefaultJSONProvider):
    """JSON to the letter, without NaN or half of a character, and not nested without end."""

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        try:
            return msgspec.json.decode(s)
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
    path, _ = check_fingerprint(values["fingerprinted_path"])
    # It makes an entry of every name that it is asked for.
    paths = app.registered_paths
    if values["package_name"] in paths and path in paths[values["package_name"]]:
        return None
    return sentence(_UNKNOWN.format(root=flask.request.script_root)), 404


def refuse_misfits(app: Dash) -> tuple[dict[str, str], int] | None:
    """Refuse a call of a callback that is not registered, or with other inputs."""
    if flask.request.path != _CALLBACKS or flask.request.method != "POST":
        return None
    try:
        call = msgspec.convert(flask.request.get_json(), known_type(_Call))
    except (BadRequest, msgspec.ValidationError):
        return sentence(_MISFIT), 400
    callback = app.callback_map.get(call.output)
    fits = (
        callback is not None
        and "callback" in callback
        and call.outputs == _outputs_of(call.output)
        and _are_those(call.inputs, callback["inputs"])
        and _are_those(call.state, callback["state"])
        and all(_is_one_of(name, callback["inputs"]) for name in call.changed)
        and _are_taken(callback["callback"], map(_value, [*call.inputs, *call.state]))
    )
    return None if fits else (sentence(_MISFIT), 400)


def _outputs_of(output: str) -> list[dict[str, str]] | dict[str, str]:
    """The ids and properties that the page names beside their common name, "..a.x...b.y..".

    Dash compares them with those of the callback, and raises an error where they differ.
    """
    is_several = output.startswith("..")
    names = output.removeprefix("..").removesuffix("..").split("...")
    outputs = [dict(zip(("id", "property"), name.rsplit(".", 1), strict=True)) for name in names]
    return outputs if is_several else outputs[0]


def _are_those(sent: list[Any], declared: list[Mapping[str, Any]]) -> bool:
    return len(sent) == len(declared) and all(map(_is_of, sent, declared))


def _is_of(sent: Any, declared: Mapping[str, Any]) -> bool:
    """Return whether a value is of a property; a list of such values where an id is a pattern."""
    if declared["id"].startswith("{"):
        is_list = isinstance(sent, list) and len(sent) <= _MOST_CONTROLS
        return is_list and all(_is_part(each, declared) for each in sent)
    return _is_part(sent, declared)


def _is_part(sent: Any, declared: Mapping[str, Any]) -> bool:
    return (
        isinstance(sent, dict)
        and sent.get("property") == declared["property"]
        and _is_id(sent.get("id"), declared["id"])
    )


def _is_id(sent: Any, declared: str) -> bool:
    """Return whether an id is the declared one, or one of its pattern."""
    if not declared.startswith("{"):
        return bool(sent == declared)
    pattern = json.loads(declared)
    return (
        isinstance(sent, dict)
        and sent.keys() == pattern.keys()
        and all(
            _is_typed(sent[key], _PLACES[key]) if value == ["ALL"] else sent[key] == value
            for key, value in pattern.items()
        )
    )


def _is_one_of(name: str, declared: list[Mapping[str, Any]]) -> bool:
    """Return whether a change, such as "run.n_clicks", is an input; of parts that are gone, too."""
    component, _, prop = name.rpartition(".")
    try:
        sent = json.loads(component) if component.startswith("{") else component
    except (ValueError, RecursionError):
        return False
    return any(_is_part({"id": sent, "property": prop}, part) for part in declared)


def _value(sent: Any) -> Any:
    return [each.get("value") for each in sent] if isinstance(sent, list) else sent.get("value")


def _are_taken(callback: Callable[..., Any], values: Iterable[Any]) -> bool:
    """Return whether values are of the types by which a callback is annotated."""
    types, of_rest = argument_types(inspect.unwrap(callback))
    return all(map(_is_typed, values, chain(types, repeat(of_rest))))


@cache
def argument_types(function: Callable[..., Any]) -> tuple[list[Any], Any]:
    """The types of the arguments, and of those that go on without an end."""
    types, fixed, of_rest = get_type_hints(function, include_extras=True), [], Any
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            of_rest = types[name]
        else:
            fixed.append(types[name])
    return fixed, of_rest


def _is_typed(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, known_type(kind))
    except msgspec.ValidationError:
        return False
    return True
