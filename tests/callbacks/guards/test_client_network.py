"""A client is a network: one IPv4 address, or the 64 bits of IPv6 that a customer has."""

from __future__ import annotations

import flask
import pytest

from callbacks.guards.client_network import network_of, sender_network
from callbacks.session import address


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
    ],
)
def test_who_shares_64_bits_of_ipv6_or_an_address_of_ipv4_is_one(one, other, is_same):
    assert (network_of(one) == network_of(other)) is is_same
    assert network_of(one) != ""


@pytest.mark.parametrize("text", ["", "localhost", "unknown", "192.0.2.1:80", "1.2.3"])
def test_what_is_no_address_has_no_network(text):
    assert network_of(text) == ""


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, "9.9.9.9", "1.1.1.1"),
        (1, "9.9.9.9, 2.2.2.2", "2.2.2.2"),
        (2, "9.9.9.9, 2.2.2.2, 3.3.3.3", "2.2.2.2"),
        (1, "", "1.1.1.1"),
        (2, "2.2.2.2", "1.1.1.1"),
        (1, "9.9.9.9, 2001:db8::1", "2001:db8::2"),
    ],
)
def test_the_network_is_that_which_the_trusted_proxies_saw(proxies, forwarded, expected):
    assert sender_network(forwarded, "1.1.1.1", proxies) == network_of(expected)


def test_shares_are_of_networks_too(studio):
    def named(remote: str) -> str:
        with studio.app.server.test_request_context(environ_base={"REMOTE_ADDR": remote}):
            assert flask.request.remote_addr == remote
            return address()

    assert named("2001:db8::1") == named("2001:db8::2") != named("2001:db8:0:1::1")
    assert named("192.0.2.1") != named("192.0.2.2")
