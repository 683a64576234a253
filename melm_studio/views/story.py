"""A story: views in an order, with a caption each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from melm_studio.views import validation
from melm_studio.views.validation import ReadingError
from melm_studio.views.view_spec import Recipe

FORMAT = "melm-studio story 1"
MOST_VIEWS = 200

_NO_STORY = "This file is no story. Choose one that was saved here."
_FULL = f"A story holds {MOST_VIEWS} views. Remove one to add another."


@dataclass(frozen=True)
class StoryView:
    """A view, what it is called, and what is said about it."""

    recipe: Recipe
    title: str
    caption: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` reads."""
        return {"title": self.title, "caption": self.caption, "view": self.recipe.to_json()}

    @classmethod
    def from_json(cls, values: Any) -> StoryView:
        """Return the view that JSON values describe."""
        given = validation.fields(values, ("title", "caption", "view"), "A view of a story")
        return cls(
            recipe=Recipe.from_json(given.get("view")),
            title=validation.text(given.get("title", ""), "The title", may_be_empty=True),
            caption=validation.text(given.get("caption", ""), "The caption", may_be_empty=True),
        )


@dataclass(frozen=True)
class Story:
    """Views in the order in which they are shown."""

    views: tuple[StoryView, ...] = ()

    def with_view(self, view: StoryView) -> Story:
        """Return the story with a view more at its end."""
        if len(self.views) >= MOST_VIEWS:
            raise ReadingError(_FULL)
        return replace(self, views=(*self.views, view))

    def without(self, at: int) -> Story:
        """Return the story without one of its views."""
        return replace(self, views=(*self.views[:at], *self.views[at + 1 :]))

    def moved(self, at: int, steps: int) -> Story:
        """Return the story with a view moved down by so many steps, or up; the ends hold it."""
        others = self.without(at).views
        to = min(max(at + steps, 0), len(others))
        return replace(self, views=(*others[:to], self.views[at], *others[to:]))

    def captioned(self, at: int, caption: str) -> Story:
        """Return the story with another caption of a view."""
        caption = validation.text(caption, "The caption", may_be_empty=True)
        changed = replace(self.views[at], caption=caption)
        return replace(self, views=(*self.views[:at], changed, *self.views[at + 1 :]))

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` reads."""
        return {"format": FORMAT, "views": [view.to_json() for view in self.views]}

    @classmethod
    def from_json(cls, values: Any) -> Story:
        """Return the story that JSON values describe.

        Raises
        ------
        ReadingError
            A sentence that names the view and what is odd about it.
        """
        if not isinstance(values, Mapping) or values.get("format") != FORMAT:
            raise ReadingError(_NO_STORY)
        given = validation.fields(values, ("format", "views"), "A story")
        views = (
            validation.parts(given["views"], "The views of a story") if given.get("views") else ()
        )
        if len(views) > MOST_VIEWS:
            raise ReadingError(f"A story holds {MOST_VIEWS} views; this one has {len(views)}.")
        return cls(tuple(_view(number, view) for number, view in enumerate(views, start=1)))

    @classmethod
    def from_bytes(cls, raw: bytes) -> Story:
        """Return the story of a file.

        Raises
        ------
        ReadingError
            A sentence that says what is odd about it.
        """
        try:
            values = json.loads(raw)
        except (ValueError, RecursionError):
            raise ReadingError(_NO_STORY) from None
        return cls.from_json(values)


def _view(number: int, values: Any) -> StoryView:
    try:
        return StoryView.from_json(values)
    except ReadingError as error:
        raise ReadingError(f"View {number} of the story cannot be read. {error}") from None
