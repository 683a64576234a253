"""The densities of the classes along one feature, with its rows below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from melm_studio.planes.figure import empty_figure, limits, plane_frame, shown
from melm_studio.planes.theme import Scheme
from melm_studio.planes.traces import PlaneTrace
from melm_studio.planes.types import PlaneView

# The feature needs no arrow along itself.
_LEFT_OUT = {PlaneTrace.FAINT_ARROWS, PlaneTrace.ARROW_LINES, PlaneTrace.ARROW_HEADS}


def feature_figure(
    view: PlaneView,
    name: str,
    class_names: Sequence[str],
    n_drawn: int,
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """The picture of a run of one component, of which the feature is the only one.

    Parameters
    ----------
    view : PlaneView
        Of one component.
    name : str
        Of the feature.
    class_names : sequence of str
    n_drawn : int
        The number of points.
    scheme : Scheme
    """
    figure = empty_figure(class_names, n_drawn, scheme, n_components=1)
    for trace, arrays in zip(figure.data, plane_frame(view, encode=np.asarray), strict=True):
        trace.update(arrays)
        if trace.meta["kind"] in _LEFT_OUT:
            trace.visible = False
    horizontal, vertical = limits(view)
    figure.update_xaxes(range=horizontal, title=f"{shown(name)} (standard deviations)")
    figure.update_yaxes(range=vertical, title="density")
    return figure.update_layout(margin={"l": 30, "r": 8, "t": 8, "b": 40})
