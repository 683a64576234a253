"""Captions: titles, states and scores of runs as sentences, and their pictures in words.

A picture in words is for those who do not see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from melm_core.base import FloatArray, percent
from melm_core.methods import (
    AUTO,
    COMPONENTS,
    CURVED,
    CURVES,
    GAMMA,
    HELD_OUT,
    METHODS,
    SEED,
    SHARED,
    STARTS,
    STRAIGHT,
    Choice,
    Setting,
)
from melm_studio.configuration.messages import WAITS
from melm_studio.planes.features import PATH_SHARES
from melm_studio.planes.run_planes import RunPlanes
from melm_studio.planes.types import Arrows, PlaneView
from melm_studio.planes.view_options import DEFAULT_VIEW, MorphTarget, Shown, ViewOptions
from melm_studio.runs.records.parameters import usual_starts
from melm_studio.runs.records.run import PlaneEvent, RunRecord, RunState
from melm_studio.tables import count, map_columns, number, recipe_caption, shortened, told_apart

REPRODUCTION_TOLERANCE = 1e-9

SHAPES = {1: "line", 2: "plane", 3: "space"}  # by the number of components

STOPPING = "Stopping"
REPEATING = "Repeating the search up to where it was cut short"

_WORKER_GONE = "Its worker died, {}"
_OTHERS_TURN = "Waiting for other runs"
_TURNED = ("Horizontal direction", "Vertical direction")
MOST_PLACES = 8  # of more classes, only the nearest and the farthest are named
MOST_PAIRS = 3
MOST_FEATURES = 3
_NEAR_THE_MIDDLE = 0.25  # of the farthest class mean
_THIRD = "There is a third component, in depth: distances are those of all three."
_EIGHTH = np.pi / 4
_MIDDLE = len(PATH_SHARES) // 2
_DIRECTIONS = (
    "to the right", "above right", "above", "above left",
    "to the left", "below left", "below", "below right",
)  # fmt: skip


def objective_in_words(record: RunRecord) -> str:
    """Return what the curve of a run shows."""
    if record.batch_weight:
        return "divergence less that of batches"
    # A method without iterations is described by the divergence of its plane.
    return METHODS[record.method].maximizes or "divergence"


def title(record: RunRecord) -> str:
    """The name of a run: as the user gave it, else what matters to its method, as "MELM, γ 1"."""
    return record.name or ", ".join(
        [_label(record), *_shared_settings(record), *_own_settings(record), *_preparation(record)]
    )


def title_of_view(shown: Shown) -> str:
    """The title of a run, and that its plane was changed if the view shows another one."""
    return title_of_plane(shown.record, is_changed=shown.changes_plane)


def title_of_plane(record: RunRecord, *, is_changed: bool) -> str:
    """The title of a run, and whether the plane is another one than that of the run."""
    return f"{title(record)} (changed)" if is_changed else title(record)


def changes_of(options: ViewOptions, target: RunRecord | None = None) -> str:
    """Describe how a plane differs from that of its run, without a period; else empty.

    `target` is the run that the plane was morphed toward.
    """
    n_kept, n_moved = options.n_top_features, len({edit.feature for edit in options.edits})
    toward = f" of the way to {_target(options.morph, target)}" if target else ""
    changes = [
        *([] if n_kept is None else [f"{_top(n_kept)} only"]),
        *([f"{count(n_moved, 'arrow')} moved"] if n_moved else []),
        *([] if options.batch_weight is None else [f"batch weight {options.batch_weight:.3g}"]),
        *([_way(options.morph, toward)] if options.morph else []),
    ]
    return f"Plane was changed: {', '.join(changes)}" if changes else ""


def _target(morph: MorphTarget | None, target: RunRecord) -> str:
    is_tree = morph is not None and morph.plane is not None
    return "another plane of this run" if is_tree else title(target)


def _way(morph: MorphTarget, toward: str) -> str:
    if morph.plane is not None and morph.share == 1.0:
        return "another plane of this run"
    if morph.origin is not None:
        return "on the way to another plane of this run"
    return percent(morph.share) + toward


def _top(n_features: int) -> str:
    return "top feature" if n_features == 1 else f"top {number(n_features)} features"


def unique_title(record: RunRecord, others: Iterable[RunRecord]) -> str:
    """The title of a run, told apart from others that have it.

    Where those have other numbers of features it says its own, as "MELM, γ 1, 9 features", and so
    it does of the kernel width of the divergence, as "LDA, γ 1"; else it is numbered, as
    "MELM, γ 1 (2)".
    """
    records, wanted = list(others), title(record)
    taken = set(map(title, records))
    alike = [other for other in records if title(other) == wanted]
    if alike and not record.name:
        wanted = ", ".join([wanted, *_apart(record, alike)])
    numbered = (f"{wanted} ({n})" for n in range(2, len(taken) + 2))
    return next(name for name in [wanted, *numbered] if name not in taken)


def _apart(record: RunRecord, others: Iterable[RunRecord]) -> list[str]:
    """Describe how a run differs from others of its title, none of which is like it there."""
    sizes, widths = zip(*((other.n_features, other.gamma) for other in others), strict=True)
    is_sized = record.n_features not in {0, *sizes}
    has_width = not METHODS[record.method].takes(GAMMA.name) and record.gamma not in widths
    return [
        *([count(record.n_features, "feature")] if is_sized else []),
        *([f"γ {record.gamma:.3g}"] if has_width else []),
    ]


def _label(record: RunRecord) -> str:
    label = METHODS[record.method].label
    return label if record.parameters.init is None else f"{label} refined"


def _shared_settings(record: RunRecord) -> list[str]:
    """The kernel width, where the method uses it, and what differs from the defaults."""
    method, parameters = METHODS[record.method], record.parameters
    n_components, n_starts = parameters.n_components, parameters.n_init
    seed, held_out = parameters.random_state, 100 * parameters.held_out
    is_random = method.takes(SEED.name) or held_out > 0
    shows_starts = method.takes(STARTS.name) and parameters.init is None
    default = usual_starts(record.method, parameters.gamma)
    usual = (0, round(HELD_OUT.default))  # of small and of large tables
    return [
        *([f"γ {_gamma(record)}"] if method.takes(GAMMA.name) else []),
        *([count(n_components, "component")] if n_components != COMPONENTS.default else []),
        *_curves(record),
        *([count(n_starts, "start")] if shows_starts and n_starts != default else []),
        *([f"seed {seed}"] if is_random and seed != SEED.default else []),
        *([f"{held_out:.0f} % held out"] if round(held_out) not in usual else []),
    ]


def _curves(record: RunRecord) -> list[str]:
    """Say whether features bend, and whether the run chooses it."""
    curves = record.parameters.curves
    if curves != AUTO:
        return [] if curves == CURVES.default else [curves]
    if record.outcome.curves is None:
        return ["curves auto"]
    return [f"{CURVED if record.is_curved else STRAIGHT} (auto)"]


def _gamma(record: RunRecord) -> str:
    """The kernel width, and whether the run chooses it."""
    if record.parameters.gamma != AUTO:
        return f"{record.gamma:.3g}"
    return "auto" if record.chosen_gamma is None else f"{record.gamma:.3g} (auto)"


def _preparation(record: RunRecord) -> list[str]:
    """Deviations from the default preparation of the data."""
    scaled = [] if record.source.standardize else ["not standardized"]
    return [*recipe_caption(record.source.recipe), *scaled, *edited_rows(record)]


def edited_rows(record: RunRecord) -> list[str]:
    """Describe edits of rows: "only site A", "3 rows left out", "4 rows as odd"."""
    source = record.source
    n_left_out = len(source.left_out)
    return [
        *(row_filter.words for row_filter in source.filters),
        *([f"{count(n_left_out, 'row')} left out"] if n_left_out else []),
        *(
            f"{count(len(mark.rows), 'row')} as "
            f"{mark.value if mark.column == source.label else mark.column}"
            for mark in source.marks
        ),
    ]


def _own_settings(record: RunRecord) -> list[str]:
    """Settings of the method alone that differ from their defaults."""
    return [
        _setting_caption(setting, value)
        for setting in METHODS[record.method].parameters
        if setting.name not in SHARED
        and (value := record.parameters.own.get(setting.name, setting.default)) != setting.default
    ]


def _setting_caption(setting: Setting, value: Any) -> str:
    if isinstance(setting, Choice):
        return setting.options[value].lower()
    return f"{setting.label.lower()} {value:.3g}"


def kept_sentence(names: Sequence[str], share: float, *, is_chosen_held_out: bool = False) -> str:
    """The share of the divergence that a plane of these features alone keeps.

    It says so where held-out rows chose the features, whose own share is then a little too high.
    """
    *others, last = names
    listed = f"{', '.join(others)} and {last}" if others else last
    reservation = "; the held-out rows chose them" if is_chosen_held_out else ""
    return f"{listed} alone keep {percent(share)} of the divergence{reservation}."


def reproduced_sentence(expected: float, divergence: float) -> tuple[bool, str]:
    """Return whether a divergence is equal to that of a shared view, with a sentence about it."""
    difference = abs(divergence - expected)
    if difference <= REPRODUCTION_TOLERANCE * max(1.0, abs(expected)):
        return (
            True,
            f"Reproduced: divergence {divergence:.5g}, equal to within {REPRODUCTION_TOLERANCE:g}.",
        )
    values = f"divergence {divergence:.5g} here and {expected:.5g} in the shared view"
    return False, f"Not reproduced: {values}, a difference of {difference:.2g}."


def sample_caption(n_drawn: int, n_all: int) -> str:
    """Name the rows of a registered table that points and densities of a view are of.

    Parameters
    ----------
    n_drawn : int
        Rows of the sample.
    n_all : int
        Rows that the densities count; 0 if they are those of the sample, too.

    Examples
    --------
    >>> sample_caption(20_000, 1_000_000)
    '20,000 points, densities of all 1,000,000 rows'
    """
    points = count(n_drawn, "point")
    if not n_all:
        return f"{points}, densities of these only"
    return f"{points}, densities of all {count(n_all, 'row')}"


def surface_caption(summary: str, cautions: Sequence[str], n_fitted: int, n_train: int) -> str:
    """The summary of a decision surface, and how many rows it was fitted to, unless to all."""
    is_subset = n_fitted != n_train
    rows = [f"Fitted to {number(n_fitted)} of {number(n_train)} rows"] if is_subset else []
    return ". ".join([summary, *rows, *cautions])


def state_sentence(record: RunRecord, event: PlaneEvent | None, n_ahead: int = 0) -> str:
    """The progress of a run, with figures of its newest plane if there is one.

    `n_ahead` runs are to be done before a queued one.
    """
    if record.state is RunState.QUEUED:
        waiting = f"Waiting: {count(n_ahead, 'run')} ahead" if n_ahead else WAITS.capitalize()
        return _WORKER_GONE.format(waiting.lower()) if record.n_losses else waiting
    if record.state is RunState.RUNNING and record.gave_way_s is not None:
        return _OTHERS_TURN if event is None else f"{_OTHERS_TURN}, {_progress(event)}"
    if record.state is RunState.RUNNING:
        return _beginning(record) if event is None else _going_on(event)
    if record.state is RunState.PAUSED:
        return "Paused" if event is None else f"Paused, {_progress(event)}"
    if record.state is RunState.DONE and event is not None:
        return _finished(record, event)
    return record.message


def _going_on(event: PlaneEvent) -> str:
    """The progress of a run at work; its last plane ended it once if it is continued."""
    return REPEATING if event.is_final else _progress(event).capitalize()


def _beginning(record: RunRecord) -> str:
    if record.parameters.gamma != AUTO:
        features = f", {count(record.n_features, 'feature')}" if record.n_features else ""
        return f"Computing the first plane{features}"
    n_done = record.outcome.gamma_path.n_folds if record.outcome.gamma_path else 0
    return f"Choosing γ by inner folds, {n_done} done" if n_done else "Choosing γ by inner folds"


def _progress(event: PlaneEvent) -> str:
    rate = event.n_evaluations / max(event.elapsed_s, 1e-3)
    pace = f"{event.elapsed_s:.1f} s, {number(round(rate))} evaluations per second"
    return f"{event.stage}, {pace}, best {event.best_objective:.3f}"


def _finished(record: RunRecord, event: PlaneEvent) -> str:
    if not METHODS[record.method].streams:
        notes = ", ".join([*_curves_found(record), *_fitted_to(record)])
        notes = notes[:1].upper() + notes[1:]
        said = [notes, *_embedded(record), METHODS[record.method].caution]
        return ". ".join(filter(None, said))
    counts = [count(event.n_evaluations, "evaluation"), f"{event.elapsed_s:.1f} s"]
    if METHODS[record.method].takes(STARTS.name):
        counts.insert(0, _starts(record))
    counts += _curves_found(record)
    if record.outcome.gamma_path:
        counts.append(f"γ {record.gamma:.3g} chosen by inner folds")
    return ", ".join([*counts, *_fitted_to(record)])


def _curves_found(record: RunRecord) -> list[str]:
    """Describe what inner folds found of bent features, where the run was to choose."""
    curves = record.outcome.curves
    if curves is None or not METHODS[record.method].uses_labels:
        return []
    verdict = "features bend" if curves.is_curved else "features stay straight"
    gain = f"{100 * curves.gain:+.0f} ± {100 * curves.standard_error:.0f} %"
    return [f"{verdict}: curves gain {gain} in inner folds"]


def _embedded(record: RunRecord) -> list[str]:
    """Count the rows that a map of neighbors was computed for, unless for all."""
    n_embedded, n_rows = record.outcome.n_embedded, record.outcome.n_training
    if not (n_embedded and n_rows):
        return []
    of_all = count(n_rows, "training row")
    return [f"{number(n_embedded)} of {of_all} are embedded, the others placed among them"]


def _fitted_to(record: RunRecord) -> list[str]:
    """Name the rows of a table that the plane is of, where only a sample of them is drawn."""
    if n_rows := record.outcome.n_rows:
        return [f"fitted to {count(n_rows, 'row')}"]
    return ["fitted to the sample"] if record.is_of_sample else []


def _starts(record: RunRecord) -> str:
    """The number of starts, and how many of them are known to agree on this plane."""
    outcome = record.outcome
    n_starts = record.parameters.n_init if outcome.n_starts is None else outcome.n_starts
    starts, n_agreeing = count(n_starts, "start"), outcome.n_agreeing
    if n_agreeing is None or n_starts == 1:
        return starts
    if n_agreeing == 1:
        return f"Best of {starts}; no other reached it"
    # Starts that were dropped before they converged are not known to agree.
    share = "all" if n_agreeing == n_starts else f"at least {n_agreeing} of"
    return f"Reached by {share} {starts}"


def axis_titles(planes: RunPlanes, shown: Shown, view: PlaneView) -> tuple[str, str]:
    """Return the titles of the horizontal and of the vertical axis of a view.

    The axes of a plane are named with the share of the variance of the training rows that they
    explain, after the preparation of the table. A nonlinear projection has no such share, and no
    components: its axes bear its name. Those of a map that came with the table have the names of
    its columns.
    """
    names = axis_names(shown.record, shown.options)
    if not METHODS[shown.record.method].is_linear:
        return names
    viewer = planes.viewer(shown.record)
    if viewer.is_map and (axes := map_columns(viewer.feature_names)):
        first, second = (viewer.feature_names[column] for column in axes.columns)
        return first, second
    first, *others = (
        f"{name}, {percent(share)} of variance"
        for name, share in zip(names, view.explained, strict=False)
    )
    return first, others[0] if others else names[1]


def axis_names(record: RunRecord, options: ViewOptions = DEFAULT_VIEW) -> tuple[str, str]:
    """Return the names of the axes, whatever variance the plane has."""
    if record.parameters.n_components == 1:
        names = "Component 1", "Density"
    elif options.view_angle != DEFAULT_VIEW.view_angle:
        names = _TURNED
    else:
        names = "Component 1", "Component 2"
    method = METHODS[record.method]
    if method.is_linear:
        return names
    first, second = (name.replace("Component", method.label) for name in names)
    return first, second


def picture_in_words(
    view: PlaneView,
    class_names: Sequence[str],
    overlap: FloatArray | None,
    n_components: int,
    in_space: tuple[PlaneView, PlaneView] | None = None,
) -> str:
    """Return where the classes lie, how far apart, which of them overlap, and what separates them.

    Parameters
    ----------
    view : PlaneView
    class_names : sequence of str, (n_classes,)
    overlap : ndarray of shape (n_classes, n_classes) or None
        Shares of the unseen rows of each pair of classes that are taken for each other, see
        `melm_core.evaluation.Refits.overlap`; None where they are not known.
    n_components : int
    in_space : tuple of PlaneView, optional
        Of three components, the view from the front and that of which the first coordinate is the
        third.

    Returns
    -------
    str
        Distances are those between class means, in standard deviations of the two classes along
        the line between them, with equal weight for both; of held-out rows where each class has
        some, which the plane has not drawn apart.
    """
    names = told_apart(class_names)
    rows = [_finite(points[:, : min(n_components, 2)]) for points in _drawn(view)]
    space = rows
    if in_space is not None:
        pairs = zip(*map(_drawn, in_space), strict=True)
        space = [_finite(np.column_stack([points, beside[:, :1]])) for points, beside in pairs]
    sentences: list[str] = []
    if len(names) > 1:
        sentences += [*_places(names, rows), *_distances(names, space), *_mixed(names, overlap)]
    if in_space is not None:
        sentences.append(_THIRD)
    return " ".join([*sentences, *_features(view.arrows)])


def _drawn(view: PlaneView) -> list[FloatArray]:
    """The rows of each class that the words are about."""
    has_held_out = all(len(shown.held_out) > 1 for shown in view.classes)
    return [shown.held_out if has_held_out else shown.train for shown in view.classes]


def _finite(rows: FloatArray) -> FloatArray:
    return rows[np.isfinite(rows).all(axis=1)]


def distance(first: FloatArray, second: FloatArray) -> float:
    """Return how far two classes are apart, in their standard deviations along that line.

    Parameters
    ----------
    one, other : ndarray of shape (n_rows, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_studio.planes.captions import distance
    >>> square = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    >>> float(distance(square, square + [3.0, 0.0]))
    3.0
    """
    between = second.mean(axis=0) - first.mean(axis=0)
    length = float(np.linalg.norm(between))
    if length == 0.0:
        return 0.0
    spread = np.sqrt(np.mean([np.var(rows @ (between / length)) for rows in (first, second)]))
    return float(np.divide(length, spread)) if spread > 0 else np.inf


def _places(names: Sequence[str], rows: Sequence[FloatArray]) -> Iterator[str]:
    if len(names) > MOST_PLACES:
        yield f"{len(names)} classes."
        return
    means = np.stack([points.mean(axis=0) for points in rows])
    if means.shape[1] == 1:
        order = np.argsort(means[:, 0])
        yield f"From left to right: {', '.join(names[i] for i in order)}."
        return
    offsets = means - means.mean(axis=0)
    lengths = np.linalg.norm(offsets, axis=1)
    places = [
        f"{name} lies {_direction(offset)}"
        if length > _NEAR_THE_MIDDLE * lengths.max()
        else f"{name} lies in the middle"
        for name, offset, length in zip(names, offsets, lengths, strict=True)
    ]
    yield f"{', '.join(places)}."


def _direction(offset: FloatArray) -> str:
    angle = float(np.arctan2(offset[1], offset[0]))
    return _DIRECTIONS[round(angle / _EIGHTH) % len(_DIRECTIONS)]


def _distances(names: Sequence[str], rows: Sequence[FloatArray]) -> Iterator[str]:
    apart = sorted(
        (distance(rows[first], rows[second]), first, second)
        for first, second in combinations(range(len(names)), 2)
    )
    if len(apart) == 1:
        yield f"Their means are {_deviations(apart[0][0])} apart."
        return
    (near, *nearest), (far, *farthest) = apart[0], apart[-1]
    closest, widest = (" and ".join(names[i] for i in pair) for pair in (nearest, farthest))
    yield (
        f"Nearest to each other are {closest}, {_deviations(near)} apart; farthest are {widest}, "
        f"{_deviations(far)}."
    )


def _deviations(length: float) -> str:
    return f"{length:.1f} standard deviations" if np.isfinite(length) else "without any spread"


def _mixed(names: Sequence[str], overlap: FloatArray | None) -> Iterator[str]:
    """The classes whose unseen rows are taken for each other most often."""
    if overlap is None:
        return
    mixed = sorted(
        (float(overlap[first, second]), first, second)
        for first, second in combinations(range(len(names)), 2)
    )
    pairs = [
        f"{names[first]} and {names[second]} ({percent(share)})"
        for share, first, second in mixed[::-1][:MOST_PAIRS]
        if share > 0
    ]
    if pairs:
        yield f"Held-out rows that are taken for each other: {', '.join(pairs)}."
    else:
        yield "No held-out row is taken for one of another class."


def _features(arrows: Arrows) -> Iterator[str]:
    ways = arrows.tips - arrows.origins
    if arrows.paths is not None and arrows.turns is not None:  # the way of both of their ends
        both = (arrows.paths[:, 0] + arrows.paths[:, -1]) / 2 - arrows.paths[:, _MIDDLE]
        ways = np.where(arrows.turns[:, None], both, ways)
    pointing = [
        f"{shortened(label)} {_direction(way)}"
        for label, way in zip(arrows.labels, ways, strict=True)
    ][:MOST_FEATURES]
    if pointing:
        yield f"What moves rows most: {', '.join(pointing)}."
