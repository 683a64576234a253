"""The address of a store on Redis, as the setting gives it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlsplit

PREFIX = "melm"

_SERVER = re.compile(r"rediss?://([^/@]*@)?[^/@:\s]+(:\d{1,5})?(/\d*)?")


@dataclass(frozen=True)
class RedisAddress:
    """A server, and the name that all keys of one studio begin with.

    Attributes
    ----------
    url : str
        As redis-py takes it, credentials included.
    prefix : str
        Studios of different prefixes share a server without seeing each other.
    """

    url: str
    prefix: str = PREFIX

    @classmethod
    def from_text(cls, text: str) -> RedisAddress:
        """Return the address that a person wrote, such as redis://host:6379/0?prefix=lab.

        Raises
        ------
        ValueError
            If it is none; the message is what an address looks like.
        """
        parts = urlsplit(text)
        prefix = parse_qs(parts.query).get("prefix", [PREFIX])[-1]
        url = parts._replace(query="").geturl()
        if not _SERVER.fullmatch(url):
            raise ValueError("an address such as redis://host:6379/0 or redis://host/0?prefix=lab")
        return cls(url, prefix)

    @property
    def shown(self) -> str:
        """The address without credentials, for people and logs."""
        parts = urlsplit(self.url)
        place = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=place).geturl()

    def key(self, *parts: str) -> str:
        """Return the name of a key; parts that hold separators do not mix."""
        return "/".join(quote(part, safe="") for part in (self.prefix, *parts))
