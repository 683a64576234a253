"""The command `melm-studio run`: methods on a table, without a browser."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shtab

from melm_core.base import UserError
from melm_core.methods import AUTO, GAMMA, METHODS, SEED
from melm_studio.analyses import ANALYSES
from melm_studio.programs.client import StudioClient
from melm_studio.programs.folds import folded_scores
from melm_studio.programs.local_studio import local_studio
from melm_studio.programs.models import Run
from melm_studio.programs.progress import Progress
from melm_studio.programs.run_files import MethodResult, write_comparison, write_method
from melm_studio.runs.records.run import RunState

DONE, SOME_FAILED, REFUSED = 0, 1, 2
MOST_METHODS = 9  # as many as the page shows side by side

_EPILOG = """\
Each method has a folder in DIR with its plane (plane.json, for melm_core.SavedPlane), coordinates
(points.csv), loadings (components.csv), a program for new rows (program.py), a figure (figure.pdf)
and a report (report.html). DIR itself has scores.csv, summary.json and, for several methods,
comparison.html and comparison.pdf.

Exit codes: 0 done; 1 a method failed, the others are done; 2 the table or an option is refused.
"""


def add_run_parser(commands: Any) -> None:
    """Add the command to those of `melm-studio`."""
    parser = commands.add_parser(
        "run",
        help="run methods on a table without a browser",
        description="Run methods on a table without a browser, and write what they found.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    table = parser.add_argument(
        "table", type=Path, metavar="TABLE", help="a file as the page reads"
    )
    table.complete = shtab.FILE
    parser.add_argument(
        "--label", metavar="COLUMN", help="column of the classes (default: guessed)"
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        default=["melm", "lda"],
        choices=list(METHODS),
        metavar="METHOD",
        help=f"(default: melm lda) of {', '.join(METHODS)}",
    )
    parser.add_argument(
        "--gamma", type=_gamma, default=GAMMA.default, help="kernel width, or auto (default: 1)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of every random choice (default: 0)"
    )
    parser.add_argument(
        "--folds", type=int, default=5, help="folds of the scores (default: 5; 0: none)"
    )
    parser.add_argument(
        "--check", action="store_true", help="also answer 'is it real?' by shuffled labels"
    )
    parser.add_argument(
        "--analysis",
        nargs="+",
        default=[],
        choices=list(ANALYSES),
        metavar="NAME",
        help=f"also analyze every run, in report.html and summary.json: {', '.join(ANALYSES)}",
    )
    out = parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="new or empty folder for the results"
    )
    out.complete = shtab.DIRECTORY
    parser.add_argument("--json", action="store_true", help="print summary.json when done")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(command=run_table)


def run_table(options: argparse.Namespace, unknown: Sequence[str]) -> int:
    """Run the methods; return the exit code."""
    if unknown:
        print(f"melm-studio run has no {unknown[0]}. Type: melm-studio run --help", file=sys.stderr)
        return REFUSED
    methods = list(dict.fromkeys(options.methods))
    try:
        raw = _table_in(options.table)
        _check_options(options, methods)
        with local_studio() as studio:
            results = _results(StudioClient(studio.url), raw, options, methods)
    except UserError as error:
        print(f"melm-studio run: {error}", file=sys.stderr)
        return REFUSED
    if options.json:
        print((options.out / "summary.json").read_text())
    return DONE if all(result.is_done for result in results) else SOME_FAILED


def _gamma(text: str) -> float | str:
    return text if text == AUTO else float(text)


def _table_in(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error


def _check_options(options: argparse.Namespace, methods: Sequence[str]) -> None:
    if len(methods) > MOST_METHODS:
        raise UserError(f"{len(methods)} methods are too many at once. Choose {MOST_METHODS}.")
    if options.folds < 0 or options.folds == 1:
        raise UserError(f"--folds must be 0, or 2 or more; it is {options.folds}.")
    options.out.mkdir(parents=True, exist_ok=True)
    if any(options.out.iterdir()):
        raise UserError(f"{options.out} is not empty. Choose another folder by --out.")


def _results(
    client: StudioClient, raw: bytes, options: argparse.Namespace, methods: Sequence[str]
) -> list[MethodResult]:
    source: dict[str, Any] = {**client.upload(raw, options.table.name), "label": options.label}
    table = client.prepare(source)
    with Progress(methods, is_shown=not options.quiet) as progress:
        work = _Work(client, raw, source, options, progress)
        results = [work.result(method) for method in methods]
    write_comparison(client, table, results, options.out)
    return results


@dataclass(frozen=True)
class _Work:
    """What is done with every method."""

    client: StudioClient
    raw: bytes
    source: dict[str, Any]
    options: argparse.Namespace
    progress: Progress

    def result(self, method: str) -> MethodResult:
        """Fit, score and check a method, and write its files; a refusal is a result, too."""
        self.progress.begin(method)
        try:
            found = self._found(method)
        except UserError as error:
            self.progress.refused(method, str(error))
            return MethodResult(method, refusal=str(error))
        write_method(self.client, found, self.options.out / method)
        self.progress.end(method, found)
        return found

    def _found(self, method: str) -> MethodResult:
        run = self._finished_run(method)
        result = self.client.result(run.id)
        self.progress.fitted(method)
        n_folds = self.options.folds
        scores = folded_scores(self.raw, self.source, run, n_folds) if n_folds else None
        self.progress.scored(method)
        check = self.client.checked(run.id) if self.options.check else None
        names = dict.fromkeys(self.options.analysis)
        analyses = tuple(self.client.analyzed(run.id, name) for name in names)
        return MethodResult(method, result=result, scores=scores, check=check, analyses=analyses)

    def _finished_run(self, method: str) -> Run:
        gamma = self.options.gamma if METHODS[method].takes(GAMMA.name) else GAMMA.default
        parameters = {GAMMA.name: gamma, SEED.name: self.options.seed}
        started = self.client.start(self.source, method, parameters)
        run = self.client.finished(started.id)
        if run.state is not RunState.DONE:
            raise UserError(run.message or f"The run ended as {run.state}.")
        return run
