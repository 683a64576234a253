"""What every section of a replay has: planes as JSON in the page, a script that shows them."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.publication.replay import n_bytes, shared_axes, thinned

# Of the planes of a section.
SECTION_BYTES = 3_000_000

_SCRIPT = Path(__file__).parent / "sections.js"

SECTION_STYLE = """\
body { height: auto; }
body > div { flex: none; height: 78vh; }
section { margin-top: 40px; }
h2 { margin: 0 0 4px; font-size: 1.25rem; font-weight: 650; }
section .picture, section .tree { height: 420px; }
section .multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(130px, 1fr));
  gap: 12px; margin: 8px 0 12px; }
section figure { margin: 0; }
section figure > div { height: 130px; }
section figcaption { font-size: 0.875rem; }
section ul { margin: 0 0 12px; padding: 0; list-style: none; }
section li { margin-bottom: 6px; }
section button { min-height: 32px; padding: 2px 12px; border: 1px solid currentcolor;
  border-radius: 6px; background: none; color: inherit; font: inherit; text-align: left;
  cursor: pointer; }
section summary { min-height: 24px; cursor: pointer; }
section input { width: 100%; min-height: 24px; }
@media (width >= 800px) {
  section .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; }
}
"""


@dataclass(frozen=True, eq=False)
class Painted:
    """What the planes of a replay share.

    Attributes
    ----------
    class_names : sequence of str
    n_components : int
    scheme : Scheme
    """

    class_names: Sequence[str]
    n_components: int = 2
    scheme: Scheme = Scheme.LIGHT


def most_planes(view: PlaneView) -> int:
    """How many planes like this one `SECTION_BYTES` allow, at least one."""
    return max(1, SECTION_BYTES // n_bytes(thinned(view)))


def planes_figure(
    views: Sequence[PlaneView], painted: Painted, *, is_still: bool
) -> dict[str, Any]:
    """The styles of a picture, with the axes and the arrays of each of its planes.

    Those that follow each other as a motion have the same axes: the picture stays still.
    """
    kept = [thinned(view) for view in views]
    n_points = sum(len(part.train) + len(part.held_out) for part in kept[0].classes)
    figure = empty_figure(
        painted.class_names, n_points, painted.scheme, n_components=painted.n_components
    )
    return {
        "figure": plain(figure),
        "axes": [shared_axes(kept)] if is_still else [limits(view) for view in kept],
        "planes": [plane_frame(view) for view in kept],
    }


def plain(figure: go.Figure) -> Any:
    """A figure as JSON values."""
    return json.loads(figure.to_json())


def section_html(kind: str, title: str, words: str, content: str, data: dict[str, Any]) -> str:
    """A section with its data, which no name in them can end early."""
    written = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<section data-section="{kind}" aria-labelledby="{kind}">\n'
        f'<h2 id="{kind}">{html.escape(title)}</h2>\n<p>{html.escape(words)}</p>\n{content}\n'
        f'<script type="application/json">{written}</script>\n</section>'
    )


@lru_cache(maxsize=1)
def script_of_sections() -> str:
    """The element of the script that operates the sections before it."""
    return f"<script>{_SCRIPT.read_text('utf-8')}</script>"
