"""The messages to the user about how a run ended."""

from __future__ import annotations

STOPPED = "Stopped. The best plane so far is kept."
CHECK_STOPPED = "Stopped. The results so far are kept."
STOPPED_IN_QUEUE = "Stopped before it started."
UNEXPECTED = (
    "The run stopped because of an unexpected error; its best plane so far is kept. "
    "Run it again, or with another seed."
)
NO_MEMORY = (
    "The run needed more memory than a run may have here; its best plane so far is kept. "
    "Leave out rows or features, or ask the administrator for a higher MELM_MAX_RUN_MB."
)
MEMORY_SHORT = (
    "Stopped, since the runs here took more than {megabytes} MB of memory together. The best plane "
    "so far is kept; refine it from there when fewer runs are at work."
)
DATA_GONE = (
    "The data of this run are no longer stored; unused data are kept for {days} days. "
    "Load them again and run it again."
)
NO_ROOM = (
    "The disk of the studio was full, so the run stopped; its best plane so far is kept. "
    "When there is room, run it again."
)
OVERTIME = (
    "Stopped after {hours}, the longest that a run may take here. The best plane so far is kept; "
    "refine it from there."
)
OTHER_VERSION = (
    "This run was made by another version of the studio, which this one cannot read. Remove it, or "
    "ask the administrator for the version that made it."
)
RESULTS_UNREADABLE = (
    "These results cannot be read: they are damaged, or another version of the studio wrote them. "
    "Run the method again and compute them anew, or ask the administrator for a backup."
)
HAS_ENDED = "This run has already ended; continue it instead."
NOT_CUT_SHORT = "This run cannot be continued, since it was not cut short."
PAUSES_LATER = "This run still waits for a worker; it will pause at its first plane."
WAITS = "waiting for a free worker"
# Each begins a sentence.
DIED = "The worker process of this run died ({reason})"
LOST = "Contact with the worker of this run was lost"
STUDIO_STOPPED = "The studio was stopped during this run"
GIVEN_UP = (
    "{cause}, and the run was tried {n} times. Its best plane so far is kept; it can be continued."
)
