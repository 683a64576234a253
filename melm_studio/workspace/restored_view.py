"""A view that is restored: of a link, a story or a reload, by the runs that a visitor has."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from melm_core.base import UserError
from melm_studio.analyses import ANALYSES
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.runs.execution.refusals import check_data
from melm_studio.runs.records.run import RunRecord
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.view_spec import SharedMorph, ViewSpec
from melm_studio.workspace.workspace import Workspace

OTHER_PREPARATION = "The table was prepared differently here, so the results may differ."
_OTHER_FEATURES = (
    "The run of this view starts from a plane of {expected} features, but the data have {found}. "
    "Open the view with its own data."
)


class RequestedView(Struct, frozen=True, forbid_unknown_fields=True):
    """The view that the page is to restore.

    Attributes
    ----------
    view : ViewSpec
    quiet : bool
        Whether a view that is reproduced needs no message.
    asked : bool
        Whether the page was told to choose the data.
    """

    view: ViewSpec
    quiet: bool = False
    asked: bool = False

    def is_of(self, shown: ShownData) -> bool:
        """Return whether the page shows the data of the view, prepared in the same way."""
        here, other = shown.source, self.view.source
        is_same = replace(here, label=None) == replace(other, label=None)
        return is_same and other.label in (None, shown.label)

    def restored(self, space: Workspace, shown: ShownData) -> dict[str, Any]:
        """Find or begin the runs of the view; return what the page's script needs to show it.

        Raises
        ------
        UserError
            If a run cannot begin.
        """
        view = self.view
        is_other = view.morph is not None and view.morph.plane is not None
        others = () if view.morph is None or is_other else (view.morph,)
        fits = [_own_fit(space, shown, part) for part in (view, *others)]
        morph = None
        if view.morph is not None:
            other = space.analyze(fits[0], ANALYSES[view.morph.of]) if is_other else fits[1]
            morph = [other.run_id, view.morph.share, view.morph.plane]
        return {
            "run": fits[0].run_id,
            "plane": view.plane,
            "options": {**_script_options(view.options), "morph": morph},
            "other": view.morph.of if view.morph and is_other else None,
            "mode": view.mode,
            "hidden": list(view.hidden),
            "layers": list(view.layers),
            "marks": {
                "colorBy": view.marks.color_by,
                "shapeBy": view.marks.shape_by,
                "newRows": view.marks.new_rows and msgspec.to_builtins(view.marks.new_rows),
            },
            "divergence": view.divergence,
            "caution": "" if view.data_id in ("", shown.id) else OTHER_PREPARATION,
            "quiet": self.quiet,
        }


def _script_options(options: ViewOptions) -> dict[str, Any]:
    """Return the view options as the page's scripts hold them."""
    is_turned = options.view_angle != DEFAULT_VIEW.view_angle
    return {
        "gamma": options.gamma,
        "n_top_features": options.n_top_features,
        "edits": [[edit.feature, *edit.loading] for edit in options.edits],
        "view_angle": options.view_angle if is_turned else None,
        "batch_weight": options.batch_weight,
        "places": None if options.places is DEFAULT_VIEW.places else options.places,
    }


def _own_fit(space: Workspace, shown: ShownData, requested: ViewSpec | SharedMorph) -> RunRecord:
    """Return the visitor's own fit with these parameters, or queue a new one."""
    method, parameters = requested.method, requested.run_parameters
    if equal := space.equal_fit(shown.id, method, parameters):
        return equal
    data = space.data(shown)
    check_data(method, data, parameters)
    found_features = data.X.shape[1]
    expected = len(parameters.init[0][0]) if parameters.init else found_features
    if expected != found_features:
        raise UserError(_OTHER_FEATURES.format(expected=expected, found=found_features))
    fit = space.new_fit(shown, method, parameters, data)
    space.queue(fit)
    return fit
