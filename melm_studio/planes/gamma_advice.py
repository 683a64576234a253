"""Held-out accuracy by kernel width, for the runs that a width is recommended to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from melm_core.methods import GAMMA, METHODS, STARTS
from melm_studio.runs.records.outcome import GammaPath
from melm_studio.runs.records.run import RunRecord

# The planes compared do not depend on the width of the run, nor on where its search starts.
_ANY_VALUE = (GAMMA.name, STARTS.name, "init")


def gamma_advice(record: RunRecord, fits: Iterable[RunRecord]) -> GammaPath | None:
    """The path by which a run chose gamma, or the newest of another run on the same rows.

    None if no such run has chosen yet, or the method has no kernel width.

    Parameters
    ----------
    record : RunRecord
    fits : iterable of RunRecord
        The runs of the visitor, oldest first.

    Returns
    -------
    GammaPath or None
    """
    paths = [
        path
        for other in (*fits, record)
        if _is_comparable(other, record) and (path := _chosen_path(other)) is not None
    ]
    return paths[-1] if paths else None


def recommended_gamma(record: RunRecord, fits: Iterable[RunRecord]) -> float | None:
    """The width of the best held-out accuracy in inner folds; None where none are known.

    The one number that `auto`, "Find the best γ", *By γ* and the tree of planes go by.
    """
    advice = gamma_advice(record, fits)
    return advice.chosen if advice else None


def can_choose_gamma(record: RunRecord) -> bool:
    """Return whether a run with the same method could choose gamma by inner folds."""
    return METHODS[record.method].takes(GAMMA.name)


def _chosen_path(record: RunRecord) -> GammaPath | None:
    return None if record.chosen_gamma is None else record.outcome.gamma_path


def _is_comparable(other: RunRecord, record: RunRecord) -> bool:
    """Return whether two runs have the same rows, and differ in nothing their path depends on."""
    return (
        (other.data_id, other.method) == (record.data_id, record.method)
        and _fixed(other) == _fixed(record)
        and can_choose_gamma(record)
    )


def _fixed(record: RunRecord) -> dict[str, Any]:
    return {
        name: value for name, value in record.parameters.values.items() if name not in _ANY_VALUE
    }
