"""Maximum entropy approximation of kernel machines (Ozertem and Erdogmus).

A kernel machine costs one kernel per center for every prediction. Its centers
are clustered by the modes of its decision function, and the bumps of each
cluster are replaced by one product of exponential densities along independent
axes.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer, check_positive
from melm_core.kernel_machines.machine import KernelMachine, checked_rows
from melm_core.kernel_machines.maximum_entropy import MARGINAL_METHODS, MarginalMethod, check_order
from melm_core.kernel_machines.mean_shift import ModeClusters, find_modes
from melm_core.kernel_machines.modes import SignedClusters, describe_modes, split_by_sign
from melm_core.kernel_machines.separable_sum import SeparableSum, separable_sum

# Rows for the amplitudes and the fidelity at most, spread over those given.
MOST_ROWS = 5_000

# Directions of the amplitudes below this share of the strongest one are left alone.
NULL_AMPLITUDE = 1e-8

LOW_FIDELITY = 0.9


class ApproximationWarning(UserWarning):
    """The approximation is not faithful, or not faster than the machine."""


@dataclass(frozen=True)
class Fidelity:
    """How well the approximation follows the machine on the rows of `fit`.

    Attributes
    ----------
    r2 : float
        1 less the share of the machine's variance that is missed.
    sign_agreement : float
        Share of rows on the same side of the decision surface.
    """

    r2: float
    sign_agreement: float


class KernelMachineApproximation(BaseEstimator):
    """A few separable components in place of a kernel machine.

    A mode whose members have weights of both signs gets one component for
    each sign, so that every component is a multiple of a density. The moments
    are those of the bumps, in closed form, where the paper draws samples.

    In few dimensions a reduced set (`melm_core.kernel_machines.reduced_sets`) of the same cost
    is often more accurate; what this one adds is a description of the modes.

    Parameters
    ----------
    method : "exact" or "paper", default="exact"
        "exact" gives every marginal its moments; "paper" is the closed form
        of the paper, which does so for members of the family only.
    order : int, default=4
        Highest power in the marginals, even.
    refit : bool, default=True
        Fit the amplitudes of the components to the machine by least squares.
        Without it the integral of the machine is kept.
    merge_tolerance : float, default=0.1
        Ends of the search for modes closer than this many bandwidths are one mode.
    max_starts : int, default=500
        Centers that search for modes; the others join the nearest of them.

    Attributes
    ----------
    modes_ : tuple of Mode
        The modes with their components and marginals, the largest |value| first.
    n_components_ : int
        Components of all modes.
    fidelity_ : Fidelity
        `fit` warns where either number is below 0.9.
    evaluation_cost_ratio_ : float
        Estimated cost of an evaluation over that of the machine,
        n_components (n_features + order) / n_centers. At 1 or above the
        approximation does not pay, and `fit` warns.
    n_features_in_ : int

    References
    ----------
    U. Ozertem, D. Erdogmus: Maximum Entropy Approximation for Kernel Machines.
    """

    def __init__(
        self,
        method: MarginalMethod = "exact",
        order: int = 4,
        *,
        refit: bool = True,
        merge_tolerance: float = 0.1,
        max_starts: int = 500,
    ) -> None:
        self.method = method
        self.order = order
        self.refit = refit
        self.merge_tolerance = merge_tolerance
        self.max_starts = max_starts

    def fit(self, machine: KernelMachine, X: Any = None) -> Self:
        """Find the modes and their components.

        Parameters
        ----------
        machine : KernelMachine
        X : array-like of shape (n_samples, n_features) or None, default=None
            Rows on which the amplitudes are refitted and the fidelity is
            measured, usually those that the machine was fitted on; its
            centers by default.

        Raises
        ------
        ValueError
            If a parameter or the rows break a rule; the message names both.
        TypeError
            If `machine` is none.

        Warns
        -----
        ApproximationWarning
            If the fidelity is low, or the machine itself is the faster one.
        """
        self._validate_parameters()
        if not isinstance(machine, KernelMachine):
            raise TypeError(
                f"fit takes a KernelMachine and was given a {type(machine).__name__}; read a "
                "fitted estimator with KernelMachine.from_estimator(estimator)."
            )
        self.n_features_in_ = machine.centers.shape[1]
        kept = np.flatnonzero(machine.weights)
        machine = replace(machine, centers=machine.centers[kept], weights=machine.weights[kept])
        rows = spread_rows(machine.centers if X is None else checked_rows(X, self.n_features_in_))
        wanted = machine.decision_function(rows)
        clusters, groups = self._approximate(machine)
        if self.refit:
            values = self._components.component_values(rows)
            self._amplitudes = fitted_amplitudes(values, wanted - machine.intercept)
        self.modes_ = describe_modes(
            clusters,
            groups,
            self._components,
            weights=machine.weights,
            amplitudes=self._amplitudes,
            numbers=kept,
        )
        self.fidelity_ = fidelity(wanted, self.decision_function(rows))
        self._warn()
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Approximate values of the machine, shape (n_samples,).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        rows = checked_rows(X, self.n_features_in_)
        values: FloatArray = self._components.values(rows, self._amplitudes) + self._intercept
        return values

    def predict(self, X: Any) -> IntArray:
        """Side of the decision surface, 1 or -1, shape (n_samples,)."""
        return np.where(self.decision_function(X) > 0, 1, -1)

    def describe_cost(self) -> str:
        """In one sentence, whether evaluating the approximation pays, by a count of operations."""
        check_is_fitted(self)
        counts = f"{self.n_components_} components in place of {self._n_centers} centers"
        ratio = self.evaluation_cost_ratio_
        if ratio >= 1:
            slower = format_ratio(ratio)
            return (
                f"With {counts} the approximation would take about {slower} times as long "
                "as the kernel machine: use the machine itself."
            )
        faster = format_ratio(1 / ratio)
        return f"With {counts} the approximation should be about {faster} times as fast."

    def _validate_parameters(self) -> None:
        check_choice("method", self.method, MARGINAL_METHODS)
        check_order(self.order)
        check_positive("merge_tolerance", self.merge_tolerance)
        check_integer("max_starts", self.max_starts, minimum=1)

    def _approximate(self, machine: KernelMachine) -> tuple[ModeClusters, SignedClusters]:
        """Clusters with locations in units of the data; sets the components."""
        origin = machine.centers.mean(axis=0)
        linear = machine.linear_map()
        scaled = (machine.centers - origin) @ linear
        clusters = find_modes(
            scaled,
            machine.weights,
            1.0,
            max_starts=self.max_starts,
            merge_tolerance=self.merge_tolerance,
        )
        groups = split_by_sign(clusters.labels, machine.weights)
        self._components: SeparableSum = separable_sum(
            scaled, machine.weights, groups.members, order=self.order, method=self.method
        ).mapped(linear, origin)
        self._amplitudes, self._intercept = groups.signs, machine.intercept
        self._n_centers, self.n_components_ = len(scaled), len(self._components)
        per_component = self.n_features_in_ + self.order
        self.evaluation_cost_ratio_ = self.n_components_ * per_component / self._n_centers
        locations = origin + clusters.locations @ np.linalg.pinv(linear)
        return replace(clusters, locations=locations), groups

    def _warn(self) -> None:
        if self.evaluation_cost_ratio_ >= 1:
            warnings.warn(self.describe_cost(), ApproximationWarning, stacklevel=3)
        reached = self.fidelity_
        if min(reached.r2, reached.sign_agreement) < LOW_FIDELITY:
            warnings.warn(
                f"The approximation is not faithful: R² {reached.r2:.2f}, and "
                f"{reached.sign_agreement:.0%} of the rows on the same side of the decision "
                "surface. Use the machine itself, a reduced set, or more regularization.",
                ApproximationWarning,
                stacklevel=3,
            )


def fitted_amplitudes(values: FloatArray, wanted: FloatArray) -> FloatArray:
    """Multiples of the components whose sum is closest to the machine, by least squares.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_components)
        Of every component; where all are zero its amplitude is too.
    wanted : ndarray of shape (n_samples,)
        The machine without its intercept.
    """
    peaks = values.max(axis=0)
    scales = np.where(peaks > 0, peaks, 1.0)
    fitted = np.linalg.lstsq(values / scales, wanted, rcond=NULL_AMPLITUDE)[0]
    amplitudes: FloatArray = fitted / scales
    return amplitudes


def fidelity(wanted: FloatArray, reached: FloatArray) -> Fidelity:
    """Compare values of the machine and of its approximation at the same rows, (n_samples,)."""
    missed = np.square(wanted - reached).sum()
    spread = np.square(wanted - wanted.mean()).sum()
    share = missed / spread if spread > 0 else float(missed > 0)
    agreement = np.mean((wanted > 0) == (reached > 0))
    return Fidelity(r2=float(1.0 - share), sign_agreement=float(agreement))


def measured_speed_up(
    machine: KernelMachine, approximation: KernelMachineApproximation, X: Any, *, repeats: int = 5
) -> float:
    """Time of the machine over that of its approximation on the same rows.

    Parameters
    ----------
    machine : KernelMachine
    approximation : KernelMachineApproximation
        Fitted.
    X : array-like of shape (n_samples, n_features)
    repeats : int
        Runs of both, in turn; the medians are compared.
    """
    took = [(_seconds(machine, X), _seconds(approximation, X)) for _ in range(repeats)]
    theirs, ours = zip(*took, strict=True)
    return float(median(theirs) / median(ours))


def format_ratio(ratio: float) -> str:
    """A ratio of times with the digits that mean something, as "1.4" or "363"."""
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def spread_rows(rows: FloatArray) -> FloatArray:
    """The rows, or MOST_ROWS of them at even distances in their order.

    Raises
    ------
    ValueError
        If there are none.
    """
    if not len(rows):
        raise UserError("X holds no rows; give at least one, or None to take the centers.")
    if len(rows) <= MOST_ROWS:
        return rows
    return rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.int64)]


def _seconds(model: KernelMachine | KernelMachineApproximation, X: Any) -> float:
    began = time.perf_counter()
    model.decision_function(X)
    return time.perf_counter() - began
