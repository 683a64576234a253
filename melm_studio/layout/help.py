"""Help: a tour, the words of the page, and its keys."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.dialogs import dialog_frame
from melm_studio.layout.elements import Element, aria, data

# Where the tour stops: in the sheet of the table or not, at an element, and what that is for.
TOUR = (
    (
        "table",
        f"#{ids.DROP_ZONE}",
        "Drop a table with a row for each object and a column of classes, or choose a sample. The "
        "label column is guessed; Columns shows the role of every column.",
    ),
    (
        "",
        f"#{ids.RUN}",
        "Run searches for the plane that tells the classes apart best, and draws every plane on "
        "the way. A smaller kernel width γ keeps finer detail.",
    ),
    (
        "",
        # The verdict of the run in front, or what is in its place before there is one.
        f"#{ids.PANELS}:not(:has(.verdict, h2)), .welcome h2 + p, .is-front .verdict",
        "Above the picture of a run is the share of held-out rows that are told apart, beside that "
        "of guessing. “Is it real?” asks whether shuffled labels would do as well.",
    ),
)

WORDS = {
    "Accuracy": "Balanced accuracy: the share of rows assigned to their own class by the class "
    "densities in the plane, each class counting equally.",
    "Arrow": "A feature with a large loading: in which direction, and how far, rows move with it.",
    "Component": "One direction of the projection. Two span a plane, one a line, three a space.",
    "Contours": "The regions that hold 50, 80 and 95 % of the rows of a class that a plane has not "
    "seen; while it is searched for or changed, of those it is fitted to.",
    "Divergence": "The Cauchy-Schwarz divergence between the class densities, in nats: the larger, "
    "the less they overlap.",
    "Folds": "The rows are cut into parts; each is held out once, from a plane of the others.",
    "Guessing": "The accuracy without any knowledge: one divided by the number of classes.",
    "Held-out rows": "Rows that a plane has not seen: they show whether it tells new ones apart. "
    "In folds every row is held out once; where a quarter is, these rows are open circles.",
    "Kernel width γ": "How smooth the class densities are while a plane is searched for, relative "
    "to Silverman's rule. Those drawn have a γ of their own: 1, or that of the slider below the "
    "picture.",
    "Loading": "The weight of a feature in a component.",
    "p": "The share of shuffled labels that do as well: below 0.05, chance is unlikely.",
    "PCA": "Principal component analysis: the plane of largest variance, whatever the labels.",
    "Shuffled labels": "The classes of the rows, exchanged at random: what is told apart then is "
    "chance.",
    "Standard error": "The number behind ±: by how much other rows would change a share.",
    "Start": "A plane that a search begins from. If many starts reach the same plane, it is likely "
    "the best.",
    "Training rows": "The rows that a plane is fitted to.",
}


_GRANTS = ": your runs in another browser, and in programs"

# Pages of the documentation that a user of the page needs, which the studio serves.
GUIDE = {
    "tutorial": "From a table to a verdict",
    "explore": "Explore",
    "compare": "Compare",
    "present": "Present",
    "which-method": "Which method",
    "figures-for-print": "Figures for print",
    "report": "Report",
    "kernel-machines": "Decision surface",
    "notation": "Notation",
}
PAGE_KEYS = (
    ("Ctrl Enter", "run"),
    ("Arrow keys, Page Up, Page Down", "move a slider"),
    ("Arrow keys, +, −, 0 in the picture", "move it, zoom in and out, show all of it"),
    ("Alt ↑ or ↓ in the list of classes", "change their order"),
    ("Esc", "close a menu or dialog, leave Present"),
)
PRESENT_KEYS = (
    ("← → or Page Up, Page Down", "previous and next plane, or story view"),
    ("Space", "play"),
    ("1 to 9", "select a run"),
    ("M", "morph"),
    ("T", "tree of planes"),
    ("R, or dropping a table", "run, live"),
    ("S", "resampled plane"),
    ("W", "walk along a branch of the tree"),
    ("V", "hide or reveal the verdict"),
    ("U", "rows as unseen, or as fitted"),
    ("N", "presenter’s window"),
    ("B or .", "blank the screen"),
    ("Q", "the talk’s QR code on the whole screen"),
    ("F", "full screen"),
    ("Esc", "exit"),
    ("?", "list keys"),
)


def help_button() -> Component:
    """The button that opens the help."""
    return html.Button("Help", type="button", className="button menu-button", id=ids.HELP_OPEN)


def help_view() -> Component:
    """The dialog of the help, which the browser opens; a script goes through the tour."""
    return dialog_frame(
        ids.HELP,
        "dialog help",
        "Help",
        _part,
        [
            html.H3("In three steps"),
            _tour(),
            html.Button(
                "Take the tour", type="button", className="button is-primary", **_part("tour")
            ),
            html.H3("Documentation"),
            html.Ul(
                [_page(name, label) for name, label in GUIDE.items()], className="help-pages wrap"
            ),
            html.P([html.A("Links and tokens", href="links-and-tokens"), _GRANTS]),
            html.H3("Words"),
            html.Dl([part for word in WORDS.items() for part in _entry(*word)]),
            html.H3("Keys"),
            _keys(PAGE_KEYS),
            html.H3("Keys in Present"),
            _keys(PRESENT_KEYS),
        ],
    )


def tour_note() -> Component:
    """The note at each stop of the tour; a script fills it and moves it there."""
    return Element(
        "div",
        [
            html.P(),
            html.Div(
                [
                    html.Span(className="tour-count"),
                    _tour_button("Close", "end", "is-text"),
                    _tour_button("Next", "next", "is-primary"),
                ]
            ),
        ],
        id=ids.TOUR_NOTE,
        className="tour-note card",
        popover="manual",
        role="dialog",
        **aria(label="Tour of the page"),
    )


def _tour_button(label: str, name: str, modifier: str) -> Component:
    return html.Button(label, type="button", className=f"button {modifier}", **data(tour=name))


def tooltip() -> Component:
    """The one tooltip of the page, in which a script shows what `data-tip` says."""
    return Element("div", id=ids.TOOLTIP, className="tooltip", popover="manual", role="tooltip")


def _part(name: str) -> dict[str, Any]:
    return data(help=name)


def _tour() -> Component:
    steps = [html.Li(text, **data(within=section, stop=element)) for section, element, text in TOUR]
    return html.Ol(steps, id=ids.TOUR)


def _page(name: str, label: str) -> Component:
    return html.Li(html.A(label, href=f"docs/{name}.md", target="_blank"))


def _entry(word: str, meaning: str) -> list[Component]:
    return [html.Dt(word), html.Dd(meaning)]


def _keys(keys: Any) -> Component:
    return html.Ul(
        [html.Li([html.Kbd(key), f" {action}"]) for key, action in keys], className="key-list"
    )
