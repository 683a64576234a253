"""Below a path, everything works as at the root, whether the proxy removes the path or not."""

from __future__ import annotations

import json
import re
from urllib.parse import urljoin

import pytest
from werkzeug.test import Client

from callbacks.guards.path_prefix import PathPrefix
from lab.driver.visitor import Visitor, opened_studio

PREFIX = "/user/ann/melm"
SETTINGS = {"path_prefix": PREFIX, "proxies": 1, "framed_by": "https://hub.example.org"}
ADDRESS = re.compile(r'(?:src|href|action|content)="(/[^"]+)"')


def keeping(application):
    """A proxy that passes the path on as it is."""
    return application


def removing(application):
    """A proxy that removes the path, as notebook servers do."""

    def proxy(environ, start_response):
        path = environ["PATH_INFO"].removeprefix(PREFIX)
        return application({**environ, "PATH_INFO": path}, start_response)

    return proxy


class Browser:
    """Knows the address of the proxy, and the studio by its own addresses."""

    def __init__(self, application):
        self._client = Client(application)

    def get(self, path, **options):
        return self._client.get(f"{PREFIX}{path}", buffered=True, **options)

    def post(self, path, **options):
        return self._client.post(f"{PREFIX}{path}", **options)


def followed(path, answer):
    """Where a browser goes on; a proxy may add the path to what begins with a slash."""
    target = answer.headers["Location"]
    assert not target.startswith("/")
    return urljoin(f"{PREFIX}{path}", target)


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with opened_studio(tmp_path_factory.mktemp("below"), **SETTINGS) as studio:
        yield studio


@pytest.fixture(params=[keeping, removing])
def client(request, studio):
    return Browser(request.param(studio.app.server))


def test_every_address_in_the_page_is_below_the_path_and_answers(client):
    page = client.get("/")
    found = set(ADDRESS.findall(page.text))
    assert len(found) > 10
    assert all(address.startswith(f"{PREFIX}/") for address in found)
    (config,) = re.findall(r'id="_dash-config"[^>]*>(.*?)</script>', page.text, re.DOTALL)
    assert json.loads(config)["requests_pathname_prefix"] == f"{PREFIX}/"
    answers = {address: client.get(address.removeprefix(PREFIX)) for address in found}
    assert [path for path, answer in answers.items() if answer.status_code != 200] == []


def test_a_visitor_runs_a_method_and_takes_its_report(studio, client):
    visitor = Visitor(client)
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    studio.work()
    assert visitor.news(run)["is_final"]
    report = client.get(f"/runs/{run}/report.html").text
    assert f'href="http://localhost{PREFIX}/?' in report


def test_the_cookie_is_sent_to_the_studio_only_or_set_by_this_host_only(client):
    plain = client.get("/").headers["Set-Cookie"]
    assert f"Path={PREFIX};" in f"{plain};"
    secure = client.get("/", headers={"X-Forwarded-Proto": "https"}).headers["Set-Cookie"]
    assert secure.startswith("__Host-")  # for which browsers want the path to be /
    assert "Path=/;" in f"{secure};"


def test_links_lead_to_addresses_below_the_path(client):
    recovery = client.post("/links-and-tokens/recovery").text
    link = re.search(rf"<code>http://localhost{PREFIX}(/recovery/[^<]+)</code>", recovery)[1]
    assert f'action="{PREFIX}{link}"' in client.get(link).text
    assert followed(link, client.post(link)) == f"{PREFIX}/"
    source = {"kind": "sample", "key": "iris"}
    ticket = client.post("/api/v1/links", json={"source": source}).json["path"]
    assert followed(ticket, client.get(ticket)).startswith(f"{PREFIX}/?")
    assert client.get("/api/v1/openapi.json").json["servers"] == [{"url": PREFIX}]
    assert client.get("/nothing").json["error"].endswith(f"The studio is at {PREFIX}/.")


def test_without_the_slash_at_its_end_the_path_leads_to_the_page(studio):
    answer = studio.app.server.test_client().get(f"{PREFIX}?data=iris")
    assert answer.status_code == 308
    assert followed("", answer) == f"{PREFIX}/?data=iris"


def test_a_path_is_compared_as_it_is_decoded():
    seen = {}

    def application(environ, start_response):
        seen.update(environ)
        return []

    PathPrefix(application, "/user/ann%40lab")({"PATH_INFO": "/user/ann@lab/frames"}, print)
    assert (seen["SCRIPT_NAME"], seen["PATH_INFO"]) == ("/user/ann@lab", "/frames")
