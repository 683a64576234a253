"""The dialog of a kernel machine in a run's plane, beside its approximation by a few modes."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.layout.dialog import dialog
from melm_studio.planes.decision_surface import KINDS

MARGINALS = {"exact": "Exact moments", "paper": "As in the paper"}


def surface_view() -> Component:
    """The dialog, closed until a panel requests it."""
    return dialog(
        ids.SURFACE,
        "Decision surface",
        [
            dcc.Store(id=ids.SURFACE_REQUESTED),
            dcc.Store(id=ids.SURFACE_RUN),
            dmc.Group(
                [
                    _choice(
                        ids.SURFACE_KIND, "Kernel machine", {k: v.label for k, v in KINDS.items()}
                    ),
                    _choice(ids.SURFACE_CLASS, "Class, against the rest", {}),
                    _choice(ids.SURFACE_METHOD, "Modes", MARGINALS),
                ],
                gap="md",
                align="end",
            ),
            html.P(id=ids.SURFACE_CAPTION, className="surface-words", role="status"),
            # A script draws here.
            html.Div(
                id=ids.SURFACE_PLOT,
                className="surface-plot",
                role="img",
                **aria(label="Decision surface, not drawn yet"),
            ),
            dmc.Text(
                "The kernel machine is approximated by a few modes, each a product of two "
                "densities along its own axes. + and − mark modes for and against the class; lines "
                "extend one standard deviation. In low dimensions, as many well-placed kernels are "
                "often more accurate; the modes show what the machine consists of.",
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
