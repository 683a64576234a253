"""A plane in a notebook, drawn by the painter of the studio in the browser, without a server."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import anywidget
import numpy as np
import traitlets
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from melm_core.base import FloatArray, Progress, UserError
from melm_studio.layout.scripts import ASSETS, bundle
from melm_studio.planes.figure import limits, row_numbers
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.theme import FONT
from melm_studio.publication.estimator_figure import estimator_viewer, last_step, plane_of
from melm_studio.publication.replay import color_rules, plane_data, scene_data

_ENTRY = "studio/present/plane_widget.mjs"
_STYLE = """\
.melm-plane { position: relative; background: var(--surface); color: var(--ink);
  font: .875rem/1.4 FONT;
  & * { box-sizing: border-box; }
  & [hidden] { display: none !important; }
  & p { margin: 0; font-variant-numeric: tabular-nums; }
  & .picture { position: relative; border: 1px solid var(--grid); border-radius: 10px;
    overflow: hidden; }
  & .plot, & .plot canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
  & .plot { touch-action: none; cursor: grab; }
  & .is-lasso .plot { cursor: crosshair; }
  & .outline { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none;
    fill: var(--accent); fill-opacity: .12; stroke: var(--accent); stroke-width: 1.5; }
  & .ring { position: absolute; width: 16px; height: 16px; margin: -8px; border-radius: 50%;
    border: 2px solid var(--ink); pointer-events: none; }
  & .row { position: absolute; left: 8px; top: 8px; max-width: calc(100% - 16px);
    padding: 2px 8px; border: 1px solid var(--grid); border-radius: 6px;
    background: var(--surface); pointer-events: none; }
  & .fit { position: absolute; right: 8px; top: 8px; }
  & .below { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px;
    padding: 6px 0 2px; }
  & .classes { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0;
    list-style: none; }
  & .swatch { width: 11px; height: 11px; border-radius: 50%; }
  & .words { flex: 1; min-width: 160px; color: var(--faint-ink); }
  & button { display: inline-flex; align-items: center; gap: 6px; min-height: 32px;
    padding: 2px 12px; border: 1px solid var(--faint-ink); border-radius: 8px;
    background: var(--surface); color: var(--ink); font: inherit; cursor: pointer; }
  & button[aria-pressed="true"] { border-color: var(--ink);
    box-shadow: inset 0 0 0 1px var(--ink); }
  & :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  & .plot:focus-visible { outline-offset: -2px; }
}
"""
_TITLES = ("Component 1", "Component 2")

# While an estimator is fitted, a plane is sent at most so often, and takes at most a third of the
# time.
_PERIOD_S = 1 / 12
_REST = 2.0

_PLANES_ONLY = "A widget shows planes, and this estimator has {n} component(s). {way_out}"


def _script() -> str:
    script = bundle(ASSETS / _ENTRY, ASSETS).script
    return f'{script}\nexport default {{ render: modules["{_ENTRY}"].render }};'


class PlaneWidget(anywidget.AnyWidget):
    """The plane of an estimator, as `view` makes it.

    Attributes
    ----------
    estimator : estimator or Pipeline
    selected : list of int
        Rows that stand out, counted from 0 through X and then through the held-out rows. Those
        selected in the picture arrive here, and those set here stand out in the picture; `observe`
        and `link` of traitlets connect it with other widgets.
    height : int
        Of the picture, in pixels.
    """

    _esm = _script()
    _css = color_rules(".melm-plane") + _STYLE.replace("FONT", FONT)
    selected = traitlets.List(traitlets.Int()).tag(sync=True)
    height = traitlets.Int(420, min=160, max=2_000).tag(sync=True)
    _scene = traitlets.Dict().tag(sync=True)
    _plane = traitlets.Dict().tag(sync=True)
    _words = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        estimator: Any,
        rows: tuple[Any, Any],
        *,
        held_out: tuple[Any, Any] | None = None,
        feature_names: Sequence[str] | None = None,
        gamma: float | None = None,
        height: int = 420,
    ) -> None:
        self.estimator = estimator
        self._rows = rows
        self._n_rows = len(rows[1]) + (len(held_out[1]) if held_out else 0)
        self._viewer_of = partial(
            estimator_viewer, held_out=held_out, feature_names=feature_names, gamma=gamma
        )
        self._viewer: PlaneViewer | None = None
        self._last: FloatArray | None = None
        self._next_s = 0.0
        super().__init__(height=height)
        if _is_fitted(estimator):
            self._show_fitted()
        else:
            self._words = "Not fitted yet: fit() of this widget fits it and shows each plane."

    @traitlets.validate("selected")
    def _in_order(self, proposal: Any) -> list[int]:
        wrong = [row for row in proposal.value if not 0 <= row < self._n_rows]
        if wrong:
            raise UserError(
                f"There is no row {wrong[0]}: the {self._n_rows} rows are counted from 0."
            )
        return sorted(set(proposal.value))

    def fit(self) -> Any:
        """Fit the estimator to the rows, and show each plane that the search goes through.

        The widget moves while this runs, also from another cell. Interrupting the kernel stops the
        search.

        Returns
        -------
        estimator
            The same, fitted.
        """
        last = last_step(self.estimator)
        self._viewer, self._last = None, None
        parameters = last.get_params(deep=False)
        callbacks = {"callback": parameters["callback"]} if "callback" in parameters else {}
        last.set_params(
            **{name: _both(self._follow, callback) for name, callback in callbacks.items()}
        )
        try:
            self.estimator.fit(*self._rows)
        finally:
            last.set_params(**callbacks)
        self._viewer = None  # the fitted estimator may say another kernel width
        self._show_fitted()
        return self.estimator

    def _follow(self, progress: Progress) -> None:
        began = time.monotonic()
        if began >= self._next_s:
            self._show(progress.components, progress.stage)
            ended = time.monotonic()
            self._next_s = ended + max(_PERIOD_S, _REST * (ended - began))

    def _show_fitted(self) -> None:
        self._show(plane_of(self.estimator), "")

    def _show(self, components: FloatArray | None, words: str) -> None:
        if self._viewer is None:
            n_components = None if components is None else len(components)
            self._viewer = self._viewer_of(self.estimator, *self._rows, n_components)
            self._begin(self._viewer)
        viewer = self._viewer
        shown = np.eye(viewer.n_components) if components is None else components
        if self._last is not None:
            shown = viewer.aligned(shown, self._last)
        self._last = shown
        view = viewer.view(shown)
        self._plane = {**plane_data(view), "axes": limits(view)}
        self._words = words

    def _begin(self, viewer: PlaneViewer) -> None:
        if viewer.n_components != 2:
            way_out = "Ask it for n_components=2."
            raise UserError(_PLANES_ONLY.format(n=viewer.n_components, way_out=way_out))
        numbers = row_numbers(viewer.drawn_rows)
        rows = [[number - 1 for number in trace] for trace in numbers]
        scene = scene_data(viewer.class_names, viewer.n_drawn, titles=_TITLES)
        self._scene = {**scene, "numbers": rows}


def view(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    held_out: tuple[Any, Any] | None = None,
    feature_names: Sequence[str] | None = None,
    gamma: float | None = None,
    height: int = 420,
) -> PlaneWidget:
    """Show the plane of an estimator in the cell of a notebook: JupyterLab, VS Code or marimo.

    Drag to move the picture, use the wheel to zoom, click a row or draw a line around some to
    select them. Needs the extra ``notebook``, and no server.

    Parameters
    ----------
    estimator : estimator or Pipeline
        With transform(X) to two components. One that is fitted is shown at once; `PlaneWidget.fit`
        fits another one and shows each plane on the way.
    X : array-like of shape (n_samples, n_features)
        The training rows, as the estimator is fitted to them.
    y : array-like of shape (n_samples,)
        Their classes.
    held_out : tuple of array-like, optional
        Rows that take no part in the fit, and their classes; drawn as open symbols.
    feature_names : sequence of str, optional
        By default the columns of a DataFrame, else numbers from 1.
    gamma : float, optional
        Kernel width of the densities, relative to Silverman's rule; by default that of the
        estimator, or 1 if it has none.
    height : int
        Of the picture, in pixels.

    Returns
    -------
    PlaneWidget

    Raises
    ------
    UserError
        If the estimator has not two components, or a held-out row has a class that no training row
        has.
    """
    return PlaneWidget(
        estimator,
        (X, y),
        held_out=held_out,
        feature_names=feature_names,
        gamma=gamma,
        height=height,
    )


def _is_fitted(estimator: Any) -> bool:
    try:
        check_is_fitted(last_step(estimator))
    except NotFittedError:
        return False
    return True


def _both(follow: Any, of_estimator: Any) -> Any:
    """Return a callback that shows a plane, then asks the estimator's callback whether to stop."""

    def callback(progress: Progress) -> bool:
        follow(progress)
        return bool(of_estimator(progress)) if of_estimator is not None else False

    return callback
