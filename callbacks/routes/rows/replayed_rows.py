"""Every row of the last plane of a replay, and the page's modules that draw them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from callbacks.services import services
from melm_core.base import FloatArray
from melm_studio.figures.encoding import packed_points
from melm_studio.figures.plane import limits
from melm_studio.layout.scripts import ASSETS
from melm_studio.views.rows.every_row import every_point_by_class
from melm_studio.views.types import PlaneView
from melm_studio.views.view_options import DEFAULT_VIEW
from melm_studio.worker.records.run import PlaneEvent, RunRecord

# Eight bytes a row in base 64.
MOST_ROWS = 1_000_000

_SCRIPTS = ASSETS / "studio"
_ENTRY = "every_row/replayed"
_IMPORT = re.compile(r'(?<= from ")(\.[^"]+)\.mjs(?=")')

# Modules without addresses import each other by names, which an import map resolves.
_MARKUP = """\
<style>
:has(> #picture) {{ position: relative; }}
.row-layer {{ position: absolute; pointer-events: none; }}
.row-layer:not([hidden]) + #picture .gridlayer {{ visibility: hidden; }}
</style>
<script type="importmap">{modules}</script>
<script type="application/json" id="every-row">{rows}</script>
<script type="module">
import {{ drawLastPlane }} from "{entry}";
drawLastPlane(
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
    imports = {
        name: "data:text/javascript;base64," + base64.b64encode(source.encode()).decode()
        for name, source in modules(_ENTRY).items()
    }
    return _MARKUP.format(modules=json.dumps({"imports": imports}), rows=rows, entry=_ENTRY)


def modules(entry: str) -> dict[str, str]:
    """Return the sources of a module of the page and of all that it imports, by their names.

    A name is a path in the folder of the page's modules, without its ending.
    """
    found: dict[str, str] = {}
    names = [entry]
    while names:
        name = names.pop()
        if name not in found:
            source = (_SCRIPTS / f"{name}.mjs").read_text(encoding="utf-8")
            found[name] = _IMPORT.sub(lambda match: _resolved(name, match[1]), source)  # noqa: B023
            names += [_resolved(name, path) for path in _IMPORT.findall(source)]
    return found


def _resolved(name: str, path: str) -> str:
    """The name of the module at a path relative to another."""
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / path).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _packed(by_class: list[tuple[FloatArray, FloatArray]]) -> dict[str, Any]:
    stretches = [
        {"class": code, "held_out": bool(is_held_out), "count": len(points)}
        for code, of_class in enumerate(by_class)
        for is_held_out, points in enumerate(of_class)
    ]
    points = np.concatenate([points for of_class in by_class for points in of_class])
    return {"points": base64.b64encode(packed_points(points)).decode(), "stretches": stretches}
