"""The picture of a plane in words, for those who do not see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from melm_core.base import FloatArray, percent
from melm_studio.planes.features import PATH_SHARES
from melm_studio.planes.types import Arrows, PlaneView
from melm_studio.tables import shortened, told_apart

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
    >>> from melm_studio.planes.picture_in_words import distance
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
    angle = np.arctan2(offset[1], offset[0])
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
