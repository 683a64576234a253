"""Densities exp(sum_k lambda_k x^k) with given moments, on a line (equations 8 to 11).

Everything is in units of the standard deviation about the mean of the density
that is approximated, many densities at a time. A density of even order m
needs lambda_m < 0. Where the moments ask for another sign (heavier tails than
a Gaussian's), or the density would have mass far out, there is no such
density, and the order falls by two; order 2 always exists.
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

# Points of the quadrature; the trapezoidal rule converges geometrically on
# densities that vanish at both ends.
N_NODES = 801
HALF_WIDTH = 14.0  # standard deviations

# Densities at both ends of the quadrature, relative to the peak, that are
# nothing; what lies beyond must be smaller still.
LOG_NOTHING = -30.0

# A last multiplier this close to zero is that of a lower order.
NULL_MULTIPLIER = 1e-10

NEWTON_STEPS = 60
HALVINGS = 30
MOMENT_TOLERANCE = 1e-11
NULL_CURVATURE = 1e-14

# Densities solved together, so that their values stay within a few megabytes.
BLOCK = 256

ACCEPTED = "none"


@dataclass(frozen=True, eq=False)
class MaximumEntropyDensities:
    """Densities exp(log_normalizer + sum_k multipliers_k x^k).

    Attributes
    ----------
    multipliers : ndarray of shape (n_densities, order)
        lambda_1 .. lambda_m; zeros above the order that was reached.
    log_normalizers : ndarray of shape (n_densities,)
        log C.
    orders : ndarray of shape (n_densities,)
        Order that was reached.
    fallbacks : tuple of str, n_densities of them
        "none", or why the order fell.
    """

    multipliers: FloatArray
    log_normalizers: FloatArray
    orders: IntArray
    fallbacks: tuple[str, ...]


def maximum_entropy(
    moments: FloatArray, *, order: int = 4, method: MarginalMethod = "exact"
) -> MaximumEntropyDensities:
    """Maximum entropy densities of given moments.

    Parameters
    ----------
    moments : ndarray of shape (2 * order + 1, n_densities)
        E x^0 = 1 to E x^(2m), of mean 0 and variance 1. The exact method uses
        the first m.
    order : int
        m, even.
    method : "exact" or "paper"
        "exact" matches the moments, by Newton's method on the convex dual;
        "paper" solves lambda = -Theta^-1 eta (equation 10), which is exact
        for members of the family only.

    Raises
    ------
    ValueError
        If the order is odd or below two, or the method is unknown.
    """
    check_order(order)
    check_choice("method", method, MARGINAL_METHODS)
    n = moments.shape[1]
    multipliers, normalizers = np.zeros((n, order)), np.zeros(n)
    orders, fallbacks = np.zeros(n, dtype=np.int64), [ACCEPTED] * n
    open_ = np.arange(n)
    for m in range(order, 0, -2):
        found = _solve(moments[:, open_], m, method)
        reasons = _refusals(found, m)
        kept = np.array([not reason for reason in reasons], dtype=bool)
        done = open_[kept]
        multipliers[done, :m], orders[done] = found[kept], m
        normalizers[done] = -log_integrals(found[kept])
        for index, reason in zip(open_, reasons, strict=True):
            if reason and fallbacks[index] == ACCEPTED:
                fallbacks[index] = reason
        open_ = open_[~kept]
    return MaximumEntropyDensities(multipliers, normalizers, orders, tuple(fallbacks))


def multiplier_estimates(moments: FloatArray, order: int) -> FloatArray:
    """Multipliers -Theta^-1 eta, Theta_ik = k / (i+1) E x^(i+k), eta_i = E x^i (equation 11).

    By parts, E r_i = -sum_k E[R_i r_k'] lambda_k for a member of the family,
    whatever its mean; R_i is the integral of r_i.

    Parameters
    ----------
    moments : ndarray of shape (2 * order + 1, n_densities)
        E x^0 first.
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
        Row i is a constraint, column k a multiplier.
    eta : ndarray of shape (n_densities, order)
    """
    powers = np.arange(1, order + 1)
    factors = powers / (powers[:, None] + 1.0)
    theta = factors[:, :, None] * moments[powers[:, None] + powers]
    return np.moveaxis(theta, -1, 0), moments[powers].T


def matched_multipliers(moments: FloatArray, order: int) -> FloatArray:
    """Multipliers whose density on the quadrature has exactly these moments (equation 8).

    Minimizes the convex dual log of the integral of exp(sum_k lambda_k x^k)
    less sum_k lambda_k E x^k, by Newton's method from the Gaussian.

    Parameters
    ----------
    moments : ndarray of shape (order + 1 or more, n_densities)
        Of mean 0 and variance 1.
    order : int

    Returns
    -------
    ndarray of shape (n_densities, order)
        Rows of nan where it did not converge.
    """
    targets = moments[1 : order + 1].T
    blocks = [
        _newton(targets[begin : begin + BLOCK], order) for begin in range(0, len(targets), BLOCK)
    ]
    return np.concatenate(blocks) if blocks else np.empty((0, order))


def log_integrals(multipliers: FloatArray) -> FloatArray:
    """Log of the integral of exp(sum_k lambda_k x^k), by quadrature.

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
    """An even whole number of at least two.

    Raises
    ------
    ValueError
        If it is not: an odd power grows without bound on one side.
    """
    check_integer("order", order, minimum=2)
    if order % 2:
        raise UserError(
            f"order={order} is odd, and a density whose log is a polynomial of odd degree cannot "
            f"be normalized; choose {order - 1} or {order + 1}."
        )


def _solve(moments: FloatArray, order: int, method: MarginalMethod) -> FloatArray:
    if method == "paper":
        return multiplier_estimates(moments, order)
    return matched_multipliers(moments, order)


def _refusals(multipliers: FloatArray, order: int) -> list[str]:
    """Why each row is no density of this order; empty where it is one."""
    return [_refusal(row, order) for row in multipliers]


def _refusal(row: FloatArray, order: int) -> str:
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
    """Whether the density is nothing at the ends of the quadrature and beyond them."""
    coefficients = np.concatenate([[0.0], row])
    slopes = np.polynomial.polynomial.polyder(coefficients)
    turns = np.polynomial.polynomial.polyroots(slopes)
    real = turns[np.abs(turns.imag) <= 1e-9 * np.abs(turns)].real
    points = np.concatenate([[-HALF_WIDTH, HALF_WIDTH], real])
    heights = np.polynomial.polynomial.polyval(points, coefficients)
    is_inside = np.abs(points) < HALF_WIDTH
    if not is_inside.any():
        return False
    return bool(heights[~is_inside].max() < heights[is_inside].max() + LOG_NOTHING)


def _nodes() -> FloatArray:
    return np.linspace(-HALF_WIDTH, HALF_WIDTH, N_NODES)


def _powers(order: int) -> FloatArray:
    """x^1 .. x^m at the nodes, shape (order, n_nodes)."""
    rows: FloatArray = _nodes() ** np.arange(1, order + 1)[:, None]
    return rows


def _log_sums(exponents: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log of the integrals, and the normalized weights of the nodes."""
    peaks = exponents.max(axis=1, keepdims=True)
    weights = np.exp(exponents - peaks)
    sums = weights.sum(axis=1, keepdims=True)
    spacing = 2.0 * HALF_WIDTH / (N_NODES - 1)
    return (np.log(sums * spacing) + peaks)[:, 0], weights / sums


def _newton(targets: FloatArray, order: int) -> FloatArray:
    """Damped Newton steps on the dual of a block of densities, in scaled powers."""
    powers = _powers(order)
    # Spread of the powers under a Gaussian, about: (2k - 1)!!^(1/2).
    scales = np.sqrt(np.cumprod(2.0 * np.arange(1, order + 1) - 1.0))
    functions, wanted = powers / scales[:, None], targets / scales
    dual = _Dual(functions, wanted)
    found = np.zeros_like(wanted)
    found[:, 1] = -0.5 * scales[1]
    open_ = np.arange(len(wanted))
    for _ in range(NEWTON_STEPS):
        gradient, hessian = dual.derivatives(found[open_], open_)
        rough = np.abs(gradient).max(axis=1) > MOMENT_TOLERANCE
        open_, gradient, hessian = open_[rough], gradient[rough], hessian[rough]
        if not len(open_):
            break
        steps = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        found[open_] = dual.damped(found[open_], steps, gradient, open_)
    found[open_] = np.nan
    return found / scales


class _Dual:
    """The convex dual of the maximum entropy problem of several densities."""

    def __init__(self, functions: FloatArray, wanted: FloatArray) -> None:
        self._functions = functions  # (order, n_nodes)
        self._wanted = wanted  # (n_densities, order)
        order = len(functions)
        self._products = (functions[:, None] * functions).reshape(order * order, -1)

    def values(self, multipliers: FloatArray, which: IntArray) -> FloatArray:
        logs, _ = _log_sums(multipliers @ self._functions)
        values: FloatArray = logs - (multipliers * self._wanted[which]).sum(axis=1)
        return values

    def derivatives(
        self, multipliers: FloatArray, which: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        _, weights = _log_sums(multipliers @ self._functions)
        means = weights @ self._functions.T
        order = len(self._functions)
        second = (weights @ self._products.T).reshape(-1, order, order)
        hessian = second - means[:, :, None] * means[:, None, :]
        # A floor for densities that have shrunk to a few nodes.
        floor = NULL_CURVATURE * (1.0 + np.trace(hessian, axis1=1, axis2=2))
        return means - self._wanted[which], hessian + floor[:, None, None] * np.eye(order)

    def damped(
        self, multipliers: FloatArray, steps: FloatArray, gradient: FloatArray, which: IntArray
    ) -> FloatArray:
        """Each row moved by the longest of the halved steps that lowers the dual enough."""
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
