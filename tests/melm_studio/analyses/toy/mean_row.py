"""An analysis that says how far the rows of each class are from their mean, on average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from melm_studio.analyses import content
from melm_studio.analyses.analysis import Analysis, DataShape, Section, Subject, Table, Work, demand
from melm_studio.record import Record


class MeanRowReport(Record, frozen=True):
    """The mean distance of the rows of each class so far, of so many classes."""

    distances: tuple[float, ...] = ()
    n_classes: int = 0


class MeanRow(Analysis[MeanRowReport]):
    """How far rows are from the mean of their class."""

    report = MeanRowReport
    name = "mean_row"
    title = "Mean row"

    def compute(self, work: Work) -> None:
        data, distances = work.data, []
        n_classes = len(data.class_names)
        for code in range(n_classes):
            rows = data.X[data.y == code]
            distances.append(float(np.linalg.norm(rows - rows.mean(axis=0), axis=1).mean()))
            work.put(MeanRowReport(tuple(distances), n_classes).to_bytes())

    def progress(self, report: MeanRowReport) -> tuple[float, str]:
        return len(report.distances) / max(1, report.n_classes), "measuring"

    def sentence(self, report: MeanRowReport, *, is_final: bool) -> str:
        if not report.distances:
            return "Nothing was measured." if is_final else "Measuring the first class."
        return f"Rows are {np.mean(report.distances):.2f} from the mean of their class."

    def shown(
        self, report: MeanRowReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        return {
            "content": [
                content.items([f"{name}: {far}" for name, far in self._rows(report, subject)])
            ]
        }

    def section(self, report: MeanRowReport, subject: Subject) -> Section | None:
        if not report.distances:
            return None
        words = self.sentence(report, is_final=subject.is_final)
        table = Table("Distances", ("Class", "Distance"), self._rows(report, subject))
        return Section("Mean row", sentences=(words,), tables=(table,))

    def validate(self, report: MeanRowReport, shape: DataShape) -> None:
        demand(report.n_classes == shape.n_classes >= len(report.distances))
        demand(all(0 <= distance < np.inf for distance in report.distances))

    def _rows(self, report: MeanRowReport, subject: Subject) -> tuple[tuple[str, str], ...]:
        names = subject.class_names
        return tuple(
            (name, f"{each:.2f}") for name, each in zip(names, report.distances, strict=False)
        )


MEAN_ROW = MeanRow()
