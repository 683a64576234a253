"""A shared view: what it takes to show a view again elsewhere.

It holds no data and no run of anyone: it says which data, which run, and which view options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr, replace

from melm_core.base import UserError
from melm_core.methods import METHODS
from melm_studio.planes.view_options import DEFAULT_VIEW, PlaneNumber, Share, Shown, ViewOptions
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters, checked_parameters
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, Use
from melm_studio.validation import (
    MAX_TEXT,
    SHA256_PATTERN,
    SHA256_RULE,
    InputError,
    Sha256,
    Text,
    read,
)

Mode = Literal["explore", "compare", "present"]
OtherPlanes = Literal["tree", "resamples"]
Switch = Literal["linked", "aligned", "contours", "arrows", "names", "verdict"]
# Layers that are off until they are asked for.
MoreLayer = Literal["class_ellipses", "mean_ellipses", "centroids"]
MODES: tuple[Mode, ...] = get_args(Mode)
SWITCHES: tuple[Switch, ...] = get_args(Switch)
MORE_LAYERS: tuple[MoreLayer, ...] = get_args(MoreLayer)

Hidden = Annotated[tuple[Switch, ...], Meta(title="A hidden switch", max_length=len(SWITCHES))]
Layers = Annotated[tuple[MoreLayer, ...], Meta(title="A layer", max_length=len(MORE_LAYERS))]

Method = Annotated[
    str,
    Meta(
        title="The method",
        pattern=f"^({'|'.join(METHODS)})$",
        description=f"one of {', '.join(METHODS)}",
    ),
]
Parameters = Annotated[dict[str, Any], Meta(title="The parameters")]

_NO_NAMED_RUN = "A shared view cannot refer to a run of this studio. Leave out morph and toward."
_ONE_COLUMN = "All of these features come from one column, and a plane needs two. Keep more."


class SharedMorph(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Position of the plane on its way to that of another run of the same data.

    With a number, `plane`, it is one of the planes `of` that run: of its tree, or of resamples.
    """

    method: Method
    parameters: Parameters = field(default_factory=dict)
    share: Share
    plane: PlaneNumber | None = None
    of: OtherPlanes = "tree"

    def __post_init__(self) -> None:
        force_setattr(self, "parameters", checked_parameters(self.method, self.parameters).values)

    @property
    def run_parameters(self) -> RunParameters:
        """The parameters as a run has them."""
        return RunParameters.of(self.parameters)


# What the numbers of columns of new rows are multiplied by.
RowScales: TypeAlias = dict[
    Annotated[str, Meta(max_length=MAX_TEXT)], Annotated[float, Meta(gt=0, le=1e15)]
]


def row_scales(text: str) -> RowScales:
    """Return the factors that a query names, as JSON; none of an empty text.

    Raises
    ------
    InputError
        If this is something else.

    Examples
    --------
    >>> row_scales('{"width": 1000}')
    {'width': 1000.0}
    """
    name = "The factors of the new rows"
    try:
        values = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError:
        raise InputError(f'{name} must be JSON, such as {{"width": 1000}}.') from None
    return read(values, RowScales, name)


class RowFile(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An uploaded file whose rows are shown beside those of the run.

    Attributes
    ----------
    key : str
        The SHA-256 of the file.
    name : str
    scaled : dict of str to float
        What the numbers of columns are multiplied by, where they were in another unit.
    """

    key: Annotated[Sha256, Meta(title="The key of the new rows")]
    name: Annotated[str, Meta(title="The name of the new rows", min_length=1, max_length=MAX_TEXT)]
    scaled: Annotated[RowScales, Meta(title="The factors of the new rows")] = field(
        default_factory=dict
    )


class RowMarks(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Marks of rows, and the other rows that are shown.

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
        All by name, as `RunParameters.values`; those left out have their defaults.
    plane : int or None
        Its number in the history of the run; None for the newest.
    options : ViewOptions
        Without `morph` and `toward`, which name runs.
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
    options: Annotated[ViewOptions, Meta(title="The view options")] = DEFAULT_VIEW
    morph: Annotated[SharedMorph, Meta(title="The morph")] | None = None
    mode: Annotated[Mode, Meta(title="The mode")] = MODES[0]
    hidden: Hidden = ()
    layers: Layers = ()
    marks: Annotated[RowMarks, Meta(title="The marks of the rows")] = RowMarks()
    divergence: Annotated[float, Meta(title="The divergence", ge=-1e300, le=1e300)] | None = None

    def __post_init__(self) -> None:
        if self.options != self.options.without_runs:
            raise InputError(_NO_NAMED_RUN)
        force_setattr(self, "parameters", checked_parameters(self.method, self.parameters).values)

    @property
    def run_parameters(self) -> RunParameters:
        """The parameters as a run has them."""
        return RunParameters.of(self.parameters)

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
    shown: Shown,
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
    if other is not None and shown.options.morph is not None:
        morph = SharedMorph(
            method=other.method,
            parameters=other.parameters.values,
            share=shown.options.morph.share,
            plane=shown.options.morph.plane,
            of="resamples" if other.kind == "resamples" else "tree",
        )
    return ViewSpec.from_json(
        {
            "source": shown.record.source,
            "data_id": shown.record.data_id,
            "method": shown.record.method,
            "parameters": shown.record.parameters.values,
            "plane": None if shown.event.is_final else shown.event.sequence,
            "options": shown.options.without_runs,
            "morph": morph,
            "mode": mode,
            "hidden": hidden,
            "layers": layers,
            "marks": marks,
            "divergence": divergence,
        }
    )


def view_of_features(record: RunRecord, data: LabeledData, features: Iterable[int]) -> ViewSpec:
    """Return the view of the same run on the columns of some features.

    A column is kept with all of its features.

    Parameters
    ----------
    record : RunRecord
    data : LabeledData
        Of the run.
    features : iterable of int
        Indices of the features of the data.

    Raises
    ------
    UserError
        If the features come from fewer than two columns.
    """
    columns = columns_of(data, features)
    if len(columns) < 2:
        raise UserError(_ONE_COLUMN)
    left_out = {each.name: Use.IGNORED for each in data.encodings if each.name not in columns}
    source = record.source
    return ViewSpec(
        source=replace(source, roles={**source.roles, **left_out}),
        method=record.method,
        parameters=record.parameters_without_start,
    )


def columns_of(data: LabeledData, features: Iterable[int]) -> set[str]:
    """Return the columns that some features were made of."""
    names = {data.feature_names[feature] for feature in features}
    return {
        encoding.name
        for encoding in data.encodings
        if any(part in names or f"{part} missing" in names for part in encoding.feature_names)
    }
