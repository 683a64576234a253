"""What visitors keep in a store besides runs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

from melm_studio.worker.records.run import RunRecord

# Whoever opens a page puts its data again; that need not write each time.
TOUCH_AGAIN_AFTER_S = 3_600.0


class HoldingKind(StrEnum):
    """What bytes are kept as."""

    DATA = "data"
    UPLOAD = "upload"


@dataclass(frozen=True)
class Holding:
    """Bytes that somebody keeps under a key.

    Attributes
    ----------
    owner : str
    kind : HoldingKind
    key : str
    digest : str
        SHA-256 of the bytes; equal ones are kept once for all holdings.
    n_bytes : int
    touched_s : float
        When the bytes were last put, in seconds since the epoch.
    """

    owner: str
    kind: HoldingKind
    key: str
    digest: str
    n_bytes: int
    touched_s: float

    def to_bytes(self) -> bytes:
        """Return the holding as JSON in UTF-8."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Holding:
        """Return the holding that `to_bytes` wrote."""
        values = json.loads(raw)
        return cls(**values | {"kind": HoldingKind(values["kind"])})


def is_fresh(holding: Holding, digest: str, now: float) -> bool:
    """Return whether putting these bytes once more would change nothing worth a write."""
    return holding.digest == digest and now - holding.touched_s < TOUCH_AGAIN_AFTER_S


def unused(holdings: Iterable[Holding], runs: Iterable[RunRecord]) -> list[Holding]:
    """Return what none of the runs works on or came from, longest untouched first."""
    used = {name for run in runs for name in _names(run)}
    free = [holding for holding in holdings if (holding.kind, holding.key) not in used]
    return sorted(free, key=lambda holding: holding.touched_s)


def _names(run: RunRecord) -> set[tuple[HoldingKind, str]]:
    data = {(HoldingKind.DATA, run.data_id)}
    if run.source.get("kind") != "upload":
        return data
    return data | {(HoldingKind.UPLOAD, run.source["key"])}
