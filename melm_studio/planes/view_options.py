"""View options of a plane: everything on screen that the run did not determine.

View options are a few numbers, so a page, a link, and a story can hold them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from melm_core.methods import BATCH_WEIGHT, GAMMA
from melm_studio.planes.plane_edits import LoadingEdit
from melm_studio.planes.plane_view import FROM_THE_FRONT
from melm_studio.planes.types import Places
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.validation import Coordinate, Count, Text

# More edits than this no longer describe a view of the plane that was found.
MAX_EDITS = 64

Gamma = Annotated[float, Meta(title=GAMMA.label, ge=GAMMA.minimum, le=GAMMA.maximum)]
BatchWeight = Annotated[
    float, Meta(title=BATCH_WEIGHT.label, ge=BATCH_WEIGHT.minimum, le=BATCH_WEIGHT.maximum)
]
NFeatures = Annotated[int, Meta(title="The number of features", ge=1, le=10**9)]
ViewAngle = Annotated[tuple[Coordinate, Coordinate], Meta(title="The view angle")]
Edits = Annotated[
    tuple[LoadingEdit, ...],
    Meta(
        title="The list of moved arrows",
        description=f"a list of at most {MAX_EDITS} edits; use Refine from here",
        max_length=MAX_EDITS,
    ),
]
PlaneNumber = Annotated[Count, Meta(title="The plane number")]
Share = Annotated[float, Meta(title="The morph position", ge=0.0, le=1.0)]


class MorphTarget(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A plane of another run, and the share of the way toward it.

    Attributes
    ----------
    run_id : str
        Another fit, or the tree of planes of the run.
    share : float
    plane : int or None
        The number of the plane in the history of that run; None for its newest.
    origin : int or None
        The number of the plane of that run from which the way begins; None for the run's own.
    """

    run_id: Text
    share: Share
    plane: PlaneNumber | None = None
    origin: PlaneNumber | None = None


class ViewOptions(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Changes to a plane before it is drawn.

    Attributes
    ----------
    gamma : float or None
        Kernel width of the densities; None for the width that the run used.
    n_top_features : int or None
        Keep this many of the strongest features, in the best plane of these.
    edits : tuple of LoadingEdit
        Arrows that were moved, in order.
    view_angle : tuple of float
        Azimuth and elevation in radians, for three components.
    morph : MorphTarget or None
    batch_weight : float or None
        Refit the plane with this weight of the batches; None for that of the run.
    toward : str or None
        The run to whose newest plane the picture is aligned.
    places : "unseen" or "fitted"
        Where the rows are drawn once the refits of the run are known.
    """

    gamma: Gamma | None = None
    n_top_features: NFeatures | None = None
    edits: Edits = ()
    view_angle: ViewAngle = FROM_THE_FRONT
    morph: MorphTarget | None = None
    batch_weight: BatchWeight | None = None
    toward: Text | None = None
    places: Places = Places.UNSEEN

    @property
    def changes_plane(self) -> bool:
        """True if the plane on screen differs from the plane of the run."""
        options = (self.n_top_features, self.morph, self.batch_weight)
        return bool(self.edits) or any(option is not None for option in options)

    @property
    def of_plane(self) -> ViewOptions:
        """The options that change the plane, without those that only change how it is drawn."""
        return replace(
            self, gamma=None, view_angle=FROM_THE_FRONT, toward=None, places=Places.UNSEEN
        )

    @property
    def without_runs(self) -> ViewOptions:
        """The options that name no run, as a link and a story hold them."""
        return replace(self, morph=None, toward=None)


DEFAULT_VIEW = ViewOptions()


@dataclass(frozen=True)
class Shown:
    """A plane of a run under view options; equal to every other one that shows the same.

    What is shown is computed from the record and the event that a request holds: neither the plane
    nor the settings of a run ever change.

    Attributes
    ----------
    run_id : str
    sequence : int
        Of the plane in the history of the run.
    options : ViewOptions
    record : RunRecord
    event : PlaneEvent
    """

    run_id: str
    sequence: int
    options: ViewOptions
    record: RunRecord = field(compare=False, repr=False)
    event: PlaneEvent = field(compare=False, repr=False)

    @classmethod
    def of(cls, record: RunRecord, event: PlaneEvent, options: ViewOptions = DEFAULT_VIEW) -> Shown:
        """Return what a request shows."""
        return cls(record.run_id, event.sequence, options, record, event)

    @property
    def changes_plane(self) -> bool:
        """True if the plane on screen differs from that of the run."""
        return self.options.changes_plane

    def under(self, options: ViewOptions) -> Shown:
        """Return the plane under other view options."""
        return Shown.of(self.record, self.event, options)

    @property
    def as_found(self) -> Shown:
        """The plane as the run found it."""
        return self.under(DEFAULT_VIEW)

    @property
    def of_plane(self) -> Shown:
        """The same without what only changes how the plane is drawn."""
        return self.under(self.options.of_plane)
