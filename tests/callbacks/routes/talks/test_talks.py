"""A talk shows its audience what its presenter shows, and nothing else."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from callbacks.guards.web_server import ConnectionLimits
from callbacks.routes.talks import MOST_WRONG_CODES, WRONG_COUNTS_S, WrongCodes
from lab.driver.visitor import opened_studio
from melm_studio.publication.talk import MOST_VIEWERS_HELD, Audience
from melm_studio.talks import TalkView
from tests.callbacks.routes.talks.messages import newest, read_messages

NAMED = b"name,batch,x,y,class\n" + b"".join(
    f"patient {i},lab {i % 2},{i % 7},{(i * i) % 11},{'ab'[i % 2]}\n".encode() for i in range(40)
)


@pytest.fixture(scope="module")
def presenter(studio):
    """A visitor who has a run of a table with names and further columns."""
    visitor = studio.visitor()
    visitor.choose_file(
        NAMED, "patients.csv", label="class", roles={"name": "name", "batch": "info"}
    )
    visitor.run = visitor.start(method="pca")
    studio.work()
    return visitor


@pytest.fixture
def begin(presenter):
    """Begin a talk, and return the path of its link."""
    presenter.http.post("/talk/end")

    def begin_talk(**allowed: bool) -> str:
        answer = presenter.http.post("/talk", json=allowed)
        assert answer.status_code == 200, answer.text
        return "/t/" + answer.json["talk"]["link"].rpartition("/")[2]

    return begin_talk


@pytest.fixture
def viewer(studio):
    """A browser that was never here."""
    return studio.app.server.test_client()


def show(presenter, query="", **shown):
    body = {"run": presenter.run, "plane": 0, **shown}
    return presenter.http.post(f"/talk/shown?{query}", json=body)


def test_viewers_see_what_the_presenter_shows(presenter, begin, viewer):
    path = begin()
    assert read_messages(viewer.get(f"{path}/pictures").data) == [("a", None)]
    assert show(presenter, isBlank=True, isLive=True).status_code == 200
    picture = newest(viewer.get(f"{path}/pictures").data)
    assert picture["isBlank"]
    assert picture["isLive"]
    answer = show(
        presenter, "gamma=0.5", caption="Two groups", classes=[1], rows=[2, 4], hidden=["arrows"]
    )
    assert answer.json == {"viewers": 0}
    picture = newest(viewer.get(f"{path}/pictures").data)
    plane = presenter.http.get(f"/runs/{presenter.run}/planes/0?gamma=0.5").json
    assert picture["traces"] == plane["traces"]
    assert picture["limits"] == plane["limits"]
    assert picture["titles"] == plane["axes"]
    training = plane["numbers"]["divergence-training"]
    assert picture["numbers"][0] == ["Divergence, training rows", f"{training:#.3g} nats"]
    assert not picture["isBlank"]
    assert not picture["isLive"]
    assert (picture["caption"], picture["classes"], picture["hidden"]) == (
        "Two groups",
        [1],
        ["arrows"],
    )
    assert sum(map(len, picture["selected"])) == 2
    assert "guessing: 50 %" in picture["follow"]


def test_viewers_see_the_arrows_that_the_presenter_sees(presenter, begin, viewer):
    path = begin()
    assert show(presenter, arrows=[1], unseen=[1]).status_code == 200
    picture = newest(viewer.get(f"{path}/pictures").data)
    assert (picture["drawn"], picture["unseen"]) == ([1], [1])
    assert dict(zip(picture["arrows"]["features"], picture["arrows"]["names"], strict=True)) == {
        0: "x",
        1: "y",
    }


def test_viewers_are_told_that_a_plane_is_not_that_of_its_run(presenter, begin, viewer):
    path = begin()
    show(presenter)
    name = newest(viewer.get(f"{path}/pictures").data)["run"]
    assert show(presenter, "edits=0:0.3:0.4").status_code == 200
    assert newest(viewer.get(f"{path}/pictures").data)["run"] == f"{name} (changed)"


def test_a_hidden_verdict_is_not_sent_until_it_is_revealed(presenter, begin, viewer):
    path = begin()
    show(presenter, hidden=["verdict"])
    hidden = newest(viewer.get(f"{path}/pictures").data)
    assert (hidden["lead"], hidden["follow"], hidden["numbers"]) == ("", "", [])
    show(presenter)
    assert newest(viewer.get(f"{path}/pictures").data)["lead"]


def test_what_a_viewer_has_is_not_sent_again(presenter, begin, viewer):
    path = begin()
    show(presenter)
    first = newest(viewer.get(f"{path}/pictures").data)
    has = f"after={first['number']}&scene={first['scene']['key']}"
    assert read_messages(viewer.get(f"{path}/pictures?{has}").data) == [("a", None)]
    show(presenter, "gamma=2")
    ((kind, picture),) = read_messages(viewer.get(f"{path}/pictures?{has}").data)
    assert kind == "p"
    assert picture["number"] > first["number"]


@pytest.mark.parametrize(("allowed", "is_seen"), [("names", "patient 3"), ("info", "batch: lab 1")])
def test_names_and_columns_are_sent_once_they_are_allowed(
    presenter, begin, viewer, allowed, is_seen
):
    path = begin()
    show(presenter)
    assert newest(viewer.get(f"{path}/pictures").data)["scene"]["rows"] is None
    presenter.http.post("/talk/allowed", json={allowed: True})
    show(presenter)
    scene = newest(viewer.get(f"{path}/pictures").data)["scene"]
    cells = [cell for part in scene["rows"] for row in part for cell in row]
    assert is_seen in cells
    assert len({cell.split()[0] for cell in cells}) == 1  # and nothing else
    assert not scene["downloads"]


def test_the_page_of_a_talk_needs_no_cookie_and_leaves_no_trace(presenter, begin, viewer):
    path = begin()
    show(presenter)
    for address in (path, f"{path}/pictures"):
        answer = viewer.get(address)
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    page = viewer.get(path).text
    assert presenter.run not in page
    assert presenter.owner not in page
    script = re.search(r'type="module" src="([^"]+)"', page)[1]
    answer = viewer.get(script)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["Cache-Control"]
    assert not re.search(r"^(import|export)\b", answer.text, re.MULTILINE)


def test_a_link_opens_nothing_but_its_talk(presenter, begin, viewer):
    path = begin()
    show(presenter)
    talk_id = path.rpartition("/")[2]
    viewer.get(path)
    for address in (
        f"/runs/{presenter.run}/planes/0",
        f"/runs/{talk_id}/points.csv",
        f"/runs/{presenter.run}/points.csv",
        f"{path}/points.csv",
        f"{path}/pictures/../../runs/{presenter.run}/figure",
        f"/recovery/{talk_id}",
    ):
        assert viewer.get(address).status_code == 404, address
    assert presenter.run not in viewer.get("/frames").json["states"]
    picture = viewer.get(f"{path}/pictures").data
    assert presenter.run.encode() not in b"".join(str(m).encode() for m in read_messages(picture))


def test_a_viewer_can_neither_show_nor_end_nor_allow(studio, presenter, begin, viewer):
    path = begin()
    show(presenter)
    stranger = studio.visitor()
    for client in (viewer, stranger.http):
        for address in ("/talk/shown", "/talk/allowed"):
            body = {"run": presenter.run, "plane": 0} if "shown" in address else {"names": True}
            assert client.post(address, json=body).status_code == 410
        assert client.post("/talk/end").json == {"talk": None}
        assert client.get("/talk").json["talk"] is None
    for address in (path, f"{path}/pictures"):
        for method in ("post", "put", "delete", "patch"):
            assert getattr(viewer, method)(address).status_code == 405
    assert viewer.get(path).status_code == 200
    assert presenter.http.get("/talk").json["talk"]["names"] is False


def test_a_presenter_shows_no_run_of_another(studio, presenter, begin):
    begin()
    stranger = studio.visitor()
    assert stranger.http.post("/talk", json={}).status_code == 200
    assert (
        stranger.http.post("/talk/shown", json={"run": presenter.run, "plane": 0}).status_code
        == 404
    )
    other = studio.visitor()
    other.choose_sample("iris")
    run = other.start(method="pca")
    studio.work()
    assert show(presenter, run=run).status_code == 404
    assert show(presenter, f"morph={run}:0.5").status_code == 404


@pytest.mark.parametrize("guess", ["0", "A" * 22, "../talk", "%00", "a" * 5_000])
def test_guesses_lead_nowhere_and_leave_nothing(studio, viewer, guess):
    known = studio.store.owners()
    for address in (f"/t/{guess}", f"/t/{guess}/pictures"):
        answer = viewer.get(address)
        assert answer.status_code == 404
        assert "Set-Cookie" not in answer.headers
        assert "Traceback" not in answer.text
    assert studio.store.owners() == known


def test_links_are_unguessable(presenter, begin):
    links = {begin() for _ in range(3) if presenter.http.post("/talk/end")}
    assert len(links) == 3
    assert all(re.fullmatch(r"/t/[\w-]{22}", link) for link in links)


@pytest.mark.parametrize(
    "shown",
    [
        None,
        [],
        {"plane": 10**12},
        {"plane": -1},
        {"caption": "x" * 10_000},
        {"rows": list(range(20_000))},
        {"classes": ["<script>"]},
        {"hidden": ["everything"]},
        {"axes": [[0, 1]]},
        {"axes": [[0, 1e300], [0, 1]]},
        {"html": "<b>"},
    ],
)
def test_what_is_shown_is_typed_and_bounded(presenter, begin, shown):
    begin()
    body = shown if not isinstance(shown, dict) else {"run": presenter.run, "plane": 0, **shown}
    answer = presenter.http.post("/talk/shown", json=body)
    assert answer.status_code == 400
    assert answer.json["words"].endswith(".")


def test_a_plane_that_is_not_there_is_not_shown(presenter, begin):
    begin()
    assert show(presenter, plane=10**6).status_code == 404


def test_another_site_can_neither_begin_nor_end_a_talk(presenter, begin, viewer):
    path = begin()
    for address in ("/talk", "/talk/end", "/talk/shown", "/talk/allowed"):
        answer = presenter.http.post(address, json={}, headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == 403
    assert viewer.get(path).status_code == 200


def test_a_talk_that_has_ended_is_gone(presenter, begin, viewer):
    path = begin()
    show(presenter)
    presenter.http.post("/talk/end")
    assert viewer.get(path).status_code == viewer.get(f"{path}/pictures").status_code == 404
    assert "has ended" in viewer.get(path).text
    assert show(presenter).status_code == 410


def test_a_talk_expires_with_its_link(studio, presenter, begin, viewer):
    path = begin()
    talk = studio.store.talks.get(path.rpartition("/")[2])
    assert talk.expires_s == pytest.approx(talk.created_s + 8 * 3_600)
    studio.store.talks.put(replace(talk, expires_s=time.time()))
    assert viewer.get(path).status_code == viewer.get(f"{path}/pictures").status_code == 404
    assert presenter.http.get("/talk").json["talk"] is None
    assert begin() != path


def typed(client, code, network="192.0.2.7"):
    return client.get("/t/", query_string={"code": code}, environ_base={"REMOTE_ADDR": network})


def test_a_code_that_is_typed_leads_to_its_talk(presenter, begin, viewer):
    path = begin()
    code = presenter.http.get("/talk").json["talk"]["typed"]
    assert re.fullmatch(r"[2-9A-HJKMNP-Z]{6}", code)
    for written in (code, code.lower(), f" {code[:3]} {code[3:]} "):
        answer = typed(viewer, written)
        assert answer.status_code == 303
        assert answer.headers["Location"].endswith(path)
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
    presenter.http.post("/talk/end")
    assert typed(viewer, code).status_code == 404


def test_a_wrong_code_is_named_and_can_be_mended(viewer):
    assert "<input" in viewer.get("/t/").text
    answer = typed(viewer, "<b>I0")
    assert answer.status_code == 404
    assert "No talk has the code &lt;b&gt;I0 now" in answer.text
    assert 'value="&lt;b&gt;I0"' in answer.text
    assert viewer.get("/t").headers["Location"].endswith("/t/")


def test_whoever_tries_many_codes_finds_no_talk_and_others_do(studio, presenter, begin, viewer):
    begin()
    code = presenter.http.get("/talk").json["talk"]["typed"]
    statuses = [typed(viewer, "222222", "198.51.100.1").status_code for _ in range(100)]
    n_looked_up = statuses.count(404)
    assert statuses == [404] * n_looked_up + [429] * (100 - n_looked_up)
    assert n_looked_up <= MOST_WRONG_CODES // 2
    assert typed(viewer, code, "198.51.100.1").status_code == 429
    assert typed(viewer, code, "203.0.113.9").status_code == 303


def test_wrong_codes_of_a_minute_ago_count_no_more():
    codes = WrongCodes()
    for _ in range(MOST_WRONG_CODES):
        codes.add("hall", 0.0)
    assert codes.are_too_many("hall", WRONG_COUNTS_S - 1.0)
    assert not codes.are_too_many("hall", WRONG_COUNTS_S)


def test_a_reloaded_page_finds_its_talk(presenter, begin):
    path = begin(names=True)
    talk = presenter.http.get("/talk").json["talk"]
    assert talk["link"].endswith(path)
    assert (talk["names"], talk["info"], talk["downloads"]) == (True, False, False)
    assert begin(names=True) == path  # rather than another


def test_the_code_is_an_image_of_the_link_alone(presenter, begin):
    begin()
    code = presenter.http.get("/talk").json["talk"]["code"]
    assert code.startswith("<svg")
    assert not re.search(r"<script|<text|href|on\w+=", code)


@pytest.mark.parametrize(
    ("host", "is_only_here"), [("localhost:8050", True), ("studio.example.org", False)]
)
def test_a_presenter_learns_that_nobody_else_can_open_the_link(tmp_path, host, is_only_here):
    with opened_studio(tmp_path, hosts=host.partition(":")[0]) as studio:
        client = studio.app.server.test_client()
        before = client.get("/talk", headers={"Host": host})
        assert before.json == {"talk": None, "is_only_here": is_only_here}
        answer = client.post("/talk", json={}, headers={"Host": host})
        talk = answer.json["talk"]
        assert talk["link"].startswith(f"http://{host}/t/")
        assert talk["is_only_here"] == is_only_here


def test_talks_can_be_turned_off(tmp_path):
    with opened_studio(tmp_path, talk_hours=0) as studio:
        answer = studio.app.server.test_client().post("/talk", json={})
        assert answer.status_code == 400
        assert "MELM_TALK_HOURS" in answer.json["words"]


def test_a_talk_that_is_full_says_so(studio, presenter, begin, viewer):
    path = begin()
    show(presenter)
    studio.store.talks.count_viewers(path.rpartition("/")[2], "another process", 250, time.time())
    answer = viewer.get(f"{path}/pictures")
    assert answer.status_code == 503
    assert "as many viewers" in answer.json["words"]


def test_the_viewers_of_all_talks_leave_half_of_the_connections_to_others():
    assert ConnectionLimits.connections // 2 == MOST_VIEWERS_HELD == 500


@pytest.mark.attack
@pytest.mark.parametrize("is_of", ["presenter", "network"])
def test_talks_and_viewers_of_one_address_leave_places_to_those_of_others(
    studio, presenter, begin, monkeypatch, is_of
):
    path, viewer = begin(), studio.app.server.test_client()
    show(presenter)
    audience = Audience(studio.store)
    monkeypatch.setitem(viewer.application.extensions, "melm-studio-audience", audience)
    talk = studio.store.talks.get(path.rpartition("/")[2])
    # This viewer comes from where the presenter is.
    taken = {"presenter": "", "network": "", is_of: talk.address}
    monkeypatch.setattr(Audience, "_serve", lambda self: None)
    for number in range(250):
        assert viewer.get(f"{path}/pictures").status_code == 200, number
        audience.join(f"talk {number % 2}", SimpleNamespace(is_open=True), **taken)
    answer = viewer.get(f"{path}/pictures")
    assert answer.status_code == 503
    assert "as many viewers" in answer.json["words"]


@pytest.mark.parametrize(("n_bytes", "status"), [(2 * 2**20, 200), (2 * 2**20 + 1, 400)])
def test_a_picture_of_more_than_2_mb_is_not_shown(presenter, begin, monkeypatch, n_bytes, status):
    begin()
    scene = b"scene"
    view = TalkView(2**60, "scene", scene, bytes(n_bytes - len(scene)))
    monkeypatch.setattr("callbacks.routes.talks.talk_view", lambda *_, **__: view)
    answer = show(presenter)
    assert answer.status_code == status
    assert status == 200 or "too large" in answer.json["words"]


def test_viewers_need_no_login_where_a_proxy_names_the_users(tmp_path):
    with opened_studio(tmp_path, user_header="X-User", proxies=1) as studio:
        client = studio.app.server.test_client()
        link = client.post("/talk", json={}, headers={"X-User": "ada"}).json["talk"]["link"]
        path = "/t/" + link.rpartition("/")[2]
        assert client.get(path).status_code == 200
        assert client.get("/talk").status_code == 401
