"""A shared view: what it takes to show a view again elsewhere.

It holds no data and no run of anyone: it says which data, which run, and which view options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr

from melm_core.methods import (
    COMPONENTS,
    GAMMA,
    HELD_OUT,
    METHODS,
    SEED,
    STARTS,
    Setting,
    without_zero_weight,
)
from melm_studio.planes.view_options import DEFAULT_VIEW, PlaneNumber, Share, ViewOptions
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.validation import (
    MAX_TEXT,
    SHA256_PATTERN,
    SHA256_RULE,
    Coordinate,
    InputError,
    Sha256,
    Text,
    read,
    shown,
)
from melm_studio.workspace.data_source import DataSource, source_of_run

Mode = Literal["explore", "compare", "present"]
OtherPlanes = Literal["tree", "resamples"]
Switch = Literal["linked", "aligned", "contours", "arrows", "names"]
# Layers that are off until they are asked for.
MoreLayer = Literal["class_ellipses", "mean_ellipses", "centroids"]
MODES: tuple[Mode, ...] = get_args(Mode)
SWITCHES: tuple[Switch, ...] = get_args(Switch)
MORE_LAYERS: tuple[MoreLayer, ...] = get_args(MoreLayer)

Method = Annotated[
    str,
    Meta(
        title="The method",
        pattern=f"^({'|'.join(METHODS)})$",
        description=f"one of {', '.join(METHODS)}",
    ),
]
Parameters = Annotated[dict[str, Any], Meta(title="The parameters")]

_Component = Annotated[tuple[Coordinate, ...], Meta(min_length=1)]
_NO_NAMED_RUN = "A shared view cannot refer to a run of this studio. Leave out morph and toward."


class SharedMorph(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How far the plane has moved toward that of another run of the same data.

    With a number, `plane`, it is one of the planes `of` that run: of its tree, or of resamples.
    """

    method: Method
    parameters: Parameters = field(default_factory=dict)
    share: Share
    plane: PlaneNumber | None = None
    of: OtherPlanes = "tree"

    def __post_init__(self) -> None:
        force_setattr(self, "parameters", checked_parameters(self.method, self.parameters))


class RowFile(Struct, frozen=True, forbid_unknown_fields=True):
    """An uploaded file whose rows are shown beside those of the run.

    Attributes
    ----------
    key : str
        The SHA-256 of the file.
    name : str
    """

    key: Annotated[Sha256, Meta(title="The key of the new rows")]
    name: Annotated[str, Meta(title="The name of the new rows", min_length=1, max_length=MAX_TEXT)]


class RowMarks(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How rows are marked, and which others are shown.

    Attributes
    ----------
    color_by, shape_by : str or None
        The column of the table by which points are colored, or by which they have symbols; None
        for the class.
    new_rows : RowFile or None
    """

    color_by: Annotated[Text, Meta(title="The column of the colors")] | None = None
    shape_by: Annotated[Text, Meta(title="The column of the symbols")] | None = None
    new_rows: Annotated[RowFile, Meta(title="The new rows")] | None = None


class ViewSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A view of a run.

    Attributes
    ----------
    source : DataSource
    data_id : str
        Content hash of the prepared data; empty if it is not known.
    method : str
    parameters : mapping of str to JSON values
        As in ``RunRecord``; those left out have their defaults.
    plane : int or None
        Its number in the history of the run; None for the newest.
    options : ViewOptions
        Without `morph` and `toward`, which name runs. JSON: ``look``.
    morph : SharedMorph or None
    mode : str
    hidden : tuple of str
        The switches that are off.
    layers : tuple of str
        The layers that are on, of those that are off until they are asked for.
    marks : RowMarks
    divergence : float or None
        Of the plane on screen when the view was shared, in nats.
    """

    source: Annotated[DataSource, Meta(title="The data")]
    data_id: Annotated[
        str,
        Meta(title="The hash of the data", pattern=f"^$|{SHA256_PATTERN}", description=SHA256_RULE),
    ] = ""
    method: Method
    parameters: Parameters = field(default_factory=dict)
    plane: PlaneNumber | None = None
    options: Annotated[ViewOptions, Meta(title="The view options")] = field(
        default=DEFAULT_VIEW, name="look"
    )
    morph: Annotated[SharedMorph, Meta(title="The morph")] | None = None
    mode: Annotated[Mode, Meta(title="The mode")] = MODES[0]
    hidden: Annotated[tuple[Switch, ...], Meta(title="A hidden switch")] = ()
    layers: Annotated[tuple[MoreLayer, ...], Meta(title="A layer")] = ()
    marks: Annotated[RowMarks, Meta(title="The marks of the rows")] = RowMarks()
    divergence: Annotated[float, Meta(title="The divergence", ge=-1e300, le=1e300)] | None = None

    def __post_init__(self) -> None:
        if self.options != self.options.without_runs:
            raise InputError(_NO_NAMED_RUN)
        force_setattr(self, "parameters", checked_parameters(self.method, self.parameters))
        off = tuple(switch for switch in SWITCHES if switch in self.hidden)
        force_setattr(self, "hidden", off)
        on = tuple(layer for layer in MORE_LAYERS if layer in self.layers)
        force_setattr(self, "layers", on)

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` reads."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values

    @classmethod
    def from_json(cls, values: Any) -> ViewSpec:
        """Return the view that JSON values describe.

        Raises
        ------
        InputError
            If a value is unknown, missing, or out of bounds.
        """
        return read(values, cls, "The view")


def spec_of(
    record: RunRecord,
    event: PlaneEvent,
    options: ViewOptions,
    *,
    other: RunRecord | None,
    mode: str,
    hidden: Sequence[str],
    layers: Sequence[str] = (),
    marks: Mapping[str, Any],
    divergence: float,
) -> ViewSpec:
    """Return the shared view of a plane; `other` is the run toward which it is morphed.

    Raises
    ------
    InputError
        If the run, `mode`, `hidden`, `layers`, or `marks` is not one that a shared view can hold.
    """
    morph = None
    if other is not None and options.morph is not None:
        morph = SharedMorph(
            method=other.method,
            parameters=dict(other.parameters),
            share=options.morph.share,
            plane=options.morph.plane,
            of="resamples" if other.kind == "resamples" else "tree",
        )
    return ViewSpec.from_json(
        {
            "source": source_of_run(record.source),
            "data_id": record.data_id,
            "method": record.method,
            "parameters": record.parameters,
            "plane": None if event.is_final else event.sequence,
            "look": options.without_runs,
            "morph": morph,
            "mode": mode,
            "hidden": hidden,
            "layers": layers,
            "marks": marks,
            "divergence": divergence,
        }
    )


def checked_parameters(method: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of a run of a method, with defaults for those left out.

    Raises
    ------
    InputError
        Names the parameter, its value, and the rule.
    """
    label, settings = METHODS[method].label, _settings(method)
    known = [*settings, HELD_OUT.name, *(["init"] if METHODS[method].accepts_init else [])]
    if unknown := [name for name in values if name not in known]:
        raise InputError(f"A run of {label} has no {shown(unknown[0])}. It has {', '.join(known)}.")
    parameters = {
        name: _checked(setting, values.get(name, setting.default))
        for name, setting in settings.items()
    }
    parameters[HELD_OUT.name] = _held_out(values.get(HELD_OUT.name, HELD_OUT.default / 100))
    if "init" in values:
        parameters["init"] = _init(values["init"], parameters[COMPONENTS.name])
    return without_zero_weight(parameters)


def _settings(method: str) -> dict[str, Setting]:
    """The settings of every run, whether or not the method uses them, and those of the method."""
    shared = (COMPONENTS, GAMMA, STARTS, SEED)
    return {setting.name: setting for setting in (*shared, *METHODS[method].parameters)}


def _checked(setting: Setting, value: Any) -> Any:
    try:
        return setting.checked(value)
    except OverflowError:
        raise InputError(f"{setting.label} is far too large. Choose a smaller value.") from None


def _held_out(share: Any) -> float:
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    _checked(HELD_OUT, 100 * share if is_number else share)
    return float(share)


def _init(planes: Any, n_components: int) -> list[list[list[float]]]:
    """The one plane from which a run starts."""
    (plane,) = read(planes, tuple[tuple[_Component, ...]], "The list of start planes")
    if len(plane) != n_components or len({len(row) for row in plane}) != 1:
        raise InputError(
            f"The start plane must have {n_components} components of equal length; it is "
            f"{shown(plane)}."
        )
    return [[list(row) for row in plane]]
