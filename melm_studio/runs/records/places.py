"""The places that a run takes in the queue."""

from __future__ import annotations

from melm_studio.runs.records.run import RunRecord

# A long record, such as one with a plane of thousands of features, takes more than one place.
BYTES_PER_PLACE = 2**16


def places_of(record: RunRecord) -> int:
    """Return how many places a waiting run takes."""
    return 1 + len(record.to_bytes()) // BYTES_PER_PLACE
