"""Objectives that the compiled library evaluates and climbs.

An objective is a sum of terms, each the divergence of some classes. What is handed to the library
is laid out here, once: the kinds and sizes of all arrays follow from that.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.compiled.loading import (
    AGGREGATES,
    CONVERGED,
    RUNNING,
    Library,
    ObjectiveStruct,
    StateStruct,
    TermStruct,
    address,
    library,
)

MOST_COMPONENTS = 3

# Steps that a search remembers, as in `melm_core.optimization.lbfgs`.
MEMORY = 10

# Where a field is among the numbers of a state.
_PLACE = {name: getattr(StateStruct, name).offset // 8 for name, *_ in StateStruct._fields_}

_LANES = 16
_LINE = 8  # numbers
_MAX_PLANES = 16


def is_compiled(n_components: int) -> bool:
    """Return whether the compiled library is loaded and takes so many components."""
    return n_components <= MOST_COMPONENTS and library() is not None


@dataclass(frozen=True, eq=False)
class Term:
    """The divergence of some classes, as the library reads it.

    Attributes
    ----------
    aggregate : "mean", "softmin" or "ovr"
    share : float
        What it is multiplied by.
    factor : float
        Of the widths of all kernels.
    counts : ndarray of int64, shape (n_classes,)
    totals : ndarray of shape (n_classes,)
        The numbers of rows, or the sums of their weights.
    covariances : ndarray of shape (n_classes, n_features, padded n_features)
        Of kernels, or in the limit of wide kernels of classes.
    rows : ndarray of shape (n_features, padded n_rows) or None
        In single or double precision, which the sums then have.
    weights : ndarray of shape (padded n_rows,) or None
        Zero where padded.
    has_weights : bool
        Whether rows count differently.
    means : ndarray of shape (n_classes, padded n_features) or None
        In the limit of wide kernels, where there are no rows.
    """

    aggregate: str
    share: float
    counts: IntArray
    totals: FloatArray
    covariances: FloatArray
    rows: npt.NDArray[Any] | None = None
    weights: npt.NDArray[Any] | None = None
    means: FloatArray | None = None
    has_weights: bool = False
    factor: float = 1.0

    @classmethod
    def of_rows(
        cls,
        rows: Sequence[FloatArray],
        covariances: FloatArray,
        *,
        aggregate: str,
        share: float = 1.0,
        weights: Sequence[FloatArray] | None = None,
        precision: type[np.float32] | type[np.float64] = np.float64,
    ) -> Term:
        """Return the term for the divergence of kernel densities.

        Parameters
        ----------
        rows : sequence of ndarray of shape (n_samples_of_class, n_features)
        covariances : ndarray of shape (n_classes, n_features, n_features)
        aggregate : "mean", "softmin" or "ovr"
        share : float
        weights : sequence of ndarray of shape (n_samples_of_class,) or None
        precision : float32 or float64
            Of the sums; float32 is accurate to about 1e-6.
        """
        counts = np.array([len(part) for part in rows], dtype=np.int64)
        lengths = _padded(counts)  # the library reads whole vectors
        firsts = np.concatenate([[0], np.cumsum(lengths)])
        origin = sum(part.sum(axis=0) for part in rows) / counts.sum()
        laid_out = np.zeros((rows[0].shape[1], firsts[-1]), precision)
        row_weights = np.zeros(firsts[-1], precision)
        for code, (first, part) in enumerate(zip(firsts[:-1], rows, strict=True)):
            laid_out[:, first : first + len(part)] = (part - origin).T
            row_weights[first : first + len(part)] = 1.0 if weights is None else weights[code]
        totals = counts if weights is None else [part.sum() for part in weights]
        return cls(
            aggregate=aggregate,
            share=share,
            counts=counts,
            totals=np.array(totals, dtype=np.float64),
            covariances=_wide(covariances),
            rows=laid_out,
            weights=row_weights,
            has_weights=weights is not None,
        )

    @classmethod
    def of_gaussians(
        cls,
        means: FloatArray,
        covariances: FloatArray,
        totals: FloatArray,
        *,
        aggregate: str,
        share: float = 1.0,
    ) -> Term:
        """Return the term for the divergence of Gaussians, the limit of wide kernels.

        Parameters
        ----------
        means : ndarray of shape (n_classes, n_features)
        covariances : ndarray of shape (n_classes, n_features, n_features)
        totals : ndarray of shape (n_classes,)
        aggregate : "mean", "softmin" or "ovr"
        share : float
        """
        return cls(
            aggregate=aggregate,
            share=share,
            counts=np.zeros(len(means), dtype=np.int64),
            totals=np.array(totals, dtype=np.float64),
            covariances=_wide(covariances),
            means=_wide(means),
        )

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.covariances.shape[1])

    def in_single(self) -> Term:
        """Return the term with rows in single precision, if there are rows."""
        if self.rows is None or self.weights is None:
            return self
        rows, weights = self.rows.astype(np.float32), self.weights.astype(np.float32)
        return replace(self, rows=rows, weights=weights)

    def widened(self, factor: float) -> Term:
        """Return the term of the same rows with kernels `factor` times as wide."""
        return replace(self, factor=self.factor * factor)

    def struct(self) -> TermStruct:
        """Return the struct for the library; it is valid only as long as the arrays of the term."""
        parts = (self.counts, self.totals, self.rows, self.weights, self.covariances, self.means)
        return TermStruct(
            len(self.counts),
            AGGREGATES[self.aggregate],
            self.rows is not None and self.rows.dtype == np.float64,
            self.has_weights,
            self.share,
            self.factor**2,
            *(None if part is None else address(part) for part in parts),
        )


class CompiledObjective:
    """A sum of terms, evaluated and climbed by the compiled library.

    Several threads may use it at once; they do not wait for each other.

    Parameters
    ----------
    terms : sequence of Term, at least one
        All of the same features.
    n_components : int
        From 1 to MOST_COMPONENTS.
    softness : float
        Of the soft minimum over pairs of classes, in nats.
    compiled : Library, optional
        Default: the one that `library` finds.

    Raises
    ------
    ValueError
        If there is no library, or a size is out of range.
    """

    def __init__(
        self,
        terms: Sequence[Term],
        n_components: int,
        softness: float,
        compiled: Library | None = None,
    ) -> None:
        compiled = compiled or library()
        n_features = terms[0].n_features
        if compiled is None:
            raise ValueError("There is no compiled library here; use the objective of numpy.")
        if not 1 <= n_components <= MOST_COMPONENTS:
            raise ValueError(
                f"n_components={n_components}: the compiled library knows 1 to {MOST_COMPONENTS}."
            )
        if any(term.n_features != n_features for term in terms):
            raise ValueError("All terms must have the same features.")
        self.shape = (n_components, n_features)
        self._terms, self._library = tuple(terms), compiled
        self._softness = softness
        self._structs = (TermStruct * len(terms))(*(term.struct() for term in terms))
        self._objective = ObjectiveStruct(
            len(terms), n_components, n_features, softness, ctypes.addressof(self._structs)
        )
        self._room = int(compiled.functions.melm_room(ctypes.addressof(self._objective)))

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledObjective, (self._terms, self.shape[0], self._softness)

    def widened(self, factor: float) -> CompiledObjective:
        """Return the objective with kernels `factor` times as wide, on the same rows in memory."""
        return self._of([term.widened(factor) for term in self._terms])

    def in_single(self) -> CompiledObjective:
        """Return the objective with sums in single precision."""
        return self._of([term.in_single() for term in self._terms])

    def _of(self, terms: Sequence[Term]) -> CompiledObjective:
        return CompiledObjective(terms, self.shape[0], self._softness, self._library)

    @property
    def n_pairs(self) -> int:
        """Pairs of rows of an evaluation."""
        return int(sum(term.counts.sum() ** 2 // 2 for term in self._terms))

    @property
    def batch_size(self) -> int:
        """Planes whose climbs are in memory at once; they share nothing."""
        return _MAX_PLANES

    def values_and_gradients(self, components: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute values, (n_planes,), and gradients in the shape of the components.

        Parameters
        ----------
        components : ndarray of shape (n_planes, n_components, n_features)
        """
        planes = np.ascontiguousarray(components, dtype=np.float64)
        gradients, buffer = np.empty_like(planes), self.new_buffer()
        values = [
            self._evaluate(plane, gradient, buffer)
            for plane, gradient in zip(planes, gradients, strict=True)
        ]
        return np.array(values), gradients

    def _evaluate(self, plane: FloatArray, gradient: FloatArray, buffer: FloatArray) -> float:
        if plane.shape != self.shape:
            raise ValueError(f"A plane of shape {plane.shape} instead of {self.shape}.")
        value: float = self._library.functions.melm_evaluate(
            ctypes.addressof(self._objective),
            self._library.processor,
            address(plane),
            address(gradient),
            address(buffer),
        )
        return value

    def log_potentials(self, components: FloatArray) -> FloatArray:
        """Compute log potentials of the last term in a plane, (n_classes, n_classes)."""
        plane = np.ascontiguousarray(components, dtype=np.float64)
        gradient, buffer = np.empty_like(plane), self.new_buffer()
        self._evaluate(plane, gradient, buffer)
        first = int(self._library.functions.melm_logs(ctypes.addressof(self._objective)))
        n_classes = len(self._terms[-1].counts)
        return buffer[first : first + n_classes**2].reshape(n_classes, n_classes).copy()

    def new_buffer(self) -> FloatArray:
        """Allocate room for one evaluation, whose vectors are aligned to lines of a cache."""
        room = np.empty(self._room + _LINE - 1)
        first = -address(room) // 8 % _LINE
        return room[first : first + self._room]

    def climb_on(
        self,
        state: FloatArray,
        planes: FloatArray,
        values: FloatArray,
        counts: IntArray,
        buffer: FloatArray,
    ) -> int:
        """Go on with a climb until `planes` are full or it ends; see melm_climb in climb.c."""
        accepted: int = self._library.functions.melm_climb(
            ctypes.addressof(self._objective),
            self._library.processor,
            address(state),
            len(planes),
            address(planes),
            address(values),
            address(counts),
            address(buffer),
        )
        return accepted

    def climb_all(self, states: FloatArray, values: FloatArray, n_values: IntArray) -> None:
        """Climb to the end from several planes; see melm_climb_all in climb.c."""
        buffer = self.new_buffer()
        self._library.functions.melm_climb_all(
            ctypes.addressof(self._objective),
            self._library.processor,
            len(states),
            address(states),
            values.shape[1],
            address(values),
            address(n_values),
            address(buffer),
        )

    def new_states(self, n_planes: int) -> FloatArray:
        """Climbs that have not begun, all zero, (n_planes, n_numbers)."""
        entries = self.shape[0] * self.shape[1]
        n_bytes = int(self._library.functions.melm_state_bytes(entries))
        return np.zeros((n_planes, n_bytes // 8))


def kernel_sums(points: FloatArray, rows: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Compute sums of exp(-|u - v|^2 / 2) over rows v, each times its weight, at points u.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
        Of at most MOST_COMPONENTS components.
    rows : ndarray of shape (n_rows, n_components)
    weights : ndarray of shape (n_rows,) or None

    Returns
    -------
    ndarray of shape (n_points,)
        A kernel value below 1e-307 counts as that.

    Raises
    ------
    ValueError
        If there is no compiled library, or the shapes do not fit it.
    """
    compiled = library()
    n, k = points.shape
    if compiled is None or not 1 <= k <= MOST_COMPONENTS or rows.shape[1] != k:
        raise ValueError(f"There is no compiled sum of {rows.shape[1]} components at {k}.")
    scale = np.sqrt(0.5 * np.log2(np.e))
    laid_out = np.zeros((k, int(_padded(np.array(len(rows))))))
    row_weights = np.zeros(laid_out.shape[1])
    laid_out[:, : len(rows)] = scale * rows.T
    row_weights[: len(rows)] = 1.0 if weights is None else weights
    scaled, sums = np.ascontiguousarray(scale * points.T), np.empty(n)
    compiled.functions.melm_kernel_sums(
        compiled.processor,
        k,
        n,
        address(scaled),
        len(rows),
        address(laid_out),
        address(row_weights),
        address(sums),
    )
    return sums


def orthonormalize_all(planes: FloatArray, negligible: float) -> bool:
    """Make the rows of several planes orthonormal in place, as `melm_core.linalg.orthonormalize`.

    Parameters
    ----------
    planes : ndarray of shape (..., n_components, n_features)
        In one piece.
    negligible : float
        A row is dependent on those before it if what it adds to them is shorter than this share.

    Returns
    -------
    bool
        Whether the rows of every plane are independent. If not, the planes are not to be used.

    Raises
    ------
    ValueError
        If there is no compiled library, or the planes do not fit it.
    """
    compiled = library()
    if compiled is None or planes.dtype != np.float64 or not planes.flags.c_contiguous:
        raise ValueError("There is no compiled decomposition of these planes.")
    k, d = planes.shape[-2:]
    n_planes = planes.size // max(k * d, 1)
    orthonormalized = compiled.functions.melm_orthonormalize(
        n_planes, k, d, negligible, address(planes)
    )
    return bool(orthonormalized == n_planes)


class Climbs:
    """Climbs from several planes.

    Parameters
    ----------
    objective : CompiledObjective
    planes : sequence of ndarray of shape (n_components, n_features)
        The initial planes, each of which counts as the first step of its climb.
    max_iter : int
        Maximum number of accepted steps after it.
    tol : float
        See `melm_core.optimization.lbfgs`.
    curvatures : sequence of tuple or None, optional
        Of each climb that goes on from another one of the same objective: steps and changes of the
        gradient, each of shape (MEMORY, n_components * n_features).
    """

    def __init__(
        self,
        objective: CompiledObjective,
        planes: Sequence[FloatArray],
        *,
        max_iter: int,
        tol: float,
        curvatures: Sequence[tuple[FloatArray, FloatArray] | None] | None = None,
    ) -> None:
        points = np.stack(planes)
        if points.shape[1:] != objective.shape:
            raise ValueError(f"Planes of shape {points.shape[1:]} instead of {objective.shape}.")
        self._objective, self._max_iter = objective, max_iter
        n_planes, entries = len(points), points[0].size
        self._states = objective.new_states(n_planes)
        self._integers = self._states.view(np.int64)
        self._integers[:, _PLACE["max_iter"]] = max_iter
        self._states[:, _PLACE["tol"]] = tol
        arrays = self._states[:, ctypes.sizeof(StateStruct) // 8 :]
        self._points = arrays[:, :entries]
        self._points[:] = points.reshape(n_planes, entries)
        memory = arrays[:, 5 * entries : (5 + 2 * MEMORY) * entries]
        self._memory = memory.reshape(n_planes, 2, MEMORY, entries)
        for number, curvature in enumerate(curvatures or ()):
            if curvature is not None:
                self._memory[number, 0], self._memory[number, 1] = curvature
                self._integers[number, _PLACE["is_resumed"]] = 1

    def finish(self) -> list[list[float]]:
        """Run all ascents to the end, and return the values of the accepted steps of each."""
        values = np.empty((len(self._states), self._max_iter + 1))
        n_values = np.zeros(len(self._states), dtype=np.int64)
        self._objective.climb_all(self._states, values, n_values)
        return [
            of_climb[:n].tolist() for of_climb, n in zip(values, n_values.tolist(), strict=True)
        ]

    def go_on(
        self, number: int, n_steps: int, buffer: FloatArray
    ) -> tuple[FloatArray, list[float], list[int]]:
        """Continue to the next planes that an ascent accepts; return them, values, evaluations.

        Parameters
        ----------
        number : int
            Of the climb.
        n_steps : int
            The most.
        buffer : ndarray
            From `CompiledObjective.new_buffer`.
        """
        planes = np.empty((n_steps, *self._objective.shape))
        values, counts = np.empty(n_steps), np.empty(n_steps, dtype=np.int64)
        state = self._states[number]
        accepted = self._objective.climb_on(state, planes, values, counts, buffer)
        return planes[:accepted], values[:accepted].tolist(), counts[:accepted].tolist()

    def is_running(self, number: int) -> bool:
        """Return whether an ascent has not ended."""
        return bool(self._integers[number, _PLACE["status"]] <= RUNNING)

    def has_converged(self, number: int) -> bool:
        """Return whether an ascent has ended at an optimum."""
        return bool(self._integers[number, _PLACE["status"]] == CONVERGED)

    def n_evaluations(self, number: int) -> int:
        """Evaluations of a climb so far."""
        return int(self._integers[number, _PLACE["n_evaluations"]])

    def components(self, number: int) -> FloatArray:
        """Return the latest plane of an ascent, (n_components, n_features)."""
        plane: FloatArray = self._points[number].reshape(self._objective.shape).copy()
        return plane

    def value(self, number: int) -> float:
        """Return the objective at the latest plane of an ascent."""
        return -float(self._states[number, _PLACE["value"]])

    def curvature(self, number: int) -> tuple[FloatArray, FloatArray]:
        """Steps and changes of the gradient, for a climb that goes on from here."""
        return self._memory[number, 0], self._memory[number, 1]


def _padded(length: IntArray) -> IntArray:
    padded: IntArray = (length + _LANES - 1) // _LANES * _LANES
    return padded


def _wide(matrices: FloatArray) -> FloatArray:
    """Pad the last axis of matrices by zeros to whole vectors."""
    n_columns = matrices.shape[-1]
    wide = np.zeros((*matrices.shape[:-1], int(_padded(np.array(n_columns)))))
    wide[..., :n_columns] = matrices
    return wide
