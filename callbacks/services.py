"""The services that callbacks and routes use, and how they reach them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, cast

import flask

from melm_studio.configuration.settings import Settings
from melm_studio.planes.decision_surface import DecisionSurfaces
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.run_planes import RunPlanes
from melm_studio.reading import FileReader
from melm_studio.runs.store.protocol import RunStore
from melm_studio.workspace.described_tables import DescribedTables
from melm_studio.workspace.known_runs import RowViews

_EXTENSION = "melm-studio"


class Served(Protocol):
    """An object with a server: the page, or the interface for programs."""

    @property
    def server(self) -> flask.Flask: ...


@dataclass(frozen=True)
class Services:
    """Parts of one app: its settings, store and renderer, and what is computed of its runs."""

    settings: Settings
    store: RunStore
    renderer: PlaneRenderer
    reader: FileReader
    rows: RowViews = field(init=False)
    surfaces: DecisionSurfaces = field(init=False)
    tables: DescribedTables = field(init=False, default_factory=DescribedTables)

    @property
    def planes(self) -> RunPlanes:
        """The planes of runs, which the renderer draws."""
        return self.renderer.planes

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", RowViews(self.planes))
        object.__setattr__(self, "surfaces", DecisionSurfaces(self.planes))


def install(server: flask.Flask, services: Services) -> None:
    """Make the services available to the callbacks and routes of a server."""
    server.extensions[_EXTENSION] = services


def services() -> Services:
    """Return the services of the current app."""
    return cast(Services, flask.current_app.extensions[_EXTENSION])
