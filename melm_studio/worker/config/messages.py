"""What a user is told about the end of a run."""

from __future__ import annotations

STOPPED = "Stopped. The best plane so far is kept."
CHECK_STOPPED = "Stopped. What is known so far stands."
STOPPED_IN_QUEUE = "Stopped before it started."
UNEXPECTED = (
    "The run stopped on an unexpected error; its best plane so far is kept. "
    "Run it again, or with another seed."
)
DATA_GONE = (
    "The data of this run are no longer stored; unused data are kept {days} days. "
    "Load them once more and run it again."
)
NO_ROOM = (
    "The disk of the studio was full, so the run stopped; its best plane so far is kept. "
    "Once there is room, run it again."
)
HAS_ENDED = "This run has ended already; run it again instead."
PAUSES_LATER = (
    "Only a running run pauses; this one still waits for a worker, and will pause at its first "
    "plane."
)
DIED = (
    "The worker process ended unexpectedly ({reason}). The best plane so far is kept; run it again."
)
LOST = "Contact with this run was lost. The best plane so far is kept; run it again."
STUDIO_STOPPED = (
    "The studio was stopped while this run was working. "
    "Its best plane so far is kept; run it again."
)
