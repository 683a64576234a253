"""Charts of features: their loadings, their part in latent components, the classes along one."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from melm_core.base import FloatArray, IntArray, UserError, percent
from melm_core.evaluation import Refits
from melm_core.folds import sampled_rows
from melm_core.methods import METHODS
from melm_studio.planes.features import ordered_numbers
from melm_studio.planes.figure import PlaneTrace, empty_figure, limits, plane_frame, shown
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.theme import THEMES, Scheme, Theme, page_layout
from melm_studio.planes.types import PlaneView
from melm_studio.runs.execution.rows import RunData, rows_of, study_of
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import feature_sentence
from melm_studio.tables import LabeledData, shortened

# More points are a cloud, which takes long to draw; weaker ones lie at its center.
MOST_POINTS = 2_000
MOST_NAMED = 12
_MARGIN = 0.15
_LINES_SHARE = 0.4  # of the height
# A request fits the method up to twelve times; of more rows, this many stand for all.
MOST_JUDGED_ROWS = 5_000

_EXPLAINED = "Of the training rows, R²X = {r2x} and R²Y = {r2y}. In cross-validation, Q² = {q2}"
_MEANING = " (share of the classes that is predicted; 0 % is guessing)."
_NOTHING = ": worse than guessing by the class shares, so the picture shows noise."
MOST_BARS, _NAMED_IN_S_PLOT = 24, 6
_REACH = 1.05  # of the axis of correlations
_CONSTANT = "{name} has a single value in the training rows, so it has no densities."
# The feature needs no arrow along itself.
_LEFT_OUT = {PlaneTrace.FAINT_ARROWS, PlaneTrace.ARROW_LINES, PlaneTrace.ARROW_HEADS}
_LONGEST_NAME = 24
# The smallest plot of points on the page, in a dialog on a telephone.
_WIDTH, _HEIGHT = 300.0, 280.0
_LETTER, _LINE, _GAP = 6.6, 17.0, 7.0  # of text of 13 pixels

# The corner of the text, as shares of its width and height from the point, and a sign of the gap.
_SIDES: Mapping[str, tuple[float, float, int, int]] = MappingProxyType(
    {
        "middle right": (0.0, -0.5, 1, 0),
        "middle left": (-1.0, -0.5, -1, 0),
        "top center": (-0.5, 0.0, 0, 1),
        "bottom center": (-0.5, -1.0, 0, -1),
        "top right": (0.0, 0.0, 0, 1),
        "top left": (-1.0, 0.0, 0, 1),
        "bottom right": (0.0, -1.0, 0, -1),
        "bottom left": (-1.0, -1.0, 0, -1),
    }
)


def loadings_figure(
    loadings: npt.NDArray[np.floating],
    names: Sequence[str],
    titles: Sequence[str] = ("Component 1", "Component 2"),
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """A point for each feature and, above them where their names are ordered numbers, two lines.

    Parameters
    ----------
    loadings : ndarray of shape (n_features, 2)
        In the coordinates in which the plane is drawn; a point lies in the direction of the arrow
        of its feature.
    names : sequence of str, (n_features,)
    titles : sequence of str, (2,)
        Of the axes of the plane.
    scheme : Scheme

    Examples
    --------
    >>> figure = loadings_figure(np.array([[0.8, 0.1], [0.0, -0.5]]), ["flavanoids", "ash"])
    >>> [trace.mode for trace in figure.data]
    ['markers+text']
    """
    theme = THEMES[scheme]
    loadings = loadings.astype(np.float32)
    figure = go.Figure(_points(loadings, names, theme))
    lower, upper = _bounds(loadings)
    figure.update_xaxes(range=[lower[0], upper[0]], title=f"loading on {_of(titles[0])}")
    figure.update_yaxes(range=[lower[1], upper[1]], title=f"loading on {_of(titles[1])}")
    positions = ordered_numbers(names)
    if positions is not None:
        _add_lines(figure, loadings, positions, titles, theme)
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(gridcolor=theme.grid, zerolinewidth=1)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom"}
    _laid_out(figure, theme, zero=theme.faint_ink, top=24)
    return figure.update_layout(legend=legend, showlegend=positions is not None)


def _of(title: str) -> str:
    """The name of an axis without the share of variance that it explains."""
    name = title.partition(",")[0]
    return name[:1].lower() + name[1:]


def _points(loadings: npt.NDArray[np.floating], names: Sequence[str], theme: Theme) -> go.Scatter:
    strongest = np.argsort(-np.linalg.norm(loadings, axis=1), kind="stable")[:MOST_POINTS]
    points, strongest_names = loadings[strongest], [names[i] for i in strongest]
    order = np.arange(min(MOST_NAMED, len(points)))
    texts, positions = point_labels(points, strongest_names, order, _bounds(loadings))
    return go.Scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers+text",
        text=texts,
        textposition=positions,
        customdata=[html.escape(name, quote=False) for name in strongest_names],
        marker={"color": theme.class_colors[0], "size": 8, "opacity": 0.75},
        hovertemplate="%{customdata}<br>%{x:.3g}, %{y:.3g}<extra></extra>",
        showlegend=False,
    )


def _bounds(loadings: npt.NDArray[np.floating]) -> FloatArray:
    """Bounds that hold all points and the origin, with the same unit on both axes."""
    half = float(np.abs(loadings).max(initial=0.0)) or 1.0
    half *= 1.0 + _MARGIN
    return np.array([[-half, -half], [half, half]])


def _add_lines(
    figure: go.Figure,
    loadings: npt.NDArray[np.floating],
    positions: list[float],
    titles: Sequence[str],
    theme: Theme,
) -> None:
    """The loadings along the numbers that name the features, above the points."""
    for column, (title, dash) in enumerate(zip(titles, ("solid", "dash"), strict=True)):
        figure.add_scatter(
            x=positions,
            y=loadings[:, column],
            mode="lines",
            name=_of(title),
            line={"color": theme.class_colors[column], "width": 1.5, "dash": dash},
            hovertemplate="%{x:g}: %{y:.3g}<extra></extra>",
            xaxis="x2",
            yaxis="y2",
        )
    figure.update_layout(
        yaxis={"domain": [0.0, 1.0 - _LINES_SHARE - 0.1]},
        xaxis2={"anchor": "y2", "title": "feature"},
        yaxis2={"anchor": "x2", "domain": [1.0 - _LINES_SHARE, 1.0], "title": "loading"},
    )


@dataclass(frozen=True, eq=False)
class LatentStructure:
    """The components of a run of PLS-DA or OPLS-DA.

    Attributes
    ----------
    feature_names : tuple of str, (n_features,)
    r2x, r2x_orthogonal : float
        Share of the variance of the features that the components explain, and those that are
        orthogonal to the classes; of the training rows.
    r2y : float
        Share of the variance of the class indicators.
    q2 : float
        The same of held-out rows, see `Refits.predicted_share`.
    importances : ndarray of shape (n_features,)
        VIP, of PLS-DA; empty of OPLS-DA.
    s_plot : ndarray of shape (2, n_features), or None
        Covariances and correlations with the first predictive score, of OPLS-DA.
    """

    feature_names: tuple[str, ...]
    r2x: float
    r2x_orthogonal: float
    r2y: float
    q2: float
    importances: FloatArray = field(default_factory=lambda: np.empty(0))
    s_plot: FloatArray | None = None

    @property
    def line(self) -> str:
        """The share of the classes that is explained, and beside it predicted."""
        return f"R²Y {percent(self.r2y)}, Q² {percent(self.q2)}"

    @property
    def words(self) -> str:
        """The shares in two sentences."""
        r2x = percent(self.r2x)
        if self.r2x_orthogonal:
            r2x += f" (orthogonal to the classes {percent(self.r2x_orthogonal)})"
        end = _MEANING if self.q2 > 0 else _NOTHING
        return _EXPLAINED.format(r2x=r2x, r2y=percent(self.r2y), q2=percent(self.q2)) + end


def latent_structure(data: RunData, record: RunRecord) -> LatentStructure:
    """Fit the method of a run again, and cross-validate it.

    Parameters
    ----------
    data : LabeledData
    record : RunRecord
        Of a method that predicts indicators.
    """
    train, _ = rows_of(data, record)
    fitted = METHODS[record.method].estimator(record.parameters.values).fit(train.X, train.y)
    sample = sampled_rows(data.y, MOST_JUDGED_ROWS, data.groups)
    refits = Refits.of(study_of(data, record, sample))
    return _of_fitted(fitted, train.feature_names, refits.predicted_share)


def _of_fitted(fitted: Any, names: tuple[str, ...], q2: float) -> LatentStructure:
    r2y = float(np.sum(fitted.r2y_))
    if hasattr(fitted, "s_plot_"):
        predictive, orthogonal = fitted.r2x_predictive_.sum(), fitted.r2x_orthogonal_.sum()
        return LatentStructure(
            names, float(predictive), float(orthogonal), r2y, q2, s_plot=fitted.s_plot_
        )
    return LatentStructure(names, float(fitted.r2x_.sum()), 0.0, r2y, q2, importances=fitted.vip_)


def importance_figure(
    importances: FloatArray, names: Sequence[str], scheme: Scheme = Scheme.LIGHT
) -> go.Figure:
    """Bars of the largest VIP, with a line at 1, that of an average feature.

    Parameters
    ----------
    importances : ndarray of shape (n_features,)
    names : sequence of str, (n_features,)
    scheme : Scheme
    """
    theme = THEMES[scheme]
    largest = np.argsort(importances)[-MOST_BARS:]
    places = list(range(len(largest)))
    bars = go.Bar(
        x=importances[largest],
        y=places,
        text=[html.escape(names[i], quote=False) for i in largest],
        textposition="none",
        orientation="h",
        marker={"color": theme.class_colors[0]},
        hovertemplate="%{text}: %{x:.2f}<extra></extra>",
    )
    figure = go.Figure([bars])
    figure.add_vline(1.0, line={"color": theme.ink, "width": 1, "dash": "dash"})
    figure.update_xaxes(title="VIP", gridcolor=theme.grid)
    ticks = [shown(names[i]) for i in largest]
    figure.update_yaxes(tickvals=places, ticktext=ticks, automargin=True, zeroline=False)
    return _laid_out(figure, theme)


def s_plot_figure(
    s_plot: FloatArray, names: Sequence[str], scheme: Scheme = Scheme.LIGHT
) -> go.Figure:
    """Correlation against covariance of each feature with the predictive score.

    Parameters
    ----------
    s_plot : ndarray of shape (2, n_features)
        Covariances and correlations.
    names : sequence of str, (n_features,)
    scheme : Scheme
    """
    theme = THEMES[scheme]
    covariances, correlations = s_plot
    strongest = np.argsort(-np.abs(covariances * correlations))[:_NAMED_IN_S_PLOT]
    reach = 1.05 * float(np.abs(covariances).max(initial=0.0)) or 1.0
    bounds = np.array([[-reach, -_REACH], [reach, _REACH]])
    texts, positions = point_labels(s_plot.T, names, strongest, bounds)
    points = go.Scatter(
        x=covariances,
        y=correlations,
        mode="markers+text",
        text=texts,
        textposition=positions,
        customdata=[html.escape(name, quote=False) for name in names],
        marker={"color": theme.class_colors[0], "size": 8},
        hovertemplate="%{customdata}<br>covariance %{x:.3g}, correlation %{y:.2f}<extra></extra>",
    )
    figure = go.Figure([points])
    figure.update_xaxes(
        title="covariance with the predictive score", range=[-reach, reach], gridcolor=theme.grid
    )
    figure.update_yaxes(title="correlation", range=[-_REACH, _REACH], gridcolor=theme.grid)
    return _laid_out(figure, theme)


def _laid_out(figure: go.Figure, theme: Theme, zero: str = "", top: int = 8) -> go.Figure:
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(zerolinecolor=zero or theme.grid, title_font_size=13)
    return figure.update_layout(
        margin={"l": 8, "r": 8, "t": top, "b": 40},
        **page_layout(theme.ink),
        showlegend=False,
        dragmode="pan",
        hovermode="closest",
    )


@dataclass(frozen=True, eq=False)
class FeatureDensities:
    """The classes along one feature.

    Attributes
    ----------
    name : str
    view : PlaneView
        Of one component: that feature, in standard deviations of the training rows.
    n_drawn : int
    """

    name: str
    view: PlaneView
    n_drawn: int

    @property
    def words(self) -> str:
        """The share of held-out rows that is told apart, beside training rows and chance."""
        return feature_sentence(self.name, self.view.scores.verdict(len(self.view.classes)))


def feature_densities(viewer: PlaneViewer, feature: int) -> FeatureDensities:
    """Return the classes along one feature, with the densities of a run's kernel width.

    Parameters
    ----------
    viewer : PlaneViewer
        Of the run.
    feature : int
        Position among its features.

    Raises
    ------
    UserError
        If there is a single value.
    """
    train, held_out = (_single(part, feature) for part in viewer.parts)
    name = viewer.feature_names[feature]
    if not np.ptp(train.X) > 0:
        raise UserError(_CONSTANT.format(name=name))
    along = PlaneViewer(train, held_out, viewer.gamma, n_components=1)
    return FeatureDensities(name, along.view(np.ones((1, 1))), along.n_drawn)


def _single(part: LabeledData, feature: int) -> LabeledData:
    column = slice(feature, feature + 1)
    names = part.feature_names[column]
    return replace(part, X=part.X[:, column], feature_names=names, unlabeled=None, rules=None)


def feature_figure(
    view: PlaneView,
    name: str,
    class_names: Sequence[str],
    n_drawn: int,
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """The picture of a run of one component, of which the feature is the only one.

    Parameters
    ----------
    view : PlaneView
        Of one component.
    name : str
        Of the feature.
    class_names : sequence of str
    n_drawn : int
        The number of points.
    scheme : Scheme
    """
    figure = empty_figure(class_names, n_drawn, scheme, n_components=1)
    for trace, arrays in zip(figure.data, plane_frame(view, encode=np.asarray), strict=True):
        trace.update(arrays)
        if trace.meta["kind"] in _LEFT_OUT:
            trace.visible = False
    horizontal, vertical = limits(view)
    figure.update_xaxes(range=horizontal, title=f"{shown(name)} (standard deviations)")
    figure.update_yaxes(range=vertical, title="density")
    return figure.update_layout(margin={"l": 30, "r": 8, "t": 8, "b": 40})


def point_labels(
    points: npt.NDArray[np.floating], names: Sequence[str], order: IntArray, bounds: FloatArray
) -> tuple[list[str], list[str]]:
    """Names of points that neither overlap each other nor leave the plot.

    Parameters
    ----------
    points : ndarray of shape (n_points, 2)
    names : sequence of str, (n_points,)
    order : ndarray of int, shape (n_wanted,)
        The points that are to be named, the most important first. A name goes where it covers the
        fewest points; one that has no room on any side is left out.
    bounds : ndarray of shape (2, 2)
        The lower and upper bounds of the plot, one row each.

    Returns
    -------
    texts : list of str, (n_points,)
        Empty for a point without a name.
    positions : list of str, (n_points,)
        Plotly's ``textposition``.

    Examples
    --------
    >>> points, bounds = np.array([[0.5, 0.5], [0.5, 0.51]]), np.array([[0, 0], [1, 1]])
    >>> texts, positions = point_labels(points, ["a", "b"], np.arange(2), bounds)
    >>> texts, positions[1] == positions[0]
    (['a', 'b'], False)
    """
    texts, positions = [""] * len(points), ["middle right"] * len(points)
    pixels = (points - bounds[0]) / (bounds[1] - bounds[0]) * [_WIDTH, _HEIGHT]
    taken: list[FloatArray] = []
    for point in order.tolist():
        text = shortened(names[point], _LONGEST_NAME)
        boxes = {side: _box(pixels[point], text, side) for side in _sides(pixels[point])}
        free = [
            side
            for side, box in boxes.items()
            if _is_inside(box) and not any(_overlap(box, other) for other in taken)
        ]
        if not free:
            continue
        side = min(free, key=lambda side: _n_covered(boxes[side], pixels))  # the first of equals
        taken.append(boxes[side])
        texts[point], positions[point] = html.escape(text, quote=False), side
    return texts, positions


def _sides(pixel: FloatArray) -> list[str]:
    """The sides to try, that with more room first."""
    sides = list(_SIDES)
    return sides if pixel[0] < _WIDTH / 2 else [sides[1], sides[0], *sides[2:]]


def _box(pixel: FloatArray, text: str, side: str) -> FloatArray:
    """The lower left and the upper right corner of a name."""
    across, along, right, up = _SIDES[side]
    size = np.array([_LETTER * len(text), _LINE])
    corner = pixel + size * [across, along] + _GAP * np.array([right, up])
    return np.array([corner, corner + size])


def _is_inside(box: FloatArray) -> bool:
    return bool((box[0] >= 0).all() and (box[1] <= [_WIDTH, _HEIGHT]).all())


def _n_covered(box: FloatArray, pixels: FloatArray) -> int:
    """Count the points below a name."""
    return int(((pixels > box[0]) & (pixels < box[1])).all(axis=1).sum())


def _overlap(first: FloatArray, second: FloatArray) -> bool:
    return bool((first[0] < second[1]).all() and (second[0] < first[1]).all())
