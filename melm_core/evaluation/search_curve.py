"""Divergence of held-out rows along the search for a plane, in every fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.progress import Progress
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.class_overlap import held_out_divergence
from melm_core.melm.estimator import MELM
from melm_core.melm.objective import divergence

# Of the search, at whose ends the best plane so far is looked at.
N_PARTS = 20


@dataclass(frozen=True, eq=False)
class SearchCurve:
    """Held-out scores of the best plane so far while a search goes on.

    Attributes
    ----------
    fraction : ndarray of shape (n_parts,)
        Of the search; ascending, the last is 1.
    train, held_out : ndarray of shape (n_folds, n_parts)
        Divergence of the rows of the fit, and between these and the held-out rows, in nats.

    Notes
    -----
    Where the curve of held-out rows falls while that of training rows still rises, the rest of the
    search fits noise. Both curves are of planes of the folds, none of which is the plane of all
    rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation.search_curve import SearchCurve
    >>> held_out = np.array([[1.0, 2.0], [2.0, 4.0]])
    >>> curve = SearchCurve(np.array([0.5, 1.0]), np.ones((2, 2)), held_out)
    >>> curve.mean.tolist(), curve.band[1].tolist()
    ([1.5, 3.0], [2.0, 4.0])
    """

    fraction: FloatArray
    train: FloatArray
    held_out: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean of the held-out divergence over the folds, shape (n_parts,)."""
        mean: FloatArray = self.held_out.mean(axis=0)
        return mean

    @property
    def band(self) -> FloatArray:
        """Its standard deviation over the folds below and above the mean, shape (2, n_parts)."""
        spread = self.held_out.std(axis=0)
        return np.stack([self.mean - spread, self.mean + spread])


class SearchTrace:
    """A callback that keeps the best plane at the end of each part of a search."""

    def __init__(self) -> None:
        self._best: Progress | None = None
        self._planes: list[FloatArray] = []

    def __call__(self, progress: Progress) -> bool:
        """Never stops the search."""
        while self._best is not None and progress.fraction > (len(self._planes) + 1) / N_PARTS:
            self._planes.append(self._best.components)
        if progress.is_better(self._best):
            self._best = progress
        return False

    def divergences(
        self,
        estimator: MELM,
        train: tuple[FloatArray, IntArray],
        test: tuple[FloatArray, IntArray],
    ) -> FloatArray:
        """Divergences at the end of each part, of training and of held-out rows, (2, n_parts).

        Parameters
        ----------
        estimator : MELM
            Fitted with this callback.
        train, test : tuple
            Prepared rows and their class codes.
        """
        last = estimator.components_
        planes = [*self._planes[: N_PARTS - 1]]
        planes += [last] * (N_PARTS - len(planes))
        (X, y), (X_test, y_test) = train, test
        kernels = kernel_classes(
            X, y, n_components=len(last), gamma=estimator.gamma_, shrinkage=estimator.shrinkage
        )
        by_plane: dict[int, tuple[float, float]] = {}
        for plane in planes:
            if id(plane) not in by_plane:
                projected = kernels.project(plane)
                points = X_test @ plane.T
                held_out = [points[y_test == code] for code in range(len(projected.rows))]
                how = estimator.multiclass
                by_plane[id(plane)] = (
                    divergence(projected, np.eye(len(plane)), multiclass=how),
                    held_out_divergence(projected, held_out, multiclass=how),
                )
        # In one order in memory, on which the last digit of means depends.
        return np.ascontiguousarray(np.transpose([by_plane[id(plane)] for plane in planes]))
