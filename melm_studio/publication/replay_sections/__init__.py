"""Sections of a replay below the run: its tree of planes, and its resampled plane."""

from __future__ import annotations

from melm_studio.publication.replay_sections.section import (
    SECTION_BYTES,
    SECTION_STYLE,
    Painted,
    most_planes,
    script_of_sections,
)
from melm_studio.publication.replay_sections.sections import (
    ResamplesSection,
    TreeSection,
    resamples_html,
    tree_html,
)

__all__ = [
    "SECTION_BYTES",
    "SECTION_STYLE",
    "Painted",
    "ResamplesSection",
    "TreeSection",
    "most_planes",
    "resamples_html",
    "script_of_sections",
    "tree_html",
]
