"""Which of the listed features the plane owes to the rows that happen to be in the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from melm_core.base import percent
from melm_studio.runs.records.check_report import FeatureStability
from melm_studio.scores import angle_sentence

STABLE_SHARE = 0.5


def with_stability(ranking: Mapping[str, Any], found: FeatureStability | None) -> dict[str, Any]:
    """A ranking of features with how often resamples select each of them.

    Parameters
    ----------
    ranking : mapping
        With ``features``, each with its number as ``feature``.
    found : FeatureStability or None
        Of the check of the run; without it, nothing is added.

    Examples
    --------
    >>> found = FeatureStability(8.0, 20, 1, (0.9, 0.1), (0.4, 0.0), (0.6, 0.2))
    >>> ranking = with_stability({"features": [{"feature": 1}]}, found)
    >>> ranking["features"][0]["is_stable"]
    False
    """
    if found is None:
        return dict(ranking)
    features = [
        {**feature, **_of_feature(found, feature["feature"])} for feature in ranking["features"]
    ]
    return {**ranking, "features": features, "stability": angle_sentence(found)}


def _of_feature(found: FeatureStability, code: int) -> dict[str, Any]:
    frequency = found.frequencies[code]
    selected = f"Among the {found.n_top} strongest" if found.n_top > 1 else "The strongest"
    interval = f"length of its loadings {found.lower[code]:.2f} to {found.upper[code]:.2f}"
    words = f"{selected} in {percent(frequency)} of {found.n_resamples} resamples; {interval}"
    return {"is_stable": frequency >= STABLE_SHARE, "stability": words}
