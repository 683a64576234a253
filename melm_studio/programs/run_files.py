"""The files that `melm-studio run` writes."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from melm_studio.programs.client import StudioClient
from melm_studio.programs.folds import FoldedScores
from melm_studio.programs.models import AnalysisResult, Check, PreparedTable, Result
from melm_studio.scores import folds_sentence

_DOWNLOADS = {
    "model.json": "plane.json",
    "script.py": "program.py",
    "components.csv": "components.csv",
}
_COLUMNS = (
    "method", "held_out", "standard_error", "train", "chance", "divergence", "answer", "p_value",
    "batch_held_out", "batch_train", "batch_chance", "seconds", "refusal",
)  # fmt: skip


@dataclass(frozen=True)
class MethodResult:
    """What a method found, or why it was refused."""

    method: str
    result: Result | None = None
    scores: FoldedScores | None = None
    check: Check | None = None
    analyses: tuple[AnalysisResult, ...] = ()
    refusal: str = ""

    @property
    def is_done(self) -> bool:
        """Whether the method found a plane."""
        return self.result is not None

    @property
    def sentence(self) -> str:
        """How many held-out rows are told apart, and whether that is real."""
        if self.result is None:
            return self.refusal
        words = self.result.words
        if self.check and self.check.words:
            words = self.check.words
        elif self.scores is not None:
            words = folds_sentence(self.scores.held_out, round(1.0 / self.result.chance))
        batches = [self.result.batches.words] if self.result.batches else []
        return " ".join([words, *batches, *(found.words for found in self.analyses)])

    def row(self) -> dict[str, Any]:
        """The method in the table of scores."""
        result, scores, check = self.result, self.scores, self.check
        batches = result and result.batches
        return {
            "method": self.method,
            "held_out": scores.held_out if scores else result and result.accuracy_held_out,
            "standard_error": scores and scores.standard_error,
            "train": scores.train if scores else result and result.accuracy_train,
            "chance": result and result.chance,
            "divergence": result and result.run.divergence,
            "answer": check and check.answer,
            "p_value": check and check.p_value,
            "batch_held_out": batches and batches.accuracy_held_out,
            "batch_train": batches and batches.accuracy_train,
            "batch_chance": batches and batches.chance,
            "seconds": result and result.run.seconds,
            "refusal": self.refusal,
        }


def write_method(client: StudioClient, found: MethodResult, folder: Path) -> None:
    """Write the plane, coordinates, program, figure and report of a method."""
    if found.result is None:
        return
    run, is_linear = found.result.run.id, found.result.is_linear
    folder.mkdir()
    (folder / "points.csv").write_bytes(client.download(run, "points.csv"))
    for remote, local in _DOWNLOADS.items() if is_linear else ():
        (folder / local).write_bytes(client.download(run, remote))
    (folder / "figure.pdf").write_bytes(client.figure([run], "pdf"))
    (folder / "report.html").write_bytes(client.report([run]))


def write_comparison(
    client: StudioClient, table: PreparedTable, results: Sequence[MethodResult], folder: Path
) -> None:
    """Write the scores, the summary and, for several methods, their comparison."""
    with (folder / "scores.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS)
        writer.writeheader()
        writer.writerows(found.row() for found in results)
    summary = {"table": table, "methods": [_summary(found) for found in results]}
    encoded = msgspec.json.format(msgspec.json.encode(summary), indent=2)
    (folder / "summary.json").write_bytes(encoded)
    runs = [found.result.run.id for found in results if found.result is not None]
    if len(runs) > 1:
        (folder / "comparison.pdf").write_bytes(client.figure(runs, "pdf"))
        (folder / "comparison.html").write_bytes(client.report(runs))


def _summary(found: MethodResult) -> dict[str, Any]:
    return {
        "method": found.method,
        "result": found.result,
        "scores": found.scores,
        "check": found.check,
        "analyses": found.analyses,
        "refusal": found.refusal,
    }
