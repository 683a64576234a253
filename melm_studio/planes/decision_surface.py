"""A kernel machine in a plane, beside its approximation: their values, ROC curves and figure.

The counterpart of `melm_studio.planes.plane_view` for kernel machines: computes arrays and captions
from the projected rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from msgspec import Meta, Struct, field
from plotly.subplots import make_subplots
from scipy.spatial.distance import pdist
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.svm import SVC, SVR

from melm_core.base import (
    FloatArray,
    IntArray,
    UserError,
    check_choice,
    check_positive,
    one_thread_each,
    stratified_sample,
)
from melm_core.baselines import KernelFisherDiscriminant, MutualInformationProjection
from melm_core.density import kernel_classes
from melm_core.kernel_machines import (
    ApproximationWarning,
    KernelMachine,
    KernelMachineApproximation,
    MarginalMethod,
    Mode,
    format_ratio,
    measured_speed_up,
)
from melm_studio.planes.class_outlines import GRID_LINES
from melm_studio.planes.kept_values import kept
from melm_studio.planes.run_planes import RunPlanes
from melm_studio.planes.theme import (
    THEMES,
    TRANSPARENT,
    Scheme,
    Theme,
    class_color,
    class_shape,
    page_layout,
    translucent,
)
from melm_studio.planes.types import ProjectedRows
from melm_studio.planes.view_options import Shown
from melm_studio.tables import count
from melm_studio.validation import Count

# Bandwidth of machines other than densities, as a share of the median distance between two rows.
BANDWIDTH_SHARE = 0.25

# The median distance is estimated from this many rows.
MAX_MEASURED_ROWS = 1_000

# Regularization at which the weights hardly cancel, so the modes represent the machine.
FISHER_REGULARIZATION = 0.03

# The penalty of kernel least squares: the noise of a Gaussian process of unit height.
RIDGE = 1.0

# The grid extends this many bandwidths beyond the outermost row.
MARGIN_BANDWIDTHS = 1.0

# Surfaces in a cache. A machine of more rows would delay the page, and its surface looks the same.
MAX_SURFACES, MAX_SURFACE_ROWS = 16, 3_000

# Speed ratios below this are within the resolution of the clock.
EVEN_SPEED = 1.1
_MACHINE, _APPROXIMATION, _ROC = 1, 2, 3

# Percentile of the absolute decision values from which the color is full.
_FULL_COLOR = 90.0

_MOST_POINTS = 600


@dataclass(frozen=True)
class MachineKind:
    """A kernel machine that can be fitted in a plane, with a one-sentence explanation."""

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
                "The difference of two kernel densities; every row is a center.",
            ),
            MachineKind(
                "kernel_fisher",
                "Kernel Fisher",
                "The function that best separates the class means; every row is a center.",
            ),
            MachineKind(
                "svc",
                "Support vectors",
                "The widest margin between the classes; the rows near it are the centers.",
            ),
            MachineKind(
                "least_squares",
                "Least squares",
                "Kernel ridge regression of the side, 1 or -1, which is the mean of a Gaussian "
                "process; every row is a center.",
            ),
            MachineKind(
                "svr",
                "Support vector regression",
                "Regression of the side, 1 or -1, that ignores small errors; rows with larger ones "
                "are the centers.",
            ),
            MachineKind(
                "mutual_information",
                "Mutual information",
                "The direction in feature space that informs most of the side; every row is a "
                "center.",
            ),
            MachineKind(
                "kernel_pca",
                "Kernel PCA",
                "The first kernel principal component, found without the classes and turned so "
                "that the chosen one is higher; every row is a center.",
            ),
        )
    }
)


class SurfaceRequest(Struct, frozen=True):
    """The kernel machine to fit in a plane, and its approximation.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    method : str
    code : int
        The class that is separated from the rest. JSON: ``class``.
    """

    kind: Annotated[str, Meta(title="The kernel machine")]
    method: Annotated[MarginalMethod, Meta(title="The approximation")]
    code: Annotated[Count, Meta(title="The class")] = field(default=0, name="class")


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The ROC curve of a decision function on the held-out rows.

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
    """A kernel machine and its approximation in a plane.

    Attributes
    ----------
    machine : KernelMachine
    approximation : KernelMachineApproximation
        Its `modes` are marked in the figure.
    x, y : ndarray of shape (GRID_LINES,)
        Grid lines.
    machine_values, approximation_values : ndarray of shape (GRID_LINES, GRID_LINES)
        Decision values, one row for each y; the surface is their zero level.
    machine_roc, approximation_roc : RocCurve or None
        On the held-out rows; None if these belong to one side only.
    speed_up : float
        Time of the machine divided by that of the approximation, measured on the grid.
    summary : str
        One sentence with the speed and, if there are held-out rows, the AUC.
    cautions : tuple of str
        One sentence for each reason not to use the approximation; usually none.
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


class DecisionSurfaces:
    """Kernel machines in the planes of runs, each fitted once for all who ask for it.

    Parameters
    ----------
    planes : RunPlanes
    """

    def __init__(self, planes: RunPlanes) -> None:
        self._planes = planes

    @kept(MAX_SURFACES, lambda _, *asked: asked)
    def of(self, shown: Shown, request: SurfaceRequest) -> tuple[ProjectedRows, DecisionSurface]:
        """Return a kernel machine fitted in the plane of an event, one class against the rest.

        Raises
        ------
        UserError
            If the kind of machine is unknown, or a side has too few rows.
        """
        rows = self._planes.viewer(shown.record).rows(shown.event.components, MAX_SURFACE_ROWS)
        with one_thread_each():  # the workers need the other cores
            surface = decision_surface(
                rows.train,
                rows.train_y == request.code,
                rows.held_out,
                rows.held_out_y == request.code,
                kind=request.kind,
                method=request.method,
            )
        return rows, surface


def decision_surface(
    train: FloatArray,
    is_positive: npt.NDArray[np.bool_],
    held_out: FloatArray,
    is_held_out_positive: npt.NDArray[np.bool_],
    *,
    kind: str = "kernel_fisher",
    width: float = 1.0,
    method: MarginalMethod = "exact",
    order: int = 4,
    refit: bool = True,
) -> DecisionSurface:
    """Fit a kernel machine to projected rows, approximate it, and compute the view of both.

    Parameters
    ----------
    train : ndarray of shape (n_train, 2)
        Projected training rows.
    is_positive : ndarray of bool, shape (n_train,)
        Side of each row: one class, against the other or against the rest.
    held_out : ndarray of shape (n_held_out, 2)
        Projected held-out rows, possibly none.
    is_held_out_positive : ndarray of bool, shape (n_held_out,)
    kind : str
        A key of `KINDS`.
    width : float
        Multiplies the bandwidth.
    method, order, refit
        See `KernelMachineApproximation`.

    Raises
    ------
    UserError
        If a side has fewer than two rows, or a parameter breaks a rule.
    """
    machine = fitted_machine(kind, train, is_positive, width=width)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ApproximationWarning)
        approximation = KernelMachineApproximation(
            machine, train, method=method, order=order, refit=refit
        )
    x, y = _grid_lines(train, machine)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    values = [model.decision_function(points) for model in (machine, approximation)]
    rocs = [_roc(model, held_out, is_held_out_positive) for model in (machine, approximation)]
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
        tuple(
            str(warning.message) for warning in caught if warning.category is ApproximationWarning
        ),
    )


def fitted_machine(
    kind: str, rows: FloatArray, is_positive: npt.NDArray[np.bool_], *, width: float = 1.0
) -> KernelMachine:
    """Fit a kernel machine whose values are positive on the side of the positive rows.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    rows : ndarray of shape (n_samples, n_features)
    is_positive : ndarray of bool, shape (n_samples,)
    width : float
        Multiplies Silverman's bandwidth for densities, and a quarter of the median distance
        between two rows for the other machines.

    Raises
    ------
    UserError
        If a side has fewer than two rows, or a parameter breaks a rule.
    """
    check_choice("kind", kind, tuple(KINDS))
    check_positive("width", width)
    codes = np.asarray(is_positive).astype(np.int64)
    counts = np.bincount(codes, minlength=2)
    if counts.min() < 2:
        raise UserError(
            f"The two sides have {counts[1]} and {counts[0]} row(s), but a kernel machine needs at "
            "least 2 of each. Choose another class or hold out fewer rows."
        )
    return _FITS[kind](rows, codes, width)


def summarized(
    speed_up: float, n_centers: int, machine: RocCurve | None, approximation: RocCurve | None
) -> str:
    """Speed and AUC, as "13 times faster at 3,000 centers; AUC 0.994 against 0.995"."""
    centers = count(n_centers, "center")
    if speed_up >= EVEN_SPEED:
        speed = f"{format_ratio(speed_up)} times faster at {centers}"
    elif speed_up > 1 / EVEN_SPEED:
        speed = f"As fast as the machine at {centers}"
    else:
        speed = f"{format_ratio(1 / speed_up)} times slower at {centers}: keep the machine"
    if machine is None or approximation is None:
        return speed
    return f"{speed}; AUC {approximation.auc:.3f} against {machine.auc:.3f}"


def _densities(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    made = kernel_classes(rows, codes, n_components=rows.shape[1], gamma=width, shrinkage="auto")
    return KernelMachine.from_densities(made)


def _kernel_fisher(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    model = KernelFisherDiscriminant(
        bandwidth=_bandwidth(rows, width), regularization=FISHER_REGULARIZATION
    )
    return KernelMachine.from_estimator(model.fit(rows, codes))


def _support_vectors(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    model = SVC(gamma=0.5 / _bandwidth(rows, width) ** 2)
    return KernelMachine.from_estimator(model.fit(rows, codes))


def _least_squares(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    gamma = 0.5 / _bandwidth(rows, width) ** 2
    model = KernelRidge(alpha=RIDGE, kernel="rbf", gamma=gamma)
    return KernelMachine.from_estimator(model.fit(rows, 2.0 * codes - 1.0))


def _support_vector_regression(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    model = SVR(gamma=0.5 / _bandwidth(rows, width) ** 2)
    return KernelMachine.from_estimator(model.fit(rows, 2.0 * codes - 1.0))


def _mutual_information(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    model = MutualInformationProjection(1, bandwidth=_bandwidth(rows, width))
    return KernelMachine.from_estimator(model.fit(rows, codes))


def _kernel_pca(rows: FloatArray, codes: IntArray, width: float) -> KernelMachine:
    gamma = 0.5 / _bandwidth(rows, width) ** 2
    model = KernelPCA(1, kernel="rbf", gamma=gamma, random_state=0)
    machine = KernelMachine.from_estimator(model.fit(rows))
    values = machine.decision_function(rows)
    sign = 1.0 if values[codes == 1].mean() >= values[codes == 0].mean() else -1.0
    return replace(machine, weights=sign * machine.weights, intercept=sign * machine.intercept)


_FITS: Mapping[str, Callable[[FloatArray, IntArray, float], KernelMachine]] = {
    "densities": _densities,
    "kernel_fisher": _kernel_fisher,
    "svc": _support_vectors,
    "least_squares": _least_squares,
    "svr": _support_vector_regression,
    "mutual_information": _mutual_information,
    "kernel_pca": _kernel_pca,
}


def _bandwidth(rows: FloatArray, width: float) -> float:
    measured = rows[stratified_sample(np.zeros(len(rows), int), MAX_MEASURED_ROWS / len(rows), 1)]
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


def surface_figure(
    surface: DecisionSurface, rows: ProjectedRows, code: int, scheme: Scheme = Scheme.LIGHT
) -> go.Figure:
    """The machine, its approximation with modes and axes, and the ROC curves of both, if any.

    Parameters
    ----------
    surface : DecisionSurface
    rows : ProjectedRows
        The rows that the machine was fitted to.
    code : int
        The class that the machine separates from the others.
    scheme : Scheme
    """
    theme = THEMES[scheme]
    curves = _roc_traces(surface, theme)
    titles = ("Kernel machine", _modes_in_words(surface))
    figure = make_subplots(3 if curves else 2, 1, subplot_titles=titles, vertical_spacing=0.08)
    values = (surface.machine_values, surface.approximation_values)
    strongest = float(np.percentile(np.abs(surface.machine_values), _FULL_COLOR))
    for row, heights in zip((_MACHINE, _APPROXIMATION), values, strict=True):
        traces = (
            _heat(surface, heights, strongest, code, theme),
            _zero_line(surface, heights, theme),
            *_points(rows, code, theme),
        )
        figure.add_traces(traces, rows=row, cols=1)
    modes = surface.approximation.modes
    figure.add_traces((_axes(modes, theme), _modes(modes, theme)), rows=_APPROXIMATION, cols=1)
    if curves:
        figure.add_traces(curves, rows=_ROC, cols=1)
        _lay_out_roc(figure, theme)
    return _laid_out(figure, surface, theme)


def _modes_in_words(surface: DecisionSurface) -> str:
    n_modes, n_parts = len(surface.approximation.modes), surface.approximation.n_components
    modes = "1 mode" if n_modes == 1 else f"{n_modes} modes"
    return modes if n_parts == n_modes else f"{modes} of {n_parts} separable parts"


def _heat(
    surface: DecisionSurface, values: FloatArray, strongest: float, code: int, theme: Theme
) -> go.Heatmap:
    color = class_color(code, theme)
    return go.Heatmap(
        x=surface.x,
        y=surface.y,
        z=values,
        zmin=-strongest,
        zmax=strongest,
        colorscale=[
            [0.0, translucent(theme.faint_ink, 0.45)],
            [0.5, translucent(theme.faint_ink, 0.0)],
            [0.5, translucent(color, 0.0)],
            [1.0, translucent(color, 0.6)],
        ],
        zsmooth="best",
        showscale=False,
        hovertemplate="%{z:.3g}<extra></extra>",
    )


def _zero_line(surface: DecisionSurface, values: FloatArray, theme: Theme) -> go.Contour:
    return go.Contour(
        x=surface.x,
        y=surface.y,
        z=values,
        contours={"start": 0.0, "end": 0.0, "size": 1.0, "coloring": "lines"},
        colorscale=[[0.0, theme.ink], [1.0, theme.ink]],
        line={"width": 2.4},
        showscale=False,
        hoverinfo="skip",
    )


def _points(rows: ProjectedRows, code: int, theme: Theme) -> list[go.Scatter]:
    """The class and the rest, thinned evenly if there are many rows."""
    step = max(1, len(rows.train) // _MOST_POINTS)
    seen, is_of_class = rows.train[::step], rows.train_y[::step] == code
    colors = (theme.faint_ink, class_color(code, theme))
    shapes = ("circle-open", class_shape(code))
    return [
        go.Scatter(
            x=seen[is_of_class == side, 0],
            y=seen[is_of_class == side, 1],
            mode="markers",
            marker={"size": 4, "color": translucent(color, 0.75), "symbol": shape},
            hoverinfo="skip",
        )
        for side, color, shape in zip((False, True), colors, shapes, strict=True)
    ]


def _axes(modes: Sequence[Mode], theme: Theme) -> go.Scatter:
    """One standard deviation to both sides of every component, along its independent axes."""
    gap = np.full((1, 2), np.nan)
    segments = [
        np.vstack([part.mean - axis, part.mean + axis, gap])
        for mode in modes
        for part in mode.components
        for axis in part.axes
    ]
    lines = np.concatenate(segments or [gap])
    line = {"color": theme.ink, "width": 1.6}
    return go.Scatter(x=lines[:, 0], y=lines[:, 1], mode="lines", line=line, hoverinfo="skip")


def _modes(modes: Sequence[Mode], theme: Theme) -> go.Scatter:
    places = np.reshape([mode.location for mode in modes], (-1, 2))
    return go.Scatter(
        x=places[:, 0],
        y=places[:, 1],
        mode="markers+text",
        marker={
            "size": 17,
            "color": theme.surface,
            "line": {"width": 1.6, "color": theme.ink},
        },
        text=["+" if mode.sign > 0 else "−" for mode in modes],
        textfont={"size": 14, "color": theme.ink},
        customdata=[len(mode.members) for mode in modes],
        hovertemplate="mode of %{customdata} centers<extra></extra>",
    )


def _roc_traces(surface: DecisionSurface, theme: Theme) -> list[go.Scatter]:
    """The curves and the diagonal of guessing; none without held-out rows."""
    if surface.machine_roc is None or surface.approximation_roc is None:
        return []
    chance = go.Scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": theme.grid, "width": 1}, hoverinfo="skip"
    )
    solid = {"color": theme.faint_ink, "width": 5}
    dashed = {"color": theme.class_colors[1], "width": 2.2}
    return [
        chance,
        _roc_line(surface.machine_roc, "machine", solid),
        _roc_line(surface.approximation_roc, "modes", dashed),
    ]


def _roc_line(curve: RocCurve, name: str, line: Mapping[str, object]) -> go.Scatter:
    return go.Scatter(
        x=curve.false_positive_rates,
        y=curve.true_positive_rates,
        name=f"{name}, AUC {curve.auc:.3f}",
        mode="lines",
        line={**line, "shape": "hv"},
        showlegend=True,
        hovertemplate="%{x:.3f}, %{y:.3f}<extra>" + name + "</extra>",
    )


def _lay_out_roc(figure: go.Figure, theme: Theme) -> None:
    rate = {"range": [-0.02, 1.02], "gridcolor": theme.grid, "zeroline": False, "nticks": 3}
    figure.update_xaxes(title="false positive rate, held out", **rate, row=_ROC, col=1)
    figure.update_yaxes(title="true positive rate", **rate, row=_ROC, col=1)


def _laid_out(figure: go.Figure, surface: DecisionSurface, theme: Theme) -> go.Figure:
    plane = {"showticklabels": False, "ticks": "", "showgrid": False, "zeroline": False}
    ranges = [[axis[0], axis[-1]] for axis in (surface.x, surface.y)]
    for row in (_MACHINE, _APPROXIMATION):
        figure.update_xaxes(range=ranges[0], **plane, row=row, col=1)
        figure.update_yaxes(range=ranges[1], **plane, row=row, col=1)
    figure.update_xaxes(matches="x", row=_APPROXIMATION, col=1)
    figure.update_yaxes(matches="y", row=_APPROXIMATION, col=1)
    return figure.update_layout(
        margin={"l": 8, "r": 8, "t": 34, "b": 40},
        **page_layout(theme.ink),
        showlegend=True,
        legend={"x": 1.0, "y": 0.02, "xanchor": "right", "bgcolor": TRANSPARENT},
        dragmode="pan",
    ).update_traces(showlegend=False, selector=lambda trace: not trace.name)
