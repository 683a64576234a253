"""Refits of the method of a run to fewer and fewer features, in folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from melm_core.answers import guessing_gives
from melm_core.base import UserError, percent
from melm_core.diagnostics import WinnerShare
from melm_core.evaluation import SparsePath, Study, sparse_path
from melm_core.folds import sampled_rows
from melm_core.methods import GAMMA, METHODS
from melm_studio.analyses import charts, content
from melm_studio.analyses.analysis import (
    CLASSES,
    Analysis,
    DataShape,
    Section,
    Subject,
    Table,
    Work,
    chosen,
    demand,
)
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.record import Record
from melm_studio.runs.execution.rows import resampled_rows, split_of, study_of
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import Rows, Verdict
from melm_studio.tables import LabeledData, count, number

N_FOLDS, N_REPEATS = 5, 3
MOST_ROWS = 2_000  # of larger tables, a sample
MOST_NAMED = 60

_MOST_NAMED_IN_ROW = 12

_NONLINEAR = "{method} is nonlinear, so nothing says what its features are worth. Run a linear one."
_BLIND = (
    "This run is blind to the batch, and leaving features out is not. Run the method with a batch "
    "weight of 0."
)
_ALL_USED = "The plane needs all of the features: the table has {n}, and the plane {components}."


class SparseSize(Record, frozen=True):
    """Planes of one number of features.

    Attributes
    ----------
    n_features : int
    train, held_out : float
        Balanced accuracy of the class densities, mean over the refits.
    standard_error : float
        Of the latter, over the refits; 0 after the first of them.
    selected : tuple of int
        The features that most refits keep, the most frequent first.
    frequencies : tuple of float
        Share of the refits that keep each of them.
    """

    n_features: int
    train: float
    held_out: float
    standard_error: float
    selected: tuple[int, ...]
    frequencies: tuple[float, ...]


class ChosenSize(Record, frozen=True):
    """The share of the size that suffices, without the luck of having been chosen.

    Attributes
    ----------
    share, standard_error : float
        Balanced accuracy of held-out rows that took no part in the choice, of `WinnerShare`.
    n_choices : int
        Sizes that it was chosen among.
    """

    share: float
    standard_error: float
    n_choices: int


class SparseReport(Record, frozen=True):
    """The path of fewer and fewer features so far.

    Attributes
    ----------
    sizes : tuple of SparseSize
        All features first.
    sufficient : int
        The fewest features within one standard error of the most accurate size; 0 until all refits
        are done.
    chosen : ChosenSize or None
        Of the features that suffice; None until all refits are done, and where a class has too
        few rows or groups for the choice to be repeated.
    n_classes : int
    n_refits, n_all : int
        Refits so far, and how many there will be.
    n_rows, n_training : int
        Rows that were used, and training rows of the run; more where it is a sample.
    """

    sizes: tuple[SparseSize, ...] = ()
    sufficient: int = 0
    chosen: ChosenSize | None = None
    n_classes: int = 0
    n_refits: int = 0
    n_all: int = 0
    n_rows: int = 0
    n_training: int = 0


class Sparse(Analysis[SparseReport]):
    """Analysis of how few features suffice."""

    report = SparseReport
    name = "sparse"
    title = "How few features suffice?"
    tab = "features"
    again = "Search again"
    needs = (CLASSES, "linear")

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        method, n_components = METHODS[record.method], record.parameters.n_components
        if not method.is_linear:
            return _NONLINEAR.format(method=method.label)
        if record.batch_weight > 0:
            return _BLIND
        if 0 < record.n_features <= n_components:
            return _ALL_USED.format(
                n=count(record.n_features, "feature"), components=count(n_components, "component")
            )
        return ""

    def compute(self, work: Work) -> None:
        """Cross-validate planes of fewer and fewer features."""
        record = work.record
        # Without those that the run holds out, which so can judge a run on the features kept.
        train, _ = split_of(work.data, record)
        sample = sampled_rows(train.y, MOST_ROWS, train.groups)
        fixed = {GAMMA.name: record.gamma}
        study = study_of(train, record, sample, rows=resampled_rows, fixed=fixed)

        def after_fold(path: SparsePath, n_all: int) -> None:
            report = replace(_report(path, n_all), n_rows=len(sample), n_training=len(train.y))
            if report.sufficient:
                report = _chosen(report, path, study)
            work.put(report.to_bytes())

        sparse_path(
            study,
            gamma=record.density_gamma,
            n_folds=N_FOLDS,
            n_repeats=N_REPEATS,
            callback=after_fold,
        )

    def progress(self, report: SparseReport) -> tuple[float, str]:
        return report.n_refits / max(1, report.n_all), ""

    def sentence(self, report: SparseReport, *, is_final: bool) -> str:
        """Say how few features suffice, with the shares in cross-validation and guessing."""
        if not report.sizes:
            return "No fold yet." if is_final else "Leaving features out in the first fold."
        every = report.sizes[0]
        guessing = guessing_gives(report.n_classes)
        if not report.sufficient:
            return (
                f"{report.n_refits} of {count(report.n_all, 'fold')} so far. All "
                f"{number(every.n_features)} features: {_share(every)} in cross-validation; "
                f"{guessing}."
            )
        enough = next(size for size in report.sizes if size.n_features == report.sufficient)
        verdict = chosen_verdict(report, enough)
        in_folds = f"in cross-validation: {verdict.share_words}"
        if not verdict.is_clear:
            return (
                f"No number of features is clearly better than guessing, {in_folds} for "
                f"{number(enough.n_features)} of {number(every.n_features)}; {guessing}."
            )
        if enough is every:
            return f"All {number(every.n_features)} features are needed {in_folds}; {guessing}."
        return (
            f"{number(enough.n_features)} of {number(every.n_features)} features suffice "
            f"{in_folds}; with all, {_share(every)}; {guessing}."
        )

    def shown(
        self, report: SparseReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        shown = []
        if report.sizes:
            figure = sparse_figure(report, chosen(query, "scheme", Scheme.LIGHT))
            shown.append(content.plot(figure, self.sentence(report, is_final=subject.is_final)))
        if report.sufficient:
            shown += _size_blocks(report, subject, query.get("size", ""))
        return {"content": [*shown, content.notes([sparse_note(report)])]}

    def section(self, report: SparseReport, subject: Subject) -> Section | None:
        if not report.sizes:
            return None
        table = Table(
            "Balanced accuracy by number of features",
            ("Features", "Training", "Held out", "Kept most often"),
            tuple(_row(size, subject.feature_names) for size in reversed(report.sizes)),
            note="± is the standard error over the folds.",
        )
        return Section(
            "How few features suffice",
            sentences=(self.sentence(report, is_final=subject.is_final), sparse_note(report)),
            tables=(table,),
        )

    def validate(self, report: SparseReport, shape: DataShape) -> None:
        sizes = [size.n_features for size in report.sizes]
        demand(report.n_classes == shape.n_classes)
        demand(all(_is_size(size, shape.n_features) for size in report.sizes))
        demand(sizes == sorted(set(sizes), reverse=True) and sizes[:1] == [shape.n_features])
        demand(report.sufficient in (0, *sizes))
        demand(report.chosen is None or _is_chosen(report.chosen, len(sizes)))
        demand(0 <= report.n_refits <= report.n_all)


SPARSE = Sparse()


def _report(path: SparsePath, n_all: int) -> SparseReport:
    n_refits = len(path.held_out_accuracies)
    return SparseReport(
        sizes=tuple(_sizes(path)),
        sufficient=path.smallest_sufficient if n_refits == n_all else 0,
        n_classes=len(path.classes),
        n_refits=n_refits,
        n_all=n_all,
    )


def _chosen(report: SparseReport, path: SparsePath, study: Study) -> SparseReport:
    """Add the fewest features to a report, and their share corrected for the choice."""
    ascending = path.sizes[::-1]
    try:
        winner = WinnerShare.of(
            path.right[:, ::-1],
            study.rows.y,
            groups=study.rows.groups,
            rule="simplest",
            n_folds=N_FOLDS,
            random_state=study.random_state,
        )
    except UserError:  # too few rows or groups to set some aside
        return report
    size = ChosenSize(winner.share, winner.standard_error, winner.n_candidates)
    return replace(report, sufficient=int(ascending[winner.winner]), chosen=size)


def _sizes(path: SparsePath) -> Iterator[SparseSize]:
    several = len(path.held_out_accuracies) > 1
    for column, n_features in enumerate(path.sizes.tolist()):
        selected = path.selected(n_features)
        yield SparseSize(
            n_features=n_features,
            train=float(path.train_accuracies[:, column].mean()),
            held_out=float(path.held_out_accuracies[:, column].mean()),
            standard_error=path.held_out[column].standard_error if several else 0.0,
            selected=tuple(selected.tolist()),
            frequencies=tuple(path.frequencies[column, selected].tolist()),
        )


def _is_chosen(size: ChosenSize, n_sizes: int) -> bool:
    is_share = 0 <= size.share <= 1 and 0 <= size.standard_error < math.inf
    return is_share and size.n_choices == n_sizes


def _is_size(size: SparseSize, n_features: int) -> bool:
    shares = (size.train, size.held_out, *size.frequencies)
    return (
        1 <= len(size.selected) == size.n_features == len(size.frequencies)
        and all(0 <= feature < n_features for feature in size.selected)
        and all(0 <= share <= 1 for share in shares)
        and 0 <= size.standard_error < math.inf
    )


def chosen_verdict(report: SparseReport, enough: SparseSize) -> Verdict:
    """Return the verdict of the share of the features that suffice."""
    size = report.chosen
    return Verdict(
        rows=Rows.FOLDS,
        share=enough.held_out if size is None else size.share,
        n_classes=report.n_classes,
        share_train=enough.train,
        standard_error=enough.standard_error if size is None else size.standard_error,
        n_choices=len(report.sizes),
        choices="sizes",
        is_corrected=size is not None,
    )


def sparse_note(report: SparseReport) -> str:
    """Say how the sizes were scored, and what is too favorable about the chosen one."""
    is_sample = report.n_rows < report.n_training
    rows = f"{number(report.n_rows)} of the training rows" if is_sample else "the training rows"
    return (
        f"Cross-validation of {rows}: in each fold the features without which least is lost are "
        "left out step by step and the method is refitted. The band is one standard error over the "
        "folds; the fewest features within one standard error of the rows of the best are "
        "marked. As the folds chose "
        "them, their share in the figure is a little too high; that of the sentence is of rows "
        "that took no part in the choice. "
        "Rows that the run holds out take no part, so they can judge a run on these features."
    )


@dataclass(frozen=True)
class NamedSize:
    """A number of features that can be kept.

    Attributes
    ----------
    n_features : int
    words : str
        The balanced accuracy in cross-validation, with its standard error.
    names : tuple of str
        The features that most refits keep, at most `MOST_NAMED`.
    shares : tuple of str
        In how many refits each of them is kept.
    """

    n_features: int
    words: str
    names: tuple[str, ...]
    shares: tuple[str, ...]


def named_sizes(report: SparseReport, names: Sequence[str]) -> list[NamedSize]:
    """Return the sizes, fewest features first, with the features that they keep."""
    return [
        NamedSize(
            size.n_features,
            f"{count(size.n_features, 'feature')}: {_share(size)}",
            tuple(names[feature] for feature in size.selected[:MOST_NAMED]),
            tuple(f"in {percent(share)} of the folds" for share in size.frequencies[:MOST_NAMED]),
        )
        for size in reversed(report.sizes)
    ]


def _size_blocks(report: SparseReport, subject: Subject, wanted: str) -> list[content.Block]:
    """Show a size on a slider, from the fewest features, or the one that suffices."""
    sizes = named_sizes(report, subject.feature_names)
    numbers = [size.n_features for size in sizes]
    place = numbers.index(report.sufficient)
    if wanted.isdecimal() and int(wanted) < len(sizes):
        place = int(wanted)
    size = sizes[place]
    n_features, n_named = number(size.n_features), len(size.names)
    is_all = place == len(sizes) - 1  # the run itself
    blocks = [
        content.slider("size", "Number of features", [each.words for each in sizes], place),
        content.answer(size.words),
        content.new_run(
            f"Run on these {n_features} features",
            f"runs/{subject.record.run_id}/analyses/sparse/{size.n_features}",
            is_offered=not is_all,
        ),
        content.pairs("Features kept", [*zip(size.names, size.shares, strict=True)]),
    ]
    if size.n_features > n_named:
        blocks.append(content.notes([f"The first {n_named} of {n_features}."]))
    return blocks


def _share(size: SparseSize) -> str:
    return f"{100 * size.held_out:.1f} ± {100 * size.standard_error:.1f} %"


def _row(size: SparseSize, names: Sequence[str]) -> tuple[str, ...]:
    listed = ", ".join(names[feature] for feature in size.selected[:_MOST_NAMED_IN_ROW])
    more = ", …" if size.n_features > _MOST_NAMED_IN_ROW else ""
    held_out = f"{size.held_out:.3f} ± {size.standard_error:.3f}"
    return number(size.n_features), f"{size.train:.3f}", held_out, f"{listed}{more}"


def sparse_figure(report: SparseReport, scheme: Scheme = Scheme.LIGHT) -> dict[str, Any]:
    """Plot accuracy over the number of features, as a figure of plotly.

    Held out with a band of one standard error, training as a dashed line; guessing and the number
    that suffices are marked.

    Examples
    --------
    >>> sizes = tuple(SparseSize(n, 0.9, 0.8, 0.02, (0, 1), (1.0, 1.0)) for n in (4, 2))
    >>> figure = sparse_figure(SparseReport(sizes, n_classes=2))
    >>> [trace["name"] for trace in figure["data"][1:]]
    ['training', 'held-out folds']
    """
    theme, sizes = THEMES[scheme], report.sizes
    numbers = [size.n_features for size in sizes]
    guessing, sufficient = 1 / report.n_classes, report.sufficient
    lower = [size.held_out - size.standard_error for size in sizes]
    upper = [size.held_out + size.standard_error for size in sizes]
    train, held_out = [size.train for size in sizes], [size.held_out for size in sizes]
    color = theme.class_colors[0]
    data = [
        charts.band(numbers, lower, upper, color),
        charts.line(numbers, train, "training", color=theme.faint_ink, dash="dash"),
        charts.line(numbers, held_out, "held-out folds", color=color),
    ]
    layout = charts.layout(
        theme,
        xaxis=charts.axis(
            theme,
            "number of features",
            type="log",
            tickvals=numbers,
            ticktext=[number(each) for each in numbers],
        ),
        yaxis=charts.accuracies(theme),
        shapes=charts.across(
            theme, [(guessing, "dot")], up=[(sufficient, "dash")] if sufficient else []
        ),
        annotations=[charts.guessing_note(theme, guessing)],
        hovermode="x unified",
    )
    return {"data": data, "layout": layout}
