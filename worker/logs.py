"""How the worker's processes log."""

from __future__ import annotations

import logging


def configure_logging() -> None:
    """Log to standard error, a line an event, with ``run=<id>`` where one run is meant."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s pid=%(process)d %(message)s"
    )
