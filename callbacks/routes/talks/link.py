"""The link to a talk: its address as the audience reaches it, and as a QR code."""

from __future__ import annotations

import io
import secrets
import socket
from ipaddress import ip_address

import flask
import segno

from callbacks.services import services

_ID_BYTES = 16  # 128 random bits
_ANY_ADDRESS = {"0.0.0.0", "::", ""}  # noqa: S104 - compared with, not bound to
# For documentation (RFC 5737): no packet is ever sent there.
_ELSEWHERE = ("192.0.2.1", 9)


def new_talk_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_urlsafe(_ID_BYTES)


def talk_link(talk_id: str) -> str:
    """Return the address that the audience opens.

    A presenter who has opened the studio as localhost gets the address of this computer, if the
    studio listens there.
    """
    link = flask.url_for("talk_page", talk_id=talk_id, _external=True)
    own = _own_address() if _is_of_this_computer() and _is_reachable() else None
    return link.replace(f"//{_host()}", f"//{own}", 1) if own else link


def is_only_here(link: str) -> bool:
    """Return whether this computer alone can open a link."""
    return _is_of_this_computer() and f"//{_host()}" in link


def qr_code(link: str) -> str:
    """Return a link as the markup of an SVG image, black on white, which all cameras read."""
    written = io.BytesIO()
    code = segno.make(link, error="m", micro=False)
    code.save(written, kind="svg", xmldecl=False, svgns=True, border=4, light="#fff", omitsize=True)
    return written.getvalue().decode()


def _host() -> str:
    """The name of the host in the address of this request, without the port."""
    host = flask.request.host
    return host if host.endswith("]") else host.rpartition(":")[0] or host


def _is_of_this_computer() -> bool:
    host = _host().strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_reachable() -> bool:
    settings = services().settings
    return settings.host in _ANY_ADDRESS and not settings.proxies and not settings.hosts


def _own_address() -> str | None:
    """The address by which this computer reaches others; None without a network."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
            found.connect(_ELSEWHERE)
            return str(found.getsockname()[0])
    except OSError:
        return None
