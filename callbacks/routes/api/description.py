"""The OpenAPI description of the endpoints.

OpenAPI Specification 3.1.1, OpenAPI Initiative, 2024.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callbacks.keys.grants import TOKEN_DAYS
from callbacks.keys.token import HEADER
from melm_studio.programs.models import Refusal

if TYPE_CHECKING:
    from callbacks.routes.api.endpoints import Endpoint

_VALUE = re.compile(r"<(\w+)>")
_REFERENCE = "#/components/schemas/{name}"
_REFUSALS = {
    "400": "A value breaks a rule.",
    "401": "The token is not valid, or revoked.",
    "403": "A token may not do this.",
    "404": "There is no such run of this visitor.",
    "409": "There is no room for it, or it has ended.",
}


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
        "security": [{"token": []}, {"bearer": []}],
    }


def _schemas(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    named = [model for each in endpoints for model in (each.answer, each.body)]
    models = [Refusal, *(model for model in named if isinstance(model, type))]
    _, schemas = msgspec.json.schema_components(models, ref_template=_REFERENCE)
    return schemas


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation = {
        "summary": endpoint.summary,
        "operationId": endpoint.handle.__name__,
        "parameters": [*_path_values(endpoint), *_query_values(endpoint)],
        "responses": {
            str(endpoint.status): {"description": "Done.", "content": _answer(endpoint)},
            **{status: _refused(words) for status, words in _REFUSALS.items()},
        },
    }
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
    number = {"type": "integer", "minimum": 0}
    return [{"name": name, "in": "query", "schema": number} for name in endpoint.query]


def _answer(endpoint: Endpoint) -> dict[str, Any]:
    if isinstance(endpoint.answer, str):
        return {endpoint.answer: {"schema": {"type": "string"}}}
    return _content(endpoint.answer)


def _content(model: type[Struct]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(name=model.__name__)}}}


def _refused(words: str) -> dict[str, Any]:
    return {"description": words, "content": _content(Refusal)}
