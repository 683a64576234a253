"""The titles of the axes of a view."""

from __future__ import annotations

from melm_core.base import percent
from melm_core.methods import METHODS
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.runs.records.run import PlaneEvent, RunRecord

_TURNED = ("Horizontal direction", "Vertical direction")


def axis_titles(
    renderer: PlaneRenderer,
    record: RunRecord,
    event: PlaneEvent,
    options: ViewOptions = DEFAULT_VIEW,
) -> tuple[str, str]:
    """Return the titles of the horizontal and of the vertical axis.

    The axes of a plane are named with the share of the variance of the training rows that they
    explain, after the preparation of the table. A nonlinear projection has no such share, and no
    components: its axes bear its name.
    """
    names = _axis_names(record, options)
    method = METHODS[record.method]
    if not method.is_linear:
        first, second = (name.replace("Component", method.label) for name in names)
        return first, second
    shares = renderer.explained_shares(record, event, options)
    first, *others = (
        f"{name}, {percent(share)} of variance" for name, share in zip(names, shares, strict=False)
    )
    return first, others[0] if others else names[1]


def _axis_names(record: RunRecord, options: ViewOptions) -> tuple[str, str]:
    if record.parameters.n_components == 1:
        return "Component 1", "Density"
    if options.view_angle != DEFAULT_VIEW.view_angle:
        return _TURNED
    return "Component 1", "Component 2"
