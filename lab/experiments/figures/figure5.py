"""Figure 5 of the MELM paper: the heart data in the plane of every method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lab.experiments import data
from lab.experiments.figures.svg import COLORS, Line, Mark, Panel, Points, picture
from lab.experiments.planes import COLUMNS
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core import cauchy_schwarz_divergence
from melm_core.base import FloatArray
from melm_core.density import kernel_classes
from melm_core.evaluation import Separability
from melm_studio.planes.class_outlines import plane_contours
from melm_studio.planes.plane_view import standardized

_NAME = "heart"
_GAMMA = 1.0
_PROTOCOL = (
    "All 270 standardized rows, in standard deviations of the plane: no disease in blue, disease "
    "in orange. The contours contain 50, 80 and 95 % of the kernel density of a class. The kernel "
    f"width of the densities and of MELM is {_GAMMA:g}. Separability is in-sample."
)


def report(settings: Settings) -> Report:
    """A panel for each method, with the divergence and separability of its plane."""
    source = data.find(settings.data, _NAME)
    cells = [
        Cell("figure5", cell, {"name": _NAME, "method": method, "gamma": _GAMMA}, source)
        for method in COLUMNS
    ]
    records = complete(cells, settings)
    panels = [panel(record, record.parameters["method"]) for record in records if record]
    return Report(
        name="figure5",
        title="Figure 5: heart in the plane of every method",
        source=(
            "Czarnecki, Józefowicz and Tabor, 2015. Points and kernel densities of both classes."
        ),
        sections=(
            Section("", notes=(_PROTOCOL,), picture=picture(panels, 3, scale=1.2)),
            Section(
                "In numbers", tuple(_entries(cells, records)), ("The paper gives no numbers.",)
            ),
        ),
        provenance=Provenance.of(records),
    )


def cell(folder: Path, *, name: str, method: str, gamma: float) -> Values:
    """Projected rows and contours of each class, and two scores, of one method on all rows."""
    table = data.load(folder, name)
    X, y = data.standardized(table.X), table.y
    estimator = COLUMNS[method].estimator()
    if method == "MELM":
        estimator.set_params(gamma=gamma)
    components = estimator.fit(X, y).components_
    # In standard deviations, as on the page.
    drawn = standardized(components, np.cov(components @ X.T, ddof=0))
    classes = kernel_classes(X, y, n_components=2, gamma=gamma, shrinkage="auto").project(drawn)
    score = Separability.of(X @ components.T, y).mean
    return {
        "divergence": float(cauchy_schwarz_divergence(X, y, components, gamma=gamma)),
        "separability": score.balanced_accuracy,
        "standard_error": score.standard_error,
        "rows": [_listed(rows) for rows in classes.rows],
        "contours": [_listed(lines) for lines, _ in plane_contours(classes)],
    }


def panel(record: Record, title: str) -> Panel:
    """Rows and contours of a plane."""
    rows, contours = record.values["rows"], record.values["contours"]
    marks: list[Mark] = [
        *(Points(_array(points), COLORS[code]) for code, points in enumerate(rows)),
        *(Line(_array(line), COLORS[code]) for code, line in enumerate(contours)),
    ]
    return Panel(title, marks, with_axes=False)


def _entries(cells: Sequence[Cell], records: Sequence[Record | None]) -> list[Entry]:
    entries = []
    for one, record in zip(cells, records, strict=True):
        values = record.values if record else {}
        method = one.parameters["method"]
        score, error = values.get("separability"), values.get("standard_error")
        entries += [
            Entry(method, "divergence", values.get("divergence")),
            Entry(method, "separability", score, standard_error=error),
        ]
    return entries


def _listed(points: FloatArray) -> list[list[float | None]]:
    """Round to three decimals; None separates lines."""
    return [[None if np.isnan(v) else round(float(v), 3) for v in point] for point in points]


def _array(points: list[list[float | None]]) -> FloatArray:
    return np.array(points, dtype=np.float64)
