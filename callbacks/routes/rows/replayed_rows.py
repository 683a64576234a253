"""Every row of the last plane of a replay, and the page's modules that draw them."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import Any

import numpy as np

from callbacks.services import services
from melm_core.base import FloatArray
from melm_studio.layout.scripts import ASSETS
from melm_studio.layout.shell.page_scripts import bundle
from melm_studio.planes.encoding import packed_points
from melm_studio.planes.every_row import every_point_by_class
from melm_studio.planes.figure import limits
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import DEFAULT_VIEW
from melm_studio.runs.records.run import PlaneEvent, RunRecord

# Eight bytes a row in base 64.
MOST_ROWS = 1_000_000

_ENTRY = "studio/plane/still_rows.mjs"

_MARKUP = """\
<style>
:has(> #picture) {{ position: relative; }}
.row-layer {{ position: absolute; pointer-events: none; }}
.row-layer:not([hidden]) + #picture .gridlayer {{ visibility: hidden; }}
</style>
<script type="application/json" id="every-row">{rows}</script>
<script type="module">
{script}
modules["{entry}"].drawLastPlane(
  document.getElementById("picture"),
  JSON.parse(document.getElementById("every-row").textContent),
);
</script>
"""


def every_row_markup(record: RunRecord, event: PlaneEvent, view: PlaneView, last: str) -> str:
    """Return what draws every row of a plane under the figure of a replay.

    Parameters
    ----------
    record : RunRecord
        Of at most MOST_ROWS rows.
    event : PlaneEvent
        The last plane.
    view : PlaneView
        Of that plane.
    last : str
        The name of its frame.
    """
    renderer = services().renderer
    viewer = renderer.viewer(record)
    axes = renderer.axes(record, event, DEFAULT_VIEW)
    by_class = every_point_by_class(axes, viewer.parts, is_line=viewer.n_components == 1)
    rows = json.dumps(_packed(by_class) | {"limits": limits(view), "last": last})
    return _MARKUP.format(script=_script(), rows=rows, entry=_ENTRY)


@cache
def _script() -> str:
    """The modules that draw the rows, as one script."""
    return bundle(ASSETS / _ENTRY, ASSETS).script


def _packed(by_class: list[tuple[FloatArray, FloatArray]]) -> dict[str, Any]:
    stretches = [
        {"class": code, "held_out": bool(is_held_out), "count": len(points)}
        for code, of_class in enumerate(by_class)
        for is_held_out, points in enumerate(of_class)
    ]
    points = np.concatenate([points for of_class in by_class for points in of_class])
    return {"points": base64.b64encode(packed_points(points)).decode(), "stretches": stretches}
