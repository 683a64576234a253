"""Requests of every route, made from what the routes themselves declare and look at.

A route that is added is asked with the names that it reads from its query, and with bodies of the
model that it converts its body to: no test lists them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import inspect
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from callbacks.addresses import Address, Guard, address_of
from lab.driver.visitor import Studio, Visitor

# What these convert was stored before.
_STORED = ("melm_studio.runs", "melm_studio.talks", "melm_core")
_VARIABLE = re.compile(r"<(?:[^<>]*:)?(\w+)>")
METHODS = ("GET", "POST", "DELETE")


class Asked:
    """What a route has looked at: names of its query, and the models of its body."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.models: dict[Any, None] = {}


@contextmanager
def noted(studio: Studio) -> Iterator[Asked]:
    """Note what routes look at."""
    asked, server, convert = Asked(), studio.app.server, msgspec.convert

    class Noting(ImmutableMultiDict):
        """A query that notes the names that are looked up."""

        def get(self, key, *rest, **options):
            asked.names[key] = None
            return super().get(key, *rest, **options)

        def getlist(self, key, *rest, **options):
            asked.names[key] = None
            return super().getlist(key, *rest, **options)

        def __contains__(self, key):
            asked.names[key] = None
            return super().__contains__(key)

    class NotingRequest(server.request_class):
        parameter_storage_class = Noting

    def noting_convert(values, model, **options):
        if not str(getattr(model, "__module__", "")).startswith(_STORED):
            asked.models[model] = None
        return convert(values, model, **options)

    former, server.request_class = server.request_class, NotingRequest
    msgspec.convert = noting_convert
    try:
        yield asked
    finally:
        server.request_class, msgspec.convert = former, convert


def rules(studio: Studio) -> list[tuple[str, Rule]]:
    """Every method and rule of the studio but those of files and of Dash itself."""
    return [
        (method, rule)
        for rule in sorted(studio.app.server.url_map.iter_rules(), key=str)
        for method in METHODS
        if method in (rule.methods or ()) and not rule.rule.startswith(("/_dash", "/assets"))
    ]


def addresses(studio: Studio) -> dict[str, Address]:
    """What every route declares, by its method and rule, as "POST /upload"; without files."""
    found = {
        f"{method} {rule.rule}": address_of(rule)
        for rule in studio.app.server.url_map.iter_rules()
        for method in METHODS
        if method in (rule.methods or ())
    }
    return {line: own for line, own in found.items() if own.guard is not Guard.FILE}


def address(rule: Rule, values: Mapping[str, Any]) -> str:
    """The path of a rule, whatever its converters would refuse."""
    return _VARIABLE.sub(lambda found: str(values[found[1]]), rule.rule)


def asked_for(visitor: Visitor, method: str, path: str, **options: Any) -> TestResponse:
    """Ask, and return an answer whose body was read."""
    with visitor.http.open(path, method=method, **options) as answer:
        answer.get_data()
        return answer


def names_of(models: Mapping[Any, None]) -> list[str]:
    """The fields of models, some of which are names in a query."""
    found: dict[str, None] = {}
    for model in models:
        kind = inspect.type_info(model)
        if isinstance(kind, inspect.StructType):
            found |= dict.fromkeys(field.encode_name for field in kind.fields)
    return list(found)


@functools.cache
def example(model: Any, text: str) -> Any:
    """A value of a model, with all of its fields; `text` wherever it may be any."""
    return _example(inspect.type_info(model), text)


def _example(kind: inspect.Type, text: str) -> Any:
    found: Any = None
    match kind:
        case inspect.Metadata(type=inner):
            found = _example(inner, text)
        case inspect.UnionType(types=types):
            found = _example(next(t for t in types if not isinstance(t, inspect.NoneType)), text)
        case inspect.StructType(array_like=True, fields=fields):
            found = [_example(field.type, text) for field in fields]
        case inspect.StructType(fields=fields):
            found = {field.encode_name: _example(field.type, text) for field in fields}
        case inspect.TupleType(item_types=items):
            found = [_example(item, text) for item in items]
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            found = [_example(item, text)]
        case _:
            found = _leaf(kind, text)
    return found


def _leaf(kind: inspect.Type, text: str) -> Any:
    match kind:
        case inspect.StrType():
            return text
        case inspect.IntType(ge=least) | inspect.FloatType(ge=least):
            return least or 0
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.EnumType(cls=cls):
            return next(iter(cls)).value
    return {inspect.BoolType: False, inspect.DictType: {}}.get(type(kind))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything in a JSON value, the value itself last."""
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield from leaves(part, (*path, key))
    yield path


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A JSON value with another part at a path."""
    if not path:
        return new
    if isinstance(value, dict):
        return value | {path[0]: replaced(value[path[0]], path[1:], new)}
    return [replaced(part, path[1:], new) if i == path[0] else part for i, part in enumerate(value)]
