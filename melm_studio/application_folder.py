"""Folder of app.py, the callbacks and the assets."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

_IN_A_WHEEL = Path(__file__).parent / "application"

# Inside the package where that is installed, and beside it in a checkout.
APPLICATION_FOLDER = _IN_A_WHEEL if _IN_A_WHEEL.is_dir() else Path(__file__).parents[1]


def application(module: str = "app") -> ModuleType:
    """Import app.py, or a module of the callbacks, where needed: both have common names."""
    folder = str(APPLICATION_FOLDER)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return import_module(module)
