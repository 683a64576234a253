"""The command `melm-studio`: starts the studio, wherever the package is installed."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from melm_studio.application_folder import APPLICATION_FOLDER


def main() -> int:
    """Start the studio with the flags of the command line; `--help` lists them."""
    # Only this process needs to import app.py and the callbacks, which have common names.
    sys.path.insert(0, str(APPLICATION_FOLDER))
    status: int = import_module("app").main(sys.argv[1:], os.environ)
    return status
