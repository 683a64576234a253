"""Every address of the studio: what body it takes, and whether its answer takes seconds of work.

Files that are the same for everybody are not listed: they take no body, and no time. A test
compares the list with the routes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote_to_bytes

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

# The multipart encoding around a file.
_ENVELOPE_BYTES = 16_384
_MB = 2**20


class Body(Enum):
    """What an address takes, and how many bytes of it at most."""

    NOTHING = 4 * 2**10
    SETTINGS = _MB
    JSON = 16 * _MB
    STORY = 8 * _MB
    # As many as MELM_MAX_UPLOAD_MB says.
    FILE = None

    def most_bytes(self, max_upload_mb: int) -> int:
        """Return the limit, where files of so many megabytes are taken."""
        return max_upload_mb * _MB + _ENVELOPE_BYTES if self is Body.FILE else int(self.value)

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
        "This file is larger than 8 MB, which no story is. Choose a story that was saved here."
    ),
    Body.FILE: (
        "The file is larger than {mb} MB. Leave out columns or rows, or start the studio with a "
        "higher MELM_MAX_UPLOAD_MB."
    ),
}


@dataclass(frozen=True)
class Address:
    """What a request to an address may cost.

    Attributes
    ----------
    body : Body
    is_heavy : bool
        Whether the answer draws many pictures or reads a whole file: seconds of work for one
        thread.
    is_prompt : bool
        Whether threads are reserved for it: it says that the studio lives, or what runs show.
    """

    body: Body = Body.NOTHING
    is_heavy: bool = False
    is_prompt: bool = False


_LIGHT = Address()
_PROMPT = Address(is_prompt=True)
_HEAVY = Address(is_heavy=True)
_SETTINGS = Address(Body.SETTINGS)
_JSON = Address(Body.JSON)
_HEAVY_JSON = Address(Body.JSON, is_heavy=True)
_FILE = Address(Body.FILE, is_heavy=True)

_API = "/api/v1"
_RUN = "/runs/<run_id>"
_PLANE = f"{_RUN}/planes/<int:sequence>"

# By method and rule.
ADDRESSES = {
    "GET /": _LIGHT,
    "GET /<path:path>": _LIGHT,
    "GET /_dash-dependencies": _LIGHT,
    "GET /_dash-layout": _LIGHT,
    "POST /_dash-update-component": _JSON,
    "GET /_reload-hash": _LIGHT,
    f"POST {_API}/comparisons": _HEAVY_JSON,
    f"GET {_API}/comparisons": _LIGHT,
    f"GET {_API}/comparisons/<run_id>": _LIGHT,
    f"DELETE {_API}/comparisons/<run_id>": _LIGHT,
    f"POST {_API}/comparisons/<run_id>/stop": _LIGHT,
    f"POST {_API}/files": _FILE,
    f"POST {_API}/links": _HEAVY_JSON,
    f"GET {_API}/openapi.json": _LIGHT,
    f"GET {_API}/runs": _LIGHT,
    f"POST {_API}/runs": _HEAVY_JSON,
    f"GET {_API}{_RUN}": _LIGHT,
    f"DELETE {_API}{_RUN}": _LIGHT,
    f"POST {_API}{_RUN}/analyses/<name>": _LIGHT,
    f"GET {_API}{_RUN}/analyses": _LIGHT,
    f"GET {_API}{_RUN}/analyses/<name>": _LIGHT,
    f"DELETE {_API}{_RUN}/analyses/<name>": _LIGHT,
    f"POST {_API}{_RUN}/analyses/<name>/stop": _LIGHT,
    f"POST {_API}{_RUN}/check": _LIGHT,
    f"GET {_API}{_RUN}/check": _LIGHT,
    f"GET {_API}{_RUN}/planes": _LIGHT,
    f"POST {_API}{_RUN}/refits": _LIGHT,
    f"GET {_API}{_RUN}/refits": _HEAVY,
    f"GET {_API}{_RUN}/report": _HEAVY,
    f"GET {_API}{_RUN}/result": _HEAVY,
    f"POST {_API}{_RUN}/stop": _LIGHT,
    f"GET {_API}{_RUN}/verdict": _HEAVY,
    f"POST {_API}/tables": _HEAVY_JSON,
    f"GET {_API}/tokens": _LIGHT,
    f"POST {_API}/tokens": _LIGHT,
    f"DELETE {_API}/tokens/<token_id>": _LIGHT,
    "GET /compare/agreement.csv": _LIGHT,
    "GET /compare/agreement.html": _LIGHT,
    "GET /compare/movers.csv": _LIGHT,
    "GET /compare/scores": _LIGHT,
    "GET /compare/table.csv": _LIGHT,
    "GET /docs/<name>.md": _LIGHT,
    "GET /docs/pictures/<name>": _LIGHT,
    "POST /figure": _HEAVY_JSON,
    "GET /frames": _PROMPT,
    "GET /health": _PROMPT,
    "GET /metrics": _PROMPT,
    "GET /links-and-tokens": _LIGHT,
    "POST /links-and-tokens/<grant_id>/revoke": _LIGHT,
    "POST /links-and-tokens/recovery": _LIGHT,
    "POST /links-and-tokens/token": _LIGHT,
    "GET /open/<ticket>": _HEAVY,
    "POST /panels": _JSON,
    "GET /presenter": _LIGHT,
    "POST /presenter/picture": _JSON,
    "POST /preview": _JSON,
    "POST /preview/every-point": _JSON,
    "POST /preview/every-row": _JSON,
    "POST /project": _SETTINGS,
    "POST /project-file": _HEAVY_JSON,
    "GET /ready": _PROMPT,
    "GET /recovery/<key>": _LIGHT,
    "POST /recovery/<key>": _LIGHT,
    "GET /report.html": _HEAVY,
    "POST /runs": _JSON,
    "POST /runs/batch": _HEAVY_JSON,
    f"POST {_RUN}/<any(stop, pause, step, resume):command>": _LIGHT,
    f"GET {_RUN}/analyses/<name>": _LIGHT,
    f"POST {_RUN}/analyses/<name>": _LIGHT,
    f"POST {_RUN}/analyses/<name>/stop": _LIGHT,
    f"GET {_RUN}/analyses/<name>.csv": _LIGHT,
    f"GET {_RUN}/analyses/loadings": _LIGHT,
    f"GET {_RUN}/analyses/sparse/<int:n_features>": _LIGHT,
    f"POST {_RUN}/choose-gamma": _LIGHT,
    f"GET {_RUN}/colors": _LIGHT,
    f"GET {_RUN}/columns": _LIGHT,
    f"GET {_RUN}/components.csv": _LIGHT,
    f"POST {_RUN}/continue": _LIGHT,
    f"GET {_RUN}/description": _LIGHT,
    f"GET {_RUN}/every-row": _LIGHT,
    f"GET {_RUN}/features/<int:feature>": _LIGHT,
    f"GET {_RUN}/figure": _LIGHT,
    f"GET {_RUN}/gamma-advice": _LIGHT,
    f"GET {_RUN}/latent-structure": _HEAVY,
    f"POST {_RUN}/leave-out": _HEAVY_JSON,
    f"POST {_RUN}/leave-out-columns": _HEAVY_JSON,
    f"GET {_RUN}/model.json": _LIGHT,
    f"POST {_RUN}/new-class": _HEAVY_JSON,
    f"POST {_RUN}/new-column": _HEAVY_JSON,
    f"POST {_RUN}/one-component": _LIGHT,
    f"GET {_RUN}/overlap.csv": _LIGHT,
    f"GET {_PLANE}": _LIGHT,
    f"GET {_PLANE}/distances": _LIGHT,
    f"GET {_PLANE}/every-point": _LIGHT,
    f"GET {_PLANE}/features": _HEAVY,
    f"GET {_PLANE}/new-rows": _HEAVY,
    f"GET {_PLANE}/new-rows.csv": _HEAVY,
    f"GET {_PLANE}/outliers": _LIGHT,
    f"POST {_PLANE}/refine": _LIGHT,
    f"GET {_PLANE}/reproduction": _LIGHT,
    f"POST {_PLANE}/rows": _JSON,
    f"POST {_PLANE}/rows.csv": _HEAVY_JSON,
    f"GET {_PLANE}/rows/<int:row>": _LIGHT,
    f"GET {_PLANE}/shared-view": _LIGHT,
    f"GET {_PLANE}/terms": _LIGHT,
    f"GET {_PLANE}/trade-off": _LIGHT,
    f"GET {_RUN}/points.csv": _HEAVY,
    f"POST {_RUN}/put-back": _HEAVY,
    f"GET {_RUN}/ranking.csv": _LIGHT,
    f"POST {_RUN}/remove": _LIGHT,
    f"POST {_RUN}/rename": _SETTINGS,
    f"GET {_RUN}/replay.html": _HEAVY,
    f"GET {_RUN}/report.html": _HEAVY,
    f"GET {_RUN}/rows-named": _LIGHT,
    f"GET {_RUN}/script.py": _LIGHT,
    f"GET {_RUN}/surface": _HEAVY,
    f"POST {_RUN}/suspect-labels": _LIGHT,
    f"GET {_RUN}/symbols": _LIGHT,
    f"POST {_RUN}/undo-removal": _LIGHT,
    f"GET {_RUN}/verdict.json": _HEAVY,
    "GET /static/<path:filename>": _LIGHT,
    "POST /stories/<key>": _LIGHT,
    "POST /story": Address(Body.STORY),
    "GET /t/": _LIGHT,
    "GET /t/<talk_id>": _LIGHT,
    "GET /t/<talk_id>/pictures": _PROMPT,
    "GET /talk": _LIGHT,
    "POST /talk": _SETTINGS,
    "POST /talk/allowed": _SETTINGS,
    "POST /talk/end": _LIGHT,
    "POST /talk/shown": _SETTINGS,
    "POST /upload": _FILE,
}


def address(method: str, rule: str | None) -> Address:
    """Return what is listed for a method and the rule of a route; little where nothing is."""
    return ADDRESSES.get(f"{'GET' if method == 'HEAD' else method} {rule}", _LIGHT)


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
            return _LIGHT
        return address(method, rule.rule)
