"""The view of a kernel machine in a run's plane, beside its approximation by a few modes."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.layout.dialog import dialog
from melm_studio.views.decision_surface import KINDS

MARGINALS = {"exact": "Exact moments", "paper": "As in the paper"}


def surface_view() -> Component:
    """The window, closed until a panel asks for it."""
    return dialog(
        ids.SURFACE,
        "Decision surface",
        [
            dcc.Store(id=ids.SURFACE_ASKED),
            dcc.Store(id=ids.SURFACE_RUN),
            dmc.Group(
                [
                    _choice(ids.SURFACE_KIND, "Machine", {k: v.label for k, v in KINDS.items()}),
                    _choice(ids.SURFACE_CLASS, "This class against the rest", {}),
                    _choice(ids.SURFACE_METHOD, "Modes", MARGINALS),
                ],
                gap="md",
                align="end",
            ),
            html.P(id=ids.SURFACE_WORDS, className="surface-words", role="status"),
            # A script draws here.
            html.Div(
                id=ids.SURFACE_PLOT,
                className="surface-plot",
                role="img",
                **aria(label="Decision surface, not drawn yet"),
            ),
            dmc.Text(
                "The kernel machine is replaced by a few modes, each a product of two densities "
                "along its own axes. + and − mark where it is for and against the class, lines one "
                "standard deviation. In few dimensions as many well-placed kernels are often more "
                "accurate; the modes tell what the machine is made of.",
                size="xs",
                c="dimmed",
            ),
        ],
        width=1240,
    )


def _choice(component_id: str, label: str, options: dict[str, str]) -> Component:
    return dmc.Select(
        id=component_id,
        label=label,
        data=[{"value": value, "label": name} for value, name in options.items()],
        value=next(iter(options), None),
        allowDeselect=False,
        size="sm",
        w=220,
    )
