"""Declarations of a route beside its method and path: its body, its cost, and its guard.

Flask makes rules of the class `Route`, so each of these is an argument where a route is declared:
``@routes.post("/upload", body=Body.FILE, is_heavy=True)``. A route that declares nothing takes no
body, is light, and is for visitors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, partial
from typing import Any
from urllib.parse import unquote_to_bytes

import flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule

# The multipart encoding around a file.
_ENVELOPE_BYTES = 16_384
_MB = 2**20


class Body(Enum):
    """Bodies that an address takes, with the most bytes of each."""

    NOTHING = 4 * 2**10
    SETTINGS = _MB
    JSON = 16 * _MB
    STORY = 8 * _MB
    # As many as MELM_MAX_UPLOAD_MB says.
    FILE = 0

    def most_bytes(self, max_upload_mb: int) -> int:
        """Return the limit, where files of so many megabytes are taken."""
        return max_upload_mb * _MB + _ENVELOPE_BYTES if self is Body.FILE else self.value

    def refusal(self, max_upload_mb: int) -> str:
        """Return what is said of a larger one."""
        return _TOO_LARGE[self].format(mb=max_upload_mb)


_TOO_LARGE = {
    Body.NOTHING: (
        "This address takes no more than 4 kB, and the request has more. Send it without a body, "
        "or send the body to the address that takes it."
    ),
    Body.SETTINGS: "This request is larger than 1 MB, the most that its address takes. Send less.",
    Body.JSON: (
        "This request is larger than 16 MB, the most that its address takes. Select fewer rows, or "
        "send a file as an upload."
    ),
    Body.STORY: (
        "This file is larger than 8 MB, the most that a story has. Choose one that was saved here."
    ),
    Body.FILE: (
        "The file is larger than {mb} MB. Leave out columns or rows, or start the studio with a "
        "higher MELM_MAX_UPLOAD_MB."
    ),
}


class Guard(Enum):
    """Conditions for a request to be answered.

    Attributes
    ----------
    VISITOR
        Whoever comes, as a visitor from then on.
    PROGRAM
        Visitors; who comes without a cookie or a token is refused.
    LINK
        Whoever has the link, also a browser whose grant was revoked.
    VIEWER
        The audience of a talk: nobody is a visitor, or becomes one.
    MONITOR
        Programs that watch the studio, which are no visitors either.
    FILE
        Everybody, with the same file.
    """

    VISITOR = auto()
    PROGRAM = auto()
    LINK = auto()
    VIEWER = auto()
    MONITOR = auto()
    FILE = auto()


@dataclass(frozen=True)
class Address:
    """Cost of a request to an address, and its origin.

    Attributes
    ----------
    body : Body
    is_heavy : bool
        Whether the answer draws many pictures or reads a whole file: seconds of work for one
        thread.
    is_prompt : bool
        Whether threads are reserved for it: it says that the studio lives, or what runs show.
    guard : Guard
    """

    body: Body = Body.NOTHING
    is_heavy: bool = False
    is_prompt: bool = False
    guard: Guard = Guard.VISITOR


class Route(Rule):
    """A rule of the studio, with what its address declares: the fields of `Address`."""

    def __init__(
        self,
        string: str,
        *,
        body: Body = Body.NOTHING,
        is_heavy: bool = False,
        is_prompt: bool = False,
        guard: Guard = Guard.VISITOR,
        **options: Any,
    ) -> None:
        super().__init__(string, **options)
        self.address = Address(body, is_heavy=is_heavy, is_prompt=is_prompt, guard=guard)

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        # When an address is first built, as few are: to compile all took half of a start.
        compiled = cache(partial(super()._compile_builder, append_unknown))

        def build(route: Rule, /, **values: Any) -> tuple[str, str]:
            return compiled()(route, **values)

        return build


# Dash connects these before Flask makes rules of the studio's class.
_OF_DASH = {
    "/_dash-update-component": Address(Body.JSON),
    "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>": Address(
        guard=Guard.FILE
    ),
    "/_favicon.ico": Address(guard=Guard.FILE),
    "_dash_assets.static": Address(guard=Guard.FILE),
}


def address_of(rule: Rule | None) -> Address:
    """Return what is declared of a rule; little where there is none."""
    if rule is None or isinstance(rule, Route):
        return Address() if rule is None else rule.address
    return _OF_DASH.get(rule.endpoint, Address())


def requested_address() -> Address:
    """Return what is declared of the address of this request."""
    return address_of(flask.request.url_rule)


def is_for_everybody() -> bool:
    """Return whether this request is for a file that is the same for every visitor."""
    return requested_address().guard is Guard.FILE


class Directory:
    """Finds the address of a request before its route does.

    Parameters
    ----------
    rules : werkzeug.routing.Map
        Of the application.
    path_prefix : str
        Path of the studio, which proxies may have removed from that of a request.
    """

    def __init__(self, rules: Map, path_prefix: str = "") -> None:
        self._rules = rules.bind("localhost")
        # WSGI has paths decoded, byte by byte (PEP 3333).
        self._prefix = unquote_to_bytes(path_prefix).decode("latin-1")

    def find(self, method: str, path: str) -> Address:
        """Return the address of a request.

        Parameters
        ----------
        method : str
        path : str
            As WSGI has it.
        """
        path = f"/{path.lstrip('/')}"  # which the server does, too
        if path.startswith(f"{self._prefix}/"):
            path = path.removeprefix(self._prefix)
        text = path.encode("latin-1").decode(errors="replace")
        try:
            rule, _ = self._rules.match(text, method, return_rule=True)
        except HTTPException:  # nothing is there, or not by this method
            return Address()
        return address_of(rule)
