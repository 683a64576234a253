"""The path under which a proxy serves the studio, such as /melm or /user/ann/proxy/8050.

Dash and Flask write addresses that begin with it; routes never see it, whether the proxy removes it
from requests, as notebook servers do, or passes them on as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes

from dash import Dash

from callbacks.services import services

Application: TypeAlias = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def register(app: Dash) -> None:
    """Put the prefix, if there is one, in front of everything else."""
    if prefix := services().settings.path_prefix:
        app.server.wsgi_app = PathPrefix(app.server.wsgi_app, prefix)


class PathPrefix:
    """A WSGI application below a path.

    Parameters
    ----------
    application : callable
    prefix : str
        As in an address: it begins with a slash and does not end with one.
    """

    def __init__(self, application: Application, prefix: str) -> None:
        self._application, self._last_part = application, prefix.rpartition("/")[2]
        # WSGI has paths decoded, byte by byte (PEP 3333).
        self._prefix = unquote_to_bytes(prefix).decode("latin-1")

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == self._prefix:  # from here, relative addresses would lead out of the studio
            query = environ.get("QUERY_STRING")
            address = f"{self._last_part}/?{query}" if query else f"{self._last_part}/"
            start_response("308 Permanent Redirect", [("Location", address)])
            return [b""]
        if path.startswith(f"{self._prefix}/"):
            environ["PATH_INFO"] = path.removeprefix(self._prefix)
        environ["SCRIPT_NAME"] = self._prefix
        return self._application(environ, start_response)
