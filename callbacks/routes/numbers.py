"""Numbers that some methods alone have: loadings, latent components, densities of a feature."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.routes.markup import at_once
from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_fit
from melm_core.methods import METHODS
from melm_studio.analyses.content import notes, plot
from melm_studio.planes.captions import axis_titles
from melm_studio.planes.feature_charts import (
    MOST_POINTS,
    LatentStructure,
    feature_densities,
    feature_figure,
    importance_figure,
    latent_structure,
    loadings_figure,
    s_plot_figure,
)
from melm_studio.planes.theme import Scheme
from melm_studio.tables import number

_WORDS = "Where a row moves when a feature rises."
_STRONGEST = " The strongest {shown} of {all} features."
_LATENT_NOTE = (
    "VIP (variable importance in the projection) above 1 is more than that of an average feature. "
    "In an S-plot, features at the ends move the predictive score strongly (covariance) and "
    "reliably (correlation). Both are of the training rows; Q² is the counterpart of R²Y for "
    "held-out rows."
)
_DENSITIES_NOTE = (
    "Filled marks are training rows, open ones held-out rows; dashed lines are where another class "
    "becomes the most likely. A plane can tell apart what no single feature does."
)


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/analyses/loadings")(loadings)
    app.server.get("/runs/<run_id>/latent-structure", is_heavy=True)(explained)
    app.server.get("/runs/<run_id>/features/<int:feature>")(densities)


def loadings(run_id: str) -> dict[str, Any]:
    """Return the figure as a dialog shows it; `plane` names the plane."""
    record, renderer = own_fit(run_id), services().renderer
    if not METHODS[record.method].is_linear or record.parameters.n_components == 1:
        flask.abort(404)
    event = requested_event(run_id, flask.request.args.get("plane", type=int))
    options = requested_options()
    names, view = renderer.viewer(record).feature_names, renderer.view(record, event, options)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = loadings_figure(
        view.loadings,
        names,
        axis_titles(renderer, record, view, options),
        scheme,
    )
    shown = plot(json.loads(figure.to_json()), "Loadings")
    return at_once(run_id, "Loadings", _words(names), [shown])


def _words(names: tuple[str, ...]) -> str:
    is_sample = len(names) > MOST_POINTS
    shown, every = number(MOST_POINTS), number(len(names))
    return _WORDS + (_STRONGEST.format(shown=shown, all=every) if is_sample else "")


def explained(run_id: str) -> dict[str, Any]:
    """Return the shares in words, and the figure of the features."""
    record = own_fit(run_id)
    if not METHODS[record.method].predicts_indicators:
        flask.abort(404)
    structure = latent_structure(services().renderer.data(record), record)
    said = structure.words
    blocks = [plot(json.loads(_figure(structure).to_json()), said), notes([_LATENT_NOTE])]
    return {"line": structure.line, **at_once(run_id, "Features and components", said, blocks)}


def _figure(structure: LatentStructure) -> Any:
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    if structure.s_plot is not None:
        return s_plot_figure(structure.s_plot, structure.feature_names, scheme)
    return importance_figure(structure.importances, structure.feature_names, scheme)


def densities(run_id: str, feature: int) -> dict[str, Any]:
    """Return what a feature alone tells apart, in words and as a figure."""
    viewer = services().renderer.viewer(own_fit(run_id))
    if feature >= len(viewer.feature_names):
        flask.abort(404)
    alone = feature_densities(viewer, feature)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = feature_figure(alone.view, alone.name, viewer.class_names, alone.n_drawn, scheme)
    blocks = [plot(json.loads(figure.to_json()), alone.words), notes([_DENSITIES_NOTE])]
    return at_once(run_id, alone.name, alone.words, blocks)
