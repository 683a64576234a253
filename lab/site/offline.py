"""What pages of the site would load from the network; links to follow are no such parts."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

_ADDRESS_OF = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


def remote_parts(site: Path) -> list[str]:
    """Return "page: address" for every part of a page that is on another host."""
    return [
        f"{page.relative_to(site)}: {address}"
        for page in sorted(site.rglob("*.html"))
        for address in _parts(page.read_text(encoding="utf-8"))
        if address.startswith(("http:", "https:", "//"))
    ]


def _parts(text: str) -> list[str]:
    parser = _Parts()
    parser.feed(text)
    return parser.addresses


class _Parts(HTMLParser):
    """Collects the addresses of what a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in _ADDRESS_OF and values.get("rel") not in {"canonical", "search"}:
            self.addresses.append(values.get(_ADDRESS_OF[tag]) or "")
