"""How a plane of a run is looked at: all that sets a picture apart from the plane that was found.

A look is a few numbers, so that the page, a link and a story can hold it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from melm_studio.views.edit import Move
from melm_studio.views.plane_view import FROM_THE_FRONT

__all__ = ["AS_FOUND", "Look", "Move"]


@dataclass(frozen=True)
class Look:
    """What is done to a plane before it is drawn.

    Attributes
    ----------
    gamma : float or None
        Kernel width of the densities; None for that of the run.
    n_kept : int or None
        Keep the strongest features only, as many, in the best plane of these.
    morph : tuple of (str, float) or None
        Another run, and how far on the way to its newest plane, 0 to 1.
    moves : tuple of Move
        Arrows that were put elsewhere, in their order.
    direction : tuple of float
        Where three components are seen from, two angles in radians.
    toward : str or None
        The run whose newest plane the picture is turned to lie like.
    """

    gamma: float | None = None
    n_kept: int | None = None
    morph: tuple[str, float] | None = None
    moves: tuple[Move, ...] = ()
    direction: tuple[float, float] = FROM_THE_FRONT
    toward: str | None = None

    @property
    def is_of_another_plane(self) -> bool:
        """Whether the plane on screen is no longer that of the run."""
        return bool(self.moves) or self.n_kept is not None or self.morph is not None

    @property
    def plane(self) -> Look:
        """What of the look makes another plane."""
        return replace(self, gamma=None, direction=FROM_THE_FRONT, toward=None)


AS_FOUND = Look()
