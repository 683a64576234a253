"""The HTTP interface: an endpoint is declared where it is answered, and described by that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, get_type_hints

import flask
import msgspec
from flask import Blueprint
from msgspec import Struct

from callbacks.addresses import Body, Guard
from callbacks.identity import HEADER, TOKEN_DAYS
from melm_studio.programs.models import Refusal
from melm_studio.validation import InputError, read

PREFIX = "/api/v1"
_VALUE = re.compile(r"<(\w+)>")
_REFERENCE = "#/components/schemas/{name}"
_SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"bearer": []}]
_REFUSALS = {
    "400": "A value breaks a rule.",
    "401": "The token is not valid, or revoked.",
    "403": "A token may not do this.",
    "404": "There is no such run of this visitor.",
    "409": "There is no room for it, it has ended, or has found nothing yet.",
    "413": "The body is larger than it may be.",
    "429": "A proxy in front takes no more requests of this address for now.",
    "503": "The storage does not answer or is locked, or a file is still being read.",
    "507": "The disk is full.",
}
_NO_JSON = "The body of the request must be a JSON object, with Content-Type: application/json."
T = TypeVar("T")
Handle = TypeVar("Handle", bound=Callable[..., Any])
routes = Blueprint("api", __name__)


@dataclass(frozen=True)
class Endpoint:
    """An address, what it takes, and what it answers.

    Attributes
    ----------
    method, path : str
        In the path, ``<name>`` stands for a value.
    handle : callable
        Its docstring begins with what the address is for.
    answer : type or str
        A model, or the media type of a file.
    body : type or None
        The model of a JSON body.
    takes_file : bool
        Whether the body is a form with a file.
    query : mapping of str to type
        Values in the query.
    status : int
        Of an answer.
    makes_visitors : bool
        Whether it needs no token.
    """

    method: str
    path: str
    handle: Callable[..., Any]
    answer: type[Struct] | str
    body: type[Struct] | None
    takes_file: bool = False
    query: Mapping[str, type] = field(default_factory=dict)
    status: int = 200
    makes_visitors: bool = False

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.handle.__doc__ or "").partition("\n")[0].removesuffix(".")

    @property
    def taken(self) -> Body:
        """The kind of body that its route takes."""
        return Body.FILE if self.takes_file else Body.JSON if self.body else Body.NOTHING


ENDPOINTS: list[Endpoint] = []  # as they are declared


class Endpoints(Blueprint):
    """Routes of the HTTP interface, which are described by what they declare."""

    def declare(
        self, method: str, path: str, *, takes: str = "", is_heavy: bool = False, **described: Any
    ) -> Callable[[Handle], Handle]:
        """Declare the address of a function.

        It answers the model by which it is annotated, and takes another one as ``body``.

        Parameters
        ----------
        method, path : str
        takes : str
            What its body is called where it breaks a rule.
        is_heavy : bool
            Whether its answer is seconds of work, as all that take a file or a model are.
        **described : Any
            Further attributes of its `Endpoint`.
        """

        def declared(handle: Handle) -> Handle:
            types = get_type_hints(handle)
            models: dict[str, Any] = {"answer": types["return"], "body": types.get("body")}
            end = Endpoint(method, path, handle, **models | described)
            ENDPOINTS.append(end)

            @wraps(handle)
            def route(**values: Any) -> Any:
                given = {} if end.body is None else {"body": _json_body(end.body, takes)}
                answer = handle(**values, **given)
                return answer if isinstance(end.answer, str) else _json(answer, end.status)

            self.add_url_rule(
                f"{PREFIX}{path}",
                f"{method} {path}",
                route,
                methods=[method],
                body=end.taken,
                is_heavy=is_heavy or end.taken is not Body.NOTHING,
                guard=Guard.VISITOR if end.makes_visitors else Guard.PROGRAM,
            )
            return handle

        return declared


def _json_body(model: type[T], name: str) -> T:
    """Convert the body of the current request to a model.

    Raises
    ------
    InputError
        Names the value and the rule that it breaks.
    """
    values = flask.request.get_json(silent=True)
    if not isinstance(values, dict):
        raise InputError(_NO_JSON)
    return read(values, model, name)


@routes.get(f"{PREFIX}/openapi.json")
def openapi() -> flask.Response:
    """Describe the endpoints, for tools that read OpenAPI."""
    return _json(describe(ENDPOINTS, PREFIX, flask.request.script_root), 200)


def _json(values: Any, status: int) -> flask.Response:
    return flask.Response(msgspec.json.encode(values), status, mimetype="application/json")


def describe(endpoints: Sequence[Endpoint], prefix: str, root: str) -> dict[str, Any]:
    """Return the description as JSON values.

    Parameters
    ----------
    endpoints : sequence of Endpoint
    prefix : str
        Of every address.
    root : str
        Path of the studio, empty if it is alone on its host.
    """
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = prefix + _VALUE.sub(r"{\1}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "MELM Studio",
            "version": "1",
            "description": "Runs of the studio, for programs. The limits are those of the page.",
        },
        "servers": [{"url": root or "/"}],
        "paths": paths,
        "components": {
            "schemas": _schemas(endpoints),
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": HEADER,
                    "description": f"From POST {prefix}/tokens, valid for {TOKEN_DAYS} days.",
                },
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The same, where no proxy asks for a login.",
                },
            },
        },
        "security": _SECURITY,
    }


def _schemas(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    named = [model for each in endpoints for model in (each.answer, each.body)]
    models = [Refusal, *(model for model in named if isinstance(model, type))]
    _, schemas = msgspec.json.schema_components(models, ref_template=_REFERENCE)
    return schemas


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": endpoint.handle.__name__,
        "parameters": [*_path_values(endpoint), *_query_values(endpoint)],
        "responses": {
            str(endpoint.status): {"description": "Done.", "content": _answer(endpoint)},
            **{status: _refused(words) for status, words in _REFUSALS.items()},
        },
    }
    if endpoint.makes_visitors:
        operation["security"] = [{}, *_SECURITY]
    if endpoint.body is not None:
        operation["requestBody"] = {"required": True, "content": _content(endpoint.body)}
    if endpoint.takes_file:
        operation["requestBody"] = {"required": True, "content": _FORM}
    return operation


_FORM = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "required": ["file"],
            "properties": {"file": {"type": "string", "contentMediaType": "text/csv"}},
        }
    }
}


def _path_values(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _VALUE.findall(endpoint.path)
    ]


def _query_values(endpoint: Endpoint) -> list[dict[str, Any]]:
    schemas = {int: {"type": "integer", "minimum": 0}, str: {"type": "string"}}
    return [
        {"name": name, "in": "query", "schema": schemas[kind]}
        for name, kind in endpoint.query.items()
    ]


def _answer(endpoint: Endpoint) -> dict[str, Any]:
    if isinstance(endpoint.answer, str):
        return {endpoint.answer: {"schema": {"type": "string"}}}
    return _content(endpoint.answer)


def _content(model: type[Struct]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(name=model.__name__)}}}


def _refused(words: str) -> dict[str, Any]:
    return {"description": words, "content": _content(Refusal)}
