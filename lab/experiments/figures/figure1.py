"""Figure 1 of the MELM paper: the sonar data in their plane."""

from __future__ import annotations

from lab.experiments import data
from lab.experiments.figures import figure5
from lab.experiments.figures.svg import picture
from lab.experiments.records import Cell, Settings, complete
from lab.experiments.report import Entry, Provenance, Report, Section

_NAME = "sonar"
_GAMMAS = (0.5, 1.0, 2.0)
_PROTOCOL = (
    "All 208 standardized rows, in standard deviations of the plane: mines in blue, rocks in "
    "orange, by the codes of the file. The contours contain 50, 80 and 95 % of the kernel density "
    "of a class. The paper does not state its kernel width. With 60 features for 208 rows the "
    "planes of narrow kernels separate the rows they were found on, as the paper's picture does; "
    "held out, Table 2 has 0.735 on sonar."
)


def report(settings: Settings) -> Report:
    """A panel for each kernel width, with the divergence and separability of its plane."""
    source = data.find(settings.data, _NAME)
    cells = [
        Cell("figure1", figure5.cell, {"name": _NAME, "method": "MELM", "gamma": gamma}, source)
        for gamma in (_GAMMAS[1:2] if settings.quick else _GAMMAS)
    ]
    records = complete(cells, settings)
    panels = [
        figure5.panel(record, _title(record.parameters["gamma"])) for record in records if record
    ]
    entries = [
        entry
        for one, record in zip(cells, records, strict=True)
        for entry in _entries(_title(one.parameters["gamma"]), record.values if record else {})
    ]
    return Report(
        name="figure1",
        title="Figure 1: sonar in its plane",
        source="Czarnecki, Józefowicz and Tabor, 2015. The sonar data in the plane of MELM.",
        sections=(
            Section("", notes=(_PROTOCOL,), picture=picture(panels, 3, scale=1.2)),
            Section("In numbers", tuple(entries), ("In-sample; the paper gives no numbers.",)),
        ),
        provenance=Provenance.of(records),
    )


def _title(gamma: float) -> str:
    return f"kernel width {gamma:g}"


def _entries(row: str, values: dict[str, float]) -> list[Entry]:
    error = values.get("standard_error")
    return [
        Entry(row, "divergence", values.get("divergence")),
        Entry(row, "separability", values.get("separability"), standard_error=error),
    ]
