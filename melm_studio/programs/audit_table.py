"""The command `melm-studio audit`: is a map, or what an estimator finds in a table, real?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from melm_core.answers import TOLD_APART, Answer
from melm_core.base import FloatArray, UserError
from melm_core.evaluation import Audit, Score, audit, audit_coordinates
from melm_core.methods import METHODS
from melm_studio.analyses.shuffles import agreed, record_of, shuffles_of_each
from melm_studio.programs.run_table import (
    DONE,
    REFUSED,
    add_table_options,
    print_question,
    table_in,
)
from melm_studio.runs.execution.refusals import missing_package
from melm_studio.runs.records.check_report import TriedReading, Without
from melm_studio.scores import PermutationP, Rows, Verdict, answer_given, of_made_labels
from melm_studio.tables import (
    EACH_WAY,
    LabeledData,
    ReadOptions,
    Use,
    answered_options,
    is_made_of_features,
    kept_twins,
    listed,
    prepare,
    read_table,
    readings,
    shortened,
    twin_notes,
    without_columns,
)

N_PERMUTATIONS = 199
_EPILOG = """\
--coordinates judges columns that somebody's program drew, such as the x and y of a UMAP. The map is
taken as it is, so that the answer is never a plain yes. --estimator judges a program, refitted in
folds: an object, or a function without arguments, of a Python module in this folder or installed,
such as pictures:reducer. --refit judges a method of the studio instead, such as umap or
supervised_umap, in the other columns. Each of these together with --coordinates compares the two.

Exit codes: 0 answered; 2 the table or an option is refused.
"""


def add_audit_parser(commands: Any) -> None:
    """Add the command to those of `melm-studio`."""
    parser = commands.add_parser(
        "audit",
        help="is a map, or what an estimator finds in a table, real?",
        description="Answer 'is it real?' of a map or of any scikit-learn estimator.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_table_options(parser)
    parser.add_argument(
        "--coordinates", nargs="+", default=[], metavar="COLUMN", help="columns of a map"
    )
    parser.add_argument(
        "--labels-unused",
        action="store_true",
        help="the map was certainly made without the labels: its answer may be yes",
    )
    parser.add_argument(
        "--estimator", metavar="MODULE:OBJECT", help="a transformer, classifier or pipeline"
    )
    parser.add_argument(
        "--refit",
        metavar="METHOD",
        choices=list(METHODS),
        help="a method that may have made the map, such as umap or supervised_umap",
    )
    parser.add_argument(
        "--groups", metavar="COLUMN", help="column of what rows depend on, such as the patient"
    )
    parser.add_argument(
        "--permutations",
        type=int,
        default=N_PERMUTATIONS,
        help="shuffles of the labels (default: %(default)d)",
    )
    parser.add_argument("--json", action="store_true", help="print the numbers, too")
    parser.set_defaults(command=audit_table)


def audit_table(options: argparse.Namespace, unknown: Sequence[str]) -> int:
    """Audit, print the results, and return the exit code."""
    if unknown:
        print(
            f"melm-studio audit has no {unknown[0]}. Type: melm-studio audit --help",
            file=sys.stderr,
        )
        return REFUSED
    try:
        audits = dict(_audits(options))
    except UserError as error:
        print(f"melm-studio audit: {error}", file=sys.stderr)
        return REFUSED
    if options.json:
        print(json.dumps(audits, indent=2))
    return DONE


def _audits(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Audit the map and the estimators; print each as soon as it is done."""
    if not options.coordinates and not options.estimator and not options.refit:
        raise UserError(
            "Say what to judge: --coordinates x y for columns of a map, --estimator "
            "module:object for a program, or --refit METHOD for a method of the studio."
        )
    estimators = dict(_estimators(options))
    data = _data(options)
    for question in data.open_questions:
        print_question(question)
    if options.coordinates:
        yield (
            "coordinates",
            _judged("Map", data, options, partial(_of_map, options), is_refitted=False),
        )
    for key, (name, estimator) in estimators.items():
        try:
            audit = _judged(name, data, options, partial(_of_estimator, options, estimator))
        except ValueError as error:  # of the estimator, such as that it takes no missing values
            raise UserError(f"{name} cannot be judged: {error}") from error
        yield key, audit


# Given rows, shuffles at most, and a callback.
_Judge: TypeAlias = Callable[[LabeledData, int, Callable[[Audit], bool]], Audit]


def _of_map(options: argparse.Namespace, data: LabeledData, n: int, callback: Any) -> Audit:
    return audit_coordinates(
        _columns(data, options.coordinates),
        data.y,
        data.groups,
        labels_unused=options.labels_unused,
        n_permutations=n,
        random_state=options.seed,
        callback=callback,
    )


def _of_estimator(
    options: argparse.Namespace, estimator: Any, data: LabeledData, n: int, callback: Any
) -> Audit:
    X = _features(data, options.coordinates)
    return audit(estimator, X, data.y, data.groups, n, options.seed, callback=callback)


def _judged(
    name: str,
    data: LabeledData,
    options: argparse.Namespace,
    judge: _Judge,
    *,
    is_refitted: bool = True,
) -> dict[str, Any]:
    """Audit with every reading of rows that may belong together, and print it."""
    ways = readings(data)
    n_shuffles = shuffles_of_each(options.permutations, 1 + len(ways))
    with _Progress(options) as progress:
        audit = judge(data, n_shuffles, progress.show)
    tried: list[TriedReading] = []
    is_yes = audit.answer in TOLD_APART and not data.open_questions
    for reading in ways if is_yes else ():
        kept_together = judge(reading.data, n_shuffles, lambda _: False)
        p = PermutationP(
            kept_together.p_value, kept_together.n_permutations, kept_together.n_exceeding
        )
        score = Score(kept_together.share, kept_together.standard_error)
        tried.append(record_of(reading, kept_together.answer or Answer.UNKNOWN, p, score))
        if kept_together.answer not in TOLD_APART:
            break
    left = tuple(_left_without(audit, data, judge)) if is_refitted else ()
    return _printed(name, audit, tried, data, left)


def _left_without(audit: Audit, data: LabeledData, judge: _Judge) -> Iterator[Without]:
    """Yield the separation without the columns that say the same as the label."""
    names = kept_twins(data.questions)
    if not names or audit.answer not in TOLD_APART:
        return
    what, chance = listed([shortened(name) for name in names]), 1.0 / len(data.class_names)
    try:
        without = judge(without_columns(data, names), 1, lambda _: False)
    except UserError:  # there is no other feature
        yield Without(what, chance, 0.0, is_one=len(names) == 1)
        return
    yield Without(what, without.share, without.standard_error, is_one=len(names) == 1)


def _estimators(options: argparse.Namespace) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield what is to be refitted, by its key among the numbers: its name, and itself."""
    if options.estimator:
        yield "estimator", (options.estimator, estimator_named(options.estimator))
    if options.refit:
        method = METHODS[options.refit]
        if install := missing_package(method.key):
            raise UserError(f"{method.label} needs a package that is not installed: {install}")
        steps = (SimpleImputer(strategy="median"), StandardScaler(), method.estimator({}))
        yield "refit", (f"{method.label}, refitted", make_pipeline(*steps))


def _data(options: argparse.Namespace) -> LabeledData:
    roles = dict.fromkeys(options.coordinates, Use.FEATURE)
    if options.groups:
        roles[options.groups] = Use.GROUP
    answers = dict(options.answer)
    reading = answered_options(answers, ReadOptions())
    table = read_table(table_in(options.table), options.table.name, options=reading)
    return prepare(table, options.label, roles=roles, answers=answers)


def _columns(data: LabeledData, names: Sequence[str]) -> FloatArray:
    """Return the numbers of some features, of which none may be missing."""
    listed_names = list(data.feature_names)
    missing = [name for name in names if name not in listed_names]
    if missing:
        raise UserError(
            f"The table has no column of numbers named {missing[0]!r}. It has "
            f"{', '.join(listed_names)}."
        )
    numbers: FloatArray = data.unprepared[:, [listed_names.index(name) for name in names]]
    n_missing = int(np.isnan(numbers).any(axis=1).sum())
    if n_missing:
        raise UserError(
            f"{n_missing:,} rows have no place in the map: a coordinate is missing. Leave them out."
        )
    return numbers


def _features(data: LabeledData, coordinates: Sequence[str]) -> FloatArray:
    """Return the numbers of all other features; nan where one is missing."""
    others = [i for i, name in enumerate(data.feature_names) if name not in coordinates]
    if not others:
        raise UserError("The table has no features besides the coordinates to fit anything to.")
    features: FloatArray = data.unprepared[:, others]
    return features


def estimator_named(name: str) -> Any:
    """Import an object of a module in the current folder or installed; call a factory.

    Raises
    ------
    UserError
        If there is none; says which part of the name was not found.
    """
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise UserError(f"--estimator {name} must be module:object, such as pictures:reducer.")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        estimator = getattr(import_module(module_name), attribute)
    except ImportError as error:
        raise UserError(
            f"--estimator {name}: {error}. Start it in the folder of the module, or install it."
        ) from error
    except AttributeError as error:
        raise UserError(f"--estimator {name}: {module_name} has no {attribute}.") from error
    is_made = isinstance(estimator, type) or not hasattr(estimator, "fit")
    return estimator() if is_made and callable(estimator) else estimator


def _printed(
    name: str,
    audit: Audit,
    tried: Sequence[TriedReading],
    data: LabeledData,
    left: tuple[Without, ...],
) -> dict[str, Any]:
    verdict = msgspec.structs.replace(_verdict(audit, tried, data), without=left)
    sentence = " ".join(filter(None, (verdict.sentence, audit.remark)))
    print(f"{name}: {sentence}")
    for question in verdict.questions:
        if question.default == EACH_WAY:
            print_question(question)
    notes = (*twin_notes(data.questions), *audit.notes)
    for note in notes:
        print(f"  {note}")
    return {
        "answer": str(verdict.answer),
        "share": audit.share,
        "standard_error": audit.standard_error,
        "share_train": audit.share_train,
        "chance": audit.chance,
        "p_value": verdict.p and verdict.p.value,
        "n_permutations": verdict.p and verdict.p.n_permutations,
        "readings": msgspec.to_builtins(tried),
        "without": msgspec.to_builtins(left),
        "sentence": sentence,
        "notes": list(notes),
    }


def _verdict(audit: Audit, tried: Sequence[TriedReading], data: LabeledData) -> Verdict:
    """Return the verdict as on the page: while the table has questions, nothing is a plain yes."""
    verdict = Verdict(
        answer=audit.answer,
        rows=Rows.FOLDS,
        share=audit.share,
        n_classes=audit.n_classes,
        share_train=audit.share_train,
        standard_error=audit.standard_error,
        p=PermutationP(audit.p_value, audit.n_permutations, audit.n_exceeding),
        within=data.compared_within,
    )
    if audit.answer is None:
        return verdict
    given = answer_given(audit.answer, data.open_questions)
    asked = data.open_questions if given is not audit.answer else ()
    if given in TOLD_APART:
        given, asked = agreed(given, tried, data.suspicions)
    judged: list[Audit | TriedReading] = [audit, *([] if asked else tried)]
    of_all = [
        PermutationP(each.p_value or 0.0, each.n_permutations, each.n_exceeding) for each in judged
    ]
    p = max(of_all, key=lambda each: each.value)
    verdict = msgspec.structs.replace(
        verdict, answer=given, questions=asked, readings=tuple(tried), p=p
    )
    return of_made_labels(verdict) if is_made_of_features(data.questions) else verdict


class _Progress:
    """The first words once the folds are done, then a bar over the shuffles."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._bar = tqdm(total=options.permutations, disable=options.quiet, leave=False)

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, audit: Audit) -> bool:
        """Show how far it is; never ends the audit."""
        if not audit.n_permutations and not self._bar.disable:
            self._bar.clear()
            print(f"{audit.sentence} Shuffling the labels.", file=sys.stderr)
        self._bar.n = audit.n_permutations
        self._bar.refresh()
        return False
