"""The drawer of the story: views in order, each with its caption."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.elements import Element, aria, data, plain

# The annotation of the button names no ARIA attributes.
_CLOSES: Any = aria(label="Close the story")


def story_parts() -> list[Component]:
    """The drawer, closed until its button is clicked, and what the browser keeps."""
    return [
        dcc.Store(id=ids.STORY, storage_type="local"),
        dcc.Store(id=ids.STORY_SHOWN),
        dcc.Store(id=ids.STORY_ADDED),
        dcc.Download(id=ids.STORY_FILE),
        dmc.Drawer(
            dmc.Stack(
                [
                    dmc.Text(
                        "Present steps through these views in order.",
                        size="sm",
                        c="dimmed",
                    ),
                    html.Div(id=ids.STORY_LIST),
                    dmc.Group([_add_button(), *_file_buttons()], gap="xs"),
                ],
                gap="sm",
            ),
            id=ids.STORY_VIEW,
            title="Story",
            position="right",
            size="360px",
            opened=False,
            keepMounted=True,
            # The page stays usable beside it.
            withOverlay=False,
            lockScroll=False,
            trapFocus=False,
            closeOnClickOutside=False,
            closeButtonProps=_CLOSES,
        ),
    ]


def story_list(views: Sequence[tuple[str, str, str]]) -> Component:
    """Title, caption and notes of every view; a hint if there is none."""
    if not views:
        return dmc.Text("No views yet. Add the view on screen with the button below.", size="sm")
    items = [
        _item(index, *view, is_last=index == len(views) - 1) for index, view in enumerate(views)
    ]
    return html.Ol(items, className="story stack")


def _item(index: int, title: str, caption: str, notes: str, *, is_last: bool) -> Component:
    words = dmc.Textarea(
        id=ids.story("caption", index),
        value=caption,
        placeholder="Caption",
        debounce=True,
        autosize=True,
        minRows=1,
        maxRows=4,
        size="sm",
        **aria(label=f"Caption of view {index + 1}"),
    )
    return html.Li(
        [_head(index, title, is_last=is_last), words, _title_and_notes(index, title, notes)]
    )


def _head(index: int, title: str, *, is_last: bool) -> Component:
    number = index + 1
    return html.Div(
        [
            html.Button(
                f"{number}. {title}",
                type="button",
                className="button is-text story-title",
                **data(story_at=str(index)),
                **aria(label=f"Show view {number}, {title}"),
            ),
            _small("up", index, "Move up", "icon-up", is_off=index == 0),
            _small("down", index, "Move down", "icon-down", is_off=is_last),
            _small("remove", index, "Remove", "icon-close", is_off=False),
        ],
        className="story-head row",
    )


def _title_and_notes(index: int, title: str, notes: str) -> Component:
    number = index + 1
    return html.Details(
        [
            html.Summary("Title and notes", **aria(label=f"Title and notes of view {number}")),
            dmc.TextInput(
                id=ids.story("title", index),
                value=title,
                debounce=True,
                size="sm",
                **aria(label=f"Title of view {number}"),
            ),
            dmc.Textarea(
                id=ids.story("notes", index),
                value=notes,
                placeholder="Notes that only the presenter sees",
                debounce=True,
                size="sm",
                **aria(label=f"Notes on view {number}"),
            ),
        ],
        className="story-more",
    )


def _small(part: str, index: int, label: str, icon: str, *, is_off: bool) -> Component:
    return dmc.ActionIcon(
        html.Span(className=f"icon {icon}"),
        id=ids.story(part, index),
        variant="subtle",
        color="gray",
        size="sm",
        disabled=is_off,
        **aria(label=f"{label}, view {index + 1}"),
    )


def _add_button() -> Component:
    return dmc.Button("Add this view", variant="light", size="compact-sm", **data(story="add"))


def _file_buttons() -> list[Component]:
    return [
        dmc.Button("Save", id=ids.STORY_SAVE, variant="default", size="compact-sm", disabled=True),
        plain(html.Div(html.Label([_story_field(), "Load"]), className="story-load")),
    ]


def _story_field() -> Component:
    accepted = ".json,application/json"
    return Element("input", type="file", accept=accepted, **aria(label="Load a story"))
