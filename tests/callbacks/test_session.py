"""A visitor is known by a signed cookie, and sees what is theirs and nothing else."""

from __future__ import annotations

import stat
import time

import itsdangerous
import pytest

from lab.driver.visitor import opened_studio

FORGERIES = {
    "cut short": lambda cookie, other: cookie[:-1],
    "longer": lambda cookie, other: f"x{cookie}",
    "unsigned": lambda cookie, other: cookie.rpartition(".")[0],
    "signature of another": lambda cookie, other: ".".join(
        [*cookie.split(".")[:-1], other.split(".")[-1]]
    ),
}


def with_a_run(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    return visitor, visitor.start(method="pca")


def test_the_first_answer_names_the_visitor_in_a_guarded_cookie(studio):
    cookie = studio.app.server.test_client().get("/").headers["Set-Cookie"]
    assert cookie.startswith(f"{studio.app.server.config['SESSION_COOKIE_NAME']}=")
    attributes = {part.strip() for part in cookie.split(";")[1:]}
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= attributes
    assert any(part.startswith("Expires=") for part in attributes)


def test_a_visitor_keeps_one_name_and_no_two_have_the_same(studio):
    first, second = studio.visitor(), studio.visitor()
    name = first.owner
    first.http.get("/health")
    assert first.owner == name != second.owner


@pytest.mark.fault
def test_another_browser_sees_no_run_and_a_second_tab_sees_all(studio):
    visitor, run = with_a_run(studio)
    assert list(visitor.frames(run)["runs"]) == [run]
    assert studio.visitor().frames(run)["runs"] == {}
    assert list(studio.visitor(cookie=visitor.cookie).frames(run)["runs"]) == [run]


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_cookie_that_was_tampered_with_opens_nothing(studio, forge):
    visitor, run = with_a_run(studio)
    forged = studio.visitor(cookie=forge(visitor.cookie, studio.visitor().cookie))
    assert forged.frames(run)["runs"] == {}
    assert forged.owner != visitor.owner


def test_the_signing_key_is_for_the_user_alone(tmp_path):
    with opened_studio(tmp_path):
        path = tmp_path / "secret"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert len(path.read_bytes()) == 32


def test_nothing_in_the_data_folder_is_open_to_other_users(tmp_path):
    with opened_studio(tmp_path):
        modes = [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()]
        assert len(modes) == 2
        assert [mode & 0o077 for mode in modes] == [0, 0]


def test_after_a_restart_the_same_cookie_finds_its_runs(tmp_path):
    with opened_studio(tmp_path) as studio:
        visitor, run = with_a_run(studio)
        studio.work()
        before = visitor.news(run)
        key = (tmp_path / "secret").read_bytes()
    with opened_studio(tmp_path) as studio:
        assert (tmp_path / "secret").read_bytes() == key
        again = studio.visitor(cookie=visitor.cookie)
        again.choose_sample("iris")
        assert again.panels() == [run]
        assert again.news(run) == before


def test_the_cookie_of_another_installation_opens_nothing(studio, tmp_path):
    visitor, run = with_a_run(studio)
    with opened_studio(tmp_path) as other:
        stranger = other.visitor(cookie=visitor.cookie)
        assert stranger.frames(run)["runs"] == {}
        assert stranger.owner != visitor.owner


def test_two_studios_on_one_host_leave_each_others_visitors_alone(tmp_path):
    """Cookies of a host are shared by all its ports."""
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    with opened_studio(tmp_path / "one") as one, opened_studio(tmp_path / "other") as other:
        here, there = one.visitor(), other.visitor()
        name = here.owner
        assert here.cookie_name != there.cookie_name
        here.http.set_cookie(there.cookie_name, there.cookie)
        here.http.get("/")
        assert here.owner == name


@pytest.mark.fault
@pytest.mark.parametrize(
    ("days_ahead", "is_known"), [(1, True), (-1, True), (9, False), (-40, False)]
)
def test_a_clock_that_was_set_back_loses_no_visitor(studio, monkeypatch, days_ahead, is_known):
    visitor, run = with_a_run(studio)
    server, then = studio.app.server, int(time.time() + days_ahead * 86_400)
    signer = server.session_interface.get_signing_serializer(server)
    with monkeypatch.context() as clock:
        clock.setattr(itsdangerous.TimestampSigner, "get_timestamp", lambda signer: then)
        cookie = signer.dumps({"owner": visitor.owner, "_permanent": True})
    seen = studio.visitor(cookie=cookie).frames(run)["runs"]
    assert (list(seen) == [run]) is is_known


def test_over_https_the_cookie_belongs_to_this_host_alone(studio):
    client = studio.app.server.test_client()
    cookie = client.get("/", base_url="https://localhost").headers["Set-Cookie"]
    assert cookie.startswith("__Host-melm-studio-")
    assert "; Secure" in cookie
    assert "Domain=" not in cookie


def test_over_https_no_cookie_that_another_host_can_set_makes_anybody_a_visitor(studio):
    """A host of the same domain plants the cookie of a visitor of its own, to read what comes."""
    attacker = studio.visitor()
    victim = studio.app.server.test_client()
    victim.set_cookie(attacker.cookie_name, attacker.cookie)
    answer = victim.get("/", base_url="https://localhost")
    name, _, own = answer.headers["Set-Cookie"].partition(";")[0].partition("=")
    assert name == f"__Host-{attacker.cookie_name}"
    assert studio.visitor(cookie=own).owner != attacker.owner
