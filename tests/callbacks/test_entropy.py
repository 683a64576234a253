"""What lets somebody in cannot be guessed: as many random bits as the page on security says.

Of fifty secrets, each bit that is random is 0 in some and 1 in others, but for once in 10^12.
"""

from __future__ import annotations

import base64

import pytest

from callbacks import identity
from callbacks.guards.client_network import network_of
from callbacks.routes.talks import new_talk_id
from melm_studio.runs.store.secret_key import pseudonym

N = 50
HERE, THERE = "192.0.2.7", "198.51.100.9"


def n_random_bits(secrets: list[str]) -> int:
    """How many bits differ among secrets, which are all as long."""
    numbers = [int.from_bytes(base64.urlsafe_b64decode(f"{text}==")) for text in secrets]
    assert len(set(map(len, secrets))) == 1
    some = all_of = numbers[0]
    for number in numbers:
        some, all_of = some | number, all_of & number
    return (some ^ all_of).bit_count()


@pytest.mark.parametrize("kind", identity.GrantKind)
def test_a_grant_has_256_random_bits(studio, kind):
    def secret(i: int) -> str:
        return identity.make_grant(kind, f"visitor {i} of {kind}", "")[0]

    with studio.app.server.test_request_context():
        assert n_random_bits([secret(i) for i in range(N)]) == 256


@pytest.mark.slow
def test_a_visitor_has_a_name_of_128_random_bits(studio):
    def name() -> str:
        client = studio.app.server.test_client()
        client.get("/")
        with client.session_transaction() as session:
            return session["owner"]

    assert n_random_bits([name() for _ in range(N)]) == 128


def test_a_browser_that_was_put_out_gets_a_name_of_128_random_bits(studio, monkeypatch):
    client = studio.app.server.test_client()
    monkeypatch.setattr("callbacks.identity.still_admits", lambda via: False)

    def name() -> str:
        client.get("/")
        with client.session_transaction() as session:
            return session["owner"]

    assert n_random_bits([name() for _ in range(N)]) == 128


def test_a_talk_has_128_random_bits():
    assert n_random_bits([new_talk_id() for _ in range(N)]) == 128


def test_the_network_of_a_visitor_reaches_the_store_as_a_name(studio):
    """By it, an address has a share of places and bytes."""

    def known_address(network: str) -> str:
        visitor = studio.visitor()
        visitor.http.environ_base["REMOTE_ADDR"] = network
        visitor.upload(b"a,b,label\n1,2,x\n2,3,y\n")
        return studio.store.address_of(visitor.owner)

    names = {ip: pseudonym(studio.store.secret(), network_of(ip)) for ip in (HERE, THERE)}
    assert known_address(HERE) == known_address(HERE) == names[HERE]
    assert known_address(THERE) == names[THERE] != names[HERE]
