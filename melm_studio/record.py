"""The base of the records that a store keeps as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Self, TypeVar

import msgspec
import numpy as np

from melm_core.base import known_type

_T = TypeVar("_T")

# What reading a record raises that is damaged, or that another version wrote.
UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


class Record(msgspec.Struct, frozen=True):
    """A frozen value whose typed fields define its JSON.

    Records written by other versions can be read: unknown keys are ignored, missing ones take the
    field's default. Where a field was renamed, `msgspec.field(name=...)` keeps the saved key.
    """

    def to_bytes(self) -> bytes:
        """Return the record as JSON."""
        return to_json(self)

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Return the record that `to_bytes` wrote.

        Raises
        ------
        msgspec.ValidationError
            If a value is missing or of another type.
        """
        return from_json(raw, cls)

    @classmethod
    def readable(cls, raw: bytes) -> Self | None:
        """Return the record, or None where another version wrote what this one cannot read."""
        try:
            return cls.from_bytes(raw)
        except UNREADABLE:
            return None


def to_json(value: object) -> bytes:
    """Return a value as JSON; an array in it is represented by its shape."""
    # The json module, since msgspec writes infinity and NaN as null, and an objective may be one.
    return json.dumps(msgspec.to_builtins(value, enc_hook=_without_numpy)).encode()


def from_json(
    raw: bytes, kind: type[_T], decode: Callable[[type, Any], object] | None = None
) -> _T:
    """Return the value that `to_json` wrote; `decode` makes an array of a type and a shape."""
    return msgspec.convert(json.loads(raw), known_type(kind), dec_hook=decode)


def _without_numpy(value: Any) -> object:
    return value.shape if isinstance(value, np.ndarray) else value.item()
