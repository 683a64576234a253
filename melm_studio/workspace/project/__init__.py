"""Project files: a table, its runs with their histories, and a story in one archive."""

from melm_studio.workspace.project.files import (
    OpenedProject,
    open_project,
    opened_project,
    save_project,
    story_in,
)
from melm_studio.workspace.project.manifest import SUFFIX

__all__ = ["SUFFIX", "OpenedProject", "open_project", "opened_project", "save_project", "story_in"]
