"""All that is drawn of a kernel machine in a plane beside its approximation.

The counterpart of `melm_studio.views.plane_view` for kernel machines: rows of a plane in,
arrays and sentences out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.svm import SVC

from melm_core.base import FloatArray, IntArray, check_choice, check_positive, stratified_sample
from melm_core.baselines import KernelFisherDiscriminant
from melm_core.density import kernel_classes
from melm_core.kernel_machines import (
    ApproximationWarning,
    KernelMachine,
    KernelMachineApproximation,
    MarginalMethod,
    format_ratio,
    measured_speed_up,
)
from melm_studio.views.contours import GRID_LINES

# Bandwidth of the machines that are not densities, in median distances of two rows.
BANDWIDTH_SHARE = 0.25

# The median of more distances than those of this many rows is no different.
MOST_MEASURED_ROWS = 1_000

# Regularisation at which the weights hardly cancel, so that the modes stand for the machine.
FISHER_REGULARIZATION = 0.03

# The surface ends this many bandwidths beyond the outermost row.
MARGIN_BANDWIDTHS = 1.0

# Below this, rounding of the clock decides which of the two is faster.
EVEN_SPEED = 1.1


@dataclass(frozen=True)
class MachineKind:
    """A kernel machine that can be fitted in a plane, and one sentence about it."""

    key: str
    label: str
    explanation: str


KINDS: Mapping[str, MachineKind] = MappingProxyType(
    {
        kind.key: kind
        for kind in (
            MachineKind(
                "densities",
                "Densities",
                "The difference of two kernel densities; every row is a centre.",
            ),
            MachineKind(
                "kernel_fisher",
                "Kernel Fisher",
                "The function that tells the class means apart best; every row is a centre.",
            ),
            MachineKind(
                "svc",
                "Support vectors",
                "The widest margin between the classes; rows near it are the centres.",
            ),
        )
    }
)


@dataclass(frozen=True, eq=False)
class RocCurve:
    """How a decision function ranks the held-out rows.

    Attributes
    ----------
    false_positive_rates, true_positive_rates : ndarray of shape (n_thresholds,)
    auc : float
    """

    false_positive_rates: FloatArray
    true_positive_rates: FloatArray
    auc: float


@dataclass(frozen=True, eq=False)
class DecisionSurface:
    """A machine and its approximation in a plane.

    Attributes
    ----------
    machine : KernelMachine
    approximation : KernelMachineApproximation
        Its `modes_` hold what is to be marked.
    x, y : ndarray of shape (GRID_LINES,)
        Grid lines.
    machine_values, approximation_values : ndarray of shape (GRID_LINES, GRID_LINES)
        Decision values, a row for each y; the surface is where they are zero.
    machine_roc, approximation_roc : RocCurve or None
        On the held-out rows; None where they lack one of the two sides.
    speed_up : float
        Time of the machine over that of the approximation, measured on the grid.
    summary : str
        Speed and, where there are held-out rows, AUC, in one sentence.
    cautions : tuple of str
        Why the approximation should not be used, a sentence each; usually none.
    """

    machine: KernelMachine
    approximation: KernelMachineApproximation
    x: FloatArray
    y: FloatArray
    machine_values: FloatArray
    approximation_values: FloatArray
    machine_roc: RocCurve | None
    approximation_roc: RocCurve | None
    speed_up: float
    summary: str
    cautions: tuple[str, ...]


def decision_surface(
    seen: FloatArray,
    is_positive: npt.NDArray[np.bool_],
    unseen: FloatArray,
    is_unseen_positive: npt.NDArray[np.bool_],
    *,
    kind: str = "kernel_fisher",
    width: float = 1.0,
    method: MarginalMethod = "exact",
    order: int = 4,
    refit: bool = True,
) -> DecisionSurface:
    """Fit a machine on rows of a plane, approximate it, and compute what is drawn of both.

    Parameters
    ----------
    seen : ndarray of shape (n_seen, 2)
        Projected rows to fit on.
    is_positive : ndarray of bool, shape (n_seen,)
        Side of each row: a class, against the other or against the rest.
    unseen : ndarray of shape (n_unseen, 2)
        Held-out rows, possibly none.
    is_unseen_positive : ndarray of bool, shape (n_unseen,)
    kind : str
        A key of `KINDS`.
    width : float
        Multiplies the bandwidth.
    method, order, refit
        See `KernelMachineApproximation`.

    Raises
    ------
    ValueError
        If there are fewer than two rows of a side, or a parameter breaks a rule.
    """
    machine = fitted_machine(kind, seen, is_positive, width=width)
    approximation = KernelMachineApproximation(method, order, refit=refit)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ApproximationWarning)
        approximation.fit(machine, seen)
    x, y = _grid_lines(seen, machine)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    values = [model.decision_function(points) for model in (machine, approximation)]
    rocs = [_roc(model, unseen, is_unseen_positive) for model in (machine, approximation)]
    speed_up = measured_speed_up(machine, approximation, points)
    return DecisionSurface(
        machine,
        approximation,
        x,
        y,
        values[0].reshape(len(y), len(x)),
        values[1].reshape(len(y), len(x)),
        rocs[0],
        rocs[1],
        speed_up,
        summarized(speed_up, len(machine.centers), rocs[0], rocs[1]),
        tuple(str(one.message) for one in caught if one.category is ApproximationWarning),
    )


def fitted_machine(
    kind: str, rows: FloatArray, is_positive: npt.NDArray[np.bool_], *, width: float = 1.0
) -> KernelMachine:
    """A machine of this kind, positive on the side of the positive rows.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    rows : ndarray of shape (n_samples, n_features)
    is_positive : ndarray of bool, shape (n_samples,)
    width : float
        Multiplies Silverman's bandwidth of the densities, and a quarter of the
        median distance between two rows elsewhere.
    """
    check_choice("kind", kind, tuple(KINDS))
    check_positive("width", width)
    codes = np.asarray(is_positive).astype(np.int64)
    counts = np.bincount(codes, minlength=2)
    if counts.min() < 2:
        raise ValueError(
            f"The two sides have {counts[1]} and {counts[0]} row(s), and a kernel machine needs at "
            "least 2 of each; choose another class or hold out fewer rows."
        )
    return _FITS[kind](rows, codes, width)


def summarized(
    speed_up: float, n_centers: int, machine: RocCurve | None, approximation: RocCurve | None
) -> str:
    """Speed and AUC in words, as "13 times faster at 3 000 rows; AUC 0.994 against 0.995"."""
    rows = f"{n_centers:,}".replace(",", "\u202f") + " centres"
    if speed_up >= EVEN_SPEED:
        speed = f"{format_ratio(speed_up)} times faster at {rows}"
    elif speed_up > 1 / EVEN_SPEED:
        speed = f"As fast as the machine at {rows}"
    else:
        speed = f"{format_ratio(1 / speed_up)} times slower at {rows}: keep the machine"
    if machine is None or approximation is None:
        return speed
    return f"{speed}; AUC {approximation.auc:.3f} against {machine.auc:.3f}"


def _densities(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    made = kernel_classes(rows, codes, n_components=rows.shape[1], gamma=width)
    return KernelMachine.from_densities(made)


def _kernel_fisher(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    model = KernelFisherDiscriminant(
        bandwidth=_bandwidth(rows, width), regularization=FISHER_REGULARIZATION
    )
    return KernelMachine.from_estimator(model.fit(rows, codes))


def _support_vectors(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    model = SVC(gamma=0.5 / _bandwidth(rows, width) ** 2)
    return KernelMachine.from_estimator(model.fit(rows, codes))


_FITS: Mapping[str, Callable[[FloatArray, IntArray, float], KernelMachine]] = {
    "densities": _densities,
    "kernel_fisher": _kernel_fisher,
    "svc": _support_vectors,
}


def _bandwidth(rows: FloatArray, width: float) -> float:
    measured = rows[stratified_sample(np.zeros(len(rows), int), MOST_MEASURED_ROWS / len(rows), 1)]
    distances = pdist(measured)
    apart = distances[distances > 0]
    return width * BANDWIDTH_SHARE * float(np.median(apart)) if len(apart) else width


def _grid_lines(rows: FloatArray, machine: KernelMachine) -> tuple[FloatArray, FloatArray]:
    # Widths of the kernel along the two axes of the plane.
    widths = np.sqrt(np.diag(np.linalg.pinv(machine.linear_map() @ machine.linear_map().T)))
    lower = rows.min(axis=0) - MARGIN_BANDWIDTHS * widths
    upper = rows.max(axis=0) + MARGIN_BANDWIDTHS * widths
    x, y = np.linspace(lower, upper, GRID_LINES).T
    return x, y


def _roc(
    model: KernelMachine | KernelMachineApproximation,
    rows: FloatArray,
    is_positive: npt.NDArray[np.bool_],
) -> RocCurve | None:
    if len(np.unique(is_positive)) < 2:
        return None
    values = model.decision_function(rows)
    false_positives, true_positives, _ = roc_curve(is_positive, values)
    return RocCurve(false_positives, true_positives, float(roc_auc_score(is_positive, values)))
