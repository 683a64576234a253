"""What it takes to have a view again elsewhere: the data, the run, and how it was looked at.

A recipe holds no data and no run of anybody's: it says how to come by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from melm_core.methods import COMPONENTS, GAMMA, HELD_OUT, METHODS, SEED, STARTS, Setting
from melm_studio.tables import SAMPLES
from melm_studio.views import validation
from melm_studio.views.validation import ReadingError
from melm_studio.views.view_codec import MODERATE, counted, look_of, look_values
from melm_studio.views.view_options import AS_FOUND, Look
from melm_studio.worker.records.run import PlaneEvent, RunRecord

MODES = ("explore", "compare", "present")
SWITCHES = ("linked", "aligned", "contours", "arrows")
KINDS = ("sample", "upload")

_FIELDS = (
    "source", "data_id", "method", "parameters", "plane", "look", "morph", "mode", "hidden",
    "divergence",
)  # fmt: skip
_SOURCE_FIELDS = ("kind", "key", "name", "label", "standardise", "roles")
_MORPH_FIELDS = ("method", "parameters", "share")


@dataclass(frozen=True)
class Morph:
    """How far the plane is on its way to that of another run of the same data."""

    method: str
    parameters: Mapping[str, Any]
    share: float

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` reads."""
        parameters = dict(self.parameters)
        return {"method": self.method, "parameters": parameters, "share": self.share}

    @classmethod
    def from_json(cls, values: Any) -> Morph:
        """Return the morph that JSON values describe."""
        given = validation.fields(values, _MORPH_FIELDS, "A morph")
        method = _method(given.get("method"))
        return cls(
            method=method,
            parameters=checked_parameters(method, given.get("parameters", {})),
            share=validation.number(given.get("share"), "The share of a way", 0.0, 1.0),
        )


@dataclass(frozen=True)
class Recipe:
    """A view of a run.

    Attributes
    ----------
    source : mapping of str to JSON values
        As a choice of data: `kind`, `key` (of an upload the SHA-256 of the file), `name` of an
        upload, `label`, `standardise`, and `roles` of columns where they were set.
    method : str
    parameters : mapping of str to JSON values
        As in ``RunRecord``.
    data_id : str
        Content hash of the prepared data; empty if it is not known.
    plane : int or None
        Its number in the history of the run; None for the newest.
    look : Look
        Without `morph` and `toward`, which name runs.
    morph : Morph or None
    mode : str
    hidden : tuple of str
        The switches that are off.
    divergence : float or None
        Of the plane on screen when the recipe was made.
    """

    source: Mapping[str, Any]
    method: str
    parameters: Mapping[str, Any]
    data_id: str = ""
    plane: int | None = None
    look: Look = AS_FOUND
    morph: Morph | None = None
    mode: str = MODES[0]
    hidden: tuple[str, ...] = ()
    divergence: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` reads."""
        return {
            "source": dict(self.source),
            "data_id": self.data_id,
            "method": self.method,
            "parameters": dict(self.parameters),
            "plane": self.plane,
            "look": look_values(self.look),
            "morph": None if self.morph is None else self.morph.to_json(),
            "mode": self.mode,
            "hidden": list(self.hidden),
            "divergence": self.divergence,
        }

    @classmethod
    def from_json(cls, values: Any) -> Recipe:
        """Return the recipe that JSON values describe; what is left out is as by default.

        Raises
        ------
        ReadingError
            If anything in them is not as this studio writes it.
        """
        given = validation.fields(values, _FIELDS, "A view")
        method = _method(given.get("method"))
        plane, morph, divergence = (given.get(key) for key in ("plane", "morph", "divergence"))
        data_id = given.get("data_id", "")
        return cls(
            source=_source(given.get("source")),
            method=method,
            parameters=checked_parameters(method, given.get("parameters", {})),
            data_id=data_id and validation.sha256(data_id, "The hash of the data"),
            plane=None if plane is None else counted(plane, "The number of a plane", 0),
            look=look_of(given.get("look", {})),
            morph=None if morph is None else Morph.from_json(morph),
            mode=validation.one_of(given.get("mode", MODES[0]), MODES, "The mode"),
            hidden=_hidden(given.get("hidden", ())),
            divergence=None
            if divergence is None
            else validation.number(divergence, "The divergence"),
        )


def recipe_of(
    record: RunRecord,
    event: PlaneEvent,
    look: Look,
    *,
    other: RunRecord | None,
    mode: str,
    hidden: Sequence[str],
    divergence: float,
) -> Recipe:
    """Return the recipe of a plane as it is looked at; `other` is the run that it morphs to.

    Raises
    ------
    ReadingError
        If the run is none that a recipe can tell of, or `mode` or `hidden` are unknown.
    """
    source = {name: value for name, value in record.source.items() if name in _SOURCE_FIELDS}
    seen = Recipe(
        source=source,
        method=record.method,
        parameters=record.parameters,
        data_id=record.data_id,
        plane=None if event.is_final else event.sequence,
        look=replace(look, morph=None, toward=None),
        morph=None
        if other is None or look.morph is None
        else Morph(other.method, other.parameters, look.morph[1]),
        mode=mode,
        hidden=tuple(hidden),
        divergence=divergence,
    )
    return Recipe.from_json(seen.to_json())


def checked_parameters(method: str, values: Any) -> dict[str, Any]:
    """Return all parameters of a run of the method; those left out are as by default.

    Raises
    ------
    ReadingError
        A sentence that names the parameter, its value and the rule.
    """
    settings = _settings(method)
    known = [*settings, HELD_OUT.name, *(["init"] if METHODS[method].accepts_init else [])]
    given = validation.fields(values, known, f"A run of {METHODS[method].label}")
    parameters = {
        name: validation.setting(known, given.get(name, known.default))
        for name, known in settings.items()
    }
    parameters[HELD_OUT.name] = _held_out(given.get(HELD_OUT.name, HELD_OUT.default / 100))
    if "init" in given:
        parameters["init"] = _init(given["init"], parameters[COMPONENTS.name])
    return parameters


def _settings(method: str) -> dict[str, Setting]:
    """What every run has, whether or not it makes a difference, and what is the method's own."""
    own = METHODS[method].parameters
    shared = (COMPONENTS, GAMMA, STARTS, SEED)
    return {known.name: known for known in (*shared, *own)}


def _held_out(share: Any) -> float:
    percent = 100 * share if validation.is_number(share) else share
    validation.setting(HELD_OUT, percent)
    return float(share)


def _init(planes: Any, n_components: int) -> list[list[list[float]]]:
    """The one plane that a run begins from."""
    (plane,) = validation.parts(planes, "The planes that a run begins from", 1)
    rows = [
        validation.numbers(row, "A component", MODERATE)
        for row in validation.parts(plane, "The plane that a run begins from", n_components)
    ]
    if len({len(row) for row in rows}) > 1:
        raise ReadingError("The components of the plane that a run begins from differ in length.")
    return [rows]


def _source(values: Any) -> dict[str, Any]:
    given = validation.fields(values, _SOURCE_FIELDS, "A choice of data")
    kind, label = (
        validation.one_of(given.get("kind"), KINDS, "The kind of data"),
        given.get("label"),
    )
    source = {
        "kind": kind,
        "key": given.get("key"),
        "label": None if label is None else validation.text(label, "The label column"),
        "standardise": validation.truth(given.get("standardise", True), "Standardised features"),
    }
    if kind == "sample":
        validation.one_of(source["key"], tuple(SAMPLES), "The sample")
    else:
        validation.sha256(source["key"], "The hash of the file")
        source["name"] = validation.text(given.get("name"), "The name of the file")
    if given.get("roles"):
        source["roles"] = _roles(given["roles"])
    return source


def _roles(values: Any) -> dict[str, str]:
    if not isinstance(values, Mapping):
        raise ReadingError("The roles of columns are given column by column.")
    return {
        validation.text(column, "The name of a column"): validation.text(
            role, "The role of a column"
        )
        for column, role in values.items()
    }


def _method(key: Any) -> str:
    return validation.one_of(key, tuple(METHODS), "The method")


def _hidden(values: Any) -> tuple[str, ...]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ReadingError(
            f"What is hidden is a list of switches; it is {validation.shown(values)}."
        )
    off = {validation.one_of(switch, SWITCHES, "A switch") for switch in values}
    return tuple(switch for switch in SWITCHES if switch in off)
