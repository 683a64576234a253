"""Compare all: every method on held-out rows of the same folds, best first, ties called ties.

It is about data rather than about a run, so no menu of a run offers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.diagnostics import WinnerShare
from melm_core.evaluation import Refits, Score, Study
from melm_core.folds import sampled_rows
from melm_core.methods import AUTO, BATCH_WEIGHT, COMPONENTS, GAMMA, METHODS, SEED
from melm_studio.analyses.analysis import Analysis, DataShape, Subject, Work, demand
from melm_studio.analyses.content import Block, file, notes, table
from melm_studio.configuration.messages import CHECK_STOPPED
from melm_studio.record import Record
from melm_studio.runs.execution.rows import judged_rows
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import ReportUnreadableError, RunStore
from melm_studio.scores import (
    Rows,
    Verdict,
    accuracy_text,
    guessing,
    is_level,
    ranking_sentence,
)
from melm_studio.tables import count

MOST_RANKED_ROWS = 1_000
MOST_SECONDS = 120.0  # for one method
# What authors of the methods compare with, and few look for.
RIVALS_OF_THE_PAPERS = frozenset({"cpca", "2epca", "ppca", "opca", "vca"})

_TOO_SLOW = f"Took longer than {MOST_SECONDS:.0f} s."
_FAILED = "Could not be fitted in every fold."


class RankedMethod(Record, frozen=True):
    """The scores of one method on the folds that all methods share.

    Attributes
    ----------
    method : str
        Key into `METHODS`.
    held_out : tuple of float
        Balanced accuracy of the held-out rows of each fold; empty if the method was not fitted.
    train : float
        Balanced accuracy of the training rows, averaged over the folds.
    seconds : float
        For all folds.
    refusal : str
        Why it was not fitted.
    batch : float or None
        Balanced accuracy of telling the batch of held-out rows within their class, averaged over
        the folds; None without batches.
    right : bytes
        A bit for each scored row: whether it is told apart while it is held out.
    share, standard_error : float
        Balanced accuracy of held-out rows, see `Refits.share`; 0 in reports of earlier versions.
    """

    method: str
    held_out: tuple[float, ...] = ()
    train: float = 0.0
    seconds: float = 0.0
    refusal: str = ""
    batch: float | None = None
    right: bytes = b""
    share: float = 0.0
    standard_error: float = 0.0

    @property
    def score(self) -> Score:
        """The share of held-out rows with its error."""
        if self.standard_error > 0.0:
            return Score(self.share, self.standard_error)
        return Score.over_refits(np.array(self.held_out))


class Winner(Record, frozen=True):
    """The best of several methods, and its share without the luck of having been chosen.

    Attributes
    ----------
    method : str
        Key into `METHODS`.
    share, standard_error : float
        Balanced accuracy of held-out rows that took no part in the choice, of `WinnerShare`.
    n_choices : int
        Methods that it was chosen among.
    """

    method: str
    share: float
    standard_error: float
    n_choices: int


class RankingReport(Record, frozen=True):
    """The methods that are scored so far.

    Attributes
    ----------
    methods : tuple of RankedMethod
        In the order in which they were scored.
    n_methods : int
        Number of methods to score.
    n_classes, n_rows : int
        Of the rows that are scored.
    current : str
        Key of the method at work; empty at the end.
    batch_chance : float or None
        The accuracy of guessing the batch; None without batches.
    winner : Winner or None
        None before two methods are scored, and where a class has too few rows or groups for the
        choice to be repeated.
    """

    methods: tuple[RankedMethod, ...] = ()
    n_methods: int = 0
    n_classes: int = 0
    n_rows: int = 0
    current: str = ""
    batch_chance: float | None = None
    winner: Winner | None = None


class Ranking(Analysis[RankingReport]):
    """All methods on the same data."""

    report = RankingReport
    name = "ranking"
    stopped = CHECK_STOPPED

    def compute(self, work: Work) -> None:
        """Score every method that fits the data.

        Methods that an earlier, interrupted comparison of the data has scored are not scored
        again.
        """
        _Comparison(work).run()

    def progress(self, report: RankingReport) -> tuple[float, str]:
        done = f"{len(report.methods)} of {report.n_methods} methods"
        stage = f"{done}, at work on {METHODS[report.current].label}" if report.current else ""
        return len(report.methods) / max(1, report.n_methods), stage

    def sentence(self, report: RankingReport, *, is_final: bool = True) -> str:
        """Summarize the ranking so far; empty without methods.

        Examples
        --------
        >>> folds = (0.9, 1.0, 0.9), (0.5, 0.6, 0.4)
        >>> methods = tuple(map(RankedMethod, ("lda", "pca"), folds))
        >>> winner = Winner("lda", 0.92, 0.03, n_choices=2)
        >>> RANKING.sentence(RankingReport(methods, 2, 2, winner=winner))
        'LDA tells most held-out rows apart in cross-validation: 92 ± 3 %, chosen among 2 \
methods; guessing gives 50 %.'
        """
        rows = ranked(report)
        if not rows:
            return ""
        first, ties = rows[0], [row.label for row in rows[1:] if row.is_tied]
        best = Verdict(
            rows=Rows.FOLDS,
            share=first.held_out,
            n_classes=report.n_classes,
            share_train=first.train,
            standard_error=first.standard_error,
            n_choices=len(rows),
            choices="methods",
            is_corrected=report.winner is not None,
        )
        sentence = ranking_sentence(first.label, best)
        if not ties or not best.is_clear:  # where none is better than guessing, none is the best
            return sentence
        return f"{sentence} It is tied with {count(len(ties), 'other method')}."

    def shown(
        self, report: RankingReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        content = [notes(refusals(report))]
        if ranked(report):
            content = [*_tables(report), file(f"runs/{subject.run.run_id}/ranking.csv"), *content]
        return {"content": content}

    def validate(self, report: RankingReport, shape: DataShape) -> None:
        scored = [method for method in report.methods if method.held_out]
        winner = report.winner
        demand(len({len(method.held_out) for method in scored}) <= 1)
        demand(all(len(method.held_out) > 1 for method in scored))
        demand(all(method.method in METHODS for method in report.methods))
        demand(not report.current or report.current in METHODS)
        demand(report.n_classes == shape.n_classes)
        demand(winner is None or winner.method in {method.method for method in scored})
        demand(winner is None or (0 <= winner.share <= 1 and winner.n_choices == len(scored)))


RANKING = Ranking()


def rankings_of(runs: Iterable[RunRecord], data_id: str) -> list[RunRecord]:
    """Return the comparisons of all methods on some data, oldest first."""
    return [run for run in runs if run.kind == RANKING.name and run.data_id == data_id]


class _TooSlowError(Exception):
    """A method exceeded its time."""


class _Comparison:
    """One comparison at work."""

    def __init__(self, work: Work) -> None:
        data, self._work = work.data, work
        sample = sampled_rows(data.y, MOST_RANKED_ROWS, data.groups)
        self._rows = judged_rows(data, sample)
        if data.batches is not None:  # of which every method says how well they are told apart
            self._rows |= {"nuisance": data.batches[sample]}
        self._n_features = data.X.shape[1]
        self._class_counts = data.class_counts
        n_classes = len(data.class_names)
        self._report = RankingReport(
            n_methods=len(_installed()), n_classes=n_classes, n_rows=len(sample)
        )

    def run(self) -> None:
        earlier = self._earlier()
        # Searches take longest, and the first results are wanted soon.
        for key in sorted(_installed(), key=lambda key: METHODS[key].streams):
            self._update(current=key)
            methods = (*self._report.methods, earlier.get(key) or self._scored(key))
            self._update(methods=methods, winner=self._winner(methods))
        self._update(current="")

    def _earlier(self) -> dict[str, RankedMethod]:
        """Return what earlier comparisons of the same data have scored."""
        store, record = self._work.store, self._work.record
        return {
            scored.method: scored
            for run in rankings_of(store.runs_of(record.owner), record.data_id)
            if run.run_id != record.run_id and run.parameters == record.parameters
            for scored in _readable(store, run.run_id).methods
            # Earlier versions had other folds and densities.
            if scored.refusal or scored.standard_error > 0.0
        }

    def _scored(self, key: str) -> RankedMethod:
        n_components = self._work.record.parameters.n_components
        n_features = self._n_features
        if refusal := METHODS[key].refusal(n_features, self._class_counts, n_components):
            return RankedMethod(key, refusal=refusal)
        began = self._work.clock.monotonic()
        try:
            refits = self._refits(key, began)
        except (UserError, np.linalg.LinAlgError) as error:
            return RankedMethod(key, refusal=str(error) or _FAILED)
        except _TooSlowError:
            return RankedMethod(key, refusal=_TOO_SLOW)
        if refits.n_folds < len(refits.folds):  # its folds are not those of the others
            return RankedMethod(key, refusal=refits.notes[-1])
        told, share = refits.nuisance, refits.share
        if told:
            self._update(batch_chance=float(np.mean([of_class.chance for of_class in told])))
        return RankedMethod(
            key,
            batch=float(np.mean([of_class.accuracy for of_class in told])) if told else None,
            held_out=tuple(refits.fold_shares.tolist()),
            train=refits.train_share.balanced_accuracy,
            seconds=self._work.clock.monotonic() - began,
            right=np.packbits(refits.right).tobytes(),
            share=share.balanced_accuracy,
            standard_error=share.standard_error,
        )

    def _refits(self, key: str, began: float) -> Refits:
        def after_fold(refits: Refits) -> None:
            self._work.give_way()
            if not refits.is_complete and self._work.clock.monotonic() - began > MOST_SECONDS:
                raise _TooSlowError

        return Refits.of(self._study(key), callback=after_fold)

    def _study(self, key: str) -> Study:
        shared = self._work.record.parameters.values
        parameters = {name: shared[name] for name in (COMPONENTS.name, SEED.name)}
        if METHODS[key].takes(GAMMA.name):  # chosen by inner folds of the training rows
            parameters[GAMMA.name] = AUTO
        if METHODS[key].takes(BATCH_WEIGHT.name):
            parameters[BATCH_WEIGHT.name] = BATCH_WEIGHT.default  # as on the page
        seed = shared[SEED.name]
        return Study(key, **self._rows, parameters=parameters, random_state=seed)

    def _winner(self, methods: Sequence[RankedMethod]) -> Winner | None:
        """Return the best method so far, with its share corrected for the choice."""
        scored = [method for method in methods if method.held_out]
        if len(scored) < 2:
            return None
        rows = self._study(scored[0].method).rows
        bits = np.stack([np.frombuffer(method.right, np.uint8) for method in scored])
        right = np.unpackbits(bits, axis=1, count=len(rows.y)).T
        try:
            winner = WinnerShare.of(
                right,
                rows.y,
                groups=rows.groups,
                n_folds=len(scored[0].held_out),
                random_state=self._work.record.parameters.random_state,
            )
        except UserError:  # too few rows or groups to set some aside
            return None
        key = scored[winner.winner].method
        return Winner(key, winner.share, winner.standard_error, winner.n_candidates)

    def _update(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._work.put(self._report.to_bytes())


def _readable(store: RunStore, run_id: str) -> RankingReport:
    """Return the report of an earlier comparison; a blank one if it cannot be read."""
    try:
        return RANKING.stored(store, run_id)
    except ReportUnreadableError:
        return RankingReport()


def _installed() -> list[str]:
    return [key for key, method in METHODS.items() if method.is_installed]


@dataclass(frozen=True)
class RankedRow:
    """A method in the ranking.

    Attributes
    ----------
    label : str
    held_out, standard_error, train : float
        Balanced accuracies, and the standard error of the first.
    is_tied : bool
        Whether its folds do not differ clearly from those of the first method.
    seconds : float
    batch : float or None
        Balanced accuracy of telling the batch of held-out rows within their class.
    chosen_among : int
        Of the first method, the number of methods; its `held_out` and `standard_error` are
        corrected for that choice. 1 of all others.
    """

    label: str
    held_out: float
    standard_error: float
    train: float
    is_tied: bool
    seconds: float
    batch: float | None = None
    chosen_among: int = 1


def ranked(report: RankingReport) -> list[RankedRow]:
    """Return the methods that were scored, best first.

    The first has the share of `Winner`, where there is one: those of the others are not chosen,
    so theirs may be larger. Two methods are tied where Compare calls two runs level: if the
    differences of their folds, which have the same rows, average at most two standard errors.
    """
    winner = report.winner
    scored = sorted(
        (method for method in report.methods if method.held_out),
        key=lambda method: (
            winner is None or method.method != winner.method,
            -method.score.balanced_accuracy,
        ),
    )
    rows = [_row(method, scored[0]) for method in scored]
    if winner is not None:
        rows[0] = RankedRow(
            **vars(rows[0])
            | {
                "held_out": winner.share,
                "standard_error": winner.standard_error,
                "chosen_among": winner.n_choices,
            }
        )
    return rows


def _row(method: RankedMethod, best: RankedMethod) -> RankedRow:
    folds, leading = np.array(method.held_out), np.array(best.held_out)
    score, behind = method.score, Score.over_refits(leading - folds)
    return RankedRow(
        label=METHODS[method.method].label,
        held_out=score.balanced_accuracy,
        standard_error=score.standard_error,
        train=method.train,
        is_tied=behind.balanced_accuracy < 0.0
        or is_level(behind.balanced_accuracy, behind.standard_error),
        seconds=method.seconds,
        batch=method.batch,
    )


def _tables(report: RankingReport) -> Iterator[Block]:
    """Return the ranking; methods far behind are folded away."""
    chance, rows = report.batch_chance, ranked(report)
    batch = () if chance is None else (f"batch, {guessing(chance)}",)
    head = ("Method", "held out", "training", *batch, "standing")
    rare = {METHODS[key].label for key in RIVALS_OF_THE_PAPERS if key in METHODS}
    cells: dict[bool, list[list[str]]] = {True: [], False: []}  # whether folded away
    for row in rows:
        is_first = row is rows[0]
        is_folded = row.label in rare and not (is_first or row.is_tied)
        cells[is_folded].append(_cells(row, is_first=is_first, has_batches=bool(batch)))
    yield table(head, cells[False])
    if folded := cells[True]:
        yield table(head, folded, folded=f"{count(len(folded), 'method')} from the papers")


def _cells(row: RankedRow, *, is_first: bool, has_batches: bool) -> list[str]:
    # Which so may have a smaller share than those below it.
    first = "first, less its luck" if row.chosen_among > 1 else "first"
    return [
        row.label,
        f"{accuracy_text(row.held_out)} ± {row.standard_error:.2f}",
        accuracy_text(row.train),
        *([accuracy_text(row.batch)] if has_batches else []),
        first if is_first else "tied" if row.is_tied else "",
    ]


def refusals(report: RankingReport) -> list[str]:
    """List the methods that were not scored, and why, a sentence each."""
    return [
        f"{METHODS[method.method].label}: {method.refusal}"
        for method in report.methods
        if method.refusal and method.method in METHODS
    ]
