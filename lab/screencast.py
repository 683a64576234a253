"""Everything that Chromium paints of a page while a block runs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page


@contextmanager
def screencast(page: Page) -> Iterator[list[bytes]]:
    """Fill a list with a PNG of every paint that the browser has time to send."""
    pngs: list[bytes] = []
    session = page.context.new_cdp_session(page)

    def keep(frame: dict[str, Any]) -> None:
        pngs.append(base64.b64decode(frame["data"]))
        session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    session.on("Page.screencastFrame", keep)
    session.send("Page.startScreencast", {"format": "png"})
    try:
        yield pngs
    finally:
        session.detach()
