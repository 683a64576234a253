"""The densities of the classes along a single feature, and how well it alone tells them apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from melm_core.base import UserError
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.types import PlaneView
from melm_studio.scores import feature_sentence
from melm_studio.tables import LabeledData

_CONSTANT = "{name} has a single value in the training rows, so it has no densities."


@dataclass(frozen=True, eq=False)
class FeatureDensities:
    """The classes along one feature.

    Attributes
    ----------
    name : str
    view : PlaneView
        Of one component: that feature, in standard deviations of the training rows.
    n_drawn : int
    """

    name: str
    view: PlaneView
    n_drawn: int

    @property
    def words(self) -> str:
        """The share of held-out rows that is told apart, beside training rows and chance."""
        return feature_sentence(self.name, self.view.scores.verdict(len(self.view.classes)))


def feature_densities(viewer: PlaneViewer, feature: int) -> FeatureDensities:
    """Return the classes along one feature, with the densities of a run's kernel width.

    Parameters
    ----------
    viewer : PlaneViewer
        Of the run.
    feature : int
        Position among its features.

    Raises
    ------
    UserError
        If there is a single value.
    """
    train, held_out = (_single(part, feature) for part in viewer.parts)
    name = viewer.feature_names[feature]
    if not np.ptp(train.X) > 0:
        raise UserError(_CONSTANT.format(name=name))
    along = PlaneViewer(train, held_out, viewer.gamma, n_components=1)
    return FeatureDensities(name, along.view(np.ones((1, 1))), along.n_drawn)


def _single(part: LabeledData, feature: int) -> LabeledData:
    column = slice(feature, feature + 1)
    names = part.feature_names[column]
    return replace(part, X=part.X[:, column], feature_names=names, unlabeled=None, rules=None)
