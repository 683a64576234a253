"""Values from outside the program: converted to typed models, or refused in a sentence.

A model is a `msgspec.Struct`. Its annotations hold the bounds, `Meta(title=...)` the name of a
value in a sentence, and `Meta(description=...)` a rule that its type words badly. So one
definition gives the JSON, the query, and the errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from melm_core.base import UserError, known_type

if TYPE_CHECKING:
    from typing_extensions import TypeForm

MAX_TEXT = 2_000

LARGEST_COUNT = 10**9

Count = Annotated[int, Meta(ge=0, le=LARGEST_COUNT)]
Coordinate = Annotated[float, Meta(ge=-1e6, le=1e6)]  # on screen, or of a component
Text = Annotated[str, Meta(max_length=MAX_TEXT)]
SHA256_PATTERN, SHA256_RULE = "^[0-9a-f]{64}$", "a SHA-256 of 64 hexadecimal digits"
Sha256 = Annotated[str, Meta(pattern=SHA256_PATTERN, description=SHA256_RULE)]

T = TypeVar("T")

_type_info = cache(inspect.type_info)  # reads all annotations, which takes it milliseconds

_MAX_SHOWN = 60
# Possessive, and sought from the end: the problem before it quotes what visitors write.
_PLACE = re.compile(r"(?:`key` in )?`\$((?:\.\w++|\[(?:\d++|\.\.\.)\])*+)`")
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)


class InputError(UserError):
    """A value from outside breaks a rule; the message is a sentence for the user."""


def read(values: Any, model: TypeForm[T], name: str) -> T:
    """Convert JSON values, or the strings of a query, to a model.

    Parameters
    ----------
    values : JSON values
        A number may be given as text.
    model : type
        A `msgspec.Struct`, or any other type that msgspec converts to.
    name : str
        Names the whole in a sentence, as "The view".

    Raises
    ------
    InputError
        If a value is unknown, missing, or out of bounds; names the value and the rule.

    Examples
    --------
    >>> read("12", Count, "The plane number")
    12
    >>> read(-1, Count, "The plane number")
    Traceback (most recent call last):
    melm_studio.validation.InputError: The plane number must be a whole number from 0 to \
1,000,000,000; it is -1.
    """
    try:
        converted: T = msgspec.convert(values, known_type(model), strict=False)
    except msgspec.ValidationError as error:
        raise InputError(_sentence(error, model, name, values)) from error
    return converted


def steps_to(error: InputError) -> list[str]:
    """Return the names and positions that lead to the value that `read` refused."""
    return _parsed(str(error.__cause__))[1]


def shown(value: Any) -> str:
    """Return a value as a sentence shows it."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _sentence(error: msgspec.ValidationError, model: Any, name: str, value: Any) -> str:
    if isinstance(error.__cause__, UserError):  # from the model's own check
        return str(error.__cause__)
    problem, steps = _parsed(str(error))
    whole = _described(_type_info(model), name)
    try:
        (kind, name, rule), value = _led(whole, value, steps)
    except (LookupError, ValueError, TypeError, AttributeError):  # a name that looks like a place
        kind, name, rule = whole
    if field := _FIELD.fullmatch(problem):
        if field[1].startswith("missing"):
            _, name, rule = _described(_part(kind, field[2]), name)
            return f"{name} is missing. It must be {rule}."
        return f"{name} has no {shown(field[2])}. It has {', '.join(_fields(kind))}."
    return f"{name} must be {rule}; it is {shown(value)}."


def _led(
    part: tuple[inspect.Type, str, str], value: Any, steps: Iterable[str]
) -> tuple[tuple[inspect.Type, str, str], Any]:
    """Follow steps to a part; return its description and its value."""
    for step in steps:
        kind, name, _ = part
        part = _described(_part(kind, step), name)
        value = value[int(step)] if isinstance(value, (list, tuple)) else value.get(step, value)
    return part, value


def _parsed(message: str) -> tuple[str, list[str]]:
    """Return the problem that msgspec reports, and the path to the value."""
    problem, _, place = message.rpartition(" - at ")
    match = _PLACE.fullmatch(place)
    if match is None:
        return message, []
    return problem, [name or position for name, position in _STEP.findall(match[1])]


def _described(kind: inspect.Type, name: str) -> tuple[inspect.Type, str, str]:
    """Strip a type of annotations; return it, the name of its value, and its rule in words."""
    rule = ""
    while isinstance(kind, inspect.Metadata | inspect.UnionType):
        if isinstance(kind, inspect.UnionType):  # with None
            kind = kind.types[0]
        else:
            words = kind.extra_json_schema or {}
            name, rule = words.get("title", name), words.get("description", rule)
            kind = kind.type
    return kind, name, rule or _rule(kind)


def _part(kind: inspect.Type, step: str) -> inspect.Type:
    match kind:
        case inspect.DictType(value_type=part) | inspect.VarTupleType(item_type=part):
            return part
        case inspect.TupleType(item_types=parts):
            return parts[int(step)]
    fields = _fields(kind)
    return fields[step] if step in fields else [*fields.values()][int(step)]


def _fields(kind: inspect.Type) -> dict[str, inspect.Type]:
    fields = kind.fields if isinstance(kind, inspect.StructType) else ()
    return {field.encode_name: field.type for field in fields}


def _rule(kind: inspect.Type) -> str:
    rule = "given by names and values"
    match kind:
        case inspect.IntType():
            rule = f"a whole number{_range(kind)}"
        case inspect.FloatType():
            rule = f"a number{_range(kind)}"
        case inspect.StrType():
            rule = f"text{_lengths(kind)}"
        case inspect.LiteralType() | inspect.EnumType():
            rule = f"one of {', '.join(map(str, _choices(kind)))}"
        case inspect.BoolType():
            rule = "true or false"
        case inspect.TupleType(item_types=items):
            rule = f"a list of {len(items)} values"
        case inspect.VarTupleType():
            rule = "a list of values"
    return rule


def _range(kind: inspect.IntType | inspect.FloatType) -> str:
    """Describe the bounds of a number, after its kind; empty without bounds."""
    if kind.ge is not None and kind.le is not None:
        return f" from {kind.ge:,.10g} to {kind.le:,.10g}"
    bounds = (("of at least", kind.ge), ("above", kind.gt), ("up to", kind.le), ("below", kind.lt))
    told = [f" {word} {bound:,.10g}" for word, bound in bounds if bound is not None]
    return " and".join(told)


def _lengths(kind: inspect.StrType) -> str:
    return (
        ""
        if kind.max_length is None
        else f" of {kind.min_length or 0} to {kind.max_length:,} characters"
    )


def _choices(kind: inspect.LiteralType | inspect.EnumType) -> Iterable[Any]:
    return kind.values if isinstance(kind, inspect.LiteralType) else kind.cls
