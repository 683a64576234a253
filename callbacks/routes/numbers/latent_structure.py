"""What the components of PLS-DA and OPLS-DA explain and predict, with VIP or the S-plot."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.services import services
from callbacks.session import own_fit
from melm_core.methods import METHODS
from melm_studio.planes.latent_structure import LatentStructure, latent_structure
from melm_studio.planes.latent_structure_figure import importance_figure, s_plot_figure
from melm_studio.planes.theme import Scheme

_NOTE = (
    "VIP above 1 is more than that of an average feature. In an S-plot, features at the ends move "
    "the predictive score strongly (covariance) and reliably (correlation). Both are of the "
    "training rows; Q² is the counterpart of R²Y for held-out rows."
)


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/latent-structure")(explained)


def explained(run_id: str) -> dict[str, Any]:
    """The shares in words, and the figure of the features."""
    record = own_fit(run_id)
    if not METHODS[record.method].predicts_indicators:
        flask.abort(404)
    found = latent_structure(services().renderer.data(record), record)
    figure = json.loads(_figure(found).to_json())
    shown = {"title": "Features and components", "words": found.words, "note": _NOTE}
    return {"line": found.line, "figure": figure, **shown}


def _figure(found: LatentStructure) -> Any:
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    if found.s_plot is not None:
        return s_plot_figure(found.s_plot, found.feature_names, scheme)
    return importance_figure(found.importances, found.feature_names, scheme)
