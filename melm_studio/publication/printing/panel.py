"""One panel of a figure for print, and the marks of its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray
from melm_studio.planes.coloring import Marks
from melm_studio.planes.figure import limits
from melm_studio.planes.plane_view import view_of_rows
from melm_studio.planes.theme import (
    SHAPES,
    THEMES,
    Scheme,
    class_color,
    class_name_color,
    class_shape,
)
from melm_studio.planes.types import PlaneView
from melm_studio.publication.style import FigureStyle

_THEME = THEMES[Scheme.LIGHT]
INK, FAINT_INK, FRAME = _THEME.ink, _THEME.faint_ink, "#adb5bd"

# Matplotlib's markers for the shapes of the page, and those that tell classes apart without color.
MARKERS = {name: shape.marker for name, shape in SHAPES.items()}
_GRAY_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
_DARKEST, _LIGHTEST = 0.1, 0.65
BoolArray = npt.NDArray[np.bool_]
FAINT = 0.1  # the share of its opacity that a point keeps which is not shown


@dataclass(frozen=True)
class ClassMark:
    """The color and the marker of a class, and the color of its name."""

    color: str
    marker: str
    name_color: str = INK


def class_marks(n_classes: int, style: FigureStyle) -> list[ClassMark]:
    """Return the mark of each class."""
    if style.palette == "gray":
        shades = np.linspace(_DARKEST, _LIGHTEST, max(n_classes, 2))
        return [
            ClassMark(str(round(float(shades[code]), 3)), _GRAY_MARKERS[code % len(_GRAY_MARKERS)])
            for code in range(n_classes)
        ]
    return [
        ClassMark(
            class_color(code, _THEME),
            MARKERS[class_shape(code)],
            class_name_color(code, _THEME),
        )
        for code in range(n_classes)
    ]


@dataclass(frozen=True, eq=False)
class ColumnMarks:
    """The colors or shapes of points by a column of the table.

    Attributes
    ----------
    name : str
        Of the column.
    marks : Marks
        Of the training rows of each class, then of the held-out rows of each class.
    """

    name: str
    marks: Marks

    def of(self, code: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the marks of the training and of the held-out rows of a class."""
        traces = self.marks.marks
        return traces[code], traces[code + len(traces) // 2]


@dataclass(frozen=True, eq=False)
class FigurePanel:
    """A view of a plane, and which part of it is shown.

    Attributes
    ----------
    view : PlaneView
        What is drawn: points, contours and arrows, as on the page.
    class_names : tuple of str, (n_classes,)
    title : str
    axis_titles : tuple of str
        Of the horizontal and of the vertical axis.
    limits : ndarray of shape (2, 2), or None
        The box that is shown at least, [[x low, x high], [y low, y high]]; None for everything.
    has_equal_units : bool
        Whether a unit is as long on both axes; not so for the density of one component.
    marks_outside : bool
        Whether rows beyond the axes have a mark at the edge.
    n_arrows : int or None
        How many of the arrows are drawn, the longest; None for all.
    unseen : frozenset of int
        The features without a visible effect on held-out rows, whose arrows are faint.
    shown_classes : frozenset of int, or None
        The classes that are not faint; None for all.
    selected : tuple of tuple of ndarray of bool, or None
        For each class, which of its training and of its held-out points are not faint; None for
        all.
    colors, shapes : ColumnMarks or None
        Of points that are colored or shaped by a column; None for those of the classes.
    """

    view: PlaneView
    class_names: tuple[str, ...]
    title: str = ""
    axis_titles: tuple[str, str] = ("", "")
    limits: FloatArray | None = None
    has_equal_units: bool = True
    marks_outside: bool = True
    n_arrows: int | None = None
    unseen: frozenset[int] = frozenset()
    shown_classes: frozenset[int] | None = None
    selected: tuple[tuple[BoolArray, BoolArray], ...] | None = None
    colors: ColumnMarks | None = None
    shapes: ColumnMarks | None = None

    @property
    def box(self) -> FloatArray:
        """The box that is shown at least, shape (2, 2)."""
        return np.asarray(limits(self.view) if self.limits is None else self.limits)

    def is_shown(self, code: int) -> bool:
        """Return whether a class is shown in full."""
        return self.shown_classes is None or code in self.shown_classes

    def opacities(self, code: int) -> tuple[FloatArray, FloatArray]:
        """Return the opacity of each training and of each held-out point of a class."""
        part = self.view.classes[code]
        if not self.is_shown(code):
            return np.full(len(part.train), FAINT), np.full(len(part.held_out), FAINT)
        if self.selected is None:
            return np.ones(len(part.train)), np.ones(len(part.held_out))
        train, held_out = self.selected[code]
        return np.where(train, 1.0, FAINT), np.where(held_out, 1.0, FAINT)


def panel_of_rows(
    X: FloatArray,
    y: IntArray,
    components: FloatArray,
    *,
    feature_names: Sequence[str],
    class_names: Sequence[str],
    gamma: float = 1.0,
    title: str = "",
) -> FigurePanel:
    """Return the panel of rows in a plane, with the densities that the plane was optimized for.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centered, as it was fitted.
    y : ndarray of shape (n_samples,)
        Class codes, 0 to n_classes - 1.
    components : ndarray of shape (n_components, n_features)
        ``components_`` of a fitted estimator; one or two rows.
    feature_names, class_names : sequence of str
    gamma : float
        Kernel width of the densities, relative to Silverman's rule.
    title : str
    """
    view = view_of_rows(
        X,
        y,
        components,
        feature_names=feature_names,
        class_names=class_names,
        gamma=gamma,
    )
    n_components = len(components)
    vertical = "Density" if n_components == 1 else "Component 2"
    return FigurePanel(
        view,
        tuple(class_names),
        title=title,
        axis_titles=("Component 1", vertical),
        has_equal_units=n_components > 1,
    )
