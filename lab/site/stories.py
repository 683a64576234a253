"""The gallery of stories: the views of those that come with the studio, one below the other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from lab.driver.visitor import Visitor, opened_studio, shared_reader
from lab.stories.facts import run_of
from melm_studio.configuration.settings import Settings
from melm_studio.workspace.project import story_in
from melm_studio.workspace.stories import INCLUDED_STORIES, IncludedStory
from melm_studio.workspace.story import StoryView
from melm_studio.workspace.view_spec import ViewSpec
from melm_studio.workspace.workspace import Workspace

_STYLE = {
    "width": 160,
    "height": 95,
    "font": 9,
    "dpi": 144,
    "legend": "none",
    "panel_titles": False,
}
_PAGE = """\
## Stories

These come with the studio: choose one at the end of **Samples**, and step through it in
[Present](docs/present.md#stories).

{stories}
"""
_VIEW = """\
![{title}](stories/{name}){{.story}}

**{title}**

{caption}
"""


def story_entries() -> str:
    """The stories as Markdown, with the names of their pictures."""
    return _PAGE.format(stories="\n".join(map(_entry, INCLUDED_STORIES.values())))


def write_story_pictures(folder: Path) -> None:
    """Draw every view of every story as a PNG file."""
    folder.mkdir(parents=True)
    with (
        tempfile.TemporaryDirectory(prefix="melm-stories-") as data,
        opened_studio(Path(data)) as studio,
    ):
        visitor = studio.visitor()
        settings = Settings(data_dir=Path(data))
        own = Workspace(studio.store, visitor.owner, settings, shared_reader())
        for story in INCLUDED_STORIES.values():
            visitor.http.post(f"/stories/{story.key}", json={})
            for number, view in _numbered(story):
                drawn = _drawn(visitor, own, view.spec)
                (folder / _name(story, number)).write_bytes(drawn)


def _entry(story: IncludedStory) -> str:
    views = [
        _VIEW.format(title=view.title, caption=view.caption, name=_name(story, number))
        for number, view in _numbered(story)
    ]
    return "\n".join([f"### {story.title}\n", f"{story.explanation}\n", *views])


def _numbered(story: IncludedStory) -> Iterator[tuple[int, StoryView]]:
    with story.file.open("rb") as file:
        return enumerate(story_in(file).views, start=1)


def _name(story: IncludedStory, number: int) -> str:
    return f"{story.key}-{number}.png"


def _drawn(visitor: Visitor, own: Workspace, spec: ViewSpec) -> bytes:
    run = run_of(own, spec)
    layers = [
        layer for layer in ("contours", "points", "arrows", "names") if layer not in spec.hidden
    ]
    figure = {
        "panels": [{"run": run.run_id, "plane": spec.plane, "view": _options(spec)}],
        "style": {**_STYLE, "layers": layers},
        "format": "png",
    }
    with visitor.http.post("/figure", json=figure) as answer:
        if answer.status_code != HTTPStatus.OK:
            raise RuntimeError(answer.text)
        raw: bytes = answer.data
    return raw


def _options(spec: ViewSpec) -> dict[str, Any]:
    """The view options as the fields of a query."""
    chosen = {"gamma": spec.options.gamma, "n_top_features": spec.options.n_top_features}
    return {name: str(value) for name, value in chosen.items() if value is not None}
