"""The JSON body of a request."""

from __future__ import annotations

from typing import TypeVar

import flask

from melm_studio.validation import InputError, read

T = TypeVar("T")

_NO_JSON = "The body of the request must be a JSON object, with Content-Type: application/json."


def json_body(model: type[T], name: str) -> T:
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
