"""The documentation is served, and none of its links is dead."""

from __future__ import annotations

import re
from contextlib import closing
from urllib.parse import urljoin, urlsplit

import pytest

from melm_studio.layout.help import GUIDE

LINK = re.compile(r'(?:href|src)="([^"]+)"')


@pytest.mark.parametrize("name", GUIDE)
def test_every_page_that_help_offers_opens_and_its_links_lead_on(visitor, decoded, name):
    address = f"/docs/{name}.md"
    answer = visitor.http.get(address)
    assert answer.status_code == 200
    assert answer.mimetype == "text/html"
    links = {urljoin(address, link) for link in LINK.findall(decoded(answer))}
    assert len(links) >= len(GUIDE)
    own = {urlsplit(link).path for link in links if not urlsplit(link).netloc}
    for link in own:
        with closing(visitor.http.get(link)) as linked:
            assert linked.status_code == 200, link


def test_headings_pictures_and_superscripts_are_elements(visitor, decoded):
    page = decoded(visitor.http.get("/docs/explore.md"))
    assert "<h1>Explore</h1>" in page
    assert 'src="pictures/explore.png"' in page
    assert "<sup>.95</sup>" in page


@pytest.mark.parametrize("path", ["none.md", "..%2FREADME.md", "pictures/..%2F..%2Fapp.py"])
def test_nothing_else_is_served(visitor, path):
    assert visitor.http.get(f"/docs/{path}").status_code == 404


def test_every_page_of_text_has_the_icon_of_the_studio(visitor):
    for page in ("/docs/explore.md", "/links-and-tokens"):
        icon = re.search(r'rel="icon"[^>]* href="([^"]+)"', visitor.http.get(page).text)
        with closing(visitor.http.get(icon[1])) as found:
            assert found.mimetype == "image/svg+xml"
