"""The command `melm-studio run`: methods on a table, without a browser."""

from __future__ import annotations

import argparse
import csv
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self

import msgspec
import shtab
from msgspec import Struct
from tqdm import tqdm

from melm_core.base import DEFAULT_DENSITY_GAMMA, UserError, known_type
from melm_core.evaluation import Refits
from melm_core.gem import GEM_PREDICTORS
from melm_core.methods import AUTO, CURVES, GAMMA, METHODS, SEED
from melm_studio.analyses import ANALYSES
from melm_studio.programs.client import StudioClient
from melm_studio.programs.models import AnalysisResult, Check, PreparedTable, Result, Run
from melm_studio.programs.own_process import studio_in_this_process
from melm_studio.programs.predict_label import LabelResult, label_values, predicted_label
from melm_studio.runs.execution.rows import study_of
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import RunState, new_run
from melm_studio.scores import folds_sentence
from melm_studio.tables import EACH_WAY, LabeledData, Question, prepare, read_table

NO_MEMORY = (
    "This needs more memory than a run may have. Leave out rows or features, or set "
    "MELM_MAX_RUN_MB to more megabytes."
)
DONE, SOME_FAILED, REFUSED, STOPPED = 0, 1, 2, 130
MOST_METHODS = 9  # as many as the page shows side by side
_EPILOG = """\
Each method has a folder in DIR with its plane (plane.json, for melm_core.SavedPlane), coordinates
(points.csv), loadings (components.csv) and a program for new rows (program.py). DIR itself has
scores.csv and summary.json. --report adds a figure (figure.pdf) and a report (report.html) of each
method and, for several, comparison.pdf and comparison.html.

Exit codes: 0 done; 1 a method failed, the others are done; 2 the table or an option is refused.
"""
_DOWNLOADS = {
    "model.json": "plane.json",
    "script.py": "program.py",
    "components.csv": "components.csv",
}
_COLUMNS = (
    "method", "held_out", "standard_error", "train", "chance", "divergence", "answer", "p_value",
    "batch_held_out", "batch_train", "batch_chance", "seconds", "refusal", "measure",
)  # fmt: skip
_MEASURE = "balanced accuracy"
_PREDICT = "predict_"  # before the name of a predictor, among methods
STEPS = 3  # of a method: its plane, its folds, its check and files


def add_run_parser(commands: Any) -> None:
    """Add the command to those of `melm-studio`."""
    parser = commands.add_parser(
        "run",
        help="run methods on a table without a browser",
        description="Run methods on a table without a browser, and write what they found.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_table_options(parser)
    parser.add_argument(
        "--methods",
        nargs="+",
        default=["melm", "lda"],
        choices=list(METHODS),
        metavar="METHOD",
        help=f"(default: melm lda) of {', '.join(METHODS)}",
    )
    parser.add_argument(
        "--gamma",
        type=_gamma,
        default=GAMMA.default,
        help="kernel width of the search, or auto (default: %(default)g)",
    )
    parser.add_argument(
        "--curves",
        choices=list(CURVES.options),
        default=CURVES.default,
        help="whether features bend (default: straight; auto: where inner folds gain by it)",
    )
    parser.add_argument(
        "--folds",
        type=_fold_count,
        default=AUTO,
        help="folds of the scores (default: auto, those of the page; 0: none)",
    )
    parser.add_argument(
        "--check", action="store_true", help="also answer 'is it real?' by shuffled labels"
    )
    verdict = parser.add_argument(
        "--verdict",
        type=Path,
        metavar="FILE",
        help="also check, and save the verdict of the first method, for melm-studio verify",
    )
    verdict.complete = shtab.FILE
    parser.add_argument(
        "--analysis",
        nargs="+",
        default=[],
        choices=list(ANALYSES),
        metavar="NAME",
        help=f"also analyze every run, in summary.json and reports: {', '.join(ANALYSES)}",
    )
    parser.add_argument(
        "--predict",
        nargs="+",
        default=[],
        choices=list(GEM_PREDICTORS),
        metavar="NAME",
        help="also predict the label, of any number of classes or a number, by features of GEM: "
        f"{', '.join(GEM_PREDICTORS)}",
    )
    new = parser.add_argument(
        "--new",
        type=Path,
        metavar="FILE",
        help="rows of a new lot, which lot_change is about and class_models judges",
    )
    new.complete = shtab.FILE
    out = parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="new or empty folder for the results"
    )
    out.complete = shtab.DIRECTORY
    parser.add_argument(
        "--report", action="store_true", help="also draw figures (PDF) and write reports (HTML)"
    )
    parser.add_argument("--json", action="store_true", help="print summary.json when done")
    parser.set_defaults(command=run_table)


def add_table_options(parser: Any) -> None:
    """Add what commands that judge a table have in common: the file, and how it is read."""
    table = parser.add_argument(
        "table", type=Path, metavar="TABLE", help="a file as the page reads"
    )
    table.complete = shtab.FILE
    parser.add_argument(
        "--label", metavar="COLUMN", help="column of the classes (default: guessed)"
    )
    parser.add_argument(
        "--answer",
        nargs=2,
        action="append",
        default=[],
        metavar=("QUESTION", "CHOICE"),
        help="answer a question of the table, as in --answer neighbors independent",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of every random choice (default: 0)"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run_table(options: argparse.Namespace, unknown: Sequence[str]) -> int:
    """Run the methods; return the exit code."""
    if unknown:
        print(f"melm-studio run has no {unknown[0]}. Type: melm-studio run --help", file=sys.stderr)
        return REFUSED
    methods = list(dict.fromkeys(options.methods))
    try:
        raw = table_in(options.table)
        _check_options(options, methods)
        with studio_in_this_process() as client:
            are_done = _are_done(client, raw, options, methods)
    except UserError as error:
        print(f"melm-studio run: {error}", file=sys.stderr)
        return REFUSED
    except MemoryError:
        print(f"melm-studio run: {NO_MEMORY}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print(f"melm-studio run: stopped. What is done is in {options.out}.", file=sys.stderr)
        return STOPPED
    if options.json:
        print((options.out / "summary.json").read_text(encoding="utf-8"))
    return DONE if are_done else SOME_FAILED


def _fold_count(text: str) -> int | str:
    return text if text == AUTO else int(text)


def _gamma(text: str) -> float | str:
    return text if text == AUTO else float(text)


def table_in(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    UserError
        If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error


def _check_options(options: argparse.Namespace, methods: Sequence[str]) -> None:
    if len(methods) > MOST_METHODS:
        raise UserError(f"{len(methods)} methods are too many at once. Choose {MOST_METHODS}.")
    if options.folds != AUTO and (options.folds < 0 or options.folds == 1):
        raise UserError(f"--folds must be auto, 0, or 2 or more; it is {options.folds}.")
    if options.predict and not options.folds:
        raise UserError("--predict needs folds, and --folds is 0. Leave one of them out.")
    options.out.mkdir(parents=True, exist_ok=True)
    if any(options.out.iterdir()):
        raise UserError(f"{options.out} is not empty. Choose another folder by --out.")


def _are_done(
    client: StudioClient, raw: bytes, options: argparse.Namespace, methods: Sequence[str]
) -> bool:
    """Write what methods and predictors find; return whether none was refused."""
    source: dict[str, Any] = {
        **client.upload(raw, options.table.name),
        "label": options.label,
        "answers": dict(options.answer),
    }
    table = client.prepare(source)
    for warning in table.warnings:
        print(warning, file=sys.stderr)
    for question in table.questions:
        if question.default != EACH_WAY:
            print_question(question)
    new_rows = client.upload(table_in(options.new), options.new.name) if options.new else None
    predictors = dict.fromkeys(options.predict)
    keys = (*methods, *(f"{_PREDICT}{name}" for name in predictors))
    results: list[MethodResult] = []
    predictions: list[LabelResult] = []
    with Progress(keys, is_shown=not options.quiet) as progress:
        work = _Work(client, judged_data(raw, source), source, options, progress, new_rows)
        # What is there is kept if the next one takes long.
        for method in methods:
            results.append(work.result(method))
            write_scores(results, options.out)
        for name in predictors:
            predictions.append(work.prediction(name, raw))
            write_scores([*results, *predictions], options.out)
    _print_suspicions(results, predictions)
    write_summary(table, results, predictions, options.out)
    _write_verdict(client, results[0], options.verdict)
    if options.report:
        write_comparison(client, results, options.out)
    return all([result.is_done for result in results] + [each.is_done for each in predictions])


def _print_suspicions(results: Sequence[MethodResult], predictions: Sequence[LabelResult]) -> None:
    """Print what was asked of the rows for a yes that could not be given."""
    asked = [result.check.questions for result in results if result.check]
    asked += [each.questions for each in predictions]
    for question in dict.fromkeys(chain.from_iterable(asked)):
        if question.default == EACH_WAY:
            print_question(question)


def _write_verdict(client: StudioClient, first: MethodResult, file: Path | None) -> None:
    if file is None or first.result is None:
        return
    raw = client.verdict(first.result.run.id)
    try:
        file.write_bytes(raw)
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}.") from error


@dataclass(frozen=True)
class _Work:
    """Work on every method."""

    client: StudioClient
    data: LabeledData
    source: dict[str, Any]
    options: argparse.Namespace
    progress: Progress
    new_rows: dict[str, str] | None  # the source of their file

    def result(self, method: str) -> MethodResult:
        """Fit, score and check a method, and write its files; a refusal is a result, too."""
        self.progress.begin(method)
        try:
            result = self._found(method)
        except (UserError, MemoryError) as error:
            refusal = NO_MEMORY if isinstance(error, MemoryError) else str(error)
            self.progress.refused(method, refusal)
            return MethodResult(method, refusal=refusal)
        folder = self.options.out / method
        write_method(self.client, result, folder)
        if self.options.report:
            write_report(self.client, result, folder)
        self.progress.end(method, result)
        return result

    def prediction(self, name: str, raw: bytes) -> LabelResult:
        """Predict the label of every row without it, and write that."""
        key = f"{_PREDICT}{name}"
        self.progress.fitted(key)
        try:
            result = predicted_label(
                name,
                self.data,
                label_values(raw, self.source, self.data),
                self.options.out / key,
                n_folds=self.options.folds,
                is_checked=self.options.check,
                seed=self.options.seed,
            )
        except (UserError, MemoryError) as error:
            refusal = NO_MEMORY if isinstance(error, MemoryError) else str(error)
            self.progress.refused(key, refusal)
            return LabelResult(name, refusal=refusal)
        self.progress.end(key, result)
        return result

    def _found(self, method: str) -> MethodResult:
        run = self._finished_run(method)
        result = self.client.result(run.id)
        self.progress.fitted(method)
        has_classes = result.chance < 1.0  # there is nothing to score in one class
        scores = self._scores(result) if has_classes else None
        if result.has_refits and scores is not None:  # which it is now read from
            result = self.client.result(run.id)
        self.progress.scored(method)
        is_checked = self.options.check or self.options.verdict is not None
        check = self.client.checked(run.id) if is_checked and has_classes else None
        names = dict.fromkeys(self.options.analysis)
        analyses = tuple(self.client.analyzed(run.id, name, self.new_rows) for name in names)
        return MethodResult(method, result=result, scores=scores, check=check, analyses=analyses)

    def _scores(self, result: Result) -> FoldedScores | None:
        """Return the scores of the run's refits or, of another number of folds, of new ones."""
        run, n_folds = result.run, self.options.folds
        if n_folds != AUTO or not result.has_refits:
            return folded_scores(self.data, self.source, run, n_folds) if n_folds else None
        refits = self.client.refitted(run.id)
        if refits.share is None or refits.standard_error is None or refits.share_train is None:
            raise UserError(refits.message or refits.words)
        return FoldedScores(
            held_out=refits.share,
            standard_error=refits.standard_error,
            train=refits.share_train,
            n_folds=refits.n_folds,
            notes=refits.notes,
            within=self.data.compared_within,
        )

    def _finished_run(self, method: str) -> Run:
        gamma = self.options.gamma if METHODS[method].takes(GAMMA.name) else GAMMA.default
        parameters = {
            GAMMA.name: gamma,
            SEED.name: self.options.seed,
            CURVES.name: self.options.curves,
        }
        started = self.client.start(self.source, method, parameters)
        run = self.client.finished(started.id)
        if run.state is not RunState.DONE:
            raise UserError(run.message or f"The run ended as {run.state}.")
        return run


@dataclass(frozen=True)
class MethodResult:
    """Results of a method, or the reason why it was refused."""

    method: str
    result: Result | None = None
    scores: FoldedScores | None = None
    check: Check | None = None
    analyses: tuple[AnalysisResult, ...] = ()
    refusal: str = ""

    @property
    def is_done(self) -> bool:
        """True if the method found a plane."""
        return self.result is not None

    @property
    def sentence(self) -> str:
        """Sentence on how many held-out rows are told apart, and whether that is real."""
        if self.result is None:
            return self.refusal
        words = self.result.words
        if self.check and self.check.words:
            words = self.check.words
        elif self.scores is not None:
            n_classes = round(1.0 / self.result.chance)
            words = folds_sentence(self.scores.held_out, n_classes, self.scores.within)
        batches = [self.result.batches.words] if self.result.batches else []
        return " ".join([words, *batches, *(analysis.words for analysis in self.analyses)])

    def row(self) -> dict[str, Any]:
        """Return the row of the method in the table of scores."""
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
            "measure": _MEASURE,
        }


def write_method(client: StudioClient, method: MethodResult, folder: Path) -> None:
    """Write the plane, coordinates and program of a method."""
    if method.result is None:
        return
    run, is_linear = method.result.run.id, method.result.is_linear
    folder.mkdir()
    (folder / "points.csv").write_bytes(client.download(run, "points.csv"))
    for remote, local in _DOWNLOADS.items() if is_linear else ():
        (folder / local).write_bytes(client.download(run, remote))


def write_report(client: StudioClient, method: MethodResult, folder: Path) -> None:
    """Write the figure and the report of a method beside its plane."""
    if method.result is None:
        return
    run = method.result.run.id
    (folder / "figure.pdf").write_bytes(client.figure([run], "pdf"))
    (folder / "report.html").write_bytes(client.report([run]))


def write_scores(results: Sequence[MethodResult | LabelResult], folder: Path) -> None:
    """Write a row of scores for each method and predictor that is done."""
    with (folder / "scores.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _COLUMNS)
        writer.writeheader()
        writer.writerows(result.row() for result in results)


def write_summary(
    table: PreparedTable,
    results: Sequence[MethodResult],
    predictions: Sequence[LabelResult],
    folder: Path,
) -> None:
    """Write all that was found of a table."""
    methods = [_summary(result) for result in results]
    summary = {"table": table, "methods": methods, "predictions": predictions}
    encoded = msgspec.json.format(msgspec.json.encode(summary), indent=2)
    (folder / "summary.json").write_bytes(encoded)


def write_comparison(client: StudioClient, results: Sequence[MethodResult], folder: Path) -> None:
    """Write a figure and a report that have several methods side by side."""
    runs = [each.result.run.id for each in results if each.result is not None]
    if len(runs) > 1:
        (folder / "comparison.pdf").write_bytes(client.figure(runs, "pdf"))
        (folder / "comparison.html").write_bytes(client.report(runs))


def _summary(method: MethodResult) -> dict[str, Any]:
    return {
        "method": method.method,
        "result": method.result,
        "scores": method.scores,
        "check": method.check,
        "analyses": method.analyses,
        "refusal": method.refusal,
    }


class FoldedScores(Struct, frozen=True):
    """Balanced accuracy of a method's class densities, by cross-validation.

    Attributes
    ----------
    held_out, standard_error, train : float
        See `Refits.share` and `Refits.train_share`.
    n_folds : int
    notes : tuple of str
    within : str
        The column within whose values the classes are compared; empty without one.
    """

    held_out: float
    standard_error: float
    train: float
    n_folds: int
    notes: tuple[str, ...]
    within: str = ""


def judged_data(raw: bytes, source: Mapping[str, Any]) -> LabeledData:
    """Return the rows of a file that folds are made of.

    Parameters
    ----------
    raw : bytes
    source : mapping
        How it is prepared.
    """
    data_source = msgspec.convert(source, known_type(DataSource))
    table = read_table(raw, data_source.name, options=data_source.read_options)
    return prepare(table, data_source.label, answers=data_source.answers)


def folded_scores(
    data: LabeledData, source: Mapping[str, Any], run: Run, n_folds: int | Literal["auto"]
) -> FoldedScores:
    """Refit the method of a run in folds, which keep groups of rows together.

    Parameters
    ----------
    data : LabeledData
    source : mapping
        What they were prepared from.
    run : Run
        Its method and parameters are refitted.
    n_folds : int or "auto"
        See `Study.folds`.
    """
    data_source = msgspec.convert(source, known_type(DataSource))
    record = new_run(
        "", "", data_source.name, run.method, RunParameters.of(run.parameters), source=data_source
    )
    refits = Refits.of(study_of(data, record), n_folds, gamma=DEFAULT_DENSITY_GAMMA)
    share = refits.share
    return FoldedScores(
        held_out=share.balanced_accuracy,
        standard_error=share.standard_error,
        train=refits.train_share.balanced_accuracy,
        n_folds=refits.n_folds,
        notes=refits.notes,
        within=data.compared_within,
    )


def print_question(question: Question) -> None:
    """Print a question without an answer, and how each is given."""
    if question.answer:
        return
    print(question.sentence, file=sys.stderr)
    for choice in question.choices:
        option = shlex.join(["--answer", question.id, choice.value])
        print(f"  {choice.label}: {option}", file=sys.stderr)


class Progress:
    """A bar over the methods on a terminal, and a line for each method that is done.

    Parameters
    ----------
    methods : sequence of str
        Their keys, and those of predictors.
    is_shown : bool
    """

    def __init__(self, methods: Sequence[str], *, is_shown: bool) -> None:
        self._is_shown = is_shown
        # None: off where nobody would see it move, such as in a pipe.
        disable = None if is_shown else True
        self._bar = tqdm(total=STEPS * len(methods), disable=disable, leave=False)
        self._width = max(len(_label(method)) for method in methods)
        self._n_done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def begin(self, method: str) -> None:
        """Show that the plane of a method is sought."""
        self._step(method, "plane", 0)

    def fitted(self, method: str) -> None:
        """Show that the plane is found; its folds are next."""
        self._step(method, "folds", 1)

    def scored(self, method: str) -> None:
        """Show that the folds are done; the check, if requested, is next."""
        self._step(method, "check", 2)

    def end(self, method: str, result: MethodResult | LabelResult) -> None:
        """Show that a method is done."""
        self._line(method, result.sentence)

    def refused(self, method: str, reason: str) -> None:
        """Show that the method cannot be fitted to the table."""
        self._line(method, reason)

    def _step(self, method: str, doing: str, step: int) -> None:
        self._bar.set_description(f"{_label(method)}: {doing}", refresh=False)
        self._bar.n = STEPS * self._n_done + step
        self._bar.refresh()

    def _line(self, method: str, words: str) -> None:
        self._n_done += 1
        if self._is_shown:
            self._bar.clear()
            print(f"{_label(method):{self._width}}  {words}", file=sys.stderr)
        self._step(method, "done", 0)


def _label(key: str) -> str:
    """Return how a method, or a predictor, is called."""
    return METHODS[key].label if key in METHODS else GEM_PREDICTORS[key[len(_PREDICT) :]].label
