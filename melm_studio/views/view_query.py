"""A recipe as the query of an address that a person can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from melm_studio.views.validation import ReadingError, shown
from melm_studio.views.view_codec import joined, look_of_query, look_query, number_in, numbers_in
from melm_studio.views.view_spec import Morph, Recipe

# Browsers, mail programs and proxies carry so much everywhere.
LONGEST_QUERY = 2_000

TOO_LONG = (
    "This view holds more numbers than fit into an address. Add it to the story and save that: "
    "the file holds all of it."
)

_MOST_FIELDS = 200
_MORPH, _ROLE = "morph.", "role:"
# "gamma" is the parameter of the run.
_GAMMA = "shown_gamma"
_TRUTHS = {"yes": True, "no": False}
# What stands before a colon or between commas can be read as it is.
_PLAIN = ":,"
# Every other name is that of a parameter.
_NAMES = frozenset(
    {
        "data", "name", "label", "standardise", "sha256", "method", "plane", _GAMMA,
        "kept", "moves", "from", "morph", "mode", "hidden", "divergence",
    }
)  # fmt: skip


def to_query(recipe: Recipe) -> str:
    """Return the query, without a question mark.

    Raises
    ------
    ReadingError
        If it would be too long for an address; a sentence that names the way out.
    """
    pairs = {
        **_of_source(recipe.source),
        "method": recipe.method,
        **_of_parameters(recipe.parameters),
        "plane": recipe.plane,
        **look_query(recipe.look, _GAMMA),
        **_of_morph(recipe.morph),
        "mode": recipe.mode,
        "hidden": ",".join(recipe.hidden),
        "sha256": recipe.data_id,
        "divergence": recipe.divergence,
    }
    known = {name: value for name, value in pairs.items() if value not in (None, "")}
    query = urlencode(known, safe=_PLAIN)
    if len(query) > LONGEST_QUERY:
        raise ReadingError(TOO_LONG)
    return query


def from_query(query: str) -> Recipe:
    """Return the recipe of a query.

    Raises
    ------
    ReadingError
        If anything in it is not as this studio writes it.
    """
    given = _fields(query)
    values = {
        "source": _source(given),
        "method": given.get("method"),
        "parameters": _parameters(
            {name: text for name, text in given.items() if _is_parameter(name)}
        ),
        "look": look_of_query(given, _GAMMA),
        "morph": _morph(given),
        "data_id": given.get("sha256", ""),
        "plane": _number(given, "plane"),
        "hidden": given["hidden"].split(",") if "hidden" in given else (),
        "divergence": _number(given, "divergence"),
    }
    return Recipe.from_json(values | _kept(given, "mode"))


def _of_source(source: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "data": f"{source['kind']}:{source['key']}",
        "name": source.get("name"),
        "label": source["label"],
        "standardise": "yes" if source["standardise"] else "no",
        **{f"{_ROLE}{column}": role for column, role in source.get("roles", {}).items()},
    }


def _of_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: ",".join(joined(row) for row in value[0]) if name == "init" else value
        for name, value in parameters.items()
    }


def _of_morph(morph: Morph | None) -> dict[str, Any]:
    if morph is None:
        return {}
    parameters = {"method": morph.method, **_of_parameters(morph.parameters)}
    return {"morph": morph.share, **{f"{_MORPH}{name}": v for name, v in parameters.items()}}


def _fields(query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            query.removeprefix("?"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise ReadingError("It is not made of names and values.") from None
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ReadingError(f"It holds {shown(twice[0])} twice.")
    return dict(pairs)


def _source(given: Mapping[str, str]) -> dict[str, Any]:
    kind, _, key = given.get("data", "").partition(":")
    source: dict[str, Any] = {"kind": kind, "key": key, "roles": _beginning(given, _ROLE)}
    if "standardise" in given:
        source["standardise"] = _TRUTHS.get(given["standardise"], given["standardise"])
    return source | _kept(given, "name", "label")


def _morph(given: Mapping[str, str]) -> dict[str, Any] | None:
    parameters = _beginning(given, _MORPH)
    if not parameters and "morph" not in given:
        return None
    method = parameters.pop("method", None)
    share = _number(given, "morph")
    return {"method": method, "parameters": _parameters(parameters), "share": share}


def _is_parameter(name: str) -> bool:
    return name not in _NAMES and not name.startswith((_ROLE, _MORPH))


def _parameters(given: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: [[numbers_in(row) for row in text.split(",")]] if name == "init" else number_in(text)
        for name, text in given.items()
    }


def _kept(given: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: given[name] for name in names if name in given}


def _beginning(given: Mapping[str, str], start: str) -> dict[str, str]:
    return {
        name.removeprefix(start): text for name, text in given.items() if name.startswith(start)
    }


def _number(given: Mapping[str, str], name: str) -> Any:
    return number_in(given[name]) if name in given else None
