"""A story: views in order, each with a caption."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from melm_studio.validation import InputError, Text, read, steps_to
from melm_studio.workspace.view_spec import ViewSpec

FORMAT = "melm-studio story 1"
MAX_VIEWS = 200

_NOT_A_STORY = "This file is not a story. Choose a story that was saved here."
_FULL = f"A story holds {MAX_VIEWS} views. Remove one to add another."


class StoryView(Struct, frozen=True, forbid_unknown_fields=True):
    """A view with its texts. JSON: the view is ``view``.

    Attributes
    ----------
    spec : ViewSpec
    title, caption : str
        What the audience reads.
    notes : str
        What only the presenter reads.
    """

    spec: Annotated[ViewSpec, Meta(title="The view")] = field(name="view")
    title: Annotated[Text, Meta(title="The title")] = ""
    caption: Annotated[Text, Meta(title="The caption")] = ""
    notes: Annotated[Text, Meta(title="The notes")] = ""

    @classmethod
    def from_json(cls, values: Any) -> StoryView:
        """Return the view that JSON values describe."""
        return read(values, cls, "A view of a story")


class Story(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """Views in the order in which they are shown."""

    views: Annotated[
        tuple[StoryView, ...],
        Meta(
            title="The story",
            max_length=MAX_VIEWS,
            description=f"a list of at most {MAX_VIEWS} views",
        ),
    ] = ()

    def with_view(self, view: StoryView) -> Story:
        """Return the story with another view at its end."""
        if len(self.views) >= MAX_VIEWS:
            raise InputError(_FULL)
        return Story((*self.views, view))

    def without(self, position: int) -> Story:
        """Return the story without one of its views."""
        return Story((*self.views[:position], *self.views[position + 1 :]))

    def moved(self, position: int, steps: int) -> Story:
        """Return the story with a view moved down, or up, but not beyond the ends."""
        others = self.without(position).views
        to = min(max(position + steps, 0), len(others))
        return Story((*others[:to], self.views[position], *others[to:]))

    def worded(self, position: int, **texts: str) -> Story:
        """Return the story with other texts of a view: its title, caption, or notes."""
        checked = {name: read(text, Text, f"The {name}") for name, text in texts.items()}
        changed = replace(self.views[position], **checked)
        return Story((*self.views[:position], changed, *self.views[position + 1 :]))

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` reads."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values

    @classmethod
    def from_json(cls, values: Any) -> Story:
        """Return the story that JSON values describe.

        Raises
        ------
        InputError
            If a value is unknown, missing, or out of bounds; names the view.
        """
        if not isinstance(values, Mapping) or values.get("format") != FORMAT:
            raise InputError(_NOT_A_STORY)
        try:
            return read(values, cls, "The story")
        except InputError as error:
            if (steps := steps_to(error))[1:] and steps[1].isdecimal():
                number = int(steps[1]) + 1
                raise InputError(f"View {number} of the story cannot be read. {error}") from None
            raise

    @classmethod
    def from_bytes(cls, raw: bytes) -> Story:
        """Return the story of a file.

        Raises
        ------
        InputError
            If the file is not a story, or a value in it breaks a rule.
        """
        try:
            values = msgspec.json.decode(raw)
        except (ValueError, RecursionError):
            raise InputError(_NOT_A_STORY) from None
        return cls.from_json(values)
