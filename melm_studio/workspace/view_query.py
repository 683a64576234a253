"""View options and shared views as the query of an address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec

from melm_core.base import known_type
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import Mark, rows_from_text, rows_text
from melm_studio.validation import InputError, read, shown
from melm_studio.workspace.view_spec import SharedMorph, ViewSpec

# Browsers, mail programs, and proxies all accept addresses of this length.
MAX_QUERY = 2_000

TOO_LONG = (
    "This view holds more numbers than fit into an address. Add it to the story and save the "
    "story: the file holds all of it."
)

_MAX_FIELDS = 200
_MORPH, _ROLE, _MARK = "morph.", "role:", "mark:"
_LEFT_OUT, _ROW_MARKS = "left_out", "marks"
_BOOLEANS = {"yes": True, "no": False}
_READABLE = ":,"  # left unescaped
# The wire name of a value of the view by its name in the query, where "gamma" is the parameter of
# the run. Every name that is not here is the name of a parameter.
_VIEW = {
    "method": "method", "sha256": "data_id", "plane": "plane", "mode": "mode",
    "divergence": "divergence",
}  # fmt: skip
_OPTIONS = {
    "shown_gamma": "gamma",
    "n_top_features": "n_top_features",
    "edits": "edits",
    "view_angle": "view_angle",
    "batch_weight": "batch_weight",
    "places": "places",
}
_RULES = {"classes", "reading", "recipe", "filters", "orders", "answers"}  # of the source, as JSON
_SOURCE = {name: name for name in ("name", "label", "standardize", *sorted(_RULES))}
_MORPHS = {"morph": "share", "other_plane": "plane", "plane_of": "of"}
_NAMES = {*_VIEW, *_OPTIONS, *_SOURCE, *_MORPHS, _LEFT_OUT, _ROW_MARKS, "data", "hidden", "layers"}


def to_query(spec: ViewSpec) -> str:
    """Return the query, without a question mark.

    Raises
    ------
    InputError
        If the query would be too long for an address.
    """
    pairs = {
        **_source_pairs(spec.source),
        "method": spec.method,
        **_parameter_pairs(spec.parameters),
        "plane": spec.plane,
        **_option_pairs(spec.options),
        **_morph_pairs(spec.morph),
        "mode": spec.mode,
        "hidden": ",".join(spec.hidden),
        "layers": ",".join(spec.layers),
        _ROW_MARKS: _json(spec.marks),
        "sha256": spec.data_id,
        "divergence": spec.divergence,
    }
    given = {name: value for name, value in pairs.items() if value not in (None, "")}
    query = urlencode(given, safe=_READABLE)
    if len(query) > MAX_QUERY:
        raise InputError(TOO_LONG)
    return query


def data_query(source: DataSource) -> str:
    """Return the query of data without a view, without a question mark."""
    pairs = {name: value for name, value in _source_pairs(source).items() if value}
    return urlencode(pairs, safe=_READABLE)


def data_of_query(query: str) -> DataSource | None:
    """Return the data that a query names without a view; None where it names a view.

    Raises
    ------
    InputError
        If a value is unknown, missing, or out of bounds.
    """
    fields = _fields(query)
    is_view = "method" in fields or "data" not in fields
    return None if is_view else read(_source_values(fields), DataSource, "The data")


def from_query(query: str) -> ViewSpec:
    """Return the shared view of a query, with or without a question mark.

    Raises
    ------
    InputError
        If a value is unknown, missing, or out of bounds.
    """
    fields = _fields(query)
    parameters = {
        name: text
        for name, text in fields.items()
        if name not in _NAMES and not name.startswith((_ROLE, _MORPH, _MARK))
    }
    values = {
        **_renamed(fields, _VIEW),
        "source": _source_values(fields),
        "parameters": _parameter_values(parameters),
        "options": option_values(_renamed(fields, _OPTIONS)),
        "morph": _morph_values(fields),
        "hidden": fields["hidden"].split(",") if "hidden" in fields else (),
        "layers": fields["layers"].split(",") if "layers" in fields else (),
        "marks": _decoded(fields.get(_ROW_MARKS, "{}")),
    }
    return ViewSpec.from_json(values)


def option_values(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON values of the view options in a query.

    Parameters
    ----------
    fields : mapping of str to str
        Of these, ``gamma=0.5``, ``n_top_features=4``, ``edits=FEATURE:X:Y,...``,
        ``view_angle=AZIMUTH:ELEVATION`` in radians, ``morph=RUN:0.5:PLANE:ORIGIN``, the last two
        optional, ``batch_weight=2`` and ``toward=RUN`` are used; each may be absent.

    Examples
    --------
    >>> option_values({"n_top_features": "4", "edits": "2:0.5:0.25"})
    {'n_top_features': '4', 'edits': [('2', ['0.5', '0.25'])]}
    """
    values: dict[str, Any] = {
        name: fields[name] for name in ViewOptions.__struct_encode_fields__ if name in fields
    }
    if "edits" in values:
        edits = (edit.split(":") for edit in values["edits"].split(","))
        values["edits"] = [(feature, loading) for feature, *loading in edits]
    if "view_angle" in values:
        values["view_angle"] = values["view_angle"].split(":")
    if "morph" in values:
        values["morph"] = values["morph"].split(":")
    return values


def _source_pairs(source: DataSource) -> dict[str, Any]:
    return {
        "data": f"{source.kind}:{source.key}",
        "name": source.name,
        "label": source.label,
        "standardize": "yes" if source.standardize else "no",
        **{f"{_ROLE}{column}": role for column, role in source.roles.items()},
        "classes": _json(source.classes),
        "reading": _json(source.reading),
        "recipe": _json(source.recipe),
        "filters": _json(source.filters),
        "orders": _json(source.orders),
        "answers": _json(source.answers),
        _LEFT_OUT: rows_text(source.left_out),
        **{f"{_MARK}{i}": _mark_text(mark) for i, mark in enumerate(source.marks)},
    }


def _json(rules: Any) -> str:
    """Rules as JSON text, empty where they are the default."""
    text = msgspec.json.encode(rules, order="sorted").decode()
    return "" if text in ("{}", "[]") else text


def _decoded(text: str) -> Any:
    """Decode JSON text; other text is left as it is, for the model to refuse."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _parameter_pairs(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: ",".join(_joined(row) for row in value[0]) if name == "init" else value
        for name, value in parameters.items()
    }


def _option_pairs(options: ViewOptions) -> dict[str, Any]:
    is_turned = options.view_angle != DEFAULT_VIEW.view_angle
    return {
        "shown_gamma": options.gamma,
        "n_top_features": options.n_top_features,
        "edits": ",".join(_joined((edit.feature, *edit.loading)) for edit in options.edits),
        "view_angle": _joined(options.view_angle) if is_turned else None,
        "batch_weight": options.batch_weight,
        "places": None if options.places == DEFAULT_VIEW.places else options.places,
    }


def _morph_pairs(morph: SharedMorph | None) -> dict[str, Any]:
    if morph is None:
        return {}
    parameters = {"method": morph.method, **_parameter_pairs(morph.parameters)}
    pairs = {f"{_MORPH}{name}": value for name, value in parameters.items()}
    of = None if morph.plane is None else morph.of
    return {"morph": morph.share, "other_plane": morph.plane, "plane_of": of, **pairs}


def _joined(numbers: Iterable[float]) -> str:
    return ":".join(map(repr, numbers))


def _fields(query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            query.removeprefix("?"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MAX_FIELDS,
        )
    except ValueError:
        raise InputError(
            "The query must be a list of names and values, as in method=pca&plane=3."
        ) from None
    names = [name for name, _ in pairs]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise InputError(f"The query has {shown(repeated[0])} more than once. Keep one of them.")
    return dict(pairs)


def _source_values(fields: Mapping[str, str]) -> dict[str, Any]:
    kind, _, key = fields.get("data", "").partition(":")
    values: dict[str, Any] = _renamed(fields, _SOURCE)
    if "standardize" in values:
        values["standardize"] = _BOOLEANS.get(values["standardize"], values["standardize"])
    for name in _RULES.intersection(values):
        values[name] = _decoded(values[name])
    if _LEFT_OUT in fields:
        values["left_out"] = rows_from_text(fields[_LEFT_OUT])
    marks = [_mark_values(text) for text in _prefixed(fields, _MARK).values()]
    roles = _prefixed(fields, _ROLE)
    return {**values, "kind": kind, "key": key, "roles": roles, "marks": marks}


def _mark_text(mark: Mark) -> str:
    return msgspec.json.encode((mark.column, mark.value, rows_text(mark.rows))).decode()


def _mark_values(text: str) -> dict[str, Any]:
    try:
        column, value, rows = msgspec.json.decode(text, type=known_type(tuple[str, str, str]))
    except msgspec.MsgspecError:
        raise InputError(f"A list of marked rows cannot be read: {shown(text)}.") from None
    return {"column": column, "value": value, "rows": rows_from_text(rows)}


def _morph_values(fields: Mapping[str, str]) -> dict[str, Any] | None:
    parameters = _prefixed(fields, _MORPH)
    if not parameters and "morph" not in fields:
        return None
    named = {"method": parameters.pop("method")} if "method" in parameters else {}
    values = {**named, "parameters": _parameter_values(parameters)}
    return values | _renamed(fields, _MORPHS)


def _parameter_values(fields: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: [[row.split(":") for row in text.split(",")]] if name == "init" else _number(text)
        for name, text in fields.items()
    }


def _number(text: str) -> float | str:
    """Parse a number; other text is left as it is, for the parameter's check to refuse."""
    try:
        return float(text)
    except ValueError:
        return text


def _renamed(fields: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    return {names[name]: text for name, text in fields.items() if name in names}


def _prefixed(fields: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {
        name.removeprefix(prefix): text for name, text in fields.items() if name.startswith(prefix)
    }
