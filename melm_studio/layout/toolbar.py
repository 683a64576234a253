"""What applies to all panels of Compare at once."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import button, switch
from melm_studio.layout.dialogs.figure_dialog import figure_button
from melm_studio.layout.panel_parts.tools import drag_buttons, layer_switches, more_layer_switches
from melm_studio.layout.shell.markup import plain

_TOOLS, _MORE_LAYERS = "compare-tools", "compare-more-layers"


def toolbar() -> list[Component]:
    """Switches and the drag mode, which small screens fold away behind a button.

    Those of several panels appear once there are several.
    """
    more = button("Tools", "toolbar-more compare-only", **data(toggles=_TOOLS))
    return [more, plain(_tools())]


def _tools() -> Component:
    return html.Div(
        [
            switch("linked", "Linked axes", "Zoom and pan all panels together"),
            switch("aligned", "Aligned", "Rotate every plane to match one of them"),
            *layer_switches(),
            button("More layers", id="compare-more-layers-open", **data(opens=_MORE_LAYERS)),
            html.Div(
                html.Div(more_layer_switches(), className="switches"),
                id=_MORE_LAYERS,
                className="menu is-note is-narrow",
            ),
            html.Div(
                drag_buttons(), className="drag-buttons", role="group", **aria(label="Drag mode")
            ),
            figure_button("all", "is-small"),
            button(
                "Report",
                title="Save scores, pictures, data and methods of these runs as one file",
                **data(report="all"),
            ),
        ],
        id=_TOOLS,
        className="toolbar compare-only",
    )
