"""The address of a store on Redis, as the user sets it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlsplit

PREFIX = "melm"

_SERVER = re.compile(r"rediss?://([^/@]*@)?[^/@:\s]+(:\d{1,5})?(/\d*)?")


@dataclass(frozen=True)
class RedisAddress:
    """A server, and the prefix of all keys of one studio.

    Attributes
    ----------
    url : str
        As redis-py takes it, including credentials.
    prefix : str
        Studios with different prefixes can share a server.
    """

    url: str
    prefix: str = PREFIX

    @classmethod
    def from_text(cls, text: str) -> RedisAddress:
        """Parse an address such as redis://host:6379/0?prefix=lab.

        Raises
        ------
        ValueError
            If it is not an address; the message describes one.
        """
        parts = urlsplit(text)
        prefix = parse_qs(parts.query).get("prefix", [PREFIX])[-1]
        url = parts._replace(query="").geturl()
        if not _SERVER.fullmatch(url):
            raise ValueError("an address such as redis://host:6379/0 or redis://host/0?prefix=lab")
        return cls(url, prefix)

    @property
    def shown(self) -> str:
        """The address without credentials, for messages and logs."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=host).geturl()

    def key(self, *parts: str) -> str:
        """Return a key; separators within its parts are quoted."""
        return "/".join(quote(part, safe="") for part in (self.prefix, *parts))
