"""Importance of features: what a plane loses on held-out rows without each.

The length of an arrow says how far a feature moves a row, not whether that tells classes apart: of
rows that are many, a feature without any effect has a loading, too. What it is worth is what is
lost when its values are exchanged between held-out rows. In a plane that moves every row by the
loading times the change, so nothing is refitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import stats

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.sampling import stratified_sample
from melm_core.density.class_rules import PlaneRule
from melm_core.diagnostics.held_out_rows import RowScores, balanced_mean, row_scores

# Points at which densities are summed, of all features and classes together: some 0.2 to 2 s.
MOST_POINTS = 800_000

# Held-out rows that are scored, and how often the values of a feature are exchanged; of very many
# features fewer, but no fewer than these rows.
MOST_ROWS, MOST_EXCHANGES, FEWEST_ROWS = 4_000, 20, 60

# Points at a time, which bounds the memory.
BATCH_POINTS = 100_000

# Of features whose effect is said to be seen, at most this share has none (Benjamini, Hochberg).
FALSE_DISCOVERIES = 0.1


@dataclass(frozen=True, eq=False)
class Importance:
    """Loss without each feature, in the order of the features.

    Attributes
    ----------
    loss : ndarray of shape (n_features,)
        By how much the mean of -log p(class) grows, in nats a row.
    error : ndarray of shape (n_features,)
        Standard error of the loss, over rows.
    share_loss : ndarray of shape (n_features,)
        By how much the balanced share of rows that are told apart falls.
    n_rows : int
        Held-out rows that were scored.
    groups : ndarray of int, shape (n_features,), or None
        Equal for features that were exchanged together; None if each was on its own.

    Notes
    -----
    The loss says what a plane makes of a feature, not what another plane could: of two features
    that say the same, each may be worth little. A loss within its error may be that of a feature
    that matters, where rows are few: it is listed where its loss puts it, as not sure.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import DensityRule
    >>> from melm_core.diagnostics import Importance
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(800) % 2
    >>> X = rng.standard_normal((800, 3))
    >>> X[:, 0] += 2 * y
    >>> axes = np.array([[1.0, 0.1, 0.0], [0.0, 0.4, 0.9]])
    >>> rule = DensityRule.of(X[:400] @ axes.T, y[:400])
    >>> Importance.of(rule, axes, X[400:], y[400:]).is_seen
    array([ True, False, False])
    """

    loss: FloatArray
    error: FloatArray
    share_loss: FloatArray
    n_rows: int
    groups: IntArray | None = None

    @classmethod
    def of(
        cls,
        rule: PlaneRule,
        axes: FloatArray,
        X: FloatArray,
        y: IntArray,
        *,
        points: FloatArray | None = None,
        groups: IntArray | None = None,
        random_state: int = 0,
        most_points: int = MOST_POINTS,
    ) -> Self:
        """The importance of all features for telling the classes apart in a plane.

        Parameters
        ----------
        rule : PlaneRule
            Of training rows, in the coordinates of the plane.
        axes : ndarray of shape (n_components, n_features)
            By which a change of the features moves a row.
        X : ndarray of shape (n_rows, n_features)
            Held-out rows. Of many, an evenly spaced sample is scored.
        y : ndarray of shape (n_rows,)
            Their class codes; at least two rows of every class.
        points : ndarray of shape (n_rows, n_components), optional
            Where they are in the plane; by default X times the axes.
        groups : ndarray of int, shape (n_features,), optional
            Features with the same number are exchanged together, as the indicators of one column,
            and have the same loss.
        random_state : int
            Of the order in which rows exchange values.
        most_points : int
            At which densities are summed, of all features and classes together.

        Raises
        ------
        UserError
            If a class has fewer than two held-out rows.

        References
        ----------
        L. Breiman: Random Forests, Machine Learning 45, 2001, section 10; A. Fisher, C. Rudin,
        F. Dominici: All Models are Wrong, but Many are Useful, JMLR 20, 2019.
        """
        points = X @ axes.T if points is None else points
        n_classes = rule.log_densities(points[:1]).shape[1]
        counts = np.bincount(y, minlength=n_classes)
        if counts.min() < 2:
            raise UserError(
                f"A class has {counts.min()} held-out row(s), but at least 2 of every class are "
                "needed to say what a feature is worth. Hold out more rows."
            )
        n_features = axes.shape[1]
        units = (
            np.arange(n_features) if groups is None else np.unique(groups, return_inverse=True)[1]
        )
        n_units = int(units.max()) + 1
        most = most_points // len(counts)
        n_scored = min(MOST_ROWS, max(FEWEST_ROWS, most // n_units))
        sample = stratified_sample(y, n_scored / len(y), len(counts))
        X, y, points = X[sample], y[sample], points[sample]
        whole = row_scores(rule, points, y)
        order = np.argsort(units, kind="stable")
        columns = np.split(order, np.searchsorted(units[order], np.arange(1, n_units)))
        parts = np.stack([X[:, of_unit] @ axes[:, of_unit].T for of_unit in columns])
        partners = _partners(len(y), most // (n_units * len(y)), random_state)
        n_at_once = max(1, BATCH_POINTS // partners.size)
        losses = [
            _losses(
                rule,
                points,
                y,
                whole=whole,
                parts=parts[first : first + n_at_once],
                partners=partners,
            )
            for first in range(0, n_units, n_at_once)
        ]
        loss, error, share_loss = np.concatenate(losses, axis=1)[:, units]
        return cls(loss, error, share_loss, len(y), groups)

    @classmethod
    def mean(cls, parts: Sequence[Importance]) -> Self:
        """The importance over parts of the rows, each of which was scored by densities without it.

        Parameters
        ----------
        parts : sequence of Importance
            Of the same features and of different rows.

        Examples
        --------
        >>> import numpy as np
        >>> from melm_core.diagnostics import Importance
        >>> parts = [Importance(np.array([a]), np.ones(1), np.zeros(1), 50) for a in (1.0, 2.0)]
        >>> Importance.mean(parts).loss.tolist()
        [1.5]
        """
        weights = np.array([part.n_rows for part in parts], dtype=np.float64)
        weights /= weights.sum()
        loss = weights @ np.stack([part.loss for part in parts])
        share_loss = weights @ np.stack([part.share_loss for part in parts])
        error = np.sqrt(weights**2 @ np.stack([part.error for part in parts]) ** 2)
        n_rows = sum(part.n_rows for part in parts)
        return cls(loss, error, share_loss, n_rows, parts[0].groups)

    @property
    def is_seen(self) -> npt.NDArray[np.bool_]:
        """True where an effect of each feature is seen, at a false discovery rate of 10 %.

        Of features none of which has an effect, none is seen in nine of ten tables.
        """
        tails = stats.norm.sf(self.loss / np.where(self.error > 0.0, self.error, np.inf))
        tails[(self.error == 0.0) & (self.loss > 0.0)] = 0.0
        _, first, of_feature = np.unique(self.units, return_index=True, return_inverse=True)
        seen: npt.NDArray[np.bool_] = (
            stats.false_discovery_control(tails[first])[of_feature] <= FALSE_DISCOVERIES
        )
        return seen

    @property
    def units(self) -> IntArray:
        """Equal for features that were exchanged together, shape (n_features,)."""
        return np.arange(len(self.loss)) if self.groups is None else self.groups


def feature_order(lengths: FloatArray, worth: Importance | None) -> IntArray:
    """Every feature, that first without which most is lost.

    The order of lists, arrows, kept features and reports. Where nothing says what features are
    worth, as without held-out rows, it is that of the lengths of their arrows.

    Parameters
    ----------
    lengths : ndarray of shape (n_features,)
        Of the loadings in the coordinates in which the plane is drawn.
    worth : Importance or None

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import Importance, feature_order
    >>> lengths = np.array([0.1, 2.0, 1.0])
    >>> feature_order(lengths, None).tolist()
    [1, 2, 0]
    >>> worth = Importance(np.array([0.3, 0.0, 0.2]), np.full(3, 0.5), np.zeros(3), n_rows=99)
    >>> feature_order(lengths, worth).tolist()
    [0, 2, 1]
    """
    if worth is None:
        return np.argsort(-lengths, kind="stable")
    order: IntArray = np.lexsort([-lengths, -worth.loss])
    return order


def _losses(
    rule: PlaneRule,
    points: FloatArray,
    y: IntArray,
    *,
    whole: RowScores,
    parts: FloatArray,
    partners: IntArray,
) -> FloatArray:
    """Loss, its error and loss of the share of some units, shape (3, n_units).

    `parts`, (n_units, n_rows, n_components), are what the features of each add to the points.
    """
    moves = parts[:, partners] - parts[:, None]
    moved = (points + moves).reshape(-1, points.shape[1])
    scores = row_scores(rule, moved, np.tile(y, len(moved) // len(y)))
    losses, right = (
        each.reshape(moves.shape[:3]).mean(axis=1) for each in (scores.losses, scores.is_right)
    )
    loss, error = balanced_mean(losses - whole.losses, y)
    share_loss, _ = balanced_mean(whole.is_right - right, y)
    # A loss of rows that stay where they are would be rounding.
    return np.stack([loss, error, share_loss]) * moves.any(axis=(1, 2, 3))


def _partners(n_rows: int, most: int, random_state: int) -> IntArray:
    """The row whose value each row takes, of some exchanges; never its own."""
    order = np.random.default_rng(random_state).permutation(n_rows)
    n_exchanges = int(np.clip(most, 1, min(MOST_EXCHANGES, n_rows - 1)))
    partners = np.empty((n_exchanges, n_rows), dtype=np.int64)
    for number, step in enumerate(np.linspace(1, n_rows - 1, n_exchanges).astype(int)):
        partners[number, order] = np.roll(order, step)
    return partners
