"""What a user is told about the end of a run."""

from __future__ import annotations

STOPPED = "Stopped. The best plane so far is kept."
CHECK_STOPPED = "Stopped. What is known so far stands."
STOPPED_IN_QUEUE = "Stopped before it started."
UNEXPECTED = (
    "The run stopped on an unexpected error; its best plane so far is kept. "
    "Run it again, or with another seed."
)
DATA_GONE = "The data of this run is no longer stored; load it once more and run it again."
DIED = (
    "The worker process ended unexpectedly ({reason}). The best plane so far is kept; run it again."
)
LOST = "Contact with this run was lost. The best plane so far is kept; run it again."
STUDIO_STOPPED = (
    "The studio was stopped while this run was working. "
    "Its best plane so far is kept; run it again."
)
