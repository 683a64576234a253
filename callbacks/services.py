"""What callbacks and routes work with."""

from __future__ import annotations

from dataclasses import dataclass

from melm_studio.views.renderer import Gallery
from melm_studio.worker.config.settings import Settings
from melm_studio.worker.store.protocol import RunStore


@dataclass(frozen=True)
class Studio:
    """The settings, where everything is kept, and what draws it."""

    settings: Settings
    store: RunStore
    gallery: Gallery
