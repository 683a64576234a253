"""Figures 1 to 3 of the rotations paper: M by the angle of the line, and where it is largest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lab.experiments.figures.svg import COLORS, Line, Panel, Points, picture
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core import AngleProfile, angle_profile
from melm_core.base import FloatArray, IntArray

_N_ANGLES = 1800
_ROWS_PER_CLASS = 300
_GROWING = (30, 300, 3000)
_TURN = 5.0  # degrees
_DRAWN_ANGLES = 5  # every fifth angle is drawn, a line for each half degree


@dataclass(frozen=True, eq=False)
class Problem:
    """Three Gaussian classes in two dimensions, as many rows of each.

    Attributes
    ----------
    title : str
    means : ndarray of shape (3, 2)
    covariances : ndarray of shape (3, 2, 2)
    """

    title: str
    means: FloatArray
    covariances: FloatArray

    def draw(self, n_rows: int, seed: int) -> tuple[FloatArray, IntArray]:
        """Draw `n_rows` rows of each class, shape (3 * n_rows, 2), and their class codes."""
        stream = np.random.default_rng(seed)
        blocks = [
            stream.multivariate_normal(mean, covariance, n_rows)
            for mean, covariance in zip(self.means, self.covariances, strict=True)
        ]
        return np.vstack(blocks), np.repeat(np.arange(len(blocks)), n_rows)


def _corners() -> FloatArray:
    """Corners of an equilateral triangle on the circle of radius 3."""
    angles = 2 * np.pi * np.arange(3) / 3
    return 3.0 * np.column_stack([np.cos(angles), np.sin(angles)])


def _flat(degrees: float, width: float = 0.02) -> FloatArray:
    """A covariance with standard deviations `width` along a direction and 1 across it."""
    along = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    projector = np.outer(along, along)
    return np.eye(2) - projector + width**2 * projector


# Degrees of the directions in which a class of the third problem hardly varies.
FLAT_DIRECTIONS = (20.0, 120.0)
PROBLEMS: Mapping[str, Problem] = {
    "1": Problem("equal maxima", _corners(), np.stack([np.eye(2)] * 3)),
    "2": Problem(
        "local maxima",
        np.array([[-3.0, 0.0], [3.0, 0.0], [1.0, 2.5]]),
        np.stack([np.eye(2)] * 3),
    ),
    "3": Problem(
        "pointed maxima",
        np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.5]]),
        np.stack([*map(_flat, FLAT_DIRECTIONS), np.eye(2)]),
    ),
}


def report(settings: Settings) -> Report:
    """Two panels for each figure, its maxima, and those of Figure 1 by the number of rows."""
    n_seeds = 2 if settings.quick else 20
    shown = [_cell(figure, _ROWS_PER_CLASS, 0) for figure in PROBLEMS]
    repeated = [
        _cell("1", n_rows, seed)
        for n_rows in (_GROWING[:2] if settings.quick else _GROWING)
        for seed in range(n_seeds)
    ]
    records = complete([*shown, *repeated], settings)
    drawn, growing = records[: len(shown)], records[len(shown) :]
    panels = [panel for record in drawn if record for panel in _panels(record)]
    return Report(
        name="rotations-angles",
        title="Feature extraction through rotations: Figures 1 to 3",
        source=(
            "Salas-Boni and Tabak, 2013. The mean log posterior M of lines by their angle, and the "
            "lines at its local maxima, of three Gaussian classes in two dimensions."
        ),
        sections=(
            Section("", notes=(_NOTE,), picture=picture(panels, 2, scale=1.4)),
            Section("The maxima", tuple(_maxima(shown, drawn)), (_NOTE_OF_MAXIMA,)),
            Section(
                "Figure 1 by the number of rows",
                tuple(_growth(repeated, growing)),
                (_NOTE_OF_GROWTH,),
            ),
        ),
        provenance=Provenance.of(records),
    )


def _cell(figure: str, n_rows: int, seed: int) -> Cell:
    parameters = {"figure": figure, "n_rows": n_rows, "n_angles": _N_ANGLES, "seed": seed}
    return Cell("rotations-angles", cell, parameters)


def cell(
    folder: Path,  # noqa: ARG001 - part of the signature of all cells
    *,
    figure: str,
    n_rows: int,
    n_angles: int,
    seed: int,
) -> Values:
    """M by angle, its maxima, what a turn away from each costs, and the rows of each class."""
    X, y = PROBLEMS[figure].draw(n_rows, seed)
    profile = angle_profile(X, y, n_angles=n_angles)
    return {
        "M": np.round(profile.objectives, 5).tolist(),
        "maxima": np.degrees(profile.maxima).tolist(),
        "objectives": profile.maxima_objectives.tolist(),
        "losses": [
            _loss(profile, angle, objective)
            for angle, objective in zip(profile.maxima, profile.maxima_objectives, strict=True)
        ],
        "rows": [np.round(X[y == code], 3).tolist() for code in range(3)]
        if n_rows == _ROWS_PER_CLASS
        else [],
    }


def _loss(profile: AngleProfile, angle: float, objective: float) -> float:
    """What a turn away from a maximum costs in M, the mean of both directions."""
    n_angles = len(profile.angles)
    at, turn = round(angle / np.pi * n_angles), round(_TURN / 180.0 * n_angles)
    beside = profile.objectives[[(at - turn) % n_angles, (at + turn) % n_angles]]
    return float(objective - beside.mean())


def _panels(record: Record) -> list[Panel]:
    figure, values = record.parameters["figure"], record.values
    objectives = np.array(values["M"])[::_DRAWN_ANGLES]
    angles = 180.0 * np.arange(len(objectives)) / len(objectives)
    peaks = np.column_stack([values["maxima"], values["objectives"]])
    rows = [np.array(of_class) for of_class in values["rows"]]
    longest = float(np.sqrt(max(np.square(r).sum(axis=1).max() for r in rows)))
    lines = [
        Line(longest * np.outer([-1.0, 1.0], _direction(angle)), COLORS[7])
        for angle in values["maxima"]
    ]
    return [
        Panel(
            f"Figure {figure}: {PROBLEMS[figure].title}",
            [Line(np.column_stack([angles, objectives])), Points(peaks, COLORS[7])],
            x_label="angle in degrees; M in nats",
        ),
        Panel(
            "lines at the maxima",
            [*(Points(r, COLORS[code]) for code, r in enumerate(rows)), *lines],
            with_axes=False,
        ),
    ]


def _direction(degrees: float) -> FloatArray:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def _maxima(cells: Sequence[Cell], records: Sequence[Record | None]) -> list[Entry]:
    entries = []
    for one, record in zip(cells, records, strict=True):
        figure = one.parameters["figure"]
        row = f"Figure {figure}: {PROBLEMS[figure].title}"
        values: Values = record.values if record else {"maxima": [None], **_NO_PEAK}
        peaks = zip(values["maxima"], values["objectives"], values["losses"], strict=True)
        for rank, (angle, objective, loss) in enumerate(peaks, start=1):
            entries += [
                Entry(f"{row}, maximum {rank}", "angle in degrees", angle, decimals=1),
                Entry(f"{row}, maximum {rank}", "M", objective),
                Entry(f"{row}, maximum {rank}", f"lost by a turn of {_TURN:g} degrees", loss),
            ]
    return entries


def _growth(cells: Sequence[Cell], records: Sequence[Record | None]) -> list[Entry]:
    found: dict[int, list[dict[str, Any]]] = {}
    for one, record in zip(cells, records, strict=True):
        found.setdefault(one.parameters["n_rows"], []).extend([record.values] if record else [])
    entries = []
    for n_rows, draws in found.items():
        row = f"{n_rows} rows per class, {len(draws)} draws"
        numbers = [float(len(values["maxima"]) == 3) for values in draws]
        gaps = [values["objectives"][0] - values["objectives"][-1] for values in draws]
        entries += [
            Entry(row, "share with three maxima", _mean(numbers), decimals=2),
            _with_error(row, "highest minus lowest maximum", gaps),
        ]
    return entries


def _with_error(row: str, column: str, values: Sequence[float]) -> Entry:
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    return Entry(row, column, _mean(values), standard_error=error)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None


_NO_PEAK = {"objectives": [None], "losses": [None]}
_NOTE = (
    f"{_ROWS_PER_CLASS} rows of each class. The paper prints pictures, no means or covariances: "
    "those here are chosen to show what each figure states. Figure 1 has means at the corners of "
    "an equilateral triangle and equal covariances; in Figure 2 the third mean is off the line "
    "through the others; in Figure 3 two classes have a standard deviation of 0.02 in the "
    f"directions {FLAT_DIRECTIONS[0]:g} and {FLAT_DIRECTIONS[1]:g} degrees, and of 1 across."
)
_NOTE_OF_MAXIMA = (
    "The highest local maximum first. The paper states that the lines of pointed maxima are close "
    "to the directions in which a class hardly varies: the two of Figure 3 are. What is lost by a "
    "turn is the mean over both directions; on either side of a pointed maximum it is several "
    "times that of the others."
)
_NOTE_OF_GROWTH = (
    "In the limit the three maxima are equal by symmetry, of which the paper says that more rows "
    "make it likelier: the mean gap falls about as one over the root of the number of rows."
)
