"""The page before the first run: its frame until Dash has rendered it, and the first look at data.

It is plain HTML of the document, so it is painted before the scripts of Dash run, which takes them
seconds on a slow processor.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.elements import aria, data, part
from melm_studio.layout.header import brand
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import count
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
BEGIN = "Find the plane that tells them apart"
BEGIN_WITH_ONE_CLASS = "Find the plane that spreads them"
STEPS = ("Watch it turn", "Ask whether it is real", "Show it")
_CAPTION = "The plane of largest variance (PCA), which ignores the labels."
IN_COMPARE = "Run draws the plane of each of the methods, side by side."
_LONGEST_LIST = 40  # characters


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
            html.Header(brand(), className="top not-present row"),
            html.Div(className="method-line not-present row"),
            html.Main(
                html.Div(look, id=ids.PANELS, className="panels", **aria(live="off")),
                className="stage",
            ),
        ],
        id=ids.FIRST_PAGE,
        className="shell first-page",
    )


def welcome(shown: ShownData | None, class_names: Sequence[str] = ()) -> Component:
    """The picture of data without runs, which a script draws, and one button to begin.

    None stands for data that are not read yet; without class names, the script names them. The
    script lets the button be pressed.
    """
    asked = {} if shown is None else data(preview=msgspec.json.encode(shown).decode())
    return html.Section(
        [
            html.H2(question(class_names), **part("question")),
            html.P(_CAPTION, **part("caption")),
            html.Div(
                [
                    html.Div(className="plot", role="img", **part("plot"), **aria(label="PCA")),
                    html.Canvas(className="motion", **part("motion")),
                ],
                className="picture",
            ),
            html.Button(
                BEGIN,
                type="button",
                className="button is-primary",
                disabled=True,
                **part("begin"),
            ),
            html.Span(className="only-spoken", role="status", **part("said")),
            html.Ol([html.Li(step) for step in STEPS]),
            html.P(IN_COMPARE, className="compare-only"),
        ],
        className="welcome row card",
        **asked,
        **aria(label="First look at the data"),
    )


def welcome_model() -> Component:
    """The template that a script copies for other data than those of the first page."""
    return html.Template(welcome(None), id=ids.WELCOME_MODEL)


def question(class_names: Sequence[str]) -> str:
    """Return the question of a run on these classes; many or long names are counted instead."""
    listed = " and ".join([", ".join(class_names[:-1]), *class_names[-1:]])
    if len(class_names) == 1:
        return "How are these rows spread?"
    if not class_names:
        return "Can these classes be told apart?"
    if len(class_names) > 1 and len(listed) <= _LONGEST_LIST:
        return f"Can {listed} be told apart?"
    return f"Can these {count(len(class_names), 'class', 'classes')} be told apart?"


def first_method(class_names: Sequence[str]) -> dict[str, str]:
    """Return the text of the button and the method it chooses; empty for the one in the form."""
    if len(class_names) == 1:
        return {"label": BEGIN_WITH_ONE_CLASS, "method": "entropy"}
    return {"label": BEGIN, "method": ""}
