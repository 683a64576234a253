"""The endpoints of the HTTP interface, which the routes and their description are made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import flask
import msgspec
from msgspec import Struct

from callbacks.addresses import Body, Guard
from callbacks.keys.grants import TOKEN_DAYS
from callbacks.keys.identity import HEADER
from callbacks.routes.api import links, runs, tokens
from callbacks.routes.publication import report_run, verdict
from callbacks.services import Served
from melm_studio.planes.view_options import ViewOptions
from melm_studio.programs import models
from melm_studio.programs.models import Refusal
from melm_studio.runs.records.data_source import DataSource

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


@dataclass(frozen=True)
class Endpoint:
    """An address, what it takes, and what it answers.

    Attributes
    ----------
    method, path : str
        In the path, ``<name>`` stands for a value.
    handle : callable
    summary : str
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
    is_heavy : bool
        Whether its answer is seconds of work, as all that take a file or a model are.
    """

    method: str
    path: str
    handle: Callable[..., Any]
    summary: str
    answer: type[Struct] | str
    body: type[Struct] | None = None
    takes_file: bool = False
    query: Mapping[str, type] = field(default_factory=dict)
    status: int = 200
    makes_visitors: bool = False
    is_heavy: bool = False

    @property
    def address(self) -> dict[str, Any]:
        """Declarations of its route."""
        taken = Body.FILE if self.takes_file else Body.JSON if self.body else Body.NOTHING
        return {
            "body": taken,
            "is_heavy": self.is_heavy or taken is not Body.NOTHING,
            "guard": Guard.VISITOR if self.makes_visitors else Guard.PROGRAM,
        }


ENDPOINTS = (
    Endpoint(
        "POST",
        "/tokens",
        tokens.make_token,
        "Make a token, without one for a new visitor",
        models.Token,
        status=201,
        makes_visitors=True,
    ),
    Endpoint("GET", "/tokens", tokens.list_tokens, "List the tokens", models.Tokens),
    Endpoint("DELETE", "/tokens/<token_id>", tokens.revoke_token, "Revoke a token", models.Tokens),
    Endpoint(
        "POST",
        "/files",
        runs.store_file,
        "Store a file",
        models.StoredFile,
        takes_file=True,
        status=201,
    ),
    Endpoint(
        "POST",
        "/tables",
        runs.prepare,
        "Prepare a file or a sample, without a run",
        models.PreparedTable,
        body=DataSource,
    ),
    Endpoint(
        "POST",
        "/links",
        links.make_link,
        "Make an address that opens a table in a browser",
        models.Link,
        body=models.NewLink,
        status=201,
    ),
    Endpoint(
        "POST",
        "/comparisons",
        runs.start_comparison,
        "Compare all methods on a table",
        models.Comparison,
        body=DataSource,
        status=201,
    ),
    Endpoint(
        "GET",
        "/comparisons/<run_id>",
        runs.show_comparison,
        "What the comparison of all methods has found",
        models.Comparison,
    ),
    Endpoint(
        "GET", "/comparisons", runs.list_comparisons, "List the comparisons", models.Comparisons
    ),
    Endpoint(
        "POST",
        "/comparisons/<run_id>/stop",
        runs.stop_comparison,
        "Stop a comparison, keep what it has found",
        models.Comparison,
    ),
    Endpoint(
        "DELETE",
        "/comparisons/<run_id>",
        runs.remove_comparison,
        "Remove a comparison",
        models.Comparisons,
    ),
    Endpoint("GET", "/runs", runs.list_runs, "List the runs", models.Runs),
    Endpoint(
        "POST", "/runs", runs.start, "Start a run", models.Run, body=models.NewRun, status=201
    ),
    Endpoint("GET", "/runs/<run_id>", runs.show, "How far a run is", models.Run),
    Endpoint("DELETE", "/runs/<run_id>", runs.remove, "Remove a run", models.Runs),
    Endpoint("POST", "/runs/<run_id>/stop", runs.stop, "Stop a run, keep its planes", models.Run),
    Endpoint(
        "GET",
        "/runs/<run_id>/planes",
        runs.planes,
        "The planes of a run after a number, at most 100",
        models.Planes,
        query={"after": int},
    ),
    Endpoint(
        "GET",
        "/runs/<run_id>/result",
        runs.result,
        "What a run found",
        models.Result,
        is_heavy=True,
    ),
    Endpoint(
        "POST",
        "/runs/<run_id>/check",
        runs.start_check,
        "Check whether what a run found is real",
        models.Check,
        status=201,
    ),
    Endpoint(
        "GET", "/runs/<run_id>/check", runs.show_check, "What the check has found", models.Check
    ),
    Endpoint(
        "POST",
        "/runs/<run_id>/refits",
        runs.start_refits,
        "Place the rows of a run by planes that never saw them",
        models.Refits,
        status=201,
    ),
    Endpoint(
        "GET",
        "/runs/<run_id>/refits",
        runs.show_refits,
        "Where planes that never saw the rows put them",
        models.Refits,
        is_heavy=True,
    ),
    Endpoint(
        "POST",
        "/runs/<run_id>/analyses/<name>",
        runs.start_analysis,
        "Begin an analysis of a run, by its name; one of new rows, with those of a stored file",
        models.AnalysisResult,
        query={"file": str, "name": str, "scaled": str},
        status=201,
    ),
    Endpoint(
        "GET",
        "/runs/<run_id>/analyses/<name>",
        runs.show_analysis,
        "What an analysis has found",
        models.AnalysisResult,
    ),
    Endpoint(
        "GET",
        "/runs/<run_id>/analyses",
        runs.list_analyses,
        "List the analyses of a run, its check and refits among them",
        models.Analyses,
    ),
    Endpoint(
        "POST",
        "/runs/<run_id>/analyses/<name>/stop",
        runs.stop_analysis,
        "Stop an analysis, keep what it has found",
        models.AnalysisResult,
    ),
    Endpoint(
        "DELETE",
        "/runs/<run_id>/analyses/<name>",
        runs.remove_analysis,
        "Remove an analysis",
        models.Analyses,
    ),
    Endpoint(
        "GET",
        "/runs/<run_id>/verdict",
        verdict,
        "The verdict of a run that was checked, for melm-studio verify",
        "application/json",
        is_heavy=True,
    ),
    Endpoint(
        "GET",
        "/runs/<run_id>/report",
        report_run,
        "The report of a run, of a plane and under view options",
        "text/html",
        query={"plane": int, **dict.fromkeys(ViewOptions.__struct_encode_fields__, str)},
        is_heavy=True,
    ),
)


def register(app: Served) -> None:
    """Connect the endpoints."""
    for endpoint in ENDPOINTS:
        app.server.add_url_rule(
            f"{PREFIX}{endpoint.path}",
            f"api {endpoint.method} {endpoint.path}",
            _answering(endpoint),
            methods=[endpoint.method],
            **endpoint.address,
        )
    app.server.get(f"{PREFIX}/openapi.json")(openapi)


def openapi() -> flask.Response:
    """Describe the endpoints, for tools that read OpenAPI."""
    return _json(describe(ENDPOINTS, PREFIX, flask.request.script_root), 200)


def _answering(endpoint: Endpoint) -> Callable[..., Any]:
    """Return the route of an endpoint, which answers with its model as JSON."""

    @wraps(endpoint.handle)
    def route(**values: str) -> Any:
        answer = endpoint.handle(**values)
        return answer if isinstance(endpoint.answer, str) else _json(answer, endpoint.status)

    return route


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
