"""The page of links and tokens: what there is, made and revoked by its buttons."""

from __future__ import annotations

import re

from callbacks.routes.api.endpoints import PREFIX
from melm_studio.runs.records.grant import Grant

PAGE = "/links-and-tokens"


def rows(page: str) -> list[str]:
    """The rows of the list as text."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in body.split("</tr>")[:-1]]


def test_the_list_says_kind_times_and_how_to_revoke(visitor):
    assert "You have none" in visitor.http.get(PAGE).text
    visitor.http.post(f"{PAGE}/recovery")
    visitor.http.post(f"{PAGE}/token")
    sample = {"source": {"kind": "sample", "key": "wine"}}
    visitor.http.get(visitor.http.post(f"{PREFIX}/links", json=sample).json["path"])
    assert [re.sub(r"[0-9a-f]{6} ", "", row) for row in rows(page_of(visitor))] == [
        "Address of a table a moment ago a moment ago in 10 minutes Revoke",
        "Token a moment ago never in 30 days Revoke",
        "Recovery link a moment ago never in 90 days Revoke",
    ]


def page_of(visitor) -> str:
    return visitor.http.get(PAGE).text


def test_a_secret_is_shown_once_and_kept_nowhere(studio, visitor):
    made = visitor.http.post(f"{PAGE}/token")
    secret = re.search(r"<code>([^<]+)</code>", made.text)[1]
    assert made.headers["Cache-Control"] == "no-store"
    assert "valid for 30 days" in made.text
    assert secret not in page_of(visitor)
    (grant,) = studio.store.grants.of_owner(visitor.owner)
    assert secret not in grant.to_bytes().decode()
    program = studio.app.server.test_client(use_cookies=False)
    headers = {"X-Melm-Token": secret}
    assert program.get(f"{PREFIX}/runs", headers=headers).status_code == 200
    link = visitor.http.post(f"{PAGE}/recovery").text
    assert "Your link, valid for 90 days" in link


def test_the_button_of_a_row_revokes_it_and_leads_back(visitor):
    visitor.http.post(f"{PAGE}/token")
    address = re.search(r'action="([^"]+/revoke)"', page_of(visitor))[1]
    answer = visitor.http.post(address)
    assert (answer.status_code, answer.headers["Location"]) == (303, "../../links-and-tokens")
    assert rows(page_of(visitor)) == []


def test_nobody_sees_or_revokes_what_is_another_s(studio, visitor):
    visitor.http.post(f"{PAGE}/token")
    (grant,) = studio.store.grants.of_owner(visitor.owner)
    stranger = studio.visitor()
    assert rows(page_of(stranger)) == []
    assert stranger.http.post(f"{PAGE}/{grant.grant_id}/revoke").status_code == 404
    assert stranger.http.post(f"{PAGE}/x/revoke").json["error"].startswith("There is no such link")
    assert rows(page_of(visitor))


def test_a_visitor_with_as_many_as_there_may_be_is_told_so(visitor):
    for _ in range(10):
        assert visitor.http.post(f"{PAGE}/recovery").status_code == 200
    refused = visitor.http.post(f"{PAGE}/recovery")
    assert refused.status_code == 409
    assert "You have 10 recovery links already" in refused.json["error"]


def test_the_link_that_let_this_browser_in_is_marked(studio, visitor):
    page = visitor.http.post(f"{PAGE}/recovery").text
    guest = studio.visitor()
    guest.http.post(re.search(r"localhost(/recovery/[^<]+)</code>", page)[1])
    assert "lets this browser in" in page_of(guest)
    assert "lets this browser in" not in page_of(visitor)


def test_the_id_of_a_grant_does_not_let_anybody_in(studio, visitor):
    visitor.http.post(f"{PAGE}/recovery")
    grant: Grant = studio.store.grants.of_owner(visitor.owner)[0]
    assert studio.visitor().http.post(f"/recovery/{grant.grant_id}").status_code == 404
