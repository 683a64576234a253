"""The application: tables, runs, views, figures and the layout of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from melm_studio.programs.notebook import NotebookStudio, show

__all__ = ["NotebookStudio", "show"]


def __getattr__(name: str) -> Any:
    """Import what notebooks use when they do, since everything else does without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from melm_studio.programs import notebook  # noqa: PLC0415

    return getattr(notebook, name)
