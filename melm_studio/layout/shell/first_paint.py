"""The page until Dash has rendered it: its frame and the first look at the data.

It is plain HTML of the document, so it is painted before the scripts of Dash run, which takes them
seconds on a slow processor.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.layout.shell.header import brand
from melm_studio.layout.shell.welcome import welcome
from melm_studio.runs.records.data_source import DataSource
from melm_studio.workspace.data_source import ShownData

# Not by the name of the store: Dash would follow it into the other tabs.
LAST_SOURCE = "last-source"
_SCRIPT = f"""
{{
  const {{ dataset }} = document.documentElement;
  const scheme = localStorage.getItem("mantine-color-scheme-value");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const isDark = scheme === "dark" || (scheme !== "light" && prefersDark);
  dataset.mantineColorScheme = isDark ? "dark" : "light";

  const first = FIRST_SOURCE;
  const text = JSON.stringify;
  const chosen = sessionStorage.getItem("{ids.SOURCE}") ?? localStorage.getItem("{LAST_SOURCE}");
  if (chosen) sessionStorage.setItem("{ids.SOURCE}", chosen);
  const remembered = JSON.parse(chosen) ?? {{}};
  const isOther = ([name, value]) => text(value) !== text(first[name]);
  if (Object.entries(remembered).some(isOther)) dataset.otherData = "";
}}
"""


def first_script(source: DataSource) -> str:
    """Return the script that runs before the first paint.

    It sets the colors of the page, as Mantine will choose them, gives a new tab the data that
    another has chosen last, and notes whether these are other data than those of a first visit,
    which the first page then does not show.
    """
    return _SCRIPT.replace("FIRST_SOURCE", msgspec.json.encode(source).decode())


def first_page(
    shown: ShownData | None, class_names: Sequence[str] = (), *, is_new: bool = True
) -> Component:
    """The frame of the page, and for a visitor without runs the first look.

    Parameters
    ----------
    shown : ShownData or None
        The data that a first visit shows, if they are known yet.
    class_names : sequence of str
        Of these data.
    is_new : bool
        Whether the visitor has no runs.
    """
    look = [welcome(shown, class_names)] if is_new else []
    return html.Div(
        [
            html.Header(brand(), className="top"),
            html.Div(className="method-line"),
            html.Main(
                html.Div(look, id=ids.PANELS, className="panels", **aria(live="off")),
                className="stage",
            ),
        ],
        id=ids.FIRST_PAGE,
        className="shell first-page",
    )
