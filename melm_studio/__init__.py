"""The application: tables, runs, views, figures and the layout of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from melm_studio.programs.notebook import NotebookStudio, show
    from melm_studio.programs.plane_widget import PlaneWidget, view

__all__ = ["NotebookStudio", "PlaneWidget", "show", "view"]


def __getattr__(name: str) -> Any:
    """Import what notebooks use when they do, since everything else does without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in {"NotebookStudio", "show"}:
        from melm_studio.programs import notebook  # noqa: PLC0415

        return getattr(notebook, name)
    try:
        from melm_studio.programs import plane_widget  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "anywidget":
            raise
        from melm_core.base import UserError  # noqa: PLC0415
        from melm_studio.installation import install_command  # noqa: PLC0415

        raise UserError(
            f"A plane in a notebook needs anywidget: {install_command('notebook')}"
        ) from error
    return getattr(plane_widget, name)
