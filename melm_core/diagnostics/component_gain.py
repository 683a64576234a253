"""Gain of the second component of a plane over its best single direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.density import inverse_root
from melm_core.density.class_densities import ClassDensities
from melm_core.density.class_rules import DensityRule
from melm_core.diagnostics.held_out_rows import balanced_mean, row_scores

# Directions that are tried: every 15 degrees, and then halfway on both sides of the best, down to
# a degree.
_COARSE, _HALVINGS = 12, 4

# Training rows of each class by which a direction is chosen.
_MOST_ROWS = 500

# A gain below this is none in practice: the probability of a row's class rises by a factor 1.05.
_NEGLIGIBLE_NATS = 0.05


@dataclass(frozen=True, eq=False)
class ComponentGain:
    """Gain of a plane over its best direction, on held-out rows.

    Attributes
    ----------
    direction : ndarray of shape (2,)
        In the coordinates of the plane: points times this are on the best line.
    gain : float
        By how much the mean of log p(class) is higher in the plane, in nats a row.
    error : float
        Standard error of that paired difference.
    share_gain, share_error : float
        The same of the balanced share of rows that are told apart.

    Notes
    -----
    Log p(class) sees what a share does not: rows that are told rightly on the line, but surer in
    the plane. A gain that is not shown is none that these rows could show, unless `is_negligible`.
    It is of this plane: another one may have a better line in it.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import DensityRule
    >>> from melm_core.diagnostics import ComponentGain
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(800) % 2
    >>> X = rng.standard_normal((800, 2))
    >>> X[:, 0] += 2 * y
    >>> rule = DensityRule.of(X[:400], y[:400])
    >>> found = ComponentGain.of(rule, X[400:], y[400:])
    >>> found.adds, found.is_negligible
    (False, True)

    Few rows show neither:

    >>> found = ComponentGain(np.array([1.0, 0.0]), 0.08, 0.05, share_gain=0.04, share_error=0.05)
    >>> found.adds, found.is_negligible
    (False, False)
    """

    direction: FloatArray
    gain: float
    error: float
    share_gain: float
    share_error: float

    @classmethod
    def of(cls, rule: DensityRule, points: FloatArray, y: IntArray) -> Self:
        """Compare a plane with the best line in it on held-out rows.

        The line is the one on which training rows, each left out of the density of its class, have
        the highest mean of log p(class). Its densities are those of the plane, projected.

        Parameters
        ----------
        rule : DensityRule
            Of training rows in memory, in a plane.
        points : ndarray of shape (n_rows, 2)
            Held-out rows in the plane.
        y : ndarray of shape (n_rows,)
            Their class codes; at least two rows of every class.

        Raises
        ------
        UserError
            If a class has fewer than two held-out rows, or there are not two components.
        """
        counts = np.bincount(y, minlength=len(rule.classes.rows))
        if counts.min() < 2 or points.shape[1] != 2:
            raise UserError(
                f"Whether a second component adds anything is measured in two components, not "
                f"{points.shape[1]}, on at least 2 held-out rows of every class, not "
                f"{counts.min()}. Hold out more rows."
            )
        direction = _best_direction(rule)
        line = rule.project(direction[None])
        plane_scores, line_scores = (
            row_scores(rule, points, y),
            row_scores(line, points @ direction[:, None], y),
        )
        gain, error = balanced_mean(line_scores.losses - plane_scores.losses, y)
        share, share_error = balanced_mean(plane_scores.is_right - line_scores.is_right, y)
        return cls(direction, float(gain), float(error), float(share), float(share_error))

    @classmethod
    def mean(cls, parts: Sequence[ComponentGain], *, of_shared_rows: float = 1.0) -> Self:
        """Return the mean gain of several planes over their best directions.

        Parameters
        ----------
        parts : sequence of ComponentGain
            On rows that no two of them share; their planes lie alike, so that the first has the
            direction.
        of_shared_rows : float, default=1.0
            By which the errors grow, as planes that were fitted to the same rows vary together.

        Examples
        --------
        >>> import numpy as np
        >>> from melm_core.diagnostics import ComponentGain
        >>> parts = [ComponentGain(np.ones(2), gain, 0.03, 0.0, 0.01) for gain in (0.1, 0.3)]
        >>> found = ComponentGain.mean(parts)
        >>> round(found.gain, 2), round(found.error, 3)
        (0.2, 0.021)
        """
        gains = np.array([[part.gain, part.share_gain] for part in parts])
        errors = np.array([[part.error, part.share_error] for part in parts])
        gain, share_gain = gains.mean(axis=0).tolist()
        summed = np.sqrt(np.square(errors).sum(axis=0)) / len(parts)
        error, share_error = (of_shared_rows * summed).tolist()
        return cls(parts[0].direction, gain, error, share_gain, share_error)

    @property
    def adds(self) -> bool:
        """True if the second component adds something: a gain of more than two errors."""
        return self.gain > 2.0 * self.error

    @property
    def is_negligible(self) -> bool:
        """True if it adds nothing that matters: two errors above the gain are below 0.05 nats."""
        return self.gain + 2.0 * self.error < _NEGLIGIBLE_NATS


def _best_direction(rule: DensityRule) -> FloatArray:
    """The direction of least loss of training rows, each left out."""
    rows = [
        part[np.linspace(0, len(part) - 1, min(len(part), _MOST_ROWS)).astype(int)]
        for part in rule.classes.rows
    ]
    y = np.repeat(np.arange(len(rows)), list(map(len, rows)))
    points = np.concatenate(rows)
    root, _ = inverse_root(np.cov(points.T))
    few = replace(rule, classes=ClassDensities(tuple(rows), rule.classes.covariances))

    def loss(angle: float) -> float:
        axis = root @ np.array([np.cos(angle), np.sin(angle)])
        scores = row_scores(few.project(axis[None]), points @ axis[:, None], y, y)
        return float(balanced_mean(scores.losses, y)[0])

    step = np.pi / _COARSE
    least, best = min((loss(angle), angle) for angle in step * np.arange(_COARSE))
    for _ in range(_HALVINGS):
        step /= 2.0
        sides = ((loss(angle), angle) for angle in (best - step, best + step))
        least, best = min((least, best), *sides)
    axis = root @ np.array([np.cos(best), np.sin(best)])
    return np.asarray(axis / np.linalg.norm(axis))
