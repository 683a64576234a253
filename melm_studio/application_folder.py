"""Where app.py, the callbacks and the assets are."""

from __future__ import annotations

from pathlib import Path

_IN_A_WHEEL = Path(__file__).parent / "application"

# Inside the package where that is installed, and beside it in a checkout.
APPLICATION_FOLDER = _IN_A_WHEEL if _IN_A_WHEEL.is_dir() else Path(__file__).parents[1]
