"""What callbacks and routes work with."""

from __future__ import annotations

from dataclasses import dataclass

from worker.gallery import Gallery
from worker.settings import Settings
from worker.store import RunStore


@dataclass(frozen=True)
class Studio:
    """The settings, where everything is kept, and what draws it."""

    settings: Settings
    store: RunStore
    gallery: Gallery
