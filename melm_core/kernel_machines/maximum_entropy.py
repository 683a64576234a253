"""One-dimensional maximum entropy densities exp(sum_k lambda_k x^k) (equations 8 to 11).

Coordinates are standardized by the mean and standard deviation of the
approximated density. Many densities are computed together. A density of even
order m requires lambda_m < 0. If the moments require another sign (tails
heavier than Gaussian), or if the density had mass far from the mean, the order
is reduced by two; order 2 always exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer

MarginalMethod = Literal["exact", "paper"]
MARGINAL_METHODS: tuple[MarginalMethod, ...] = ("exact", "paper")

# Quadrature nodes; the trapezoidal rule converges geometrically for densities that vanish at both
# ends.
N_NODES = 801
HALF_WIDTH = 14.0  # standard deviations

# Log density relative to the peak that must be reached at both ends of the quadrature, and beyond.
LOG_NEGLIGIBLE = -30.0

# A last multiplier closer to zero than this belongs to a density of lower order.
NULL_MULTIPLIER = 1e-10

NEWTON_STEPS = 60
HALVINGS = 30
MOMENT_TOLERANCE = 1e-11
NULL_CURVATURE = 1e-14

# Densities computed together; bounds their values to a few megabytes.
BLOCK = 256

ACCEPTED = "none"


@dataclass(frozen=True, eq=False)
class MaximumEntropyDensities:
    """Densities exp(log_normalizer + sum_k multipliers_k x^k).

    Attributes
    ----------
    multipliers : ndarray of shape (n_densities, order)
        lambda_1 .. lambda_m; zeros above the reached order.
    log_normalizers : ndarray of shape (n_densities,)
        log C.
    orders : ndarray of shape (n_densities,)
        Reached orders.
    fallbacks : tuple of str, of length n_densities
        "none", or why the order was reduced.
    """

    multipliers: FloatArray
    log_normalizers: FloatArray
    orders: IntArray
    fallbacks: tuple[str, ...]


def maximum_entropy(
    moments: FloatArray, *, order: int = 4, method: MarginalMethod = "exact"
) -> MaximumEntropyDensities:
    """Compute maximum entropy densities with given moments.

    Parameters
    ----------
    moments : ndarray of shape (2 * order + 1, n_densities)
        E x^0 = 1 to E x^(2m), with mean 0 and variance 1. The exact method uses
        only the first m.
    order : int
        m, even.
    method : "exact" or "paper"
        "exact" matches the moments by Newton's method on the convex dual;
        "paper" solves lambda = -Theta^-1 eta (equation 10), which matches them
        only for densities of the exponential family.

    Returns
    -------
    MaximumEntropyDensities

    Raises
    ------
    ValueError
        If the order is odd or less than two, or the method is unknown.
    """
    check_order(order)
    check_choice("method", method, MARGINAL_METHODS)
    n = moments.shape[1]
    multipliers, normalizers = np.zeros((n, order)), np.zeros(n)
    orders, fallbacks = np.zeros(n, dtype=np.int64), [ACCEPTED] * n
    open_ = np.arange(n)
    for m in range(order, 0, -2):
        solutions = _solve(moments[:, open_], m, method)
        reasons = _rejections(solutions, m)
        is_density = np.array([not reason for reason in reasons], dtype=bool)
        done = open_[is_density]
        multipliers[done, :m], orders[done] = solutions[is_density], m
        normalizers[done] = -log_integrals(solutions[is_density])
        for index, reason in zip(open_, reasons, strict=True):
            if reason and fallbacks[index] == ACCEPTED:
                fallbacks[index] = reason
        open_ = open_[~is_density]
    return MaximumEntropyDensities(multipliers, normalizers, orders, tuple(fallbacks))


def multiplier_estimates(moments: FloatArray, order: int) -> FloatArray:
    """Multipliers -Theta^-1 eta, Theta_ik = k / (i+1) E x^(i+k), eta_i = E x^i (equation 11).

    They follow from integration by parts: for a density of the family,
    E r_i = -sum_k E[R_i r_k'] lambda_k, where R_i is the integral of r_i = x^i.

    Parameters
    ----------
    moments : ndarray of shape (2 * order + 1, n_densities)
        Starting with E x^0.
    order : int

    Returns
    -------
    ndarray of shape (n_densities, order)
    """
    theta, eta = moment_system(moments, order)
    estimates: FloatArray = np.negative(np.linalg.solve(theta, eta[:, :, None])[:, :, 0])
    return estimates


def moment_system(moments: FloatArray, order: int) -> tuple[FloatArray, FloatArray]:
    """Theta and eta of equation 11.

    Returns
    -------
    theta : ndarray of shape (n_densities, order, order)
        Rows i are constraints, columns k multipliers.
    eta : ndarray of shape (n_densities, order)
    """
    powers = np.arange(1, order + 1)
    factors = powers / (powers[:, None] + 1.0)
    theta = factors[:, :, None] * moments[powers[:, None] + powers]
    return np.moveaxis(theta, -1, 0), moments[powers].T


def matched_multipliers(moments: FloatArray, order: int) -> FloatArray:
    """Multipliers of the densities with exactly these moments (equation 8).

    They minimize the convex dual, the logarithm of the integral of
    exp(sum_k lambda_k x^k) minus sum_k lambda_k E x^k, by Newton's method
    starting from the Gaussian.

    Parameters
    ----------
    moments : ndarray of shape (order + 1 or more, n_densities)
        With mean 0 and variance 1.
    order : int

    Returns
    -------
    ndarray of shape (n_densities, order)
        Rows are NaN if the method did not converge.
    """
    targets = moments[1 : order + 1].T
    blocks = [
        _newton(targets[begin : begin + BLOCK], order) for begin in range(0, len(targets), BLOCK)
    ]
    return np.concatenate(blocks) if blocks else np.empty((0, order))


def log_integrals(multipliers: FloatArray) -> FloatArray:
    """Compute the logarithm of the integral of exp(sum_k lambda_k x^k), by quadrature.

    Parameters
    ----------
    multipliers : ndarray of shape (n_densities, order)

    Returns
    -------
    ndarray of shape (n_densities,)
    """
    blocks = [
        _log_sums(multipliers[begin : begin + BLOCK] @ _powers(multipliers.shape[1]))[0]
        for begin in range(0, len(multipliers), BLOCK)
    ]
    return np.concatenate(blocks) if blocks else np.empty(0)


def check_order(order: int) -> None:
    """Check that the order is an even integer of at least 2.

    Raises
    ------
    ValueError
        If it is not: an odd power is unbounded on one side.
    """
    check_integer("order", order, minimum=2)
    if order % 2:
        raise UserError(
            f"order={order} is odd, and a density whose logarithm is a polynomial of odd degree "
            f"cannot be normalized; choose {order - 1} or {order + 1}."
        )


def _solve(moments: FloatArray, order: int, method: MarginalMethod) -> FloatArray:
    if method == "paper":
        return multiplier_estimates(moments, order)
    return matched_multipliers(moments, order)


def _rejections(multipliers: FloatArray, order: int) -> list[str]:
    """Return why each row is not a density of this order; empty if it is."""
    return [_rejection(row, order) for row in multipliers]


def _rejection(row: FloatArray, order: int) -> str:
    if order == 2:
        return ""
    if not np.isfinite(row).all():
        return f"no density of order {order} has these moments"
    if row[-1] >= -NULL_MULTIPLIER:
        return f"multiplier {order} is not negative"
    if not _decays(row):
        return f"the density of order {order} has mass beyond {HALF_WIDTH:.0f} standard deviations"
    return ""


def _decays(row: FloatArray) -> bool:
    """Return whether the density is negligible at the ends of the quadrature and beyond."""
    coefficients = np.concatenate([[0.0], row])
    slopes = np.polynomial.polynomial.polyder(coefficients)
    turns = np.polynomial.polynomial.polyroots(slopes)
    real = turns[np.abs(turns.imag) <= 1e-9 * np.abs(turns)].real
    points = np.concatenate([[-HALF_WIDTH, HALF_WIDTH], real])
    heights = np.polynomial.polynomial.polyval(points, coefficients)
    is_inside = np.abs(points) < HALF_WIDTH
    if not is_inside.any():
        return False
    return bool(heights[~is_inside].max() < heights[is_inside].max() + LOG_NEGLIGIBLE)


def _nodes() -> FloatArray:
    return np.linspace(-HALF_WIDTH, HALF_WIDTH, N_NODES)


def _powers(order: int) -> FloatArray:
    """Compute powers x^1 .. x^m at the nodes, shape (order, n_nodes)."""
    rows: FloatArray = _nodes() ** np.arange(1, order + 1)[:, None]
    return rows


def _log_sums(exponents: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute logarithms of the integrals, and the normalized weights of the nodes."""
    peaks = exponents.max(axis=1, keepdims=True)
    weights = np.exp(exponents - peaks)
    sums = weights.sum(axis=1, keepdims=True)
    spacing = 2.0 * HALF_WIDTH / (N_NODES - 1)
    return (np.log(sums * spacing) + peaks)[:, 0], weights / sums


def _newton(targets: FloatArray, order: int) -> FloatArray:
    """Solve the dual of a block of densities by damped Newton steps, in scaled powers."""
    powers = _powers(order)
    # Approximate standard deviation of the powers under a Gaussian, (2k - 1)!!^(1/2).
    scales = np.sqrt(np.cumprod(2.0 * np.arange(1, order + 1) - 1.0))
    functions, means = powers / scales[:, None], targets / scales
    dual = _Dual(functions, means)
    solutions = np.zeros_like(means)
    solutions[:, 1] = -0.5 * scales[1]
    open_ = np.arange(len(means))
    for _ in range(NEWTON_STEPS):
        gradient, hessian = dual.derivatives(solutions[open_], open_)
        rough = np.abs(gradient).max(axis=1) > MOMENT_TOLERANCE
        open_, gradient, hessian = open_[rough], gradient[rough], hessian[rough]
        if not len(open_):
            break
        steps = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        solutions[open_] = dual.damped(solutions[open_], steps, gradient, open_)
    solutions[open_] = np.nan
    return solutions / scales


class _Dual:
    """The convex dual of the maximum entropy problem of several densities."""

    def __init__(self, functions: FloatArray, targets: FloatArray) -> None:
        self._functions = functions  # (order, n_nodes)
        self._targets = targets  # (n_densities, order)
        order = len(functions)
        self._products = (functions[:, None] * functions).reshape(order * order, -1)

    def values(self, multipliers: FloatArray, which: IntArray) -> FloatArray:
        logs, _ = _log_sums(multipliers @ self._functions)
        values: FloatArray = logs - (multipliers * self._targets[which]).sum(axis=1)
        return values

    def derivatives(
        self, multipliers: FloatArray, which: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        _, weights = _log_sums(multipliers @ self._functions)
        means = weights @ self._functions.T
        order = len(self._functions)
        second = (weights @ self._products.T).reshape(-1, order, order)
        hessian = second - means[:, :, None] * means[:, None, :]
        # Keeps the Hessian invertible for densities concentrated on a few nodes.
        floor = NULL_CURVATURE * (1.0 + np.trace(hessian, axis1=1, axis2=2))
        return means - self._targets[which], hessian + floor[:, None, None] * np.eye(order)

    def damped(
        self, multipliers: FloatArray, steps: FloatArray, gradient: FloatArray, which: IntArray
    ) -> FloatArray:
        """Backtracking: each row plus the longest halved step that decreases the dual enough."""
        before = self.values(multipliers, which)
        slopes = (gradient * steps).sum(axis=1)
        lengths = np.ones(len(steps))
        rounding = 1e-13 * (1.0 + np.abs(before))
        for _ in range(HALVINGS):
            after = self.values(multipliers + lengths[:, None] * steps, which)
            too_long = after > before + 1e-4 * lengths * slopes + rounding
            if not too_long.any():
                break
            lengths[too_long] *= 0.5
        moved: FloatArray = multipliers + lengths[:, None] * steps
        return moved
