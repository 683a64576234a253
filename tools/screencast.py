"""Everything that Chromium paints of a page while a block runs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

from tools.images import Shot


@contextmanager
def screencast(page: Page) -> Iterator[list[Shot]]:
    """Fill a list with a screenshot of every paint that the browser has time to send."""
    shots: list[Shot] = []
    session = page.context.new_cdp_session(page)

    def keep(frame: dict[str, Any]) -> None:
        at_ms = 1000 * frame["metadata"]["timestamp"]
        shots.append(Shot(base64.b64decode(frame["data"]), at_ms))
        session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    session.on("Page.screencastFrame", keep)
    session.send("Page.startScreencast", {"format": "png"})
    try:
        yield shots
    finally:
        session.detach()
        # Two paints may arrive the wrong way round.
        shots.sort(key=lambda shot: shot.at_ms)
