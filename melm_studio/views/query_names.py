"""The fields of a query that describe how a plane is viewed, as page and routes spell them."""

from __future__ import annotations

from enum import StrEnum


class ViewField(StrEnum):
    """A field of the query of every route that takes a plane."""

    GAMMA = "gamma"
    KEPT = "kept"  # the number of features that are kept
    MORPH = "morph"  # RUN:SHARE
    MOVES = "moves"  # FEATURE:X:Y,...
    FROM = "from"  # AZIMUTH:ELEVATION, in radians
    TOWARD = "toward"  # the run that the plane is aligned with
