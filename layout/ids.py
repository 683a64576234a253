"""The identifiers of everything that callbacks and scripts address."""

from __future__ import annotations

# Stores
CHOICE = "choice"  # what the user asks for: a sample or an upload, its label, standardised or not
SOURCE = "source"  # the last choice that could be read, which the browser remembers
DATA = "data"  # the prepared data set: its id and name, and the choice it came from
REVISION = "revision"  # changes whenever the list of runs may have changed

# Data
DROP_ZONE = "drop-zone"
DATA_ERROR = "data-error"
DATA_SUMMARY = "data-summary"
LABEL = "label"
STANDARDISE = "standardise"

# Controls
METHOD = "method"
METHOD_EXPLANATION = "method-explanation"
GAMMA = "gamma"
N_INIT = "n-init"
N_INIT_REASON = "n-init-reason"
SETTINGS = "settings"  # what the chosen method alone can be told
RANDOM_STATE = "random-state"
HELD_OUT = "held-out"
RUN = "run"
RUN_ERROR = "run-error"

# Panels
PANELS = "panels"
CONNECTION = "connection"
LINKED = "linked"
ALIGNED = "aligned"
CONTOURS = "contours"
ARROWS = "arrows"
GAMMA_SHOWN = "gamma-shown"  # receives nothing either
VIEW = "view"  # receives nothing: the target of client-side view settings

# Is it real?
CHECK = "check"
CHECK_RUN = "check-run"
CHECK_CLOCK = "check-clock"
CHECK_BODY = "check-known"
CHECK_STOP = "check-stop"

# Decision surface
SURFACE = "surface"
SURFACE_RUN = "surface-run"
SURFACE_KIND = "surface-kind"
SURFACE_CLASS = "surface-class"
SURFACE_METHOD = "surface-method"
SURFACE_WORDS = "surface-words"
SURFACE_PLOT = "surface-plot"


def sample(key: str) -> dict[str, str]:
    """The button of a sample."""
    return {"type": "sample", "key": key}


def setting(name: str) -> dict[str, str]:
    """The control of a setting of the chosen method."""
    return {"type": "setting", "name": name}


def stop(run_id: str) -> dict[str, str]:
    """The stop button of a run."""
    return {"type": "stop", "run": run_id}


def surface(run_id: str) -> dict[str, str]:
    """The button that opens the decision surface in a run's plane."""
    return {"type": "surface", "run": run_id}


def check(run_id: str) -> dict[str, str]:
    """The button that asks whether what a run found is real."""
    return {"type": "check", "run": run_id}


def remove(run_id: str) -> dict[str, str]:
    """The remove button of a run."""
    return {"type": "remove", "run": run_id}
