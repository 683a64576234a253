"""The titles of the axes of a view."""

from __future__ import annotations

from melm_core.base import percent
from melm_core.methods import METHODS
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import map_columns

_TURNED = ("Horizontal direction", "Vertical direction")


def axis_titles(
    renderer: PlaneRenderer,
    record: RunRecord,
    view: PlaneView,
    options: ViewOptions = DEFAULT_VIEW,
) -> tuple[str, str]:
    """Return the titles of the horizontal and of the vertical axis of a view.

    The axes of a plane are named with the share of the variance of the training rows that they
    explain, after the preparation of the table. A nonlinear projection has no such share, and no
    components: its axes bear its name. Those of a map that came with the table have the names of
    its columns.
    """
    names = axis_names(record, options)
    if not METHODS[record.method].is_linear:
        return names
    viewer = renderer.viewer(record)
    if viewer.is_map and (known := map_columns(viewer.feature_names)):
        first, second = (viewer.feature_names[at] for at in known.columns)
        return first, second
    first, *others = (
        f"{name}, {percent(share)} of variance"
        for name, share in zip(names, view.explained, strict=False)
    )
    return first, others[0] if others else names[1]


def axis_names(record: RunRecord, options: ViewOptions = DEFAULT_VIEW) -> tuple[str, str]:
    """Return the names of the axes, whatever variance the plane has."""
    if record.parameters.n_components == 1:
        names = "Component 1", "Density"
    elif options.view_angle != DEFAULT_VIEW.view_angle:
        names = _TURNED
    else:
        names = "Component 1", "Component 2"
    method = METHODS[record.method]
    if method.is_linear:
        return names
    first, second = (name.replace("Component", method.label) for name in names)
    return first, second
