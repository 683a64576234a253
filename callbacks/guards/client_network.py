"""The network of a client, which shares, threads, connections and bytes are counted by."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

# A customer of a provider has a whole network of IPv6 addresses.
_NETWORK_BITS = 64


def network_of(address: str) -> str:
    """Return the network of an address; empty for what is none.

    Examples
    --------
    >>> network_of("192.0.2.7"), network_of("2001:db8::7")
    ('192.0.2.7/32', '2001:db8::/64')
    """
    try:
        client = ip_address(address)
    except ValueError:
        return ""
    if isinstance(client, IPv6Address):
        if client.ipv4_mapped is None:
            return str(ip_network((int(client), _NETWORK_BITS), strict=False))
        client = client.ipv4_mapped
    return str(ip_network(client))


def sender_network(forwarded_for: str, peer: str, proxies: int) -> str:
    """Return the network that a request was sent from.

    Parameters
    ----------
    forwarded_for : str
        The header X-Forwarded-For.
    peer : str
        The address at the other end of the connection.
    proxies : int
        Trusted proxies in front, each of which has appended the address that it saw.
    """
    seen = [part.strip() for part in forwarded_for.split(",")]
    is_forwarded = proxies and len(seen) >= proxies and seen[-proxies]
    return network_of(seen[-proxies] if is_forwarded else peer)
